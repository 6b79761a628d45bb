"""Encodes the parts of protobuf's wire format that the exported formats need."""

from __future__ import annotations


def varint(value: int) -> bytes:
    """Encode an integer of up to 64 bits, seven bits in each byte."""
    # Negative integers become their two's complement in 64 bits, as in protobuf's int64.
    value &= (1 << 64) - 1
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def number_field(field: int, value: int) -> bytes:
    """Encode a field that is an integer, a boolean or a member of an enum."""
    # The low three bits of a tag are the wire type: 0 is a varint, 1 has 64 bits, 2 has a length.
    return varint(field << 3) + varint(value)


def fixed64_field(field: int, value: int) -> bytes:
    """Encode a field that is an integer of exactly 64 bits."""
    return varint(field << 3 | 1) + value.to_bytes(8, "little")


def message_field(field: int, *parts: bytes) -> bytes:
    """Encode a field that is a message of the given fields, or bytes."""
    whole = b"".join(parts)
    key = varint(field << 3 | 2)
    return key + varint(len(whole)) + whole


def text_field(field: int, value: str) -> bytes:
    """Encode a field that is a text; characters that UTF-8 cannot encode become question marks."""
    return message_field(field, value.encode("utf-8", "replace"))


def packed_field(field: int, values: list[int]) -> bytes:
    """Encode a repeated field of integers; an empty list has no bytes."""
    # Readers take an absent repeated field as an empty list.
    if not values:
        return b""
    return message_field(field, *map(varint, values))
