"""Annotations of the events of a Perfetto trace (DebugAnnotation), packet by packet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from struct import unpack_from

from core.recording.importers.perfetto_fields import (
    MOST_PACKET,
    Fields,
    fields_of,
    message_of,
    number_of,
    read_unpacked,
    signed,
    text_of,
)

InternedTexts = dict[tuple[int, int, int], str]
"""Interned names and texts by sequence of packets, field of InternedData, and id."""
_PACKET = 1  # field of Trace
# Fields of TracePacket.
_SEQUENCE_ID = 10
_TRACK_EVENT = 11
_INTERNED_DATA = 12
_ANNOTATIONS = 4  # field of TrackEvent
# Fields of InternedData.
_ANNOTATION_NAMES = 3
_ANNOTATION_TEXTS = 29
# Fields of an interned text.
_INTERNED_ID = 1
_INTERNED_TEXT = 2
# Fields of DebugAnnotation.
_NAME_ID = 1
_BOOL = 2
_UINT = 3
_INT = 4
_DOUBLE = 5
_STRING = 6
_POINTER = 7
_JSON = 9
_NAME = 10
_DICT = 11
_LIST = 12
_STRING_ID = 17
_DEEPEST = 16
"""Deepest nesting of dictionaries and lists: a damaged file may exceed Python's limit."""


def read_annotations(path: Path) -> Iterator[str]:
    """Yield the annotations of each packet's event as JSON; "" for other packets."""
    interned: InternedTexts = {}
    try:
        for number, packet in fields_of(read_unpacked(path)):
            if number == _PACKET and isinstance(packet, bytes):
                yield _annotations_of_packet(packet, interned)
    except (ValueError, IndexError):  # the file was cut: it is shown up to here
        return


def _annotations_of_packet(packet: bytes, interned: InternedTexts) -> str:
    """Return the annotations of a packet's event as JSON, and add its interned texts."""
    if len(packet) > MOST_PACKET:
        return ""
    try:
        fields = message_of(packet)
        sequence = number_of(fields, _SEQUENCE_ID) or 0
        for data in _messages(fields, _INTERNED_DATA):
            _add_interned(data, sequence, interned)
        annotations: list[Fields] = []
        for event in _messages(fields, _TRACK_EVENT):
            annotations += _messages(event, _ANNOTATIONS)
        if not annotations:
            return ""
        return json.dumps(_values_by_name(annotations, interned, sequence, 0))
    except (ValueError, IndexError):
        return ""


def _add_interned(data: Fields, sequence: int, interned: InternedTexts) -> None:
    for field in (_ANNOTATION_NAMES, _ANNOTATION_TEXTS):
        for text in _messages(data, field):
            number = number_of(text, _INTERNED_ID) or 0
            interned[sequence, field, number] = text_of(text, _INTERNED_TEXT)


def _values_by_name(
    annotations: list[Fields], interned: InternedTexts, sequence: int, depth: int
) -> dict[str, object]:
    values: dict[str, object] = {}
    for annotation in annotations:
        name_id = number_of(annotation, _NAME_ID) or 0
        interned_name = interned.get((sequence, _ANNOTATION_NAMES, name_id), "")
        name = text_of(annotation, _NAME) or interned_name
        values[name] = _value(annotation, interned, sequence, depth)
    return values


def _value(annotation: Fields, interned: InternedTexts, sequence: int, depth: int) -> object:
    """Return the value of an annotation, which may be nested."""
    if _BOOL in annotation:
        return bool(number_of(annotation, _BOOL))
    for field in (_UINT, _INT, _POINTER):
        if field in annotation:
            number = number_of(annotation, field)
            if number is not None:
                if _INT not in annotation:
                    return number
                return signed(number)
    if annotation.get(_DOUBLE):
        double = annotation[_DOUBLE][-1]
        if isinstance(double, bytes):
            return float(unpack_from("<d", double.ljust(8, b"\0"))[0])
    if _STRING_ID in annotation:
        text_id = number_of(annotation, _STRING_ID) or 0
        return interned.get((sequence, _ANNOTATION_TEXTS, text_id), "")
    if depth < _DEEPEST:
        members = _messages(annotation, _DICT)
        if members:
            return _values_by_name(members, interned, sequence, depth + 1)
        items = _messages(annotation, _LIST)
        if items:
            return [_value(item, interned, sequence, depth + 1) for item in items]
    return text_of(annotation, _STRING) or text_of(annotation, _JSON)


def _messages(fields: Fields, number: int) -> list[Fields]:
    """Return all values of a field as messages."""
    return [message_of(value) for value in fields.get(number, ()) if isinstance(value, bytes)]
