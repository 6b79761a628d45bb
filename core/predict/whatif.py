"""What if: a pipeline on any number of devices, with any link and a slow lane, at once.

What a question asks for is planned once and kept: another link or a slower lane is simulated on
the plan that is there.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.explain.bubble import bubble_of, closed_form
from core.models.description import ModelDescription
from core.order import stable_argsort
from core.plan.schedules import schedule_of
from core.plan.specification import Specification
from core.plan.staged import ranks_of
from core.plan.strategies import STRATEGIES
from core.plan.strategies.pipeline import microbatch_rows
from core.plan.strategy import Job
from core.plan.task import Kind, Lane, Pipeline, PlanError, Role, Stage
from core.predict.blockwise import blockwise
from core.predict.costs import STAGED, Alike, CostModel, Curve, Link, alike, cost_at, durations
from core.predict.outline import Outline, outline_of
from core.predict.peaks import peak_activations
from core.predict.predict import Prediction, predict_step
from core.predict.setting import Setting, job_without_machine, setting_of
from core.trace.step import StepColumns

STRATEGY = "pipeline"
MOST_PASSES = 1_000_000  # of a plan: more would keep the machine busy for long
KEPT_TASKS = 1_000_000  # of all plans together; those used longest ago go


@dataclass(frozen=True, slots=True)
class Question:
    """A pipeline that is asked about.

    `costs` are those of `model` cut into `measured` stages; without these, of the asked pipeline's
    own stages. `batch` None is a micro-batch as large as the costs are for. `link` replaces what
    the costs say of transfers; `slow` is a lane and the factor by which it computes longer.
    `device` is the lanes' kind: `cuda` lanes copy beside computing, `cpu` lanes copy themselves.
    """

    model: ModelDescription
    costs: CostModel
    devices: int
    microbatches: int
    schedule: str
    chunks: int | None = None
    batch: int | None = None
    link: Link | None = None
    slow: tuple[int, float] | None = None
    measured: tuple[Stage, ...] = ()
    device: str = "cuda"

    @property
    def stages(self) -> int:
        """Into how many stages the model is cut. Raises PlanError as `schedule_of` does."""
        schedule = schedule_of(self.schedule)
        return schedule.stage_count(self.devices, self.chunks or schedule.chunks)

    @property
    def specification(self) -> Specification:
        """The pipeline as a run."""
        return Specification(
            STRATEGY,
            devices=f"{self.devices}x{self.device}",
            batch=self.batch,
            steps=1,
            warmup=0,
        ).having(schedule=self.schedule, chunks=self.chunks, microbatches=self.microbatches)

    @property
    def fitted_costs(self) -> CostModel:
        """The costs for the asked stages, over the asked link, with the slow lane.

        Of more stages than the model has blocks each costs the same. Raises CostError for costs of
        other stages than those that they are said to be for.
        """
        costs = self.costs
        if self.measured:
            rows = (self.batch or self.microbatches) // self.microbatches
            costs = blockwise(costs, self.model, self.measured, max(1, rows))
        units = max(len(costs.passes.get(kind, ())) for kind in STAGED)
        blocks = len(self.model.blocks)
        if (self.stages > blocks) if costs.by_block else units not in (1, self.stages):
            costs = evenly(costs, self.stages, blocks)
        if self.link is not None:
            costs = costs.over(self.link)
        return costs if self.slow is None else costs.slowed(dict([self.slow]))


def evenly(costs: CostModel, stages: int, blocks: int) -> CostModel:
    """The costs of a whole model, shared equally by so many stages.

    A single curve of costs by block stands for each of `blocks`.
    """
    passes: dict[Kind, tuple[Curve, ...]] = dict(costs.passes)
    for kind in STAGED:
        if kind in passes:
            curves = passes[kind]
            times = blocks if costs.by_block and len(curves) == 1 else 1
            passes[kind] = (_summed(curves, times / stages),)
    return replace(costs, passes=passes, by_block=False)


def _summed(curves: Sequence[Curve], factor: float) -> Curve:
    sizes = sorted({size for curve in curves for size, _ in curve})
    return tuple((size, factor * sum(cost_at(curve, size) for curve in curves)) for size in sizes)


@dataclass(frozen=True, slots=True)
class Answer:
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


@dataclass(frozen=True, slots=True)
class ByLane:
    """What an answer tells of a plan whatever its times: see Answer. `order` are positions."""

    order: NDArray[np.int64]
    first: NDArray[np.int64]
    peaks: NDArray[np.int64]

    @classmethod
    def of(
        cls, columns: StepColumns, lanes: Sequence[Lane], order: NDArray[np.int64] | None = None
    ) -> ByLane:
        """The tasks of the compute lanes, which come first among `lanes`, lane by lane.

        `order` are all tasks lane by lane, if that is known.
        """
        compute = sum(lane.role is Role.COMPUTE for lane in lanes)
        if order is None:
            order = stable_argsort(columns.lane)
        counts = np.bincount(columns.lane, minlength=compute)[:compute]
        first = np.concatenate([[0], np.cumsum(counts)])
        order = order[: first[-1]]
        return cls(order, first, peak_activations(columns, compute, order=order))


class _Planned:
    """What is kept of a plan; what does not depend on times is worked out once."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.by_lane = ByLane.of(outline.columns, outline.lanes, outline.by_lane)
        self._alike: dict[bool, Alike] = {}

    def __len__(self) -> int:
        return len(self.outline.columns)

    def alike(self, by_rows: bool) -> Alike:
        """The groups of tasks that cost the same."""
        if by_rows not in self._alike:
            self._alike[by_rows] = alike(self.outline.columns, by_rows)
        return self._alike[by_rows]


