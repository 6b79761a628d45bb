"""What-if questions: figures as `predict` gives them, and a plan that is made once."""

from dataclasses import replace

import numpy as np
import pytest

from core.costs.costs import CostError
from core.costs.costs_file import costs_of
from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.division import Stage
from core.plan.link import Link
from core.plan.plan import Role
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification, describe
from core.plan.strategies import STRATEGIES
from core.plan.task import KINDS, Kind
from core.predict.whatif import WhatIf, WhatIfQuery, split_evenly, whole_answer
from tests.core.predict.plans import even, figures_of

MODEL = describe(Specification(model=ModelSettings("mlp", width=64, depth=8)))
MS = 1_000_000
CUT_COSTS = {"by": "block", "forward_ms": 1, "backward_ms": 2, "step_ms": 1, "transfer_ms": 0.1}


def question(**values):
    return WhatIfQuery(**{"model": MODEL, "costs": even(), "devices": 4, "microbatches": 8,
                       "schedule": "1f1b", **values})  # fmt: skip


@pytest.mark.parametrize("name", SCHEDULES)
def test_the_figures_are_those_of_the_whole_prediction(name):
    asked = question(schedule=name, faults={"slow_lane": "1:1.5"}, link=Link.of(5, 0.001))
    answer = WhatIf().answer(asked)
    run, whole = whole_answer(asked)
    assert answer.tasks == len(whole.columns)
    assert answer.makespan_ns == whole.makespan_ns
    figures = figures_of(run.plan, whole)
    assert answer.bubble_by_makespan == figures.bubble_by_makespan
    assert answer.bubble_by_lane_span == figures.bubble_by_lane_span
    assert answer.closed_form == figures.closed_form
    compute = [lane.index for lane in run.plan.lanes if lane.role is Role.COMPUTE]
    assert answer.peaks.tolist() == [whole.lanes[lane].peak_activations for lane in compute]


def test_the_figures_of_many_lanes_are_those_of_the_whole_prediction():
    asked = question(
        devices=24, microbatches=48, faults={"slow_lane": "7:2"}, link=Link.of(5, 0.001)
    )
    answer, (setting, whole) = WhatIf().answer(asked), whole_answer(asked)
    assert answer.makespan_ns == whole.makespan_ns
    assert answer.bubble_by_lane_span == figures_of(setting.plan, whole).bubble_by_lane_span
    other = replace(asked, faults={"slow_lane": "3:1.1"})
    what_if = WhatIf()
    what_if.answer(asked)
    assert what_if.answer(other).makespan_ns == whole_answer(other)[1].makespan_ns


def test_a_pictures_passes_are_those_of_the_compute_lanes_in_order_of_time():
    answer = WhatIf().answer(question())
    assert len(answer.first) == 5
    assert answer.first[-1] == len(answer.start)
    assert KINDS.index(Kind.COPY) not in answer.kind
    for lane in range(4):
        mine = slice(answer.first[lane], answer.first[lane + 1])
        assert set(answer.stage[mine].tolist()) == {lane}
        assert (np.diff(answer.start[mine]) >= 0).all()
        assert (answer.end[mine][:-1] <= answer.start[mine][1:]).all()


def test_another_link_or_a_slow_lane_needs_no_other_plan(monkeypatch):
    planned = []
    strategy = STRATEGIES["pipeline"]
    watched = replace(strategy, plan=lambda job: planned.append(job) or strategy.plan(job))
    monkeypatch.setattr("core.predict.whatif.STRATEGY", watched)
    what_if = WhatIf()
    first = what_if.answer(question())
    for other in (question(faults={"slow_lane": "2:3"}), question(link=Link.of(1000, 1))):
        assert what_if.answer(other).makespan_ns > first.makespan_ns
    assert len(planned) == 1
    what_if.answer(question(microbatches=9))
    assert len(planned) == 2
    assert what_if.answer(question()).makespan_ns == first.makespan_ns


def test_a_slow_lane_takes_as_much_longer_as_its_factor_says():
    plain, slow = (
        WhatIf().answer(question(devices=1, faults=faults)) for faults in ({}, {"slow_lane": "0:2"})
    )
    assert slow.makespan_ns == 2 * plain.makespan_ns


