"""Later steps of a job, predicted from the costs of earlier ones."""

from dataclasses import replace

import numpy as np
import pytest

from core.costs.costs import cost_at
from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification, describe
from core.plan.task import Kind
from core.predict.predict import predict_step
from core.predict.without_machine import plan_without_machine
from core.report.forecast import forecast
from core.report.measured import MeasuredSteps
from core.report.plan_costs import plan_costs
from core.trace.median_step import whole_steps
from core.trace.trace import Trace
from tests.core.recording.importers.pipeline_jobs import (
    MS,
    Fault,
    JobOptions,
    make_job,
    trace_of_job,
)

USED = slice(2, 10)  # steps 3 to 10 of 20


def trace_of(options: JobOptions) -> Trace:
    """The trace of a made-up job of 20 steps."""
    return trace_of_job(make_job(replace(options, steps=20)))


@pytest.mark.parametrize("fault", [Fault.NOTHING, Fault.WORKER, Fault.STAGE])
@pytest.mark.parametrize(
    "options",
    [
        JobOptions(replicas=2, noise=0.02),
        JobOptions(sends=False, own_clocks=True, shift=MS),
        JobOptions(chunks=2, schedule="interleaved", host=2 * MS),
    ],
    ids=["dp-pp", "clocks", "interleaved"],
)
def test_steps_3_to_10_predict_steps_11_to_20_within_3_per_cent(options, fault):
    trace = trace_of(replace(options, fault=fault))
    steps = whole_steps(trace)
    found = forecast(trace, steps[USED])
    assert found.used == tuple(steps[USED]) and found.unseen == tuple(steps[10:])
    assert abs(found.error) < 0.03
    later = [trace.step_bounds(step) for step in steps[10:]]
    mean = np.mean([end - start for start, end in later])
    assert found.unseen_ns == pytest.approx(mean, abs=1)
    assert found.basis.low_ns <= found.makespan_ns <= found.basis.high_ns


@pytest.mark.parametrize("options", [JobOptions(), JobOptions(sends=False), JobOptions(replicas=4)])
def test_a_step_replayed_with_its_own_durations_lasts_as_long_within_2_per_cent(options):
    trace = trace_of(options)
    run = MeasuredSteps.of(trace, whole_steps(trace))
    assert run.makespans == pytest.approx(run.spans, rel=0.02)


def test_uneven_steps_are_within_the_range():
    trace = trace_of(JobOptions(replicas=2, fault=Fault.LENGTHS, amount=1.3))
    found = forecast(trace, whole_steps(trace)[USED])
    assert found.basis.low_ns < found.unseen_ns < found.basis.high_ns
    assert found.basis.high_ns > 1.05 * found.makespan_ns


def test_the_steps_before_are_predicted_if_none_follow():
    trace = trace_of(JobOptions())
    steps = whole_steps(trace)
    assert forecast(trace, steps[10:]).unseen == tuple(steps[:10])
    alone = forecast(trace, steps)
    assert alone.unseen == () and alone.error is None and alone.unseen_ns is None


def test_time_of_the_host_and_inferred_transfers_are_not_measured():
    shares = []
    for host, sends in ((0, True), (3 * MS, True), (0, False)):
        trace = trace_of(JobOptions(host=host, sends=sends, noise=0, transfer=5 * MS))
        shares.append(forecast(trace, whole_steps(trace)[USED]).basis.measured_share)
    assert shares[0] == pytest.approx(1, abs=0.001)
    assert shares[1] < 0.95 and shares[2] < 0.95


def test_a_trace_without_waits_between_lanes_is_refused():
    trace = trace_of(JobOptions(ranks=1, microbatches=2))
    with pytest.raises(PlanError, match="does not contain what tasks wait for on other lanes"):
        forecast(trace, whole_steps(trace)[USED])


def test_costs_of_a_trace_predict_its_own_plan_and_another_one():
    options = JobOptions(fault=Fault.STAGE, amount=1.5, seed=1, noise=0.01)
    trace = trace_of(options)
    steps = whole_steps(trace)
    job = make_job(replace(options, steps=20))
    found = plan_costs(MeasuredSteps.of(trace, steps[USED]))
    assert (found.ranks, found.microbatches, found.replicas) == (4, 8, 1)
    lengths = {}
    for schedule in ("1f1b", "gpipe"):
        specification = found.filled(Specification(schedule=schedule))
        run = plan_without_machine(specification, describe(specification), found.costs)
        lengths[schedule] = predict_step(run.plan, found.costs).makespan_ns
    assert lengths["1f1b"] == pytest.approx(job.truth.length[10:].mean(), rel=0.03)
    other = make_job(replace(options, steps=20, schedule="gpipe"))
    assert lengths["gpipe"] == pytest.approx(other.truth.length[10:].mean(), rel=0.03)


def test_a_long_last_stage_is_the_head_which_stays_whole_in_chunks():
    # Of these seeds the slow stage is the last one, which takes 1.5 times as long.
    options = JobOptions(fault=Fault.STAGE, amount=1.5, seed=1, noise=0)
    job = make_job(options)
    assert job.truth.stage == options.ranks - 1
    trace = trace_of(options)
    found = plan_costs(MeasuredSteps.of(trace, whole_steps(trace)))
    head = cost_at(found.costs.head[Kind.FORWARD], 1)
    assert head == pytest.approx(0.5 * options.forward, rel=0.01)
    specification = found.filled(Specification(model=ModelSettings("mlp"), schedule="interleaved"))
    run = plan_without_machine(specification, describe(specification), found.costs)
    columns = predict_step(run.plan, found.costs).columns
    forwards = {}
    for task, duration in zip(run.plan.tasks, columns.duration.tolist(), strict=True):
        if task.kind is Kind.FORWARD:
            forwards[task.stage] = duration / options.forward
    assert [forwards[stage] for stage in range(7)] == pytest.approx([0.5] * 7, rel=0.01)
    assert forwards[7] == pytest.approx(0.5 + 0.5, rel=0.01)


def test_a_slow_worker_is_left_out_of_the_costs_of_its_stage():
    trace = trace_of(JobOptions(replicas=4, fault=Fault.WORKER, amount=1.6, noise=0))
    found = plan_costs(MeasuredSteps.of(trace, whole_steps(trace)))
    forwards = [cost_at(curve, 1) for curve in found.costs.passes[Kind.FORWARD]]
    assert forwards == pytest.approx([10 * MS] * 4, rel=0.01)
    assert found.replicas == 4 and found.ranks == 4
