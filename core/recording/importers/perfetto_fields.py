"""Perfetto's protobuf as fields: messages, numbers and texts, read without its own classes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from core.reading import open_regular
from core.recording.importers.json_pieces import reader
from core.recording.index import Progress, report_progress
from core.recording.limits import TooMuch

MOST_BYTES = 1 << 30
"""Of a trace, unpacked: it is held in memory while it is read."""
MOST_PACKET = 1 << 22
"""Bytes of a packet; larger ones, which are no track event's, are passed over."""
MOST_NUMBER = 128
"""Fields of larger numbers are not kept: none that is read has one."""
_PIECE = 1 << 22
Fields = dict[int, list[int | bytes]]


def bytes_of(path: Path, progress: Progress | None = None) -> bytes:
    """All of a trace, unpacked. Raises ValueError if it is too large."""
    parts, size = [], 0
    with open_regular(path) as file:
        read, whole = reader(file), path.stat().st_size
        while part := read(_PIECE):
            parts.append(part)
            size += len(part)
            report_progress(progress, file.tell(), whole)
            if size > MOST_BYTES:
                raise TooMuch(f"it has more than {MOST_BYTES:,} bytes")
    return b"".join(parts)


def fields_of(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message, by number. Raises ValueError, IndexError where it is damaged."""
    at, size = 0, len(data)
    while at < size:
        # Keys and lengths of one byte, which most are, are read here: a call takes longer.
        key = data[at]
        at += 1
        if key > 127:
            key, at = _varint(data, at - 1)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = _varint(data, at)
            yield number, value
        elif wire == 2:
            length = data[at]
            at += 1
            if length > 127:
                length, at = _varint(data, at - 1)
            if at + length > size:
                raise ValueError("it was cut")
            yield number, data[at : at + length]
            at += length
        elif wire in (1, 5):
            width = 8 if wire == 1 else 4
            if at + width > size:
                raise ValueError("it was cut")
            yield number, data[at : at + width]
            at += width
        else:
            raise ValueError(f"wire type {wire} is none of a trace")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            # Ten bytes have room for 70 bits.
            return value & (1 << 64) - 1, at
        shift += 7
        if shift > 63:
            raise ValueError("a number has more than 64 bits")


def message_of(data: bytes) -> Fields:
    """All fields of a message, up to MOST_NUMBER. Raises as `fields_of` does."""
    found: Fields = defaultdict(list)
    for number, value in fields_of(data):
        if number < MOST_NUMBER:
            found[number].append(value)
    return found


def number_of(fields: Fields, number: int) -> int | None:
    """The last value of a number; fixed ones have 64 bits."""
    if not fields.get(number):
        return None
    value = fields[number][-1]
    return value if isinstance(value, int) else fixed_of(value)


def fixed_of(value: bytes) -> int:
    """A number of fixed width."""
    return int.from_bytes(value[:8], "little")


def text_of(fields: Fields, number: int) -> str:
    """The last value of a text; empty if there is none."""
    value = fields[number][-1] if fields.get(number) else b""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def inner_of(fields: Fields, number: int) -> Fields:
    """The fields of the last of some messages; none if there is none."""
    value = fields[number][-1] if fields.get(number) else b""
    return message_of(value) if isinstance(value, bytes) else {}
