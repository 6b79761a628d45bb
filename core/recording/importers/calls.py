"""Events of the Trace Event Format made whole: begins with their ends, rows, arrows."""

from __future__ import annotations

from collections import Counter as Counts
from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.plan.plan import Role
from core.plan.task import ABSENT
from core.recording.importers.found import CountedValues, Track
from core.recording.importers.json_events import (
    LATEST,
    Arguments,
    Event,
    Events,
    Number,
    number,
    plain_number,
)
from core.recording.importers.roles import with_roles
from core.recording.index import Progress, watched
from core.recording.role_text import TrackRole, parse_role
from core.trace.import_issue import ImportIssue

NS_PER_UNIT = 1000.0  # times are microseconds, whatever unit a file asks viewers to show
ASYNC, INSTANTS = "async", "instants"
# Asynchronous events of the format's present form (b, e) and of its older one (S, F): an end has
# the family of the begin that it closes.
_BEGINS, _ENDS = {"b": "b", "S": "S"}, {"e": "b", "F": "S"}
_INSTANT = frozenset("iIRnTp")
MOST_ENCLOSING = 64  # calls that are looked at for one that an arrow's end is in
_KNOWN = frozenset("XMBECstfbeSF") | _INSTANT


def finish_calls(events: Events, progress: Progress | None = None) -> None:
    """Turn begins with their ends, asynchronous events and instants into complete events.

    Raises Cancelled if `progress` returns False.
    """
    rest = events.rest
    _take_pairs(events, *_calls(watched(rest, progress), events.issues))
    _take_pairs(events, *_asynchronous(watched(rest, progress), events.issues))
    instants = [event for event in watched(rest, progress) if event.ph in _INSTANT]
    if instants:
        noted = [_on(event, f"{INSTANTS} of {event.tid}") for event in instants]
        events.take(noted, np.array([number(event.ts) for event in instants]))
    events.issues[ImportIssue.UNKNOWN] += sum(event.ph not in _KNOWN for event in rest)


def _on(event: Event, row: str) -> Event:
    return msgspec.structs.replace(event, tid=row, dur=None)


def _take_pairs(events: Events, begun: list[Event], ends: list[float]) -> None:
    if begun:
        events.take(begun, np.array(ends))


def _calls(rest: Iterable[Event], issues: Counts[ImportIssue]) -> tuple[list[Event], list[float]]:
    """Begins with the ends of theirs: on each thread the last that began ends first."""
    by_thread: dict[tuple[Number, Number], list[Event]] = defaultdict(list)
    for event in rest:
        if event.ph in ("B", "E"):
            by_thread[event.pid, event.tid].append(event)
    begun, ends = [], []
    for mine in by_thread.values():
        # Files need not be in order of time. What has one time stays in the file's order.
        mine.sort(key=lambda event: number(event.ts))
        open_calls: list[Event] = []
        for event in mine:
            if event.ph == "B":
                open_calls.append(event)
            elif open_calls:
                begun.append(_merged(open_calls.pop(), event))
                ends.append(number(event.ts))
            else:
                issues[ImportIssue.NO_BEGIN] += 1
        issues[ImportIssue.NO_END] += len(open_calls)
    return begun, ends


def _merged(begin: Event, end: Event) -> Event:
    """The beginning with the arguments of both; where both have one, its own counts.

    Details show the arguments of one of the two: of the end if that has more of those read here.
    """
    if end.args is None:
        return begin
    if begin.args is None:
        return msgspec.structs.replace(begin, args=end.args, place=end.place)
    own, its = _told(begin.args), _told(end.args)
    if not its.keys() - own.keys():
        return begin
    place = end.place if own.keys() <= its.keys() else begin.place
    return msgspec.structs.replace(begin, args=Arguments(**its | own), place=place)


def _told(arguments: Arguments) -> dict[str, Number]:
    """The arguments that an event has, by the names of fields."""
    every = msgspec.structs.asdict(arguments)
    return {name: value for name, value in every.items() if value is not None}


