"""Time of a run's compute lanes in some steps, by kind of work and cause of idle time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Ints
from core.errors import PlanError
from core.explain.arrivals import waiting_ns
from core.explain.causes import CAUSES
from core.explain.explanation import Explanation, cause_totals
from core.explain.run_step import explain_run_step
from core.message import message
from core.plan.plan import Lane, Role
from core.plan.task import KINDS
from core.trace.median_step import median_step
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class TimeTotals:
    """Time of the n compute lanes of a run in some steps; all times are sums over these, in ns.

    `work` has the time of each kind, shape (n, len(KINDS)), and `idle` the time of each cause,
    shape (n, len(CAUSES)). `overlap`, shape (n,), is 0 or, if tasks of a lane ran at once,
    negative; with it each lane's times add up to `makespan`. `other_lanes`, shape (len(KINDS),), is
    the work of copy and communication lanes, without waits for other ranks in collectives.
    `explanation` belongs to `step`, the step of median makespan.
    """

    lanes: tuple[Lane, ...]
    steps: tuple[int, ...]
    makespan: int
    work: Ints
    idle: Ints
    overlap: Ints
    other_lanes: Ints
    step: int
    explanation: Explanation

    @property
    def mean_makespan(self) -> int:
        """Mean makespan of a step in ns, rounded down."""
        return self.makespan // len(self.steps)


class ComparisonStopped(Exception):
    """Raised when `stop()` returns True."""


def never() -> bool:
    """Return False: the default of `stop`."""
    return False


def time_totals(trace: Trace, steps: Sequence[int], stop: Callable[[], bool] = never) -> TimeTotals:
    """Sum up at least one step. Raises PlanError for a run without compute lanes.

    Raises ComparisonStopped if `stop`, which is called before each step, returns True.
    """
    every = trace.header.lanes
    lanes: list[int] = []
    # Counted separately, because `idle` already includes the time that compute lanes wait for
    # copies and collectives.
    helpers: list[int] = []
    for lane in every:
        if lane.role is Role.COMPUTE:
            lanes.append(lane.index)
        elif lane.role in (Role.COPY, Role.COMMUNICATION):
            helpers.append(lane.index)
    if not lanes:
        raise PlanError(message("the run has no lanes that compute; compare runs that have some"))
    work = np.zeros((len(every), len(KINDS)), np.int64)
    waiting = np.zeros_like(work)
    idle = np.zeros((len(every), len(CAUSES)), np.int64)
    makespan = 0
    middle = median_step(trace, steps)
    for step in steps:
        if stop():
            raise ComparisonStopped
        explanation = explain_run_step(trace, step)
        columns = explanation.columns
        # `add.at`, because pairs (lane, kind) repeat, and `work[...] +=` counts each pair once.
        place = columns.lane, columns.kind.astype(np.int64)
        np.add.at(work, place, columns.duration)
        np.add.at(waiting, place, waiting_ns(columns, explanation.waits))
        idle += cause_totals(explanation)
        makespan += explanation.makespan
        if step == middle:
            kept = explanation
    own_work = work[lanes]
    own_idle = idle[lanes]
    # A lane is always at work or idle, so the rest is time that was counted twice.
    overlap = makespan - own_work.sum(axis=1) - own_idle.sum(axis=1)
    other_lanes = (work - waiting)[helpers].sum(axis=0)
    return TimeTotals(
        lanes=tuple(every[index] for index in lanes),
        steps=tuple(steps),
        makespan=makespan,
        work=own_work,
        idle=own_idle,
        overlap=overlap,
        other_lanes=other_lanes,
        step=middle,
        explanation=kept,
    )
