"""All ways to run a model on some lanes, ranked by what they are predicted to take."""

from dataclasses import replace

import pytest

from core.costs.blockwise import blockwise
from core.costs.costs import CostError
from core.costs.costs_file import costs_of
from core.costs.footprint import peak_bytes
from core.models.catalogue import ModelSettings
from core.models.description import Block, ModelDescription
from core.plan.division import Stage
from core.plan.pipeline.staged import cut_stages
from core.plan.plan import keeps_all
from core.plan.planning import check, job_of, lanes_of
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification, describe
from core.plan.strategies import STRATEGIES
from core.plan.task import Kind
from core.predict.advisor import AdviceQuery, WayQuery, advise, choices, way_answer
from core.predict.predict import predict_step
from core.predict.without_machine import _NO_HARDWARE
from core.trace.step import StepColumns
from tests.core.predict.plans import figures_of

RUN = Specification(
    model=ModelSettings("mlp", width=32, depth=8).filled(), devices="4xcpu", batch=64
)
MODEL = describe(RUN)
LANES = lanes_of(RUN, _NO_HARDWARE, present=False)
COSTS = {"by": "block", "rows": 8, "forward_ms": 3, "backward_ms": 6, "step_ms": 1,
         "link_latency_us": 5, "link_bandwidth_gb_s": 10}  # fmt: skip


def advised(costs=COSTS, run=RUN, stages=()):
    lanes = tuple(lanes_of(run, _NO_HARDWARE, present=False))
    return advise(AdviceQuery(run, describe(run), lanes, costs_of(costs), stages)).ways


def test_every_strategy_and_schedule_that_fits_is_advised_known_ones_first():
    found = advised()
    assert {advice.specification.strategy for advice in found} == set(STRATEGIES)
    assert {advice.specification.schedule for advice in found} == {None, *SCHEDULES}
    ranks = [(not advice.known, advice.step_ns) for advice in found]
    assert ranks == sorted(ranks) and found[0].step_ns > 0
    assert found[-1].specification.strategy == "single"
    assert len({advice.specification for advice in found}) == len(found) > 100


def test_an_advice_is_a_run_whose_plan_takes_as_long_as_is_said():
    for advice in advised()[::17]:
        check(advice.specification)
        assert advice.specification.devices == "4xcpu" and advice.specification.batch == 64
        plan = STRATEGIES[advice.specification.strategy].plan(
            job_of(advice.specification, MODEL, LANES, 64)
        )
        halves = {"backward_input_ms": 3, "backward_weight_ms": 3}
        prediction = predict_step(plan, costs_of({**COSTS, **halves}))
        assert prediction.makespan_ns == advice.step_ns
        assert figures_of(plan, prediction).bubble_by_makespan == pytest.approx(advice.bubble)


def test_ways_that_do_not_fit_the_devices_are_left_out():
    tried = {(choice.strategy, choice.schedule) for choice in choices(RUN, 4)}
    shallow = replace(RUN, model=ModelSettings("mlp", width=32, depth=4).filled())
    found = {(a.specification.strategy, a.specification.schedule) for a in advised(run=shallow)}
    assert ("pipeline", "zb-v") in tried and ("pipeline", "zb-v") not in found
    assert ("pipeline", "zb-h1") in found
    alone = advised(run=replace(RUN, devices="cpu"))
    assert "dp-pp" not in {advice.specification.strategy for advice in alone}


def test_passes_of_other_sizes_than_the_costs_are_for_are_marked():
    by_count = {
        advice.specification.microbatches: advice.known
        for advice in advised()
        if advice.specification.schedule == "gpipe" and advice.specification.strategy == "pipeline"
    }
    assert by_count[8] is True and by_count[16] is False and by_count[4] is False


def test_costs_of_stages_are_shared_by_their_blocks_in_proportion_to_parameters():
    blocks = tuple(Block(str(i), (("w", count),), 4) for i, count in enumerate((30, 10, 0, 0)))
    model = ModelDescription("uneven", blocks, 4)
    stages = (Stage(0, 0, 2), Stage(1, 2, 4))
    costs = costs_of({"forward_ms": [4, 6], "backward_ms": 8, "step_ms": 1, "transfer_ms": 0})
    found = blockwise(costs, model, stages, rows=5)
    forward = [dict(curve) for curve in found.passes[Kind.FORWARD]]
    assert forward == [{5.0: 3e6}, {5.0: 1e6}, {5.0: 3e6}, {5.0: 3e6}]
    halves = [found.passes[kind] for kind in (Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)]
    assert halves[0] == halves[1] and dict(halves[0][0]) == {5.0: 3e6}
    assert [dict(curve)[1.0] for curve in found.passes[Kind.STEP]] == [0.75e6, 0.25e6, 0.5e6, 0.5e6]


def test_costs_of_a_pipelines_stages_rank_the_ways_to_run_the_whole_model():
    stages = cut_stages(job_of(RUN, MODEL, LANES, 64), 4)
    by_stage = {**COSTS, "by": "stage", "forward_ms": 6, "backward_ms": 12, "step_ms": 2}
    once, again = advised(), advised(by_stage, stages=stages)
    assert [advice.step_ns for advice in once] == [advice.step_ns for advice in again]


def test_costs_for_other_stages_than_are_named_are_refused():
    with pytest.raises(CostError, match="forward_ms has 3 entries, but the model is cut into 1"):
        advised({**COSTS, "by": "stage", "forward_ms": [1, 2, 3]})


@pytest.mark.parametrize(("optimizer", "copies"), [("sgd", 2), ("momentum", 3), ("adamw", 4)])
def test_memory_is_parameters_gradients_optimizer_and_activations_at_their_worst(optimizer, copies):
    run = replace(RUN, strategy="pipeline", schedule="1f1b", devices="2xcpu", microbatches=8)
    lanes = lanes_of(run, _NO_HARDWARE, present=False)
    plan = STRATEGIES["pipeline"].plan(job_of(run, MODEL, lanes, 64))
    found = peak_bytes(plan, StepColumns.of_plan(plan), MODEL, optimizer, keeps_all)
    row = 32 * 4
    activations = [2 * 8 * 5 * row, 1 * 8 * 5 * row]
    assert found.tolist() == [copies * MODEL.parameter_bytes // 2 + held for held in activations]


def test_sharded_ranks_hold_their_share_and_two_whole_blocks():
    plan = STRATEGIES["fsdp"].plan(job_of(replace(RUN, strategy="fsdp"), MODEL, LANES, 64))
    whole, shared = (
        peak_bytes(plan, StepColumns.of_plan(plan), MODEL, "adam", kept)[0]
        for kept in (keeps_all, STRATEGIES["fsdp"].kept_bytes)
    )
    block = MODEL.parameter_bytes // 8
    assert whole - shared == 4 * MODEL.parameter_bytes * 3 // 4 - 2 * block


def test_the_step_of_a_way_has_the_figures_of_its_advice():
    lanes = tuple(lanes_of(RUN, _NO_HARDWARE, present=False))
    query = AdviceQuery(RUN, MODEL, lanes, costs_of(COSTS), measured_ns=80_000_000)
    ways = advise(query).ways
    for advice in (ways[0], ways[len(ways) // 2], ways[-1]):
        answer = way_answer(WayQuery(query, advice.specification))
        assert answer.makespan_ns == advice.step_ns
        assert answer.memory_bytes == advice.memory_bytes
        assert answer.basis is not None
        assert (answer.basis.low_ns, answer.basis.high_ns) == (advice.low_ns, advice.high_ns)
        assert 0 <= answer.basis.measured_share <= 1
