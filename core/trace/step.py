"""One step as columns: what explanation and prediction compute on."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.order import stable_argsort
from core.plan.plan import Plan, working_lanes
from core.plan.task import ABSENT, COLUMN_TYPES, IS_COLLECTIVE, Task, TaskColumns
from core.recorder.rank_step import GROUP
from core.trace.spans import Spans
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class StepSpans:
    """The finished spans of a step, less those of nested lanes, by task: n entries.

    `lane` and `index` say where each of `spans` stands.
    """

    lane: NDArray[np.int32]
    index: NDArray[np.int64]
    spans: Spans

    @classmethod
    def of(cls, trace: Trace, step: int, rows: NDArray[np.integer[Any]] | None = None) -> StepSpans:
        """Those that a step has so far; with `rows`, those that have one of them in the table."""
        lanes, indices, parts = [], [], []
        for lane in working_lanes(trace.header.lanes):
            spans = trace.spans(lane.index)
            where = spans.of_step(step)
            index = np.arange(where.start, where.stop)
            if rows is not None:
                index = index[np.isin(spans.row[where], rows)]
            lanes.append(np.full(len(index), lane.index, np.int32))
            indices.append(index)
            parts.append(spans[where if rows is None else index])
        every = Spans.joined(parts)
        # Lane by lane so far; explanation and prediction look tasks up by number.
        order = stable_argsort(every["task"])
        return cls(np.concatenate(lanes)[order], np.concatenate(indices)[order], every[order])


@dataclass(frozen=True, slots=True, eq=False)
class StepColumns(TaskColumns):
    """The tasks of one step and when they ran: n entries each, in the order of `task`.

    Times are int64 ns. What a step read from a recording waited for are positions in these
    columns; a recording says nothing of shards. `group` is a number for the process group in which
    a collective of a job meets, ABSENT where all ranks meet or the plan says who does.
    """

    task: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    launched: NDArray[np.int64]
    group: NDArray[np.int32]

    def __getitem__(self, place: int) -> Task:
        """An entry as a task, by the numbers that tasks have in the plan."""
        one = TaskColumns.__getitem__(self, place)
        after = self.task[np.array(one.after, np.int64)].tolist()
        return one._replace(index=int(self.task[place]), after=tuple(after))

    @property
    def duration(self) -> NDArray[np.int64]:
        """End minus start of each, in ns."""
        return self.end - self.start

    def timed(self, start: NDArray[np.int64], end: NDArray[np.int64]) -> StepColumns:
        """The same tasks with other times."""
        return replace(self, start=start, end=end)

    def picked(self, places: NDArray[np.int64]) -> StepColumns:
        """Some of the tasks, at ascending places; of what they waited for those among them."""
        place = np.full(len(self), ABSENT, np.int64)
        place[places] = np.arange(len(places))
        waiter = place[np.repeat(np.arange(len(self)), np.diff(self.after_first))]
        after = place[self.after]
        kept = (waiter != ABSENT) & (after != ABSENT)
        counts = np.bincount(waiter[kept], minlength=len(places))
        columns = {
            column.name: getattr(self, column.name)[places]
            for column in fields(self)
            if column.name not in ("after_first", "after")
        }
        return replace(
            self, **columns, after_first=np.concatenate([[0], np.cumsum(counts)]), after=after[kept]
        )

    @classmethod
    def of_plan(cls, plan: Plan) -> StepColumns:
        """A plan's own columns; all times are 0."""
        count = len(plan.columns)
        columns = {
            column.name: getattr(plan.columns, column.name) for column in fields(TaskColumns)
        }
        zeros = np.zeros(count, np.int64)
        return cls(
            **columns,
            task=np.arange(count, dtype=np.int32),
            start=zeros,
            end=zeros,
            launched=np.full(count, ABSENT, np.int64),
            group=np.full(count, ABSENT, np.int32),
        )

    @classmethod
    def of_trace(cls, trace: Trace, step: int) -> StepColumns:
        """A step's finished spans, less those of nested lanes.

        What waited for a task that has no span waits for less, and so does what waited for itself
        or for a task of a later number: so nothing waits in a circle.
        """
        return cls.of_spans(StepSpans.of(trace, step))

    @classmethod
    def of_spans(cls, found: StepSpans) -> StepColumns:
        """The same of spans that have been found."""
        spans = found.spans
        after_first, after = _after(spans)
        columns = {
            name: spans[name].astype(dtype, copy=False)
            for name, dtype in COLUMN_TYPES.items()
            if name not in ("lane", "shard")
        }
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
        )


def _groups(spans: Spans) -> NDArray[np.int32]:
    """The process group of each span: the place of its name, if that is the name of a group."""
    group = np.full(len(spans), ABSENT, np.int32)
    collective = np.flatnonzero(IS_COLLECTIVE[spans["kind"]] & (spans["name"] != ABSENT))
    name = spans["name"][collective]
    for place in np.unique(name).tolist():
        if spans.table.names[place].startswith(GROUP):
            group[collective[name == place]] = place
    return group


def _after(spans: Spans) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What the spans (sorted by task) waited for, as positions among them."""
    counts, tasks = spans.table.needs(spans.row)
    # A task that has no span is found at some other one's place, or behind all: compared below, and
    # left out.
    at = np.minimum(np.searchsorted(spans["task"], tasks), len(spans) - 1)
    waiter = np.repeat(np.arange(len(spans)), counts)
    known = (spans["task"][at] == tasks) & (at < waiter)
    waiter = waiter[known]
    first = np.concatenate([[0], np.cumsum(np.bincount(waiter, minlength=len(spans)))])
    return first, at[known].astype(np.int64)
