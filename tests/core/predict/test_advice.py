"""Is the first advice good, where it is known exactly what every task of every way takes?

Here a pass through a block has a fixed cost beside that of its rows, and some sizes suit the
machine better than others: as on a processor, costs of one size say little about another.
"""

from dataclasses import replace
from functools import cache

import pytest

from core.costs.cost_values import values_of
from core.costs.costs import CostModel, constant_curve
from core.costs.costs_file import costs_of
from core.costs.plan_times import predict_times
from core.models.catalogue import ModelSettings
from core.plan.faults import Faults
from core.plan.link import Link
from core.plan.planning import check, job_of, lanes_of
from core.plan.specification import Specification, describe
from core.plan.task import Kind
from core.predict.advisor import (
    AdviceQuery,
    AdviceResult,
    WayQuery,
    advise,
    choices,
    way_answer,
    way_of,
)
from core.predict.without_machine import _NO_HARDWARE

BATCH = 64
US = 1_000
PER_ROW_US = {
    Kind.FORWARD: 9, Kind.BACKWARD: 18, Kind.BACKWARD_INPUT: 9, Kind.BACKWARD_WEIGHT: 9,
    Kind.LOSS: 0.5,
}  # fmt: skip
FIXED_US = {
    Kind.FORWARD: 60, Kind.BACKWARD: 150, Kind.BACKWARD_INPUT: 110, Kind.BACKWARD_WEIGHT: 70,
    Kind.LOSS: 40,
}  # fmt: skip
ODD_SIZES = 1.1
"""Factor by which a row takes longer if the number of rows is not a multiple of 8."""
MEASURED = [1, 2, 4, 8, 16, 32, 64]


def pass_us(kind: Kind, rows: int) -> float:
    """Return the time of a pass of `rows` rows through one block."""
    odd = ODD_SIZES if rows % 8 else 1.0
    return FIXED_US[kind] + rows * PER_ROW_US[kind] * odd


def costs_at(sizes: list[int], blocks: int) -> CostModel:
    """The costs of passes of these sizes, as they are measured block by block."""
    curves = {
        kind: tuple((float(size), US * pass_us(kind, size)) for size in sizes)
        for kind in PER_ROW_US
    }
    passes = {kind: (curve,) * blocks for kind, curve in curves.items()}
    passes[Kind.LOSS] = (curves[Kind.LOSS],)
    passes[Kind.STEP] = (((1.0, 40.0 * US),),) * blocks
    starts_us = {Kind.FORWARD: 8, Kind.BACKWARD: 30, Kind.BACKWARD_INPUT: 50}
    starts = {kind: constant_curve(us * US) for kind, us in starts_us.items()}
    return CostModel(
        passes, link=Link.of(5, 25), by_rows=True, by_block=True, joined=starts,
        divided={Kind.FORWARD: 1.0}, input_is_data=True,
    )  # fmt: skip


def run(strategy: str, lanes: int, batch: int = BATCH, **options: object) -> Specification:
    model = ModelSettings("mlp", width=256, depth=8).filled()
    return Specification(strategy, model, f"{lanes}xvirtual:cpu", batch=batch).having(**options)


OF_OWN_TASKS = {
    "forward_ms": 0.4,
    "backward_ms": [0.9, 0.8, 0.8, 1.1],
    "loss_ms": 0.1,
    "step_ms": 0.1,
    "rows": 8,
    "transfers": {"copy": 0.01},
}
"""Costs of the stages of a run, as measured with its own tasks."""

ASKED = (
    run("pipeline", 4, schedule="1f1b", microbatches=8),
    run("pipeline", 2, schedule="zb-h1", microbatches=32),
    run("dp", 2),
    run("single", 4),
)


@cache
def truth(way: Specification) -> int:
    """Return the ns of a step of a way. Raises PlanError if it does not fit."""
    model, lanes = describe(way), lanes_of(way, _NO_HARDWARE, present=False)
    plan = check(way).plan(job_of(way, model, list(lanes), way.batch_rows))
    every_size = list(range(1, BATCH + 1))
    return int(predict_times(plan, costs_at(every_size, len(model.blocks))).end.max())


def advised_for(asked: Specification, costs: CostModel) -> AdviceResult:
    lanes = tuple(lanes_of(asked, _NO_HARDWARE, present=False))
    # Through a file's values, as a recording keeps them.
    kept = costs_of(values_of(costs))
    return advise(AdviceQuery(asked, describe(asked), lanes, kept, measured_ns=truth(asked)))


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: f"{asked.strategy} {asked.devices}")
def test_the_first_advice_is_close_to_the_best_way_and_quicker_than_the_run(asked):
    costs = costs_at(MEASURED, asked.model["depth"])
    found = advised_for(asked, costs)
    best = min(truth(way.specification) for way in found.ways)
    first = asked if found.better is None else found.better.specification
    assert truth(first) <= 1.1 * best
    assert truth(first) <= truth(asked)


