"""Files in Google's "Trace Event Format": JSON with an event each, read in pieces into columns.

Times are microseconds. Files in the wild are packed by gzip, a bare list, or lack their end; they
write numbers as text and texts as numbers, and begin or end in the middle of an event.
"""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.plan.task import ABSENT
from core.reading import open_regular
from core.recording.importers.found import MOST_LANES
from core.recording.importers.json_pieces import Piece, pieces, reader
from core.recording.importers.words import coded
from core.recording.index import Progress, report_progress
from core.recording.limits import MOST_EVENTS, check_count, most_events
from core.trace.import_issue import ImportIssue
from core.trace.own_colours import OWN_CODES

LATEST = 4e15  # microseconds, until the year 2096: twice as many ns still have 63 bits
MOST_ODD = 1 << 23
"""Bytes of a piece whose values are made objects of Python, which take ten times as much."""
_FLOWS = frozenset("stf")
Number = float | int | str | None


# gc=False, here and below: millions of them, none in a circle, need not be walked through.
class Arguments(msgspec.Struct, gc=False):
    """What is read of an event's arguments; numbers may be texts."""

    name: Number = None
    role: Number = msgspec.field(default=None, name="lane role")
    correlation: Number = None
    group: Number = msgspec.field(default=None, name="Process Group Name")
    collective: Number = msgspec.field(default=None, name="Collective name")
    iteration: Number = None
    microbatch: Number = None
    model_chunk: Number = None
    pp_rank: Number = None


class Event(msgspec.Struct, gc=False):
    """What is read of an event."""

    ph: str = ""
    ts: Number = None
    dur: Number = None
    pid: Number = None
    tid: Number = None
    name: str | None = ""
    cat: str | None = None
    id: Number = None
    args: Arguments | None = None
    # Named by a private character, which no file's own key is.
    place: int = msgspec.field(default=ABSENT, name="\ue000")  # in the file; add() tells it


class OddEvent(msgspec.Struct, gc=False):
    """An event of which something is of another form than that of others."""

    ph: object = ""
    ts: object = None
    dur: object = None
    pid: object = None
    tid: object = None
    name: object = ""
    cat: object = None
    id: object = None
    args: msgspec.Raw = msgspec.Raw(b"")


class Coloured(msgspec.Struct, gc=False):
    """What is read of an event that may have a colour of its own."""

    cname: object = None


class Asked(msgspec.Struct, gc=False):
    """What is read of an event whose arguments are asked for."""

    args: msgspec.Raw = msgspec.Raw(b"")


class Counted(msgspec.Struct, gc=False):
    """What is read of an event that counts."""

    ph: object = ""
    ts: object = None
    pid: object = None
    name: object = ""
    id: object = None
    args: Any = None


class Heading(msgspec.Struct, gc=False):
    """The parts of a file next to its list of events, not decoded; empty where a file has none.

    Each is decoded on its own by the importer that reads it, so that a part of an unusual form
    affects no other.
    """

    traceEvents: msgspec.Raw
    distributedInfo: msgspec.Raw = msgspec.Raw(b"")
    baseTimeNanoseconds: msgspec.Raw = msgspec.Raw(b"")
    deviceProperties: msgspec.Raw = msgspec.Raw(b"")


NO_ARGUMENTS = Arguments()
NUMBERS = ("correlation", "iteration", "microbatch", "model_chunk", "pp_rank")
"""Arguments that are numbers and kept in columns, NaN where an event has none."""
_NUMBER_OF = {name: attrgetter(name) for name in NUMBERS}


