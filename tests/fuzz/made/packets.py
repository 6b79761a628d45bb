"""Perfetto's traces with fields that are missing, of other types, repeated, or of wrong length."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, replace
from random import Random

from tests.fuzz.bombs import File

NUMBERS = (0, 1, 2, 3, 4, 5, 127, 128, 2**31, 2**32 - 1, 2**61, 2**61 - 1, 2**63, 2**64 - 1)
FIELDS = (
    1,
    2,
    3,
    4,
    5,
    6,
    8,
    9,
    10,
    11,
    12,
    14,
    22,
    23,
    30,
    36,
    42,
    58,
    44,
    47,
    48,
    59,
    60,
    127,
    2**29 - 1,
)
_TIME, _EVENT, _TRACK, _KIND = 8, 11, 11, 9


@dataclass(frozen=True)
class Field:
    """A field of a message: its number, its wire type and a number, bytes, or further fields."""

    number: int
    wire: int
    value: int | bytes | tuple[Field, ...]


Message = tuple[Field, ...]


def parsed(data: bytes) -> Message | None:
    """The fields of a message; None if it is none."""
    fields, at = [], 0
    try:
        while at < len(data):
            key, at = _read(data, at)
            wire = key & 7
            value: int | bytes | Message
            if wire == 0:
                value, at = _read(data, at)
            elif wire in (1, 5):
                width = 8 if wire == 1 else 4
                value, at = data[at : at + width], at + width
            elif wire == 2:
                length, at = _read(data, at)
                inner, at = data[at : at + length], at + length
                if len(inner) < length:
                    return None
                # What could be a message is taken for one: some texts, too.
                value = (len(inner) > 1 and parsed(inner)) or inner
            else:
                return None
            if not key >> 3:
                return None
            fields.append(Field(key >> 3, wire, value))
    except IndexError:
        return None
    return tuple(fields)


def written(message: Message, random: Random, wrong: float = 0.0) -> bytes:
    """The message as bytes; a share of the lengths is `wrong`."""
    made = []
    for field in message:
        made.append(_varint(field.number << 3 | field.wire))
        value = field.value
        if isinstance(value, int):
            made.append(_varint(value))
            continue
        inner = value if isinstance(value, bytes) else written(value, random, wrong)
        if field.wire == 2:
            length = len(inner)
            if random.random() < wrong:
                length = random.choice((0, length + 1, max(0, length - 1), 2**31, 2**63))
            made.append(_varint(length))
        made.append(inner)
    return b"".join(made)


def made_trace(valid: bytes, random: Random) -> File:
    """Return a trace that is changed in one to three places."""
    message = parsed(valid)
    assert message is not None
    for _ in range(random.choice((1, 1, 2, 3, 10))):
        message = _changed(message, random)
    if random.random() < 0.2:
        message = (*message, *_packets(random))
    if random.random() < 0.1:
        message = tuple(sorted(message, key=lambda _: random.random()))
    data = written(message, random, random.choice((0.0, 0.0, 0.0, 0.02)))
    way = random.randrange(10)
    if way == 0:
        data = data[: random.randrange(len(data) + 1)]
    if way == 1:
        data = data + random.choice((b"\x0b", b"\x0a", b"\x0a\xff", b"\xff" * 11, bytes(100)))
    return ".pftrace", gzip.compress(data, mtime=0) if random.random() < 0.2 else data


def _packets(random: Random) -> Message:
    """Packets with events of any kind, track, time and name."""
    return tuple(
        Field(
            1,
            2,
            (
                Field(_TIME, 0, random.choice((*NUMBERS, 1000 * n))),
                Field(10, 0, random.choice((0, 1, 2**64 - 1))),
                Field(
                    _EVENT,
                    2,
                    (
                        Field(_KIND, 0, random.choice((0, 1, 2, 3, 4, 5))),
                        Field(_TRACK, 0, random.choice((0, 1, 2, 3, 4, 2**64 - 1))),
                        Field(23, 2, random.choice((b"", b"step 1", b"\xff", b"x" * 5000))),
                        Field(random.choice((36, 42)), 0, random.choice((1, 2))),
                        Field(random.choice((47, 48)), 1, bytes([random.choice((1, 9))] * 8)),
                    ),
                ),
            ),
        )
        for n in range(random.choice((1, 30, 3000)))
    )


def _changed(message: Message, random: Random) -> Message:
    """The message with one field, here or within another, changed."""
    if not message:
        return (Field(random.choice(FIELDS), 0, random.choice(NUMBERS)),)
    at = random.randrange(len(message))
    field = message[at]
    if isinstance(field.value, tuple) and random.random() < 0.75:
        return (
            *message[:at],
            replace(field, value=_changed(field.value, random)),
            *message[at + 1 :],
        )
    return (*message[:at], *_in_place_of(field, random), *message[at + 1 :])


def _in_place_of(field: Field, random: Random) -> Message:
    way = random.randrange(10)
    if way == 0:
        return ()
    if way == 1:
        return (field,) * random.choice((2, 3, 300))
    if way == 2:
        return (replace(field, number=random.choice(FIELDS)),)
    if way == 3:
        return (Field(field.number, 0, random.choice(NUMBERS)),)
    if way == 4:
        return (Field(field.number, random.choice((1, 5)), random.randbytes(8)),)
    if way == 5:
        return (Field(field.number, 2, random.randbytes(random.choice((0, 1, 20, 5000)))),)
    if way == 6:
        return (Field(field.number, random.choice((3, 4, 6, 7)), b""),)
    if way == 7:  # within itself, so often
        for _ in range(random.choice((1, 5, 100))):
            field = Field(field.number, 2, (field,))
        return (field,)
    if way == 8:
        return (field, Field(random.choice(FIELDS), 0, random.choice(NUMBERS)))
    return (replace(field, value=random.choice(NUMBERS), wire=0),)


def _read(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _varint(value: int) -> bytes:
    made = b""
    while value > 127:
        made += bytes([value & 127 | 128])
        value >>= 7
    return made + bytes([value])
