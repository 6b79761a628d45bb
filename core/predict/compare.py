"""A run's steps predicted from what its tasks were measured to cost apart, beside the run."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.costs.costs import CostError, CostModel, Curve
from core.costs.costs_file import reported_costs
from core.costs.durations import durations, gaps
from core.costs.simulate import simulate
from core.costs.waits import meeting, waits_of
from core.message import N_, message
from core.order import stable_argsort
from core.plan.faults import NO_FAULTS, Faults
from core.plan.plan import Lane, Role, working_lanes
from core.plan.task import ABSENT, KINDS, Kind
from core.predict.predict import lane_times
from core.trace.complete import completed_steps
from core.trace.median_step import median_step
from core.trace.source import Source
from core.trace.spans import Spans
from core.trace.step import StepColumns
from core.trace.trace import Trace


class CostSource(StrEnum):
    """Where the costs of a prediction come from."""

    CALIBRATED = N_("measured with all lanes busy, before the measured steps")
    ALONE = N_("measured one task at a time, before each measured step")
    BY_SIZE = N_("measured block by block, in micro-batches of several sizes")
    WARMUP = N_("taken from the last warm-up step")
    MEASURED = N_("taken from the last measured step")


@dataclass(frozen=True, slots=True)
class LaneError:
    """A lane's computing time in a step, measured and predicted, in ns.

    `error` is predicted / measured - 1, None where nothing was measured.
    """

    name: str
    busy_ns: int
    predicted_busy_ns: int
    error: float | None


@dataclass(frozen=True, slots=True)
class PredictedStep:
    """A measured step and its prediction; `columns` has the predicted times in the run's time.

    The prediction begins when the step began. `error` is predicted / measured - 1 of the makespan.
    `lanes` are the compute lanes.
    """

    step: int
    columns: StepColumns
    makespan_ns: int
    predicted_ns: int
    error: float
    lanes: tuple[LaneError, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """All steps of a run that could be predicted.

    `median_step` is the number of the one whose figures are those of the run
    (core.trace.median_step).
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
        """The error of the median step: predicted over measured, less 1."""
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
        """As plain JSON values: the median step's, and each step's own."""
        names = ("step", "makespan_ns", "predicted_ns", "error")
        median = self.median
        return {
            "costs": str(self.source),
            "median_step": self.median_step,
            "makespan_ns": median.predicted_ns,
            "makespan_error": median.error,
            "lanes": [asdict(lane) for lane in median.lanes],
            "steps": [{name: getattr(step, name) for name in names} for step in self.steps],
        }


def predict_steps(trace: Trace, steps: Sequence[int] | None = None) -> Comparison | None:
    """Predict the measured steps of a run (or `steps`); None where costs are not known.

    The plan is the trace's own: its tasks, and what each waited for. Raises PlanError naming what
    the costs lack, or what is wrong with them.
    """
    known = known_costs(trace)
    if known is None:
        if trace.costs is not None:
            raise CostError(message("the costs that the recording holds make no sense"))
        return None
    costs, source = known
    wanted = completed_steps(trace) if steps is None else steps
    # What was measured beforehand was measured without the faults that were put in.
    beforehand = source is not CostSource.WARMUP
    faults = Faults.of(trace.header.specification) if beforehand else NO_FAULTS
    predicted = tuple(_predicted(trace, step, costs, faults) for step in wanted)
    return Comparison(source, predicted, median_step(trace, wanted)) if predicted else None


def known_costs(trace: Trace) -> tuple[CostModel, CostSource] | None:
    """What a run's tasks cost, and how that is known; None if it is not.

    As measured beforehand; else (for ranks always) as in the last warm-up step, unless that is the
    run's first, in which all that torch does once is done.
    """
    if trace.costs is not None:
        costs, alone = (
            reported_costs(trace.costs),
            any(lane.is_virtual for lane in trace.header.lanes),
        )
        source = CostSource.ALONE if alone else CostSource.CALIBRATED
        return None if costs is None else (costs, source)
    last = trace.header.specification.warmup - 1
    if last < 1 or last not in trace.steps:
        return None
    columns = StepColumns.of_trace(trace, last)
    return costs_of_step(columns, trace.header.lanes), CostSource.WARMUP


