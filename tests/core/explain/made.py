"""Steps that are written down by hand, and one that could not be explained once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.explain.gaps import task_of
from core.models.description import ModelDescription
from core.plan.specification import Specification
from core.plan.task import KINDS, Lane
from core.trace.columns import ABSENT
from core.trace.schema import Header
from core.trace.step import StepColumns
from core.trace.trace import Trace
from core.trace.writer import TaskColumns, Timings, span_batch

CIRCLE = Path(__file__).parents[2] / "fixtures" / "ddp-circle.arrow"
"""Three steps of two ranks; in the last the ranks' two buckets went in opposite orders."""


def columns_of(tasks: Sequence[Mapping[str, Any]]) -> StepColumns:
    """Tasks by the names of their columns; what is left out is absent."""

    def column(name: str, dtype: type, absent: int = ABSENT) -> np.ndarray:
        return np.array([task.get(name, absent) for task in tasks], dtype)

    after = [task.get("after", ()) for task in tasks]
    small = {
        name: column(name, np.int32)
        for name in ("lane", "stage", "replica", "microbatch", "block", "bucket", "paired_stage",
                     "paired_microbatch")
    }  # fmt: skip
    return StepColumns(
        task=np.arange(len(tasks), dtype=np.int32),
        kind=np.array([KINDS.index(task["kind"]) for task in tasks], np.int8),
        start=column("start", np.int64),
        end=column("end", np.int64),
        launched=column("launched", np.int64),
        rows=column("rows", np.int64, 0),
        bytes=column("bytes", np.int64, 0),
        after_first=np.cumsum([0, *map(len, after)]),
        after=np.array([other for needs in after for other in needs], np.int64),
        **small,
    )


def recorded(
    columns: StepColumns, lanes: tuple[Lane, ...], numbers: Sequence[int] | None = None
) -> Trace:
    """A step as it is read from a recording; its tasks may have other `numbers` than their own."""
    tasks = [task_of(columns, i) for i in range(len(columns))]
    if numbers is not None:
        tasks = [one._replace(index=number) for one, number in zip(tasks, numbers, strict=True)]
    trace = Trace(Header(Specification(), ModelDescription("made", (), 0), lanes))
    if tasks:
        times = (columns.start, columns.end, None, columns.launched)
        rows = Timings(0, np.arange(len(tasks)), *times)
        trace.append(span_batch(TaskColumns(tuple(tasks)), rows))
    return trace