class Events:
    """Complete events as columns, a piece for each list that was added; and what else there was.

    At most `most` events of any kind are taken.

    `threads`, `names`, `categories`, `groups` and `collectives` have the numbers by which the
    columns speak of them. `flows` are the ends of arrows, `rest` all other events: names, begins,
    ends, moments.
    """

    def __init__(self, most: int = MOST_EVENTS) -> None:
        self.most = most
        self.columns: dict[str, list[NDArray[Any]]] = {}
        self.threads: dict[tuple[Number, Number], int] = {}
        self.names: dict[str | None, int] = {}
        self.categories: dict[str | None, int] = {}
        self.groups: dict[Number, int] = {}
        self.collectives: dict[Number, int] = {}
        self.rest: list[Event] = []
        self.flows: list[Event] = []
        self.counted: list[Counted] = []
        self.issues: Counts[ImportIssue] = Counts()
        self.heading = Heading(msgspec.Raw(b"[]"))
        self.count = 0
        self.firsts: list[int] = []  # the number of the first event of each piece
        self.painted: dict[int, NDArray[np.int8]] = {}  # by such a number: events' own colours
        self.is_careful = False  # how the pieces were cut

    def add(self, events: Sequence[Event]) -> None:
        """Take events, while the processor's caches still hold them."""
        first, self.count = self.count, self.count + len(events)
        self.firsts.append(first)
        check_count(self.count, self.most)
        complete = [event for event in events if event.ph == "X"]
        if len(complete) < len(events):
            for place, event in enumerate(events, first):
                event.place = place
            other = [event for event in events if event.ph != "X"]
            self.flows += [event for event in other if event.ph in _FLOWS]
            self.rest += [event for event in other if event.ph not in _FLOWS]
            self.take(complete)
        else:
            # The numbers follow each other, so they need not be written into each event.
            self.take(complete, places=np.arange(first, self.count))

    def take(
        self, complete: Sequence[Event], end: NDArray[np.float64] | None = None,
        places: NDArray[np.int64] | None = None,
    ) -> None:  # fmt: skip
        """Take events that have a beginning and a length, or that have an `end`, as complete.

        `places` are their numbers in the file unless each knows its own.
        """
        if places is None:
            places = np.array([event.place for event in complete], np.int64)
        begin = numbers([event.ts for event in complete])
        if end is None:
            length = numbers([event.dur for event in complete])
            # An event that does not say how long it took is shown as a moment.
            length = np.where(np.isnan(length), 0.0, length)
        else:
            with np.errstate(invalid="ignore"):  # of two infinite times, which are not known
                length = end - begin
        # NaN fails every comparison, and so is not known.
        with np.errstate(invalid="ignore"):  # an infinite time and an infinite length have no sum
            known = (np.abs(begin) < LATEST) & (length >= 0) & (begin + length < LATEST)
        if not known.all():
            self.issues[ImportIssue.NO_TIME] += int((~known).sum())
            complete = [event for event, is_known in zip(complete, known, strict=True) if is_known]
            begin, length, places = begin[known], length[known], places[known]
        arguments = [event.args or NO_ARGUMENTS for event in complete]
        new: dict[str, NDArray[Any]] = {
            "begin": begin,
            "length": length,
            "place": places.astype(np.int32),
            "thread": coded([(event.pid, event.tid) for event in complete], self.threads),
            "name": coded([event.name for event in complete], self.names),
            "category": coded([event.cat for event in complete], self.categories),
            "group": coded([args.group for args in arguments], self.groups),
            "collective": coded([args.collective for args in arguments], self.collectives),
        }
        if len(self.threads) > MOST_LANES:
            raise ValueError(f"it has more than {MOST_LANES:,} threads")
        for name, told_of in _NUMBER_OF.items():
            new[name] = _sparse(list(map(told_of, arguments)))
        for name, column in new.items():
            self.columns.setdefault(name, []).append(column)

    def paint(self, colours: Sequence[Coloured]) -> None:
        """Take the own colours of the events that were added last."""
        codes = [OWN_CODES.get(str(one.cname), ABSENT) for one in colours]
        self.painted[self.firsts[-1]] = np.array(codes, np.int8)

    @property
    def colours(self) -> NDArray[np.int8] | None:
        """The own colour of each complete event, as a place in OWN_COLOURS, or ABSENT."""
        if not self.painted:
            return None
        every = np.full(self.count, ABSENT, np.int8)
        for first, codes in self.painted.items():
            every[first : first + len(codes)] = codes
        mine: NDArray[np.int8] = every[np.concatenate(self.columns["place"])]
        return mine

    def whole(self) -> dict[str, NDArray[Any]]:
        """The columns, each in one piece."""
        return {name: np.concatenate(parts) for name, parts in self.columns.items()}


def read_events(path: Path, progress: Progress | None = None) -> Events:
    """The events of a file. Raises ValueError, msgspec.MsgspecError."""
    try:
        return _read(path, False, progress)
    except msgspec.DecodeError:  # it was cut in the wrong place, here or where it was written
        return _read(path, True, progress)


def _read(path: Path, is_careful: bool, progress: Progress | None) -> Events:
    """The events of a file. Raises msgspec.DecodeError, if it is not read carefully."""
    events, size = Events(most_events(path)), path.stat().st_size
    events.is_careful = is_careful
    with open_regular(path) as file:
        for piece in pieces(reader(file), is_careful):
            if piece.is_last:
                _add_last(events, piece)
            elif is_careful:
                with _damaged(events):
                    _add(events, piece.text)
            else:
                _add(events, piece.text)
            report_progress(progress, file.tell(), size)
    return events


def _add_last(events: Events, piece: Piece) -> None:
    """Take the last events, and what is around all of them; the end may be missing."""
    with _damaged(events):
        tries = piece.tries()
        try:
            _add(events, next(tries), whole=True)
        except msgspec.DecodeError:
            for tried in tries:
                with suppress(msgspec.DecodeError):
                    _add(events, tried, whole=True)
                    events.issues[ImportIssue.CUT] += 1
                    return
            raise


