"""Makes the window open sooner. Import it first: it changes the imports that follow."""

from __future__ import annotations

import gc
import sys
from typing import Any

import PySide6.QtCore  # noqa: F401 - loads the module that `begin` looks up


def begin() -> None:
    """Turn off garbage collection and PySide's import hook until `end`.

    They take a quarter of the time to the first paint, for nothing: a window that is being made
    has no garbage, and PySide reads the source of each imported module to look for `__feature__`,
    which this project does not use.
    """
    gc.disable()
    feature: Any = sys.modules.get("shibokensupport.feature")  # private: it may be gone one day
    if feature is not None and hasattr(feature, "_mod_uses_pyside"):
        feature._mod_uses_pyside = lambda module: False


def end() -> None:
    """Turn garbage collection on again, without the objects that exist by now."""
    gc.freeze()
    gc.enable()
