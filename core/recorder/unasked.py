"""Records an unmodified script: model and optimizer are found by the recorder's global hooks.

The model is the outermost module that runs forward with gradients, the optimizer the first that
updates parameters of it. A process that trains nothing leaves no file.
"""

from __future__ import annotations

import atexit
import os
import sys
from types import TracebackType

from .session import record


def begin(out: str) -> None:
    """Record this process's first training job, from its first training step on."""
    process = os.getpid()
    session = record(None, None, out)
    session.__enter__()
    failed: list[BaseException] = []
    on_error, leave = sys.excepthook, sys.exit

    def note(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        failed.append(error)
        on_error(kind, error, trace)

    def leave_with(status: object = None) -> None:
        # Python calls no hook for the SystemExit that this raises, though it may mean a failure.
        if status not in (None, 0):
            failed.append(SystemExit(status))
        leave(status)  # type: ignore[arg-type]

    def end() -> None:
        # A process that is forked off has the same handlers, and is not recorded.
        if os.getpid() == process:
            error = failed[0] if failed else None
            session.__exit__(None if error is None else type(error), error, None)

    sys.excepthook = note
    sys.exit = leave_with  # type: ignore[assignment]
    atexit.register(end)
