"""The file of a rank, which one recording at a time may write.

Several processes may have the same rank: a rank may start a program that trains too and inherits
RANK, and a script may start processes without ranks. The lock ends with the process that holds it,
so a file that a killed job has left can be replaced.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None


class Occupied(OSError):
    """The file is being written by another recording."""


class RankFile:
    """A rank's file, open and locked for writing. Use it in a `with` statement."""

    def __init__(self, path: Path) -> None:
        """Open a file and empty it. Raise Occupied if another recording writes it."""
        # Emptied only once it is locked, so not opened in a mode that does both.
        file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)
        if not _lock(file):
            os.close(file)
            raise Occupied(f"another recording is written to {path}")
        os.ftruncate(file, 0)
        self._file = os.fdopen(file, "wb")

    def __enter__(self) -> BinaryIO:
        return self._file

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._file:
            self._file.flush()
            # Forked processes inherit the lock, and may outlive the recording.
            if fcntl is not None:
                fcntl.flock(self._file, fcntl.LOCK_UN)


def remove_unused(path: Path) -> None:
    """Remove a rank's file, unless a recording writes it."""
    try:
        file = os.open(path, os.O_WRONLY)
    except FileNotFoundError:  # another process has removed it
        return
    except PermissionError:  # it is read-only, so no recording writes it
        path.unlink(missing_ok=True)
        return
    try:
        if _lock(file):
            path.unlink(missing_ok=True)
    finally:
        os.close(file)


def _lock(file: int) -> bool:
    """Lock a file; return False if another process, or another recording, has locked it."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # some network file systems have no locks
        return True
    return True
