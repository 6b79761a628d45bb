"""Idle time by the lane that is waited for, against the reasons of each gap."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from hypothesis import given

from core.explain.blockers import (
    WAITS_FOR_PASS,
    BlockerWaits,
    main_waits,
    waits_by_blocker,
)
from core.explain.causes import ACTIONS, CAUSES, Cause
from core.explain.explanation import Explanation
from core.explain.gaps import GapReport, Reason, gap_report
from core.plan.task import ABSENT
from tests.core.explain.drawn import Step, late_steps

HELD_BY_A_LANE = WAITS_FOR_PASS | frozenset(ACTIONS) | {Cause.TRANSFER, Cause.COLLECTIVE}


def key(reason: Reason) -> tuple[str, str]:
    """What a wait is for: kind of wait, and the lane that holds it up."""
    kind = "pass" if reason.cause in WAITS_FOR_PASS else reason.cause.value
    assert reason.place is not None
    return kind, reason.place.name if reason.cause in HELD_BY_A_LANE else ""


def reports(explanation: Explanation, found: BlockerWaits, step: Step) -> Iterator[GapReport]:
    """Each gap once, lane by lane, in order of time."""
    for lane in step.compute_lanes():
        mine = found.of_lane(lane)
        seen: set[int] = set()
        for start, gap in zip(found.start[mine].tolist(), found.gap[mine].tolist(), strict=True):
            if gap not in seen:
                seen.add(gap)
                report = gap_report(explanation, lane, start)
                assert report is not None
                yield report


@given(late_steps())
def test_neighbouring_reasons_with_one_blocking_lane_are_one_wait(step: Step) -> None:
    explanation = step.explained()
    found = waits_by_blocker(explanation)
    expected = [
        list(reasons)
        for report in reports(explanation, found, step)
        for _, reasons in groupby(report.reasons, key)
    ]
    assert found.start.tolist() == [reasons[0].start for reasons in expected]
    assert found.end.tolist() == [reasons[-1].end for reasons in expected]
    assert found.waited.tolist() == [sum(r.duration for r in reasons) for reasons in expected]
    for i, reasons in enumerate(expected):
        longest = max(reason.duration for reason in reasons)
        candidates = [reason for reason in reasons if reason.duration == longest]
        assert CAUSES[found.cause[i]] in [reason.cause for reason in candidates]
        tasks = {reason.blocking.index for reason in reasons if reason.blocking is not None}
        assert found.count[i] == len(tasks)
        if reasons[0].cause in HELD_BY_A_LANE:
            named = int(explanation.columns.task[found.blocking[i]])
            assert named in [r.blocking.index for r in candidates if r.blocking is not None]
        else:
            assert found.blocking[i] == ABSENT


@given(late_steps())
def test_a_gaps_main_wait_is_for_the_lane_that_holds_it_up_longest(step: Step) -> None:
    explanation = step.explained()
    found = main_waits(explanation)
    every = list(reports(explanation, found, step))
    assert len(found.gap) == len(every)
    for i, report in enumerate(every):
        totals: dict[tuple[str, str], int] = {}
        for reason in report.reasons:
            totals[key(reason)] = totals.get(key(reason), 0) + reason.duration
        assert (found.start[i], found.end[i]) == (report.start, report.end)
        assert found.waited[i] == max(totals.values())
        cause, blocking = CAUSES[found.cause[i]], int(found.blocking[i])
        kind = "pass" if cause in WAITS_FOR_PASS else cause.value
        lane = "" if blocking == ABSENT else explanation.lanes[explanation.columns.lane[blocking]]
        name = getattr(lane, "name", "")
        assert totals[kind, name] == found.waited[i]
