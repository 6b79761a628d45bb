"""A run in memory: each lane's spans as growing columns, with counters, logs and clocks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.plan.task import KINDS, Kind, Payload
from core.trace.schema import PAYLOADS, RECORDS, WORDS, Header, Record

ABSENT = -1
COSTS_LEVEL = "costs"
"""The level of the log row that holds what a run's tasks cost, as JSON: no line to read."""
SPAN_DTYPE = np.dtype(
    [
        ("start", np.int64),
        ("end", np.int64),
        ("ready", np.int64),
        ("launched", np.int64),
        ("bytes", np.int64),
        ("after", np.int64),
        ("rows", np.int32),
        ("step", np.int32),
        ("task", np.int32),
        ("microbatch", np.int32),
        ("stage", np.int16),
        ("replica", np.int16),
        ("block", np.int16),
        ("bucket", np.int16),
        ("paired_stage", np.int16),
        ("paired_microbatch", np.int16),
        ("after_count", np.uint16),
        ("kind", np.int8),
        ("payload", np.int8),
    ]
)
"""A span's row, 80 bytes. Absent numbers are -1; `kind` indexes KINDS; `after` is the first of
`after_count` entries of Trace.after, the tasks of the same step that the span waited for."""
_COPIED = ("ready", "launched", "bytes", "rows", "step", "task", "microbatch",
           "stage", "replica", "block", "bucket", "paired_stage", "paired_microbatch",
           "start", "end")  # fmt: skip

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

    @property
    def label(self) -> str:
        """What a bar says: see `bar_label`."""
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


@dataclass(frozen=True, slots=True)
class LogRow:
    """A line of text; `level` is info, size, warning, error or state."""

    time: int
    level: str
    text: str
    step: int | None = None


@dataclass(frozen=True, slots=True)
class ClockRow:
    """The half-width in ns of a device's clock anchors in one step."""

    step: int
    device: str
    uncertainty_ns: float


