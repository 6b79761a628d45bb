"""Every idle nanosecond has one cause and one blocking task, and the blocking task is to blame."""

import time

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.costs.simulate import simulate
from core.explain.causes import CAUSES, Cause
from core.explain.explanation import cause_totals, explain_step
from core.models.catalogue import ModelSettings
from core.plan.plan import Lane, Role
from core.plan.specification import Specification
from core.plan.task import KINDS, Kind
from core.trace.step import StepColumns
from tests.core.explain.drawn import Step, delayed, late_steps, steps
from tests.core.explain.made import columns_of
from tests.core.helpers import plan_of

MS = 1_000_000


def step_of(strategy: str, costs: dict[Kind, float], slow: dict[int, float] | None = None,
            **values: object) -> Step:  # fmt: skip
    """A step whose kinds cost so many ms; on `slow` lanes so many times that."""
    model = values.pop("model", ModelSettings("mlp", width=8, depth=4))
    plan = plan_of(Specification(strategy, model, **{"devices": "2xcpu", **values}))
    columns = StepColumns.of_plan(plan)
    durations = [
        int(costs.get(KINDS[kind], 0) * (slow or {}).get(lane, 1) * MS)
        for kind, lane in zip(columns.kind, columns.lane, strict=True)
    ]
    return Step(plan, columns.start, columns).costing(np.array(durations, np.int64))


def idle(step: Step, lane: int) -> dict[Cause, float]:
    """A lane's idle ms by cause."""
    row = cause_totals(step.explained())[lane]
    return {cause: ns / MS for cause, ns in zip(CAUSES, row, strict=True) if ns}


PASS = {Kind.FORWARD: 1, Kind.BACKWARD: 2}


@given(late_steps())
def test_work_and_idle_time_by_cause_add_up_to_the_makespan_on_every_lane(step: Step) -> None:
    explanation = step.explained()
    worked = np.zeros(len(step.plan.lanes), np.int64)
    np.add.at(worked, step.columns.lane, step.columns.duration)
    assert (worked + cause_totals(explanation).sum(axis=1) == explanation.makespan).all()


@given(late_steps())
def test_every_moment_of_a_compute_lane_is_a_task_or_one_piece_of_a_gap(step: Step) -> None:
    explanation, columns = step.explained(), step.columns
    for lane in step.compute_lanes():
        pieces = slice(*explanation.lane_first[[lane, lane + 1]])
        starts = np.concatenate([explanation.start[pieces], columns.start[columns.lane == lane]])
        ends = np.concatenate([explanation.end[pieces], columns.end[columns.lane == lane]])
        order = np.lexsort((ends, starts))
        assert (starts[order][1:] == ends[order][:-1]).all()
        if len(order):
            assert starts.min() == explanation.begin and ends.max() == explanation.finish
        assert (explanation.lane[pieces] == lane).all()
        assert (explanation.end[pieces] > explanation.start[pieces]).all()


@given(late_steps())
def test_a_blocking_task_ran_throughout_its_piece_or_was_ready_and_had_not_begun(
    step: Step,
) -> None:
    explanation, columns = step.explained(), step.columns
    waits = explanation.waits
    for start, end, blocking in zip(
        explanation.start, explanation.end, explanation.blocking, strict=True
    ):
        if columns.start[blocking] < end:
            assert waits.begun[blocking] <= start and columns.end[blocking] >= end
        else:
            needs = columns.after[columns.after_first[blocking] : columns.after_first[blocking + 1]]
            before = waits.before[blocking]
            assert (columns.end[needs] <= start).all()
            assert before < 0 or columns.end[before] <= start


@given(steps())
def test_without_lateness_nothing_is_the_hosts(step: Step) -> None:
    assert not cause_totals(step.explained())[:, CAUSES.index(Cause.HOST)].any()


@given(steps(1, 1000), st.data())
def test_a_ready_task_that_is_delayed_is_named_and_its_delay_is_the_hosts(
    step: Step, data: st.DataObject
) -> None:
    candidates = np.flatnonzero(np.isin(step.columns.lane, step.compute_lanes()))
    late = int(data.draw(st.sampled_from(candidates.tolist())))
    delay = data.draw(st.integers(1, 10**6))
    one = np.zeros(len(step.durations), np.int64)
    one[late] = delay
    delayed_step = delayed(step, one)
    assume(KINDS[step.columns.kind[late]] not in {Kind.ALL_REDUCE})
    assume(delayed_step.columns.start.min() == 0)  # else the step begins with the task
    explanation = delayed_step.explained()
    host = explanation.cause == CAUSES.index(Cause.HOST)
    assert set(explanation.blocking[host].tolist()) == {late}
    own = host & (explanation.lane == step.columns.lane[late])
    length = explanation.end - explanation.start
    assert length[own].sum() == delay


