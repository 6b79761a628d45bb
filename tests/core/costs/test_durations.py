"""Costs by lane, micro-batch and pair of lanes, of the model's head, and which are measured."""

import numpy as np
import pytest

from core.costs.blockwise import blockwise
from core.costs.costs import CostError, CostModel
from core.costs.costs_file import costs_of
from core.costs.durations import durations, gaps, task_costs
from core.costs.plan_times import predict_times
from core.explain.causes import Cause
from core.explain.explanation import cause_totals, explain_step
from core.models.catalogue import ModelSettings
from core.plan.link import Link
from core.plan.plan import Plan
from core.plan.specification import Specification, describe
from core.plan.task import IS_COMMUNICATION, KIND_CODES, Kind
from core.predict.whatif import split_evenly
from core.trace.step import StepColumns
from tests.core.predict.plans import MLP, even, pipeline, planned

MS = 1_000_000


def times(plan: Plan, costs: CostModel) -> dict[str, float]:
    """The ms of every task by its lane and name."""
    found = durations(StepColumns.of_plan(plan), costs, plan.stages, plan.lanes)
    named: dict[str, float] = {}
    for task, time in zip(plan.tasks, found.tolist(), strict=True):
        named[f"{task.lane}:{task}"] = time / MS
    return named


def measured_of(plan: Plan, costs: CostModel, kind: Kind) -> set[bool]:
    """Return which of True and False occur: are the costs of a kind's tasks measured?"""
    columns = StepColumns.of_plan(plan)
    known = task_costs(columns, costs, plan.stages, plan.lanes).measured
    return set(known[columns.kind == KIND_CODES[kind]].tolist())


def test_a_slow_lane_computes_longer_and_its_transfers_do_not():
    plan = pipeline("1f1b", 3, 4)
    found = times(plan, even(transfer=1, lane_factors={"1": 1.5}, step_ms=2))
    usual = times(plan, even(transfer=1, step_ms=2))
    for name, time in found.items():
        is_slow = name.startswith("1:") and "C" not in name
        assert time == usual[name] * (1.5 if is_slow else 1), name


def test_a_micro_batch_has_a_length_of_its_own_in_every_pass():
    plan = pipeline("zb-h1", 2, 4)
    factors = [1, 0.5, 2, 3]
    found = times(plan, even(2, 3, 4, loss_ms=1, microbatch_factors=factors))
    for lane in (0, 1):
        for microbatch, factor in enumerate(factors):
            assert found[f"{lane}:{lane}F{microbatch}"] == 2 * factor
            assert found[f"{lane}:{lane}I{microbatch}"] == 3 * factor
            assert found[f"{lane}:{lane}W{microbatch}"] == 4 * factor
    assert found["1:1L2"] == 2


def test_the_two_halves_of_an_overlap_have_the_lengths_of_their_own_micro_batches():
    plan = pipeline("dualpipe-v", 2, 4, 2)
    factors = [1.0, 2.0, 4.0, 8.0]
    costs = even(1, 1, 1, microbatch_factors=factors)
    found = durations(StepColumns.of_plan(plan), costs, plan.stages, plan.lanes).tolist()
    overlaps = [
        (task, time)
        for task, time in zip(plan.tasks, found, strict=True)
        if task.kind is Kind.OVERLAP
    ]
    assert overlaps
    for task, time in overlaps:
        assert time == (factors[task.microbatch] + 2 * factors[task.paired_microbatch]) * MS


def test_a_task_of_all_micro_batches_takes_the_mean_of_their_factors():
    plan = pipeline("split", 2, 4)
    found = times(plan, even(2, 3, 4, microbatch_factors=[1, 3, 5, 7]))
    assert found["0:0F3"] == 14 and found["0:0B"] == (1 + 3 + 5 + 7) * 7


def test_a_backward_over_all_micro_batches_costs_a_backward_of_each():
    def specification(schedule: str) -> Specification:
        return Specification("pipeline", MLP, "2xcpu", batch=8, microbatches=4, schedule=schedule)

    # Four passes with 2 rows take longer than one with 8.
    sizes = [{"rows": 8, "forward_ms": 4, "backward_ms": 7}]
    known = {"rows": 2, "forward_ms": 2, "backward_ms": 5, "backward_further_ms": 6}
    costs = costs_of({**known, "step_ms": 0, "transfer_ms": 0, "sizes": sizes})
    whole = times(planned(specification("split")), costs)
    assert whole["0:0F3"] == 2 and whole["0:0B"] == whole["1:1B"] == 5 + 3 * 6
    each = times(planned(specification("gpipe")), costs)
    assert whole["0:0B"] == sum(each[f"0:0B{m}"] for m in range(4))


def test_factors_of_other_micro_batches_than_the_plan_has_are_refused():
    with pytest.raises(CostError) as error:
        times(pipeline("1f1b", 2, 4), even(microbatch_factors=[1, 2]))
    assert str(error.value) == (
        "microbatch_factors has 2 entries, but the plan has 4 micro-batches; use one for each"
    )


