"""The blocks inside the tasks of a plan."""

from __future__ import annotations

import pytest

from core.plan.nested import nested_lanes, nested_tasks
from core.plan.plan import Role, working_lanes
from core.plan.specification import Specification
from core.plan.task import Kind
from tests.core.helpers import SMALL, plan_of

GPUS = "2xcuda"


def test_nested_lanes_are_last_and_one_for_each_compute_lane() -> None:
    lanes = plan_of(Specification("pipeline", SMALL, GPUS)).lanes
    nested = nested_lanes(lanes)
    assert [lane.index for lane in nested] == [4, 5]
    assert [(lane.name, lane.serves) for lane in nested] == [
        ("cuda:0 blocks", 0), ("cuda:1 blocks", 1),
    ]  # fmt: skip
    assert {lane.role for lane in nested} == {Role.NESTED}
    assert working_lanes((*lanes, *nested)) == list(lanes)


def test_a_forward_passes_its_stages_blocks_in_order_and_a_backward_from_the_last() -> None:
    plan = plan_of(Specification("pipeline", SMALL, "2xcpu", stages=2, microbatches=2))
    nested = nested_tasks(plan)
    passes = {
        (task.kind, task.stage): [one.block for one in nested.inside(task.index)]
        for task in plan.tasks
        if task.kind in (Kind.FORWARD, Kind.BACKWARD)
    }
    assert passes == {
        (Kind.FORWARD, 0): [0, 1, 2], (Kind.FORWARD, 1): [3, 4, 5],
        (Kind.BACKWARD, 1): [5, 4, 3], (Kind.BACKWARD, 0): [2, 1, 0],
    }  # fmt: skip


@pytest.mark.parametrize("schedule", ["gpipe", "1f1b", "zb-h1", "zb-v", "dualpipe-v"])
def test_nested_tasks_are_numbered_after_the_plans_and_are_on_the_nested_lane(
    schedule: str,
) -> None:
    plan = plan_of(Specification("pipeline", SMALL, "2xcpu", schedule=schedule, microbatches=4))
    nested = nested_tasks(plan)
    homes = {lane.serves: lane.index for lane in nested_lanes(plan.lanes)}
    assert [task.index - len(plan.tasks) for task in nested.tasks] == [*range(len(nested.tasks))]
    assert len(nested.first) == len(plan.tasks) + 1
    for task in plan.tasks:
        for one in nested.inside(task.index):
            assert one.lane == homes[task.lane]
            assert (one.microbatch, one.stage) in (
                (task.microbatch, task.stage), (task.paired_microbatch, task.paired_stage),
            )  # fmt: skip


def test_an_overlap_has_the_blocks_of_both_of_its_passes() -> None:
    plan = plan_of(Specification("pipeline", SMALL, "2xcpu", schedule="dualpipe-v", microbatches=4))
    nested = nested_tasks(plan)
    overlap = next(task for task in plan.tasks if task.kind is Kind.OVERLAP)
    kinds = [one.kind for one in nested.inside(overlap.index)]
    assert set(kinds) == {Kind.FORWARD, Kind.BACKWARD}


def test_blocks_in_an_overlap_have_the_rows_of_their_own_micro_batch() -> None:
    specification = Specification(
        "pipeline", SMALL, "2xcpu", batch=6, schedule="dualpipe-v", microbatches=4
    )
    plan = plan_of(specification)
    rows = {part.microbatch: part.rows for part in plan.parts}
    assert set(rows.values()) == {1, 2}
    assert all(one.rows == rows[one.microbatch] for one in nested_tasks(plan).tasks)


def test_weight_passes_and_passes_of_several_micro_batches_have_no_blocks() -> None:
    split = plan_of(Specification("pipeline", SMALL, "2xcpu", schedule="zb-h1", microbatches=4))
    weights = [task for task in split.tasks if task.kind is Kind.BACKWARD_WEIGHT]
    assert weights
    assert not any(nested_tasks(split).inside(task.index) for task in weights)
    plan = plan_of(Specification("pipeline", SMALL, "2xcpu", microbatches=4, schedule="split"))
    whole = [task for task in plan.tasks if len(plan.parts_of(task)) > 1]
    assert not any(nested_tasks(plan).inside(task.index) for task in whole)
