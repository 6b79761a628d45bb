"""Main module of a rank's process under torchrun: imports torch and the engine, and runs it."""

from __future__ import annotations

import sys

from core.engine.imports import keep_imports

with keep_imports():
    from core.engine.torchrun.rank import run_launched_rank

if __name__ == "__main__":
    sys.exit(run_launched_rank())