@pytest.mark.parametrize("given", [{"lane_factors": {"3": 2}}, {"pairs": {"0-3": 2}}])
def test_costs_of_a_lane_that_the_plan_does_not_have_are_refused(given):
    (name,) = given
    with pytest.raises(CostError) as error:
        times(pipeline("1f1b", 3, 3), even(**given))
    assert str(error.value) == f"{name} has lane 3, but the plan has 3 lanes, from 0 to 2"


@pytest.mark.parametrize("devices", ["auto", "3xcpu"])
def test_a_transfer_takes_the_time_of_its_pair_of_lanes(devices):
    plan = pipeline("1f1b", 3, 3, devices=devices)
    costs = even(transfer=1, pairs={"1-2": 5})
    found = durations(StepColumns.of_plan(plan), costs, plan.stages, plan.lanes).tolist()
    taken = {0: set(), 1: set()}
    for task, time in zip(plan.tasks, found, strict=True):
        if task.kind is Kind.COPY:
            # An activation comes from the stage before, a gradient from the one after.
            link = task.stage - 1 if str(task.payload) == "activation" else task.stage
            taken[link].add(time / MS)
    assert taken == {0: {1.0}, 1: {5.0}}


def test_a_collective_takes_its_own_time_for_any_size():
    plan = planned(Specification("ddp", ModelSettings("mlp"), "2xcpu", batch=4))
    found = times(plan, even(transfer=1, transfers={"all-reduce": 7}))
    collectives = {time for name, time in found.items() if ":A" in name}
    assert collectives == {7.0}


def test_another_link_replaces_the_transfers_of_all_pairs():
    plan = pipeline("1f1b", 2, 2)
    costs = even(transfer=1, pairs={"0-1": 9})
    copies = [
        time for name, time in times(plan, costs.over(Link(3 * MS, 0))).items() if "C" in name
    ]
    assert set(copies) == {3.0}


def test_the_last_stage_has_the_head_in_addition():
    plan = pipeline("1f1b", 3, 3)
    found = times(
        plan, even(2, 3, 4, head={"forward_ms": 5, "backward_weight_ms": 1, "step_ms": 6})
    )
    assert [found[f"{lane}:{lane}F0"] for lane in range(3)] == [2, 2, 7]
    assert [found[f"{lane}:{lane}B0"] for lane in range(3)] == [7, 7, 8]
    assert [found[f"{lane}:{lane}U"] for lane in range(3)] == [0, 0, 6]


def test_stages_are_cut_into_chunks_and_the_head_stays_whole():
    plan = pipeline("interleaved", 2, 4, 2)
    values = {"forward_ms": [2, 6], "backward_ms": [4, 12], "step_ms": [8, 8], "transfer_ms": 0}
    found = times(plan, costs_of({**values, "head": {"forward_ms": 5, "backward_ms": 9}}))
    forward = [found[f"{stage % 2}:{stage}F0"] for stage in range(4)]
    backward = [found[f"{stage % 2}:{stage}B0"] for stage in range(4)]
    assert forward == [1, 1, 3, 8] and backward == [2, 2, 6, 15]
    assert sum(found[f"{stage % 2}:{stage}U"] for stage in range(4)) == 16


def test_without_a_head_lists_are_not_cut_into_chunks():
    plan = pipeline("interleaved", 2, 4, 2)
    values = {"forward_ms": [2, 6], "backward_ms": 4, "step_ms": 8, "transfer_ms": 0}
    with pytest.raises(CostError, match="forward_ms has 2 entries, but the plan has 4 stages"):
        times(plan, costs_of(values))
    with pytest.raises(CostError, match="forward_ms has 3 entries, but the plan has 4 stages"):
        times(plan, costs_of({**values, "forward_ms": [1, 2, 3], "head": {}}))


def test_tasks_of_blocks_have_the_head_in_the_last_block():
    plan = planned(Specification("ddp", ModelSettings("mlp", depth=4), "2xcpu", batch=4))
    forwards = [
        time / MS
        for task, time in zip(
            plan.tasks,
            durations(plan.columns, even(8, head={"forward_ms": 5}), plan.stages, plan.lanes),
            strict=True,
        )
        if task.kind is Kind.FORWARD and task.lane == 0
    ]
    assert len(forwards) > 1 and len(set(forwards[:-1])) == 1
    assert forwards[-1] == forwards[0] + 5


def test_costs_by_block_keep_the_head_in_the_last_block():
    model = describe(Specification("pipeline", ModelSettings("mlp", depth=4), "2xcpu"))
    plan = planned(Specification("pipeline", ModelSettings("mlp", depth=4), stages=2))
    costs = even(4, 4, 4, head={"forward_ms": 5, "backward_input_ms": 1}, step_ms=3)
    without = even(4, 4, 4, step_ms=3)
    found = blockwise(costs, model, plan.stages, 1)
    plain = blockwise(without, model, plan.stages, 1)
    assert found.head is None
    for kind, extra in ((Kind.FORWARD, 5), (Kind.BACKWARD_INPUT, 1), (Kind.STEP, 0)):
        *first, last = [curve[0][1] / MS for curve in found.passes[kind]]
        *firsts, plain_last = [curve[0][1] / MS for curve in plain.passes[kind]]
        assert first == firsts and last == pytest.approx(plain_last + extra)