class Column:
    """A NumPy array that grows at its end; `view` is what has been filled."""

    def __init__(self, dtype: np.dtype[Any] | type, capacity: int = 64) -> None:
        self._data = np.empty(capacity, dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def view(self) -> NDArray[Any]:
        """The filled part; a later `extend` may leave this view behind."""
        return self._data[: self._size]

    def extend(self, values: NDArray[Any]) -> None:
        """Append `values`, growing by half as much again when full."""
        needed = self._size + len(values)
        if needed > len(self._data):
            grown = np.empty(max(needed, len(self._data) * 3 // 2), self._data.dtype)
            grown[: self._size] = self.view
            self._data = grown
        self._data[self._size : needed] = values
        self._size = needed

    def cut(self, size: int) -> None:
        """Keep only the first `size` values."""
        self._size = min(size, self._size)


class Counter:
    """A named value over time, of one lane or (`lane` None) of the run."""

    def __init__(self, name: str, lane: int | None) -> None:
        self.name, self.lane = name, lane
        self._times, self._values, self._steps = (
            Column(np.int64),
            Column(np.float64),
            Column(np.int32),
        )

    @property
    def times(self) -> NDArray[np.int64]:
        """Time of each value, in ns since the run's start."""
        return self._times.view

    @property
    def values(self) -> NDArray[np.float64]:
        """The value from each time on."""
        return self._values.view

    @property
    def steps(self) -> NDArray[np.int32]:
        """The step of each value, or -1."""
        return self._steps.view

    def at(self, times: NDArray[np.int64]) -> NDArray[np.float64]:
        """The value at each of `times`; 0 before the first."""
        values = np.zeros(len(times))
        index = np.searchsorted(self.times, times, "right") - 1
        known = index >= 0
        values[known] = self.values[index[known]]
        return values

    def extend(self, times: NDArray[Any], values: NDArray[Any], steps: NDArray[Any]) -> None:
        """Append values in order of time."""
        self._times.extend(times)
        self._values.extend(values)
        self._steps.extend(steps)


class Trace:
    """Everything known of a run so far; `append` takes the stream's batches as they come.

    `version` grows with every batch, so that a view knows when to draw again. `costs` is what the
    run's tasks were measured to cost before it, as JSON, or None.
    """

    def __init__(self, header: Header) -> None:
        self.header = header
        self.version = 0
        self._lanes = [Column(SPAN_DTYPE) for _ in header.lanes]
        self._after = Column(np.int32)
        self._open: dict[tuple[int, int], Span] = {}
        self._bounds: dict[int, tuple[int, int]] = {}
        self._steps: list[int] = []
        self._counters: dict[tuple[str, int | None], Counter] = {}
        self.logs: list[LogRow] = []
        self.costs: str | None = None
        self.clocks: list[ClockRow] = []

    def spans(self, lane: int) -> NDArray[Any]:
        """The finished spans of a lane as a structured array (SPAN_DTYPE), in order of time."""
        return self._lanes[lane].view

    @property
    def span_count(self) -> int:
        """Finished spans of all lanes."""
        return sum(len(lane) for lane in self._lanes)

    @property
    def open_tasks(self) -> list[Span]:
        """Tasks that have started and not ended."""
        return list(self._open.values())

    @property
    def after(self) -> NDArray[np.int32]:
        """What all spans waited for, one behind the other: see SPAN_DTYPE."""
        return self._after.view

    @property
    def steps(self) -> list[int]:
        """Steps of which there is a span, in order."""
        if len(self._steps) != len(self._bounds):
            self._steps = sorted(self._bounds)
        return self._steps

    def step_at(self, time_ns: float) -> int | None:
        """The step within whose bounds a moment lies, or None between steps."""
        steps = self.steps
        index = bisect_right(steps, time_ns, key=lambda step: self._bounds[step][0]) - 1
        if index < 0 or time_ns >= self._bounds[steps[index]][1]:
            return None
        return steps[index]

    def step_bounds(self, step: int) -> tuple[int, int]:
        """First start and last end of a step's spans so far, in ns. Raises KeyError if none."""
        return self._bounds[step]

    @property
    def bounds(self) -> tuple[int, int]:
        """First start and last end of the run's spans and open tasks, in ns; (0, 0) if none."""
        starts = [start for start, _ in self._bounds.values()] + [s.start for s in self.open_tasks]
        ends = [end for _, end in self._bounds.values()] + [s.start for s in self.open_tasks]
        return (min(starts), max(ends)) if starts else (0, 0)

    @property
    def counters(self) -> list[Counter]:
        """All counters, by name and lane."""
        return list(self._counters.values())

    def counter(self, name: str, lane: int | None = None) -> Counter:
        """A counter; an empty one if it never had a value."""
        return self._counters.get((name, lane)) or Counter(name, lane)

    def span(self, lane: int, index: int) -> Span:
        """One finished span. Raises IndexError if there is none."""
        row = self._lanes[lane].view[index]
        first, count = int(row["after"]), int(row["after_count"])
        after = tuple(int(task) for task in self.after[first : first + count])
        return _span(lane, index if index >= 0 else len(self._lanes[lane]) + index, row, after)

    def find(self, step: int, task: int) -> Span | None:
        """The span of a task in a step, or None if it has not ended (yet)."""
        for lane in range(len(self._lanes)):
            rows = self._lanes[lane].view
            first, last = np.searchsorted(rows["step"], [step, step + 1])
            hits = np.flatnonzero(rows["task"][first:last] == task)
            if len(hits):
                return self.span(lane, int(first + hits[0]))
        return None

    def waited_for(self, span: Span) -> Span | None:
        """The span, of those that `span` waited for, that ended last."""
        found = [self.find(span.step, task) for task in span.after]
        ended = [other for other in found if other is not None]
        return max(ended, key=lambda other: other.end or 0, default=None)

    def append(self, batch: pa.RecordBatch) -> None:
        """Take a batch of the stream."""
        records = _codes(batch, "record")
        takers = {
            Record.SPAN: self._append_spans,
            Record.OPEN: self._append_open,
            Record.COUNTER: self._append_counters,
            Record.LOG: self._append_logs,
            Record.CLOCK: self._append_clocks,
        }
        for code in np.unique(records):
            if RECORDS[code] is Record.NONE:
                continue
            rows = np.flatnonzero(records == code)
            part = batch if len(rows) == len(records) else batch.take(pa.array(rows))
            takers[RECORDS[code]](part)
        self.version += 1

    def retimed(self, steps: Mapping[int, Times]) -> Trace:
        """A trace of some steps alone whose tasks have other times, marked as predicted.

        `steps` maps a step to the tasks (sorted), starts and ends in ns of its spans. Counters,
        logs and clocks are left behind.
        """
        other = Trace(replace(self.header, predicted=True))
        other._after.extend(self.after)
        for lane, column in enumerate(self._lanes):
            spans = column.view
            for step, (tasks, starts, ends) in sorted(steps.items()):
                first, last = np.searchsorted(spans["step"], [step, step + 1])
                rows = spans[first:last].copy()
                at = np.searchsorted(tasks, rows["task"])
                rows["start"], rows["end"] = starts[at], ends[at]
                rows["ready"] = rows["launched"] = ABSENT
                other._lanes[lane].extend(rows[np.argsort(rows["start"], kind="stable")])
        for step, (_, starts, ends) in steps.items():
            other._bounds[step] = (int(starts.min()), int(ends.max()))
        other.version += 1
        return other

    def _append_spans(self, batch: pa.RecordBatch) -> None:
        spans = _span_rows(batch, len(self._after))
        self._after.extend(batch["after"].flatten().to_numpy(zero_copy_only=False))
        lanes = batch["lane"].to_numpy(zero_copy_only=False)
        for lane in np.unique(lanes):
            self._lanes[lane].extend(spans[lanes == lane])
        for step in np.unique(spans["step"]):
            mine = spans[spans["step"] == step]
            start, end = int(mine["start"].min()), int(mine["end"].max())
            known = self._bounds.get(int(step), (start, end))
            self._bounds[int(step)] = (min(start, known[0]), max(end, known[1]))
        if self._open:
            for key in zip(spans["step"].tolist(), spans["task"].tolist(), strict=True):
                self._open.pop(key, None)

    def _append_open(self, batch: pa.RecordBatch) -> None:
        rows = _span_rows(batch, 0)
        rows["end"] = ABSENT
        columns = (batch["lane"].to_pylist(), rows, batch["after"].to_pylist())
        for lane, row, after in zip(*columns, strict=True):
            opened = _span(lane, ABSENT, row, tuple(after or ()))
            self._open[opened.step, opened.task] = opened

    def _append_counters(self, batch: pa.RecordBatch) -> None:
        columns = [batch[name].to_pylist() for name in ("name", "lane", "start", "value", "step")]
        for name, lane, start, value, step in zip(*columns, strict=True):
            counter = self._counters.setdefault((name, lane), Counter(name, lane))
            known = ABSENT if step is None else step
            counter.extend(np.array([start]), np.array([value]), np.array([known]))

    def _append_logs(self, batch: pa.RecordBatch) -> None:
        columns = [batch[name].to_pylist() for name in ("start", "name", "text", "step")]
        rows = [LogRow(*row) for row in zip(*columns, strict=True)]
        self.logs += [row for row in rows if row.level != COSTS_LEVEL]
        self.costs = next((row.text for row in rows if row.level == COSTS_LEVEL), self.costs)

    def _append_clocks(self, batch: pa.RecordBatch) -> None:
        columns = [batch[name].to_pylist() for name in ("step", "name", "value")]
        self.clocks += [ClockRow(*row) for row in zip(*columns, strict=True)]

    def __iter__(self) -> Iterator[Span]:
        """Every finished span, lane by lane."""
        for lane in range(len(self._lanes)):
            for index in range(len(self._lanes[lane])):
                yield self.span(lane, index)


def _span(lane: int, index: int, row: Any, after: tuple[int, ...]) -> Span:
    """A row of SPAN_DTYPE as a Span; an open task's end is absent."""

    def maybe(name: str) -> int | None:
        return None if row[name] == ABSENT else int(row[name])

    return Span(
        lane=lane,
        index=index,
        kind=KINDS[row["kind"]],
        step=int(row["step"]),
        task=int(row["task"]),
        start=int(row["start"]),
        end=maybe("end"),
        stage=maybe("stage"),
        replica=maybe("replica"),
        microbatch=maybe("microbatch"),
        block=maybe("block"),
        bucket=maybe("bucket"),
        rows=int(row["rows"]),
        bytes=int(row["bytes"]),
        payload=PAYLOADS[row["payload"]],
        ready=maybe("ready"),
        launched=maybe("launched"),
        after=after,
        paired_stage=maybe("paired_stage"),
        paired_microbatch=maybe("paired_microbatch"),
    )


def _codes(batch: pa.RecordBatch, name: str) -> NDArray[np.int8]:
    """The word column as codes of WORDS, whatever dictionary its writer used; -1 where null."""
    column = batch[name]
    indices = column.indices.fill_null(ABSENT).to_numpy(zero_copy_only=False)
    codes: NDArray[np.int8] = indices.astype(np.int8)
    words = column.dictionary.to_pylist()
    if tuple(words) == WORDS[name]:
        return codes
    translate: NDArray[np.int8] = np.array(
        [WORDS[name].index(word) for word in words] + [ABSENT], np.int8
    )
    translated: NDArray[np.int8] = translate[codes]
    return translated


def _span_rows(batch: pa.RecordBatch, first_after: int) -> NDArray[Any]:
    spans = np.empty(len(batch), SPAN_DTYPE)
    for name in _COPIED:
        spans[name] = batch[name].fill_null(ABSENT).to_numpy(zero_copy_only=False)
    for name in ("kind", "payload"):
        spans[name] = _codes(batch, name)
    counts = batch["after"].value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    spans["after_count"] = counts
    spans["after"] = first_after + np.cumsum(counts) - counts
    return spans
