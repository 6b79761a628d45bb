"""Stage borders: as asked for, by parameters, and by measured times under a limit of memory."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.balance import LEAST_GAIN, BlockCost, balanced_borders
from core.plan.specification import Specification
from tests.core.helpers import plan_of


def mlp(depth: int) -> ModelSettings:
    return ModelSettings("mlp", width=8, depth=depth)


def cost(time: int, kept: int = 0, saved: int = 0) -> BlockCost:
    return BlockCost("block", 1, time // 3, time - time // 3, time // 3, time // 3, kept, saved)


def pipeline(depth: int, lanes: int, **settings: object):
    job = Specification("pipeline", mlp(depth), f"{lanes}xvirtual", batch=8, microbatches=4)
    return plan_of(job.having(**settings))


@given(st.lists(st.integers(1, 1000), min_size=3, max_size=9), st.integers(1, 3))
def test_no_other_cut_has_a_faster_slowest_stage(times, lanes):
    costs, plan = [cost(time) for time in times], pipeline(len(times), lanes)

    def slowest(borders):
        cuts = itertools.pairwise([0, *borders, len(times)])
        return max(sum(times[first:last]) for first, last in cuts)

    best = min(map(slowest, itertools.combinations(range(1, len(times)), lanes - 1)))
    found = balanced_borders(costs, plan)
    assert best <= slowest(found) <= best / (1 - LEAST_GAIN)


def test_a_stage_holds_the_activations_of_its_waiting_micro_batches():
    plan = pipeline(4, 2)  # of which the first stage holds two, and the last one
    costs = [cost(10, saved=10), cost(10, saved=10), cost(10, saved=10), cost(10)]
    assert balanced_borders(costs, plan) == [2]
    assert balanced_borders(costs, plan, most_bytes=20) == [1]
    with pytest.raises(PlanError, match=r"--lane-memory 1e-05: .* use 1 MB or more"):
        balanced_borders(costs, plan, most_bytes=10)


def test_borders_are_the_stages_of_a_plan():
    plan = pipeline(6, 3, borders="1,5")
    assert [(stage.first, stage.last) for stage in plan.stages] == [(0, 1), (1, 5), (5, 6)]
    assert len(pipeline(6, 2, borders="1,2,5").stages) == 4  # more of them than lanes


@pytest.mark.parametrize(
    "borders, why",
    [
        ("3,2", "use increasing block numbers"),
        ("0,2", "use increasing block numbers"),
        ("2,x", "use increasing block numbers"),
        ("", "use increasing block numbers"),
        ("2,6", "3 stages of 6 blocks need 2 numbers from 1 to 5$"),
        ("6", "2 stages of 6 blocks need 1 number from 1 to 5$"),
    ],
)
def test_borders_that_cannot_be_are_refused(borders, why):
    with pytest.raises(PlanError, match=why):
        pipeline(6, 3, borders=borders)


def test_borders_exclude_a_number_of_stages_and_balance():
    for other in ({"stages": 3}, {"balance": True}):
        with pytest.raises(PlanError, match="exclude each other"):
            pipeline(6, 3, borders="2,4", **other)
