"""The public package: the recorder (`from bubblescope import record`), and the Python interface.

    import bubblescope as bs
    run = bs.run("pipeline", schedule="1f1b", devices="4xvirtual", microbatches=8)

The recorder is core/recorder, imported as `bubblescope.recorder`. It uses only relative imports, so
that a `core` or `gui` package of the job does not interfere. The interface (bubblescope/api) does
need this project's `core` and `gui`.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # instead of importing `typing`, see below
if TYPE_CHECKING:
    from bubblescope import integrations
    from bubblescope.api.comparison import Comparison
    from bubblescope.api.errors import BubblescopeError
    from bubblescope.api.functions import compare, gate, predict, run
    from bubblescope.api.functions import open_run as open
    from bubblescope.api.run import Run
    from bubblescope.api.sweep import SweepResults, sweep
    from core.recorder.session import record

__all__ = [
    "BubblescopeError",
    "Comparison",
    "Run",
    "SweepResults",
    "compare",
    "gate",
    "integrations",
    "open",
    "predict",
    "record",
    "run",
    "sweep",
]
# Import only modules here that Python has already loaded: `python -m bubblescope` imports this
# module before it can remove the current folder from the search path.
_PACKAGE = os.path.dirname(os.path.realpath(__file__))
_INSIDE = os.path.join(_PACKAGE, "_app")  # in a wheel; in a checkout `core` is next to this package
_HOME = _INSIDE if os.path.isdir(_INSIDE) else os.path.dirname(_PACKAGE)
__path__.append(os.path.join(_HOME, "core"))
# For each public name, its module in bubblescope.api and its name there.
_PARTS = {
    "BubblescopeError": ("errors", "BubblescopeError"),
    "Comparison": ("comparison", "Comparison"),
    "Run": ("run", "Run"),
    "SweepResults": ("sweep", "SweepResults"),
    "compare": ("functions", "compare"),
    "gate": ("functions", "gate"),
    "open": ("functions", "open_run"),
    "predict": ("functions", "predict"),
    "run": ("functions", "run"),
    "sweep": ("sweep", "sweep"),
}


def __getattr__(name: str) -> object:
    """Import a part of the interface on first use, because it takes a while."""
    if name == "record":  # needs torch
        from .recorder.session import record  # type: ignore[import-not-found]

        return record
    if name == "integrations":  # its callbacks need torch and their trainer's package
        from importlib import import_module

        return import_module("bubblescope.integrations")
    if name in _PARTS:
        _find_home()
        from importlib import import_module

        module, own_name = _PARTS[name]
        return getattr(import_module(f"bubblescope.api.{module}"), own_name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _find_home() -> None:
    """Import this project's `core` and `gui`. Raises ImportError if others are loaded."""
    sys.path.insert(0, _HOME)
    try:
        import core
        import gui
    finally:
        sys.path.remove(_HOME)
    for package in (core, gui):
        folder = os.path.dirname(os.path.dirname(os.path.realpath(str(package.__file__))))
        if folder != os.path.realpath(_HOME):
            raise ImportError(
                f"the package {package.__name__!r} of {folder} is loaded, and Bubblescope has one "
                "of the same name: use bubblescope in a process of its own"
            )
