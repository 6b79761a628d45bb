"""Tensor parallel: what every lane does, what is summed between lanes, and what is refused."""

from collections import Counter

import pytest

from core.costs.costs import CostModel
from core.costs.durations import durations
from core.costs.footprint import peak_bytes
from core.costs.plan_times import predict_times
from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.link import Link
from core.plan.specification import Specification, describe
from core.plan.task import Kind, Payload
from core.report.summary import summarise
from tests.core.helpers import plan_of, trace_of

PASSES = (Kind.FORWARD, Kind.LOSS, Kind.BACKWARD)


def tp(model: str = "mlp", lanes: int = 2, **sizes: int) -> Specification:
    return Specification("tp", ModelSettings(model, **sizes), f"{lanes}xcpu", batch=8, warmup=0)


@pytest.mark.parametrize("lanes", [2, 4])
@pytest.mark.parametrize(
    ("model", "depth", "segments"), [("mlp", 5, 2), ("mlp", 6, 3), ("gpt", 3, 6)]
)
def test_every_lane_passes_every_stage_and_sums_once_each_way(model, depth, segments, lanes):
    plan = plan_of(tp(model, lanes, depth=depth))
    for lane in range(lanes):
        mine = [task for task in plan.tasks if task.lane == lane]
        count = Counter(task.kind for task in mine)
        assert [count[kind] for kind in PASSES] == [segments + 1, 1, segments + 1]
        assert count[Kind.STEP] == segments + 1
        sums = Counter(task.payload for task in mine if task.kind is Kind.ALL_REDUCE)
        assert sums[Payload.ACTIVATION] == segments
        assert sums[Payload.GRADIENT] == segments - 1
        assert sums[Payload.PARAMETER_GRADIENTS] == (segments if model == "gpt" else 0)
        assert {task.shard for task in mine} == {lane}
    for task in plan.tasks:
        if task.kind is Kind.ALL_REDUCE:
            needs = [plan.tasks[other] for other in task.after]
            # The lanes' last tasks before it may be of another stage.
            makers = {other.lane for other in needs if other.stage == task.stage}
            assert makers == {other.lane for other in needs} == set(range(lanes))


def test_all_reduces_move_the_rows_of_an_activation_and_the_repeated_parameters():
    plan = plan_of(tp("gpt", 2, depth=2, width=8, heads=2, sequence=4))
    sizes = {
        payload: {task.bytes for task in plan.tasks if task.payload is payload}
        for payload in (Payload.ACTIVATION, Payload.GRADIENT, Payload.PARAMETER_GRADIENTS)
    }
    assert sizes[Payload.ACTIVATION] == sizes[Payload.GRADIENT] == {8 * 4 * 8 * 4}
    norm, embedding = 2 * 8 * 4, (256 + 4) * 8 * 4
    assert sizes[Payload.PARAMETER_GRADIENTS] == {norm + embedding, norm}


@pytest.mark.parametrize(
    ("model", "lanes", "sizes", "message"),
    [
        ("gpt", 3, {}, "3 lanes do not divide --heads 4; use 2 or 4 lanes"),
        ("gpt", 8, {}, "8 lanes do not divide --heads 4; use 4 lanes"),
        ("mlp", 3, {"width": 16}, "3 lanes do not divide --width 16; use 2 or 4 lanes"),
        ("mlp", 2, {"depth": 1}, "tp splits a gpt, or an mlp of two layers or more; "
         "this mlp cannot be split"),
        ("toymodel", 2, {}, "tp splits a gpt, or an mlp of two layers or more; "
         "this toymodel cannot be split"),
        ("resnet50", 1, {}, "tp splits a gpt, or an mlp of two layers or more; "
         "this resnet50 cannot be split"),
    ],
)  # fmt: skip
def test_a_model_that_cannot_be_split_is_refused_while_planning(model, lanes, sizes, message):
    with pytest.raises(PlanError) as refused:
        plan_of(tp(model, lanes, **sizes))
    assert str(refused.value) == message


@pytest.mark.parametrize("model", ["mlp", "gpt"])
def test_the_lanes_together_hold_the_model_once_plus_the_repeated_parameters(model):
    specification = tp(model, 4)
    described, plan = describe(specification), plan_of(specification)
    *split, tail = plan.stages
    together = sum(4 * stage.parameter_bytes(described) for stage in split)
    together += tail.parameter_bytes(described)
    counts = described.parameter_counts
    repeated = sum(counts[name] for s in described.segments[:-1] for name in s.repeated)
    wanted = described.parameter_bytes + 3 * described.element_bytes * repeated
    assert together == pytest.approx(wanted, abs=4 * len(split))


def test_a_lane_needs_less_memory_the_more_lanes_there_are():
    held = []
    for lanes in (1, 2, 4):
        specification = tp("mlp", lanes)
        plan, model = plan_of(specification), describe(specification)
        columns = predict_times(plan, costs())
        held.append(peak_bytes(plan, columns, model, "adam", lambda whole, *_: whole).max())
    assert held[0] > held[1] > held[2]


def test_costs_by_block_are_shared_by_the_lanes_and_members_of_a_ring_are_the_lanes():
    plan = plan_of(tp("mlp", 4, depth=4))
    forward = durations(plan.columns, costs(), plan.stages)[plan.columns.kind == 2]
    assert forward.reshape(-1, 4).tolist() == [[2000 // 4] * 4, [2000 // 4] * 4, [0] * 4]
    summed = durations(plan.columns, costs(), plan.stages)[plan.columns.kind == 9]
    assert set(summed.tolist()) == {round(6 * (100 + 8 * 1024 * 4 / 4))}


def costs() -> CostModel:
    each = {kind: (((8.0, 1000.0),),) for kind in (*PASSES, Kind.STEP)}
    return CostModel(each, link=Link(100.0, 1.0), by_rows=True, by_block=True)


def test_the_batch_is_printed_once_and_a_waiting_lane_names_its_slowest_peer():
    specification = tp("mlp", 2, depth=4)
    plan = plan_of(specification)
    times = [300 if task.lane == 1 and task.kind in PASSES else 100 for task in plan.tasks]
    summary = summarise(trace_of(plan, times, specification))
    assert summary.splits == ((8,),)
    (step,) = summary.steps
    idle = step.lanes[0].idle_by_cause
    assert idle == {"slowest-rank": 6 * 200, "other-compute": 200}  # behind the last no sum waits
    assert step.lanes[1].idle_by_cause == {}
