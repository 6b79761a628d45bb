"""The text of a trace in JSON, unpacked and cut into pieces that are decoded one by one."""

from __future__ import annotations

import codecs
import gzip
import os
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

import numpy as np

from core.recording.limits import TooLarge, TooMuch, most_unpacked
from core.recording.sniff import GZIP

MOST_REPAIRS = 16  # ends that are tried for a file that was cut
MOST_BEFORE = 1 << 16  # bytes in which the list of events has to begin
MOST_EVENT = 1 << 26  # bytes of one event
PIECE = 1 << 20  # bytes that are decoded at a time: what is made of them stays in the caches
LOOKED_AT = 4  # pieces that are searched through for the end of one
_BORDER = re.compile(rb"\}\s*,\s*\{")


def opening_of(key: bytes) -> re.Pattern[bytes]:
    """Return what a file begins with: a list, or an object that has one under `key`."""
    return re.compile(
        rb'\s*(?:\[|\{(?:.{0,%d}?,)?\s*"%s"\s*:\s*\[)' % (MOST_BEFORE, key), re.DOTALL
    )


_EVENTS = opening_of(b"traceEvents")


class Piece(NamedTuple):
    """A part of a file's list of values, which is a list itself.

    The last one is the list with all around it; its first value is at `begin`, and perhaps there
    was no piece before it.
    """

    text: bytes
    is_last: bool = False
    begin: int = 1
    is_only: bool = False

    def tries(self) -> Iterator[bytes]:
        """Yield the text; of the last piece also with an end, which files that were cut lack.

        The end is put after one of the last values that are whole.
        """
        yield self.text
        if not self.is_last:
            return
        end = b"]" if self.text.lstrip()[:1] == b"[" else b"]}"
        at = len(self.text)
        for _ in range(MOST_REPAIRS):
            at = self.text.rfind(b"}", self.begin, at)
            if at < 0:
                break
            yield self.text[: at + 1] + end
        if not self.is_only:  # it was cut within the first value of this piece
            yield self.text[: self.begin] + end


def reader(file: BinaryIO) -> Callable[[int], bytes]:
    """Return what reads a file, packed or not, so many bytes at a time; nothing at its end.

    It raises TooLarge, before it returns the bytes, if the file unpacks to too much.
    """
    if file.read(len(GZIP)) != GZIP:
        file.seek(0)
        return file.read
    file.seek(0)
    size = os.fstat(file.fileno()).st_size
    left = most = most_unpacked(size)
    packed = gzip.GzipFile(fileobj=file)

    def unpack(count: int) -> bytes:
        nonlocal left
        parts = []
        try:
            # `read` would lose what it has when the end of the packed data is missing.
            while count > 0 and (part := packed.read1(count)):
                parts.append(part)
                count -= len(part)
                left -= len(part)
                if left < 0:
                    raise TooLarge(
                        f"it has {size:,} bytes and unpacks to more than {most:,}, the most that "
                        "is read of a packed file of that size"
                    )
        except EOFError:
            pass  # it was cut; its last event is missing anyhow
        return b"".join(parts)

    return unpack


def pieces(
    read: Callable[[int], bytes],
    is_careful: bool = False,
    opening: re.Pattern[bytes] = _EVENTS,
) -> Iterator[Piece]:
    """Yield a file's list of events in pieces that are lists; the last with all around them.

    Decoding holds up the other threads of the process, a window among them, for as long as a piece
    takes. A piece ends between two objects. Whether these are events, and not texts or arguments
    within one, decoding will show: a piece that is cut elsewhere is no JSON. A careful reader looks
    at quotes and brackets instead, which takes longer and is right for every whole file.
    """
    data = read(max(PIECE, MOST_BEFORE)).removeprefix(codecs.BOM_UTF8)
    beginning = opening.match(data)
    if beginning is None:
        raise ValueError("it has no list of events")
    begin, is_only = beginning.end(), True
    while True:
        border = None if is_careful else _between_objects(data, begin)
        # Values that are no objects, or one that is very long: no piece may have too many.
        if border is None and (is_careful or len(data) - begin > LOOKED_AT * PIECE):
            border = _between_values(data, begin)
        if border is not None:
            end, following = border
            # Through a view the piece is copied once, not twice.
            yield Piece(b"".join((b"[", memoryview(data)[begin:end], b"]")))
            begin, is_only = following, False
        elif len(data) - begin > MOST_EVENT:
            raise TooMuch(f"an event has more than {MOST_EVENT:,} bytes")
        elif more := read(max(2 * PIECE, len(data) - begin)):
            # Twice as much each time, or a large event would be searched through again and again.
            data, begin = data[begin:] + more, 0
        else:
            yield Piece(beginning[0] + data[begin:], True, beginning.end(), is_only)
            return


def _between_objects(data: bytes, begin: int) -> tuple[int, int] | None:
    """Return the end of a piece and the begin of the next one, between what looks like objects."""
    # Not further: where there are few borders each search would go through all there is.
    border = _BORDER.search(data, begin + PIECE, begin + LOOKED_AT * PIECE)
    # The next one begins at the brace that opens its first object.
    return None if border is None else (border.start() + 1, border.end() - 1)


def _between_values(data: bytes, begin: int) -> tuple[int, int] | None:
    """Return the same between two values of the list that `begin` is in, whatever they are."""
    count = LOOKED_AT * PIECE
    comma = _comma(data[begin : begin + count])
    while comma is None and begin + count < len(data):
        count *= 2
        comma = _comma(data[begin : begin + count])
    return None if comma is None else (begin + comma, begin + comma + 1)


def _comma(text: bytes) -> int | None:
    """Return where the first comma is behind a piece that is in no text, list or object."""
    # The same length, so that places stay the same: an escaped quote ends no text.
    text = text.replace(b"\\\\", b"__").replace(b'\\"', b"__")
    codes = np.frombuffer(text, np.uint8)
    # As uint8 the sum wraps at 256, which leaves it odd or even.
    outside = np.cumsum(codes == ord('"'), dtype=np.uint8) & 1 == 0
    folded = codes | 0x20  # braces and brackets differ in this bit
    step = (folded == ord("{")).astype(np.int8) - (folded == ord("}"))
    depth = np.cumsum(step * outside, dtype=np.int32)
    # Behind the list's own end, where the depth is negative, are no values of it.
    length = int(np.argmax(depth < 0)) if len(depth) and depth.min() < 0 else len(depth)
    is_comma = (codes[PIECE:length] == ord(",")) & (depth[PIECE:length] == 0)
    commas = np.flatnonzero(is_comma & outside[PIECE:length])
    return PIECE + int(commas[0]) if len(commas) else None
