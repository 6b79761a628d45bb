"""Cuts of a model: sums of lanes, borders that move, and balance that makes a step faster."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.costs.cut import MeasuredBlocks, balanced, borders_of, lane_sums, moved
from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.balance import BlockCost
from core.plan.devices import Hardware
from core.plan.planning import lanes_of
from core.plan.specification import Specification, describe
from tests.core.helpers import plan_of

MS = 1_000_000
JOB = Specification(
    "pipeline", ModelSettings("mlp", width=8, depth=4), "2xvirtual", batch=4, microbatches=4
)


def measured(*times: int) -> MeasuredBlocks:
    costs = (BlockCost("b", 1, t * MS, 2 * t * MS, t * MS, t * MS, 5, 7) for t in times)
    return MeasuredBlocks(tuple(costs), 2)


def cut(blocks: MeasuredBlocks, **settings: object) -> object:
    job = JOB.having(balance=True, **settings)
    return balanced(job, describe(job), lanes_of(job, Hardware(2, 1 << 34)), blocks).borders


def test_a_cut_stays_unless_a_step_gains_by_another():
    assert cut(measured(10, 1, 1, 1)) == "1"
    assert cut(measured(10, 10, 10, 10)) == "2"
    assert cut(measured(41, 40, 42, 40)) == "2"
    assert cut(measured(10, 1, 1, 1), microbatches=1) == "2"  # lanes never overlap
    with pytest.raises(PlanError, match="--lane-memory"):
        cut(measured(1, 1, 1, 1), lane_memory=1e-6)


def test_the_memory_limit_of_a_lane_with_several_stages_is_that_of_all_of_them():
    model = ModelSettings("mlp", width=8, depth=8)
    blocks = measured(10, 1, 1, 1, 1, 1, 1, 1)
    # With one micro-batch lanes never overlap, so that no cut makes a step faster.
    given = {"model": model, "stages": 4, "microbatches": 1}
    assert cut(blocks, **given) == "2,4,6"
    job = JOB.having(**given)
    totals = lane_sums(plan_of(job), describe(job), blocks.of_rows(4))
    assert [total.stages for total in totals] == [(0, 2), (1, 3)]
    most_mb = 1e-6 * max(total.held_bytes for total in totals)
    assert cut(blocks, lane_memory=1.8 * most_mb, **given) == "2,4,6"
    with pytest.raises(PlanError, match=r"--lane-memory 1e-06: .* use 1 MB or more"):
        cut(blocks, lane_memory=1e-6, **given)


@pytest.mark.parametrize("strategy", ["pipeline", "mp"])
def test_a_balanced_run_of_one_stage_keeps_its_single_stage(strategy):
    given = {"microbatches": 4} if strategy == "pipeline" else {}
    job = Specification(strategy, JOB.model, "2xvirtual", batch=4, stages=1, balance=True, **given)
    lanes = lanes_of(job, Hardware(2, 1 << 34))
    made = balanced(job, describe(job), lanes, measured(10, 1, 1, 1))
    assert len(plan_of(made).stages) == 1


def test_lanes_have_the_costs_of_their_blocks_for_other_sizes_of_micro_batches():
    plan = plan_of(JOB)  # micro-batches of one row, of which the first stage holds two
    first, second = lane_sums(plan, describe(JOB), measured(2, 4, 6, 8).of_rows(1))
    assert (first.stages, first.time_ns, second.time_ns) == ((0,), 9 * MS, 21 * MS)
    assert (first.held_bytes, second.held_bytes) == (2 * 5 + 2 * 2 * 4, 2 * 5 + 2 * 4)
    assert lane_sums(plan, describe(JOB))[0].time_ns is None


@given(st.integers(0, 2), st.integers(-5, 15))
def test_a_border_that_moves_leaves_every_stage_a_block(which, to):
    found = moved((2, 5, 6), which, to, 9)
    assert list(found) == sorted({*found}) and found[0] > 0 and found[-1] < 9
    assert borders_of(plan_of(JOB)) == (2,)
