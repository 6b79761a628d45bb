"""The text of a trace in JSON, unpacked and cut into pieces that are decoded one by one."""

from __future__ import annotations

import codecs
import gzip
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from core.errors import RecordingError
from core.reading import open_regular
from core.recording.sniff import GZIP

MOST_REPAIRS = 16  # ends that are tried for a file that was cut
MOST_BEFORE = 1 << 16  # bytes in which the list of events has to begin
MOST_WHOLE = 1 << 30  # bytes of a file that is damaged, and so is decoded in one piece
MOST_EVENT = 1 << 26  # bytes of one event
PIECE = 1 << 20  # bytes that are decoded at a time: what is made of them stays in the caches
_OPENING = re.compile(rb'\s*(?:\[|\{(?:.{0,65536}?,)?\s*"traceEvents"\s*:\s*\[)', re.DOTALL)
_BORDER = re.compile(rb"\}\s*,\s*\{")


def repaired(path: Path) -> Iterator[bytes]:
    """All of a damaged file as it is, then with the end that it may lack."""
    with open_regular(path) as file:
        pieces = iter(partial(reader(file), PIECE), b"")
        data = b"".join(islice(pieces, MOST_WHOLE // PIECE)).removeprefix(codecs.BOM_UTF8)
    # No more than MOST_WHOLE was read, so a file that fills the last piece may go on.
    if len(data) > MOST_WHOLE - PIECE:
        raise RecordingError(
            f"{refusal(path)}: it is damaged, and larger than {MOST_WHOLE:,} bytes"
        )
    yield data
    yield from _ends(data, b"]" if data.lstrip()[:1] == b"[" else b"]}")


def refusal(path: Path | str) -> str:
    """How a refusal of a file begins."""
    return f"{path} cannot be read as a trace in Chrome's format"


def reader(file: BinaryIO) -> Callable[[int], bytes]:
    """Reads a file, packed or not, so many bytes at a time; nothing at its end."""
    if file.read(len(GZIP)) != GZIP:
        file.seek(0)
        return file.read
    file.seek(0)
    packed = gzip.GzipFile(fileobj=file)

    def unpack(count: int) -> bytes:
        parts = []
        try:
            # `read` would lose what it has when the end of the packed data is missing.
            while count > 0 and (part := packed.read1(count)):
                parts.append(part)
                count -= len(part)
        except EOFError:
            pass  # it was cut; its last event is missing anyhow
        return b"".join(parts)

    return unpack


def pieces(read: Callable[[int], bytes], name: str) -> Iterator[tuple[bytes, bool]]:
    """The list of events in pieces that are lists themselves; the last with all around them.

    Decoding holds up the other threads of the process, a window among them, for as long as a piece
    takes. A piece ends between two objects; whether these are events, decoding will tell.
    """
    data = read(max(PIECE, MOST_BEFORE)).removeprefix(codecs.BOM_UTF8)
    opening = _OPENING.match(data)
    if opening is None:
        raise RecordingError(f"{refusal(name)}: it has no list of events")
    begin = opening.end()
    while True:
        border = _BORDER.search(data, begin + PIECE)
        if border is not None:
            # Through a view the piece is copied once, not twice.
            yield b"".join((b"[", memoryview(data)[begin : border.start() + 1], b"]")), False
            # At the brace that opens the next object.
            begin = border.end() - 1
        elif len(data) - begin > MOST_EVENT:
            raise RecordingError(f"{refusal(name)}: an event has more than {MOST_EVENT:,} bytes")
        elif more := read(max(2 * PIECE, len(data) - begin)):
            # Twice as much each time, or a large event would be searched through again and again.
            data, begin = data[begin:] + more, 0
        else:
            yield opening[0] + data[begin:], True
            return


def _ends(data: bytes, end: bytes) -> Iterator[bytes]:
    """The data with the end that it lacks, after one of the last events that are whole."""
    at = len(data)
    for _ in range(MOST_REPAIRS):
        at = data.rfind(b"}", 0, at)
        if at < 0:
            return
        yield data[: at + 1] + end
