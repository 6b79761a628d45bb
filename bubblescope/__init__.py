"""What a training script imports (`from bubblescope import record`), and the installed command.

The recorder is core/recorder, imported as `bubblescope.recorder`: by relative imports alone, so
that a job's own `core` or `gui` does no harm.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.recorder.session import record

__all__ = ["record"]
_PACKAGE = Path(__file__).resolve().parent
_INSIDE = _PACKAGE / "_app"  # in a wheel; in a checkout the house is beside this package
__path__.append(str((_INSIDE if _INSIDE.is_dir() else _PACKAGE.parent) / "core"))


def __getattr__(name: str) -> object:
    """`record`, when it is first asked for: it needs torch, which the window does not."""
    if name != "record":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .recorder.session import record

    return record
