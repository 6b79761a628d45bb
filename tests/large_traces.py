"""Traces of millions of spans, made as columns from one planned step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.models.catalogue import ModelSettings
from core.plan.task import KINDS, Kind
from core.trace.event_rows import Counter
from core.trace.spans import Spans
from core.trace.step_bounds import StepBounds
from core.trace.trace import Trace
from tests.make_believe import MS, specification, trace_of

LANES, MICROBATCHES = 16, 64
HELD = 3e6  # bytes that a forward leaves behind


def large_trace(spans: int, seed: int = 0) -> Trace:
    """A pipeline of 16 lanes that ran as many whole steps as give at least so many spans.

    Every span takes 0.5 to 1.5 times its planned time; lanes hold activations from each forward
    to its backward.
    """
    spec = specification(
        devices=f"{LANES}xcpu", schedule="1f1b", microbatches=MICROBATCHES, batch=4 * MICROBATCHES,
        steps=1, warmup=0, model=ModelSettings(width=64, depth=LANES),
    )  # fmt: skip
    one = trace_of(spec)
    begin, end = one.step_bounds(0)
    period, count = end - begin + MS, -(-spans // one.span_count)
    random = np.random.default_rng(seed)
    lanes = [_repeated(one.spans(lane), period, count, random) for lane in range(LANES)]
    numbers = np.arange(count, dtype=np.int32)
    starts = np.min([lane.start[:: len(lane) // count] for lane in lanes], axis=0)
    ends = np.max(
        [lane.end[len(lane) // count - 1 :: len(lane) // count] for lane in lanes], axis=0
    )
    counters = [_held(lane, spans) for lane, spans in enumerate(lanes)]
    bounds = StepBounds({"numbers": numbers, "starts": starts, "ends": ends})
    return Trace(
        one.header, one.table, lanes, bounds,
        counters={(counter.name, counter.lane): counter for counter in counters},
    )  # fmt: skip


def _repeated(step: Spans, period: int, count: int, random: np.random.Generator) -> Spans:
    """A lane's spans of one step as often as there are steps, each as long as it happens to be."""
    room = np.diff(np.append(step.start, step.start[0] + period))
    long = (step.end - step.start) * random.uniform(0.5, 1.5, (count, len(step)))
    start = step.start + period * np.arange(count)[:, None]
    end = start + np.minimum(long.astype(np.int64), room)
    number = np.repeat(np.arange(count, dtype=np.int32), len(step))
    return Spans(step.table, start.ravel(), end.ravel(), number, np.tile(step.row, count))


def _held(lane: int, spans: Spans) -> Counter:
    kind = spans.table.rows["kind"]
    change: NDArray[np.int64] = np.zeros(len(kind), np.int64)
    change[kind == KINDS.index(Kind.FORWARD)] = 1
    change[kind == KINDS.index(Kind.BACKWARD)] = -1
    some = np.flatnonzero(change[spans.row])
    values = HELD * np.cumsum(change[spans.row[some]])
    return Counter(
        "activations",
        lane,
        {"times": spans.end[some], "values": values, "steps": spans.step[some]},
    )
