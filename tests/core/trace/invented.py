"""Runs that never were, for searches and tables: several lanes, kinds and steps, and names."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from core.plan.task import KINDS, Kind
from core.trace.spans import Spans
from core.trace.trace import Trace
from tests.make_believe import specification, trace_of


@lru_cache
def pipeline() -> Trace:
    """Three steps of a pipeline on two lanes, with copies between them."""
    return trace_of(specification("pipeline", schedule="1f1b", microbatches=4, steps=3, warmup=0))


@lru_cache
def overlapped() -> Trace:
    """A step in which forwards and backwards run at once."""
    return trace_of(
        specification("pipeline", schedule="dualpipe-v", microbatches=4, steps=1, warmup=0)
    )


@lru_cache
def named() -> Trace:
    """A pipeline's run in which the copies are work of another program, with names."""
    trace = trace_of(specification("pipeline", schedule="gpipe", microbatches=4, steps=2, warmup=0))
    names = [trace.table.names.place(name) for name in ("gemm_f32", "Gemm nt", "aten::relu")]
    rows = trace.table.rows
    copies = np.flatnonzero(rows["kind"] == KINDS.index(Kind.COPY))
    rows["kind"][copies] = KINDS.index(Kind.OTHER)
    rows["name"][copies] = np.array(names)[np.arange(len(copies)) % 3]
    return trace


def random(counts: list[int], seed: int) -> Trace:
    """As many spans on each lane, with rows of a pipeline's table drawn by chance."""
    trace = trace_of(specification("pipeline", microbatches=4, steps=1))
    chance = np.random.default_rng(seed)
    lanes = []
    for count in (*counts, *[0] * len(trace.header.lanes))[: len(trace.header.lanes)]:
        times = np.cumsum(chance.integers(0, 5, 2 * count))
        step = np.sort(chance.integers(0, 4, count)).astype(np.int32)
        row = chance.integers(0, len(trace.table), count).astype(np.int32)
        lanes.append(Spans(trace.table, times[::2], times[1::2], step, row))
    return Trace(trace.header, trace.table, lanes)
