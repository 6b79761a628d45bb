"""Tests marked `alone` measure time: while one of them runs, no other worker runs a test.

Two locks on files that all workers share. Every test holds `running`: shared, or exclusively if it
is marked. A test that waits for it holds `turn`, so that a marked test is not overtaken again and
again.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def turn_to_run(folder: Path, alone: bool) -> Iterator[None]:
    """Wait until a test may run, and keep marked tests of other processes from running meanwhile.

    Args:
        folder: Where the files of the locks are; all workers of a run are given the same one.
        alone: Wait until no other test runs, and let none begin.
    """
    with (folder / "turn").open("a+") as turn, (folder / "running").open("a+") as running:
        # Locks of a process: what a test forks does not hold them after the test, as with flock.
        fcntl.lockf(turn, fcntl.LOCK_EX)
        fcntl.lockf(running, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.lockf(turn, fcntl.LOCK_UN)
        yield
