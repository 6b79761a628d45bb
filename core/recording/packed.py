"""Refuses an Arrow stream that would unpack to too much, before anything of it is unpacked.

No recorder packs what it writes, but Arrow unpacks whatever says that it is packed: some kilobytes
may become gigabytes. Each message says whether its buffers are packed, and each of these begins
with its length when unpacked (https://arrow.apache.org/docs/format/Columnar.html). What a message
says of itself is a flatbuffer; Arrow checks that it is a sound one before it believes it.
"""

from __future__ import annotations

import struct
from collections.abc import Generator
from dataclasses import dataclass

CONTINUATION = b"\xff\xff\xff\xff"  # every message of an Arrow IPC stream begins with it
_DICTIONARY, _ROWS, _V5 = 2, 3, 4
_ANY = 1 << 62
_LENGTH, _BUFFER = struct.Struct("<q"), struct.Struct("<qq")


class TooLarge(ValueError):
    """A stream is refused for its size; the message says how much is too much."""


class Packed:
    """Follows a stream that it is given piece by piece, each of any size.

    So many bytes may be unpacked from the whole of it, and a message may have so many if given.
    """

    def __init__(self, most: int, most_message: int = _ANY) -> None:
        self._most, self._most_message, self._unpacked = most, most_message, 0
        self._kept = bytearray()
        self._parts = self._messages()
        self._wanted = next(self._parts)

    def take(self, piece: bytes) -> None:
        """The next piece. Raises TooLarge, or OSError if it is no stream that can be followed."""
        rest = memoryview(piece)
        while len(rest) and self._wanted:
            count = min(len(rest), abs(self._wanted) - len(self._kept))
            # Wanted bytes are kept until they are all there; unwanted ones (bodies that are not
            # packed) are only counted off, however large.
            if self._wanted > 0:
                self._kept += rest[:count]
                is_whole = len(self._kept) == self._wanted
            else:
                self._wanted += count
                is_whole = not self._wanted
            rest = rest[count:]
            if is_whole:
                part, self._kept = bytes(self._kept), bytearray()
                self._wanted = self._next(part)

    def _next(self, part: bytes) -> int:
        try:
            return self._parts.send(part)
        except StopIteration:
            return 0
        except struct.error as error:
            raise OSError("a message says of itself what makes no sense") from error

    def _messages(self) -> Generator[int, bytes, None]:
        """Asks for so many bytes; where the number is negative, for nothing but to pass them."""
        while True:
            length = yield 4
            # Arrow before 0.15 wrote no continuation marker in front of the length.
            if length == CONTINUATION:
                length = yield 4
            size = int.from_bytes(length, "little", signed=True)
            if not size:
                return
            self._check_message(size)
            message = _root((yield size))
            size = message.number(3, "<q")
            self._check_message(size)
            rows = _packed_rows(message)
            if size and rows is None:
                yield -size
            elif size and rows is not None:
                self._count(rows, (yield size))

    def _count(self, rows: _Table, body: bytes) -> None:
        """Count what a message unpacks to."""
        for begin, size in rows.buffers(2):
            # The first eight bytes of a packed buffer are its length when unpacked; -1 says that it
            # is not packed after all.
            self._unpacked += max(0, _LENGTH.unpack_from(body, begin)[0]) if size else 0
        if self._unpacked > self._most:
            raise TooLarge(
                f"it would unpack to {self._unpacked:,} bytes or more: {self._most:,} are taken"
            )

    def _check_message(self, size: int) -> None:
        if size < 0:
            raise OSError("a message has less than no bytes")
        if size > self._most_message:
            raise TooLarge(f"a message has {size:,} bytes: {self._most_message:,} are taken")


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of a flatbuffer, at a place of its data."""

    data: bytes
    at: int

    def place(self, field: int) -> int:
        """Where a field is; 0 if it is not there."""
        # A table begins with the distance back to its vtable: there stand its own size, the
        # table's, and for each field the distance from the table's begin, 0 where it is left out
        # (https://flatbuffers.dev/internals).
        (back,) = struct.unpack_from("<i", self.data, self.at)
        fields, slot = self.at - back, 4 + 2 * field
        (size,) = struct.unpack_from("<H", self.data, fields)
        (offset,) = struct.unpack_from("<H", self.data, fields + slot) if slot < size else (0,)
        return self.at + offset if offset else 0

    def number(self, field: int, form: str) -> int:
        """A number; 0 if it is not there."""
        at = self.place(field)
        return int(struct.unpack_from(form, self.data, at)[0]) if at else 0

    def table(self, field: int) -> _Table:
        """A table in this one."""
        at = self.place(field)
        return _Table(self.data, at + self.number(field, "<I"))

    def buffers(self, field: int) -> list[tuple[int, int]]:
        """The begin and the size of each buffer of a list."""
        at = self.table(field).at
        (count,) = struct.unpack_from("<I", self.data, at)
        end = at + 4 + count * _BUFFER.size
        return list(_BUFFER.iter_unpack(self.data[at + 4 : end]))


def _packed_rows(message: _Table) -> _Table | None:
    """What a message says of its rows if they are packed."""
    kind, rows = message.number(1, "<B"), message.table(2)
    if kind == _DICTIONARY:
        rows = rows.table(1)
    elif kind != _ROWS:
        return None
    # Before version 5 what is written beside a message may say so, as Arrow 0.17 did.
    says_beside = message.number(0, "<h") < _V5 and message.place(4)
    return rows if rows.place(3) or says_beside else None


def _root(data: bytes) -> _Table:
    return _Table(data, *struct.unpack_from("<I", data))
