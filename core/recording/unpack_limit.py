"""Refuses an Arrow stream that would unpack to too many bytes, before any of it is unpacked.

No recorder packs its stream, but Arrow unpacks every buffer that is marked as packed: a few
kilobytes may become gigabytes. The metadata of each message says whether its buffers are packed,
and each packed buffer begins with its unpacked length
(https://arrow.apache.org/docs/format/Columnar.html). The metadata is a flatbuffer; Arrow checks
that it is valid before it uses it.
"""

from __future__ import annotations

import struct
from collections.abc import Generator
from dataclasses import dataclass

from core.message import message
from core.recording.limits import TooLarge

CONTINUATION = b"\xff\xff\xff\xff"  # every message of an Arrow IPC stream begins with it
_DICTIONARY = 2
_ROWS = 3
_V5 = 4
_ANY = 1 << 62
_LENGTH = struct.Struct("<q")
_BUFFER = struct.Struct("<qq")


class UnpackLimit:
    """Follows a stream piece by piece and limits how many bytes it unpacks to.

    `most` is the limit for the whole stream in bytes, `most_message` the limit for the size of one
    message as it is stored.
    """

    def __init__(self, most: int, most_message: int = _ANY) -> None:
        self._most = most
        self._most_message = most_message
        self._unpacked = 0
        self._kept = bytearray()
        self._parts = self._messages()
        self._wanted = next(self._parts)

    def take(self, piece: bytes) -> None:
        """Follow the next piece, of any size. Raises TooLarge, or OSError for an invalid stream."""
        rest = memoryview(piece)
        while len(rest) and self._wanted:
            count = min(len(rest), abs(self._wanted) - len(self._kept))
            # A part that is wanted is kept until it is complete. Other parts (bodies that are not
            # packed) are only counted, because they may be large.
            if self._wanted > 0:
                self._kept += rest[:count]
                is_complete = len(self._kept) == self._wanted
            else:
                self._wanted += count
                is_complete = not self._wanted
            rest = rest[count:]
            if is_complete:
                part = bytes(self._kept)
                self._kept = bytearray()
                self._wanted = self._next(part)

    def _next(self, part: bytes) -> int:
        """Return the size of the part after this one; 0 at the end of the stream."""
        try:
            return self._parts.send(part)
        except StopIteration:
            return 0
        except struct.error as error:
            raise OSError(message("the metadata of a message is invalid")) from error

    def _messages(self) -> Generator[int, bytes, None]:
        """Yield the size of each part of the stream, and receive the part.

        A negative size means that the part is to be skipped.
        """
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
        """Add the unpacked size of a message. Raises TooLarge if the sum exceeds the limit."""
        for begin, size in rows.buffers(2):
            # The first eight bytes of a packed buffer are its unpacked length; -1 means that this
            # buffer is not packed.
            self._unpacked += max(0, _LENGTH.unpack_from(body, begin)[0]) if size else 0
        if self._unpacked > self._most:
            raise TooLarge(
                message(
                    "it would unpack to {unpacked:,} bytes or more: at most {most:,} are accepted",
                    unpacked=self._unpacked,
                    most=self._most,
                )
            )

    def _check_message(self, size: int) -> None:
        """Raise OSError for a negative size, TooLarge for one above the limit."""
        if size < 0:
            raise OSError(message("a message has a negative size"))
        if size > self._most_message:
            raise TooLarge(
                message(
                    "a message has {size:,} bytes: at most {most:,} are accepted",
                    size=size,
                    most=self._most_message,
                )
            )


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of a flatbuffer, at an offset of its data."""

    data: bytes
    at: int

    def place(self, field: int) -> int:
        """Return the offset of a field; 0 if the field is absent."""
        # A table begins with the distance back to its vtable. The vtable has its own size, the size
        # of the table, and for each field the distance from the begin of the table, 0 for an absent
        # field (https://flatbuffers.dev/internals).
        (back,) = struct.unpack_from("<i", self.data, self.at)
        fields = self.at - back
        slot = 4 + 2 * field
        (size,) = struct.unpack_from("<H", self.data, fields)
        if slot >= size:
            return 0
        (offset,) = struct.unpack_from("<H", self.data, fields + slot)
        if not offset:
            return 0
        return self.at + int(offset)

    def number(self, field: int, form: str) -> int:
        """Return a number; 0 if it is absent."""
        at = self.place(field)
        if not at:
            return 0
        return int(struct.unpack_from(form, self.data, at)[0])

    def table(self, field: int) -> _Table:
        """Return a nested table."""
        at = self.place(field)
        return _Table(self.data, at + self.number(field, "<I"))

    def buffers(self, field: int) -> list[tuple[int, int]]:
        """Return the offset and size of each buffer of a list."""
        at = self.table(field).at
        (count,) = struct.unpack_from("<I", self.data, at)
        end = at + 4 + count * _BUFFER.size
        return list(_BUFFER.iter_unpack(self.data[at + 4 : end]))


def _packed_rows(message: _Table) -> _Table | None:
    """Return the metadata of a message's rows; None if they are not packed."""
    kind = message.number(1, "<B")
    rows = message.table(2)
    if kind == _DICTIONARY:
        rows = rows.table(1)
    elif kind != _ROWS:
        return None
    # Before version 5, the custom metadata of a message may say so instead, as in Arrow 0.17.
    is_packed_in_metadata = message.number(0, "<h") < _V5 and message.place(4)
    return rows if rows.place(3) or is_packed_in_metadata else None


def _root(data: bytes) -> _Table:
    return _Table(data, *struct.unpack_from("<I", data))
