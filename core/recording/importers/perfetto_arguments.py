"""What a Perfetto trace notes on its events (DebugAnnotation), packet by packet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from struct import unpack_from

from core.recording.importers.perfetto_fields import (
    MOST_PACKET,
    Fields,
    bytes_of,
    fields_of,
    message_of,
    number_of,
    text_of,
)

Names = dict[tuple[int, int, int], str]
"""Names and texts by the sequence of packets, the field in which they were told, and number."""
_NAMES, _TEXTS = 3, 29
_DEEPEST = 16


def tell_annotations(path: Path) -> Iterator[str]:
    """What is noted on the event of each packet, as JSON; nothing for other packets."""
    names: Names = {}
    try:
        for number, packet in fields_of(bytes_of(path)):
            if number == 1 and isinstance(packet, bytes):
                yield _of_packet(packet, names)
    except (ValueError, IndexError):  # it was cut: it is shown up to here
        return


def _of_packet(packet: bytes, names: Names) -> str:
    if len(packet) > MOST_PACKET:
        return ""
    try:
        fields = message_of(packet)
        sequence = number_of(fields, 10) or 0
        for interned in _messages(fields, 12):
            for field in (_NAMES, _TEXTS):
                for name in _messages(interned, field):
                    names[sequence, field, number_of(name, 1) or 0] = text_of(name, 2)
        notes = [note for event in _messages(fields, 11) for note in _messages(event, 4)]
        return json.dumps(_named(notes, names, sequence, 0)) if notes else ""
    except (ValueError, IndexError):
        return ""


def _named(notes: list[Fields], names: Names, sequence: int, depth: int) -> dict[str, object]:
    found: dict[str, object] = {}
    for note in notes:
        known = names.get((sequence, _NAMES, number_of(note, 1) or 0), "")
        found[text_of(note, 10) or known] = _value(note, names, sequence, depth)
    return found


def _value(note: Fields, names: Names, sequence: int, depth: int) -> object:
    # A damaged file may nest them deeper than Python can go.
    inner = _messages(note, 11) if depth < _DEEPEST else []
    several = _messages(note, 12) if depth < _DEEPEST else []
    # DebugAnnotation: 2 truth, 3 uint, 4 int, 5 double, 6 text, 7 pointer, 9 JSON, 11 dictionary,
    # 12 list, 17 number of an interned text.
    whole = next((number_of(note, field) for field in (3, 4, 7) if field in note), None)
    if 2 in note:
        return bool(number_of(note, 2))
    if whole is not None:
        return whole - (1 << 64) if 4 in note and whole >> 63 else whole
    if note.get(5) and isinstance(note[5][-1], bytes):
        return float(unpack_from("<d", note[5][-1].ljust(8, b"\0"))[0])
    if 17 in note:
        return names.get((sequence, _TEXTS, number_of(note, 17) or 0), "")
    if inner:
        return _named(inner, names, sequence, depth + 1)
    if several:
        return [_value(one, names, sequence, depth + 1) for one in several]
    return text_of(note, 6) or text_of(note, 9)


def _messages(fields: Fields, number: int) -> list[Fields]:
    return [message_of(value) for value in fields.get(number, ()) if isinstance(value, bytes)]
