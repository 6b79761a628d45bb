"""Plans and costs of a recorded step, and means over steps."""

from __future__ import annotations

import json
from dataclasses import replace

from core.explain.run_step import explain_run_step
from core.models.catalogue import ModelSettings
from core.plan.plan import Role
from core.predict.replan import RunPlans
from core.report.step_figures import figures_of_step, mean_figures, step_figures
from core.report.summary import summarise
from tests.make_believe import specification, trace_of

COSTS = {"forward_ms": 2.0, "backward_ms": 4.0, "step_ms": 1.0, "transfer_ms": 0.1}


def test_a_pipelines_plan_is_made_again_with_the_numbers_of_its_schedule() -> None:
    trace = trace_of(specification(schedule="gpipe", microbatches=6, steps=2))
    plan = RunPlans(trace).plan(3)
    assert plan is not None and plan.pipeline is not None
    assert (plan.pipeline.schedule, plan.pipeline.ranks) == ("gpipe", 2)
    assert plan.pipeline.microbatches == 6


def test_steps_of_the_same_size_share_a_plan_and_others_have_their_own() -> None:
    trace = trace_of(specification("dp", batch=30, data=100, warmup=1))
    plans = RunPlans(trace)
    assert plans.plan(1) is plans.plan(2)
    assert plans.plan(4) is not plans.plan(1)
    assert plans.plan(99) is None


def test_measured_costs_separate_contention_from_the_rest() -> None:
    trace = trace_of(specification(steps=1, warmup=0))
    plans = RunPlans(trace)
    explanation = explain_run_step(trace, 0)
    assert "contention" not in figures_of_step(plans, 0, explanation).ladder
    trace.costs = json.dumps(COSTS)
    figures = figures_of_step(plans, 0, explanation)
    assert figures.ladder["contention"] > 0
    assert figures.makespan_ns == explanation.makespan


def test_costs_that_do_not_cover_the_plan_or_cannot_be_read_are_left_out() -> None:
    trace = trace_of(specification(steps=1, warmup=0))
    explanation = explain_run_step(trace, 0)
    for text in ("no json", "[]", json.dumps({**COSTS, "forward_ms": [1, 2, 3]})):
        trace.costs = text
        assert RunPlans(trace).costs(0, explanation) is None


def test_a_plan_that_cannot_be_rebuilt_is_none() -> None:
    trace = trace_of(specification(steps=1, warmup=0))
    broken = trace_of(specification(steps=1, warmup=0, stages=2, model=ModelSettings(width=8)))
    object.__setattr__(broken.header.specification, "stages", 77)
    assert RunPlans(broken).plan(0) is None
    assert RunPlans(trace).plan(0) is not None


def test_a_run_without_lanes_that_compute_has_no_plan_to_make_again() -> None:
    trace = trace_of(specification(steps=1, warmup=0))
    helpers = tuple(replace(lane, role=Role.COPY) for lane in trace.header.lanes)
    trace.header = replace(trace.header, lanes=helpers)
    assert RunPlans(trace).plan(0) is None


def test_the_summary_has_the_same_figures() -> None:
    trace = trace_of(specification(steps=2, warmup=0))
    figures = figures_of_step(RunPlans(trace), 1, explain_run_step(trace, 1))
    summed = summarise(trace).steps[1]
    assert (summed.ladder, summed.closed_form) == (figures.ladder, figures.closed_form)
    assert figures.closed_form is not None


def test_means_add_up_to_the_mean_makespan() -> None:
    one = trace_of(specification("dp", batch=30, steps=1, warmup=0))
    other = trace_of(specification("dp", batch=30, steps=1, warmup=0), scale=1.37)
    figures = [step_figures(explain_run_step(trace, 0)) for trace in (one, other)]
    mean = mean_figures(figures)
    expected = sum(f.makespan_ns for f in figures) // 2
    assert sum(mean.ladder.values()) == sum(mean.critical_path.values()) == expected
    assert mean.bubble_by_makespan == sum(f.bubble_by_makespan for f in figures) / 2
    assert len(mean.idle_by_cause) == len(one.header.lanes)


def test_the_mean_of_one_step_is_that_step() -> None:
    figures = step_figures(explain_run_step(trace_of(specification(steps=1, warmup=0)), 0))
    assert mean_figures([figures]) == figures
