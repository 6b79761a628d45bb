"""Reads the recordings of a job's ranks, a file each in one folder, as one run on rank 0's clock.

Steps of one number are one step of the run. Only those that every rank has are shown: of what a
rank was doing that was killed or has not written yet nothing could be said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.plan.task import Role
from core.reading import one_line
from core.recording.decode import LATEST, append_batch, floats_in, notes_of, numbers_of, parts_of
from core.recording.index import Progress, tell
from core.recording.schema import Record, RecordingError
from core.recording.stream import Opened, open_stream
from core.trace.columns import ABSENT
from core.trace.event_rows import Counter
from core.trace.header import MOST_LANES, Header
from core.trace.spans import Spans
from core.trace.trace import STATE_LEVEL, Trace

PATTERN = "rank-*.arrow"
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class _Rank:
    """A rank's recording, and by how many ns rank 0's clock was ahead at moments of its own.

    `at` are these moments in ns since its start, `half` the half-widths of what was found.
    """

    path: Path
    trace: Trace
    warning: str
    at: Ints
    ahead: Ints
    half: NDArray[np.float64]

    def moved(self, times: Ints, origin: int) -> Ints:
        """Times of this rank on rank 0's clock since `origin`; absent ones stay absent."""
        since = self.trace.header.origin_ns - origin
        if not len(self.at):
            return np.where(times == ABSENT, times, times + since)
        # By differences: clocks of two machines are farther apart than doubles count ns.
        drift = np.rint(np.interp(times, self.at, self.ahead - self.ahead[0])).astype(np.int64)
        return np.where(times == ABSENT, times, times + since + int(self.ahead[0]) + drift)

    @cached_property
    def plans(self) -> dict[int, int]:
        """The plan of each step."""
        spans = [self.trace.spans(lane.index) for lane in self.trace.header.lanes]
        rows = np.concatenate([one.row for one in spans])
        steps = np.concatenate([one.step for one in spans]).tolist()
        return dict(zip(steps, self.trace.table.rows["plan"][rows].tolist(), strict=True))


def read_ranks(folder: Path, progress: Progress | None = None) -> Opened:
    """Read all ranks of a job.

    Raises RecordingError, naming the folder or a file, if there is none or one cannot be read, and
    Cancelled if `progress` returns False.
    """
    paths = sorted(folder.glob(PATTERN), key=lambda path: (len(path.name), path.name))
    if not paths:
        raise RecordingError(f"{folder}: this folder has no recording of a rank ({PATTERN})")
    ranks = list(_read(paths, progress))
    with one_line(f"{folder} cannot be read as one run", RecordingError, LookupError):
        trace, left_out = _joined(ranks)
    said = [rank.warning for rank in ranks if rank.warning]
    said += [f"{left_out} steps are not in every rank's file: they are left out"] * bool(left_out)
    unknown = [rank.path.name for rank in ranks[1:] if not len(rank.at)]
    if unknown:
        said.append(f"clocks were not compared for {', '.join(unknown)}: taken as rank 0's")
    return Opened(trace, "; ".join(said))


def _read(paths: Sequence[Path], progress: Progress | None) -> Iterator[_Rank]:
    for done, path in enumerate(paths):
        clocks: list[tuple[int, int, float]] = []
        with (
            open_stream(path) as stream,
            one_line(f"{path} is damaged", RecordingError, LookupError),
        ):
            trace = Trace(stream.header)
            for batch in stream:
                append_batch(trace, batch)
                clocks += _clocks_of(batch)
            warning = stream.warning(trace.span_count)
        at, ahead = (np.array([clock[n] for clock in clocks], np.int64) for n in (0, 1))
        half = np.array([clock[2] for clock in clocks], np.float64)
        yield _Rank(path, trace, warning, at, ahead, half)
        tell(progress, done + 1, len(paths))


def _clocks_of(batch: pa.RecordBatch) -> Iterator[tuple[int, int, float]]:
    """When clocks were compared, by how much rank 0's was ahead, and the half-width of that."""
    told = parts_of(batch).get(Record.CLOCK)
    if told is None:
        return
    notes = notes_of(told)
    at, half = numbers_of(told, "start").tolist(), floats_in(notes.field("value")).tolist()
    for time, text, width in zip(at, notes.field("text").to_pylist(), half, strict=True):
        ahead = int(text or 0)
        if abs(ahead) > LATEST:
            raise ValueError("a clock is out of bounds")
        yield time, ahead, width


