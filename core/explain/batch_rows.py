"""The rows of each step's batch that lanes pass forward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Ints
from core.explain.lanes import entering_rows
from core.order import row_keys
from core.plan.plan import working_lanes
from core.plan.task import ENTERS
from core.trace.columns import sorted_positions
from core.trace.spans import Spans
from core.trace.trace import Trace


def rows_by_step(trace: Trace, steps: Sequence[int]) -> Ints:
    """Return the rows that each compute lane passed forward in each step, (steps, lanes).

    Every part of a step's batch counts once on a lane.
    """
    lanes = trace.header.compute_lanes
    wanted = np.array(steps, np.int64)
    shape = (len(steps), len(lanes))
    rows = np.zeros(shape, np.int64)
    for column, lane in enumerate(lanes):
        mine = spans_of_steps(trace.spans(lane.index), wanted)
        entering = forward_spans(mine)
        place = np.searchsorted(wanted, entering.step)
        # Not `+=`, which would count one micro-batch of each step.
        np.add.at(rows[:, column], place, entering["rows"])
    return rows


@dataclass(frozen=True, slots=True)
class LanePart:
    """Rows `start` to `start + rows` of a step's batch, passed forward on `lane`."""

    lane: int
    replica: int
    microbatch: int
    start: int
    rows: int


def lane_parts(trace: Trace, step: int) -> list[LanePart]:
    """Return the parts of a step's batch that each lane has passed forward.

    A lane that runs several stages or blocks of a part has it once. Rows are numbered in the order
    of replicas, then of micro-batches.
    """
    of_lanes: dict[tuple[int, int, int], int] = {}
    rows: dict[tuple[int, int], int] = {}
    for lane in working_lanes(trace.header.lanes):
        spans = trace.spans(lane.index)
        of_step = spans[spans.of_step(step)]
        for replica, microbatch, count in entering_rows(of_step):
            of_lanes[lane.index, replica, microbatch] = count
            rows[replica, microbatch] = count
    starts: dict[tuple[int, int], int] = {}
    total = 0
    for part in sorted(rows):
        starts[part] = total
        total += rows[part]
    parts: list[LanePart] = []
    for (index, replica, microbatch), count in sorted(of_lanes.items()):
        start = starts[replica, microbatch]
        parts.append(
            LanePart(
                lane=index,
                replica=replica,
                microbatch=microbatch,
                start=start,
                rows=count,
            )
        )
    return parts


def forward_spans(spans: Spans) -> Spans:
    """Return a lane's spans that pass rows forward, one for each micro-batch of a step."""
    enter = spans[ENTERS[spans["kind"]]]
    # With several stages or blocks on a lane, only the first counts a micro-batch's rows.
    parts = row_keys(enter["step"], enter["replica"], enter["microbatch"])
    _, first = np.unique(parts, return_index=True)
    whole: Spans = enter[first]
    return whole


def spans_of_steps(spans: Spans, steps: Ints) -> Spans:
    """Return the spans of some steps in order; a view if the steps follow one another."""
    firsts = sorted_positions(spans.step, steps)
    lasts = sorted_positions(spans.step, steps + 1)
    if not len(steps):
        return spans[:0]
    follow = lasts[:-1] == firsts[1:]
    if follow.all():
        return spans[firsts[0] : lasts[-1]]
    parts: list[Spans] = []
    for first, last in zip(firsts, lasts, strict=True):
        parts.append(spans[first:last])
    return Spans.joined(parts)
