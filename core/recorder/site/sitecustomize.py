"""Starts the recorder in each Python process of a job that `bubblescope record` runs.

Python imports this module before the script. Recording begins when the script has imported torch
and runs its first training step. A process that does neither is not affected. The machine's own
sitecustomize is run as well.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
PACKAGE = "bubblescope_recorder"


class _AfterTorch:
    """Import hook: finds torch in the usual way and starts the recorder once it is imported.

    It stays until torch has run, because packages look for torch without importing it.
    """

    def __init__(self) -> None:
        self._searching = threading.local()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        # The search below calls this hook again, and so may other hooks.
        if name != "torch" or getattr(self._searching, "is_on", False):
            return None
        self._searching.is_on = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._searching.is_on = False
        if spec is not None and spec.loader is not None:
            self._watch(spec.loader)
        return spec

    def _watch(self, loader: Any) -> None:
        """Make a loader start the recorder after torch; it may also load other modules."""
        run = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            # torch must be imported completely before the recorder imports parts of it.
            run(module)
            if module.__name__ == "torch" and self in sys.meta_path:
                sys.meta_path.remove(self)
                _begin()

        loader.exec_module = exec_module


def _begin() -> None:
    """Start the recorder. If that fails, print one line: the job must not fail."""
    try:
        automatic = importlib.import_module(f"{PACKAGE}.automatic")
        automatic.record_process(os.environ["BUBBLESCOPE_RECORD"])
    except Exception as error:  # such as a package that this Python lacks
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        messages = importlib.import_module(f"{PACKAGE}.messages")
        messages.print_message(f"this process is not recorded: {reason}")


def _watch_exits() -> None:
    """Load the recorder's package, which does not import torch, and note how the process ends."""
    # Loaded from its file, because only this folder is certain to be on the script's path.
    package = importlib.util.spec_from_file_location(PACKAGE, HERE.parent / "__init__.py")
    assert package is not None and package.loader is not None
    sys.modules[PACKAGE] = importlib.util.module_from_spec(package)
    package.loader.exec_module(sys.modules[PACKAGE])
    importlib.import_module(f"{PACKAGE}.exits").watch_exits()


def _run_the_other() -> None:
    """Run the machine's own sitecustomize, which this one hides.

    Python imports only the first sitecustomize that it finds.
    """
    own = str(HERE)
    # Path.resolve would raise for a link that points to itself.
    places = [place for place in sys.path if os.path.realpath(place or ".") != own]
    spec = PathFinder.find_spec("sitecustomize", places)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if "BUBBLESCOPE_RECORD" in os.environ:
    _run_the_other()
    _watch_exits()
    sys.meta_path.insert(0, _AfterTorch())
