import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from core.costs.peaks import peak_activations
from core.errors import PlanError
from core.plan.pipeline.actions import ActionColumns, Needs
from core.plan.pipeline.complete import check_complete
from core.plan.pipeline.merge import merge
from core.plan.schedules import SCHEDULES
from core.plan.schedules.schedule import (
    Action,
    ScheduleError,
    StagePlacement,
    overlap,
    vee_placement,
)
from core.plan.specification import Specification
from core.plan.task import Kind
from tests.core.helpers import SMALL, plan_of
from tests.core.predict.plans import pipeline

KINDS = {kind.letter: kind for kind in Kind}


def merged(orders, lanes, stages, microbatches):
    """The places of the ranks' actions, one rank's behind the other's, in the merged order."""
    columns = ActionColumns.of(orders)
    needs = Needs.of(columns, stages, microbatches)
    return merge(columns, needs, np.array(lanes)).tolist()


def names(actions):
    return " ".join(map(str, actions))


def actions(text):
    """The inverse of `names`."""
    made = []
    for word in text.split():
        parts = [Action(int(s), KINDS[kind], int(m))
                 for s, kind, m in re.findall(r"(\d+)([FBIW])(\d+)", word)]  # fmt: skip
        made.append(overlap(*parts) if len(parts) == 2 else parts[0])
    return made


@pytest.mark.parametrize(
    ("schedule", "rank", "expected"),
    [
        ("gpipe", 0, "0F0 0F1 0F2 0F3 0B0 0B1 0B2 0B3"),
        ("gpipe", 1, "1F0 1F1 1F2 1F3 1B0 1B1 1B2 1B3"),
        ("1f1b", 0, "0F0 0F1 0B0 0F2 0B1 0F3 0B2 0B3"),
        ("1f1b", 1, "1F0 1B0 1F1 1B1 1F2 1B2 1F3 1B3"),
        ("split", 0, "0F0 0F1 0F2 0F3 0B"),
        ("split", 1, "1F0 1F1 1F2 1F3 1B"),
        ("interleaved", 0, "0F0 0F1 2F0 2F1 0F2 2B0 0F3 2B1 2F2 0B0 2F3 0B1 2B2 2B3 0B2 0B3"),
        ("interleaved", 1, "1F0 1F1 3F0 3B0 3F1 3B1 1F2 1B0 1F3 1B1 3F2 3B2 3F3 3B3 1B2 1B3"),
        ("looped-bfs", 1, "1F0 1F1 1F2 1F3 3F0 3F1 3F2 3F3 3B3 3B2 3B1 3B0 1B3 1B2 1B1 1B0"),
        ("zb-h1", 0, "0F0 0F1 0I0 0W0 0F2 0I1 0W1 0F3 0I2 0W2 0I3 0W3"),
        ("zb-h1", 1, "1F0 1I0 1F1 1I1 1W0 1F2 1I2 1W1 1F3 1I3 1W2 1W3"),
        ("zb-h2", 0, "0F0 0F1 0F2 0I0 0W0 0F3 0I1 0W1 0I2 0W2 0I3 0W3"),
        ("zb-h2", 1, "1F0 1I0 1F1 1I1 1F2 1I2 1W0 1F3 1I3 1W1 1W2 1W3"),
        ("chimera", 0, "0F0 1F1 1B1 0B0 0F2 1F3 1B3 0B2"),
        ("chimera", 1, "0F1 1F0 1B0 0B1 0F3 1F2 1B2 0B3"),
    ],
)
def test_two_ranks_run_four_micro_batches_in_the_order_of_the_picture(schedule, rank, expected):
    chunks = SCHEDULES[schedule].chunks
    assert names(SCHEDULES[schedule].order(rank, 2, 4, chunks)) == expected


def test_dualpipe_v_overlaps_a_forward_of_one_stage_with_a_backward_of_the_other():
    assert names(SCHEDULES["dualpipe-v"].order(0, 2, 4, 2)) == (
        "0F0 0F1 0F2 3F0 3I0 3W0 3F1 (0F3;3B1)OVERLAP_F_B (3F2;0B0)OVERLAP_F_B"
        " 3B2 (3F3;0B1)OVERLAP_F_B 3B3 0I2 0W2 0I3 0W3"
    )


def test_chimera_sends_half_of_each_unit_down_and_half_up():
    orders = [names(order) for order in SCHEDULES["chimera"].orders(4, 4, 1)]
    assert orders == [
        "0F0 0F1 3F2 3B2 3F3 3B3 0B0 0B1",
        "1F0 2F2 1F1 2F3 2B2 1B0 2B3 1B1",
        "1F2 2F0 1F3 2F1 2B0 1B2 2B1 1B3",
        "0F2 0F3 3F0 3B0 3F1 3B1 0B2 0B3",
    ]


