"""Costs of a run's own tasks, for questions with the run's settings. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from core.costs.costs import CostModel
from core.plan.division import Stage
from core.plan.pipeline.options import CHUNKS, DEFAULT_SCHEDULE, SCHEDULE
from core.plan.schedules import SCHEDULES
from core.plan.strategies.pipeline import STRATEGY
from core.predict.replan import RunPlans
from core.predict.run_costs import RunCosts
from core.predict.whatif import WhatIfQuery
from core.report.summary import rows_by_microbatch
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class OwnCosts:
    """Costs of a run's own tasks, for questions with its settings.

    `chunks` is None if the run's schedule has no such setting, or if the run used its default.
    """

    costs: CostModel
    devices: int
    microbatches: int
    schedule: str
    chunks: int | None
    batch: int | None

    def are_for(self, question: WhatIfQuery) -> bool:
        """Return True if a question has the settings of the run; link and faults may differ."""
        default = SCHEDULES[question.schedule].chunks
        asked = (
            question.devices,
            question.microbatches,
            question.schedule,
            question.chunks or default,
            question.batch,
        )
        run = (
            self.devices,
            self.microbatches,
            self.schedule,
            self.chunks or default,
            self.batch,
        )
        return asked == run


def own_costs(trace: Trace, known: RunCosts) -> OwnCosts | None:
    """Return the costs of a pipeline's own tasks; None if unknown, or if it is no pipeline."""
    specification = trace.header.specification
    if known.own is None or specification.strategy != STRATEGY.name or not run_cut(trace):
        return None
    return OwnCosts(
        costs=known.own,
        devices=len(trace.header.compute_lanes),
        microbatches=len(rows_by_microbatch(trace, trace.steps[-1])),
        schedule=specification[SCHEDULE] or DEFAULT_SCHEDULE,
        chunks=specification[CHUNKS],
        batch=specification.batch_rows,
    )


def run_cut(trace: Trace) -> tuple[Stage, ...]:
    """Return the stages of a run's pipeline; () if it is no pipeline, or its plan is unknown."""
    plan = RunPlans(trace).plan(trace.steps[-1])
    return () if plan is None or plan.pipeline is None else plan.stages
