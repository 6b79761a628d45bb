"""A program whose engine and ranks are forked: `python tests/forked_engine.py main.py run ...`.

The program itself is a new interpreter. See `tests.forked` for its engine; where a test is marked
`starts_processes`, or has not started what forks, all processes are started as usual.
"""

from __future__ import annotations

import os
import runpy
import sys

if __name__ == "__main__":
    here = os.path.dirname(os.path.realpath(__file__))
    sys.path[0] = os.path.dirname(here)

    from core.process.starts import ModuleStart
    from tests.forked import begin

    ModuleStart.begin = begin  # type: ignore[method-assign]
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")