def test_a_whole_model_shared_by_stages_keeps_its_head_whole():
    costs = costs_of(
        {"forward_ms": [2, 6], "backward_ms": 4, "step_ms": 8, "transfer_ms": 0,
         "head": {"forward_ms": 5}}
    )  # fmt: skip
    found = times(pipeline("1f1b", 4, 4), split_evenly(costs, 4, 8))
    assert [found[f"{lane}:{lane}F0"] for lane in range(4)] == [2, 2, 2, 7]


def test_a_gap_delays_its_own_lane_alone_and_the_host_is_its_cause():
    plan = pipeline("1f1b", 2, 2)
    columns = StepColumns.of_plan(plan)
    costs = even(10, 10, 10, gap_ms=1)
    step = predict_times(plan, costs)
    by_name = {str(task): place for place, task in enumerate(plan.tasks)}
    start = {name: step.start[place] / MS for name, place in by_name.items()}
    end = {name: step.end[place] / MS for name, place in by_name.items()}
    assert start["0F0"] == 0 and start["0F1"] == 11
    # The other lane does not wait for the host of the first one.
    assert start["1F0"] == end["0F0"] == 10
    assert gaps(columns, costs)[IS_COMMUNICATION[columns.kind]].max() == 0
    idle = cause_totals(explain_step(step, plan.lanes))
    host = list(Cause).index(Cause.HOST)
    assert idle[0, host] >= MS


@pytest.mark.parametrize("strategy", ["ddp", "fsdp", "pipeline", "dp"])
def test_without_gaps_nothing_changes(strategy):
    plan = planned(Specification(strategy, ModelSettings("mlp"), "2xcpu", batch=8))
    with_none, with_zero = predict_times(plan, even()), predict_times(plan, even(gap_ms=0))
    assert np.array_equal(with_none.end, with_zero.end)


def test_ranks_that_meet_in_collectives_have_gaps_too():
    plan = planned(Specification("ddp", ModelSettings("mlp"), "2xcpu", batch=8))
    without, found = predict_times(plan, even()), predict_times(plan, even(gap_ms=2))
    first = np.flatnonzero((found.lane == 0) & ~IS_COMMUNICATION[found.kind])
    assert (np.diff(found.start[first]) >= np.diff(without.start[first]) + 2 * MS).all()


def test_gaps_that_last_for_years_are_refused():
    with pytest.raises(CostError, match=r"a step would take .* years together"):
        predict_times(pipeline("1f1b", 2, 2), even(gap_ms=1e15))


def test_costs_are_measured_at_measured_sizes_and_modelled_elsewhere():
    plan = planned(
        Specification("pipeline", ModelSettings("mlp"), batch=8, microbatches=4, stages=2)
    )
    assert measured_of(plan, even(rows=2), Kind.FORWARD) == {True}
    assert measured_of(plan, even(rows=3), Kind.FORWARD) == {False}
    between = even(rows=1, sizes=[{"rows": 4, "forward_ms": 3}])
    assert measured_of(plan, between, Kind.FORWARD) == {False}
    assert measured_of(plan, even(), Kind.FORWARD) == {True}
    assert measured_of(plan, even(rows=3), Kind.STEP) == {True}


def test_a_stage_cut_into_chunks_is_modelled():
    plan = pipeline("interleaved", 2, 4, 2)
    values = {"forward_ms": [2, 6], "backward_ms": 4, "step_ms": 8, "transfer_ms": 0, "head": {}}
    assert measured_of(plan, costs_of(values), Kind.FORWARD) == {False}
    assert measured_of(plan, costs_of(values), Kind.BACKWARD) == {True}


def test_a_link_is_a_model_and_a_measured_transfer_is_none():
    plan = pipeline("1f1b", 2, 2)
    size = int(plan.columns.bytes.max())
    base = {"forward_ms": 1, "backward_ms": 1, "step_ms": 1}
    link = {**base, "link_latency_us": 1, "link_bandwidth_gb_s": 1}
    assert measured_of(plan, costs_of(link), Kind.COPY) == {False}
    assert measured_of(plan, costs_of({**link, "pairs": {"0-1": 1}}), Kind.COPY) == {True}
    assert measured_of(plan, costs_of({**base, "transfer_ms": 1}), Kind.COPY) == {True}
    for bytes_, known in ((size, True), (2 * size, False)):
        given = costs_of({**base, "transfers": {"copy": [[bytes_, 1]]}})
        assert measured_of(plan, given, Kind.COPY) == {known}
