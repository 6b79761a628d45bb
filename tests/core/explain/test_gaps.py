"""A gap under the mouse in facts and in plain words."""

import re
from dataclasses import replace

import numpy as np
from hypothesis import given

from core.explain.buckets import bucket_times, gradient_wave
from core.explain.causes import CAUSES, Cause
from core.explain.gaps import gap_report, run_gap_report
from core.explain.run_step import explain_run_step
from core.models.catalogue import ModelSettings
from core.plan.task import KINDS, Kind
from tests.core.explain.drawn import Step, late_steps, steps
from tests.core.explain.made import sentence
from tests.core.explain.test_causes import MS, PASS, step_of
from tests.make_believe import specification, trace_of


def words(step: Step, lane: int, moment: float) -> str:
    gap = gap_report(step.explained(), lane, int(moment * MS))
    assert gap is not None
    return sentence(gap)


def test_a_gap_is_told_in_plain_words() -> None:
    step = step_of("mp", {Kind.FORWARD: 12.1, Kind.BACKWARD: 2}, batch=4)
    said = words(step, 1, 5)
    assert said == "lane 1 waits 12.1 ms for 0F0 on lane 0 (pipeline fills)"
    assert words(step, 1, 12.1 * 2 + 2) == ("lane 1 waits 2 ms for 0B0 on lane 0 (pipeline drains)")


def test_a_gap_with_several_blocking_tasks_names_the_longest_and_sums_up_the_rest() -> None:
    step = step_of("mp", PASS, {2: 0.5}, devices="4xcpu", batch=4)
    assert words(step, 3, 1) == (
        "lane 3 waits 2.5 ms: 1 ms for 0F0 on lane 0 (pipeline fills); "
        "1 ms for 1F0 on lane 1 (pipeline fills); 0.5 ms for 2F0 on lane 2 (pipeline fills)"
    )
    assert words(step, 0, 2).endswith("; 2.5 ms for others")


def test_a_gap_in_data_parallel_says_what_lane_0_does_meanwhile() -> None:
    costs = {**PASS, Kind.SCATTER: 1, Kind.REPLICATE: 2, Kind.GATHER: 3, Kind.LOSS: 4,
             Kind.REDUCE: 5, Kind.STEP: 6}  # fmt: skip
    step = step_of("dp", costs, batch=4)
    assert words(step, 1, 0) == (
        "lane 1 waits 4 ms: 2 ms while cpu:0 scatters (S and 1 more); "
        "2 ms while cpu:0 copies the model (0R)"
    )
    assert words(step, 1, 8) == (
        "lane 1 waits 9 ms: 3 ms while cpu:0 gathers (G); "
        "4 ms while cpu:0 computes the loss (0L); 2 ms while cpu:0 scatters (S and 1 more)"
    )
    assert words(step, 1, 20) == (
        "lane 1 waits 11 ms: 5 ms while cpu:0 reduces (0Σ); 6 ms while cpu:0 updates the model (0U)"
    )


def test_what_a_lane_does_for_others_in_several_tasks_is_one_reason_of_a_gap() -> None:
    step = step_of("dp", {**PASS, Kind.REPLICATE: 2}, batch=4, devices="4xcpu")
    assert words(step, 3, 0) == "lane 3 waits 6 ms while cpu:0 copies the model (0R and 2 more)"


def test_an_overlap_is_named_by_both_its_passes() -> None:
    step = step_of("pipeline", {**PASS, Kind.OVERLAP: 3}, {0: 2}, schedule="dualpipe-v", batch=8)
    explanation = step.explained()
    texts = {str(step.columns[int(blocking)]) for blocking in explanation.blocking}
    assert any(text.endswith(")OVERLAP_F_B") for text in texts)


@given(late_steps())
def test_the_reasons_of_a_gap_follow_one_another_from_its_start_to_its_end(step: Step) -> None:
    explanation = step.explained()
    for piece in range(len(explanation.gap)):
        lane, start = int(explanation.lane[piece]), int(explanation.start[piece])
        gap = gap_report(explanation, lane, start)
        assert gap is not None and gap.start <= start < gap.end and gap.lane.index == lane
        assert sum(reason.duration for reason in gap.reasons) == gap.duration
        assert [r.start for r in gap.reasons[1:]] == [r.end for r in gap.reasons[:-1]]
        assert gap.cause in {reason.cause for reason in gap.reasons}
        assert sentence(gap).startswith(f"lane {lane} waits ")


