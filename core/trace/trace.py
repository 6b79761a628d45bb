"""A run in memory: each lane's spans as growing columns, with counters, logs and clocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.plan.task import Task
from core.trace.arguments import Arguments
from core.trace.blocks import Blocks
from core.trace.event_rows import Counter, Counters, Log
from core.trace.header import Header
from core.trace.odd import Odd
from core.trace.span import Span, span_of
from core.trace.spans import Spans, TaskTable
from core.trace.step_bounds import Fault, StepBounds

STATE_LEVEL = "state"
"""The level of the log row that says how a run ended."""

_KEY = np.array([1 << 32, 1])  # makes one number of a step and a task


@dataclass(eq=False)
class Trace:
    """Everything known of a run so far; it grows as core.recording.decode reads the run's stream.

    What is handed in is kept as it is, none of it copied. `table` has what spans are beside their
    times, `step_table` the times of all steps, `lanes` the spans of each lane, `open_spans` the
    tasks that have not ended, by step and number. `costs` is what the run's tasks were measured to
    cost before it, as JSON, or None; `size_costs` the same of the model's blocks in micro-batches
    of several sizes. `clocks` have the half-width in ns of a device's anchors in
    each step, by the device's name. `lane_blocks` are there where they were made beforehand: in a
    recording's index. `version` grows with every batch, so that a view knows when to draw again.
    `odd` counts what was odd about another program's file, `arguments` are where that has more
    about the rows of `table`, and `colours` those of its own that these have (OWN_COLOURS).
    `imported_steps` are there if such a trace is read from a recording: spans of other steps are of
    none. That recording `keeps_arguments` or has none.
    `counter_places` has, by the names of such a file's counters, the rank or process of each.
    `part` is the range in ns that is the trace's only step, None where steps are its own.
    Until `heard`, in ns, somebody watched the run go on; see `last_heard`.
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
    odd: Mapping[Odd, int] = field(default_factory=dict)
    arguments: Arguments | None = None
    colours: NDArray[np.int8] | None = None
    imported_steps: NDArray[np.int32] | None = None
    keeps_arguments: bool = False
    part: tuple[int, int] | None = None
    counter_places: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lanes = self.lanes or [Spans.empty(self.table) for _ in self.header.lanes]
        self._steps: list[int] = []
        self.step_table.follow = self.header.is_job
        self.faults_version = self.version  # at which `known_faults` were found

    def snapshot(self) -> Trace:
        """The run as it is now, for a thread to read while it goes on. Its log is left behind.

        Columns are shared: what stands in them stays, they only grow. Bounds of steps are copied.
        """
        return replace(
            self,
            lanes=list(self.lanes),
            # A step's bounds widen with its spans: they are written to in place.
            step_table=self.step_table.copy(),
            counters={key: Counter(*key, c.arrays) for key, c in self.counters.items()},
            clocks={},
            logs=Log(),
            open_spans=dict(self.open_spans),
            known_faults=None,
        )

    def spans(self, lane: int) -> Spans:
        """The finished spans of a lane, in order of time."""
        return self.lanes[lane]

    def blocks(self, lane: int) -> Blocks | None:
        """Sums over a lane's spans where they were made beforehand: in a recording's index."""
        return self.lane_blocks[lane] if self.lane_blocks else None

    @property
    def span_count(self) -> int:
        """Finished spans of all lanes."""
        return sum(map(len, self.lanes))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw: no span, and no task that goes on."""
        return self.span_count == 0 and not self.open_tasks

    @property
    def open_tasks(self) -> list[Span]:
        """Tasks that have started and not ended."""
        return list(self.open_spans.values())

    @property
    def steps(self) -> list[int]:
        """Steps of which there is a span, in order. The list grows with the run: change nothing."""
        numbers, known = self.step_table.numbers, len(self._steps)
        if known and (len(numbers) < known or numbers[known - 1] != self._steps[-1]):
            self._steps, known = [], 0  # an earlier step came late
        if len(numbers) > known:
            self._steps += numbers[known:].tolist()
        return self._steps

    def step_bounds(self, step: int) -> tuple[int, int]:
        """Start and end of a step so far, in ns. Raises KeyError if it has no spans.

        These are its first start and last end; a job's step starts where the one before it ended.
        """
        return self.step_table.find(step)

    @property
    def bounds(self) -> tuple[int, int]:
        """First start and last end of the run's spans and open tasks, in ns; (0, 0) if none."""
        moments = [span.start for span in self.open_spans.values()]
        if self.step_table.bounds != (0, 0):
            moments += self.step_table.bounds
        return (min(moments), max(moments)) if moments else (0, 0)

    @property
    def last_heard(self) -> int:
        """Until when, in ns, it is known that the run went on: from its spans, log, or watchers."""
        return max(self.heard, self.bounds[1], int(self.logs.arrays["time"].max(initial=0)))

    def task(self, place: int) -> Task:
        """A task of the table, as its plan has it."""
        return Task(int(self.table.rows["task"][place]), **self.table.attributes(place))

    @property
    def outcome(self) -> str | None:
        """How the run ended, as the log says: `finished`, `stopped`, `failed`; else None."""
        places = self.logs.at_levels({STATE_LEVEL})
        return self.logs[int(places[-1])].text.partition(":")[0] if len(places) else None

    def counter(self, name: str, lane: int | None = None) -> Counter:
        """A counter; an empty one if it never had a value."""
        return self.counters.get((name, lane)) or Counter(name, lane)

    def span(self, lane: int, index: int) -> Span:
        """One finished span. Raises IndexError if there is none."""
        # From the end where the index is negative, and an IndexError where there is none.
        place = range(len(self.lanes[lane]))[index]
        return span_of(lane, place, self.spans(lane)[place : place + 1])

    def find(self, step: int, task: int) -> Span | None:
        """The span of a task in a step, or None if it has not ended (yet)."""
        for lane in range(len(self.lanes)):
            spans = self.spans(lane)
            mine = spans.of_step(step)
            hits = np.flatnonzero(self.table.rows["task"][spans.row[mine]] == task)
            if len(hits):
                return self.span(lane, mine.start + int(hits[0]))
        return None

    def add_spans(self, spans: Spans, by_lane: Iterable[tuple[int, Spans]]) -> None:
        """Take in finished spans: all of them, and those of each lane.

        Raises ValueError for those that no run has.
        """
        if (spans.end < spans.start).any():
            raise ValueError("a span ends before it starts")
        for lane, some in by_lane:
            before = self.lanes[lane]
            self.lanes[lane] = before.with_later(some)
            if self.imported_steps is not None:
                # Those that come late are put among those before.
                is_late = (
                    len(before) and some.start.min(initial=before.start[-1]) < before.start[-1]
                )
                _check_apart(self.lanes[lane], 0 if is_late else max(0, len(before) - 1))
                self.step_table.take(self.header.lanes[lane], some, self.imported_steps)
        if self.imported_steps is None:
            self.step_table.widen(spans.step, spans.start, spans.end)
        if self.open_spans:
            self._close(spans)

    def check_lanes(self, lanes: NDArray[Any]) -> None:
        """Raise LookupError for a lane that the run does not have."""
        if len(lanes) and not 0 <= lanes.min() <= lanes.max() < len(self.lanes):
            raise LookupError(f"there is no lane {lanes.max()}, only {len(self.lanes)}")

    def _close(self, spans: Spans) -> None:
        """Tasks that have a span now are not open any more."""
        # Few tasks are open, and of the latest steps: of the many spans that come at once only
        # those of these steps are looked up, as whole numbers of step and task.
        going = np.array(sorted(self.open_spans), np.int64)
        mine = (spans.step >= going[0, 0]) & (spans.step <= going[-1, 0])
        tasks = self.table.rows["task"][spans.row[mine]]
        ended = np.stack([spans.step[mine], tasks], axis=1) @ _KEY
        for step, task in going[np.isin(going @ _KEY, ended)].tolist():
            del self.open_spans[step, task]

    def __iter__(self) -> Iterator[Span]:
        """Every finished span, lane by lane."""
        for lane, spans in enumerate(self.lanes):
            yield from (self.span(lane, index) for index in range(len(spans)))


def _check_apart(spans: Spans, first: int) -> None:
    """Raise ValueError if a span of a lane, `first` or later, begins before another has ended."""
    if (spans.start[first + 1 :] < spans.end[first:-1]).any():
        raise ValueError("spans of a lane overlap")
