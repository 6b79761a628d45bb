import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from core.plan.complete import check_complete
from core.plan.merge import merge
from core.plan.schedules import SCHEDULES
from core.plan.schedules.schedule import Action
from core.plan.task import Kind, PlanError


def names(actions):
    return " ".join(map(str, actions))


@pytest.mark.parametrize(
    ("schedule", "stage", "expected"),
    [
        ("gpipe", 0, "0F0 0F1 0F2 0F3 0B0 0B1 0B2 0B3"),
        ("gpipe", 1, "1F0 1F1 1F2 1F3 1B0 1B1 1B2 1B3"),
        ("1f1b", 0, "0F0 0F1 0B0 0F2 0B1 0F3 0B2 0B3"),
        ("1f1b", 1, "1F0 1B0 1F1 1B1 1F2 1B2 1F3 1B3"),
        ("split", 0, "0F0 0F1 0F2 0F3 0B"),
        ("split", 1, "1F0 1F1 1F2 1F3 1B"),
    ],
)
def test_two_stages_run_four_micro_batches_in_the_order_of_the_picture(schedule, stage, expected):
    assert names(SCHEDULES[schedule].order(stage, 2, 4, 1)) == expected


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
    check_complete(orders, schedule.seats(ranks, chunks), microbatches)


@given(cases())
def test_no_schedule_deadlocks_in_its_domain_on_any_number_of_lanes(case):
    schedule, ranks, microbatches, chunks = case
    orders = schedule.orders(ranks, microbatches, chunks)
    stages = 1 + max(seat.stage for seat in schedule.seats(ranks, chunks))
    for lanes in (ranks, 1 + ranks // 2):
        merged = merge(orders, [r % lanes for r in range(ranks)], stages, range(microbatches))
        assert sorted(map(str, merged)) == sorted(str(a) for order in orders for a in order)


@given(st.integers(1, 9), st.integers(1, 20))
def test_1f1b_holds_as_many_activations_as_there_are_stages_from_here_on(stages, microbatches):
    for stage in range(stages):
        held = most = 0
        for action in SCHEDULES["1f1b"].order(stage, stages, microbatches, 1):
            held += 1 if action.kind is Kind.FORWARD else -1
            most = max(most, held)
        assert most == min(stages - stage, microbatches)


def actions(text):
    kinds = {"F": Kind.FORWARD, "B": Kind.BACKWARD}
    return [Action(int(a[0]), kinds[a[1]], int(a[2:])) for a in text.split()]


def test_a_schedule_that_deadlocks_is_refused_with_its_cycle():
    first = actions("0F0 0B0 0F1 0B1")
    second = actions("1F0 1F1 1B0 1B1")
    cycle = "deadlocks at 0B0: 0B0 -> 1B0 -> 1F1 -> 0F1 -> 0B0"
    with pytest.raises(PlanError, match=cycle) as refused:
        merge([first, second], [0, 1], 2, range(2))
    assert "\n" not in str(refused.value)


def test_a_schedule_that_misses_an_action_is_refused_by_name():
    with pytest.raises(PlanError, match="misses 1B0, which 0B0 waits for"):
        merge([actions("0F0 0B0"), actions("1F0")], [0, 1], 2, range(1))
