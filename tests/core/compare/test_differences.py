"""What two runs differ by: rows that add up, tasks that are paired, a sentence that names why."""

from __future__ import annotations

from dataclasses import replace
from gettext import NullTranslations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.compare.alignment import at_moments
from core.compare.differences import RowGroup, apportioned
from core.compare.matching import StepTasks, match_steps
from core.compare.pieces import pieces_of
from core.compare.runs import TwoRuns, compare_runs
from core.compare.settings import run_settings
from core.compare.topics import TOPICS, weights
from core.compare.totals import ComparisonStopped
from core.costs.meetings import meeting
from core.costs.simulate import simulate
from core.errors import PlanError
from core.explain.causes import CAUSES, Cause
from core.plan.plan import Role
from core.plan.specification import Specification
from core.plan.task import ABSENT, KINDS, Kind
from core.trace.header import Header
from core.trace.median_step import median_step, whole_steps
from core.trace.step import StepColumns
from core.trace.trace import Trace
from tests.core.explain.drawn import specifications
from tests.core.helpers import planned, trace_of
from tests.make_believe import MS, prediction_of, specification
from tests.make_believe import trace_of as run_of


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """One step of a drawn plan whose tasks take drawn times."""
    spec = draw(specifications())
    plan = planned(spec)
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    return trace_of(plan, random.integers(1, 10**7, len(plan.tasks)).tolist(), spec)


def pipeline(microbatches: int = 4, scale: float = 1.0, **values: object) -> Trace:
    """A run of 1F1B on two lanes."""
    return run_of(specification(microbatches=microbatches, **values), scale=scale)


@settings(max_examples=60, deadline=None)
@given(traces(), traces())
def test_contributions_add_up_to_the_difference_of_the_makespans(a: Trace, b: Trace) -> None:
    two = compare_runs(a, b)
    ends = [trace.step_bounds(0) for trace in (a, b)]
    assert two.difference == (ends[1][1] - ends[1][0]) - (ends[0][1] - ends[0][0])
    assert sum(row.contribution for row in two.reasons) == two.difference
    assert sum(row.contribution for row in two.lanes) == two.difference
    assert all(row.contribution == 0 for row in two.other_lanes)


def test_waiting_for_a_slow_rank_is_nothing_that_communication_lanes_move() -> None:
    asked = Specification("ddp", devices="3xcpu", batch=12)
    plan = planned(asked)
    columns = StepColumns.of_plan(plan)
    meets = meeting(columns, plan.lanes)

    def run_with(rank_1: int) -> Trace:
        """A run whose rank 1 computes for so many ns where others compute for 1 ms."""
        slow = (columns.lane == 1) & (meets < 0)
        step = simulate(columns, np.where(slow, rank_1, MS), meets)
        return trace_of(plan, step.duration.tolist(), asked)

    two = compare_runs(run_with(MS), run_with(20 * MS))
    assert two.difference > 10 * MS
    (row,) = two.other_lanes
    assert row.name == Kind.ALL_REDUCE
    assert row.a == row.b == np.count_nonzero(meets >= 0) * MS


@settings(max_examples=30, deadline=None)
@given(traces(), traces())
def test_a_rows_times_are_what_the_lanes_spent(a: Trace, b: Trace) -> None:
    two = compare_runs(a, b)
    for trace, side, name in ((a, two.a, "a"), (b, two.b, "b")):
        lanes = [lane.index for lane in trace.header.lanes if lane.role is Role.COMPUTE]
        worked: dict[str, int] = {}
        for span in trace:
            if span.lane in lanes and span.end is not None:
                worked[span.kind] = worked.get(span.kind, 0) + span.end - span.start
        told = {r.name: getattr(r, name) for r in two.reasons if r.group is RowGroup.KIND}
        assert {kind: ns for kind, ns in told.items() if ns} == worked
        idle = sum(getattr(row, name) for row in two.reasons if row.group is RowGroup.CAUSE)
        assert sum(worked.values()) + idle == side.makespan * len(lanes)


def test_the_means_of_several_steps_add_up_as_well() -> None:
    a, b = pipeline(), pipeline(microbatches=2, scale=1.3, devices="4xcpu")
    two = compare_runs(a, b, whole_steps(a), whole_steps(b)[1:])
    assert len(two.a.steps) == 5 and len(two.b.steps) == 4
    assert sum(row.contribution for row in two.reasons) == two.difference
    assert sum(row.contribution for row in two.lanes) == two.difference


@given(st.lists(st.integers(-(10**12), 10**12)), st.integers(1, 1000))
def test_apportioned_values_add_up_and_are_off_by_less_than_one(
    values: list[int], divisor: int
) -> None:
    parts = apportioned(values, divisor)
    assert sum(parts) == sum(values) // divisor
    assert all(
        abs(part - value / divisor) <= 1.01 for part, value in zip(parts, values, strict=True)
    )