class WhatIf:
    """Answers questions, and keeps the plans that it made for the next ones."""

    def __init__(self, most_tasks: int = KEPT_TASKS) -> None:
        self._most = most_tasks
        self._plans: OrderedDict[tuple[Specification, ModelDescription], _Planned] = OrderedDict()

    def knows(self, question: Question) -> bool:
        """Whether the plan that a question needs is there. Raises PlanError as `answer` does."""
        specification, job = _job(question, question.fitted_costs)
        return (specification, job.model) in self._plans

    def prepare(self, question: Question) -> None:
        """Make the plan that a question needs, unless it is there. Raises PlanError."""
        costs = question.fitted_costs
        self._plan(question, costs).alike(costs.by_rows)

    def answer(self, question: Question) -> Answer:
        """Predict. Raises PlanError (CostError) for what cannot be planned or has no costs."""
        costs = question.fitted_costs
        plan = self._plan(question, costs)
        outline = plan.outline
        times = durations(outline.columns, costs, outline.stages, plan.alike(costs.by_rows))
        columns = outline.timed(times)
        return answer_of(columns, outline.lanes, outline.pipeline, plan.by_lane)

    def _plan(self, question: Question, costs: CostModel) -> _Planned:
        specification, job = _job(question, costs)
        key = (specification, job.model)
        if key not in self._plans:
            self._plans[key] = _planned(job)
            held = sum(len(plan) for plan in self._plans.values())
            while held > self._most and len(self._plans) > 1:
                held -= len(self._plans.popitem(last=False)[1])
        self._plans.move_to_end(key)
        return self._plans[key]


def whole_answer(question: Question) -> tuple[Setting, Prediction]:
    """The same prediction with the tasks of its plan and the causes of idle time: takes longer.

    Raises PlanError as `WhatIf.answer` does.
    """
    costs = question.fitted_costs
    setting = setting_of(question.specification, question.model, costs)
    return setting, predict_step(setting.plan, costs)


def _job(question: Question, costs: CostModel) -> tuple[Specification, Job]:
    return job_without_machine(question.specification, question.model, costs)


def _planned(job: Job) -> _Planned:
    """What is kept of the plan. Raises PlanError, also for one that is too large."""
    stages, microbatches = ranks_of(job, job.schedule), len(microbatch_rows(job))
    passes = math.prod(stages) * microbatches * len(job.schedule.uses)
    if passes > MOST_PASSES:
        raise PlanError(
            f"{microbatches:,} micro-batches through {math.prod(stages):,} stages are {passes:,} "
            f"passes: use fewer of them, so that there are at most {MOST_PASSES:,}"
        )
    return _Planned(outline_of(STRATEGIES[STRATEGY], job))


def answer_of(
    columns: StepColumns,
    lanes: Sequence[Lane],
    pipeline: Pipeline | None,
    known: ByLane | None = None,
) -> Answer:
    """What a predicted step comes to; compute lanes come first among `lanes`."""
    by_lane = known or ByLane.of(columns, lanes)
    bubbles, form = bubble_of(columns, lanes), closed_form(columns, pipeline)
    order = by_lane.order
    return Answer(
        len(columns), int(columns.end.max(initial=0)),
        bubbles.by_makespan, bubbles.by_lane_span, None if form is None else form.fraction,
        by_lane.peaks, by_lane.first, columns.kind[order],
        *(_short(column)[order] for column in (
            columns.start, columns.end, columns.stage, columns.microbatch,
        )),
    )  # fmt: skip


def _short(column: NDArray[Any]) -> NDArray[np.integer]:
    """The same whole numbers of -1 or more in the shortest type that holds them."""
    most = int(column.max(initial=0))
    return column.astype(np.min_scalar_type(-most - 1))
