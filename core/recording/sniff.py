"""Recognises the format of a file by its first bytes."""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from enum import Enum, auto
from pathlib import Path

from core.reading import open_regular

GZIP = b"\x1f\x8b"
RANK_FILES = "rank-*.arrow"
"""Names of the recordings of a job's ranks in a folder."""
_SQLITE = b"SQLite format 3\0"
_PACKET = b"\x0a"  # the first field of Perfetto's trace, which is a message
_DUMP = re.compile(rb'"entries"\s*:\s*\[')
_LOOKED_AT = 1 << 12


class Format(Enum):
    """Formats of other programs' files."""

    CHROME = auto()
    FLIGHT_RECORDER = auto()
    NSIGHT = auto()
    PERFETTO = auto()


def format_of(path: Path | str) -> Format | None:
    """Return the format of a file, packed or not; None for recordings and unreadable files."""
    beginning = _beginning(path)
    if beginning.startswith(_SQLITE):
        return Format.NSIGHT
    text = beginning.removeprefix(codecs.BOM_UTF8).lstrip()
    if text[:1] in (b"{", b"["):
        dumped = _DUMP.search(text) is not None and b'"traceEvents"' not in text
        return Format.FLIGHT_RECORDER if dumped else Format.CHROME
    return Format.PERFETTO if beginning[:1] == _PACKET else None


def _beginning(path: Path | str) -> bytes:
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
    """True if a file is packed by gzip, whatever its name; False if it cannot be read."""
    try:
        with open_regular(path) as file:
            return file.read(len(GZIP)) == GZIP
    except OSError:
        return False


def trace_files(folder: Path | str) -> list[Path]:
    """Return the traces of a folder, sorted by name: files named as JSON, packed or not."""
    suffixes = (".json", ".json.gz")
    return sorted(path for path in Path(folder).iterdir() if path.name.lower().endswith(suffixes))


def rank_files(folder: Path | str) -> list[Path]:
    """Return the recordings of a job's ranks in a folder, rank 0's first."""
    # By length first, so that rank-10 follows rank-9.
    return sorted(Path(folder).glob(RANK_FILES), key=lambda path: (len(path.name), path.name))
