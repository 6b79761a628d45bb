"""What if: a pipeline on any number of devices, with any link and any faults, at once.

Another link or a slower lane is simulated on the plan that is there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.costs.blockwise import blockwise
from core.costs.costs import STAGED, CostModel, Curve, cost_at
from core.costs.peaks import peak_activations
from core.costs.plan_times import predict_times
from core.counts import microbatches_text, stages_text
from core.errors import PlanError
from core.explain.bubble import bubble_of, closed_form
from core.message import message
from core.models.description import ModelDescription
from core.option import Value
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
from core.predict.predict import Prediction, predict_step
from core.predict.without_machine import PlannedStep, job_without_machine, plan_without_machine
from core.trace.step import StepColumns

MOST_PASSES = 1_000_000  # of a plan: more would keep the machine busy for long


@dataclass(frozen=True, slots=True)
class WhatIfQuery:
    """A pipeline that is asked about.

    `costs` are those of `model` cut into `measured` stages; without these, of the asked pipeline's
    own stages. `batch` None is a micro-batch as large as the costs are for. `link` replaces what
    the costs say of transfers; `faults` are what is put in, by the names of the options
    (core.plan.faults).
    `device` is the known kind of the lanes: those of a GPU copy beside computing, a CPU's do not.
    """

    model: ModelDescription
    costs: CostModel
    devices: int
    microbatches: int
    schedule: str
    chunks: int | None = None
    batch: int | None = None
    link: Link | None = None
    faults: Mapping[str, Value] = field(default_factory=dict)
    measured: tuple[Stage, ...] = ()
    device: str = PREDICTED.name

    @property
    def stages(self) -> int:
        """Into how many stages the model is cut. Raises PlanError as `schedule_of` does."""
        schedule = schedule_of(self.schedule)
        return schedule.stage_count(self.devices, self.chunks or schedule.chunks)

    @property
    def specification(self) -> Specification:
        """The pipeline as a run."""
        return Specification(
            STRATEGY.name,
            devices=f"{self.devices}x{self.device}",
            batch=self.batch,
            steps=1,
            warmup=0,
        ).having(
            schedule=self.schedule,
            chunks=self.chunks,
            microbatches=self.microbatches,
            **self.faults,
        )

    @property
    def fitted_costs(self) -> CostModel:
        """The costs for the asked stages, over the asked link.

        Of more stages than the model has blocks each costs the same. Raises CostError for costs of
        other stages than those that they are said to be for.
        """
        costs = self.costs
        if self.measured:
            rows = (self.batch or self.microbatches) // self.microbatches
            costs = blockwise(costs, self.model, self.measured, max(1, rows))
        units = max(len(costs.passes.get(kind, ())) for kind in STAGED)
        blocks = len(self.model.blocks)
        # Costs of other units than the asked stages, or fewer blocks than these: a stage is then an
        # equal part of the whole.
        if (self.stages > blocks) if costs.by_block else units not in (1, self.stages):
            costs = split_evenly(costs, self.stages, blocks)
        return costs if self.link is None else costs.over(self.link)


def split_evenly(costs: CostModel, stages: int, blocks: int) -> CostModel:
    """The costs of a whole model, shared equally by so many stages.

    A single curve of costs by block stands for each of `blocks`.
    """

    def shared(passes: Mapping[Kind, tuple[Curve, ...]]) -> dict[Kind, tuple[Curve, ...]]:
        found = dict(passes)
        for kind in STAGED:
            if kind in found:
                curves = found[kind]
                times = blocks if costs.by_block and len(curves) == 1 else 1
                found[kind] = (_summed(curves, times / stages),)
        return found

    passes, further = shared(costs.passes), shared(costs.further)
    return replace(costs, passes=passes, further=further, joined={}, by_block=False)


def _summed(curves: Sequence[Curve], factor: float) -> Curve:
    sizes = sorted({size for curve in curves for size, _ in curve})
    return tuple((size, factor * sum(cost_at(curve, size) for curve in curves)) for size in sizes)


@dataclass(frozen=True, slots=True)
class WhatIfResult:
    """A predicted step in figures, and its passes by lane as a picture needs them.

    Whole numbers are as short as their largest allows, because answers travel between processes.

    The bubbles are fractions of 0 to 1; `closed_form` is None where there is no formula. An entry
    of `peaks` for each compute lane is the most activations that it holds. The tasks of compute
    lane l are those from `first[l]` to `first[l + 1]`, in order of time; kinds index KINDS.
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


class WhatIf:
    """Answers questions, and keeps the last plan for questions of other costs alone."""

    def __init__(self) -> None:
        self._last: tuple[Job, Plan] | None = None

    def answer(self, question: WhatIfQuery) -> WhatIfResult:
        """Predict. Raises PlanError (CostError) for what cannot be planned or has no costs."""
        costs = question.fitted_costs
        _, job = job_without_machine(question.specification, question.model, costs)
        # Sliders of costs, link and faults ask for the same plan again and again; making it takes
        # longer than simulating it.
        if self._last is None or self._last[0] != job:
            self._last = job, _planned(job)
        plan = self._last[1]
        columns = predict_times(plan, costs, Faults.of(question.specification))
        return answer_of(columns, plan.lanes, plan.pipeline)


def whole_answer(question: WhatIfQuery) -> tuple[PlannedStep, Prediction]:
    """The same prediction with the tasks of its plan and the causes of idle time: takes longer.

    Raises PlanError as `WhatIf.answer` does.
    """
    costs = question.fitted_costs
    run = plan_without_machine(question.specification, question.model, costs)
    return run, predict_step(run.plan, costs, Faults.of(question.specification))


def _planned(job: Job) -> Plan:
    """The job's plan. Raises PlanError, also for one that is too large."""
    stages = math.prod(ranks_of(job, job.schedule))
    microbatches = len(microbatch_rows(job))
    # Counted before the plan is made: it is the plan that would fill the memory.
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
    """What a predicted step comes to; compute lanes come first among `lanes`."""
    compute = sum(lane.role is Role.COMPUTE for lane in lanes)
    counts = np.bincount(columns.lane, minlength=compute)[:compute]
    first = np.concatenate([[0], np.cumsum(counts)])
    # By lane, in each in order of time; compute lanes have the smallest numbers, so the slice
    # leaves the tasks of copy lanes out.
    order = stable_argsort(columns.lane)[: first[-1]]
    bubbles = bubble_of(columns, lanes)
    return WhatIfResult(
        len(columns), int(columns.end.max(initial=0)),
        bubbles.by_makespan, bubbles.by_lane_span, closed_form(columns, pipeline),
        peak_activations(columns, compute), first, columns.kind[order],
        *(_short(column)[order] for column in (
            columns.start, columns.end, columns.stage, columns.microbatch,
        )),
    )  # fmt: skip


def _short(column: NDArray[Any]) -> NDArray[np.integer]:
    """The same whole numbers of -1 or more in the shortest type that holds them."""
    most = int(column.max(initial=0))
    # Of a negative number NumPy chooses a signed type, which also holds -1, for absent.
    return column.astype(np.min_scalar_type(-most - 1))