def costs_of_step(columns: StepColumns, lanes: Sequence[Lane]) -> CostModel:
    """The costs of a step that was run, by block where its tasks are blocks, else by stage.

    Medians of the spans; of a collective only what comes after the last rank has begun.
    """
    by_block = bool((columns.block != ABSENT).any())
    unit = columns.block if by_block else columns.stage
    units = max(1, int(unit.max(initial=0)) + 1)
    taken = columns.end - waits_of(columns, lanes).begun
    passes: dict[Kind, tuple[Curve, ...]] = {}
    transfers: dict[Kind, Curve] = {}
    for code in np.unique(columns.kind).tolist():
        kind, mine = KINDS[code], columns.kind == code
        if kind.is_communication:
            transfers[kind] = _curve(columns.bytes[mine], taken[mine])
        elif kind is Kind.LOSS:
            passes[kind] = (_curve(columns.rows[mine], taken[mine]),)
        elif (unit[mine] == ABSENT).all():  # a step of all blocks at once: an equal share of each
            passes[kind] = (_curve(columns.rows[mine], taken[mine] / units),)
        elif kind is not Kind.OVERLAP:
            # Not of an overlap: what that takes as a whole says nothing of its halves.
            known = {
                place: _curve(columns.rows[mine & (unit == place)], taken[mine & (unit == place)])
                for place in np.unique(unit[mine]).tolist()
            }
            # Curves are found by their places, so stages without such a task have an entry too.
            spare = next(iter(known.values()))
            passes[kind] = tuple(known.get(place, spare) for place in range(units))
    return CostModel(passes, transfers, by_rows=True, by_block=by_block)


def prediction_trace(trace: Trace, comparison: Comparison) -> Trace:
    """The predicted steps as a trace of the run's lanes, steps and time, marked as predicted.

    Each begins when the measured one began, however long the one before is predicted to be; see
    `steps_apart`. Counters, logs and clocks are left behind.
    """
    other = Trace(replace(trace.header, source=Source.PREDICTED), trace.table, version=1)
    for lane in working_lanes(trace.header.lanes):
        spans, parts = trace.spans(lane.index), [other.spans(lane.index)]
        # Step by step: one that is predicted to be long reaches into the next.
        for step in comparison.steps:
            some, columns = spans[spans.of_step(step.step)], step.columns
            at = np.searchsorted(columns.task, some["task"])
            order = stable_argsort(columns.start[at])
            parts.append(some.timed(columns.start[at], columns.end[at])[order])
        other.lanes[lane.index] = Spans.joined(parts)
    for step in comparison.steps:
        columns = step.columns
        other.step_table.widen(np.full_like(columns.task, step.step), columns.start, columns.end)
    return other


def without_step_overlap(predicted: Trace) -> Trace:
    """A prediction as a run of its own, in which no step begins before the last one has ended."""
    steps = np.array(predicted.steps, np.int32)
    starts, ends = np.array([predicted.step_bounds(step) for step in steps.tolist()], np.int64).T
    later, reached = np.zeros(len(steps), np.int64), starts[0]
    for place, start in enumerate(starts):
        later[place] = max(0, reached - start)
        reached = ends[place] + later[place]
    other = Trace(predicted.header, predicted.table, version=1)
    for lane in working_lanes(predicted.header.lanes):
        spans = predicted.spans(lane.index)
        by = later[np.searchsorted(steps, spans.step)]
        other.lanes[lane.index] = spans.timed(spans.start + by, spans.end + by)
    other.step_table.widen(steps, starts + later, ends + later)
    return other


def _predicted(trace: Trace, step: int, costs: CostModel, faults: Faults) -> PredictedStep:
    measured, lanes = StepColumns.of_trace(trace, step), trace.header.lanes
    undisturbed = durations(measured, costs, lanes=lanes)
    times = faults.durations(measured, lanes, step, undisturbed)
    columns = simulate(measured, times, meeting(measured, lanes), gaps(measured, costs))
    begin, end = trace.step_bounds(step)
    predicted = int(columns.end.max())
    return PredictedStep(
        step,
        replace(columns, start=columns.start + begin, end=columns.end + begin),
        end - begin,
        predicted,
        predicted / max(1, end - begin) - 1,
        _lane_errors(trace.header.lanes, measured, columns),
    )


def _lane_errors(
    lanes: Sequence[Lane], measured: StepColumns, predicted: StepColumns
) -> tuple[LaneError, ...]:
    (was, _), (expected, _) = lane_times(measured, len(lanes)), lane_times(predicted, len(lanes))
    return tuple(
        _lane_error(lane.name, int(was[lane.index]), int(expected[lane.index]))
        for lane in lanes
        if lane.role is Role.COMPUTE
    )


def _lane_error(name: str, busy: int, predicted: int) -> LaneError:
    return LaneError(name, busy, predicted, predicted / busy - 1 if busy else None)


def _curve(sizes: NDArray[Any], times: NDArray[Any]) -> Curve:
    """The medians by size; a size of 0 counts as 1."""
    found: dict[int, list[float]] = defaultdict(list)
    for size, time in zip(sizes.tolist(), times.tolist(), strict=True):
        # Beyond its points a curve is in proportion to the nearest size, which so must not be 0.
        found[max(1, size)].append(time)
    return tuple((float(size), statistics.median(found[size])) for size in sorted(found))
