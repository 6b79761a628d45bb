"""Predicts a plan: when every task would run on a cost model, and what that comes to."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.costs.costs import CostModel
from core.costs.peaks import peak_activations
from core.costs.plan_times import predict_times
from core.plan.faults import NO_FAULTS, Faults
from core.plan.plan import Plan
from core.plan.task import IS_COMMUNICATION, Task
from core.recording.decode import append_batch
from core.recording.schema import Timings, plan_batch, schema_of, span_batch
from core.trace.header import Header
from core.trace.source import Source
from core.trace.step import StepColumns
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class PredictedLane:
    """What a lane does in the predicted step; its three times add up to the makespan.

    `peak_activations` is the most that it holds at a time, each of one stage and micro-batch.
    """

    name: str
    busy_ns: int
    communication_ns: int
    idle_ns: int
    peak_activations: int


@dataclass(frozen=True, slots=True)
class Prediction:
    """A predicted step: its tasks with their times, and what they come to."""

    columns: StepColumns
    makespan_ns: int
    lanes: tuple[PredictedLane, ...]


def predict_step(
    plan: Plan, costs: CostModel, faults: Faults = NO_FAULTS, step: int = 0
) -> Prediction:
    """Predict a step of `plan`. Raises CostError if the costs do not cover it.

    `faults` lengthen its tasks as those of the step that is number `step` in a recording.
    """
    columns = predict_times(plan, costs, faults, step)
    makespan, count = int(columns.end.max(initial=0)), len(plan.lanes)
    busy, moving = (times.tolist() for times in lane_times(columns, count))
    peaks = peak_activations(columns, count).tolist()
    lanes = (
        PredictedLane(lane.name, computes, moves, makespan - computes - moves, peak)
        for lane, computes, moves, peak in zip(plan.lanes, busy, moving, peaks, strict=True)
    )
    return Prediction(columns, makespan, tuple(lanes))


def predicted_trace(
    header: Header, tasks: Sequence[Task], columns: StepColumns, step: int = 0
) -> Trace:
    """A predicted step as a trace, to be drawn as a run is; its header says that it is predicted.

    `tasks` are the plan's; the trace has a single step, of index `step`.
    """
    trace = Trace(replace(header, source=Source.PREDICTED))
    for batch in _predicted_batches(tasks, columns, step):
        append_batch(trace, batch)
    return trace


def predicted_recording(
    header: Header, tasks: Sequence[Task], columns: StepColumns, step: int = 0
) -> bytes:
    """A predicted step as a recording, which the window opens as it opens a run's."""
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, schema_of(replace(header, source=Source.PREDICTED))) as stream:
        for batch in _predicted_batches(tasks, columns, step):
            stream.write_batch(batch)
    return sink.getvalue()


def _predicted_batches(
    tasks: Sequence[Task], columns: StepColumns, step: int
) -> list[pa.RecordBatch]:
    # Plan 0: a stream of one step has no other.
    timings = Timings(0, step, columns.task, columns.start, columns.end)
    return [plan_batch(0, tasks), span_batch(timings)]


def lane_times(columns: StepColumns, lanes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Computing and communication time of each lane in ns, each an array of `lanes` entries."""
    moves = IS_COMMUNICATION[columns.kind]
    busy, moving = np.zeros(lanes, np.int64), np.zeros(lanes, np.int64)
    # In whole numbers; np.bincount would sum doubles.
    np.add.at(busy, columns.lane[~moves], columns.duration[~moves])
    np.add.at(moving, columns.lane[moves], columns.duration[moves])
    return busy, moving
