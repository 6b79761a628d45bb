"""Reads files in Chrome's Trace Event Format: a list of events in JSON, decoded in pieces.

Real files may be packed by gzip, be a list without an object around it, or be cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from core.message import message
from core.reading import open_regular
from core.recording.importers.event_numbers import Scalar, scalar_or_none
from core.recording.importers.json_pieces import Piece, split_events, unpacking_reader
from core.recording.importers.trace_events import (
    NO_ARGUMENTS,
    RECEIVE_CALL,
    SEND_CALL,
    CallEvent,
    ColouredEvent,
    CounterEvent,
    KnownArguments,
    TraceEvent,
    TraceEvents,
    TraceHeading,
)
from core.recording.index import Progress, report_progress
from core.recording.limits import most_events
from core.trace.import_issue import ImportIssue
from core.typed import typed

MOST_UNUSUAL_BYTES = 1 << 23
"""Largest piece in bytes that is decoded to objects of Python, which need ten times the memory."""


class UnusualEvent(msgspec.Struct, gc=False):
    """The fields of a TraceEvent with values of any type."""

    ph: object = ""
    ts: object = None
    dur: object = None
    pid: object = None
    tid: object = None
    name: object = ""
    cat: object = None
    id: object = None
    args: msgspec.Raw = msgspec.Raw(b"")


class RawArguments(msgspec.Struct, gc=False):
    """The arguments of an event, not decoded."""

    args: msgspec.Raw = msgspec.Raw(b"")


_EVENTS_DECODER = msgspec.json.Decoder(list[TraceEvent])
_COLOURED_DECODER = msgspec.json.Decoder(list[ColouredEvent])
_CALLS_DECODER = msgspec.json.Decoder(list[CallEvent])
_COUNTERS_DECODER = msgspec.json.Decoder(list[CounterEvent])
_UNUSUAL_DECODER = msgspec.json.Decoder(list[UnusualEvent])
_RAW_EVENTS_DECODER = msgspec.json.Decoder(list[msgspec.Raw])
_RAW_ARGUMENTS_DECODER = msgspec.json.Decoder(list[RawArguments])
_KNOWN_DECODER = msgspec.json.Decoder(KnownArguments)
_OBJECT_DECODER = msgspec.json.Decoder(dict[str, object])
_HEADING_DECODER = msgspec.json.Decoder(TraceHeading)


def read_events(path: Path, progress: Progress | None = None) -> TraceEvents:
    """Read the events of a file. Raises ValueError, msgspec.MsgspecError."""
    try:
        return _read(path, False, progress)
    except msgspec.DecodeError:  # a piece was cut in the wrong place, or the file is damaged
        return _read(path, True, progress)


def _read(path: Path, is_careful: bool, progress: Progress | None) -> TraceEvents:
    """Read the events of a file. Raises msgspec.DecodeError only if `is_careful` is False."""
    events = TraceEvents(most_events(path))
    size = path.stat().st_size
    events.is_careful = is_careful
    with open_regular(path) as file:
        for piece in split_events(unpacking_reader(file), is_careful):
            if piece.is_last:
                _add_last(events, piece)
            elif is_careful:
                with _naming_damage(events):
                    _add(events, piece.text)
            else:
                _add(events, piece.text)
            report_progress(progress, file.tell(), size)
    return events


def _add_last(events: TraceEvents, piece: Piece) -> None:
    """Add the events and the heading of the last piece, whose end may be missing."""
    with _naming_damage(events):
        candidates = piece.candidates()
        try:
            _add(events, next(candidates), is_whole=True)
        except msgspec.DecodeError:
            for text in candidates:
                with suppress(msgspec.DecodeError):
                    _add(events, text, is_whole=True)
                    events.issues[ImportIssue.CUT] += 1
                    return
            raise


@contextmanager
def _naming_damage(events: TraceEvents) -> Iterator[None]:
    """Turn a DecodeError into a ValueError that says where the file is damaged."""
    try:
        yield
    except msgspec.DecodeError as error:
        # The library's position is relative to the piece.
        why, _, _ = str(error).partition(" (byte")
        raise ValueError(
            message("it is damaged after event {count:,}: {why}", count=events.count, why=why)
        ) from error


def _add(events: TraceEvents, data: bytes, is_whole: bool = False) -> None:
    """Add the events of a list, or of an object with a list. Raises msgspec.DecodeError."""
    if is_whole and _has_heading(data):
        events.heading = _heading(data)
        data = bytes(events.heading.traceEvents)
    try:
        decoded = _EVENTS_DECODER.decode(data)
    except msgspec.ValidationError:
        # Other DecodeErrors are not caught: only this one means valid JSON of an unusual form.
        data, decoded = _unusual_events(data)
    events.add(decoded)
    # Decode a second time only if necessary: few files have colours, counters or inputs of calls.
    if b'"cname"' in data:
        events.add_colours(_COLOURED_DECODER.decode(data))
    if b'"Concrete Inputs"' in data and (
        SEND_CALL.encode() in data or RECEIVE_CALL.encode() in data
    ):
        events.add_called_ranks(_CALLS_DECODER.decode(data))
    if b'"C"' in data:
        _add_counters(events, data)


def _add_counters(events: TraceEvents, data: bytes) -> None:
    """Add the events of a list that are counters."""
    _check_size(data)
    for event in _COUNTERS_DECODER.decode(data):
        if event.ph != "C":
            continue
        if isinstance(event.args, dict):
            events.counted.append(event)
        else:
            events.issues[ImportIssue.NO_TIME] += 1


def decode_arguments(data: bytes, is_whole: bool) -> list[RawArguments]:
    """Return the arguments of the events in a list, or in an object with a list."""
    if is_whole and _has_heading(data):
        data = bytes(_heading(data).traceEvents)
    try:
        return _RAW_ARGUMENTS_DECODER.decode(data)
    except msgspec.ValidationError:
        return _RAW_ARGUMENTS_DECODER.decode(_only_objects(data))


def _unusual_events(data: bytes) -> tuple[bytes, list[TraceEvent]]:
    """Return a list of any values as JSON with only objects, and as events of the usual types."""
    _check_size(data)
    try:
        data = _only_objects(data)
        events = _UNUSUAL_DECODER.decode(data)
        return data, [_usual(event) for event in events]
    except RecursionError as error:
        raise msgspec.DecodeError(message("it is nested too deeply")) from error


def _check_size(data: bytes) -> None:
    if len(data) > MOST_UNUSUAL_BYTES:
        raise ValueError(
            message(
                "an event that counts, or has an unusual form, has more than {most:,} bytes",
                most=MOST_UNUSUAL_BYTES,
            )
        )


def _only_objects(data: bytes) -> bytes:
    """Return the list with empty objects, which are not events of any kind, for other values."""
    objects = []
    for raw in _RAW_EVENTS_DECODER.decode(data):
        text = bytes(raw).strip()
        # Other values are not dropped, because events are identified by their number in the file.
        objects.append(text if text[:1] == b"{" else b"{}")
    return b"[%s]" % b",".join(objects)


def _has_heading(data: bytes) -> bool:
    """Return True if there is an object around the list of events."""
    return data[:64].lstrip()[:1] != b"["


def _heading(data: bytes) -> TraceHeading:
    """Return the parts of a file. Raises msgspec.DecodeError if there is no list of events."""
    return _HEADING_DECODER.decode(data)


def _usual(event: UnusualEvent) -> TraceEvent:
    """Return an event without the values that are neither numbers nor texts."""
    return TraceEvent(
        ph=str(event.ph),
        ts=scalar_or_none(event.ts),
        dur=scalar_or_none(event.dur),
        pid=scalar_or_none(event.pid),
        tid=scalar_or_none(event.tid),
        name=None if event.name is None else str(event.name),
        cat=None if event.cat is None else str(event.cat),
        id=scalar_or_none(event.id),
        args=_known_arguments(event.args) if event.args else None,
    )


def _known_arguments(data: msgspec.Raw) -> KnownArguments:
    """Return the arguments that are numbers or texts, from arguments of any form."""
    try:
        return _KNOWN_DECODER.decode(data)
    except msgspec.DecodeError:
        pass
    try:
        values = _OBJECT_DECODER.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return NO_ARGUMENTS
    kept: dict[str, Scalar] = {}
    for name, value in values.items():
        # True and False are numbers in Python, but not in these arguments.
        kept[name] = None if isinstance(value, bool) else scalar_or_none(value)
    known: KnownArguments = typed(KnownArguments, kept)
    return known
