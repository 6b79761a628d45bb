"""Predictions of a step, for the command line and for Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bubblescope.api.running import describe_model
from core.costs.blockwise import blockwise
from core.costs.costs import CostModel
from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.faults import Faults, hiccups_of
from core.plan.link import read_link
from core.plan.pipeline.options import BORDERS, STAGES, stages_asked
from core.plan.specification import Specification
from core.plan.task import Kind, Task
from core.predict.predict import Prediction, predict_step, predicted_recording, predicted_trace
from core.predict.replan import RunPlans
from core.predict.without_machine import PlannedStep, plan_without_machine
from core.report.measured import MeasuredSteps
from core.report.plan_costs import plan_costs
from core.trace.header import Header
from core.trace.source import Source
from core.trace.step import StepColumns
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class PredictedRun:
    """A predicted step of a run, with its plan, the costs, and the requested faults.

    `number` is the step's number among the measured steps, from 1. `step` is its number among all
    steps, from 0 and including warm-up, as in faults.
    """

    planned: PlannedStep
    prediction: Prediction
    costs: CostModel
    faults: Faults
    number: int
    step: int

    @property
    def trace(self) -> Trace:
        """The step as a trace."""
        return predicted_trace(*self._recorded)

    @property
    def recording(self) -> bytes:
        """The step as the bytes of a recording."""
        return predicted_recording(*self._recorded)

    @property
    def _recorded(self) -> tuple[Header, Sequence[Task], StepColumns, int]:
        planned = self.planned
        # A prediction has no warm-up, so its step has the user's number minus one.
        return planned.header, planned.plan.tasks, self.prediction.columns, self.number - 1


def predict_run(specification: Specification, costs: CostModel, number: int = 1) -> PredictedRun:
    """Predict a measured step of a run, over the run's link if it names one.

    Raises PlanError for a step that the run does not have or a plan that is impossible, and
    CostError if the costs do not cover it.
    """
    if specification.link is not None:
        link = read_link(specification.link)
        costs = costs if link is None else costs.over(link)
    model = describe_model(specification)
    steps = len(specification.step_rows)
    if not 1 <= number <= steps:
        raise PlanError(f"--step {number}: the measured steps are 1 to {steps}")
    planned = plan_without_machine(specification, model, costs)
    # The summary and the recording list only the hiccups of the predicted step.
    listed = planned.specification.having(hiccup=hiccups_of(specification, number))
    planned = replace(planned, specification=listed)
    faults = Faults.of(specification)
    step = specification.warmup + number - 1
    prediction = predict_step(planned.plan, costs, faults, step)
    return PredictedRun(planned, prediction, costs, faults, number, step)


def with_measured_costs(
    specification: Specification, trace: Trace, steps: Sequence[int], name: str
) -> tuple[Specification, CostModel]:
    """Return the run with missing settings taken from a trace, and the costs of the trace's steps.

    The settings are the numbers of stages, micro-batches and replicas and, for a run of Bubblescope
    with as many lanes, its devices. With borders the costs are by block, estimated from the costs
    of stages, and the model is the trace's unless another one is given. `name` is the trace's name,
    for error messages. Raises PlanError.
    """
    found = plan_costs(MeasuredSteps.of(trace, steps))
    if Kind.FORWARD not in found.costs.passes:
        raise PlanError(f"{name}: it has no forward passes of stages or blocks")
    filled = found.filled(_on_recorded_devices(specification, found.ranks, trace))
    if specification[BORDERS] is None or found.costs.by_block:
        return filled, found.costs
    return _with_model_of(filled, trace), _costs_of_blocks(found.costs, trace, steps[0], name)


def _costs_of_blocks(costs: CostModel, trace: Trace, step: int, name: str) -> CostModel:
    """Return the costs of blocks, estimated from the costs of stages. Raises PlanError."""
    plan = RunPlans(trace).plan(step) if trace.header.source.has_plan else None
    if plan is None:
        raise PlanError(
            f"{name}: it does not say which blocks of the model its stages have, so that "
            f"{BORDERS.flag} cannot be predicted from them; use {STAGES.flag}"
        )
    rows = max(part.rows for part in plan.parts)
    return blockwise(costs, trace.header.model, plan.stages, rows)


def _with_model_of(specification: Specification, trace: Trace) -> Specification:
    """Return the run with the model of the trace, if its own is the default one."""
    if specification.model != ModelSettings():
        return specification
    return replace(specification, model=trace.header.specification.model)


def _on_recorded_devices(specification: Specification, ranks: int, trace: Trace) -> Specification:
    """Return a run on the devices that the costs were measured on, if it has as many lanes.

    Imagined GPUs would copy while they compute, which CPU lanes do not.
    """
    header = trace.header
    is_ours = header.source is Source.RUN and len(header.compute_lanes) == ranks
    asked = stages_asked(specification[STAGES], specification[BORDERS])
    has_borders = specification[BORDERS] is not None
    fits = asked is None or (has_borders and asked == ranks)
    if specification.devices.strip() != "auto" or not fits or not is_ours:
        return specification
    return specification.having(devices=header.specification.devices)
