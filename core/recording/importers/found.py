"""What every importer finds in a file, and the way from there to a trace: rows, tasks, steps."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.models.description import ModelDescription
from core.order import stable_argsort
from core.plan.plan import Lane, Role
from core.plan.specification import Specification
from core.plan.task import ABSENT, IS_COMMUNICATION, KINDS, Kind
from core.trace.arguments import Arguments
from core.trace.arguments import joined as joined_arguments
from core.trace.event_rows import Counter, Counters
from core.trace.header import Header
from core.trace.odd import Odd
from core.trace.spans import LaneSpans, Spans, TaskTable, blank_rows
from core.trace.step_bounds import StepBounds
from core.trace.trace import Trace

MOST_LANES = 1 << 16  # threads, and depths of their calls
MOST_EVENTS = 20_000_000
MOST_NAME = 1 << 20
"""Characters of the name of an event, a row or a rank."""
OTHER = KINDS.index(Kind.OTHER)


@dataclass(frozen=True, slots=True)
class Track:
    """A row of a file: a thread or a stream, of a rank or process that `place` names.

    `serves` is the track that it works for or tells more of (itself unless given). What is no
    device's work has `cores`: a thread of the host, a row of notes.
    """

    name: str
    place: str
    role: Role = Role.COMPUTE
    serves: int = ABSENT
    cores: int = 0


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps that one place tells: n numbers that grow, and when each starts and ends, in ns."""

    number: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]

    @classmethod
    def of(cls, bounds: Sequence[tuple[int, int, int]]) -> Steps:
        """From (number, start, end) of each."""
        columns = np.array(sorted(bounds), np.int64).reshape(-1, 3)
        kept = np.flatnonzero(np.diff(columns[:, 0], prepend=-1) > 0)
        return cls(*columns[kept].T)

    def at(self, times: NDArray[np.int64]) -> NDArray[np.int32]:
        """The number of the step at each of some moments.

        Before the first it is ABSENT, and from the end of the last on one more than any has.
        """
        found = np.full(len(times), ABSENT, np.int32)
        if len(self.number):
            place = np.searchsorted(self.start, times, "right") - 1
            inside = place >= 0
            found[inside] = self.number[place[inside]]
            found[times >= self.end[-1]] = self.number[-1] + 1
        return found


NO_STEPS = Steps.of(())


@dataclass(frozen=True, slots=True)
class Found:
    """The n events of a file as columns, the tracks that they lie on, and what was odd.

    `track` and `name` are places in `tracks` and `names`, `kind` indexes KINDS, times are ns on
    the clock of the file. `more` are further attributes of tasks, `launched` when each was handed
    to its device, both ABSENT where it does not apply. `step` has the number of each one's step
    where the file tells it; see Steps.at. `links` are pairs of events, shape (k, 2): the second
    waited for the first. `steps` tells which numbers are steps, `arguments` where the events' own
    stand in the file, `colours` the own colour of each: see OWN_COLOURS.
    """

    tracks: tuple[Track, ...]
    names: tuple[str, ...]
    track: NDArray[np.int32]
    name: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    kind: NDArray[np.int8]
    more: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    launched: NDArray[np.int64] | None = None
    step: NDArray[np.int32] | None = None
    links: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 2), np.int64))
    steps: Steps = NO_STEPS
    counters: Mapping[str, tuple[NDArray[np.int64], NDArray[np.float64]]] = field(
        default_factory=dict
    )
    odd: Counts[Odd] = field(default_factory=Counts)
    arguments: Arguments | None = None
    colours: NDArray[np.int8] | None = None

    def __len__(self) -> int:
        return len(self.start)

    def later(self, ns: int) -> Found:
        """The same with all times so much later."""
        steps = Steps(self.steps.number, self.steps.start + ns, self.steps.end + ns)
        launched = self.launched
        if launched is not None:
            launched = np.where(launched == ABSENT, ABSENT, launched + ns)
        counters = {name: (times + ns, values) for name, (times, values) in self.counters.items()}
        return replace(
            self, start=self.start + ns, end=self.end + ns, launched=launched, steps=steps,
            counters=counters,
        )  # fmt: skip


