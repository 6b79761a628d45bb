"""Reads the recordings of a job's ranks, a file each in one folder, as one run on rank 0's clock.

Steps of one number are one step of the run. Only those that every rank has are shown: of what a
rank was doing that was killed or has not written yet nothing could be said.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.errors import RecordingError
from core.plan.plan import Role
from core.plan.task import ABSENT
from core.reading import one_line
from core.recording.decode import append_batch, floats_in, notes_of, numbers_of, parts_of
from core.recording.index import Progress, partial_progress, report_progress
from core.recording.schema import Record
from core.recording.sniff import rank_files
from core.recording.stream import Opened, open_stream
from core.trace.event_rows import Counter, Counters
from core.trace.header import MOST_LANES, Header
from core.trace.job_steps import OUTSIDE, note_outside
from core.trace.spans import LATEST, Spans, check_times
from core.trace.trace import STATE_LEVEL, Trace

LEAST = -(1 << 62)
_WAY = re.compile(r"(from|to) rank (\d{1,5})")  # core.recorder.rank_step names copies so
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Rank:
    """A rank's recording, and by how many ns rank 0's clock was ahead at moments of its own.

    `at` are these moments in ns since its start, `half` the half-widths of what was found, and
    `device` that of its device's clock on its host's where a device timed its work.
    """

    path: Path
    trace: Trace
    warning: str
    at: Ints
    ahead: Ints
    half: NDArray[np.float64]
    device: float = 0.0

    def moved(self, times: Ints, origin: int) -> Ints:
        """Return times of this rank on rank 0's clock since `origin`; absent ones stay absent.

        Raises ValueError if one of them is out of bounds.
        """
        # Each rank counts from its own start on its own clock; `ahead` brings that onto rank 0's.
        offset = self.trace.header.origin_ns - origin
        drift: Ints | int = 0
        if len(self.at):
            offset += int(self.ahead[0])
            # By differences: clocks of two machines are farther apart than doubles count ns.
            drifts = self.ahead - self.ahead[0]
            check_times(drifts)
            drift = np.rint(np.interp(times, self.at, drifts)).astype(np.int64)
        if abs(offset) > LATEST:
            raise ValueError("a clock is out of bounds")
        moved = np.where(times == ABSENT, times, times + offset + drift)
        check_times(moved)
        return moved

    @cached_property
    def plans(self) -> dict[int, int]:
        """The plan of each step; none of a rank that was killed before it sent its lanes."""
        found: dict[int, int] = {}
        for lane in self.trace.header.lanes:
            spans = self.trace.spans(lane.index)
            plans = self.trace.table.rows["plan"][spans.row].tolist()
            found.update(zip(spans.step.tolist(), plans, strict=True))
        return found


def read_ranks(folder: Path | str, progress: Progress | None = None) -> Opened:
    """Read all ranks of a job, of which the folder has one at least.

    Raises RecordingError, naming the folder or a file, if one cannot be read, and Cancelled if
    `progress` returns False.
    """
    ranks = list(_read(rank_files(folder), progress))
    with one_line(f"{folder} cannot be read as one run", RecordingError, LookupError):
        trace, left_out = _joined(ranks)
    notes = [_damage(rank, number > 0) for number, rank in enumerate(ranks) if rank.warning]
    if left_out == 1:
        notes.append("1 step is not in every rank's file: it is left out")
    elif left_out:
        notes.append(f"{left_out} steps are not in every rank's file: they are left out")
    unknown = [rank.path.name for rank in ranks[1:] if not len(rank.at) and not rank.warning]
    if unknown:
        notes.append(f"clocks were not compared for {', '.join(unknown)}: taken as rank 0's")
    return Opened(trace, "; ".join(notes))


def _damage(rank: Rank, compares_clock: bool) -> str:
    """Return what is missing of a damaged file; also of its clock, so that it is named once."""
    if compares_clock and not len(rank.at):
        return f"{rank.warning} (its clock was not compared: taken as rank 0's)"
    return rank.warning


def _read(paths: Sequence[Path], progress: Progress | None) -> Iterator[Rank]:
    for number, path in enumerate(paths):
        share = partial_progress(progress, number, len(paths))
        clocks: list[tuple[int, int, float]] = []
        device = 0.0
        with (
            open_stream(path) as stream,
            one_line(f"{path} is damaged", RecordingError, LookupError),
        ):
            trace = Trace(stream.header)
            for batch in stream:
                append_batch(trace, batch)
                compared, width = clocks_of(batch)
                clocks += compared
                device = max(device, width)
                report_progress(share, stream.position, max(1, stream.size))
            warning = stream.warning(trace.span_count, path.name)
        at, ahead = (np.array([clock[n] for clock in clocks], np.int64) for n in (0, 1))
        half = np.array([clock[2] for clock in clocks], np.float64)
        yield Rank(path, trace, warning, at, ahead, half, device)
        report_progress(progress, number + 1, len(paths))


def clocks_of(batch: pa.RecordBatch) -> tuple[list[tuple[int, int, float]], float]:
    """What a batch tells of clocks, in ns.

    When ranks' were compared, by how much rank 0's was ahead, and its half-width; and the largest
    half-width of a device's clock on its host's.
    """
    rows = parts_of(batch).get(Record.CLOCK)
    if rows is None:
        return [], 0.0
    notes = notes_of(rows)
    columns = (numbers_of(rows, "start"), floats_in(notes.field("value")))
    told = list(zip(*(c.tolist() for c in columns), notes.field("text").to_pylist(), strict=True))
    compared = [(time, int(text), width) for time, width, text in told if text is not None]
    if any(abs(ahead) > LATEST for _, ahead, _ in compared):
        raise ValueError("a clock is out of bounds")
    return compared, max((width for _, width, text in told if text is None), default=0.0)


def _joined(ranks: Sequence[Rank]) -> tuple[Trace, int]:
    """The run of all ranks, and how many steps are left out of it."""
    header, places = joint_header(ranks)
    trace = Trace(header)
    common = set.intersection(*(set(rank.plans) for rank in ranks))
    every = set.union(*(set(rank.plans) for rank in ranks))
    plans = Plans(trace, ranks, places)
    for step in sorted(common):
        plans.add(step)
    for place, came in plans.lanes():
        trace.add_spans(came, [(place, came)])
    for rank in ranks:
        trace.clocks[rank.path.stem, None] = _clock(rank, sorted(common), header.origin_ns)
    steps = np.array(sorted(common), np.int64)
    trace.counters |= told_numbers(ranks, places, steps, header.origin_ns)
    note_outside(trace)
    _add_logs(trace, ranks)
    trace.version += 1
    return trace, len(every - common)


def told_numbers(
    ranks: Sequence[Rank],
    places: Sequence[Sequence[int]],
    steps: NDArray[np.integer[Any]],
    origin: int,
) -> Counters:
    """Return the counters of some steps, on rank 0's clock since `origin`.

    `places` has the run's lane of each rank's lane. A counter of a rank is one of its lanes', and
    so is the time outside of its steps, of the lane that computes. If several ranks have a counter
    of the whole job in a step, the first rank's is returned: only one is meant to record it.
    """
    found: Counters = {}
    for rank, lanes in zip(ranks, places, strict=True):
        for (name, lane), told in rank.trace.counters.items():
            where = None if lane is None else lanes[lane]
            if name == OUTSIDE and lanes:
                where = lanes[0]
            known = found.setdefault((name, where), Counter(name, where))
            mine = np.isin(told.steps, steps) & ~np.isin(told.steps, known.steps)
            times = rank.moved(told.times[mine], origin)
            known.extend(times=times, values=told.values[mine], steps=told.steps[mine])
    return found


def _add_logs(trace: Trace, ranks: Sequence[Rank]) -> None:
    """Every rank's lines by time; the run has finished if all ranks have, failed if one has."""
    origin = trace.header.origin_ns
    rows = [
        (int(rank.moved(np.array([row.time]), origin)[0]), row)
        for rank in ranks
        for row in rank.trace.logs
    ]
    rows.sort(key=lambda one: one[0])
    outcomes = {rank.trace.outcome for rank in ranks}
    whole = "failed" if "failed" in outcomes else "finished" if outcomes == {"finished"} else None
    for time, row in rows:
        if row.level != STATE_LEVEL:
            # What a rank says of its own end is not the run's: that is told below, once.
            step = ABSENT if row.step is None else row.step
            trace.logs.add(np.array([time]), np.array([step]), [row.level], [row.text])
    if whole is not None:
        trace.logs.add(np.array([rows[-1][0]]), np.array([ABSENT]), [STATE_LEVEL], [whole])


