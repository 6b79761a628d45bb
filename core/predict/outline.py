"""A plan as prediction needs it: columns, written at once where a task each would take longer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.explain.waits import meeting
from core.order import stable_argsort
from core.plan.lanes import with_helpers
from core.plan.strategy import Job, Strategy
from core.plan.task import Lane, Pipeline, Plan, Role, Stage
from core.predict.costs import CostModel, durations
from core.predict.quick import quick_plan
from core.predict.simulate import Levels, levels_of, simulate, simulate_levels
from core.trace.step import StepColumns

LEAST_WIDTH = 6  # tasks of a level in the mean: below, one after the other is quicker


@dataclass(frozen=True, slots=True)
class Outline:
    """What prediction and explanation need of a plan; all times of `columns` are 0.

    `by_lane` are the positions of the n tasks lane by lane, in the lane's order. `meets` says
    which tasks wait for one another in collectives, as torch's ranks do (`simulate`); `levels` are
    runs of tasks that can go at once, where it is worth knowing them.
    """

    columns: StepColumns
    by_lane: NDArray[np.int64]
    lanes: tuple[Lane, ...]
    stages: tuple[Stage, ...]
    microbatches: int
    pipeline: Pipeline | None = None
    levels: Levels | None = None
    meets: NDArray[np.int64] | None = None

    @classmethod
    def of_plan(cls, plan: Plan) -> Outline:
        """The outline of a plan, its tasks in the plan's order."""
        columns = StepColumns.of_plan(plan)
        return cls(
            columns,
            stable_argsort(columns.lane),
            plan.lanes,
            plan.stages,
            len({part.microbatch for part in plan.parts}),
            plan.pipeline,
            meets=meeting(columns, plan.lanes),
        )

    def times(self, costs: CostModel) -> NDArray[np.int64]:
        """What each task takes in ns. Raises CostError if the costs do not cover the plan."""
        return durations(self.columns, costs, self.stages)

    def timed(self, duration_ns: NDArray[np.int64]) -> StepColumns:
        """The tasks at the times at which they would run, if they took so many ns."""
        if self.levels is not None:
            return simulate_levels(self.columns, self.levels, duration_ns)
        return simulate(self.columns, duration_ns, self.meets)


def outline_of(strategy: Strategy, job: Job) -> Outline:
    """The outline of what the strategy plans for the job. Raises PlanError.

    The tasks' order may be another than the plan's, but not what waits for what.
    """
    rows = None if strategy.microbatch_rows is None else strategy.microbatch_rows(job)
    quick = None if rows is None else quick_plan(job, rows)
    if rows is None or quick is None:
        return Outline.of_plan(strategy.plan(job))
    compute = list(job.lanes)
    lanes = with_helpers(compute, Role.COPY, "copy") if job.copies_overlap else compute
    wide = len(quick.columns) >= LEAST_WIDTH * len(quick.runs)
    return Outline(
        quick.columns, quick.by_lane, tuple(lanes), quick.stages, len(rows), quick.pipeline,
        levels_of(quick.needs, quick.runs) if wide else None,
    )  # fmt: skip
