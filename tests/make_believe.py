"""Traces of runs that never were: real plans with invented times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from core.models.catalogue import ModelSettings
from core.plan.devices import Accelerator, Hardware
from core.plan.plan import Plan
from core.plan.planning import lanes_of, plans_of
from core.plan.specification import Specification, describe
from core.plan.task import Kind
from core.recording.decode import append_batch, combined
from core.recording.recording import RecordingFile
from core.recording.schema import NoteRow, Record, Timings, note_batch, plan_batch, span_batch
from core.trace.header import Header
from core.trace.source import Source
from core.trace.trace import Trace

MS = 1_000_000
HARDWARE = Hardware(2, 8 << 30)
GPUS = Hardware(
    8, 64 << 30, tuple(Accelerator(f"cuda:{i}", "Imaginary 9000", 24 << 30) for i in range(2))
)
COSTS = {
    Kind.FORWARD: 4.0, Kind.BACKWARD: 8.0, Kind.COPY: 0.4, Kind.LOSS: 0.2, Kind.STEP: 1.5,
    Kind.SCATTER: 0.3, Kind.REPLICATE: 2.0, Kind.GATHER: 0.5, Kind.REDUCE: 3.0,
    Kind.ALL_REDUCE: 3.0, Kind.BACKWARD_INPUT: 4.5, Kind.BACKWARD_WEIGHT: 3.5, Kind.OVERLAP: 10.0,
    Kind.ALL_GATHER: 1.0, Kind.REDUCE_SCATTER: 1.2,
}  # fmt: skip
"""Milliseconds of each kind; forwards and backwards grow with their share of the rows."""
GROWING = (
    Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT, Kind.OVERLAP,
)  # fmt: skip
HOLDS = {Kind.FORWARD: 1, Kind.BACKWARD: -1, Kind.BACKWARD_WEIGHT: -1}
"""Number of micro-batches whose activations a task of a kind leaves on its lane."""


class Timing(NamedTuple):
    """When a task ran."""

    task: int
    start: int
    end: int


def specification(strategy: str = "pipeline", **values: object) -> Specification:
    """A run on two CPU lanes unless `values` say otherwise."""
    model = values.pop("model", ModelSettings(width=64))
    return Specification(strategy=strategy, model=model, **{"devices": "2xcpu", **values})


def header_and_plans(
    spec: Specification, hardware: Hardware = HARDWARE
) -> tuple[Header, dict[int, Plan]]:
    """The header of a run, and its plan for each number of rows."""
    model = describe(spec)
    plans = plans_of(spec, model, lanes_of(spec, hardware))
    plan = next(iter(plans.values()))
    return Header(spec, model, plan.lanes, plan.replicas, started="2026-01-01T00:00:00"), plans


def batches(
    spec: Specification, hardware: Hardware = HARDWARE, scale: float | Sequence[float] = 1.0
) -> tuple[Header, list[pa.RecordBatch]]:
    """A whole run: for each step its open tasks, spans, counters and log lines.

    Tasks take `scale` times as long as usual: in all steps, or in each step its own.
    """
    header, plans = header_and_plans(spec, hardware)
    begun = note_batch([NoteRow(Record.LOG, "info", 0, text="The run begins.")])
    told = [plan_batch(number, plan.tasks) for number, plan in enumerate(plans.values())]
    made = [combined([begun, *told])]
    now = 2 * MS
    scales = [scale] * len(spec.all_rows) if isinstance(scale, float) else scale
    for step, rows in enumerate(spec.all_rows):
        plan, number = plans[rows], list(plans).index(rows)
        timings = timed(plan, step, now, scales[step])
        made.append(span_batch(Timings(number, step, [0], [timings[0].start], [None])))
        made.append(span_batch(columns_of(number, step, timings)))
        made.append(note_batch(_notes(plan, step, timings, len(header.lanes), rows)))
        now = max(t.end for t in timings) + MS
    return header, made


def trace_of(
    spec: Specification, hardware: Hardware = HARDWARE, scale: float | Sequence[float] = 1.0
) -> Trace:
    """The trace of a whole run."""
    header, made = batches(spec, hardware, scale)
    trace = Trace(header)
    for batch in made:
        append_batch(trace, batch)
    return trace


def prediction_of(spec: Specification, measured: Trace, scale: float = 0.9) -> Trace:
    """A prediction of a run, each step beginning where the measured one does."""
    header, plans = header_and_plans(spec)
    trace = Trace(header)
    for number, plan in enumerate(plans.values()):
        append_batch(trace, plan_batch(number, plan.tasks))
    for step, rows in enumerate(spec.all_rows):
        timings = timed(plans[rows], step, measured.step_bounds(step)[0], scale)
        append_batch(trace, span_batch(columns_of(list(plans).index(rows), step, timings)))
    return trace


def record(spec: Specification, path: Path) -> Trace:
    """Write a run to a file and return its trace."""
    header, made = batches(spec)
    file = RecordingFile(path, header)
    trace = Trace(header)
    for batch in made:
        file.write(batch)
        append_batch(trace, batch)
    file.close()
    return trace


def timed(plan: Plan, step: int, begin: int, scale: float = 1.0) -> list[Timing]:
    """Each task as early as its lane and what it waits for allow."""
    free = [begin] * len(plan.lanes)
    ends: dict[int, int] = {}
    timings = []
    for task in plan.tasks:
        start = max([free[task.lane], *(ends[other] for other in task.after)])
        share = task.rows / plan.rows if task.rows else 1 / 8
        work = COSTS[task.kind] * (8 * share if task.kind in GROWING else 1)
        if task.block is not None:
            work /= 4
        end = start + int(work * scale * MS)
        free[task.lane] = ends[task.index] = end
        timings.append(Timing(task.index, start, end))
    return timings


def columns_of(plan: int, step: int, timings: list[Timing]) -> Timings:
    """The same as columns, of plan number `plan`."""
    task, start, end = (list(column) for column in zip(*timings, strict=True))
    return Timings(plan, step, task, start, end)


def _notes(plan: Plan, step: int, timings: list[Timing], lanes: int, rows: int) -> list[NoteRow]:
    end = max(t.end for t in timings)
    notes = [
        NoteRow(Record.COUNTER, "loss", end, step, value=1.0 / (step + 1)),
        NoteRow(Record.COUNTER, "gradient_error", end, step, value=2.1e-7),
        NoteRow(
            Record.LOG,
            "size",
            end,
            step,
            text=f"In Model: input size [{rows}, 5] output size [{rows}, 2]",
        ),
        NoteRow(Record.CLOCK, "cpu", end, step, value=120.0),
    ]
    notes += [NoteRow(Record.COUNTER, "parameters", 0, step, lane, 4e6) for lane in range(lanes)]
    held = [0] * lanes
    for task, timing in sorted(zip(plan.tasks, timings, strict=True), key=lambda pair: pair[1].end):
        held[task.lane] += HOLDS.get(task.kind, 0)
        notes.append(
            NoteRow(
                Record.COUNTER,
                "activations",
                timing.end,
                step,
                task.lane,
                3e6 * max(0, held[task.lane]),
            )
        )
    return notes


def without_steps(trace: Trace) -> Trace:
    """A prediction of a run, of none of its steps."""
    return Trace(replace(trace.header, source=Source.PREDICTED), trace.table, version=1)