def joint_header(ranks: Sequence[Rank]) -> tuple[Header, list[list[int]]]:
    """The run's header, and the place of each lane of each rank: computing ones come first."""
    every = [
        (number, lane) for number, rank in enumerate(ranks) for lane in rank.trace.header.lanes
    ]
    # False comes before True, and sorting is stable: computing lanes first, and among them the
    # ranks in their order.
    every.sort(key=lambda one: one[1].role is not Role.COMPUTE)
    if len(every) > MOST_LANES:
        raise ValueError(f"they have {len(every):,} lanes, and {MOST_LANES:,} can be shown")
    at = {(number, lane.index): place for place, (number, lane) in enumerate(every)}
    lanes = [
        replace(lane, index=place, serves=at[number, lane.serves])
        for place, (number, lane) in enumerate(every)
    ]
    places = [
        [at[number, lane.index] for lane in rank.trace.header.lanes]
        for number, rank in enumerate(ranks)
    ]
    return replace(ranks[0].trace.header, lanes=tuple(lanes), replicas=len(ranks)), places


class Plans:
    """The ranks' plans of a step as one plan each, in an order in which nothing waits for later.

    `senders` has the task that sent it for each copy from another rank, as rows of the run's table.
    """

    def __init__(self, trace: Trace, ranks: Sequence[Rank], places: list[list[int]]) -> None:
        self._trace, self._ranks, self._places = trace, ranks, places
        self._numbers: dict[tuple[int, ...], int] = {}
        self._of_step: dict[int, int] = {}
        self._rows: list[list[Ints]] = []
        self.senders: dict[int, int] = {}

    def add(self, step: int) -> None:
        """Tell a step's plan if it is a new one."""
        # Steps in which all ranks follow the same plans share one plan of the run.
        key = tuple(rank.plans[step] for rank in self._ranks)
        if key not in self._numbers:
            self._numbers[key] = len(self._numbers)
            self._add_spans(key, step)
        self._of_step[step] = self._numbers[key]

    def next_round(self, ranks: Sequence[Rank]) -> None:
        """More has come of the same ranks: steps that are added from here on are new."""
        self._ranks = ranks
        self._of_step.clear()

    def lanes(self) -> list[tuple[int, Spans]]:
        """The run's lanes by place, each with its spans of the steps that were added."""
        moved = [
            (self._places[number][lane.index], self.spans(number, lane.index))
            for number, rank in enumerate(self._ranks)
            for lane in rank.trace.header.lanes
        ]
        sent = _sent(self.senders, [spans for _, spans in moved])
        return [(place, _came(spans, sent)) for place, spans in moved]

    def spans(self, number: int, lane: int) -> Spans:
        """A rank's lane in the steps that all ranks have, as the run has it."""
        rank, origin = self._ranks[number], self._trace.header.origin_ns
        spans = rank.trace.spans(lane)
        spans = spans[np.isin(spans.step, list(self._of_step))]
        plan = np.array([self._of_step[step] for step in spans.step.tolist()], np.int64)
        row = np.zeros(len(spans), np.int32)
        for one in np.unique(plan).tolist():
            row[plan == one] = self._rows[one][number][spans["task"][plan == one]]
        times = (rank.moved(spans[name], origin) for name in ("start", "end", "ready", "launched"))
        start, end, ready, launched = times
        return Spans(self._trace.table, start, end, spans.step, row, ready, launched)

    def _add_spans(self, key: Sequence[int], step: int) -> None:
        """Tell a plan; tasks are in the order in which they began in `step`."""
        parts = [self._part(number, plan) for number, plan in enumerate(key)]
        counts = [len(rows) for rows, _ in parts]
        before = np.cumsum([0, *counts])
        rows = np.concatenate([rows for rows, _ in parts])
        begun = np.concatenate(
            [self._begun(number, step, count) for number, count in enumerate(counts)]
        )
        needs = [
            need + first for (_, own), first in zip(parts, before, strict=False) for need in own
        ]
        senders = dict(_senders(self._trace, rows))
        for copy, sender in senders.items():
            needs[copy] = np.append(needs[copy], sender)
            # Clocks of two ranks agree only within a half-width: by them a copy may seem to begin
            # before it was sent.
            begun[copy] = max(begun[copy], begun[sender])
        waits = np.zeros(len(rows), np.bool_)
        waits[list(senders)] = True
        # By begin, and of what began with the same ns the copies last: so nothing waits for a later
        # task, which a table of tasks does not allow.
        order = np.lexsort((waits, begun))
        # The inverse permutation: where each task stands from now on.
        place = np.argsort(order)
        first = len(self._trace.table)
        needs = [place[needs[task]] for task in order.tolist()]
        rows = rows[order]
        rows["after_count"] = [len(need) for need in needs]
        self._trace.table.add(rows, np.concatenate(needs).astype(np.int32))
        self.senders.update((first + place[c], first + place[s]) for c, s in senders.items())
        self._rows.append([first + place[a:b] for a, b in pairwise(before.tolist())])

    def _part(self, number: int, plan: int) -> tuple[NDArray[Any], list[Ints]]:
        """A rank's tasks of one of its plans, and what each waits for."""
        table, names = self._ranks[number].trace.table, self._trace.table.names
        where = table.plan(plan)
        # A copy, for lanes and names are put into the run's numbers, and the rank's table stays.
        rows = table.rows[where].copy()
        rows["lane"] = np.array(self._places[number])[rows["lane"]]
        named = np.flatnonzero(rows["name"] != ABSENT).tolist()
        for task in named:
            rows["name"][task] = names.place(table.names[rows["name"][task]])
        counts, needs = table.needs(np.arange(where.start, where.stop))
        return rows, np.split(needs.astype(np.int64), np.cumsum(counts)[:-1])

    def _begun(self, number: int, step: int, count: int) -> Ints:
        """When each task of a rank began in a step."""
        rank, begun = self._ranks[number], np.zeros(count, np.int64)
        for lane in rank.trace.header.lanes:
            spans = rank.trace.spans(lane.index)
            spans = spans[spans.of_step(step)]
            begun[spans["task"]] = rank.moved(spans.start, self._trace.header.origin_ns)
        return begun