def joined(parts: Sequence[Found]) -> Found:
    """The events of several files behind one another, on the tracks of them all."""
    tracks: list[Track] = []
    names: dict[str, int] = {}
    columns: dict[str, list[NDArray[Any]]] = {key: [] for key in ("track", "name", "links")}
    first, odd = 0, Counts[Odd]()
    counters: dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}
    for number, part in enumerate(parts):
        base = len(tracks)
        tracks += [
            replace(one, serves=one.serves + base if one.serves >= 0 else ABSENT)
            for one in part.tracks
        ]
        codes = [names.setdefault(name, len(names)) for name in part.names]
        columns["name"].append(np.array([*codes, 0], np.int32)[part.name])
        columns["track"].append(part.track + np.int32(base))
        columns["links"].append(part.links + first)
        counters |= {f"{name} ({number})": values for name, values in part.counters.items()}
        first, odd = first + len(part), odd + part.odd
    more = {
        name: np.concatenate([part.more.get(name, np.full(len(part), ABSENT)) for part in parts])
        for name in dict.fromkeys(name for part in parts for name in part.more)
    }
    start, end, kind = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("start", "end", "kind")
    )
    return Found(
        tuple(tracks), tuple(names),
        np.concatenate(columns["track"]), np.concatenate(columns["name"]), start, end, kind,
        more, _of_all(parts, "launched"), _of_all(parts, "step"),
        np.concatenate(columns["links"]), _steps_of_all(parts), counters, odd,
        joined_arguments([(len(part), part.arguments) for part in parts]),
        _of_all(parts, "colours"),
    )  # fmt: skip


def _of_all(parts: Sequence[Found], name: str) -> NDArray[Any] | None:
    """A column that not every part has."""
    columns = [getattr(part, name) for part in parts]
    if all(column is None for column in columns):
        return None
    return np.concatenate(
        [np.full(len(part), ABSENT) if column is None else column
         for part, column in zip(parts, columns, strict=True)]
    )  # fmt: skip


def _steps_of_all(parts: Sequence[Found]) -> Steps:
    """Steps that have one number are one, from the first start to the last end."""
    number = np.concatenate([part.steps.number for part in parts])
    if not len(number):
        return NO_STEPS
    every, which = np.unique(number, return_inverse=True)
    start, end = np.full(len(every), np.iinfo(np.int64).max), np.full(len(every), ABSENT)
    np.minimum.at(start, which, np.concatenate([part.steps.start for part in parts]))
    np.maximum.at(end, which, np.concatenate([part.steps.end for part in parts]))
    return Steps(every, start, end)


def trace_of(found: Found, title: str) -> Trace:
    """The trace of what was found; it begins at 0. Raises ValueError for what is too much.

    A track is a lane, and below it lies a nested lane for each depth of calls. Each event is a
    task of one plan, numbered by when it started.
    """
    if len(found) > MOST_EVENTS:
        raise ValueError(f"it has more than {MOST_EVENTS:,} events")
    names = chain(found.names, *((track.name, track.place) for track in found.tracks))
    if max(map(len, names), default=0) > MOST_NAME:
        raise ValueError(f"a name has more than {MOST_NAME:,} characters")
    found = _counted_from_0(found.later(-int(found.start.min())))
    found = replace(found, tracks=_with_servants(found))
    odd = Counts(found.odd)
    task = np.empty(len(found), np.int32)
    by_start = np.argsort(found.start, kind="stable")
    task[by_start] = np.arange(len(found), dtype=np.int32)
    table = _table(found, by_start, task)
    lanes, spans = _lanes(found, task, table, odd)
    replicas = int(np.max(found.more.get("replica", ABSENT), initial=0)) + 1
    header = Header(Specification(warmup=0), ModelDescription(title, (), 0), tuple(lanes), replicas)
    bounds = int(found.start.min()), int(found.end.max())
    steps = _bounds(found.steps, lanes, spans, bounds)
    return Trace(
        header, table, [LaneSpans.of(some) for some in spans], steps,
        _counters(found), odd={kind: n for kind, n in odd.items() if n},
        arguments=found.arguments and found.arguments.ordered(by_start),
        colours=None if found.colours is None else found.colours[by_start].astype(np.int8),
    )  # fmt: skip


