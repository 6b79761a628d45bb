"""Immediate predictions of a pipeline on any number of devices, with any link and any faults."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.costs.blockwise import blockwise
from core.costs.costs import STAGED, CostModel, Curves, summed_curves
from core.costs.footprint import peak_bytes
from core.costs.peaks import peak_activations
from core.costs.plan_times import predict_times
from core.counts import microbatches_text, stages_text
from core.errors import PlanError
from core.explain.bubble import bubble_of, closed_form
from core.explain.explanation import explain_step
from core.message import message
from core.models.description import ModelDescription
from core.option import OptionValue
from core.order import stable_argsort
from core.plan.devices import PREDICTED
from core.plan.division import Pipeline, Stage
from core.plan.faults import Faults
from core.plan.link import Link
from core.plan.pipeline.staged import ranks_of
from core.plan.plan import Job, Lane, Plan, Role
from core.plan.schedules import schedule_of
from core.plan.specification import Specification
from core.plan.strategies.pipeline import STRATEGY, microbatch_rows
from core.plan.task import Kind
from core.predict.basis import Basis, basis_of
from core.predict.predict import Prediction, predict_step
from core.predict.without_machine import PlannedStep, job_without_machine, plan_without_machine
from core.trace.step import StepColumns

MOST_PASSES = 1_000_000  # of a plan; more would take minutes
MOST_WITH_BASIS = 10_000  # tasks; the basis of a larger plan would take longer than the answer


@dataclass(frozen=True, slots=True)
class WhatIfQuery:
    """A pipeline to predict.

    `costs` are for `model` cut into the stages `measured`, by default into the stages of this
    pipeline. Without `batch` a micro-batch has the rows that the costs are for. `link` replaces the
    costs of transfers. `faults` are injected, by the names of the options (core.plan.faults).
    `device` is the kind of the lanes: the lanes of a GPU copy while they compute, lanes of a CPU do
    not. `cut` has the stages of a run; the model is cut in the same way if the number of stages
    is the same. `doubt` is the least relative error to expect of the answer, for its range.
    """

    model: ModelDescription
    costs: CostModel
    devices: int
    microbatches: int
    schedule: str
    chunks: int | None = None
    batch: int | None = None
    link: Link | None = None
    faults: Mapping[str, OptionValue] = field(default_factory=dict)
    measured: tuple[Stage, ...] = ()
    device: str = PREDICTED.name
    cut: tuple[Stage, ...] = ()
    optimizer: str = Specification().optimizer
    doubt: float = 0.0

    @property
    def stages(self) -> int:
        """Number of stages of the model. Raises PlanError for an unknown schedule."""
        schedule = schedule_of(self.schedule)
        return schedule.stage_count(self.devices, self.chunks or schedule.chunks)

    @property
    def borders(self) -> str | None:
        """The value of `--borders` for the cut of the run; None for a cut by parameters."""
        if len(self.cut) < 2 or len(self.cut) != self.stages:
            return None
        return ",".join(str(stage.first) for stage in self.cut[1:])

    @property
    def specification(self) -> Specification:
        """Settings of a run of this pipeline."""
        return Specification(
            STRATEGY.name,
            devices=f"{self.devices}x{self.device}",
            batch=self.batch,
            steps=1,
            warmup=0,
            optimizer=self.optimizer,
        ).having(
            schedule=self.schedule,
            chunks=self.chunks,
            borders=self.borders,
            microbatches=self.microbatches,
            **self.faults,
        )

    @property
    def fitted_costs(self) -> CostModel:
        """Costs for the stages of this pipeline, with its link.

        If there are more stages than blocks or costs, each stage costs the same. Raises CostError
        if the costs do not fit the stages `measured`.
        """
        costs = self.costs
        if self.measured:
            rows = (self.batch or self.microbatches) // self.microbatches
            costs = blockwise(costs, self.model, self.measured, max(1, rows))
        blocks = len(self.model.blocks)
        if costs.by_block:
            fits = self.stages <= blocks
        else:
            entries = max(len(costs.passes.get(kind, ())) for kind in STAGED)
            fits = entries in (1, self.stages)
        if not fits:
            costs = split_evenly(costs, self.stages, blocks)
        if self.link is None:
            return costs
        return costs.over(self.link)


def split_evenly(costs: CostModel, stages: int, blocks: int) -> CostModel:
    """Return the costs of a whole model, divided equally among `stages`.

    A single curve of costs by block is the curve of each of the model's `blocks`.
    """

    def shared(passes: Mapping[Kind, Curves]) -> dict[Kind, Curves]:
        found = dict(passes)
        for kind in STAGED:
            if kind in found:
                curves = found[kind]
                times = blocks if costs.by_block and len(curves) == 1 else 1
                found[kind] = (summed_curves(curves, times / stages),)
        return found

    passes = shared(costs.passes)
    further = shared(costs.further)
    return replace(
        costs,
        passes=passes,
        further=further,
        joined={},
        by_block=False,
    )


@dataclass(frozen=True, slots=True)
class WhatIfResult:
    """Figures of a predicted step, and its tasks by lane for a picture.

    The bubbles are fractions, 0 to 1; `closed_form` is None without a formula. `peaks` has the most
    activations that each compute lane holds. The columns from `kind` on have the tasks of the
    compute lanes: `first[l] : first[l + 1]` are lane l's, in order of time. `kind` has positions in
    KINDS. The integers of a column are as short as its values allow, because results are sent
    between processes. `memory_bytes` is the estimated peak of the lane that holds the most, 0 if it
    was not asked for. `basis` is None for a plan of more than MOST_WITH_BASIS tasks.
    """

    tasks: int
    makespan_ns: int
    bubble_by_makespan: float
    bubble_by_lane_span: float
    closed_form: float | None
    peaks: NDArray[np.int64]
    first: NDArray[np.int64]
    kind: NDArray[np.int8]
    start: NDArray[np.integer]
    end: NDArray[np.integer]
    stage: NDArray[np.integer]
    microbatch: NDArray[np.integer]
    memory_bytes: int = 0
    basis: Basis | None = None


class WhatIf:
    """Predicts pipelines, and keeps the last plan for queries that differ only in costs."""

    def __init__(self) -> None:
        self._last: tuple[Job, Plan] | None = None

    def answer(self, question: WhatIfQuery) -> WhatIfResult:
        """Predict a pipeline.

        Raises PlanError if it cannot be planned, and CostError if the costs do not cover it.
        """
        costs = question.fitted_costs
        _, job = job_without_machine(question.specification, question.model, costs)
        # Sliders of costs, link and faults need the same plan many times, and planning takes longer
        # than the simulation.
        if self._last is None or self._last[0] != job:
            self._last = job, _planned(job)
        _, plan = self._last
        specification = question.specification
        columns = predict_times(plan, costs, Faults.of(specification))
        answer = answer_of(columns, plan.lanes, plan.pipeline)
        memory = peak_bytes(
            plan=plan,
            columns=columns,
            model=job.model,
            optimizer=specification.optimizer,
            kept=STRATEGY.kept_bytes,
        )
        basis = answer_basis(plan, costs, columns, question.doubt)
        return replace(answer, memory_bytes=int(memory.max()), basis=basis)


def answer_basis(plan: Plan, costs: CostModel, columns: StepColumns, doubt: float) -> Basis | None:
    """Return the basis of a predicted step; None for a plan of more than MOST_WITH_BASIS tasks.

    `doubt` is as in WhatIfQuery.
    """
    if len(columns) > MOST_WITH_BASIS:
        return None
    return basis_of(plan, costs, explain_step(columns, plan.lanes), doubt)


def whole_answer(question: WhatIfQuery) -> tuple[PlannedStep, Prediction]:
    """Return the plan of a pipeline with the prediction of all its lanes.

    It takes longer than `WhatIf.answer`, and raises the same errors.
    """
    costs = question.fitted_costs
    run = plan_without_machine(question.specification, question.model, costs)
    return run, predict_step(run.plan, costs, Faults.of(question.specification))


def _planned(job: Job) -> Plan:
    """Return the job's plan. Raises PlanError, also if it has more than MOST_PASSES."""
    stages = math.prod(ranks_of(job, job.schedule))
    microbatches = len(microbatch_rows(job))
    # Counted before the plan is made, because the plan itself would fill the memory.
    passes = stages * microbatches * len(job.schedule.uses)
    if passes > MOST_PASSES:
        raise PlanError(
            message(
                "{microbatches} through {stages} are {passes:,} passes: use fewer of them, so that "
                "there are at most {most:,}",
                microbatches=microbatches_text(microbatches),
                stages=stages_text(stages),
                passes=passes,
                most=MOST_PASSES,
            )
        )
    return STRATEGY.plan(job)


