"""A run in memory: each lane's spans as growing columns, with counters, logs and clocks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.order import stable_order
from core.plan.task import Kind, Payload, Task, working_lanes
from core.recording.decode import (
    LATEST,
    by_lane,
    groups,
    notes_of,
    numbers_in,
    numbers_of,
    parts_of,
    spans_of,
    take_plans,
)
from core.recording.schema import Header, Record
from core.trace.blocks import Blocks
from core.trace.columns import ABSENT, StepBounds, places
from core.trace.complete import Fault, find_faults
from core.trace.event_rows import Clocks, Counter, Log
from core.trace.spans import LaneSpans, Spans
from core.trace.table import TaskTable

COSTS_LEVEL = "costs"
"""The level of the log row that holds what a run's tasks cost, as JSON: no line to read."""
STATE_LEVEL = "state"
"""The level of the log row that says how a run ended."""

_KEY = np.array([1 << 32, 1])  # makes one number of a step and a task

Times = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Span:
    """One span (or, with `end` None, an open task), for people: tooltips, details, tables.

    Times are ns since the run's start. `index` is its place among the lane's spans, -1 while open.
    """

    lane: int
    index: int
    kind: Kind
    step: int
    task: int
    start: int
    end: int | None
    stage: int | None = None
    replica: int | None = None
    microbatch: int | None = None
    block: int | None = None
    bucket: int | None = None
    rows: int = 0
    bytes: int = 0
    payload: Payload = Payload.NONE
    ready: int | None = None
    launched: int | None = None
    after: tuple[int, ...] = ()
    paired_stage: int | None = None
    paired_microbatch: int | None = None
    name: str = ""

    @property
    def label(self) -> str:
        """What a bar says: its own name, or see `bar_label`."""
        if self.name:
            return self.name
        numbers = (self.microbatch, self.bucket, self.block, self.replica, self.paired_microbatch)
        return bar_label(self.kind, *(ABSENT if n is None else n for n in numbers))


def bar_label(
    kind: Kind, microbatch: int, bucket: int, block: int, replica: int, paired: int
) -> str:
    """What a bar says: its letter, and its micro-batch, bucket, block or receiving replica.

    An overlap says both of its actions, `F3 B1`; `paired` is the backward's micro-batch. Numbers
    that do not apply are ABSENT.
    """
    if kind is Kind.OVERLAP:
        return f"{Kind.FORWARD.letter}{microbatch} {Kind.BACKWARD.letter}{paired}"
    numbers = (microbatch, bucket, block, replica if kind.is_communication else ABSENT)
    return kind.letter + next((str(n) for n in numbers if n != ABSENT), "")


