"""Invariants of a finished run's recording, read with only pyarrow and NumPy.

Nothing of core is used, because core's own reader could overlook rows that core has lost.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

Rows = list[dict[str, Any]]
Task = tuple[int, int]  # plan, number


def violations(path: Path, steps: int) -> list[str]:
    """Return the violated invariants of a finished run of `steps` steps, a line for each."""
    reader = pa.ipc.open_stream(pa.OSFile(str(path)))
    lanes = json.loads(reader.schema.metadata[b"bubblescope"])["lanes"]
    rows = [row for batch in reader for row in batch.to_pylist()]
    tasks = {
        (row["plan"], number): task
        for row in rows
        if row["record"] == "plan"
        for number, task in enumerate(row["tasks"])
    }
    nested = {lane["index"] for lane in lanes if lane["role"] == "nested"}
    spans = [row for row in rows if row["record"] == "span"]
    found = list(_not_told_once(spans, tasks, nested, steps))
    found += _ghosts(rows)
    found += _out_of_order(spans, tasks)
    found += _too_early(spans, tasks, _uncertainty(rows))
    return found


def _not_told_once(
    spans: Rows, tasks: dict[Task, Any], nested: set[int], steps: int
) -> Iterator[str]:
    """Yield tasks of a step's plan that do not have exactly one span."""
    for step in range(steps):
        mine = [row for row in spans if row["step"] == step]
        plans = {row["plan"] for row in mine}
        if len(plans) != 1:
            yield f"lost: step {step} has spans of {len(plans)} plans"
            continue
        told = Counter(row["task"] for row in mine)
        (plan,) = plans
        for (of, number), task in tasks.items():
            if of != plan or (task["lane"] in nested and not told[number]):
                continue
            if told[number] != 1:
                word = "lost" if not told[number] else "repeated"
                yield f"{word}: step {step}, task {number} has {told[number]} spans"


def _ghosts(rows: Rows) -> Iterator[str]:
    """Yield open tasks that are recorded twice or after their span, or that never end."""
    begun: dict[tuple[int, int], int] = {}
    ended: set[tuple[int, int]] = set()
    for row in rows:
        key = row["step"], row["task"]
        if row["record"] == "open":
            if key in begun or key in ended:
                yield f"ghost: {key} is open after it was told"
            begun[key] = row["start"]
        elif row["record"] == "span":
            ended.add(key)
            begun.pop(key, None)
    yield from (f"ghost: {key} never ended" for key in begun)


def _out_of_order(spans: Rows, tasks: dict[Task, Any]) -> Iterator[str]:
    """Yield lanes whose spans overlap, end before they start, or are not in time order."""
    by_lane: dict[int, list[tuple[int, int]]] = {}
    for row in spans:
        note = row["note"]
        lane = note[0]["lane"] if note else tasks[row["plan"], row["task"]]["lane"]
        by_lane.setdefault(lane, []).append((row["start"], row["end"]))
    for lane, told in by_lane.items():
        start, end = np.array(told).T
        if (end < start).any() or (start[1:] < end[:-1]).any():
            yield f"order: lane {lane} has spans that overlap or stand in another order"


def _too_early(spans: Rows, tasks: dict[Task, Any], uncertainty: float) -> Iterator[str]:
    """Yield spans that start before a dependency has ended, by more than the clocks may differ."""
    ends = {(row["step"], row["task"]): row["end"] for row in spans}
    for row in spans:
        for other in tasks[row["plan"], row["task"]]["after"]:
            early = ends.get((row["step"], other), row["start"]) - row["start"]
            if early > 2 * uncertainty:
                yield f"early: step {row['step']}, task {row['task']} by {early} ns"


def _uncertainty(rows: Rows) -> float:
    return max((row["note"][0]["value"] for row in rows if row["record"] == "clock"), default=0.0)