def _sent(senders: dict[int, int], lanes: Sequence[Spans]) -> dict[tuple[int, int], int]:
    """When what each copy brings was sent, by the copy's step and row."""
    copies = {sender: copy for copy, sender in senders.items()}
    found: dict[tuple[int, int], int] = {}
    for spans in lanes if copies else ():
        some = spans[np.isin(spans.row, list(copies))]
        for step, row, start in zip(
            some.step.tolist(), some.row.tolist(), some.start.tolist(), strict=True
        ):
            found[step, copies[row]] = start
    return found


def _senders(trace: Trace, rows: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Each copy from another rank among a plan's tasks with the task that sent it.

    Of what one rank sends to another and that one receives, the first belong together, and so on.
    """
    lanes = trace.header.lanes
    ways: dict[tuple[int, int, bool], list[int]] = defaultdict(list)
    for task in np.flatnonzero(rows["name"] != ABSENT).tolist():
        way = _WAY.fullmatch(trace.table.names[rows["name"][task]])
        if way is not None:
            own, other = lanes[rows["lane"][task]].serves, int(way[2])
            brings = way[1] == "from"
            ways[*((other, own) if brings else (own, other)), brings].append(task)
    for (source, target, brings), copies in ways.items():
        sends = ways.get((source, target, False), [])
        # Where their numbers differ, it is not known which ones belong together.
        if brings and len(sends) == len(copies):
            yield from zip(copies, sends, strict=True)


def _came(spans: Spans, sent: dict[tuple[int, int], int]) -> Spans:
    """Copies from other ranks begin when they were sent: until then they were waited for."""
    if not sent:
        return spans
    keys = zip(spans.step.tolist(), spans.row.tolist(), strict=True)
    least = np.array([sent.get(key, LEAST) for key in keys], np.int64)
    # Never behind its own end: clocks of two ranks agree only within a half-width.
    start = np.minimum(np.maximum(spans.start, least), spans.end)
    return replace(spans, start=start)


def _clock(rank: Rank, steps: list[int], origin: int) -> Counter:
    """The wider of the half-widths that were found, for each step."""
    found = Counter(rank.path.stem, None)
    if len(rank.half):
        wide = np.full(len(steps), rank.half.max() + rank.device)
        times = np.full(len(steps), rank.moved(rank.at[:1], origin)[0])
        found.extend(times=times, values=wide, steps=np.array(steps, np.int32))
    return found
