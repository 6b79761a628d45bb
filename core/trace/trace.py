"""A run in memory: each lane's spans as growing columns, with counters, logs and clocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.message import message
from core.plan.task import Task
from core.trace.blocks import Blocks
from core.trace.event_rows import Counter, Counters, Log
from core.trace.header import Header
from core.trace.imported import Imported
from core.trace.source import Source
from core.trace.span import Span, span_of
from core.trace.spans import Spans, TaskTable
from core.trace.step_bounds import Fault, StepBounds

STATE_LEVEL = "state"
"""The level of the log row that says how a run ended."""

_KEY = np.array([1 << 32, 1])  # combines step and task into one number


@dataclass(eq=False)
class Trace:
    """All data of a run so far; it grows while core.recording.decode reads the run's stream.

    The arguments are not copied. `imported` is set only for traces of other programs. `table` has
    the attributes of tasks, `step_table` the times of all steps, `lanes` the spans of each lane,
    and `open_spans` the tasks that have not ended, by step and task. `costs` are the measured costs
    of the run's tasks as JSON, or None; `size_costs` are costs of the model's blocks in
    micro-batches of several sizes. `clocks` are counters, by device, of the uncertainty in ns of
    its clock in each step. `lane_blocks` are sums from a recording's index. `version` grows with
    every batch, so that views know when to draw again. `heard` is the last time in ns at which an
    observer saw the run alive; see `last_alive`. `part` is the range in ns that is the trace's only
    step, None if the trace has its own steps. `listed_steps` are the steps of a trace whose
    recording lists them: spans with another step number belong to no step.
    """

    header: Header
    table: TaskTable = field(default_factory=TaskTable)
    lanes: list[Spans] = field(default_factory=list)
    step_table: StepBounds = field(default_factory=StepBounds)
    counters: Counters = field(default_factory=dict)
    clocks: Counters = field(default_factory=dict)
    logs: Log = field(default_factory=Log)
    costs: str | None = None
    size_costs: str | None = None
    open_spans: dict[tuple[int, int], Span] = field(default_factory=dict)
    lane_blocks: Sequence[Blocks] = ()
    known_faults: tuple[Fault, ...] | None = None
    version: int = 0
    heard: int = 0
    part: tuple[int, int] | None = None
    listed_steps: NDArray[np.int32] | None = None
    imported: Imported | None = None

    def __post_init__(self) -> None:
        if not self.lanes:
            self.lanes = [Spans.empty(self.table) for _ in self.header.lanes]
        self._steps: list[int] = []
        self.step_table.follow = self.header.source is Source.JOB
        if self.header.source is Source.IMPORTED and self.imported is None:
            self.imported = Imported()
        self.faults_version = self.version  # at which `known_faults` were found

    def snapshot(self) -> Trace:
        """Return the run as it is now, without log and clocks, to read in another thread.

        Columns are shared, because they only grow. Bounds of steps are copied, because they change.
        """
        counters: Counters = {}
        for (name, lane), counter in self.counters.items():
            counters[name, lane] = Counter(name, lane, counter.arrays)
        return replace(
            self,
            lanes=list(self.lanes),
            step_table=self.step_table.copy(),
            counters=counters,
            clocks={},
            logs=Log(),
            open_spans=dict(self.open_spans),
            known_faults=None,
        )

    def spans(self, lane: int) -> Spans:
        """Return the finished spans of a lane, in order of time."""
        return self.lanes[lane]

    def blocks(self, lane: int) -> Blocks | None:
        """Return the sums over a lane's spans from a recording's index; None without an index."""
        if not self.lane_blocks:
            return None
        return self.lane_blocks[lane]

    @property
    def span_count(self) -> int:
        """Number of finished spans of all lanes."""
        return sum(map(len, self.lanes))

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to draw: no span and no open task."""
        return self.span_count == 0 and not self.open_tasks

    @property
    def open_tasks(self) -> list[Span]:
        """Tasks that have started but not ended."""
        return list(self.open_spans.values())

    @property
    def steps(self) -> list[int]:
        """Steps with a span, in order. The list grows with the run; do not modify it."""
        numbers = self.step_table.numbers
        known = len(self._steps)
        if known:
            last = self._steps[-1]
            is_extended = len(numbers) >= known and numbers[known - 1] == last
            if not is_extended:
                # An earlier step arrived late.
                self._steps = []
                known = 0
        if len(numbers) > known:
            self._steps += numbers[known:].tolist()
        return self._steps

    def step_bounds(self, step: int) -> tuple[int, int]:
        """Return start and end of a step so far, in ns. Raises KeyError if it has no spans.

        These are the first start and last end of its spans, but a job's step starts at the end of
        the step before.
        """
        return self.step_table.find(step)

    @property
    def bounds(self) -> tuple[int, int]:
        """First start and last end of the run's spans and open tasks, in ns; (0, 0) if none."""
        moments = [span.start for span in self.open_spans.values()]
        if self.step_table.bounds != (0, 0):
            moments += self.step_table.bounds
        if not moments:
            return 0, 0
        return min(moments), max(moments)

    @property
    def last_alive(self) -> int:
        """Last time in ns at which the run is known to be alive: from spans, log or observers."""
        times_of_lines = self.logs.arrays["time"]
        last_line = int(times_of_lines.max(initial=0))
        _, last_end = self.bounds
        return max(self.heard, last_end, last_line)

    def task(self, place: int) -> Task:
        """Return a task of the table, numbered as in its plan."""
        number = int(self.table.rows["task"][place])
        attributes = self.table.attributes(place)
        return Task(number, **attributes)

    @property
    def outcome(self) -> str | None:
        """Outcome of the run in its log: `finished`, `stopped` or `failed`; None before its end."""
        places = self.logs.at_levels({STATE_LEVEL})
        if not len(places):
            return None
        last = int(places[-1])
        outcome, _, _ = self.logs[last].text.partition(":")
        return outcome

    def counter(self, name: str, lane: int | None = None) -> Counter:
        """Return a counter; an empty one if it has no value."""
        return self.counters.get((name, lane)) or Counter(name, lane)

    def span(self, lane: int, index: int) -> Span:
        """Return a finished span. Raises IndexError if there is none."""
        # Handles negative and out-of-range indices as a list does.
        spans = self.spans(lane)
        place = range(len(spans))[index]
        return span_of(lane, place, spans[place : place + 1])

    def find(self, step: int, task: int) -> Span | None:
        """Return the span of a task in a step, or None if it has not ended (yet)."""
        for lane in range(len(self.lanes)):
            spans = self.spans(lane)
            mine = spans.of_step(step)
            rows = spans.row[mine]
            tasks = self.table.rows["task"][rows]
            hits = np.flatnonzero(tasks == task)
            if len(hits):
                index = mine.start + int(hits[0])
                return self.span(lane, index)
        return None

    def add_spans(self, spans: Spans, by_lane: Iterable[tuple[int, Spans]]) -> None:
        """Add finished spans, given together and by lane. Raises ValueError if they are invalid."""
        if (spans.end < spans.start).any():
            raise ValueError(message("a span ends before it starts"))
        for lane, some in by_lane:
            before = self.lanes[lane]
            self.lanes[lane] = before.with_later(some)
            if self.imported is not None:
                # An importer puts overlapping spans on different lanes: the recording is damaged.
                first = max(0, len(before) - 1)
                if len(before):
                    last_start = before.start[-1]
                    # Late spans were sorted in among earlier ones: check the whole lane.
                    if some.start.min(initial=last_start) < last_start:
                        first = 0
                _check_apart(self.lanes[lane], first)
            if self.listed_steps is not None:
                self.step_table.take(self.header.lanes[lane], some, self.listed_steps)
        if self.listed_steps is None:
            self.step_table.widen(spans.step, spans.start, spans.end)
        if self.open_spans:
            self._close(spans)

    def check_lanes(self, lanes: NDArray[Any]) -> None:
        """Raise LookupError for a lane that the run does not have."""
        if not len(lanes):
            return
        least = int(lanes.min())
        most = int(lanes.max())
        count = len(self.lanes)
        if least < 0 or most >= count:
            text = message("there is no lane {lane}, only {count}", lane=most, count=count)
            raise LookupError(text)

    def _close(self, spans: Spans) -> None:
        """Remove tasks that now have a span from the open ones."""
        # Few tasks are open, all in the latest steps: look up only the spans of these steps, by
        # step and task as one number.
        open_tasks = np.array(sorted(self.open_spans), np.int64)
        open_steps = open_tasks[:, 0]
        mine = spans.step >= open_steps[0]
        mine &= spans.step <= open_steps[-1]
        rows = spans.row[mine]
        steps = spans.step[mine]
        tasks = self.table.rows["task"][rows]
        ended_tasks = np.stack([steps, tasks], axis=1)
        open_keys = open_tasks @ _KEY
        ended_keys = ended_tasks @ _KEY
        has_ended = np.isin(open_keys, ended_keys)
        for step, task in open_tasks[has_ended].tolist():
            del self.open_spans[step, task]

    def __iter__(self) -> Iterator[Span]:
        """Yield every finished span, lane by lane."""
        for lane, spans in enumerate(self.lanes):
            for index in range(len(spans)):
                yield self.span(lane, index)


def _check_apart(spans: Spans, first: int) -> None:
    """Raise ValueError if a span of a lane, `first` or later, begins before another has ended."""
    starts = spans.start[first + 1 :]
    previous_ends = spans.end[first:-1]
    if (starts < previous_ends).any():
        raise ValueError(message("spans of a lane overlap"))