def test_a_range_contains_the_measured_time_of_a_known_way():
    for advice in advised_for(ASKED[0], costs_at(MEASURED, 8)).ways:
        if advice.known:
            assert advice.low_ns <= advice.step_ns <= advice.high_ns
            # Odd sizes lie between two that suit the machine better: nobody has measured that.
            assert 0.99 * advice.low_ns <= truth(advice.specification) <= 1.1 * advice.high_ns


def test_where_one_size_is_known_no_way_of_another_size_is_offered():
    asked = run("pipeline", 4, schedule="1f1b", microbatches=8)
    found = advised_for(asked, costs_at([8], 8))
    known = [way for way in found.ways if way.known]
    assert known and found.ways[: len(known)] == known
    for way in known:
        count = way_of(way.specification).microbatches  # the default written out
        replicas = way.specification.replicas or 1
        assert count is not None and BATCH // replicas // count == 8
    guessed = [way.specification.microbatches for way in found.ways if not way.known]
    assert {None, 2, 64} <= set(guessed)
    assert found.better is None or found.better.known


def test_a_way_that_is_no_quicker_than_the_measured_step_is_not_advised():
    asked = run("single", 4)
    found = advised_for(asked, costs_at(MEASURED, 8))
    best = found.better
    assert best is not None
    assert replace(found, measured_ns=best.step_ns).better is None
    # Costs that make the present run too fast may do so with other ways.
    assert replace(found, alike_ns=best.step_ns).better is None
    assert replace(found, measured_ns=None).better == best


def test_the_measured_step_widens_every_range_by_as_much_as_its_prediction_is_off():
    asked = ASKED[0]
    exact = advised_for(asked, costs_at(MEASURED, 8))
    present = exact.present
    assert present is not None and present.low_ns == present.high_ns == truth(asked)
    lanes = tuple(lanes_of(asked, _NO_HARDWARE, present=False))
    slow = AdviceQuery(
        asked, describe(asked), lanes, costs_at(MEASURED, 8), measured_ns=2 * truth(asked)
    )
    off = advise(slow).present
    assert off is not None
    assert off.low_ns == pytest.approx(0.5 * off.step_ns)
    assert off.high_ns == pytest.approx(1.5 * off.step_ns)


def test_the_settings_of_a_run_are_predicted_from_its_own_costs_everywhere():
    asked = run("pipeline", 4, schedule="1f1b", microbatches=8)
    lanes = tuple(lanes_of(asked, _NO_HARDWARE, present=False))
    model = describe(asked)
    own = costs_of(OF_OWN_TASKS)
    plan = check(asked).plan(job_of(asked, model, list(lanes), asked.batch_rows))
    expected = int(predict_times(plan, own).end.max())
    by_size = costs_at(MEASURED, 8)
    query = AdviceQuery(asked, model, lanes, by_size, measured_ns=expected, own=own)
    found = advise(query)
    assert truth(asked) == found.alike_ns != expected
    assert found.present is not None and found.present.known
    assert found.present.step_ns == found.present.low_ns == found.present.high_ns == expected
    same = [way for way in found.ways if way_of(way.specification) == way_of(asked)]
    assert [way.step_ns for way in same] == [expected]
    # The other costs are as far off as their prediction of the run that was measured.
    other = next(way for way in found.ways if way.specification.strategy == "dp")
    off = abs(truth(asked) / expected - 1)
    assert other.high_ns == pytest.approx((1 + off) * other.step_ns)
    for way in (asked, same[0].specification):
        answer = way_answer(WayQuery(query, way))
        assert answer.makespan_ns == expected
        assert answer.basis is not None and answer.basis.measured_percent == 100


def test_a_way_is_known_again_when_it_has_run():
    for choice in choices(ASKED[0], 4):
        made = replace(choice, steps=9, warmup=3, seed=5, calibrate=False)
        assert way_of(made) == way_of(choice)
    assert way_of(run("pipeline", 4)) == way_of(ASKED[0].having(schedule="1f1b"))
    assert way_of(run("dp", 4)) != way_of(run("ddp", 4))


def test_ways_for_a_run_with_a_slow_lane_are_predicted_with_the_slow_lane():
    asked = run("pipeline", 4, schedule="1f1b", microbatches=8, slow_lane="1:3")
    faults = Faults.of(asked)
    lanes = tuple(lanes_of(asked, _NO_HARDWARE, present=False))
    model = describe(asked)
    costs = costs_at(MEASURED, 8)
    found = advise(AdviceQuery(asked, model, lanes, costs, faults=faults))

    def with_slow_lane(way: Specification) -> int:
        plan = check(way).plan(job_of(way, model, list(lanes), way.batch_rows))
        return int(predict_times(plan, costs, faults).end.max())

    assert found.present is not None
    assert found.present.step_ns == found.alike_ns == with_slow_lane(asked) > truth(asked)
    assert len(found.ways) > 20
    for way in found.ways:
        assert way.step_ns == with_slow_lane(way.specification)
    # Every lane has a part of the work in both: neither avoids the slow one.
    for strategy in ("dp", "tp"):
        advice = next(way for way in found.ways if way.specification.strategy == strategy)
        assert advice.step_ns > 2 * truth(advice.specification)