@given(steps(90, 110), st.data())
def test_a_lane_slowed_on_purpose_holds_up_the_others_for_longest(
    step: Step, data: st.DataObject
) -> None:
    """Costs are alike but for the slow lane's, and moving data costs next to nothing."""
    lanes = step.plan.lanes
    busy = np.unique(step.columns.lane[step.columns.rows > 0])
    slow = data.draw(st.sampled_from([x for x in step.compute_lanes() if x in busy]))
    moves = np.array([KINDS[kind].is_communication for kind in step.columns.kind])
    durations = np.where(moves, step.durations // 90, step.durations * 10)
    durations[(step.columns.lane == slow) & ~moves] *= 5
    explanation = step.costing(durations).explained()
    home = np.array([lane.serves for lane in lanes])
    others = explanation.lane != slow
    held = np.zeros(len(lanes), np.int64)
    blamed = home[step.columns.lane[explanation.blocking[others]]]
    np.add.at(held, blamed, (explanation.end - explanation.start)[others])
    assert not others.any() or held.argmax() == slow


@given(steps(1), st.data())
def test_a_gap_shrinks_without_its_blocking_task_and_is_gone_without_all_that_are_named_in_turn(
    step: Step, data: st.DataObject
) -> None:
    """A blocking task's end is later than the gap's start, so nothing before the gap depends on it:
    the gap begins when it did. With costs drawn from 10^9 no two ways to the gap's end are equally
    long, so it ends earlier. Each time a task loses its cost; there are finitely many."""
    explanation = step.explained()
    assume(len(explanation.gap))
    piece = data.draw(st.integers(0, len(explanation.gap) - 1))
    lane, start = int(explanation.lane[piece]), _gap_bounds(explanation, piece)[0]
    while True:
        blocking, end = int(explanation.blocking[piece]), _gap_bounds(explanation, piece)[1]
        durations = step.durations.copy()
        durations[blocking] = 0
        step = step.costing(durations)
        explanation = step.explained()
        found = explanation.find(lane, start)
        if found is None:
            return
        assert _gap_bounds(explanation, found)[0] == start
        assert _gap_bounds(explanation, found)[1] < end
        piece = found


def _gap_bounds(explanation, piece: int) -> tuple[int, int]:
    pieces = explanation.pieces(int(explanation.gap[piece]))
    return int(explanation.start[pieces[0]]), int(explanation.end[pieces[-1]])


@given(late_steps())
def test_every_moment_of_a_gap_is_found_and_no_other(step: Step) -> None:
    explanation, columns = step.explained(), step.columns
    for piece, (start, end) in enumerate(zip(explanation.start, explanation.end, strict=True)):
        lane = int(explanation.lane[piece])
        assert explanation.find(lane, int(start)) == explanation.find(lane, int(end) - 1) == piece
    for lane, start, end in zip(columns.lane, columns.start, columns.end, strict=True):
        if end > start:
            assert explanation.find(int(lane), int(start)) is None
    assert explanation.find(0, explanation.finish) is None


def test_a_pipeline_fills_drains_and_waits_for_other_stages_between() -> None:
    step = step_of("pipeline", PASS, schedule="gpipe", devices="3xcpu", batch=4, microbatches=4)
    assert idle(step, 0) == {Cause.COMPUTE: 2 + 4}
    assert idle(step, 1) == {Cause.FILL: 1, Cause.COMPUTE: 1 + 2, Cause.DRAIN: 2}
    assert idle(step, 2) == {Cause.FILL: 2, Cause.DRAIN: 4}


def test_copies_on_lanes_of_their_own_are_waited_for_as_transfers() -> None:
    step = step_of("mp", {**PASS, Kind.COPY: 3}, devices="2xcuda:0", batch=4)
    assert idle(step, 1) == {Cause.FILL: 1, Cause.TRANSFER: 3 + 3, Cause.DRAIN: 2}
    assert idle(step, 0) == {Cause.TRANSFER: 3 + 3, Cause.COMPUTE: 1 + 2}
    assert idle(step, 2) == {Cause.NOTHING_TO_MOVE: 12 - 3}


def test_in_data_parallel_others_wait_for_what_device_0_does_for_all() -> None:
    costs = {**PASS, Kind.SCATTER: 1, Kind.REPLICATE: 2, Kind.GATHER: 3, Kind.LOSS: 4,
             Kind.REDUCE: 5, Kind.STEP: 6}  # fmt: skip
    step = step_of("dp", costs, batch=4)
    assert idle(step, 1) == {
        Cause.SCATTER: 2 * 1 + 2 * 1,
        Cause.REPLICATE: 2,
        Cause.COLLECT: 3 + 5,
        Cause.LOSS: 4,
        Cause.UPDATE: 6,
    }
    assert idle(step, 0) == {}


def test_a_broadcast_of_another_program_is_no_copy_of_the_model() -> None:
    lanes = (Lane(0, "GPU 0", "cuda:0"), Lane(1, "GPU 1", "cuda:1"))
    columns = columns_of(
        [
            {"kind": Kind.REPLICATE, "lane": 0, "start": 0, "end": 5},
            {"kind": Kind.OTHER, "lane": 1, "start": 5, "end": 9, "after": (0,)},
        ]
    )
    totals = cause_totals(explain_step(columns, lanes))
    assert totals[1, CAUSES.index(Cause.TRANSFER)] == 5


def test_a_replica_with_fewer_rows_waits_for_those_with_more_and_one_without_for_all() -> None:
    step = step_of("dp", PASS, {1: 0.5}, devices="3xcpu", batch=3, model=ModelSettings("tutorial"))
    assert idle(step, 1) == {Cause.COMPUTE: 0.5 + 1}
    step = step_of("dp", PASS, {1: 0.5}, devices="4xcpu", batch=5)
    assert [part.rows for part in step.plan.parts] == [2, 2, 1]
    step = step_of("dp", PASS, {2: 0.5}, devices="4xcpu", batch=5)
    assert idle(step, 2) == {Cause.IMBALANCE: 0.5 + 1}
    assert idle(step, 3) == {Cause.IMBALANCE: 1 + 2}


def test_a_rank_waits_for_the_slowest_and_then_for_the_collective() -> None:
    step = step_of("ddp", {**PASS, Kind.ALL_REDUCE: 5}, {1: 2}, batch=4)
    passes = 3 * len(step.plan.stages[0:1]) * _blocks(step)
    assert idle(step, 0) == {Cause.SLOWEST_RANK: passes, Cause.COLLECTIVE: 5}
    assert idle(step, 1) == {Cause.COLLECTIVE: 5}


def test_a_rank_waits_for_one_with_more_rows_by_the_split() -> None:
    step = step_of("ddp", {**PASS, Kind.ALL_REDUCE: 5}, {0: 2}, batch=3)
    assert [part.rows for part in step.plan.parts] == [2, 1]
    assert idle(step, 1) == {Cause.IMBALANCE: 3 * _blocks(step), Cause.COLLECTIVE: 5}


def _blocks(step: Step) -> int:
    return len(np.unique(step.columns.block[step.columns.block >= 0]))


def test_a_rank_that_comes_late_to_a_collective_is_the_slowest_to_others_and_late_to_itself() -> (
    None
):
    step = step_of("ddp", {**PASS, Kind.ALL_REDUCE: 5}, batch=4)
    late = np.zeros(len(step.durations), np.int64)
    last_backward = np.flatnonzero((step.columns.lane == 1) & (step.columns.block == 0))[-1]
    late[last_backward] = 7 * MS
    step = delayed(step, late)
    assert idle(step, 0) == {Cause.SLOWEST_RANK: 7, Cause.COLLECTIVE: 5}
    assert idle(step, 1) == {Cause.HOST: 7, Cause.COLLECTIVE: 5}


def test_a_step_without_tasks_has_nothing_to_explain() -> None:
    plan = plan_of(Specification("single", ModelSettings("tutorial"), "2xcpu", batch=4))
    columns = StepColumns.of_plan(plan)
    none = simulate(columns, columns.start)
    explanation = explain_step(none, plan.lanes)
    assert explanation.makespan == 0 and not len(explanation.gap)


@pytest.mark.alone
def test_the_causes_of_a_step_of_65_000_tasks_are_found_in_a_blink() -> None:
    step = step_of("pipeline", {**PASS, Kind.COPY: 0.1}, devices="64xcpu", batch=256,
                   microbatches=256, model=ModelSettings("mlp", width=4, depth=70))  # fmt: skip
    begun = time.perf_counter()
    explanation = step.explained()
    assert time.perf_counter() - begun < 1
    begun = time.perf_counter()
    for moment in range(0, explanation.makespan, explanation.makespan // 100):
        explanation.find(63, moment)
    assert time.perf_counter() - begun < 0.5


@pytest.mark.parametrize("strategy", ["ddp", "fsdp", "dp-pp"])
def test_only_collectives_of_ranks_meet(strategy: str) -> None:
    values = {"replicas": 2} if strategy == "dp-pp" else {}
    step = step_of(strategy, {**PASS, Kind.ALL_REDUCE: 1}, {0: 2}, devices="4xcpu", **values)
    meets = step.explained().waits.meets
    assert (meets >= 0).any() == step.plan.expected
    roles = {lane.role for lane in step.plan.lanes}
    assert (Role.COMMUNICATION in roles) == step.plan.expected
