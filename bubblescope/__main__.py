"""The installed command: runs `main.py` with the house's own `core` and `gui`.

In a wheel they lie inside this package, so that they neither take nor clash with top-level names of
other packages; in a checkout they lie beside it.
"""

from __future__ import annotations

import os
import sys

# `python -m bubblescope` puts the current folder first, where modules of any name may lie. This
# comes before all imports but those of modules that Python has loaded by itself.
if sys.argv[:1] == [__file__] and not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
    del sys.path[0]

import runpy
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
INSIDE = PACKAGE / "_app"
HOME = INSIDE if INSIDE.is_dir() else PACKAGE.parent


def main() -> None:
    """Run `main.py` as a script: it takes `sys.argv` and ends the process."""
    sys.path.insert(0, str(HOME))  # first: somebody's own `core` or `gui` must not be found
    runpy.run_path(str(HOME / "main.py"), run_name="__main__")


if __name__ == "__main__":
    main()