@st.composite
def cases(draw):
    """A schedule with numbers of its domain: (schedule, ranks, micro-batches, chunks)."""
    schedule = SCHEDULES[draw(st.sampled_from(sorted(SCHEDULES)))]
    ranks, microbatches = draw(st.integers(1, 9)), draw(st.integers(1, 20))
    chunks = draw(st.integers(1, 4)) if schedule.settable_chunks else schedule.chunks
    try:
        schedule.check(ranks, microbatches, chunks)
    except PlanError:
        reject()
    return schedule, ranks, microbatches, chunks


@given(cases())
def test_every_stage_runs_each_micro_batch_forward_once_and_back_once(case):
    schedule, ranks, microbatches, chunks = case
    orders = schedule.orders(ranks, microbatches, chunks)
    check_complete(ActionColumns.of(orders), schedule.stage_placement(ranks, chunks), microbatches)


@given(cases())
def test_no_schedule_deadlocks_in_its_domain_on_any_number_of_lanes(case):
    schedule, ranks, microbatches, chunks = case
    orders = schedule.orders(ranks, microbatches, chunks)
    stages = 1 + max(held.stage for held in schedule.stage_placement(ranks, chunks))
    for lanes in (ranks, 1 + ranks // 2):
        columns = ActionColumns.of(orders)
        order = merged(orders, [r % lanes for r in range(ranks)], stages, microbatches)
        assert sorted(order) == list(range(len(columns)))
        place = np.argsort(order)
        for begin, end in pairwise(columns.first):
            assert (np.diff(place[begin:end]) > 0).all()


@given(st.integers(1, 9), st.integers(1, 20))
def test_1f1b_holds_as_many_activations_as_there_are_stages_from_here_on(stages, microbatches):
    for stage, most in enumerate(held("1f1b", stages, microbatches, 1)):
        assert most == min(stages - stage, microbatches)


def test_a_schedule_that_deadlocks_is_refused_with_its_cycle():
    first = actions("0F0 0B0 0F1 0B1")
    second = actions("1F0 1F1 1B0 1B1")
    cycle = "deadlocks at 0B0: 0B0 -> 1B0 -> 1F1 -> 0F1 -> 0B0"
    with pytest.raises(PlanError, match=cycle) as refused:
        merged([first, second], [0, 1], 2, 2)
    assert "\n" not in str(refused.value)


def test_a_deadlock_of_chunks_is_refused_with_its_cycle():
    first = actions("0F0 2F0 2B0 0B0")
    second = actions("1F0 1B0 3F0 3B0")
    cycle = "deadlocks at 2B0: 2B0 -> 3B0 -> 1B0 -> 2B0"
    with pytest.raises(PlanError, match=cycle):
        merged([first, second], [0, 1], 4, 1)


def test_a_deadlock_of_overlaps_is_refused_with_its_cycle():
    first = actions("0F0 0F1 3F0 (3F1;3B0)OVERLAP_F_B 3B1 0B0 0B1")
    second = actions("1F0 2F0 (1F1;2B0)OVERLAP_F_B (2F1;1B0)OVERLAP_F_B 2B1 1B1")
    cycle = (
        "deadlocks at (3F1;3B0)OVERLAP_F_B: (3F1;3B0)OVERLAP_F_B -> (2F1;1B0)OVERLAP_F_B"
        " -> (1F1;2B0)OVERLAP_F_B -> (3F1;3B0)OVERLAP_F_B"
    )
    with pytest.raises(PlanError, match=re.escape(cycle)):
        merged([first, second], [0, 1], 4, 2)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("0F0 0B0 0F1 0B1", "1F0 1B0 1F1", "the schedule lacks 1B1"),
        ("0F0 0B0 0B1", "1F0 1B0 1F1 1B1", "the schedule lacks 0F1"),
        ("0F0 0B0", "1F0 1B0", "the schedule lacks 0F1"),
        ("0F0 0F1 0I0 0I1 0W1", "1F0 1B0 1F1 1B1", "the schedule lacks 0W0"),
        ("0F0 0F1 0I0 0W0 0W1", "1F0 1B0 1F1 1B1", "the schedule lacks 0I1"),
        ("0F0 0F1 0B0 0F0 0B1", "1F0 1B0 1F1 1B1", "rank 0 runs 0F0 a second time"),
        ("0F0 0F1 0B0 0B1 0B0", "1F0 1B0 1F1 1B1", "rank 0 runs 0B0 a second time"),
        ("0F0 0F1 0B0 0W0 0B1", "1F0 1B0 1F1 1B1", "rank 0 runs both 0B0 and 0W0: one is"),
        ("0F0 0F1 0I0 0B0 0B1", "1F0 1B0 1F1 1B1", "rank 0 runs both 0I0 and 0B0: one is"),
        ("0F0 0B0 0F1 0B1 1F0", "1F0 1B0 1F1 1B1", "rank 0 runs 1F0, but it holds stage 0"),
        ("0F0 0B0 0F1 0B1", "1F0 1B0 1F1 1B1 2F0", "rank 1 runs 2F0, but it holds stage 1"),
        ("0F0 0B0 0F2 0B2", "1F0 1B0 1F1 1B1", "rank 0 runs 0F2, but micro-batches are 0 to 1"),
    ],
)
def test_a_schedule_that_is_not_whole_is_refused_with_its_first_bad_action(first, second, message):
    placement = [StagePlacement(0, 0, 0), StagePlacement(0, 1, 1)]
    with pytest.raises(ScheduleError, match=message) as refused:
        check_complete(ActionColumns.of([actions(first), actions(second)]), placement, 2)
    assert "\n" not in str(refused.value)