def test_the_row_that_contributes_most_comes_first() -> None:
    sizes = [abs(row.contribution) for row in compare_runs(pipeline(1), pipeline(8)).reasons]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] > 0


def test_lanes_that_only_one_run_has_are_listed_without_a_time_for_the_other() -> None:
    two = compare_runs(pipeline(), pipeline(devices="4xcpu"))
    only = [row for row in two.lanes if row.name == "cpu:3"]
    assert len(only) == 2 and all(row.a is None and row.b is not None for row in only)


def test_all_tasks_of_two_runs_of_one_plan_are_matched_by_number() -> None:
    two = compare_runs(pipeline(), pipeline(scale=2.0))
    assert two.matches.unmatched() == ({}, {})
    assert two.matches.task_in_b(3) == 3 and two.matches.task_in_a(3) == 3
    assert two.matches.task_in_b(10_000) is None


def test_tasks_of_different_schedules_are_matched_by_what_they_do() -> None:
    a, b = pipeline(schedule="gpipe"), pipeline(schedule="1f1b")
    two = compare_runs(a, b)
    assert two.matches.unmatched() == ({}, {})
    for span in a:
        if span.step == two.step_a and span.end is not None:
            task = two.matches.task_in_b(span.task)
            assert task is not None
            other = b.find(two.step_b, task)
            assert other is not None and two.matches.task_in_a(task) == span.task
            assert (other.kind, other.stage, other.microbatch) == (
                span.kind, span.stage, span.microbatch,
            )  # fmt: skip


def test_what_only_one_plan_tells_of_a_kind_does_not_keep_its_tasks_apart() -> None:
    two = compare_runs(*(run_of(specification(s)) for s in ("dp", "ddp")))
    paired = two.matches.a.places[two.matches.of_a]
    for kind in (Kind.FORWARD, Kind.BACKWARD):  # by replica; ddp tells blocks, dp stages
        assert int((paired[:, 0] == KINDS.index(kind)).sum()) == 2


def test_tasks_without_a_match_are_counted_by_kind() -> None:
    two = compare_runs(pipeline(4), pipeline(6))
    only_a, only_b = two.matches.unmatched()
    assert only_a == {}
    assert only_b[Kind.FORWARD] == only_b[Kind.BACKWARD] == 4  # two micro-batches, two stages


@settings(max_examples=60, deadline=None)
@given(traces(), traces())
def test_each_task_is_matched_at_most_once_and_with_its_like(a: Trace, b: Trace) -> None:
    one, other = StepTasks.of(a, 0), StepTasks.of(b, 0)
    found = match_steps(one, other)
    for of, only, tasks in ((found.of_a, found.only_a, one), (found.of_b, found.only_b, other)):
        assert sorted([*of.tolist(), *only.tolist()]) == list(range(len(tasks)))
    pairs = one.places[found.of_a], other.places[found.of_b]
    assert ((pairs[0] == pairs[1]) | (pairs[0] == ABSENT) | (pairs[1] == ABSENT)).all()
    assert np.array_equal(pairs[0][:, 0], pairs[1][:, 0])  # the kind
    left = {tuple(row) for row in one.places[found.only_a].tolist()}
    assert not left & {tuple(row) for row in other.places[found.only_b].tolist()}


def test_the_sentence_names_fill_and_drain_and_the_micro_batches_behind_it() -> None:
    text = str(compare_runs(pipeline(2, stages=2), pipeline(8, stages=2)).sentence())
    assert (
        text.startswith("B is ") and " faster (" in text and ": its lanes spend on average " in text
    )
    assert " less on pipeline fill and drain and " in text
    assert text.endswith(" (8 micro-batches instead of 2).")


def test_the_sentence_says_that_computing_takes_longer() -> None:
    text = str(compare_runs(pipeline(), pipeline(scale=2.0)).sentence())
    assert (
        " slower (" in text
        and ": its lanes spend on average " in text
        and " more on computing" in text
    )


def test_two_alike_runs_are_said_to_take_equally_long() -> None:
    text = str(compare_runs(pipeline(), pipeline()).sentence())
    assert text.startswith("A and B take equally long, ") and ":" not in text


def test_every_part_of_the_sentence_is_translated() -> None:
    said: list[str] = []

    class Listening(NullTranslations):
        def gettext(self, message: str) -> str:
            said.append(message)
            return message

    compare_runs(pipeline(2), pipeline(8)).sentence().translated(Listening())
    assert "pipeline fill and drain" in said and "{b} micro-batches instead of {a}" in said


def test_a_prediction_can_be_compared_with_its_run() -> None:
    spec = specification()
    run = run_of(spec)
    two = compare_runs(run, prediction_of(spec, run))
    assert two.matches.unmatched() == ({}, {}) and two.difference < 0


