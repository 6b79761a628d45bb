"""Every walk along what tasks waited for ends, whatever a recording says of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.explain.critical import critical_path, path_shares
from core.explain.explanation import Explanation, cause_totals, explain_step
from core.explain.run_step import explain_run_step
from core.plan.plan import Lane, Role
from core.plan.task import ABSENT, Kind
from core.recording.recording import open_recording
from core.report.step_figures import step_figures
from core.report.waterfall import waterfall
from core.trace.step import StepColumns
from tests.core.explain.made import CIRCLE, columns_of, recorded

DRAWN = (
    Kind.FORWARD, Kind.BACKWARD, Kind.COPY, Kind.STEP, Kind.ALL_REDUCE, Kind.ALL_REDUCE,
    Kind.ALL_GATHER,
)  # fmt: skip
ROLES = (Role.COMPUTE, Role.COMPUTE, Role.COMMUNICATION, Role.COMMUNICATION, Role.COPY)


def lanes_of(count: int) -> tuple[Lane, ...]:
    """Up to five lanes: two that compute, one that communicates for each, one that copies."""
    return tuple(
        Lane(i, f"lane {i}", "cpu", ROLES[i], serves=i if i < 2 else min(i % 2, count - 1))
        for i in range(count)
    )


@st.composite
def anything(draw: st.DrawFn) -> tuple[StepColumns, tuple[Lane, ...]]:
    """Tasks on lanes in any order, at once or at no time, waiting for any others in circles.

    Times are few, so that many are equal.
    """
    lanes = lanes_of(draw(st.integers(1, 5)))
    count = draw(st.integers(0, 12))
    most = draw(st.sampled_from([1, 4, 30, 10**6]))
    number = st.integers(0, most)
    tasks = []
    for _ in range(count):
        start = draw(number)
        tasks.append(
            {
                "kind": draw(st.sampled_from(DRAWN)),
                "lane": draw(st.integers(0, len(lanes) - 1)),
                "start": start,
                "end": start + draw(st.sampled_from([0, 0, 1, 2, most])),
                "launched": draw(st.none() | number) or ABSENT,
                "replica": draw(st.integers(-1, 1)),
                "bucket": draw(st.integers(-1, 1)),
                "after": draw(st.lists(st.integers(0, count - 1), max_size=3, unique=True)),
            }
        )
    return columns_of(tasks), lanes


def explained(step: tuple[StepColumns, tuple[Lane, ...]]) -> Explanation:
    return explain_step(*step)


@given(anything())
def test_links_lead_to_no_task_twice(step: tuple[StepColumns, tuple[Lane, ...]]) -> None:
    explanation = explained(step)
    waits, count = explanation.waits, len(explanation.columns)
    for task in range(count):
        seen = []
        while task >= 0:
            assert task not in seen
            seen.append(task)
            task = int(waits.before[waits.slowest[task]])


@given(anything())
def test_the_critical_path_goes_back_in_time_from_the_end_to_the_start(
    step: tuple[StepColumns, tuple[Lane, ...]],
) -> None:
    explanation = explained(step)
    pieces = critical_path(explanation)
    bounds = [explanation.begin, *(piece.end for piece in pieces)]
    assert [piece.start for piece in pieces] == bounds[:-1] and bounds[-1] == explanation.finish
    assert all(piece.start < piece.end for piece in pieces)
    assert sum(path_shares(pieces).values()) == explanation.makespan


@given(anything())
def test_causes_add_up_to_the_time_in_which_a_lane_has_no_task(
    step: tuple[StepColumns, tuple[Lane, ...]],
) -> None:
    explanation, (columns, lanes) = explained(step), step
    totals = cause_totals(explanation)
    moments = np.unique(np.concatenate([columns.start, columns.end]))
    for lane in lanes:
        if lane.role is Role.COMPUTE:
            mine = columns.lane == lane.index
            idle = sum(
                int(until - since)
                for since, until in pairwise(moments)
                if not (mine & (columns.start <= since) & (columns.end >= until)).any()
            )
            assert totals[lane.index].sum() == idle


@given(anything())
def test_the_figures_of_any_recorded_step_add_up_to_its_makespan(
    step: tuple[StepColumns, tuple[Lane, ...]],
) -> None:
    """Also of tasks that wait in circles."""
    trace = recorded(*step)
    explanation = explain_run_step(trace, 0)
    figures = step_figures(explanation)
    assert figures.makespan_ns == sum(figures.critical_path.values()) == explanation.makespan


def test_the_ladder_of_collectives_that_never_meet_adds_up() -> None:
    lanes = lanes_of(4)
    orders = {2: (0, 1), 3: (1, 0)}
    tasks = [
        {
            "kind": Kind.ALL_REDUCE,
            "lane": lane,
            "bucket": bucket,
            "start": 5 * turn,
            "end": 5 + turn,
        }
        for lane, buckets in orders.items()
        for turn, bucket in enumerate(buckets)
    ]
    found = waterfall(explain_step(columns_of(tasks), lanes))
    assert sum(found.values()) == 6


def test_a_run_whose_buckets_went_in_opposite_orders_on_two_ranks_is_explained() -> None:
    trace = open_recording(CIRCLE).trace
    assert trace.steps == [17, 18, 19]
    for step in trace.steps:
        explanation = explain_run_step(trace, step)
        figures = step_figures(explanation)
        assert sum(figures.critical_path.values()) == explanation.makespan
        for lane in trace.header.lanes[:2]:
            columns = explanation.columns
            busy = int(columns.duration[columns.lane == lane.index].sum())
            assert sum(figures.idle_by_cause[lane.index].values()) == explanation.makespan - busy
