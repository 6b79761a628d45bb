"""Files of other programs with made-up pipeline jobs: ndtimeline's events and tables."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from core.plan.task import ABSENT
from tests.core.recording.importers.pipeline_jobs import (
    FORWARD,
    MS,
    NAMES,
    JobOptions,
    PipelineJob,
    make_job,
)

SMALL = JobOptions(ranks=2, replicas=2, microbatches=2, steps=2, noise=0, host=0)
"""Two replicas of two stages, with all kinds of operations: small enough to check by hand."""


def small_job() -> PipelineJob:
    """Return the job of the fixtures."""
    return make_job(SMALL)


def ndtimeline_events(job: PipelineJob, has_rank_arguments: bool) -> list[dict[str, Any]]:
    """Return a job as complete events, with ranks in arguments or in names of threads."""
    table, ranks = job.table, job.options.ranks
    events: list[dict[str, Any]] = []
    threads: set[tuple[int, int, int]] = set()
    for place in range(len(table["start"])):
        name = NAMES[table["name"][place]]
        rank, replica = int(table["rank"][place]), int(table["replica"][place])
        kind = 0 if name.endswith("compute") or name == "optimizer" else 1
        thread = 5 * (replica * ranks + rank) + kind
        threads.add((replica, thread, rank))
        args: dict[str, Any] = {"step": int(table["step"][place])}
        if has_rank_arguments:
            args |= {"rank": replica * ranks + rank, "tp": 0, "pp": rank}
        else:
            microbatch, chunk = int(table["microbatch"][place]), int(table["chunk"][place])
            args["mb_id"] = None if microbatch == ABSENT else microbatch
            args["model_chunk"] = None if chunk == ABSENT else chunk
        start, end = int(table["start"][place]), int(table["end"][place])
        times = {"ts": start / 1000, "dur": (end - start) / 1000}
        own = {"ph": "X", "pid": replica, "tid": thread, **times}
        events.append({**own, "name": name, "cat": name, "args": args})
    for replica, thread, rank in sorted(threads):
        words = "compute" if thread % 5 == 0 else "pp-comm"
        text = f"PP rank {rank}, TP rank 0, {words}"
        if has_rank_arguments:
            text = f"rank[{replica * ranks + rank}] {words}"
        own = {"ph": "M", "name": "thread_name", "pid": replica, "tid": thread}
        events.append({**own, "args": {"name": text}})
    return events


def ndtimeline_table(job: PipelineJob) -> pa.Table:
    """Return a job as a table with the published columns: times in seconds from each step's start.

    Times are double here, so that they can be checked to the nanosecond.
    """
    table = job.table
    step, start, end = table["step"], table["start"], table["end"]
    first = np.array([start[step == each].min() for each in np.unique(step)])
    begin = first[np.searchsorted(np.unique(step), step)]
    names = pa.array([NAMES[name] for name in table["name"]]).dictionary_encode()
    return pa.table(
        {
            "dp_rank": table["replica"].astype(np.int8),
            "stage": table["rank"].astype(np.int8),
            "rank": (table["replica"] * job.options.ranks + table["rank"]).astype(np.int16),
            "step": step,
            "optype": names,
            "start_ts": (start - begin) / (1000 * MS),
            "duration": (end - start) / (1000 * MS),
            "mc": table["chunk"].astype(np.int8),
            "mb_id": table["microbatch"].astype(np.int8),
        }
    )


def as_parquet(table: pa.Table) -> bytes:
    """Return a table as the bytes of a Parquet file."""
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def passes_of(job: PipelineJob) -> int:
    """Return the number of forward passes of a job."""
    return int((job.table["name"] == NAMES.index(FORWARD)).sum())