class Trace:
    """Everything known of a run so far; `append` takes the stream's batches as they come.

    `version` grows with every batch, so that a view knows when to draw again. `costs` is what the
    run's tasks were measured to cost before it, as JSON, or None. `table` has what spans
    tell beside their times, `step_table` the times of all steps.
    """

    def __init__(self, header: Header) -> None:
        self.header = header
        self.version = 0
        self.table = TaskTable()
        self.step_table = StepBounds()
        self._lanes = [LaneSpans(self.table) for _ in header.lanes]
        self._open: dict[tuple[int, int], Span] = {}
        self._steps: list[int] = []
        self._counters: dict[tuple[str, int | None], Counter] = {}
        self._blocks: list[Blocks] = []
        self.logs, self.clocks = Log(), Clocks()
        self.costs: str | None = None
        self._faults: tuple[int, tuple[Fault, ...]] | None = None

    @classmethod
    def of(
        cls, header: Header, lanes: Sequence[LaneSpans], table: TaskTable, *,
        blocks: Sequence[Blocks] = (), step_table: StepBounds | None = None,
        counters: Iterable[Counter] = (), logs: Log | None = None, clocks: Clocks | None = None,
        costs: str | None = None, open_tasks: Iterable[Span] = (),
        faults: tuple[Fault, ...] | None = None,
    ) -> Trace:  # fmt: skip
        """A trace with all that is known of a run, kept as it is given: none of it is copied."""
        trace = cls(header)
        trace.table, trace._lanes, trace._blocks = table, list(lanes), list(blocks)
        trace.step_table = StepBounds() if step_table is None else step_table
        trace._counters = {(c.name, c.lane): c for c in counters}
        trace.logs, trace.clocks, trace.costs = logs or Log(), clocks or Clocks(), costs
        trace._open = {(span.step, span.task): span for span in open_tasks}
        trace._faults = None if faults is None else (trace.version, faults)
        return trace

    def spans(self, lane: int) -> Spans:
        """The finished spans of a lane, in order of time."""
        return self._lanes[lane].view

    def blocks(self, lane: int) -> Blocks | None:
        """Sums over a lane's spans where they were made beforehand: in a recording's index."""
        return self._blocks[lane] if self._blocks else None

    @property
    def span_count(self) -> int:
        """Finished spans of all lanes."""
        return sum(len(lane) for lane in self._lanes)

    @property
    def open_tasks(self) -> list[Span]:
        """Tasks that have started and not ended."""
        return list(self._open.values())

    @property
    def steps(self) -> list[int]:
        """Steps of which there is a span, in order. The list grows with the run: change nothing."""
        numbers, known = self.step_table.numbers, len(self._steps)
        if known and (len(numbers) < known or numbers[known - 1] != self._steps[-1]):
            self._steps, known = [], 0  # an earlier step came late
        if len(numbers) > known:
            self._steps += numbers[known:].tolist()
        return self._steps

    def step_at(self, time_ns: float) -> int | None:
        """The step within whose bounds a moment lies, or None between steps."""
        table = self.step_table
        index = int(places(table.starts, math.floor(time_ns), "right")) - 1
        if index < 0 or time_ns >= table.ends[index]:
            return None
        return int(table.numbers[index])

    def step_bounds(self, step: int) -> tuple[int, int]:
        """First start and last end of a step's spans so far, in ns. Raises KeyError if none."""
        return self.step_table.find(step)

    @property
    def bounds(self) -> tuple[int, int]:
        """First start and last end of the run's spans and open tasks, in ns; (0, 0) if none."""
        moments = [span.start for span in self._open.values()]
        if self.step_table.bounds != (0, 0):
            moments += self.step_table.bounds
        return (min(moments), max(moments)) if moments else (0, 0)

    def task(self, place: int) -> Task:
        """A task of the table, as its plan has it."""
        return Task(int(self.table.rows["task"][place]), **self.table.told(place))

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What steps that are over lack, or have twice (core.trace.complete)."""
        if self._faults is None or self._faults[0] != self.version:
            self._faults = self.version, find_faults(self)
        return self._faults[1]

    @property
    def outcome(self) -> str | None:
        """How the run ended, as the log says: `finished`, `stopped`, `failed`; else None."""
        places = self.logs.at_levels({STATE_LEVEL})
        return self.logs[int(places[-1])].text.partition(":")[0] if len(places) else None

    @property
    def counters(self) -> list[Counter]:
        """All counters, by name and lane."""
        return list(self._counters.values())

    def counter(self, name: str, lane: int | None = None) -> Counter:
        """A counter; an empty one if it never had a value."""
        return self._counters.get((name, lane)) or Counter(name, lane)

    def span(self, lane: int, index: int) -> Span:
        """One finished span. Raises IndexError if there is none."""
        place = range(len(self._lanes[lane]))[index]
        one = self._lanes[lane].view[place : place + 1]
        return _span(lane, place, one)

    def find(self, step: int, task: int) -> Span | None:
        """The span of a task in a step, or None if it has not ended (yet)."""
        for lane, columns in enumerate(self._lanes):
            spans = columns.view
            first, last = places(spans.step, [step, step + 1])
            hits = np.flatnonzero(self.table.rows["task"][spans.row[first:last]] == task)
            if len(hits):
                return self.span(lane, int(first + hits[0]))
        return None

    def waited_for(self, span: Span) -> Span | None:
        """The span, of those that `span` waited for, that ended last."""
        found = [self.find(span.step, task) for task in span.after]
        ended = [other for other in found if other is not None]
        return max(ended, key=lambda other: other.end or 0, default=None)

    def append(self, batch: pa.RecordBatch) -> None:
        """Take a batch of the stream.

        Raises ValueError or LookupError for rows that no run has: of lanes, plans or tasks that
        there are not, with ends before starts, with numbers that are out of bounds.
        """
        takers = {
            Record.PLAN: self._append_plans,
            Record.OPEN: self._append_open,  # first: batches may have been joined
            Record.SPAN: self._append_spans,
            Record.COUNTER: self._append_counters,
            Record.LOG: self._append_logs,
            Record.CLOCK: self._append_clocks,
        }
        parts = parts_of(batch)
        for record, take in takers.items():
            if record in parts:
                take(parts[record])
        self.version += 1

    def retimed(self, steps: Mapping[int, Times]) -> Trace:
        """A trace of some steps alone whose tasks have other times, marked as predicted.

        `steps` maps a step to the tasks (sorted), starts and ends in ns of its spans. Counters,
        logs and clocks are left behind.
        """
        other = Trace(replace(self.header, predicted=True))
        other.table = self.table
        for lane in (one.index for one in working_lanes(self.header.lanes)):
            spans, parts = self.spans(lane), []
            for step, (tasks, starts, ends) in sorted(steps.items()):
                first, last = places(spans.step, [step, step + 1])
                some = spans[first:last]
                at = np.searchsorted(tasks, some["task"])
                order = stable_order(starts[at])
                parts.append(some.timed(starts[at], ends[at])[order])
            if parts:  # step by step: one that is predicted to be long reaches into the next
                other._lanes[lane] = LaneSpans.of(Spans.joined(parts))
        for step, (_, starts, ends) in steps.items():
            other.step_table.widen(np.full(len(starts), step, np.int32), starts, ends)
        other.version += 1
        return other

    def _append_plans(self, batch: pa.RecordBatch) -> None:
        first = len(self.table)
        take_plans(batch, self.table)
        lanes = self.table.rows["lane"][first:]
        self._check_lanes(lanes[lanes != ABSENT])

    def _append_spans(self, batch: pa.RecordBatch) -> None:
        spans, lanes = spans_of(batch, self.table)
        self._check_lanes(lanes)
        if (spans.end < spans.start).any():
            raise ValueError("a span ends before it starts")
        for lane, some in by_lane(spans, lanes):
            self._lanes[lane].extend(some)
        self.step_table.widen(spans.step, spans.start, spans.end)
        if self._open:
            self._close(spans)

    def _check_lanes(self, lanes: NDArray[Any]) -> None:
        """Raise LookupError for a lane that the run does not have."""
        if len(lanes) and not 0 <= lanes.min() <= lanes.max() < len(self._lanes):
            raise LookupError(f"there is no lane {lanes.max()}, only {len(self._lanes)}")

    def _close(self, spans: Spans) -> None:
        """Tasks that have a span now are not open any more."""
        going = np.array(sorted(self._open), np.int64)
        keys, ended = going @ _KEY, np.stack([spans.step, spans["task"]], axis=1) @ _KEY
        at = np.minimum(np.searchsorted(keys, ended), len(keys) - 1)
        for step, task in going[np.unique(at[keys[at] == ended])].tolist():
            del self._open[step, task]

    def _append_open(self, batch: pa.RecordBatch) -> None:
        spans, lanes = spans_of(batch, self.table)
        self._check_lanes(lanes)
        for place, lane in enumerate(lanes.tolist()):
            opened = _span(lane, ABSENT, spans[place : place + 1])
            self._open[opened.step, opened.task] = opened

    def _append_counters(self, batch: pa.RecordBatch) -> None:
        told = notes_of(batch)
        names = told.field("name").dictionary_encode()
        texts, codes = names.dictionary.to_pylist(), names.indices.to_numpy(zero_copy_only=False)
        lanes, steps = numbers_in(told.field("lane")), numbers_of(batch, "step")
        times = numbers_of(batch, "start")
        values = told.field("value").to_numpy(zero_copy_only=False)
        self._check_lanes(lanes[lanes != ABSENT])
        # Of a lane, bytes are counted; a loss may well be no number.
        if not (np.abs(values[lanes != ABSENT]) <= LATEST).all():
            raise ValueError("a lane's counter is out of bounds")
        width = int(lanes.max()) - ABSENT + 1
        for key, mine in groups(codes * width + (lanes - ABSENT)):
            code, lane = divmod(key, width)
            named = (texts[code], lane + ABSENT if lane else None)
            counter = self._counters.setdefault(named, Counter(*named))
            counter.extend(times[mine], values[mine], steps[mine])

    def _append_logs(self, batch: pa.RecordBatch) -> None:
        told = notes_of(batch)
        levels, texts = told.field("name").to_pylist(), told.field("text").to_pylist()
        lines = np.array([level != COSTS_LEVEL for level in levels], np.bool_)
        for text, is_line in zip(texts, lines, strict=True):
            self.costs = self.costs if is_line else text
        times, steps = numbers_of(batch, "start"), numbers_of(batch, "step")
        self.logs.extend(
            times[lines], steps[lines], compress(levels, lines), compress(texts, lines)
        )

    def _append_clocks(self, batch: pa.RecordBatch) -> None:
        told = notes_of(batch)
        values = told.field("value").to_numpy(zero_copy_only=False)
        if not np.isfinite(values).all():
            raise ValueError("a clock's uncertainty is no finite number")
        self.clocks.extend(numbers_of(batch, "step"), told.field("name").to_pylist(), values)

    def __iter__(self) -> Iterator[Span]:
        """Every finished span, lane by lane."""
        for lane in range(len(self._lanes)):
            for index in range(len(self._lanes[lane])):
                yield self.span(lane, index)


def _span(lane: int, index: int, one: Spans) -> Span:
    """The only span of `one`; an open task's end is absent."""
    table, row = one.table, one.table.rows[one.row[0]]
    times = {name: _maybe(one[name][0]) for name in ("step", "start", "end", "ready", "launched")}
    told = {**table.told(int(one.row[0])), **times, "lane": lane, "index": index}
    name = "" if row["name"] == ABSENT else table.names[row["name"]]
    return Span(**told, task=int(row["task"]), name=name)


def _maybe(value: Any) -> int | None:
    return None if value == ABSENT else int(value)
