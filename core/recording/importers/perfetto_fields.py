"""Decodes the wire format of Perfetto's protobuf, without a protobuf package."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from core.message import message
from core.reading import open_regular
from core.recording.importers.json_pieces import unpacking_reader
from core.recording.index import Progress, report_progress
from core.recording.limits import TooMuch

MOST_TRACE_BYTES = 1 << 30
"""Largest size of an unpacked trace, which is held in memory while it is read."""
MOST_PACKET = 1 << 22
"""Largest packet in bytes that is decoded; larger packets are not track events."""
MOST_FIELD_NUMBER = 128
"""Fields from this number on are not kept, because no importer uses them."""
_READ_BYTES = 1 << 22
Fields = dict[int, list[int | bytes]]
"""Values of the fields of a message, by field number."""


def read_unpacked(path: Path, progress: Progress | None = None) -> bytes:
    """Return all bytes of a file, unpacked. Raises TooMuch if there are too many."""
    parts: list[bytes] = []
    size = 0
    with open_regular(path) as file:
        read = unpacking_reader(file)
        file_size = path.stat().st_size
        while part := read(_READ_BYTES):
            parts.append(part)
            size += len(part)
            report_progress(progress, file.tell(), file_size)
            if size > MOST_TRACE_BYTES:
                raise TooMuch(
                    message(
                        "it has more than {most:,} bytes",
                        most=MOST_TRACE_BYTES,
                    )
                )
    return b"".join(parts)


def fields_of(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield number and value of the fields of a message. Raises ValueError, IndexError if damaged.

    Values of fixed width and of variable length are bytes.
    """
    at = 0
    size = len(data)
    while at < size:
        # Keys and lengths of one byte, which are the most frequent, are read here: a call would
        # take longer.
        key = data[at]
        at += 1
        if key > 127:
            key, at = _varint(data, at - 1)
        number = key >> 3
        wire_type = key & 7
        if wire_type == 0:
            value, at = _varint(data, at)
            yield number, value
        elif wire_type == 2:
            length = data[at]
            at += 1
            if length > 127:
                length, at = _varint(data, at - 1)
            if at + length > size:
                raise ValueError(message("it was cut"))
            yield number, data[at : at + length]
            at += length
        elif wire_type in (1, 5):
            width = 8 if wire_type == 1 else 4
            if at + width > size:
                raise ValueError(message("it was cut"))
            yield number, data[at : at + width]
            at += width
        else:
            raise ValueError(
                message("wire type {wire_type} does not occur in traces", wire_type=wire_type)
            )


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length, and the position after it."""
    value = 0
    shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            # Ten bytes have room for 70 bits.
            return value & (1 << 64) - 1, at
        shift += 7
        if shift > 63:
            raise ValueError(message("a number has more than 64 bits"))


def message_of(data: bytes) -> Fields:
    """Return the fields of a message below MOST_FIELD_NUMBER. Raises as `fields_of` does."""
    fields: Fields = defaultdict(list)
    for number, value in fields_of(data):
        if number < MOST_FIELD_NUMBER:
            fields[number].append(value)
    return fields


def number_of(fields: Fields, number: int) -> int | None:
    """Return the last value of a field as a number, or None; fixed numbers have 64 bits."""
    if not fields.get(number):
        return None
    value = fields[number][-1]
    if isinstance(value, int):
        return value
    return fixed_of(value)


def fixed_of(value: bytes) -> int:
    """Return a number of fixed width."""
    return int.from_bytes(value[:8], "little")


def text_of(fields: Fields, number: int) -> str:
    """Return the last value of a field as text; "" if there is none."""
    value = fields[number][-1] if fields.get(number) else b""
    if not isinstance(value, bytes):
        return ""
    return value.decode("utf-8", "replace")


def inner_of(fields: Fields, number: int) -> Fields:
    """Return the last value of a field as the fields of a message; {} if there is none."""
    value = fields[number][-1] if fields.get(number) else b""
    if not isinstance(value, bytes):
        return {}
    return message_of(value)


def signed(value: int) -> int:
    """Return an int64 from its two's complement."""
    is_negative = value >> 63
    if is_negative:
        return value - (1 << 64)
    return value
