"""Steps of drawn plans with drawn costs, for property tests."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.costs.meetings import meeting
from core.costs.simulate import simulate
from core.explain.explanation import Explanation, explain_step
from core.models.catalogue import ModelSettings
from core.plan.plan import Plan, Role
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.plan.task import IS_COLLECTIVE
from core.trace.step import StepColumns
from tests.core.helpers import planned

MODEL = ModelSettings("mlp", width=12, depth=8)


class Step(NamedTuple):
    """A plan, what its tasks cost in ns, and when they ran by that."""

    plan: Plan
    durations: NDArray[np.int64]
    columns: StepColumns

    def explained(self) -> Explanation:
        """The explanation of the step."""
        return explain_step(self.columns, self.plan.lanes)

    def costing(self, durations: NDArray[np.int64]) -> Step:
        """The same plan with other costs."""
        columns = simulate(self.columns, durations, meeting(self.columns, self.plan.lanes))
        return Step(self.plan, durations, columns)

    def compute_lanes(self) -> list[int]:
        """The lanes that compute."""
        return [lane.index for lane in self.plan.lanes if lane.role is Role.COMPUTE]


@st.composite
def specifications(draw: st.DrawFn) -> Specification:
    """Any strategy and schedule with few lanes, rows and micro-batches."""
    strategy = draw(st.sampled_from(sorted(STRATEGIES)))
    options = {option.name for option in STRATEGIES[strategy].options}
    lanes = draw(st.integers(1, 4))
    batch = draw(st.integers(1, 12))
    values = {
        "schedule": st.sampled_from(sorted(SCHEDULES)),
        "microbatches": st.integers(1, min(batch, 8)),
        "chunks": st.none() | st.integers(1, 3),
        "stages": st.none() | st.integers(1, 8),
        "replicas": st.sampled_from([1, 2, 4]),
    }
    return Specification(
        strategy,
        MODEL,
        draw(st.sampled_from([f"{lanes}xcpu", f"{lanes}xcuda:0"])),
        batch=batch,
        warmup=0,
        **{name: draw(value) for name, value in values.items() if name in options},
    )


@st.composite
def steps(draw: st.DrawFn, least: int = 0, most: int = 10**9) -> Step:
    """A step of a drawn plan; its tasks cost from `least` to `most` ns, evenly drawn."""
    plan = planned(draw(specifications()))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns = StepColumns.of_plan(plan)
    return Step(plan, columns.start, columns).costing(
        random.integers(least, most, len(columns), endpoint=True)
    )


@st.composite
def late_steps(draw: st.DrawFn) -> Step:
    """A step in which some tasks begin late, at a time since the run's start."""
    step = draw(steps(0, draw(st.sampled_from([2, 1000]))))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    late = random.integers(0, 500, len(step.durations)) * random.integers(0, 2, len(step.durations))
    return delayed(step, late, draw(st.sampled_from([0, 5_000_000])))


def delayed(step: Step, late: NDArray[np.int64], begin: int = 0) -> Step:
    """The step from `begin` on, each task (but collectives) so much later than it could begin."""
    late = np.where(IS_COLLECTIVE[step.columns.kind], 0, late)
    ran = step.costing(step.durations + late).columns
    columns = replace(ran, start=ran.start + late + begin, end=ran.end + begin)
    return Step(step.plan, step.durations, columns)
