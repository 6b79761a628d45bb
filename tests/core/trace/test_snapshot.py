"""A run as it is at a moment, while it goes on."""

from __future__ import annotations

from core.recording.decode import append_batch
from core.trace.trace import Trace
from tests.make_believe import batches, specification, trace_of

SPEC = specification(steps=3)


def test_a_snapshot_tells_what_the_run_tells() -> None:
    trace = trace_of(SPEC)
    taken = trace.snapshot()
    assert list(taken) == list(trace) and taken.steps == trace.steps
    assert all(taken.step_bounds(step) == trace.step_bounds(step) for step in trace.steps)
    assert taken.bounds == trace.bounds and taken.costs == trace.costs


def test_a_snapshot_stays_while_the_run_grows() -> None:
    header, made = batches(SPEC)
    trace = Trace(header)
    for number, batch in enumerate(made):
        append_batch(trace, batch)
        taken, known, bounds = trace.snapshot(), list(trace), trace.bounds
        for later in made[number + 1 :]:
            append_batch(trace, later)
        assert list(taken) == known and taken.bounds == bounds
        trace = Trace(header)
        for before in made[: number + 1]:
            append_batch(trace, before)