def _with_servants(found: Found) -> tuple[Track, ...]:
    """The tracks; of a device's, those that only communicate serve the one that computes most."""
    count = len(found.tracks)
    moves = IS_COMMUNICATION[found.kind]
    busy = np.bincount(found.track, np.where(moves, 0, found.end - found.start + 1), count)
    moving = np.bincount(found.track, moves, count)
    plain = [
        track.role is Role.COMPUTE and track.serves == ABSENT and not track.cores
        for track in found.tracks
    ]
    masters: dict[str, int] = {}
    for number in np.argsort(busy, kind="stable").tolist():
        if plain[number] and busy[number]:
            masters[found.tracks[number].place] = number
    return tuple(
        replace(track, role=Role.COMMUNICATION, serves=masters[track.place])
        if plain[number] and moving[number] and not busy[number] and track.place in masters
        else track
        for number, track in enumerate(found.tracks)
    )


def _counted_from_0(found: Found) -> Found:
    """The same with steps that are shown under their own numbers, unless one of them is 0.

    Step 1 of a run is the one that has number 0.
    """
    number = found.steps.number
    if found.step is None or not len(number) or not number[0]:
        return found
    step = np.where(found.step == ABSENT, ABSENT, found.step - 1)
    return replace(found, step=step, steps=replace(found.steps, number=number - 1))


def _counters(found: Found) -> Counters:
    made: Counters = {}
    for name, (times, values) in found.counters.items():
        order = np.argsort(times, kind="stable")
        arrays: dict[str, NDArray[Any]] = {
            "times": times[order],
            "values": values[order],
            "steps": found.steps.at(times),
        }
        made[name, None] = Counter(name, None, arrays)
    return made


def _bounds(
    steps: Steps, lanes: Sequence[Lane], spans: Sequence[Spans], bounds: tuple[int, int]
) -> StepBounds:
    """The steps, from the first start to the last end of what lanes do in them."""
    table = StepBounds()
    for lane, some in zip(lanes, spans, strict=True):
        if len(steps.number) and lane.role is not Role.NESTED:
            mine = np.isin(some.step, steps.number)
            table.widen(some.step[mine], some.start[mine], some.end[mine])
    table.bounds = bounds  # there is more than what belongs to steps
    return table


def _table(found: Found, by_start: NDArray[np.int64], task: NDArray[np.int32]) -> TaskTable:
    """A task for each event, in the order of their starts."""
    table = TaskTable()
    rows = blank_rows(len(found))
    places = np.array([table.names.place(name) for name in found.names] or [0], np.int32)
    rows["name"] = places[found.name[by_start]]
    rows["kind"] = found.kind[by_start]
    for name, column in found.more.items():
        rows[name] = column[by_start]
    before, behind = task[found.links[:, 0]], task[found.links[:, 1]]
    forward = before < behind
    before, behind = before[forward], behind[forward]
    rows["after_count"] = np.bincount(behind, minlength=len(found))
    table.add(rows, before[stable_argsort(behind)])
    return table


def _lanes(
    found: Found, task: NDArray[np.int32], table: TaskTable, odd: Counts[Odd]
) -> tuple[list[Lane], list[Spans]]:
    """A lane for each track that does something, then the nested ones; and the spans of each."""
    order = _arranged(found.track, found.start, found.end)
    bounds = np.searchsorted(found.track[order], np.arange(len(found.tracks) + 1)).tolist()
    working: list[tuple[int, Spans]] = []
    nested: list[tuple[int, str, Spans]] = []
    for index, track in enumerate(found.tracks):
        mine = order[bounds[index] : bounds[index + 1]]
        levels = _levels(found, mine, odd)
        if len(working) + len(nested) + len(levels) > MOST_LANES:
            raise ValueError(f"its threads and their nested calls are more than {MOST_LANES:,}")
        for level, chosen in enumerate(levels):
            some = _spans(found, chosen, task, table)
            if track.role is Role.NESTED or level:
                name = f"{track.name} depth {level}" if level else track.name
                nested.append((index, name, some))
            else:
                working.append((index, some))
    return _numbered(found.tracks, working, nested)


def _levels(found: Found, mine: NDArray[np.int64], odd: Counts[Odd]) -> list[NDArray[np.int64]]:
    """The events of a track by the depth at which they lie."""
    depth, apart = depths(found.start[mine], found.end[mine])
    odd[Odd.NOT_NESTED] += apart
    by_depth = stable_argsort(depth)
    ends = np.cumsum(np.bincount(depth)).tolist()
    return [mine[by_depth[first:last]] for first, last in pairwise([0, *ends])]


