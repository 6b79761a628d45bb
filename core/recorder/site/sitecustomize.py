"""Python runs this before a script that `bubblescope record` started, in each of its processes.

It waits until the script imports torch, and then for its first training step; a process that does
neither is left alone. What the machine has as sitecustomize itself is run as well.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
PACKAGE = "bubblescope_recorder"


class _AfterTorch:
    """Finds torch as it would be found, and begins once it is imported."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != "torch":
            return None
        # First, or the search for the real torch would come here again without end.
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            loader: Any = spec.loader
            run = loader.exec_module

            def exec_module(module: ModuleType) -> None:
                # First, to its end: what we import from torch may be missing before that.
                run(module)
                _begin()

            loader.exec_module = exec_module
        return spec


def _begin() -> None:
    importlib.import_module(f"{PACKAGE}.unasked").begin(os.environ["BUBBLESCOPE_RECORD"])


def _watch_exits() -> None:
    """Load the recorder's package, which needs no torch, and note from now on how it ends."""
    # By its file: only this folder is on the script's path, and our package need not be.
    package = importlib.util.spec_from_file_location(PACKAGE, HERE.parent / "__init__.py")
    assert package is not None and package.loader is not None
    sys.modules[PACKAGE] = importlib.util.module_from_spec(package)
    package.loader.exec_module(sys.modules[PACKAGE])
    importlib.import_module(f"{PACKAGE}.exits").watch()


def _run_the_other() -> None:
    """The sitecustomize that this one hides."""
    # Python imports only the first sitecustomize that it finds, which is this one.
    # Not Path.resolve, which raises for a link that leads to itself.
    places = [place for place in sys.path if os.path.realpath(place or ".") != str(HERE)]
    spec = PathFinder.find_spec("sitecustomize", places)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if "BUBBLESCOPE_RECORD" in os.environ:
    _run_the_other()
    _watch_exits()
    sys.meta_path.insert(0, _AfterTorch())
