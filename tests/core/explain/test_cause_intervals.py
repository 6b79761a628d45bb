"""Idle time joined to intervals of one cause."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from core.explain.cause_intervals import cause_intervals
from core.explain.causes import CAUSES, Cause
from core.explain.explanation import cause_totals
from core.plan.task import Kind
from tests.core.explain.drawn import Step, late_steps, steps
from tests.core.explain.test_causes import MS, PASS, step_of


def test_a_fill_held_by_several_stages_is_one_stretch() -> None:
    step = step_of("mp", PASS, devices="4xcpu", batch=4)
    explanation = step.explained()
    found = cause_intervals(explanation)
    mine = found.of_lane(3)
    fill = CAUSES.index(Cause.FILL)
    assert found.cause[mine].tolist().count(fill) == 1
    first = mine.start
    assert found.end[first] - found.start[first] == 3 * PASS[Kind.FORWARD] * MS


@given(late_steps())
def test_stretches_add_up_to_each_lanes_idle_time_by_cause(step: Step) -> None:
    explanation = step.explained()
    found = cause_intervals(explanation)
    totals = cause_totals(explanation)
    for lane in step.compute_lanes():
        mine = found.of_lane(lane)
        length = found.end[mine] - found.start[mine]
        sums = np.bincount(found.cause[mine], length, len(CAUSES)).astype(np.int64)
        assert sums.tolist() == totals[lane].tolist()


@given(steps(least=1))
def test_neighbouring_stretches_differ_in_cause_or_stand_apart(step: Step) -> None:
    found = cause_intervals(step.explained())
    for lane in step.compute_lanes():
        mine = found.of_lane(lane)
        touch = found.start[mine][1:] == found.end[mine][:-1]
        assert not (touch & (found.cause[mine][1:] == found.cause[mine][:-1])).any()
        assert (found.end[mine] > found.start[mine]).all()
