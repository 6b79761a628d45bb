"""The made-up pipeline jobs are what they claim to be."""

import numpy as np
import pytest

from tests.core.recording.importers.pipeline_jobs import (
    BACKWARD,
    FORWARD,
    NAMES,
    Fault,
    JobOptions,
    make_job,
    random_options,
)

EVEN = JobOptions(noise=0, host=0, transfer=0, replicas=1, update=0)


def test_an_even_1f1b_job_lasts_as_long_as_the_formula():
    job = make_job(EVEN)
    passes = EVEN.microbatches + EVEN.ranks - 1
    assert job.truth.length == pytest.approx(passes * (EVEN.forward + EVEN.backward))
    assert job.truth.saved == 0


def test_an_interleaved_job_has_half_the_bubble():
    job = make_job(JobOptions(noise=0, host=0, transfer=0, update=0, chunks=2,
                              schedule="interleaved"))  # fmt: skip
    passes = EVEN.microbatches + (EVEN.ranks - 1) / 2
    assert job.truth.length == pytest.approx(passes * (EVEN.forward + EVEN.backward))


@pytest.mark.parametrize("seed", range(8))
def test_passes_of_a_lane_never_overlap_and_are_all_there(seed):
    options = random_options(seed)
    table = make_job(options).table
    is_pass = np.isin(table["name"], [NAMES.index(FORWARD), NAMES.index(BACKWARD)])
    per_lane = 2 * options.microbatches * options.chunks
    assert is_pass.sum() == per_lane * options.lanes * options.steps
    for replica in range(options.replicas):
        for rank in range(options.ranks):
            mine = is_pass & (table["replica"] == replica) & (table["rank"] == rank)
            order = np.argsort(table["start"][mine], kind="stable")
            start, end = table["start"][mine][order], table["end"][mine][order]
            assert (start[1:] >= end[:-1]).all()


@pytest.mark.parametrize("fault", [Fault.WORKER, Fault.STAGE, Fault.LENGTHS])
def test_a_fault_costs_time_and_is_named(fault):
    job = make_job(JobOptions(replicas=4, fault=fault, amount=1.5))
    truth = job.truth
    assert truth.saved > 0.03
    assert (truth.worker is not None) == (fault is Fault.WORKER)
    assert (truth.stage is not None) == (fault is Fault.STAGE)
