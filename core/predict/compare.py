"""Comparison of a run's steps with their prediction from separately measured costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum

import numpy as np

from core.costs.costs import CostError, CostModel
from core.costs.costs_file import reported_costs
from core.costs.durations import durations, gaps
from core.costs.meetings import meeting
from core.costs.simulate import simulate
from core.message import N_, message
from core.order import stable_argsort
from core.plan.faults import NO_FAULTS, Faults
from core.plan.plan import Lane, Role, working_lanes
from core.predict.predict import lane_times
from core.predict.step_costs import costs_of_step
from core.trace.complete import completed_steps
from core.trace.median_step import median_step
from core.trace.source import Source
from core.trace.spans import Spans
from core.trace.step import StepColumns
from core.trace.trace import Trace


class CostSource(StrEnum):
    """Source of the costs of a prediction."""

    CALIBRATED = N_("measured with all lanes busy, before the measured steps")
    ALONE = N_("measured one task at a time, before each measured step")
    BY_SIZE = N_("measured block by block, in micro-batches of several sizes")
    WARMUP = N_("taken from the last warm-up step")
    MEASURED = N_("taken from the last measured step")


@dataclass(frozen=True, slots=True)
class LaneError:
    """A lane's computing time in a step, measured and predicted, in ns.

    `error` is predicted / measured - 1, None if the lane did not compute.
    """

    name: str
    busy_ns: int
    predicted_busy_ns: int
    error: float | None


@dataclass(frozen=True, slots=True)
class PredictedStep:
    """A measured step and its prediction.

    `columns` has the predicted tasks, in ns since the run's start: the first begins when the
    measured step began. `error` is predicted / measured - 1 of the makespan. `lanes` are the
    compute lanes.
    """

    step: int
    columns: StepColumns
    makespan_ns: int
    predicted_ns: int
    error: float
    lanes: tuple[LaneError, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """All predicted steps of a run.

    `median_step` is the number of the step that represents the run (core.trace.median_step).
    """

    source: CostSource
    steps: tuple[PredictedStep, ...]
    median_step: int

    @property
    def median(self) -> PredictedStep:
        """The median step."""
        return next(step for step in self.steps if step.step == self.median_step)

    @property
    def makespan_error(self) -> float:
        """Error of the median step's makespan: predicted / measured - 1."""
        return self.median.error

    @property
    def makespans_ns(self) -> tuple[int, int]:
        """The median step's makespan, measured and predicted."""
        return self.median.makespan_ns, self.median.predicted_ns

    @property
    def lanes(self) -> tuple[LaneError, ...]:
        """The compute lanes in the median step."""
        return self.median.lanes

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values of the median step and of each step."""
        steps: list[dict[str, object]] = []
        for step in self.steps:
            values: dict[str, object] = {
                "step": step.step,
                "makespan_ns": step.makespan_ns,
                "predicted_ns": step.predicted_ns,
                "error": step.error,
            }
            steps.append(values)
        median = self.median
        return {
            "costs": str(self.source),
            "median_step": self.median_step,
            "makespan_ns": median.predicted_ns,
            "makespan_error": median.error,
            "lanes": [asdict(lane) for lane in median.lanes],
            "steps": steps,
        }


def predict_steps(trace: Trace, steps: Sequence[int] | None = None) -> Comparison | None:
    """Predict the measured steps of a run, or `steps`; None if its costs are not known.

    The tasks and their dependencies are taken from the trace. Raises PlanError if the costs are
    invalid or do not cover a task.
    """
    known = known_costs(trace)
    if known is None:
        if trace.costs is not None:
            raise CostError(message("the costs in the recording are invalid"))
        return None
    costs, source = known
    wanted = completed_steps(trace) if steps is None else steps
    # The costs of a warm-up step contain the injected faults; other costs were measured without.
    faults = NO_FAULTS
    if source is not CostSource.WARMUP:
        faults = Faults.of(trace.header.specification)
    predicted = tuple(_predicted(trace, step, costs, faults) for step in wanted)
    if not predicted:
        return None
    return Comparison(source, predicted, median_step(trace, wanted))


def known_costs(trace: Trace) -> tuple[CostModel, CostSource] | None:
    """Return the costs of a run's tasks and their source; None if they are not known.

    They are the costs that were measured before the steps. Otherwise, and always for ranks, they
    are taken from the last warm-up step, unless it is the run's first step, in which torch
    initialises.
    """
    if trace.costs is not None:
        costs = reported_costs(trace.costs)
        if costs is None:
            return None
        is_virtual = any(lane.is_virtual for lane in trace.header.lanes)
        return costs, CostSource.ALONE if is_virtual else CostSource.CALIBRATED
    last = trace.header.specification.warmup - 1
    if last < 1 or last not in trace.steps:
        return None
    columns = StepColumns.of_trace(trace, last)
    return costs_of_step(columns, trace.header.lanes), CostSource.WARMUP


def prediction_trace(trace: Trace, comparison: Comparison) -> Trace:
    """Return the predicted steps as a trace with the run's lanes and step numbers.

    Each step begins when the measured one began, so a step that is predicted to be longer overlaps
    the next one (see `without_step_overlap`). Counters, logs and clocks are left out.
    """
    header = replace(trace.header, source=Source.PREDICTED)
    other = Trace(header, trace.table, version=1)
    for lane in working_lanes(trace.header.lanes):
        spans = trace.spans(lane.index)
        parts = [other.spans(lane.index)]
        # Sorted within each step, because predicted steps may overlap.
        for step in comparison.steps:
            columns = step.columns
            measured = spans[spans.of_step(step.step)]
            at = np.searchsorted(columns.task, measured["task"])
            start = columns.start[at]
            predicted = measured.timed(start, columns.end[at])
            parts.append(predicted[stable_argsort(start)])
        other.lanes[lane.index] = Spans.joined(parts)
    for step in comparison.steps:
        columns = step.columns
        other.step_table.widen(np.full_like(columns.task, step.step), columns.start, columns.end)
    return other


def without_step_overlap(predicted: Trace) -> Trace:
    """Return a prediction with steps moved to later times, so that each follows the previous."""
    steps = np.array(predicted.steps, np.int32)
    bounds = [predicted.step_bounds(step) for step in predicted.steps]
    starts, ends = np.array(bounds, np.int64).T
    # The delay of each step in ns.
    later = np.zeros(len(steps), np.int64)
    previous_end = starts[0]
    for place, start in enumerate(starts):
        later[place] = max(0, previous_end - start)
        previous_end = ends[place] + later[place]
    other = Trace(predicted.header, predicted.table, version=1)
    for lane in working_lanes(predicted.header.lanes):
        spans = predicted.spans(lane.index)
        by = later[np.searchsorted(steps, spans.step)]
        start = spans.start + by
        end = spans.end + by
        other.lanes[lane.index] = spans.timed(start, end)
    other.step_table.widen(steps, starts + later, ends + later)
    return other


def _predicted(trace: Trace, step: int, costs: CostModel, faults: Faults) -> PredictedStep:
    lanes = trace.header.lanes
    measured = StepColumns.of_trace(trace, step)
    without_faults = durations(measured, costs, lanes=lanes)
    times = faults.durations(measured, lanes, step, without_faults)
    columns = simulate(measured, times, meeting(measured, lanes), gaps(measured, costs))
    begin, end = trace.step_bounds(step)
    makespan_ns = end - begin
    predicted_ns = int(columns.end.max())
    return PredictedStep(
        step=step,
        columns=replace(columns, start=columns.start + begin, end=columns.end + begin),
        makespan_ns=makespan_ns,
        predicted_ns=predicted_ns,
        error=predicted_ns / max(1, makespan_ns) - 1,
        lanes=_lane_errors(lanes, measured, columns),
    )


def _lane_errors(
    lanes: Sequence[Lane], measured: StepColumns, predicted: StepColumns
) -> tuple[LaneError, ...]:
    measured_busy, _ = lane_times(measured, len(lanes))
    predicted_busy, _ = lane_times(predicted, len(lanes))
    errors: list[LaneError] = []
    for lane in lanes:
        if lane.role is Role.COMPUTE:
            busy = int(measured_busy[lane.index])
            expected = int(predicted_busy[lane.index])
            error = expected / busy - 1 if busy else None
            errors.append(
                LaneError(
                    name=lane.name,
                    busy_ns=busy,
                    predicted_busy_ns=expected,
                    error=error,
                )
            )
    return tuple(errors)