def _joined(ranks: Sequence[_Rank]) -> tuple[Trace, int]:
    """The run of all ranks, and how many steps are left out of it."""
    header, places = _header(ranks)
    trace = Trace(header)
    common = set.intersection(*(set(rank.plans) for rank in ranks))
    every = set.union(*(set(rank.plans) for rank in ranks))
    firsts = _add_plans(trace, ranks, sorted(common))
    origin = header.origin_ns
    for number, rank in enumerate(ranks):
        for lane in rank.trace.header.lanes:
            spans = _moved(rank, lane.index, firsts[number], trace, origin)
            trace.add_spans(spans, [(places[number][lane.index], spans)])
        trace.clocks[rank.path.stem, None] = _clock(rank, sorted(common), origin)
    _add_logs(trace, ranks)
    trace.version += 1
    return trace, len(every - common)


def _add_logs(trace: Trace, ranks: Sequence[_Rank]) -> None:
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
            step = ABSENT if row.step is None else row.step
            trace.logs.add(np.array([time]), np.array([step]), [row.level], [row.text])
    if whole is not None:
        trace.logs.add(np.array([rows[-1][0]]), np.array([ABSENT]), [STATE_LEVEL], [whole])


def _header(ranks: Sequence[_Rank]) -> tuple[Header, list[list[int]]]:
    """The run's header, and the place of each lane of each rank: computing ones come first."""
    every = [
        (number, lane) for number, rank in enumerate(ranks) for lane in rank.trace.header.lanes
    ]
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


def _add_plans(trace: Trace, ranks: Sequence[_Rank], steps: list[int]) -> list[dict[int, int]]:
    """Tell the ranks' plans of each step as one plan; where each rank's tasks begin, by step."""
    known: dict[tuple[int, ...], list[int]] = {}
    firsts: list[dict[int, int]] = [{} for _ in ranks]
    _, places = _header(ranks)
    for step in steps:
        key = tuple(rank.plans[step] for rank in ranks)
        if key not in known:
            known[key] = _add_plan(trace, ranks, key, places)
        for number, first in enumerate(known[key]):
            firsts[number][step] = first
    return firsts


def _add_plan(
    trace: Trace, ranks: Sequence[_Rank], key: Sequence[int], places: list[list[int]]
) -> list[int]:
    """Tell one plan; the rows of the table at which each rank's tasks begin."""
    first, count = len(trace.table), 0
    rows, after, begins = [], [], []
    for rank, plan, lanes in zip(ranks, key, places, strict=True):
        table = rank.trace.table
        where = table.plan(plan)
        mine = table.rows[where].copy()
        mine["lane"] = np.array(lanes)[mine["lane"]]
        named = mine["name"] != ABSENT
        mine["name"][named] = [trace.table.names.place(table.names[n]) for n in mine["name"][named]]
        begins.append(first + count)
        after.append(table.needs(np.arange(where.start, where.stop))[1] + count)
        rows.append(mine)
        count += len(mine)
    trace.table.add(np.concatenate(rows), np.concatenate(after).astype(np.int32))
    return begins


def _moved(rank: _Rank, lane: int, firsts: dict[int, int], trace: Trace, origin: int) -> Spans:
    """A lane's spans in steps that all ranks have, as the run has them."""
    spans = rank.trace.spans(lane)
    spans = spans[np.isin(spans.step, list(firsts))]
    numbers, which = np.unique(spans.step, return_inverse=True)
    first = np.array([firsts[step] for step in numbers.tolist()], np.int64)
    row = first[which] + spans["task"] if len(spans) else spans.row
    start, end, ready, launched = (
        rank.moved(spans[name], origin) for name in ("start", "end", "ready", "launched")
    )
    return Spans(trace.table, start, end, spans.step, row.astype(np.int32), ready, launched)


def _clock(rank: _Rank, steps: list[int], origin: int) -> Counter:
    """The wider of the half-widths that were found, for each step."""
    found = Counter(rank.path.stem, None)
    if len(rank.half):
        wide = np.full(len(steps), rank.half.max())
        times = np.full(len(steps), rank.moved(rank.at[:1], origin)[0])
        found.extend(times=times, values=wide, steps=np.array(steps, np.int32))
    return found
