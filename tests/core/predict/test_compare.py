"""A run's steps predicted from its own costs, beside what was measured."""

import json

import numpy as np
import pytest

from core.costs.costs import CostError
from core.costs.durations import durations
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.plan.task import Kind
from core.predict.compare import (
    CostSource,
    known_costs,
    predict_steps,
    prediction_trace,
)
from core.predict.step_costs import costs_of_step
from core.recording.decode import append_batch
from core.recording.schema import COSTS_LEVEL, Record, Timings, span_batch
from core.trace.source import Source
from core.trace.step import StepColumns
from tests.core.helpers import Note, batch_of, plan_of, trace_of

MLP = ModelSettings("mlp", depth=4)
PIPELINE = Specification("pipeline", MLP, "2xcpu", batch=8, microbatches=4, warmup=0)
COSTS = {"forward_ms": 1e-6, "backward_ms": 2e-6, "loss_ms": 0, "step_ms": 0, "transfer_ms": 0,
         "rows": 2}  # fmt: skip


def run_of(specification, duration, costs=COSTS, steps=1):
    """A run in which `duration(task)` gives every task's time in ns, and 100 pass between steps."""
    plan = plan_of(specification)
    times = [duration(task) for task in plan.tasks]
    trace = trace_of(plan, times, specification)
    first = StepColumns.of_trace(trace, 0)
    for step in range(1, steps):
        later = (trace.step_bounds(step - 1)[1] + 100 - first.start.min()).item()
        starts, ends = (first.start + later).tolist(), (first.end + later).tolist()
        append_batch(trace, span_batch(Timings(0, step, first.task.tolist(), starts, ends)))
        append_batch(trace, batch_of([Note(Record.COUNTER, "loss", max(ends), step, None, 1.0)]))
    if costs is not None:
        text = json.dumps(costs)
        append_batch(trace, batch_of([Note(Record.LOG, COSTS_LEVEL, 0, text=text)]))
    return trace


def taking(forward=1, backward=2, other=0):
    times = {Kind.FORWARD: forward, Kind.BACKWARD: backward}
    return lambda task: times.get(task.kind, other)


def test_a_run_whose_tasks_took_their_measured_costs_is_predicted_to_the_nanosecond():
    trace = run_of(PIPELINE, taking(), steps=3)
    comparison = predict_steps(trace)
    assert comparison.source is CostSource.CALIBRATED and comparison.makespan_error == 0
    for step in comparison.steps:
        measured = StepColumns.of_trace(trace, step.step)
        assert step.columns.start.tolist() == measured.start.tolist()
        assert step.columns.end.tolist() == measured.end.tolist()
        assert [lane.error for lane in step.lanes] == [0, 0]


def test_the_error_of_makespan_and_lanes_is_predicted_over_measured_less_one():
    comparison = predict_steps(run_of(PIPELINE, taking(2, 4)))
    values = comparison.to_dict()
    assert values["makespan_error"] == -0.5 and values["makespan_ns"] == 15
    assert [(lane["name"], lane["error"]) for lane in values["lanes"]] == [
        ("cpu:0", -0.5), ("cpu:1", -0.5),
    ]  # fmt: skip
    assert values["steps"] == [{"step": 0, "makespan_ns": 30, "predicted_ns": 15, "error": -0.5}]


def test_a_run_without_costs_is_predicted_from_its_last_warm_up_step():
    specification = Specification("mp", MLP, "2xcpu", batch=8, warmup=2)
    trace = run_of(specification, taking(3, 5, 1), costs=None, steps=3)
    comparison = predict_steps(trace)
    assert comparison.source is CostSource.WARMUP
    assert [step.step for step in comparison.steps] == [2] and comparison.makespan_error == 0


def test_the_first_step_of_a_run_which_is_slow_predicts_nothing():
    specification = Specification("mp", MLP, "2xcpu", batch=8, warmup=1)
    trace = run_of(specification, taking(3, 5, 1), costs=None, steps=2)
    assert predict_steps(trace) is None


def test_without_costs_and_warm_up_nothing_is_predicted():
    assert predict_steps(run_of(PIPELINE, taking(), costs=None)) is None
    assert known_costs(run_of(PIPELINE, taking(), costs=None)) is None


