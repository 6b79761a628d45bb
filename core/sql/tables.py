"""The tables that queries read, each built only if a query names it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.explain.causes import CAUSES
from core.explain.run_step import explain_run_step
from core.plan.task import nullable_ints
from core.recording.exporters.span_files import SCHEMA, span_batches
from core.trace.complete import completed_steps
from core.trace.listing import Listing
from core.trace.trace import Trace

ArrayList = list[NDArray[np.generic]]


def spans(trace: Trace) -> pa.Table:
    """Return a row for each span of all steps."""
    return pa.Table.from_batches(span_batches(Listing.of(trace)), SCHEMA)


def lanes(trace: Trace) -> pa.Table:
    """Return a row for each lane; `serves` names the compute lane that it works for."""
    all_lanes = trace.header.lanes
    columns = {
        "lane": [lane.name for lane in all_lanes],
        "device": [lane.device for lane in all_lanes],
        "role": [str(lane.role) for lane in all_lanes],
        "serves": [all_lanes[lane.serves].name for lane in all_lanes],
    }
    return pa.table(columns)


def steps(trace: Trace) -> pa.Table:
    """Return a row for each step; `measured` is false for warm-up and for an incomplete step."""
    table = trace.step_table
    counter = trace.counter("loss")
    # If a step has several losses, the last one is used.
    losses = dict(zip(counter.steps.tolist(), counter.values.tolist(), strict=True))
    numbers = table.numbers.tolist()
    whole = set(completed_steps(trace))
    is_measured = [step in whole for step in numbers]
    losses_of_steps = [losses.get(step) for step in numbers]
    columns = {
        "step": pa.array(numbers, pa.int32()),
        "measured": pa.array(is_measured, pa.bool_()),
        "start_ns": pa.array(table.starts),
        "end_ns": pa.array(table.ends),
        "makespan_ns": pa.array(table.ends - table.starts),
        "loss": pa.array(losses_of_steps, pa.float64()),
    }
    return pa.table(columns)


def idle(trace: Trace) -> pa.Table:
    """Return a row for each idle interval of a compute lane in a measured step, with its cause.

    Steps are those that `steps` calls measured. `waits_for` names the lane of the blocking task.
    """
    names = [lane.name for lane in trace.header.lanes]
    steps: ArrayList = []
    lanes: ArrayList = []
    starts: ArrayList = []
    durations: ArrayList = []
    causes: ArrayList = []
    blocking_lanes: ArrayList = []
    for step in completed_steps(trace):
        explanation = explain_run_step(trace, step)
        steps.append(np.full(len(explanation.lane), step))
        lanes.append(explanation.lane)
        starts.append(explanation.start)
        durations.append(explanation.end - explanation.start)
        causes.append(explanation.cause)
        # `blocking` has positions of tasks in the step's columns.
        blocking_lanes.append(explanation.columns.lane[explanation.blocking])
    columns = {
        "step": _concatenated(steps, pa.int32()),
        "lane": _named(names, lanes),
        "start_ns": _concatenated(starts, pa.int64()),
        "duration_ns": _concatenated(durations, pa.int64()),
        "cause": _named(CAUSES, causes),
        "waits_for": _named(names, blocking_lanes),
    }
    return pa.table(columns)


def counters(trace: Trace) -> pa.Table:
    """Return a row for each value of a counter: losses, bytes held, verification errors."""
    all_lanes = trace.header.lanes
    names: list[str] = []
    owners: list[str | None] = []
    steps: list[int | None] = []
    times: ArrayList = []
    values: ArrayList = []
    for counter in trace.counters.values():
        count = len(counter.times)
        owner = None if counter.lane is None else all_lanes[counter.lane].name
        names += [counter.name] * count
        owners += [owner] * count
        steps += nullable_ints(counter.steps)
        times.append(counter.times)
        values.append(counter.values)
    columns = {
        "counter": pa.array(names, pa.string()),
        "lane": pa.array(owners, pa.string()),
        "step": pa.array(steps, pa.int32()),
        "time_ns": _concatenated(times, pa.int64()),
        "value": _concatenated(values, pa.float64()),
    }
    return pa.table(columns)


def log(trace: Trace) -> pa.Table:
    """Return a row for each line of the run's log."""
    lines = list(trace.logs)
    times = [line.time for line in lines]
    steps = [line.step for line in lines]
    levels = [line.level for line in lines]
    texts = [line.text for line in lines]
    columns = {
        "time_ns": pa.array(times, pa.int64()),
        "step": pa.array(steps, pa.int32()),
        "level": pa.array(levels, pa.string()),
        "text": pa.array(texts, pa.string()),
    }
    return pa.table(columns)


TABLES: Mapping[str, Callable[[Trace], pa.Table]] = {
    "spans": spans,
    "lanes": lanes,
    "steps": steps,
    "idle": idle,
    "counters": counters,
    "log": log,
}
"""The tables by name. Times are whole ns since the run's start."""


def table_of(name: str, runs: Mapping[int, Trace]) -> pa.Table:
    """Return one of TABLES over several runs; the first column, `run`, is the run's number."""
    parts = []
    for number, trace in runs.items():
        rows = TABLES[name](trace)
        numbers = pa.array(np.full(len(rows), number), pa.int32())
        parts.append(rows.add_column(0, "run", numbers))
    return pa.concat_tables(parts)


def _concatenated(parts: ArrayList, kind: pa.DataType) -> pa.Array:
    # The empty array is for runs without parts, because concatenate refuses an empty list.
    return pa.array(np.concatenate([np.zeros(0, np.int64), *parts]), kind)


def _named(names: Iterable[str], codes: ArrayList) -> pa.Array:
    """Return the names at the positions in `codes`."""
    # There may be no codes, and concatenate refuses an empty list.
    empty = np.zeros(0, np.int64)
    places = np.concatenate([empty, *codes]).astype(np.int64)
    texts = pa.array([str(name) for name in names], pa.string())
    return texts.take(pa.array(places))
