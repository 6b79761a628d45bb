"""Where the time of some steps of a run went, on each of its compute lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import PlanError
from core.explain.arrivals import waiting_ns
from core.explain.causes import CAUSES, Explanation, cause_totals
from core.explain.run_step import explain_run_step
from core.plan.plan import Lane, Role
from core.plan.task import KINDS
from core.trace.median_step import median_step
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Spent:
    """What the n compute lanes of a run did in some steps; all times are sums over these, in ns.

    `work` has the time of each kind, (n, len(KINDS)), and `idle` that of each cause,
    (n, len(CAUSES)). `overlap` (n) is 0 where no two tasks of a lane ran at once, and less where
    some did; with it every lane adds up to `makespan`. `beside` (len(KINDS)) is what copy and
    communication lanes did meanwhile, without waiting for other ranks in collectives. Of `step`,
    the one of median makespan, there is the whole `explanation`.
    """

    lanes: tuple[Lane, ...]
    steps: tuple[int, ...]
    makespan: int
    work: NDArray[np.int64]
    idle: NDArray[np.int64]
    overlap: NDArray[np.int64]
    beside: NDArray[np.int64]
    step: int
    explanation: Explanation

    @property
    def mean_makespan(self) -> int:
        """Ns of a step: the mean, rounded down."""
        return self.makespan // len(self.steps)


class Stopped(Exception):
    """Raised when `stop()` returns True."""


def never() -> bool:
    """No reason to stop."""
    return False


def spent(trace: Trace, steps: Sequence[int], stop: Callable[[], bool] = never) -> Spent:
    """Sum up `steps`, at least one. Raises PlanError for a run without compute lanes.

    Raises Stopped if `stop`, which is asked before each step, says so.
    """
    every = trace.header.lanes
    lanes = [lane.index for lane in every if lane.role is Role.COMPUTE]
    # Copies and collectives cost a step only what compute lanes wait for them, which `idle` has.
    # They stand apart, or that time would be counted twice.
    helpers = [lane.index for lane in every if lane.role in (Role.COPY, Role.COMMUNICATION)]
    if not lanes:
        raise PlanError("the run has no lanes that compute; compare runs that have some")
    work = np.zeros((len(every), len(KINDS)), np.int64)
    waiting = np.zeros_like(work)
    idle = np.zeros((len(every), len(CAUSES)), np.int64)
    makespan, middle = 0, median_step(trace, steps)
    for step in steps:
        if stop():
            raise Stopped
        explanation = explain_run_step(trace, step)
        columns = explanation.columns
        # `add.at`, since the same (lane, kind) comes many times: `work[...] +=` would count only
        # the last.
        place = columns.lane, columns.kind.astype(np.int64)
        np.add.at(work, place, columns.duration)
        np.add.at(waiting, place, waiting_ns(columns, explanation.waits))
        idle += cause_totals(explanation)
        makespan += explanation.makespan
        if step == middle:
            kept = explanation
    work_here, idle_here = work[lanes], idle[lanes]
    return Spent(
        tuple(every[lane] for lane in lanes),
        tuple(steps),
        makespan,
        work_here,
        idle_here,
        # What is missing to the makespan can only be time that was counted twice: a lane is at work
        # or idle.
        makespan - work_here.sum(axis=1) - idle_here.sum(axis=1),
        (work - waiting)[helpers].sum(axis=0),
        middle,
        kept,
    )