def test_costs_without_the_runs_tasks_predict_nothing_and_give_the_reason():
    trace = run_of(PIPELINE, taking(), costs={**COSTS, "forward_ms": [1, 2, 3]})
    with pytest.raises(CostError, match="forward_ms has 3 entries, but the plan has 2 stages"):
        predict_steps(trace)


@pytest.mark.parametrize("told", ["{}", "no costs"])
def test_reported_costs_that_make_no_sense_are_named(told):
    trace = run_of(PIPELINE, taking(), costs=None)
    append_batch(trace, batch_of([Note(Record.LOG, COSTS_LEVEL, 0, text=told)]))
    assert known_costs(trace) is None
    with pytest.raises(CostError, match="the costs in the recording are invalid"):
        predict_steps(trace)


@pytest.mark.parametrize("strategy", ["single", "dp", "mp", "tp", "pipeline", "dp-pp", "ddp"])
def test_the_costs_of_a_step_are_those_of_its_spans(strategy):
    specification = Specification(strategy, MLP, "4xcpu", batch=9, warmup=0)
    plan = plan_of(specification)
    kinds = list(dict.fromkeys(task.kind for task in plan.tasks))
    trace = run_of(specification, lambda task: 60 * (1 + kinds.index(task.kind)), costs=None)
    columns = StepColumns.of_trace(trace, 0)
    costs = costs_of_step(columns, trace.header.lanes)
    again = durations(columns, costs)
    together = np.array([task.kind.is_collective for task in plan.tasks])
    assert again[~together].tolist() == columns.duration[~together].tolist()
    assert (again[together] <= columns.duration[together]).all()


@pytest.mark.parametrize("strategy", ["ddp", "fsdp"])
def test_passes_of_ranks_without_rows_do_not_change_the_cost_of_one_row(strategy):
    specification = Specification(strategy, MLP, "4xvirtual", batch=2, warmup=0)
    trace = run_of(specification, lambda task: 1000 if task.rows else 10, costs=None)
    costs = costs_of_step(StepColumns.of_trace(trace, 0), trace.header.lanes)
    for kind in (Kind.FORWARD, Kind.LOSS, Kind.BACKWARD):
        assert set(costs.passes[kind]) == {((1, 1000),)}
    assert Kind.STEP in costs.passes  # which never has rows


def test_a_collectives_cost_counts_from_its_slowest_rank():
    specification = Specification("ddp", MLP, "2xcpu", batch=8, warmup=0)
    plan = plan_of(specification)
    columns = StepColumns.of_plan(plan)
    tasks = [task for task in plan.tasks if task.kind is Kind.ALL_REDUCE and task.bucket == 0]
    starts, ends = np.zeros(len(columns), np.int64), np.zeros(len(columns), np.int64)
    for task, start in zip(tasks, (10, 70), strict=True):
        starts[task.index], ends[task.index] = start, 100
    costs = costs_of_step(columns.timed(starts, ends), plan.lanes)
    assert dict(costs.transfers[Kind.ALL_REDUCE])[tasks[0].bytes] == 30


def test_the_prediction_is_a_trace_of_the_runs_lanes_and_steps():
    trace = run_of(PIPELINE, taking(2, 4), steps=2)
    predicted = prediction_trace(trace, predict_steps(trace))
    assert predicted.header.source is Source.PREDICTED
    assert predicted.header.lanes == trace.header.lanes
    assert predicted.steps == trace.steps
    for step in trace.steps:
        begin, end = trace.step_bounds(step)
        assert predicted.step_bounds(step) == (begin, begin + (end - begin) // 2)
    for lane in range(2):
        spans, measured = predicted.spans(lane), trace.spans(lane)
        assert spans["task"].tolist() == measured["task"].tolist()
        assert (np.diff(spans["start"]) >= 0).all() and set(spans["launched"]) == {-1}
    assert predicted.span(0, 3).after == trace.span(0, 3).after


def test_a_prediction_that_reaches_into_the_next_step_is_a_trace_all_the_same():
    trace = run_of(PIPELINE, taking(), costs={**COSTS, "forward_ms": 1e-3}, steps=3)
    comparison = predict_steps(trace)
    assert comparison.steps[0].predicted_ns > trace.step_bounds(1)[0] - trace.step_bounds(0)[0]
    ghost = prediction_trace(trace, comparison)
    for step in comparison.steps:
        mine = StepColumns.of_trace(ghost, step.step)
        assert mine.start.tolist() == step.columns.start.tolist()
