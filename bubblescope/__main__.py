"""The installed command: runs `main.py` with this project's `core` and `gui`.

In a wheel both are inside this package, so that they do not clash with other top-level packages; in
a checkout they are next to it.
"""

from __future__ import annotations

import os
import sys

# `python -m bubblescope` searches the current folder first, which may contain modules of any name.
# This must precede all imports of modules that Python has not loaded yet.
if sys.argv[:1] == [__file__] and not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
    del sys.path[0]

import runpy
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
INSIDE = PACKAGE / "_app"
HOME = INSIDE if INSIDE.is_dir() else PACKAGE.parent


def main() -> None:
    """Run `main.py` as a script, which reads `sys.argv` and ends the process."""
    sys.path.insert(0, str(HOME))  # first, so that no other `core` or `gui` is found
    runpy.run_path(str(HOME / "main.py"), run_name="__main__")


if __name__ == "__main__":
    main()
