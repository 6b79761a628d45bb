"""What a training script imports (`from bubblescope import record`), and the installed command.

The recorder is core/recorder, imported as `bubblescope.recorder`: by relative imports alone, so
that a job's own `core` or `gui` does no harm.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # `typing` itself is not imported, see below
if TYPE_CHECKING:
    from core.recorder.session import record

__all__ = ["record"]
# Only modules that Python has loaded by itself are imported here: `python -m bubblescope` imports
# this before it can take the current folder out of the search path.
_PACKAGE = os.path.dirname(os.path.realpath(__file__))
_INSIDE = os.path.join(_PACKAGE, "_app")  # in a wheel; in a checkout `core` is next to this package
_HOME = _INSIDE if os.path.isdir(_INSIDE) else os.path.dirname(_PACKAGE)
__path__.append(os.path.join(_HOME, "core"))


def __getattr__(name: str) -> object:
    """`record`, when it is first asked for: it needs torch, which the window does not."""
    if name != "record":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .recorder.session import record  # type: ignore[import-not-found]

    return record
