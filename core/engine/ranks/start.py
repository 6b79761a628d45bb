"""Main module of a rank's process: imports torch and the engine, and runs the rank."""

from __future__ import annotations

from core.engine.imports import keep_imports

with keep_imports():
    from core.engine.ranks.rank import run_rank

if __name__ == "__main__":
    run_rank()
