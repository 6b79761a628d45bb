"""With equal costs the makespan and the bubble of every schedule are the literature's."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from core.costs.simulate import simulate
from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.plan import Role
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.plan.task import KINDS, Kind
from core.trace.step import StepColumns
from tests.core.helpers import plan_of
from tests.core.plan.schedules.events import times_of

RANKS = (*range(2, 10), 12, 15, 16)
MICROBATCHES = (*range(1, 9), 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64)
CHUNKS = (2, 3, 4)
UNIT = 7  # ns of each pass, so that fractions are exact

# Of the makespan: REFERENCE's table with F = B = W, p ranks, m micro-batches, v chunks.
FRACTIONS = {
    "gpipe": lambda p, m, v: Fraction(p - 1, m + p - 1),
    "1f1b": lambda p, m, v: Fraction(p - 1, m + p - 1),
    "interleaved": lambda p, m, v: Fraction(p - 1, v * m + p - 1),
    "looped-bfs": lambda p, m, v: Fraction(p - 1, v * m + p - 1),
    "zb-h1": lambda p, m, v: Fraction(p - 1, 3 * m + p - 1),
    "zb-h2": lambda p, m, v: Fraction(p - 1, 3 * m + p - 1),
    "interleaved-zb": lambda p, m, v: Fraction(p - 1, 3 * v * m + p - 1),
    "zb-v": lambda p, m, v: Fraction(p - 1, 6 * m + p - 1),
    "dualpipe-v": lambda p, m, v: Fraction(2 * (p - 1), 6 * m + 2 * (p - 1)),
    "chimera": lambda p, m, v: Fraction(2 * (p - 2), 3 * m + 2 * (p - 2)),
}
DOMAINS = {
    "gpipe": lambda p, m: True,
    "1f1b": lambda p, m: True,
    "interleaved": lambda p, m: m >= p and m % (m // p) == 0,
    "looped-bfs": lambda p, m: m >= p,
    "zb-h1": lambda p, m: m >= p,
    "zb-h2": lambda p, m: m >= 2 * p - 1,
    "interleaved-zb": lambda p, m: m >= p and m % (m // p) == 0,
    "zb-v": lambda p, m: m >= 2 * p - 1,
    "dualpipe-v": lambda p, m: m >= 2 * p,
    "chimera": lambda p, m: p % 2 == 0 and m == p,
}
NO_WAITING_INSIDE = ("zb-h2", "zb-v")


def chunks_of(schedule):
    return CHUNKS if schedule.settable_chunks else (schedule.chunks,)


def grid(name):
    return [
        (p, m, v)
        for p in RANKS
        for m in MICROBATCHES
        for v in chunks_of(SCHEDULES[name])
        if DOMAINS[name](p, m)
    ]


def test_every_schedule_with_a_formula_is_held_against_it():
    assert set(FRACTIONS) == {name for name, s in SCHEDULES.items() if s.bubble_time is not None}


@pytest.mark.parametrize("name", FRACTIONS)
def test_equal_costs_give_the_closed_form_over_the_grid(name):
    schedule = SCHEDULES[name]
    for p, m, v in grid(name):
        times = times_of(schedule, p, m, v, 1, 1, 1)
        idle = Fraction(p * times.makespan - sum(times.works), p * times.makespan)
        assert idle == FRACTIONS[name](p, m, v), (p, m, v)
        assert schedule.bubble_time(p, m, v, 1, 1, 1) == times.makespan - 3 * m * v, (p, m, v)
        assert schedule.closed_form(p, m, v, 1, 1, 1) == pytest.approx(float(idle))
        assert name not in NO_WAITING_INSIDE or times.longest_span == 3 * m * v


@pytest.mark.parametrize("name", FRACTIONS)
def test_outside_its_domain_a_schedule_has_no_closed_form(name):
    inside = set(grid(name))
    for p in RANKS:
        for m in MICROBATCHES:
            for v in chunks_of(SCHEDULES[name]):
                if (p, m, v) in inside:
                    continue
                try:
                    SCHEDULES[name].check(p, m, v)
                except PlanError:
                    continue
                assert SCHEDULES[name].closed_form(p, m, v, 1, 1, 1) is None, (p, m, v)


@pytest.mark.parametrize("name", FRACTIONS)
def test_plans_have_the_bubble_of_their_schedule(name):
    cases = [case for case in grid(name) if case[0] in (2, 3, 4, 8, 16)]
    for p, m, v in cases[:: max(1, len(cases) // 40)]:
        columns = timed(name, p, m, v, "cpu")
        assert bubble(columns, p) == FRACTIONS[name](p, m, v), (p, m, v)
    p, m, v = next(case for case in cases if case[0] == 4)
    assert bubble(timed(name, p, m, v, "cuda:0"), p) == FRACTIONS[name](p, m, v)


def timed(name, p, m, v, device):
    """The plan's step if each pass takes a unit and nothing else takes time."""
    schedule = SCHEDULES[name]
    stages = schedule.stage_count(p, v)
    plan = plan_of(
        Specification(
            model=ModelSettings("mlp", width=2, depth=stages),
            devices=f"{p}x{device}",
            batch=m,
            schedule=name,
            microbatches=m,
            chunks=v if schedule.settable_chunks else None,
        )
    )
    assert sum(lane.role is Role.COMPUTE for lane in plan.lanes) == p
    units = np.zeros(len(KINDS), np.int64)
    for kind, count in {Kind.FORWARD: 1, Kind.BACKWARD_INPUT: 1, Kind.BACKWARD_WEIGHT: 1,
                        Kind.BACKWARD: 2, Kind.OVERLAP: 3}.items():  # fmt: skip
        units[KINDS.index(kind)] = count * UNIT
    columns = StepColumns.of_plan(plan)
    return simulate(columns, units[columns.kind])


