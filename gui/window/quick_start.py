"""What lets the window come up sooner: import it first, for it acts on the imports that follow."""

from __future__ import annotations

import gc
import sys
from typing import Any

import PySide6.QtCore  # noqa: F401 - which loads the module that is looked for below


def begin() -> None:
    """Leave out work that only serves others, up to `end`: a quarter of the time to first paint.

    Nothing that a window is made from is garbage, so the collector looks in vain. And PySide reads
    the source of every module that is imported, to see whether its `__feature__` may be meant.
    """
    gc.disable()
    feature: Any = sys.modules.get("shibokensupport.feature")  # private: it may be gone one day
    if feature is not None and hasattr(feature, "_mod_uses_pyside"):
        feature._mod_uses_pyside = lambda module: False


def end() -> None:
    """The window is there: collect from now on, but never look at what there is by now."""
    gc.freeze()
    gc.enable()
