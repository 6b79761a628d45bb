"""The longest idle gaps, beside a search through every one of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.explain.lanes import gap_at, longest_gaps, spans_within
from core.plan.plan import Role
from core.trace.trace import Trace
from tests.core.explain.made import gaps_of
from tests.make_believe import specification, trace_of

PIPELINE = trace_of(specification(steps=4, warmup=1))
PARALLEL = trace_of(specification("dp", devices="8xcpu", batch=30, data=100))  # some lanes rest


def every_gap(trace: Trace, first: int, last: int) -> list[tuple[int, int, int]]:
    """Length, start and lane of every gap, longest first."""
    found = []
    for lane in trace.header.lanes:
        if lane.role is not Role.COMPUTE:
            continue
        found += [
            (end - start, start, lane.index)
            for start, end, _ in gaps_of(trace, lane.index)
            if first <= trace.step_table.at(start) <= last
        ]
    return sorted(found, key=lambda gap: (-gap[0], gap[1], gap[2]))


@pytest.mark.parametrize("trace", [PIPELINE, PARALLEL], ids=["pipeline", "dp"])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_the_longest_gaps_are_those_of_a_search_through_all(
    trace: Trace, data: st.DataObject
) -> None:
    first = data.draw(st.integers(trace.steps[0], trace.steps[-1]))
    last = data.draw(st.integers(first, trace.steps[-1]))
    most = data.draw(st.integers(1, 40))
    gaps = longest_gaps(trace, first, last, most)
    found = [(gap.end - gap.start, gap.start, gap.lane) for gap in gaps]
    assert found == every_gap(trace, first, last)[:most]
    for gap in gaps:
        assert gap == gap_at(trace, gap.lane, gap.start)


def test_the_spans_of_some_steps_are_counted_over_all_lanes() -> None:
    lanes = range(len(PIPELINE.header.lanes))
    counted = sum(
        int(((spans["step"] >= 1) & (spans["step"] <= 2)).sum())
        for spans in (PIPELINE.spans(lane) for lane in lanes)
    )
    assert spans_within(PIPELINE, 1, 2) == counted > 0
