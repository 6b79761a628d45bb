"""Detects the format of a file from its first bytes, and finds the files of a run in a folder."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path

from core.message import Message, message
from core.reading import open_regular
from core.recording.formats import Format, format_of_bytes, formats_of_ranks, suffixes_of

GZIP = b"\x1f\x8b"
RANK_FILES = "rank-*.arrow"
"""Names of the recordings of a job's ranks in a folder."""
ASCEND_OUTPUT = "ASCEND_PROFILER_OUTPUT"
"""Name of the folder of a rank in which Ascend's profiler writes its results."""
ASCEND_TRACE = "trace_view.json"
"""Name of the trace among these results; the other files in JSON are tables."""
_ASCEND_RANK = "*_ascend_pt"
"""Names of the folders of ranks."""
_MOST_LEVELS = 8
"""Number of levels of folders in which results of Ascend's profiler are searched."""
_MOST_FOLDERS = 1 << 13
"""Largest number of folders that are searched."""
_LOOKED_AT = 1 << 12


def format_of(path: Path | str) -> Format | None:
    """Return the format of a file, packed or not; None for recordings and unreadable files."""
    return format_of_bytes(_beginning(path))


def _beginning(path: Path | str) -> bytes:
    """Return the first bytes of a file, unpacked; b"" for unreadable files."""
    try:
        with open_regular(path) as file:
            beginning = file.read(_LOOKED_AT)
            if beginning.startswith(GZIP):
                file.seek(0)
                # `read` would raise an error if the packed data was cut.
                beginning = gzip.GzipFile(fileobj=file).read1(_LOOKED_AT)
    except (OSError, EOFError, zlib.error):
        return b""
    return beginning


def is_packed(path: Path | str) -> bool:
    """Return True if a file is packed by gzip, whatever its name; False if it cannot be read."""
    try:
        with open_regular(path) as file:
            return file.read(len(GZIP)) == GZIP
    except OSError:
        return False


def trace_files(folder: Path | str) -> list[Path]:
    """Return the files in a folder, sorted by name, with suffixes of formats of one rank per file.

    If the folder has the results of Ascend's profiler for one rank or for several, their traces are
    returned. If the folder has neither these nor such files, the traces of Ascend's profiler in its
    inner folders are returned (`_inner_traces`).
    """
    folder = Path(folder)
    for pattern in (ASCEND_TRACE, f"{ASCEND_OUTPUT}/{ASCEND_TRACE}"):
        if (folder / pattern).is_file():
            return [folder / pattern]
    inner = f"{_ASCEND_RANK}/{ASCEND_OUTPUT}/{ASCEND_TRACE}"
    of_ranks = sorted(folder.glob(inner))
    if of_ranks:
        return of_ranks
    suffixes = suffixes_of(formats_of_ranks())
    named = sorted(path for path in folder.iterdir() if path.name.lower().endswith(suffixes))
    return named or _inner_traces(folder)


def _inner_traces(folder: Path) -> list[Path]:
    """Return the traces of Ascend's profiler in all folders in a folder, sorted.

    Folders are searched level by level, down to _MOST_LEVELS, and links are not followed. Returns
    [] for more than _MOST_FOLDERS folders: a run without some of its ranks would mislead.
    """
    found: list[Path] = []
    level = [folder]
    searched = 0
    for _ in range(_MOST_LEVELS + 1):
        searched += len(level)
        if searched > _MOST_FOLDERS:
            return []
        inner: list[Path] = []
        for each in level:
            files, folders = _entries(each)
            if ASCEND_TRACE in files:
                found.append(each / ASCEND_TRACE)
            elif ASCEND_OUTPUT in folders:
                # The other folders of a rank have raw data, in thousands of folders.
                inner.append(each / ASCEND_OUTPUT)
            else:
                inner.extend(each / name for name in folders)
        level = inner
    return sorted(found)


def _entries(folder: Path) -> tuple[set[str], set[str]]:
    """Return the names of the files and of the folders in a folder; none if it is unreadable."""
    files: set[str] = set()
    folders: set[str] = set()
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                is_folder = entry.is_dir(follow_symlinks=False)
                (folders if is_folder else files).add(entry.name)
    except OSError:
        return set(), set()
    return files, folders


def searched_text() -> Message:
    """Return why no trace was found in a folder: the names and the places that were searched."""
    return message(
        "no file in it ends in {suffixes} or is called {rank_files}, and no {trace} is in its "
        "folders (searched: {levels} levels, at most {folders:,} folders)",
        suffixes=", ".join(suffixes_of(formats_of_ranks())),
        rank_files=RANK_FILES,
        trace=ASCEND_TRACE,
        levels=_MOST_LEVELS,
        folders=_MOST_FOLDERS,
    )


def rank_files(folder: Path | str) -> list[Path]:
    """Return the recordings of a job's ranks in a folder, rank 0's first."""
    # By length first, so that rank-10 follows rank-9.
    return sorted(Path(folder).glob(RANK_FILES), key=lambda path: (len(path.name), path.name))