@contextmanager
def _damaged(events: Events) -> Iterator[None]:
    """Text that is no JSON is refused, with the place at which it is."""
    try:
        yield
    except msgspec.DecodeError as error:
        # The library counts bytes from the begin of the piece.
        why, _, _ = str(error).partition(" (byte")
        raise ValueError(f"it is damaged after event {events.count:,}: {why}") from error


def _add(events: Events, data: bytes, whole: bool = False) -> None:
    """Take the events of a list, or of an object that holds one. Raises msgspec.DecodeError."""
    if whole and _has_more(data):
        events.heading = _heading(data)
        data = bytes(events.heading.traceEvents)
    try:
        found = msgspec.json.decode(data, type=list[Event])
    except msgspec.ValidationError:
        # Not every DecodeError, of which it is one: this is JSON, but not of the usual form.
        data, found = _odd_events(data)
    events.add(found)
    # Decoded a second time only where it is worth it: few files have colours of their own.
    if b'"cname"' in data:
        events.paint(msgspec.json.decode(data, type=list[Coloured]))
    if b'"C"' in data:
        _check_odd(data)
        every = msgspec.json.decode(data, type=list[Counted])
        counted = [one for one in every if one.ph == "C"]
        events.counted += [one for one in counted if isinstance(one.args, dict)]
        events.issues[ImportIssue.NO_TIME] += sum(not isinstance(one.args, dict) for one in counted)


def asked(data: bytes, whole: bool) -> list[Asked]:
    """The events of a list, or of an object that holds one, for the sake of their arguments."""
    if whole and _has_more(data):
        data = bytes(_heading(data).traceEvents)
    try:
        return msgspec.json.decode(data, type=list[Asked])
    except msgspec.ValidationError:
        return msgspec.json.decode(_objects(data), type=list[Asked])


def _odd_events(data: bytes) -> tuple[bytes, list[Event]]:
    """A list of which something is no event of the usual form, as if it were, and its events."""
    _check_odd(data)
    try:
        data = _objects(data)
        return data, [_plain(event) for event in msgspec.json.decode(data, type=list[OddEvent])]
    except RecursionError as error:
        raise msgspec.DecodeError("it is nested too deeply") from error


def _check_odd(data: bytes) -> None:
    if len(data) > MOST_ODD:
        raise ValueError(
            f"an event that counts, or has an unusual form, has more than {MOST_ODD:,} bytes"
        )


def _objects(data: bytes) -> bytes:
    """A list with empty objects, events of no kind, for what is none in it."""
    every = [bytes(one).strip() for one in msgspec.json.decode(data, type=list[msgspec.Raw])]
    # Not left out: events are known by their number in the file.
    return b"[%s]" % b",".join(one if one[:1] == b"{" else b"{}" for one in every)


def _has_more(data: bytes) -> bool:
    """Whether there is something around the list of events."""
    return data[:64].lstrip()[:1] != b"["


def _heading(data: bytes) -> Heading:
    """The parts of a file. Raises msgspec.DecodeError if there is no list of events."""
    return msgspec.json.decode(data, type=Heading)


def _plain(event: OddEvent) -> Event:
    """The event with those of its arguments that have the form of others'."""
    args = _known(event.args) if event.args else None
    name, cat = (None if text is None else str(text) for text in (event.name, event.cat))
    return Event(
        str(event.ph), plain_number(event.ts), plain_number(event.dur), plain_number(event.pid),
        plain_number(event.tid), name, cat, plain_number(event.id), args,
    )  # fmt: skip


def plain_number(value: object) -> Number:
    """What is no number and no text counts as missing."""
    return value if isinstance(value, int | float | str) else None


def _known(data: msgspec.Raw) -> Arguments:
    """Of arguments of any form those that are numbers or texts."""
    try:
        return msgspec.json.decode(data, type=Arguments)
    except msgspec.DecodeError:
        pass
    try:
        every = msgspec.json.decode(data, type=dict[str, object])
    except (msgspec.DecodeError, RecursionError):
        return NO_ARGUMENTS
    kept = {key: value for key, value in every.items() if isinstance(value, int | float | str)}
    return msgspec.convert(kept, Arguments)


def numbers(values: list[Number]) -> NDArray[np.float64]:
    """Numbers that may be written as text; NaN for what is none."""
    try:
        return np.array(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.array([number(value) for value in values], np.float64)


def _sparse(values: list[Number]) -> NDArray[np.float64]:
    """Numbers of which most pieces have none."""
    if values.count(None) == len(values):
        return np.full(len(values), np.nan)
    return numbers(values)


def number(value: Number) -> float:
    """A number that may be written as text; NaN for what is none."""
    try:
        return float("nan" if value is None else value)
    except (ValueError, OverflowError):
        return float("nan")
