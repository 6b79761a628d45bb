"""Is the right part named in 300 made-up pipeline jobs, with the right amount and in which time?

The jobs have 4 to 256 lanes, 1F1B and interleaved schedules, with and without recorded sends and
errors of clocks. A quarter each has a slow worker, a slow stage, random lengths, or nothing. A job
whose fault costs less than a part must cost to be named does not count. A worker that is the only
one of its only stage cannot be told from the stage, so both are right. Takes some minutes.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bubblescope.cli.report import table
from core.report.even_split import NAMED, EvenSplit, Uneven, even_split
from core.report.slowdown import slowdown
from core.trace.median_step import whole_steps
from tests.core.recording.importers.pipeline_jobs import (
    Fault,
    JobOptions,
    PipelineJob,
    make_job,
    random_options,
    trace_of_job,
)

JOBS = 300
LEAST_RIGHT = 0.95
MOST_ERROR = 0.1
PARTS = {Fault.WORKER: Uneven.WORKER, Fault.STAGE: Uneven.STAGE, Fault.LENGTHS: Uneven.STEPS}


@dataclass(frozen=True)
class Found:
    """A job and the split that was found, in `seconds` of processor time.

    There is no split if the importer finds no order of the stages.
    """

    job: PipelineJob
    split: EvenSplit | None
    seconds: float

    @property
    def counts(self) -> bool:
        """True if the job's fault costs enough to be named, or if it has none."""
        return self.job.options.fault is Fault.NOTHING or self.job.truth.saved >= NAMED

    @property
    def is_right(self) -> bool:
        """True if the part and its place are those of the job."""
        if self.split is None:
            return False
        truth, named = self.job.truth, self.split.named[:1]
        if truth.fault is Fault.NOTHING:
            return not named
        if truth.fault is Fault.WORKER and named == [Uneven.STAGE]:
            return self.split.stage_lane == self.worker
        if named != [PARTS[truth.fault]]:
            return False
        if truth.fault is Fault.WORKER:
            return self.split.lane == self.worker
        return truth.fault is Fault.LENGTHS or self.split.stage == truth.stage

    @property
    def worker(self) -> str:
        """Name of the slow worker's lane."""
        assert self.job.truth.worker is not None
        replica, rank = self.job.truth.worker
        return f"replica {replica} rank {rank}" if self.job.options.replicas > 1 else f"rank {rank}"

    @property
    def error(self) -> float:
        """Error of the largest amount, relative to the truth."""
        assert self.split is not None
        shares = self.split.shares
        return abs(shares[self.split.named[0]] / self.job.truth.saved - 1)


def test_the_right_part_is_named_with_its_amount() -> None:
    faults = list(Fault)
    every = [found_in(random_options(n, faults[n % len(faults)])) for n in range(JOBS)]
    print("\n" + found_text(every))
    faulty = [one for one in every if one.counts and one.job.options.fault is not Fault.NOTHING]
    even = [one for one in every if one.job.options.fault is Fault.NOTHING]
    named = [one for one in faulty if one.is_right]
    assert len(named) >= LEAST_RIGHT * len(faulty)
    assert sum(one.error <= MOST_ERROR for one in named) >= LEAST_RIGHT * len(named)
    assert sum(one.is_right for one in even) >= LEAST_RIGHT * len(even)


def found_in(options: JobOptions) -> Found:
    """Return what is found in a job."""
    job = make_job(options)
    trace = trace_of_job(job)
    begin = time.process_time()
    split = even_split(trace, whole_steps(trace))
    return Found(job, split, time.process_time() - begin)


def found_text(every: Sequence[Found]) -> str:
    """Return for each fault how many jobs count and are right, the errors and the times."""
    rows = []
    for fault in Fault:
        mine = [one for one in every if one.job.options.fault is fault and one.counts]
        right = [one for one in mine if one.is_right]
        seconds = [one.seconds for one in mine]
        near, median = "-", "-"
        if fault is not Fault.NOTHING:
            errors = np.array([one.error for one in right])
            near, median = f"{np.mean(errors <= MOST_ERROR):.1%}", f"{np.median(errors):.1%}"
        rows.append((fault, len(mine), len(right), near, median, f"{max(seconds):.2f}"))
    header = ("fault", "jobs", "right", "within 10 %", "median error", "longest s")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{table(header, rows)}\nmost memory {memory:.0f} MiB"


def test_256_lanes_by_40_steps_take_less_than_ten_seconds() -> None:
    options = JobOptions(
        ranks=16, replicas=16, microbatches=16, steps=40, fault=Fault.WORKER, amount=1.4
    )
    trace = trace_of_job(make_job(options))
    begin = time.process_time()
    found = slowdown(trace, whole_steps(trace))
    seconds = time.process_time() - begin
    print(f"\n{len(found.workers)} lanes, {found.steps} steps, {found.replayed} replayed")
    print(f"{trace.span_count} spans, {seconds:.1f} s")
    assert len(found.workers) == 256 and seconds < 10
