"""Detects how this process ends.

Watching begins when the process starts, because a script may import `sys.exit` by name.
"""

from __future__ import annotations

import builtins
import sys
import threading
from types import TracebackType

STATUS: list[object] = []
"""Statuses other than 0 that the main thread has exited with, the latest last."""
ERRORS: list[BaseException] = []
"""Uncaught errors."""


def watch_exits() -> None:
    """Note exits from now on. An exit by `raise SystemExit` is not seen."""
    on_error = sys.excepthook
    leave = sys.exit

    def note(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        ERRORS.append(error)
        on_error(kind, error, trace)

    # Python calls no hook for the SystemExit that these functions raise.
    def exit(status: object = None, /) -> None:
        _note(status)
        leave(status)  # type: ignore[arg-type]

    sys.excepthook = note
    sys.exit = exit  # type: ignore[assignment]
    # `exit` and `quit` come from the module `site`, which `python -S` does not load.
    for name in ("exit", "quit"):
        if hasattr(builtins, name):
            quitter = type(getattr(builtins, name))
            _watch_quitter(quitter)
            break


def failure() -> BaseException | None:
    """Return the error or exit that ends the process; None if it ends well."""
    if ERRORS:
        return ERRORS[0]
    if not STATUS:
        return None
    return SystemExit(STATUS[-1])


def _note(status: object) -> None:
    # In any other thread an exit ends only that thread.
    if status not in (None, 0) and threading.current_thread() is threading.main_thread():
        STATUS.append(status)


def _watch_quitter(quitter: type) -> None:
    call = quitter.__call__

    def seen(self: object, code: object = None) -> None:
        _note(code)
        call(self, code)

    quitter.__call__ = seen  # type: ignore[method-assign]
