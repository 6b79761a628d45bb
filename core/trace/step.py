"""One step as columns, the input of explanations and predictions."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.order import stable_argsort
from core.plan.plan import Plan, working_lanes
from core.plan.task import ABSENT, COLUMN_TYPES, IS_COLLECTIVE, Task, TaskColumns
from core.recorder.rank_step import GROUP
from core.trace.imported import Exchanges
from core.trace.spans import Spans
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class StepSpans:
    """The n finished spans of a step without nested lanes, sorted by task.

    `lane` and `index`, shape (n,), are the position of each of `spans`. `exchanges` are those of
    the trace (core.trace.imported). `is_range` is true if the step is a range of the trace that
    begins after the trace does.
    """

    lane: NDArray[np.int32]
    index: Ints
    spans: Spans
    exchanges: Exchanges
    is_range: bool = False

    @classmethod
    def of(cls, trace: Trace, step: int, rows: NDArray[np.integer[Any]] | None = None) -> StepSpans:
        """Return a step's spans so far; with `rows`, only the spans of these tasks."""
        lanes = []
        indices = []
        parts = []
        for lane in working_lanes(trace.header.lanes):
            spans = trace.spans(lane.index)
            where = spans.of_step(step)
            index = np.arange(where.start, where.stop)
            part = spans[where]
            if rows is not None:
                chosen = np.isin(part.row, rows)
                index = index[chosen]
                part = part[chosen]
            lanes.append(np.full(len(index), lane.index, np.int32))
            indices.append(index)
            parts.append(part)
        every = Spans.joined(parts)
        # Explanation and prediction look tasks up by number.
        order = stable_argsort(every["task"])
        lane_of = np.concatenate(lanes)
        index_of = np.concatenate(indices)
        exchanges = {} if trace.imported is None else trace.imported.exchanges
        is_range = trace.part is not None and trace.part[0] > trace.bounds[0]
        return cls(
            lane=lane_of[order],
            index=index_of[order],
            spans=every[order],
            exchanges=exchanges,
            is_range=is_range,
        )


@dataclass(frozen=True, slots=True, eq=False)
class StepColumns(TaskColumns):
    """The n tasks of one step with their times, as arrays of shape (n,), sorted by `task`.

    Times are int64 ns. `after` holds positions in these columns. Recordings do not have shards.
    `group` is a number for the process group of a job's collective, ABSENT if all ranks take part
    or if the plan has the members. `exchanges` has the transfers of tasks by their buckets, if
    these tasks represent transfers. `is_range` is as in StepSpans.
    """

    task: NDArray[np.int32]
    start: Ints
    end: Ints
    launched: Ints
    group: NDArray[np.int32]
    exchanges: Exchanges = field(default_factory=dict)
    is_range: bool = False

    def __getitem__(self, place: int) -> Task:
        """Return an entry as a task, with the task numbers of the plan."""
        one = TaskColumns.__getitem__(self, place)
        places = np.array(one.after, np.int64)
        after = self.task[places].tolist()
        return one._replace(index=int(self.task[place]), after=tuple(after))

    @property
    def duration(self) -> Ints:
        """Duration of each task in ns."""
        return self.end - self.start

    def timed(self, start: Ints, end: Ints) -> StepColumns:
        """Return the same tasks with other times."""
        return replace(self, start=start, end=end)

    def picked(self, places: Ints) -> StepColumns:
        """Return the tasks at ascending `places`, with the dependencies among them."""
        count = len(self)
        place = np.full(count, ABSENT, np.int64)
        place[places] = np.arange(len(places))
        waiter = self.waiters
        new_waiter = place[waiter]
        new_after = place[self.after]
        kept = new_waiter != ABSENT
        kept &= new_after != ABSENT
        columns: dict[str, NDArray[Any]] = {}
        for column in fields(self):
            if column.name not in ("after_first", "after", "exchanges", "is_range"):
                columns[column.name] = getattr(self, column.name)[places]
        return replace(
            self,
            after_first=_firsts(new_waiter[kept], len(places)),
            after=new_after[kept],
            **columns,  # type: ignore[arg-type]  # all other columns are arrays
        )

    @classmethod
    def of_plan(cls, plan: Plan) -> StepColumns:
        """Return the columns of a plan; all times are 0."""
        count = len(plan.columns)
        columns: dict[str, NDArray[Any]] = {}
        for column in fields(TaskColumns):
            columns[column.name] = getattr(plan.columns, column.name)
        zeros = np.zeros(count, np.int64)
        return cls(
            **columns,  # type: ignore[arg-type]  # all columns of tasks are arrays
            task=np.arange(count, dtype=np.int32),
            start=zeros,
            end=zeros,
            launched=np.full(count, ABSENT, np.int64),
            group=np.full(count, ABSENT, np.int32),
        )

    @classmethod
    def of_trace(cls, trace: Trace, step: int) -> StepColumns:
        """Return the tasks of a step's finished spans, without nested lanes.

        Dependencies on tasks without a span are dropped, and so are dependencies on the task itself
        or on later tasks: there are no cycles.
        """
        return cls.of_spans(StepSpans.of(trace, step))

    @classmethod
    def of_spans(cls, found: StepSpans) -> StepColumns:
        """Return the tasks of spans that were already selected; see `of_trace`."""
        spans = found.spans
        after_first, after = _after(spans)
        columns: dict[str, NDArray[Any]] = {}
        for name, dtype in COLUMN_TYPES.items():
            if name not in ("lane", "shard"):
                columns[name] = spans[name].astype(dtype, copy=False)
        return cls(
            **columns,
            lane=found.lane,
            shard=np.full(len(spans), ABSENT, np.int32),
            after_first=after_first,
            after=after,
            task=spans["task"],
            start=spans["start"],
            end=spans["end"],
            launched=spans["launched"],
            group=_groups(spans),
            exchanges=found.exchanges,
            is_range=found.is_range,
        )


def _groups(spans: Spans) -> NDArray[np.int32]:
    """Return the process group of each span: the position of its name, if it names a group."""
    group = np.full(len(spans), ABSENT, np.int32)
    names = spans["name"]
    is_named = IS_COLLECTIVE[spans["kind"]] & (names != ABSENT)
    collectives = np.flatnonzero(is_named)
    name_of = names[collectives]
    for place in np.unique(name_of).tolist():
        if spans.table.names[place].startswith(GROUP):
            members = collectives[name_of == place]
            group[members] = place
    return group


def _after(spans: Spans) -> tuple[Ints, Ints]:
    """Return the dependencies of spans, which are sorted by task, as positions among them."""
    count = len(spans)
    counts, needed = spans.table.needs(spans.row)
    tasks = spans["task"]
    # For a task without a span, the search finds another task or the end; the comparison below
    # drops these.
    last_place = count - 1
    at = np.searchsorted(tasks, needed)
    at = np.minimum(at, last_place)
    waiter = np.repeat(np.arange(count), counts)
    has_span = tasks[at] == needed
    is_earlier = at < waiter
    known = has_span & is_earlier
    return _firsts(waiter[known], count), at[known].astype(np.int64)


def _firsts(waiter: Ints, count: int) -> Ints:
    """Return where the entries of each of `count` tasks begin, and their end, from the waiters."""
    counts = np.bincount(waiter, minlength=count)
    firsts = np.zeros(count + 1, np.int64)
    np.cumsum(counts, out=firsts[1:])
    return firsts
