"""Traces of drawn spans, and the same counted nanosecond by nanosecond."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from core.explain.statistics import RangeCount, RangeStatistics
from core.models.description import Block, ModelDescription
from core.plan.plan import Lane, Role
from core.plan.specification import Specification
from core.plan.task import Kind, Task
from core.recording.decode import append_batch
from core.recording.schema import Timings, span_batch
from core.trace.header import Header
from core.trace.trace import Trace
from tests.core.helpers import trace_with

Piece = tuple[int, int, Kind]
KINDS = (Kind.FORWARD, Kind.BACKWARD, Kind.COPY, Kind.LOSS, Kind.STEP)
ROLES = (Role.COMPUTE, Role.COMPUTE, Role.COPY)


class Drawn(NamedTuple):
    """Spans of every lane in order of time, the trace of them, and a range."""

    lanes: list[list[Piece]]
    trace: Trace
    start: int
    end: int


def trace_of_spans(lanes: list[list[Piece]], cuts: list[int] = []) -> Trace:  # noqa: B006
    """A trace; a span belongs to the step that began last before it, the next begin at `cuts`."""
    rows = [(lane, *piece) for lane, pieces in enumerate(lanes) for piece in pieces]
    tasks = [Task(i, kind, lane) for i, (lane, _, _, kind) in enumerate(rows)]
    made = tuple(Lane(i, f"lane {i}", "cpu", ROLES[i % 3]) for i in range(len(lanes)))
    # Of a run's model, because another program's spans may not overlap and a run's may.
    model = ModelDescription("drawn", (Block("block", (), 0),), 0)
    trace = trace_with(Header(Specification(), model, made), tasks)
    steps = np.searchsorted(sorted(cuts), [start for _, start, _, _ in rows], "right")
    for step in np.unique(steps).tolist():
        mine = np.flatnonzero(steps == step).tolist()
        starts, ends = ([rows[i][at] for i in mine] for at in (1, 2))
        append_batch(trace, span_batch(Timings(0, step, mine, starts, ends)))
    return trace


@st.composite
def drawn(draw: st.DrawFn) -> Drawn:
    """Up to four lanes of spans that do not overlap, some of no length, and any range."""
    lanes = []
    for _ in range(draw(st.integers(1, 4))):
        now, pieces = draw(st.integers(0, 30)), []
        for _ in range(draw(st.integers(0, 8))):
            start = now + draw(st.integers(0, 9))
            now = start + draw(st.integers(0, 40))
            pieces.append((start, now, draw(st.sampled_from(KINDS))))
        lanes.append(pieces)
    cuts = draw(st.lists(st.integers(0, 300), max_size=3))
    start = draw(st.integers(0, 300))
    return Drawn(lanes, trace_of_spans(lanes, cuts), start, start + draw(st.integers(0, 300)))


def busy(pieces: list[Piece], communication: bool | None = None) -> np.ndarray:
    """Whether each of the first 1,000 ns is in a span (that communicates, or that does not)."""
    held = np.zeros(1000, bool)
    for start, end, kind in pieces:
        if communication is None or kind.is_communication is communication:
            held[start:end] = True
    return held


def range_statistics(
    trace: Trace, start: int, end: int, lanes: Sequence[int] | None = None
) -> RangeStatistics:
    """A range counted at once."""
    count = RangeCount(trace, start, end, lanes)
    while count.left:
        count.advance()
    return count.result()