def test_the_bad_half_of_an_overlap_is_named():
    orders = SCHEDULES["dualpipe-v"].orders(2, 4, 2)
    index = next(i for i, action in enumerate(orders[1]) if action.paired is not None)
    paired = orders[1][index].paired
    orders[1][index] = orders[1][index]._replace(paired=paired._replace(stage=3))
    with pytest.raises(ScheduleError, match="rank 1 runs 3B0, but it holds stages 1, 2"):
        check_complete(ActionColumns.of(orders), vee_placement(2, 2), 4)


def test_a_micro_batch_of_two_replicas_is_refused():
    orders = SCHEDULES["chimera"].orders(2, 2, 1)
    orders[1] = [a._replace(microbatch=0) if a.replica == 1 else a for a in orders[1]]
    message = "rank 1 runs 0F0 of replica 1, but micro-batch 0 is replica 0's"
    with pytest.raises(ScheduleError, match=message):
        check_complete(ActionColumns.of(orders), SCHEDULES["chimera"].stage_placement(2, 1), 2)


def test_a_strategy_refuses_to_plan_a_schedule_that_misses_an_action(monkeypatch):
    whole = SCHEDULES["zb-h1"]
    cut = replace(whole, order=lambda *numbers: whole.order(*numbers)[:-1])
    monkeypatch.setitem(SCHEDULES, "cut", cut)
    with pytest.raises(ScheduleError, match="the schedule lacks 0W7"):
        plan_of(Specification(model=SMALL, devices="2xcpu", schedule="cut", batch=8))


def held(name, p, m, v):
    return peak_activations(pipeline(name, p, m, v, f"{p}xcpu").columns, p).tolist()


@pytest.mark.parametrize(("p", "m"), [(2, 4), (4, 8), (4, 16), (5, 12), (8, 32)])
def test_peak_activations_are_the_literatures(p, m):
    """In chunks: a whole lane's are two of ZB-V's and DualPipeV's."""
    assert held("gpipe", p, m, 1) == [m] * p
    assert held("split", p, m, 1) == [m] * p
    assert held("1f1b", p, m, 1) == [p - rank for rank in range(p)]
    assert held("looped-bfs", p, m, 3) == [3 * m] * p
    assert held("zb-h1", p, m, 1) == [p] * p
    assert held("zb-h2", p, m, 1) == [2 * p - 1] * p
    assert held("zb-v", p, m, 2) == [2 * p] * p
    assert held("dualpipe-v", p, m, 2) == [2 * p + 1] * p


def test_interleaved_1f1b_holds_less_on_each_later_rank():
    assert held("interleaved", 4, 8, 2) == [11, 9, 7, 5]


@pytest.mark.parametrize("d", [2, 4, 8, 16])
def test_chimera_holds_from_half_its_ranks_and_one_to_all_of_them(d):
    peaks = held("chimera", d, d, 1)
    assert peaks == peaks[::-1]
    assert (min(peaks), max(peaks)) == (d // 2 + 1, d)


def test_actions_are_the_same_as_columns():
    for name, case in (("zb-v", (3, 6, 2)), ("dualpipe-v", (2, 6, 2)), ("split", (2, 3, 1)),
                       ("chimera", (4, 8, 1))):  # fmt: skip
        orders = SCHEDULES[name].orders(*case)
        columns = ActionColumns.of(orders)
        assert np.diff(columns.first).tolist() == list(map(len, orders))
        every = [action for order in orders for action in order]
        assert [columns[place] for place in range(len(columns))] == every


def test_backwards_over_all_micro_batches_go_with_one_loss_over_all(monkeypatch):
    for name, loss in (("split", False), ("1f1b", True)):
        monkeypatch.setitem(SCHEDULES, "odd", replace(SCHEDULES[name], whole_loss=loss))
        with pytest.raises(ScheduleError, match=r"runs 0B\d?: a backward covers all"):
            plan_of(Specification(model=SMALL, devices="2xcpu", schedule="odd", batch=8))