@given(steps())
def test_a_task_made_from_columns_is_the_plans(step: Step) -> None:
    for position, task in enumerate(step.plan.tasks):
        made = step.columns[position]
        assert (str(made), made.index, made.lane, made.after) == (
            str(task), task.index, task.lane, task.after,
        )  # fmt: skip


def test_every_cause_has_words() -> None:
    assert len({cause.label for cause in CAUSES}) == len(CAUSES)
    assert all(re.fullmatch(r"[A-Z][^{}]+\.", cause.sentence) for cause in CAUSES)


def test_in_a_run_gaps_are_found_in_steps_and_between_them() -> None:
    trace = trace_of(specification("mp", steps=2, warmup=0))
    (first, end), (start, last) = (trace.step_bounds(step) for step in trace.steps)
    gap = run_gap_report(trace, 1, first)
    assert gap is not None and gap.cause is Cause.FILL and gap.start == first
    between = run_gap_report(trace, 0, end)
    assert between is not None and (between.start, between.end) == (end, start)
    assert between.cause is Cause.BETWEEN_STEPS
    assert sentence(between) == "lane 0 waits 1 ms: between steps"
    assert run_gap_report(trace, 0, first) is None
    assert run_gap_report(trace, 0, last) is None
    assert run_gap_report(trace, 0, first - 1) is None


def test_a_communication_lane_has_nothing_to_move_where_it_is_idle() -> None:
    trace = trace_of(specification("ddp", steps=1, warmup=0))
    begin, _ = trace.step_bounds(0)
    gap = run_gap_report(trace, 2, begin)
    assert gap is not None and gap.cause is Cause.NOTHING_TO_MOVE
    assert sentence(gap).endswith(": nothing to move")


def test_the_callers_own_explanations_are_used() -> None:
    trace = trace_of(specification("mp", steps=2, warmup=0))
    asked = []

    def remembered(run, step):
        asked.append(step)
        return explain_run_step(run, step)

    run_gap_report(trace, 1, trace.step_bounds(1)[0], remembered)
    assert asked == [1]


def test_a_bucket_is_ready_launched_and_done_and_the_last_one_is_exposed() -> None:
    model = ModelSettings("mlp", width=512, depth=6)
    costs = {**PASS, Kind.ALL_REDUCE: 1.5}
    step = step_of("ddp", costs, {1: 2}, batch=4, model=model, bucket_mb=1.0)
    explanation = step.explained()
    buckets = bucket_times(explanation)
    last = max(bucket.bucket for bucket in buckets)
    assert last > 1
    for bucket in buckets:
        assert bucket.launched <= bucket.begun <= bucket.done and bucket.kind is Kind.ALL_REDUCE
        assert bucket.done - bucket.begun == 1.5 * MS
        assert (bucket.exposed_ns > 0) == (bucket.bucket == last)
    exposed = explanation.cause == CAUSES.index(Cause.COLLECTIVE)
    length = explanation.end - explanation.start
    assert sum(bucket.exposed_ns for bucket in buckets) == length[exposed].sum()


def test_a_collective_that_was_put_behind_others_on_its_lane_came_when_it_was_launched() -> None:
    step = step_of("ddp", {**PASS, Kind.ALL_REDUCE: 5}, batch=4)
    columns = step.columns
    own, other = np.flatnonzero(columns.kind == KINDS.index(Kind.ALL_REDUCE))
    start, end, launched = columns.start.copy(), columns.end.copy(), columns.launched.copy()
    launched[other] = start[other] + MS
    start[other] = end[other] = end[own] + MS
    columns = replace(columns, start=start, end=end, launched=launched)
    begun = [bucket.begun for bucket in bucket_times(step._replace(columns=columns).explained())]
    assert begun == [start[own] + MS] * 2


def test_gradients_become_ready_from_the_last_block_to_the_first() -> None:
    step = step_of("ddp", PASS, batch=4)
    wave = [ready.block for ready in gradient_wave(step.explained()) if ready.lane == 1]
    assert wave == sorted(wave, reverse=True) and wave[-1] == 0
    assert gradient_wave(step_of("mp", PASS, batch=4).explained()) == []


def test_when_a_bucket_was_ready_is_known_from_the_run_alone() -> None:
    trace = trace_of(specification("ddp", steps=1, warmup=0))
    assert {bucket.ready for bucket in bucket_times(explain_run_step(trace, 0), trace)} == {None}