def answer_of(
    columns: StepColumns, lanes: Sequence[Lane], pipeline: Pipeline | None
) -> WhatIfResult:
    """Sum up a predicted step; the compute lanes must be the first of `lanes`."""
    compute = sum(lane.role is Role.COMPUTE for lane in lanes)
    counts = np.bincount(columns.lane, minlength=compute)[:compute]
    first = np.concatenate([[0], np.cumsum(counts)])
    # Sorted by lane and then by time. Compute lanes have the smallest numbers, so the slice removes
    # the tasks of copy lanes.
    order = stable_argsort(columns.lane)[: first[-1]]
    bubbles = bubble_of(columns, lanes)
    return WhatIfResult(
        tasks=len(columns),
        makespan_ns=int(columns.end.max(initial=0)),
        bubble_by_makespan=bubbles.by_makespan,
        bubble_by_lane_span=bubbles.by_lane_span,
        closed_form=closed_form(columns, pipeline),
        peaks=peak_activations(columns, compute),
        first=first,
        kind=columns.kind[order],
        start=_short(columns.start)[order],
        end=_short(columns.end)[order],
        stage=_short(columns.stage)[order],
        microbatch=_short(columns.microbatch)[order],
    )


def _short(column: NDArray[Any]) -> NDArray[np.integer]:
    """Return integers of at least -1 in the shortest type that can hold them."""
    most = int(column.max(initial=0))
    # For a negative number NumPy chooses a signed type, which can hold -1 (ABSENT).
    return column.astype(np.min_scalar_type(-most - 1))
