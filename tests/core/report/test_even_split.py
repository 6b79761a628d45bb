"""Who makes a job slow: one worker, one stage, or work that differs from step to step."""

import numpy as np
import pytest

from core.plan.specification import Specification
from core.plan.task import PASSES
from core.report.even_split import NAMED, EvenSplit, Uneven, even_split
from core.report.measured import MeasuredSteps
from core.report.work_effects import WorkEffects
from core.trace.median_step import whole_steps
from core.trace.trace import Trace
from tests.core.recording.importers.pipeline_jobs import (
    Fault,
    JobOptions,
    PipelineJob,
    make_job,
    trace_of_job,
)
from tests.core.report.verdicts import made
from tests.make_believe import specification, trace_of

PARTS = {Fault.WORKER: Uneven.WORKER, Fault.STAGE: Uneven.STAGE, Fault.LENGTHS: Uneven.STEPS}
SHAPES = [
    {"ranks": 4, "replicas": 2},
    {"ranks": 4, "replicas": 4, "chunks": 2, "schedule": "interleaved"},
    {"ranks": 8, "replicas": 2, "microbatches": 16, "sends": False},
]


def split(trace: Trace) -> EvenSplit:
    found = even_split(trace, whole_steps(trace))
    assert found is not None
    return found


def job_with(fault: Fault, **options: object) -> tuple[PipelineJob, EvenSplit]:
    job = make_job(JobOptions(fault=fault, amount=1.4, **options))
    return job, split(trace_of_job(job))


@pytest.mark.parametrize("shape", SHAPES, ids=["1f1b", "interleaved", "no sends"])
@pytest.mark.parametrize("fault", PARTS)
def test_the_part_and_its_amount_are_those_of_the_job(fault: Fault, shape) -> None:
    job, found = job_with(fault, **shape)
    part = PARTS[fault]
    assert found.named == [part]
    assert found.shares[part] == pytest.approx(job.truth.saved, rel=0.1)


@pytest.mark.parametrize("shape", SHAPES, ids=["1f1b", "interleaved", "no sends"])
def test_nothing_is_named_in_an_even_job(shape) -> None:
    _, found = job_with(Fault.NOTHING, **shape)
    assert found.named == [] and found.text is None and found.where == ""


def test_a_slow_worker_is_named_with_its_factor() -> None:
    job, found = job_with(Fault.WORKER, replicas=2, seed=3)
    assert job.truth.worker is not None
    replica, rank = job.truth.worker
    assert found.lane == f"replica {replica} rank {rank}"
    assert found.where == found.lane
    assert found.worker_factor == pytest.approx(1.4, rel=0.03)
    assert str(found.text).startswith(f"Worker {found.lane} takes ")
    assert "longer than the other workers of its stage, which costs " in str(found.text)


def test_a_slow_stage_is_named_with_its_work() -> None:
    job, found = job_with(Fault.STAGE, replicas=2)
    assert found.stage == job.truth.stage and found.where == f"stage {job.truth.stage}"
    assert found.lane == "" and found.stage_factor == pytest.approx(1.4, rel=0.03)
    assert f"Stage {found.stage} has 40 % more work than the median stage" in str(found.text)


def test_with_random_lengths_no_lane_and_no_stage_is_named() -> None:
    _, found = job_with(Fault.LENGTHS, replicas=4)
    assert found.where == found.lane == ""
    assert str(found.text).startswith("The work differs from one micro-batch or step to the next")


def test_a_stage_with_a_single_worker_is_not_told_from_it() -> None:
    job, found = job_with(Fault.WORKER, replicas=1)
    assert job.truth.worker is not None
    rank = job.truth.worker[1]
    assert found.named == [Uneven.STAGE] and found.stage_lane == f"rank {rank}"
    assert f"Stage {rank}, or its only worker rank {rank}, takes " in str(found.text)


def test_a_lone_worker_of_two_slow_stages_is_slow_itself() -> None:
    job, found = job_with(Fault.WORKER, replicas=1, chunks=2, schedule="interleaved")
    assert job.truth.worker is not None
    assert found.named == [Uneven.WORKER] and found.lane == f"rank {job.truth.worker[1]}"


def test_a_slow_worker_of_two_is_not_partly_a_long_micro_batch() -> None:
    run = Specification("dp-pp", devices="4xvirtual:cpu", batch=64, steps=8, warmup=1)
    found = made(run.having(slow_lane="1:1.5"))
    parts = split(found.trace)
    lost = found.losses / found.with_faults
    assert parts.named == [Uneven.WORKER] and parts.where == "lane 1"
    assert parts.worker_factor == pytest.approx(1.5, rel=0.01)
    assert parts.shares[Uneven.WORKER] == pytest.approx(lost.mean(), rel=0.05)


@pytest.mark.parametrize("strategy", ["dp", "ddp", "fsdp"])
def test_a_slow_lane_that_is_a_replica_is_not_called_uneven_micro_batches(strategy: str) -> None:
    run = Specification(strategy, devices="4xvirtual:cpu", batch=64, steps=8, warmup=1)
    trace = made(run.having(slow_lane="1:1.5")).trace
    assert even_split(trace, whole_steps(trace)) is None


def test_one_hiccup_does_not_make_a_job_uneven() -> None:
    run = Specification("pipeline", devices="4xvirtual:cpu", batch=64, steps=8, warmup=1)
    found = split(made(run.having(hiccup="lane=2,step=4,ms=50")).trace)
    assert found.shares[Uneven.STEPS] > NAMED
    assert found.named == [] and found.text is None


def test_a_second_part_is_named_in_a_second_clause() -> None:
    run = Specification("dp-pp", devices="8xvirtual:cpu", batch=64, steps=6, warmup=0)
    plain = run.having(replicas=2, microbatches=8)

    def longer(columns, _):
        passes = PASSES[columns.kind] & (columns.stage == 1)
        slow = np.where(columns.lane == columns.lane[passes][0], 1.8, 1.0)
        return slow * np.where(columns.stage == 3, 1.4, 1.0)

    found = split(made(plain, longer=longer).trace)
    assert set(found.named) == {Uneven.WORKER, Uneven.STAGE}
    assert found.shares[found.named[0]] >= found.shares[found.named[1]]
    assert ". Also, " in str(found.text)


def test_the_parts_add_up_to_what_an_even_job_saves() -> None:
    _, found = job_with(Fault.STAGE, replicas=2, noise=0.1)
    whole = sum(found.saved_ns.values())
    assert list(found.saved_ns) == list(Uneven) and whole > found.saved_ns[Uneven.STAGE]
    assert sum(found.shares.values()) == pytest.approx(whole / found.step_ns)


def test_a_run_on_one_lane_has_no_peers() -> None:
    trace = trace_of(specification("single", devices="cpu", steps=5))
    assert even_split(trace, whole_steps(trace)) is None


def test_effects_are_those_that_were_put_in() -> None:
    job = make_job(JobOptions(replicas=4, fault=Fault.WORKER, amount=1.5, noise=0.02))
    trace = trace_of_job(job)
    effects = WorkEffects.of(MeasuredSteps.of(trace, whole_steps(trace)))
    assert effects is not None
    lanes = np.unique(effects.lane[effects.of_worker > 1])
    assert len(lanes) == 1
    assert effects.of_worker.max() == pytest.approx(1.5, rel=0.03)
    assert np.abs(np.log(effects.of_stage)).max() < 0.03
