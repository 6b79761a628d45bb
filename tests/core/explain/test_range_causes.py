"""Why lanes are idle in a range: what the steps' explanations say of it."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from core.explain.causes import Cause
from core.explain.explanation import cause_totals
from core.explain.range_causes import idle_causes, step_causes, steps_within
from core.explain.run_step import explain_run_step
from core.plan.task import Kind
from core.recording.importers.imported_events import ImportedEvents, ImportedTrack
from core.recording.importers.to_trace import OTHER, trace_of_events
from core.trace.own_steps import with_steps
from core.trace.trace import Trace
from tests.core.explain.drawn import specifications
from tests.core.explain.ranges import Drawn, drawn, range_statistics, trace_of_spans
from tests.core.helpers import planned, trace_of


def causes_of(trace: Trace, start: int, end: int, most: int = 100) -> tuple:
    """Statistics of a range and its idle causes, from at most so many of its steps."""
    counted = range_statistics(trace, start, end)
    steps = steps_within(trace, start, end).tolist()[:most]
    found = [step_causes(trace, explain_run_step(trace, s), s, start, end) for s in steps]
    return counted, idle_causes(trace, start, end, counted.lanes, found)


@given(drawn(), st.integers(0, 4))
def test_causes_and_what_is_not_explained_add_up_to_the_idle_time(case: Drawn, most: int) -> None:
    counted, causes = causes_of(case.trace, case.start, case.end, most)
    for lane, time in counted.lanes.items():
        own = causes.by_lane[lane]
        assert sum(own.values()) + causes.rest[lane] == time.idle_ns
        assert all(ns > 0 for ns in own.values())
        assert causes.rest[lane] >= 0
    assert causes.explained == min(most, causes.steps)


@given(specifications(), st.lists(st.integers(1, 500), min_size=9, max_size=9))
def test_a_range_over_a_whole_step_has_the_causes_of_the_step(
    spec: object, costs: list[int]
) -> None:
    plan = planned(spec)
    trace = trace_of(plan, [costs[i % 9] for i in range(len(plan.tasks))], spec)
    begin, finish = trace.step_bounds(0)
    _, causes = causes_of(trace, begin, finish)
    totals = cause_totals(explain_run_step(trace, 0))
    for lane, own in causes.by_lane.items():
        assert own == {c: ns for c, ns in zip(Cause, totals[lane].tolist(), strict=True) if ns}
        assert causes.rest[lane] == 0


def test_time_outside_of_every_step_is_between_steps() -> None:
    trace = trace_of_spans([[(0, 10, Kind.FORWARD), (50, 60, Kind.FORWARD)]], [30])
    _, causes = causes_of(trace, 0, 100)
    assert causes.by_lane[0] == {Cause.BETWEEN_STEPS: 80}
    assert (causes.explained, causes.steps) == (2, 2)


def test_a_lane_that_still_works_for_the_step_before_is_not_idle() -> None:
    late = [(0, 40, Kind.FORWARD), (60, 70, Kind.FORWARD)]
    early = [(0, 10, Kind.FORWARD), (20, 30, Kind.FORWARD)]
    trace = trace_of_spans([late, early], [15])
    counted, causes = causes_of(trace, 0, 70)
    assert counted.lanes[0].idle_ns == 20
    assert sum(causes.by_lane[0].values()) == 20
    assert causes.rest == {0: 0, 1: 0}


def test_after_a_short_step_during_a_long_one_the_time_is_between_steps() -> None:
    short = [(0, 10, Kind.FORWARD), (20, 30, Kind.FORWARD)]
    trace = trace_of_spans([[(0, 100, Kind.FORWARD)], short], [15])
    counted, causes = causes_of(trace, 0, 100)
    assert [counted.lanes[lane].idle_ns for lane in (0, 1)] == [0, 80]
    assert causes.by_lane[0] == {}
    assert causes.by_lane[1][Cause.BETWEEN_STEPS] == 70
    assert causes.rest == {0: 0, 1: 0}


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 200), st.integers(0, 60)), min_size=1),
    st.lists(st.integers(0, 260), max_size=3),
    st.tuples(st.integers(0, 250), st.integers(1, 120)),
)
@example([(0, 0, 0), (0, 18, 0), (1, 14, 60)], [14, 18], (62, 120))
def test_idle_time_of_another_program_adds_up_with_spans_of_no_step(
    events: list[tuple[int, int, int]], marks: list[int], chosen: tuple[int, int]
) -> None:
    track, start, length = (np.array(column) for column in zip(*events, strict=True))
    count = len(events)
    imported = ImportedEvents(
        tuple(ImportedTrack(f"row {n}", "here") for n in range(4)), ("a",), track.astype(np.int32),
        np.zeros(count, np.int32), start, start + length, np.full(count, OTHER, np.int8),
    )  # fmt: skip
    trace = trace_of_events(imported, "drawn")
    if marks and max(marks) <= trace.bounds[1]:
        trace = with_steps(trace, [(mark, mark) for mark in marks])
    counted, causes = causes_of(trace, chosen[0], sum(chosen))
    for lane, time in counted.lanes.items():
        assert sum(causes.by_lane[lane].values()) + causes.rest[lane] == time.idle_ns
        assert all(ns > 0 for ns in causes.by_lane[lane].values())
        assert causes.rest[lane] == (0 if trace.steps else time.idle_ns)