def bubble(columns, lanes):
    makespan = int(columns.end.max() - columns.start.min())
    return Fraction(lanes * makespan - int(columns.duration.sum()), lanes * makespan)


@given(st.sampled_from(sorted(FRACTIONS)), st.integers(2, 9), st.integers(1, 40), st.data())
def test_where_a_formula_says_something_of_unequal_costs_it_is_true(name, p, m, data):
    schedule = SCHEDULES[name]
    v = data.draw(st.sampled_from(chunks_of(schedule)))
    m = data.draw(st.sampled_from([m, p, 2 * p]))
    costs = data.draw(st.tuples(*[st.integers(1, 9)] * 3))
    f, b, w = data.draw(st.sampled_from([costs, costs[:1] * 3, (sum(costs[1:]), *costs[1:])]))
    try:
        schedule.check(p, m, v)
    except PlanError:
        reject()
    bubble = schedule.bubble_time(p, m, v, f, b, w)
    if bubble is None:
        reject()
    times = times_of(schedule, p, m, v, f, b, w)
    work = m * v * (f + b + w)
    assert times.works == [work] * p
    assert bubble == times.makespan - work


def test_naive_model_parallel_leaves_all_lanes_but_one_idle():
    for p in RANKS:
        assert FRACTIONS["gpipe"](p, 1, 1) == Fraction(p - 1, p)
        assert SCHEDULES["gpipe"].closed_form(p, 1, 1, 1, 1, 1) == (p - 1) / p


@pytest.mark.parametrize(
    ("p", "m", "expected"), [(4, 8, ".1111"), (4, 16, ".0588"), (8, 32, ".0680")]
)
def test_dualpipe_v_has_the_readmes_bubble(p, m, expected):
    times = times_of(SCHEDULES["dualpipe-v"], p, m, 2, 1, 1, 1)
    assert f"{1 - 6 * m / times.makespan:.4f}"[1:] == expected


@pytest.mark.parametrize("p", [2, 4, 8, 16])
def test_chimera_has_the_papers_bubble_with_backwards_as_long_as_forwards(p):
    times = times_of(SCHEDULES["chimera"], p, p, 1, 2, 1, 1)
    assert Fraction(times.makespan - 4 * p, times.makespan) == Fraction(p - 2, 2 * p + p - 2)
    equal = times_of(SCHEDULES["chimera"], p, p, 1, 1, 1, 1)
    expected = Fraction(2 * (p - 2), 3 * p + 2 * (p - 2))
    assert Fraction(equal.makespan - 3 * p, equal.makespan) == expected


@pytest.mark.parametrize(
    ("name", "p", "m", "v"), [("dualpipe-v", 4, 7, 2), ("chimera", 3, 4, 1), ("chimera", 4, 1, 1),
                              ("interleaved", 4, 11, 2), ("interleaved-zb", 4, 11, 2)]
)  # fmt: skip
def test_numbers_that_a_schedule_does_not_take_are_refused_by_name(name, p, m, v):
    with pytest.raises(PlanError, match=rf"\b({p} ranks|not {p}|not {m})\b") as refused:
        SCHEDULES[name].orders(p, m, v)
    assert "\n" not in str(refused.value)
