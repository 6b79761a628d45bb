"""Writes protobuf's wire format by hand: the few forms of fields that our formats need."""

from __future__ import annotations


def varint(value: int) -> bytes:
    """A number of up to 64 bits, seven at a time; a negative one by its complement."""
    # Two's complement in 64 bits, as protobuf's int64 has it; so -1 takes ten bytes.
    value &= (1 << 64) - 1
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)


def number(field: int, value: int) -> bytes:
    """A field that is a number, a truth or a member of an enum."""
    # The low three bits of a tag are the wire type: 0 varint, 1 of 64 bits, 2 with a length.
    return varint(field << 3) + varint(value)


def fixed(field: int, value: int) -> bytes:
    """A field that is a number of 64 bits at its full width."""
    return varint(field << 3 | 1) + value.to_bytes(8, "little")


def message(field: int, *parts: bytes) -> bytes:
    """A field that is a message of these fields, or bytes."""
    whole = b"".join(parts)
    return varint(field << 3 | 2) + varint(len(whole)) + whole


def text(field: int, value: str) -> bytes:
    """A field that is a text; what is no text to others is written as a question mark."""
    return message(field, value.encode("utf-8", "replace"))


def packed(field: int, values: list[int]) -> bytes:
    """A field of several numbers; none where there are none."""
    # A repeated field that is left out is the empty list.
    return message(field, *map(varint, values)) if values else b""