def test_measured_costs_are_kept_for_the_stages_that_they_are_for():
    measured = (Stage(0, 0, 2), Stage(1, 2, 8))
    costs = costs_of({"forward_ms": [1, 3], "backward_ms": [2, 6], "step_ms": 0, "transfer_ms": 0,
                      "rows": 4})  # fmt: skip
    asked = question(costs=costs, measured=measured, devices=2, microbatches=1, batch=4)
    # The planner cuts equal blocks in halves: four of the eight blocks each.
    assert WhatIf().answer(asked).makespan_ns == 12 * MS
    answer = WhatIf().answer(asked)
    forward = answer.kind == KINDS.index(Kind.FORWARD)
    assert (answer.end - answer.start)[forward].tolist() == [2 * MS, 2 * MS]


def test_more_stages_than_blocks_share_the_measured_costs_equally():
    costs = costs_of({"forward_ms": [8, 24], "backward_ms": [16, 48], "step_ms": 0,
                      "transfer_ms": 0, "rows": 1})  # fmt: skip
    measured = (Stage(0, 0, 2), Stage(1, 2, 8))
    asked = question(costs=costs, measured=measured, devices=64, microbatches=1, batch=1)
    answer = WhatIf().answer(asked)
    forward = answer.kind == KINDS.index(Kind.FORWARD)
    assert set((answer.end - answer.start)[forward].tolist()) == {MS // 2}
    assert answer.makespan_ns == 96 * MS


def test_a_list_by_stage_is_shared_by_another_number_of_stages():
    costs = costs_of({"forward_ms": [1, 3], "backward_ms": [2, 6], "step_ms": 0, "transfer_ms": 0})
    answer = WhatIf().answer(question(costs=costs, devices=4, microbatches=1))
    assert answer.makespan_ns == 12 * MS


def test_one_number_by_block_applies_to_every_block():
    costs = costs_of({"forward_ms": 1, "backward_ms": 1, "step_ms": 0, "transfer_ms": 0,
                      "by": "block"})  # fmt: skip
    shared = split_evenly(costs, 4, 8)
    assert shared.passes[Kind.FORWARD] == (((1.0, 2.0 * MS),),)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"schedule": "chimera", "devices": 3}, "chimera needs an even number of ranks"),
        ({"microbatches": 9, "batch": 8}, "9 micro-batches need at least 9 rows"),
        ({"schedule": "none such"}, "there is no schedule"),
        ({"faults": {"slow_lane": "0:0"}}, "use a factor above 0"),
        ({"devices": 1024, "microbatches": 4096}, "8,388,608 passes: use fewer of them"),
    ],
)
def test_an_impossible_prediction_is_refused_in_one_line(values, reason):
    with pytest.raises(PlanError, match=reason):
        WhatIf().answer(question(**values))


def test_costs_without_transfers_are_refused_with_that_reason():
    costs = replace(even(), transfer_ns=None)
    with pytest.raises(CostError, match="the time of a copy"):
        WhatIf().answer(question(costs=costs))


def test_a_pipeline_of_as_many_stages_is_cut_as_the_run_was():
    cut = (Stage(0, 0, 5), Stage(1, 5, 6), Stage(2, 6, 7), Stage(3, 7, 8))
    asked = question(cut=cut, costs=costs_of(CUT_COSTS))
    run, whole = whole_answer(asked)
    assert [stage.first for stage in run.plan.stages] == [0, 5, 6, 7]
    answer = WhatIf().answer(asked)
    assert answer.makespan_ns == whole.makespan_ns
    assert answer.makespan_ns > WhatIf().answer(replace(asked, cut=())).makespan_ns
    three, _ = whole_answer(replace(asked, devices=3))
    assert len(three.plan.stages) == 3 and three.specification.borders is None


def test_an_answer_has_its_memory_and_its_basis():
    answer = WhatIf().answer(question(batch=64))
    more = WhatIf().answer(question(batch=64, schedule="gpipe"))
    assert more.memory_bytes > answer.memory_bytes > 0
    assert answer.basis is not None and answer.basis.low_ns == answer.basis.high_ns
    doubted = WhatIf().answer(question(batch=64, doubt=0.1)).basis
    assert doubted is not None
    assert doubted.low_ns == pytest.approx(0.9 * answer.makespan_ns)
    assert doubted.high_ns == pytest.approx(1.1 * answer.makespan_ns)
