"""Costs of steps of a job, to predict other plans of the same model on the same lanes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.costs.costs import STAGED, CostModel, Curve, Curves, cost_at
from core.option import Option
from core.plan.pipeline.options import (
    BORDERS,
    CHUNKS,
    MICROBATCHES,
    SCHEDULE,
    SPLIT_SIZE,
    STAGES,
)
from core.plan.schedules import schedule_of
from core.plan.specification import Specification, with_defaults
from core.plan.strategies import STRATEGIES
from core.plan.strategies.dp_pp import REPLICAS
from core.plan.task import Kind
from core.predict.step_costs import costs_of_times
from core.report.measured import MeasuredSteps

FEWEST_STAGES = 3
"""Fewest stages with which the head of the model can be distinguished from the other stages."""
_NOTHING: Mapping[Kind, Curves] = {
    Kind.STEP: (((1.0, 0.0),),),
    Kind.LOSS: (((1.0, 0.0),),),
}


@dataclass(frozen=True, slots=True)
class PlanCosts:
    """Costs from steps of a job, and its numbers of ranks in a replica, micro-batches, replicas."""

    costs: CostModel
    ranks: int
    microbatches: int
    replicas: int

    def filled(self, specification: Specification) -> Specification:
        """Return a run with the job's numbers of stages, micro-batches and replicas if not given.

        Borders give the number of stages, and a split size that of micro-batches. Raises PlanError
        for an unknown schedule.
        """
        options = STRATEGIES[specification.strategy].options
        has_microbatches = MICROBATCHES in options
        given: dict[str, int] = {}
        if STAGES in options and not _gives(specification, STAGES, BORDERS):
            name = with_defaults(specification)[SCHEDULE] if has_microbatches else None
            chunks = 1
            if name is not None:
                schedule = schedule_of(name)
                chunks = specification[CHUNKS] or schedule.chunks
            given["stages"] = self.ranks * chunks
        if has_microbatches and not _gives(specification, MICROBATCHES, SPLIT_SIZE):
            given["microbatches"] = self.microbatches
        if REPLICAS in options and not _gives(specification, REPLICAS) and self.replicas > 1:
            given["replicas"] = self.replicas
        return specification.having(**given)


def _gives(specification: Specification, *options: Option[Any]) -> bool:
    """Return True if a run has a value for one of some options."""
    return any(specification[option] is not None for option in options)


def plan_costs(run: MeasuredSteps) -> PlanCosts:
    """Return the costs of steps: medians by stage, so that a slow lane among several is left out.

    The gap is the median time by which a computing task is late. The excess of the last stage over
    the median of the others is the cost of the model's head. The scatter is half of the range of
    the steps' lengths.
    """
    columns = run.columns
    found = costs_of_times(columns, run.taken)
    late = run.late[:, run.computes]
    gap_ns = float(np.median(late)) if late.size else 0.0
    spans = run.spans.astype(np.float64)
    half_range = (spans.max() - spans.min()) / 2
    scatter = half_range / max(0.5, spans.mean())
    costs = replace(
        found,
        passes={**_NOTHING, **found.passes},
        gap_ns=gap_ns,
        scatter=float(scatter),
    )
    replicas = int(columns.replica.max(initial=0)) + 1
    microbatches = int(columns.microbatch.max(initial=0)) + 1
    ranks = len(run.compute_lanes) // replicas
    return PlanCosts(
        costs=_with_head(costs),
        ranks=max(1, ranks),
        microbatches=microbatches,
        replicas=replicas,
    )


def _with_head(costs: CostModel) -> CostModel:
    """Return costs by stage with the head of the model separate from the last stage."""
    if costs.by_block:
        return costs
    passes = dict(costs.passes)
    head: dict[Kind, Curve] = {}
    for kind in STAGED:
        curves = passes.get(kind, ())
        if len(curves) < FEWEST_STAGES:
            continue
        *others, last = curves
        usual: list[tuple[float, float]] = []
        extra: list[tuple[float, float]] = []
        for size, ns in last:
            costs_of_others = [cost_at(curve, size) for curve in others]
            typical = float(np.median(costs_of_others))
            usual.append((size, min(ns, typical)))
            extra.append((size, max(0.0, ns - typical)))
        passes[kind] = (*others, tuple(usual))
        head[kind] = tuple(extra)
    return replace(costs, passes=passes, head=head)
