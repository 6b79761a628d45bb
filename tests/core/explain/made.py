"""Steps that are written down by hand, and one that could not be explained once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.compare.runs import duration_text
from core.explain.causes import Cause
from core.explain.gaps import (
    ACTING,
    AND_MORE,
    BLOCKED,
    COMPUTING,
    PLAIN,
    REST,
    SEVERAL,
    WHOLE,
    GapReport,
    Reason,
    longest_reasons,
)
from core.explain.lanes import LaneTime
from core.models.description import Block, ModelDescription
from core.plan.plan import Lane, Role
from core.plan.specification import Specification
from core.plan.task import ABSENT, IS_COMMUNICATION, KINDS
from core.recording.decode import append_batch
from core.recording.schema import Timings, span_batch
from core.trace.header import Header
from core.trace.spans import ATTRIBUTES, Spans, blank_rows
from core.trace.step import StepColumns
from core.trace.trace import Trace

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
        group=column("group", np.int32),
        rows=column("rows", np.int64, 0),
        payload=np.zeros(len(tasks), np.int8),
        shard=np.full(len(tasks), ABSENT, np.int32),
        bytes=column("bytes", np.int64, 0),
        after_first=np.cumsum([0, *map(len, after)]),
        after=np.array([other for needs in after for other in needs], np.int64),
        **small,
    )


def recorded(columns: StepColumns, lanes: tuple[Lane, ...]) -> Trace:
    """A run's step as if it had been read, whatever its tasks wait for or overlap."""
    model = ModelDescription("made", (Block("block", (), 0),), 0)
    trace = Trace(Header(Specification(), model, lanes))
    rows = blank_rows(len(columns))
    for name in ATTRIBUTES:
        rows[name] = getattr(columns, name)
    rows["after_count"] = np.diff(columns.after_first)
    trace.table.add(rows, columns.after.astype(np.int32))
    times = (columns.start, columns.end, None, columns.launched)
    append_batch(trace, span_batch(Timings(0, 0, np.arange(len(columns)), *times)))
    return trace


def gaps_of(trace: Trace, lane: int) -> list[tuple[int, int, int | None]]:
    """A lane's idle intervals in the steps, one span after the other: start, end, who ended it."""
    found: list[tuple[int, int, int | None]] = []
    spans = trace.spans(lane)
    for step in trace.steps:
        at, last = trace.step_bounds(step)
        for index in np.flatnonzero(spans.step == step).tolist():
            found.append((at, int(spans.start[index]), index))
            at = int(spans.end[index])
        found.append((at, last, None))
    return [gap for gap in found if gap[1] > gap[0]]


def sentence(gap: GapReport) -> str:
    """A gap in plain English: `lane 1 waits 12.1 ms for 0F0 on lane 0 (pipeline fills)`."""
    lane = lane_text(gap.lane)
    named, left = longest_reasons(gap)
    parts = [_words(reason, gap.duration) for reason in named]
    if left:
        parts.append(REST.format(duration=duration_text(left, like=gap.duration)))
    if len(parts) == 1:
        return WHOLE.format(lane=lane, reason=parts[0])
    return SEVERAL.format(lane=lane, duration=duration_text(gap.duration), reasons="; ".join(parts))


def lane_text(lane: Lane) -> str:
    return f"lane {lane.index}" if lane.role is Role.COMPUTE else lane.name


def _words(reason: Reason, whole_ns: int) -> str:
    blocking = str(reason.blocking)
    if reason.count > 1:
        blocking = AND_MORE.format(blocking=blocking, n=reason.count - 1)
    if reason.place is None:
        template = PLAIN
    elif reason.action():
        template = ACTING
    else:
        template = COMPUTING if reason.cause is Cause.COMPUTE else BLOCKED
    return template.format(
        cause=reason.cause.label,
        action=reason.action(),
        duration=duration_text(reason.duration, like=whole_ns),
        blocking=blocking,
        place=lane_text(reason.place) if reason.place is not None else "",
    )


def lane_time(spans: Spans, start: int, end: int) -> LaneTime:
    """Sums over the part of `spans` (one lane's, so none overlap) between `start` and `end`."""
    inside = spans[(spans["end"] > start) & (spans["start"] < end)]
    length = np.minimum(inside["end"], end) - np.maximum(inside["start"], start)
    moving = IS_COMMUNICATION[inside["kind"]]
    communication, busy = int(length[moving].sum()), int(length[~moving].sum())
    return LaneTime(busy, communication, max(0, end - start) - busy - communication, len(inside))
