"""One step as columns: what explanation and prediction compute on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from core.order import stable_argsort
from core.plan.task import KINDS, Plan, Task, working_lanes
from core.trace.columns import ABSENT, sorted_positions
from core.trace.spans import Spans
from core.trace.trace import Trace

_CODE = {kind: code for code, kind in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class StepColumns:
    """The tasks of one step, each column of n entries, in the order of `task` (so of the plan).

    Times are int64 ns; `kind` indexes KINDS; absent numbers are -1. What entry i waited for are
    the entries `after[after_first[i] : after_first[i + 1]]`, positions in these columns, all
    smaller than i. On its lane an entry comes after those of smaller position on the same lane.
    """

    task: NDArray[np.int32]
    lane: NDArray[np.int32]
    kind: NDArray[np.int8]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    launched: NDArray[np.int64]
    stage: NDArray[np.int32]
    replica: NDArray[np.int32]
    microbatch: NDArray[np.int32]
    block: NDArray[np.int32]
    bucket: NDArray[np.int32]
    rows: NDArray[np.int64]
    bytes: NDArray[np.int64]
    after_first: NDArray[np.int64]
    after: NDArray[np.int64]
    paired_stage: NDArray[np.int32]
    paired_microbatch: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.task)

    @property
    def duration(self) -> NDArray[np.int64]:
        """End minus start of each, in ns."""
        return self.end - self.start

    def timed(self, start: NDArray[np.int64], end: NDArray[np.int64]) -> StepColumns:
        """The same tasks with other times."""
        return replace(self, start=start, end=end)

    @classmethod
    def of_plan(cls, plan: Plan) -> StepColumns:
        """A plan's tasks; all times are 0."""
        tasks = plan.tasks
        count = len(tasks)
        needs = [task.after for task in tasks]
        first = np.zeros(count + 1, np.int64)
        np.cumsum(np.fromiter(map(len, needs), np.int64, count), out=first[1:])
        zeros = np.zeros(count, np.int64)
        return cls(
            np.arange(count, dtype=np.int32),
            np.fromiter(map(attrgetter("lane"), tasks), np.int32, count),
            np.fromiter(map(_CODE.__getitem__, map(attrgetter("kind"), tasks)), np.int8, count),
            zeros,
            zeros,
            np.full(count, ABSENT, np.int64),
            _numbers(tasks, "stage"),
            _numbers(tasks, "replica"),
            _numbers(tasks, "microbatch"),
            _numbers(tasks, "block"),
            _numbers(tasks, "bucket"),
            np.fromiter(map(attrgetter("rows"), tasks), np.int64, count),
            np.fromiter(map(attrgetter("bytes"), tasks), np.int64, count),
            first,
            np.fromiter(chain.from_iterable(needs), np.int64, int(first[-1])),
            _numbers(tasks, "paired_stage"),
            _numbers(tasks, "paired_microbatch"),
        )

    @classmethod
    def of_trace(cls, trace: Trace, step: int) -> StepColumns:
        """A step's finished spans, less those of nested lanes.

        What waited for a task that has no span waits for less, and so does what waited for itself
        or for a task of a later number: so nothing waits in a circle.
        """
        lanes, parts = [], []
        for lane in working_lanes(trace.header.lanes):
            spans = trace.spans(lane.index)
            first, last = sorted_positions(spans["step"], [step, step + 1])
            parts.append(spans[first:last])
            lanes.append(np.full(int(last - first), lane.index, np.int32))
        spans, lane_of = Spans.joined(parts), np.concatenate(lanes)
        order = stable_argsort(spans["task"])
        spans, lane_of = spans[order], lane_of[order]
        after_first, after = _after(spans)
        return cls(
            spans["task"],
            lane_of,
            spans["kind"],
            spans["start"],
            spans["end"],
            spans["launched"],
            spans["stage"].astype(np.int32),
            spans["replica"].astype(np.int32),
            spans["microbatch"].astype(np.int32),
            spans["block"].astype(np.int32),
            spans["bucket"].astype(np.int32),
            spans["rows"].astype(np.int64),
            spans["bytes"],
            after_first,
            after,
            spans["paired_stage"].astype(np.int32),
            spans["paired_microbatch"].astype(np.int32),
        )


def _numbers(tasks: Sequence[Task], name: str) -> NDArray[np.int32]:
    values = map(attrgetter(name), tasks)
    return np.fromiter([ABSENT if v is None else v for v in values], np.int32, len(tasks))


def _after(spans: Spans) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What the spans (sorted by task) waited for, as positions among them."""
    counts = spans["after_count"].astype(np.int64)
    ends = np.cumsum(counts)
    where = np.repeat(spans["after"] - (ends - counts), counts) + np.arange(counts.sum())
    tasks = spans.table.after[where]
    at = np.minimum(np.searchsorted(spans["task"], tasks), len(spans) - 1)
    waiter = np.repeat(np.arange(len(spans)), counts)
    known = (spans["task"][at] == tasks) & (at < waiter)
    waiter = waiter[known]
    first = np.concatenate([[0], np.cumsum(np.bincount(waiter, minlength=len(spans)))])
    return first, at[known].astype(np.int64)
