"""Unpacks the text of a trace in JSON and cuts it into pieces that are decoded one by one."""

from __future__ import annotations

import codecs
import gzip
import os
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

import numpy as np

from core.message import message
from core.recording.limits import TooLarge, TooMuch, most_unpacked
from core.recording.sniff import GZIP

MOST_REPAIRS = 16
"""Number of ends that are tried to complete a file that was cut."""
MOST_BEFORE = 1 << 16
"""Number of bytes at the start of a file within which the list of events has to begin."""
MOST_EVENT = 1 << 26
"""Largest number of bytes of one event."""
PIECE_BYTES = 1 << 20
"""Number of bytes that are decoded at a time, so that the objects stay in caches."""
LOOKED_AT_PIECES = 4
"""Number of bytes searched for the end of a piece, as a multiple of PIECE_BYTES."""
_BORDER = re.compile(rb"\}\s*,\s*\{")


def opening_of(key: bytes) -> re.Pattern[bytes]:
    """Return a pattern for the beginning of a file: a list, or an object with a list at `key`."""
    return re.compile(
        rb'\s*(?:\[|\{(?:.{0,%d}?,)?\s*"%s"\s*:\s*\[)' % (MOST_BEFORE, key), re.DOTALL
    )


_EVENTS = opening_of(b"traceEvents")


class Piece(NamedTuple):
    """A part of a file's list of values, which is a valid list.

    The last piece also has the text around the list. Its first value is at `begin`. `is_only` is
    True for a last piece without a previous one.
    """

    text: bytes
    is_last: bool = False
    begin: int = 1
    is_only: bool = False

    def candidates(self) -> Iterator[bytes]:
        """Yield the text. For the last piece, also yield repaired texts, in case the file was cut.

        They end after one of the last complete values.
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


def unpacking_reader(file: BinaryIO) -> Callable[[int], bytes]:
    """Return a function that reads a number of bytes, unpacked if the file is packed by gzip.

    It returns b"" at the end, and raises TooLarge before the file has unpacked to too many bytes.
    """
    if file.read(len(GZIP)) != GZIP:
        file.seek(0)
        return file.read
    file.seek(0)
    size = os.fstat(file.fileno()).st_size
    most = most_unpacked(size)
    left = most
    packed = gzip.GzipFile(fileobj=file)

    def unpack(count: int) -> bytes:
        nonlocal left
        parts = []
        try:
            # `read` would lose data if the end of the packed data is missing.
            while count > 0 and (part := packed.read1(count)):
                parts.append(part)
                count -= len(part)
                left -= len(part)
                if left < 0:
                    text = message(
                        "it has {size:,} bytes and unpacks to more than {most:,}, the most that is "
                        "read of a packed file of that size",
                        size=size,
                        most=most,
                    )
                    raise TooLarge(text)
        except EOFError:
            pass  # the file was cut; its last event is missing in any case
        return b"".join(parts)

    return unpack


def split_events(
    read: Callable[[int], bytes],
    is_careful: bool = False,
    opening: re.Pattern[bytes] = _EVENTS,
) -> Iterator[Piece]:
    """Yield a file's list of events in pieces that are lists; the last also has the text around it.

    Decoding a piece blocks the other threads of the process, such as the window's. A piece ends
    between two objects. If these are not events, but part of a text or of arguments, the piece is
    not valid JSON and decoding fails. The caller can then start again with `is_careful`, which
    analyses quotes and brackets. This takes longer and is right for every complete file.
    Raises ValueError if the file has no list of events, TooMuch if an event is too long.
    """
    first_count = max(PIECE_BYTES, MOST_BEFORE)
    data = read(first_count)
    data = data.removeprefix(codecs.BOM_UTF8)
    beginning = opening.match(data)
    if beginning is None:
        raise ValueError(message("it has no list of events"))
    begin = beginning.end()
    is_only = True
    while True:
        border = None if is_careful else _border_of_objects(data, begin)
        # Without a border, the values are not objects, or one value is very long. Pieces must not
        # have too many values.
        rest = len(data) - begin
        is_long = rest > LOOKED_AT_PIECES * PIECE_BYTES
        if border is None and (is_careful or is_long):
            border = _border_of_values(data, begin)
        if border is not None:
            end, following = border
            # With a view, the piece is copied once, not twice.
            values = memoryview(data)[begin:end]
            text = b"".join((b"[", values, b"]"))
            yield Piece(text)
            begin = following
            is_only = False
            continue
        if rest > MOST_EVENT:
            raise TooMuch(message("an event has more than {most:,} bytes", most=MOST_EVENT))
        # Double the data each time; otherwise a large event would be searched many times.
        next_count = max(2 * PIECE_BYTES, rest)
        more = read(next_count)
        if not more:
            text = beginning[0] + data[begin:]
            yield Piece(text, is_last=True, begin=beginning.end(), is_only=is_only)
            return
        data = data[begin:] + more
        begin = 0


def _border_of_objects(data: bytes, begin: int) -> tuple[int, int] | None:
    """Return the end of a piece and the begin of the next one, between apparent objects."""
    # Limited, because where borders are rare, each search would go through all of the data.
    least_end = begin + PIECE_BYTES
    most_end = begin + LOOKED_AT_PIECES * PIECE_BYTES
    border = _BORDER.search(data, least_end, most_end)
    if border is None:
        return None
    # The piece includes the closing brace, the next one begins with the opening brace.
    return border.start() + 1, border.end() - 1


def _border_of_values(data: bytes, begin: int) -> tuple[int, int] | None:
    """Return the end of a piece and the begin of the next one, between any values of the list."""
    count = LOOKED_AT_PIECES * PIECE_BYTES
    comma = _comma(data[begin : begin + count])
    while comma is None and begin + count < len(data):
        count *= 2
        comma = _comma(data[begin : begin + count])
    if comma is None:
        return None
    end = begin + comma
    return end, end + 1


def _comma(text: bytes) -> int | None:
    """Return the position of the first comma after PIECE_BYTES that separates values of the list.

    Commas in a text, a nested list or an object do not count.
    """
    # Replace escaped quotes, which do not end a text, by text of the same length.
    text = text.replace(b"\\\\", b"__").replace(b'\\"', b"__")
    codes = np.frombuffer(text, np.uint8)
    # The sum of uint8 wraps at 256, which keeps it odd or even.
    is_quote = codes == ord('"')
    quotes_before = np.cumsum(is_quote, dtype=np.uint8)
    is_outside_text = quotes_before & 1 == 0
    folded = codes | 0x20  # braces and brackets differ only in this bit
    is_begin = folded == ord("{")
    is_end = folded == ord("}")
    change = is_begin.astype(np.int8) - is_end
    change *= is_outside_text
    depth = np.cumsum(change, dtype=np.int32)
    # The depth is negative after the end of the list, so commas there do not count.
    length = len(depth)
    if length and depth.min() < 0:
        is_after_list = depth < 0
        length = int(np.argmax(is_after_list))
    rest = slice(PIECE_BYTES, length)
    is_comma = codes[rest] == ord(",")
    is_comma &= is_outside_text[rest]
    is_comma &= depth[rest] == 0
    commas = np.flatnonzero(is_comma)
    if not len(commas):
        return None
    return PIECE_BYTES + int(commas[0])
