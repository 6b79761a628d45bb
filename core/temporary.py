"""Temporary files and folders next to their target, and removal of abandoned ones.

The process that writes a temporary file holds a lock on it (`flock`), which the system releases
when the process ends, even if it is killed. So a file whose lock is free has been abandoned, on
this machine or on another machine that shares the folder. Where the file system has no locks,
nothing is removed.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_NAME = re.compile(r"\.bubblescope-[0-9a-f]{16}\.part")
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW


@contextmanager
def temporary_file(folder: Path) -> Iterator[Path]:
    """Yield a new, empty file in a folder; delete it at the end if it still has its name."""
    remove_abandoned(folder)
    place, handle = _make(folder, is_folder=False)
    try:
        yield place
    finally:
        place.unlink(missing_ok=True)
        os.close(handle)


@contextmanager
def temporary_folder(folder: Path) -> Iterator[Path]:
    """Yield a new folder in a folder; delete it at the end if it still has its name."""
    remove_abandoned(folder)
    place, handle = _make(folder, is_folder=True)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        os.close(handle)


def remove_abandoned(folder: Path) -> None:
    """Delete this user's temporary files and folders that no process writes any more."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name):
                _remove_if_abandoned(Path(entry.path))


def _remove_if_abandoned(place: Path) -> None:
    with suppress(OSError):
        handle = os.open(place, _READ)
        try:
            found = os.fstat(handle)
            is_ours = found.st_uid == os.geteuid()
            if is_ours and stat.S_ISREG(found.st_mode):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                place.unlink()
            elif is_ours and stat.S_ISDIR(found.st_mode):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(place)
        finally:
            os.close(handle)


def _make(folder: Path, is_folder: bool) -> tuple[Path, int]:
    """Create and lock a file or folder; return its path and the descriptor that holds the lock."""
    while True:
        place = folder / f".bubblescope-{os.urandom(8).hex()}.part"
        if is_folder:
            place.mkdir()
            handle = os.open(place, _READ)
        else:
            # 0o666 minus the umask, as usual; `tempfile` would make it readable by its owner only.
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            handle = os.open(place, flags, 0o666)
        if _is_locked(handle):
            return place, handle
        os.close(handle)


def _is_locked(handle: int) -> bool:
    """Lock a new file; return False if another process has already taken it for abandoned."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # the file system has no locks
        return True
    return os.fstat(handle).st_nlink > 0
