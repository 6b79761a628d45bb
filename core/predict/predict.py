"""Prediction of a plan's step: the times of all tasks on a cost model, and totals by lane."""

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
from core.recording.schema import Timings, plan_batch, span_batch
from core.recording.stream_header import schema_of
from core.trace.header import Header
from core.trace.source import Source
from core.trace.step import StepColumns
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class PredictedLane:
    """A lane's times in the predicted step; they add up to the makespan.

    `peak_activations` is the largest number of activations that the lane holds at once, each of one
    stage and micro-batch.
    """

    name: str
    busy_ns: int
    communication_ns: int
    idle_ns: int
    peak_activations: int


@dataclass(frozen=True, slots=True)
class Prediction:
    """A predicted step: its tasks with their times, its makespan and the times of its lanes."""

    columns: StepColumns
    makespan_ns: int
    lanes: tuple[PredictedLane, ...]


def predict_step(
    plan: Plan, costs: CostModel, faults: Faults = NO_FAULTS, step: int = 0
) -> Prediction:
    """Predict a step of `plan`. Raises CostError if the costs do not cover it.

    `faults` lengthen tasks as in step number `step` of a recording.
    """
    columns = predict_times(plan, costs, faults, step)
    makespan = int(columns.end.max(initial=0))
    count = len(plan.lanes)
    busy, communication = lane_times(columns, count)
    idle = makespan - busy - communication
    peaks = peak_activations(columns, count)
    lanes: list[PredictedLane] = []
    for place, lane in enumerate(plan.lanes):
        predicted = PredictedLane(
            name=lane.name,
            busy_ns=int(busy[place]),
            communication_ns=int(communication[place]),
            idle_ns=int(idle[place]),
            peak_activations=int(peaks[place]),
        )
        lanes.append(predicted)
    return Prediction(columns, makespan, tuple(lanes))


def predicted_trace(
    header: Header, tasks: Sequence[Task], columns: StepColumns, step: int = 0
) -> Trace:
    """Return a predicted step of a plan's `tasks` as a trace whose source is a prediction.

    Its only step has the number `step`.
    """
    trace = Trace(replace(header, source=Source.PREDICTED))
    for batch in _predicted_batches(tasks, columns, step):
        append_batch(trace, batch)
    return trace


def predicted_recording(
    header: Header, tasks: Sequence[Task], columns: StepColumns, step: int = 0
) -> bytes:
    """Return a predicted step as the bytes of a recording; see `predicted_trace`."""
    sink = io.BytesIO()
    schema = schema_of(replace(header, source=Source.PREDICTED))
    with pa.ipc.new_stream(sink, schema) as stream:
        for batch in _predicted_batches(tasks, columns, step):
            stream.write_batch(batch)
    return sink.getvalue()


def _predicted_batches(
    tasks: Sequence[Task], columns: StepColumns, step: int
) -> list[pa.RecordBatch]:
    # A stream of one step has a single plan, number 0.
    timings = Timings(
        plan=0,
        step=step,
        task=columns.task,
        start=columns.start,
        end=columns.end,
    )
    return [plan_batch(0, tasks), span_batch(timings)]


def lane_times(columns: StepColumns, lanes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the computing and communication time of each lane in ns, both of shape (lanes,)."""
    moves = IS_COMMUNICATION[columns.kind]
    computes = ~moves
    busy = np.zeros(lanes, np.int64)
    communication = np.zeros(lanes, np.int64)
    # Sums of whole numbers; np.bincount would add doubles.
    np.add.at(busy, columns.lane[computes], columns.duration[computes])
    np.add.at(communication, columns.lane[moves], columns.duration[moves])
    return busy, communication