@settings(max_examples=30, deadline=None)
@given(traces(), traces())
def test_topics_account_for_the_whole_difference(a: Trace, b: Trace) -> None:
    two = compare_runs(a, b)
    assert sum(weight.contribution for weight in weights(two.reasons)) == two.difference


def test_every_kind_and_every_cause_inside_a_step_belongs_to_one_topic() -> None:
    named = [name for topic in TOPICS for name in topic.rows]
    assert len(named) == len(set(named))
    # Of no compute lane in a step that can be compared.
    outside = {
        Cause.BETWEEN_STEPS, Cause.NOTHING_TO_MOVE, Cause.INCOMPLETE, Cause.NOT_KNOWN,
    }  # fmt: skip
    assert set(named) == {*KINDS, *CAUSES} - outside


def test_every_setting_that_a_topic_names_is_one_that_runs_have() -> None:
    runs = pipeline(), run_of(specification(strategy="ddp", microbatches=None, bucket_mb=2.0))
    known = {name for run in runs for name in run_settings(run, run.steps[-1])}
    assert {name for topic in TOPICS for name in topic.settings} <= known


def test_the_median_step_has_as_many_shorter_as_longer_ones() -> None:
    trace = run_of(specification(data=64 * 4 + 8, steps=5))
    steps = whole_steps(trace)
    lengths = {s: trace.step_bounds(s)[1] - trace.step_bounds(s)[0] for s in steps}
    middle = lengths[median_step(trace, steps)]
    assert middle == sorted(lengths.values())[2]


def test_a_run_without_a_whole_step_is_refused() -> None:
    empty = Trace(Header(Specification(), pipeline().header.model, pipeline().header.lanes))
    with pytest.raises(PlanError, match="the second run has no whole step to compare"):
        compare_runs(pipeline(), empty)


def test_a_comparison_that_nobody_wants_any_more_ends_before_the_next_step() -> None:
    asked: list[bool] = []

    def stop() -> bool:
        asked.append(len(asked) == 2)
        return asked[-1]

    a = pipeline()
    with pytest.raises(ComparisonStopped):
        compare_runs(a, a, whole_steps(a), whole_steps(a), stop)
    assert len(asked) == 3


def test_a_step_that_is_not_there_is_refused_by_its_number() -> None:
    with pytest.raises(PlanError, match="the first run has no step 99; it has 2 to 6"):
        compare_runs(pipeline(), pipeline(), [99])


def test_a_fitted_alignment_lays_both_ends_of_the_steps_over_each_other() -> None:
    laid = at_moments(10.0, 100.0, (10.0, 20.0), (100.0, 140.0), fit=True)
    assert (laid.to_b(10.0), laid.to_b(20.0), laid.to_a(140.0)) == (100.0, 140.0, 20.0)
    assert at_moments(10.0, 100.0, (10.0, 20.0), (100.0, 140.0), fit=False).to_b(20.0) == 110.0


def test_the_differences_can_be_written_as_plain_values() -> None:
    two: TwoRuns = compare_runs(pipeline(2), pipeline(8))
    values = two.to_dict()
    assert values["difference_ns"] == two.difference == values["makespan_ns"]["b"] - values[
        "makespan_ns"
    ]["a"]  # fmt: skip
    assert sum(row["contribution_ns"] for row in values["reasons"]) == two.difference
    assert {"name": "microbatches", "a": "2", "b": "8"} in values["settings"]
    assert abs(values["difference_ns"]) > 5 * MS


@settings(max_examples=40, deadline=None)
@given(traces(), traces())
def test_the_pieces_of_a_row_are_as_long_as_the_row_says(a: Trace, b: Trace) -> None:
    two = compare_runs(a, b)
    for side, name in ((two.a, "a"), (two.b, "b")):
        for row in (*two.reasons, *two.lanes, *two.other_lanes):
            found = pieces_of(row, side.explanation)
            assert int((found.end - found.start).sum()) == (getattr(row, name) or 0)


def test_faults_are_settings_in_which_runs_differ_whatever_a_file_says_they_are() -> None:
    spec = specification(devices="2xcpu", steps=2)
    usual, other = (run_of(spec, scale=scale) for scale in (1.0, 2.0))
    for claimed, said in (
        (None, "no faults"),
        ("1:2", "--slow-lane 1:2"),
        ("{x}", "--slow-lane {x}"),
    ):
        asked = spec.having(slow_lane=claimed)
        other.header = replace(other.header, specification=asked)
        told = compare_runs(usual, other)
        found = {setting.name: setting.b for setting in told.settings}
        assert found.get("faults", "no faults") == said
        assert [str(setting.text) for setting in told.settings if setting.name == "faults"] == (
            [f"{said} instead of no faults"] if claimed else []
        )
