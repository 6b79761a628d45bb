"""The public package: training scripts use `from bubblescope import record`.

The recorder is core/recorder, imported as `bubblescope.recorder`. It uses only relative imports, so
that a `core` or `gui` package of the job does not interfere.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # instead of importing `typing`, see below
if TYPE_CHECKING:
    from core.recorder.session import record

__all__ = ["record"]
# Import only modules here that Python has already loaded: `python -m bubblescope` imports this
# module before it can remove the current folder from the search path.
_PACKAGE = os.path.dirname(os.path.realpath(__file__))
_INSIDE = os.path.join(_PACKAGE, "_app")  # in a wheel; in a checkout `core` is next to this package
_HOME = _INSIDE if os.path.isdir(_INSIDE) else os.path.dirname(_PACKAGE)
__path__.append(os.path.join(_HOME, "core"))


def __getattr__(name: str) -> object:
    """Import `record` on first use, because it needs torch and the window does not."""
    if name != "record":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .recorder.session import record  # type: ignore[import-not-found]

    return record