def _asynchronous(
    rest: Iterable[Event], issues: Counts[ImportIssue]
) -> tuple[list[Event], list[float]]:
    """Asynchronous events with their ends: those that have one id, category and name."""
    open_ones: dict[tuple[Number, ...], list[Event]] = defaultdict(list)
    begun, ends = [], []
    for event in rest:
        family = _BEGINS.get(event.ph) or _ENDS.get(event.ph)
        if family is None:
            continue
        # An id may be closed in another process; without one the process tells events apart.
        key = (family, event.cat, event.id, event.name, event.pid if event.id is None else None)
        if event.ph in _BEGINS:
            open_ones[key].append(event)
        elif open_ones[key]:
            begin = open_ones[key].pop()
            begun.append(_on(begin, f"{ASYNC} {begin.cat or begin.name or ''}".strip()))
            ends.append(number(event.ts))
        else:
            issues[ImportIssue.NO_BEGIN] += 1
    issues[ImportIssue.NO_END] += sum(map(len, open_ones.values()))
    return begun, ends


def names_of(events: Events) -> tuple[str, ...]:
    """The names of events, by their numbers."""
    return tuple(name or "unnamed" for name in events.names)


def times_of(
    begin: NDArray[np.float64], length: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Start and end in ns of events whose begin and length are in microseconds.

    Both ends are rounded, not the length: what touched in the file touches here. Whole
    microseconds are set apart first, since floats of the time of day have no room for ns.
    """
    return _nanoseconds(begin), _nanoseconds(begin + length)


def _nanoseconds(times: NDArray[np.float64]) -> NDArray[np.int64]:
    # A double has room for whole µs of the time of day and for ns, but not for both at once.
    whole = np.floor(times)
    part = np.rint((times - whole) * NS_PER_UNIT).astype(np.int64)
    return whole.astype(np.int64) * int(NS_PER_UNIT) + part


def titles(events: Events) -> list[tuple[str, str]]:
    """The name and the process of each thread, by its metadata or its numbers."""
    titles_by_thread: dict[tuple[str | None, Number, Number], str] = {}
    for event in events.rest:
        if event.ph == "M" and event.name in ("process_name", "thread_name"):
            tid = event.tid if event.name == "thread_name" else None
            name = event.args.name if event.args is not None else None
            if isinstance(name, str):
                titles_by_thread[event.name, event.pid, tid] = name
            else:
                events.issues[ImportIssue.NO_METADATA] += 1
    # By text: the row of a thread's instants has the thread's number only as a part of its own.
    names = {
        (pid, str(tid)): name
        for (kind, pid, tid), name in titles_by_thread.items()
        if tid is not None
    }
    return [
        (
            _title(names, pid, str(tid)),
            titles_by_thread.get(("process_name", pid, None)) or f"process {pid}",
        )
        for pid, tid in events.threads
    ]


def thread_tracks(events: Events, stream_of: str = "") -> tuple[Track, ...]:
    """A track for each thread; moments of a thread are a row of notes on it, no work.

    Where a file has nothing but moments, their rows are as those of work, or nothing would be
    shown.
    """
    places = {(pid, str(tid)): place for place, (pid, tid) in enumerate(events.threads)}
    tracks = []
    for (title, process), (pid, tid) in zip(titles(events), events.threads, strict=True):
        if str(tid).startswith(INSTANTS):
            thread = str(tid).removeprefix(f"{INSTANTS} of ")
            serves = places.get((pid, thread), ABSENT)
            tracks.append(Track(title, process, Role.NESTED, serves))
        else:
            tracks.append(Track(title, process, stream_of=stream_of))
    if all(track.role is Role.NESTED for track in tracks):
        return tuple(Track(track.name, track.place, stream_of=stream_of) for track in tracks)
    return tuple(tracks)


def with_file_roles(events: Events, tracks: Sequence[Track]) -> tuple[Track, ...]:
    """The tracks of threads with the roles that a file of our own has beside their names."""
    numbers = {(pid, str(tid)): place for place, (pid, tid) in enumerate(events.threads)}
    # Our own files number threads through all processes, so a thread alone is enough here.
    threads = {tid: place for (_, tid), place in numbers.items()}
    roles: dict[int, TrackRole] = {}
    for event in events.rest:
        place = numbers.get((event.pid, str(event.tid)))
        role = parse_role(event.args.role) if event.args is not None else None
        if event.ph == "M" and role is not None and place is not None:
            roles[place] = role[0], threads.get(str(role[1]), ABSENT)
    return with_roles(tracks, range(len(tracks)), roles)


def _title(names: dict[tuple[Number, str], str], pid: Number, tid: str) -> str:
    if tid.startswith(INSTANTS):
        return f"{INSTANTS} of {_title(names, pid, tid.removeprefix(f'{INSTANTS} of '))}"
    return names.get((pid, tid)) or (tid if tid.startswith(ASYNC) else f"thread {tid}")


def arrows(
    events: Events,
    thread: NDArray[np.int32],
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    progress: Progress | None = None,
) -> NDArray[np.int64]:
    """The events that arrows lead from and to: those that enclose the arrows' ends most closely.

    Raises Cancelled if `progress` returns False.
    """
    flows = events.flows
    if not flows:
        return np.empty((0, 2), np.int64)
    # Of two that begin together the longer first, so that the inner one stands behind it.
    order = np.lexsort((-end, start, thread))
    firsts = np.searchsorted(thread[order], np.arange(len(events.threads) + 1)).tolist()
    start, end = start[order], end[order]
    open_flows: dict[tuple[Number, ...], int] = {}
    links: list[tuple[int, int]] = []
    # Of arrows' ends at one moment beginnings come first: else an end would not find its own.
    ordered = sorted(flows, key=lambda one: (number(one.ts), "stf".index(one.ph)))
    for event in watched(ordered, progress):
        key = (event.cat, event.name, event.id)
        code = events.threads.get((event.pid, event.tid))
        mine = range(0) if code is None else range(firsts[code], firsts[code + 1])
        place = _enclosing(start, end, mine, number(event.ts))
        before = open_flows.pop(key, None) if event.ph != "s" else None
        if place is None or (event.ph != "s" and before is None):
            events.issues[ImportIssue.ORPHAN_FLOW] += 1
            continue
        # An arrow from a call to itself is no waiting.
        if before is not None and before != place:
            links.append((before, place))
        if event.ph != "f":
            open_flows[key] = place
    events.issues[ImportIssue.ORPHAN_FLOW] += len(open_flows)
    # Back from places in the sorted order to the events' own. The reshape is for no links at all.
    return order[np.array(links, np.int64).reshape(-1, 2)]


def counters_of(events: Events, place: str = "") -> tuple[CountedValues, ...]:
    """The counters of a file: a counter for each process, name, id and argument.

    They belong to the rank `place`, or unless it is given to the process of their events.
    """
    pairs_by_counter: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    processes = _process_names(events) if events.counted and not place else {}
    for counted in events.counted:
        at = number(plain_number(counted.ts))
        pid = plain_number(counted.pid)
        own_place = place or processes.get(pid) or f"process {pid}"
        own_id = plain_number(counted.id)
        title = f"{counted.name}" if own_id is None else f"{counted.name}[{own_id}]"
        for key, raw in counted.args.items():
            value = number(plain_number(raw))
            if abs(at) < LATEST and np.isfinite(value):
                pairs_by_counter[f"{title} {key}", own_place].append((at, value))
            else:
                events.issues[ImportIssue.NO_TIME] += 1
    found = []
    for (name, own_place), pairs in pairs_by_counter.items():
        moments, values = np.array(pairs).T
        found.append(CountedValues(name, own_place, _nanoseconds(moments), values))
    return tuple(found)


def _process_names(events: Events) -> dict[Number, str]:
    """The names that processes are given, by their numbers."""
    names: dict[Number, str] = {}
    for event in events.rest:
        name = event.args.name if event.args is not None else None
        if event.ph == "M" and event.name == "process_name" and isinstance(name, str):
            names[event.pid] = name
    return names


def lone_arrows(events: Events) -> int:
    """How many arrows lack their beginning or their end."""
    begun, ended = (
        {(event.cat, event.id) for event in events.flows if (event.ph == "s") is begins}
        for begins in (True, False)
    )
    return len(begun ^ ended)


def _enclosing(
    start: NDArray[np.int64], end: NDArray[np.int64], events: range, micros: float
) -> int | None:
    """The innermost of a thread's events, which are in order of their starts, at a moment."""
    if not abs(micros) < LATEST:
        return None
    moment = int(_nanoseconds(np.array([micros]))[0])
    mine = start[events.start : events.stop]
    place = events.start + int(np.searchsorted(mine, moment, "right")) - 1
    # Between it and the call around it may lie any number of calls that have ended: not all are
    # tried.
    tried = range(place, max(events.start - 1, place - MOST_ENCLOSING), -1)
    return next((place for place in tried if end[place] >= moment), None)
