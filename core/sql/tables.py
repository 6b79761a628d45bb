"""What runs hold as tables, each made only for a query that names it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.explain.causes import CAUSES
from core.explain.run_step import explain_run_step
from core.plan.task import ABSENT
from core.recording.exporters.span_files import SCHEMA, span_batches
from core.trace.complete import measured_steps
from core.trace.listing import Listing
from core.trace.trace import Trace


def spans(trace: Trace) -> pa.Table:
    """A row for each span, all steps."""
    return pa.Table.from_batches(span_batches(Listing.of(trace)), SCHEMA)


def lanes(trace: Trace) -> pa.Table:
    """A row for each lane; `serves` names the compute lane that it works for."""
    all_lanes = trace.header.lanes
    columns = {
        "lane": [lane.name for lane in all_lanes],
        "device": [lane.device for lane in all_lanes],
        "role": [str(lane.role) for lane in all_lanes],
        "serves": [all_lanes[lane.serves].name for lane in all_lanes],
    }
    return pa.table(columns)


def steps(trace: Trace) -> pa.Table:
    """A row for each step; `measured` is false of warm-up, and of a last step that is cut."""
    table, counter = trace.step_table, trace.counter("loss")
    # Of a step that was told several losses the last one stays.
    losses = dict(zip(counter.steps.tolist(), counter.values.tolist(), strict=True))
    numbers = table.numbers.tolist()
    whole = set(measured_steps(trace))
    columns = {
        "step": pa.array(numbers, pa.int32()),
        "measured": pa.array([step in whole for step in numbers], pa.bool_()),
        "start_ns": pa.array(table.starts),
        "end_ns": pa.array(table.ends),
        "makespan_ns": pa.array(table.ends - table.starts),
        "loss": pa.array([losses.get(step) for step in numbers], pa.float64()),
    }
    return pa.table(columns)


def idle(trace: Trace) -> pa.Table:
    """A row for each idle piece of a compute lane in a measured step, with its one cause.

    `waits_for` names the lane whose task the piece waits for.
    """
    names = np.array([lane.name for lane in trace.header.lanes], object)
    found = [(step, explain_run_step(trace, step)) for step in measured_steps(trace)]
    # `blocking` are places among a step's tasks: by its lane a task becomes a lane's number.
    blocking = [one.columns.lane[one.blocking] for _, one in found]
    columns = {
        "step": _joined([np.full(len(one.lane), step) for step, one in found], pa.int32()),
        "lane": _named(names, [one.lane for _, one in found]),
        "start_ns": _joined([one.start for _, one in found], pa.int64()),
        "duration_ns": _joined([one.end - one.start for _, one in found], pa.int64()),
        "cause": _named(np.array(CAUSES, object), [one.cause for _, one in found]),
        "waits_for": _named(names, blocking),
    }
    return pa.table(columns)


def counters(trace: Trace) -> pa.Table:
    """A row for each value of a counter: losses, bytes held, verification errors."""
    all_lanes, found = trace.header.lanes, list(trace.counters.values())
    lengths = [len(counter.times) for counter in found]
    names = np.array([c.name for c in found], object)
    steps = [n for c in found for n in c.steps.tolist()]
    owners = [None if c.lane is None else all_lanes[c.lane].name for c in found]
    columns = {
        "counter": pa.array(np.repeat(names, lengths), pa.string()),
        "lane": pa.array(np.repeat(np.array(owners, object), lengths), pa.string()),
        "step": pa.array([n if n != ABSENT else None for n in steps], pa.int32()),
        "time_ns": _joined([c.times for c in found], pa.int64()),
        "value": _joined([c.values for c in found], pa.float64()),
    }
    return pa.table(columns)


def log(trace: Trace) -> pa.Table:
    """A row for each line that the run has said."""
    lines = list(trace.logs)
    columns = {
        "time_ns": pa.array([line.time for line in lines], pa.int64()),
        "step": pa.array([line.step for line in lines], pa.int32()),
        "level": pa.array([line.level for line in lines], pa.string()),
        "text": pa.array([line.text for line in lines], pa.string()),
    }
    return pa.table(columns)


TABLES: Mapping[str, Callable[[Trace], pa.Table]] = {
    "spans": spans, "lanes": lanes, "steps": steps, "idle": idle, "counters": counters, "log": log,
}  # fmt: skip
"""The tables by name. Times are whole ns since the run's start."""


def table_of(name: str, runs: Mapping[int, Trace]) -> pa.Table:
    """One of TABLES over several runs, the column `run` first: their numbers."""
    parts = []
    for number, trace in runs.items():
        one = TABLES[name](trace)
        parts.append(one.add_column(0, "run", pa.array(np.full(len(one), number), pa.int32())))
    return pa.concat_tables(parts)


def _joined(parts: Iterable[NDArray[np.generic]], kind: pa.DataType) -> pa.Array:
    # The empty part is for runs without any: concatenate refuses an empty list.
    return pa.array(np.concatenate([np.zeros(0, np.int64), *parts]), kind)


def _named(names: NDArray[np.object_], codes: Sequence[NDArray[np.generic]]) -> pa.Array:
    places = np.concatenate([np.zeros(0, np.int64), *codes]).astype(np.int64)
    return pa.array([str(name) for name in names], pa.string()).take(pa.array(places))