def _spans(
    found: Found, chosen: NDArray[np.int64], task: NDArray[np.int32], table: TaskTable
) -> Spans:
    steps = np.full(len(chosen), ABSENT, np.int32) if found.step is None else found.step[chosen]
    # A lane's steps only grow: what a later one began before an earlier one ended is of the later.
    steps = np.maximum.accumulate(steps.astype(np.int32))
    launched = None if found.launched is None else found.launched[chosen]
    start, end = found.start[chosen], found.end[chosen]
    return Spans(table, start, end, steps, task[chosen], launched=launched)


def _numbered(
    tracks: Sequence[Track],
    working: Sequence[tuple[int, Spans]],
    nested: Sequence[tuple[int, str, Spans]],
) -> tuple[list[Lane], list[Spans]]:
    """The lanes with their numbers; what serves a track without a lane serves its place's first."""
    lane_of = {index: number for number, (index, _) in enumerate(working)}
    first: dict[str, int] = {}
    for index, _ in working:
        first.setdefault(tracks[index].place, lane_of[index])

    def served(index: int) -> int:
        wanted = tracks[index].serves if tracks[index].serves >= 0 else index
        return lane_of.get(wanted, first.get(tracks[index].place, 0))

    lanes = [
        Lane(lane_of[i], track.name, track.place, track.role, track.cores, serves=served(i))
        for i, track in ((i, tracks[i]) for i, _ in working)
    ]
    spans = [some for _, some in working]
    for index, name, some in nested:
        serves = lane_of.get(index, served(index))
        place, cores = tracks[index].place, tracks[index].cores
        lanes.append(Lane(len(lanes), name, place, Role.NESTED, cores, serves=serves))
        spans.append(some)
    return lanes, spans


def _arranged(
    track: NDArray[np.int32], start: NDArray[np.int64], end: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The events by track and start; of two that start together the longer comes first.

    Most files have each thread's events in this order.
    """
    order = stable_argsort(track)
    row, begun, ended = track[order], np.diff(start[order]), np.diff(end[order])
    if ((row[1:] > row[:-1]) | (begun > 0) | ((begun == 0) & (ended <= 0))).all():
        return order
    return np.lexsort((-end, start, track))


def depths(start: NDArray[np.int64], end: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """How many events of a thread enclose each, and how many are not enclosed and yet overlap.

    The events are in order of their starts, and of two that start together the longer comes first.
    Where they nest, as many enclose an event as began before it and have not ended. Those of one
    depth never overlap.
    """
    turn = np.arange(len(start))
    ended = np.searchsorted(np.sort(end), start, "right")
    none = end == start  # they end as they begin: those that stand behind one have not ended yet
    depth = turn - np.minimum(ended, turn)
    overlapping = _overlapping(depth, start, end)
    if none.any() or not _is_apart(depth, start, end):
        return _first_free(start, end), overlapping
    return depth, overlapping


def _overlapping(depth: NDArray[np.int64], start: NDArray[np.int64], end: NDArray[np.int64]) -> int:
    """How many events end after one that began before them and goes on when they begin."""
    if not depth.any():
        return 0
    latest = np.maximum.accumulate(end)
    # Enclosed by the last that is open: the one before of a smaller depth. To ask for the one that
    # reaches furthest is enough where all nest, and counts those that reach beyond all others.
    return int(((start[1:] < latest[:-1]) & (end[1:] > latest[:-1])).sum())


def _is_apart(depth: NDArray[np.int64], start: NDArray[np.int64], end: NDArray[np.int64]) -> bool:
    """Whether no two events of one depth overlap."""
    order = stable_argsort(depth)
    same = depth[order][1:] == depth[order][:-1]
    return not bool((start[order][1:] < end[order][:-1])[same].any())


def _first_free(start: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each event the first depth at which all before it have ended, one after the other."""
    depth: list[int] = []
    free: list[int] = []  # depths at which all have ended, the first on top
    busy: list[tuple[int, int]] = []  # the others: when they end, and their depth
    for begin, last in zip(start.tolist(), end.tolist(), strict=True):
        while busy and busy[0][0] <= begin:
            heappush(free, heappop(busy)[1])
        level = heappop(free) if free else len(busy)
        heappush(busy, (last, level))
        depth.append(level)
    return np.array(depth, np.int64)
