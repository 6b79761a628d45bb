"""Pipeline parallel: stages overlap on micro-batches, in the order of a schedule."""

from core.plan.schedules import SCHEDULES
from core.plan.splits import split, tensor_split
from core.plan.staged import staged_plan
from core.plan.strategy import Job, Strategy, require_rows
from core.plan.task import Plan

MICROBATCHES = 8


def microbatch_rows(job: Job) -> list[int]:
    """Rows of each micro-batch: by `torch.split` with a split size, else by `torch.tensor_split`.

    Without either, 8 micro-batches, or as many as there are rows if these are fewer.
    Raises PlanError if more micro-batches are asked for than there are rows.
    """
    if job.split_size is not None:
        return split(job.rows, job.split_size)
    if job.microbatches is None:
        return tensor_split(job.rows, min(MICROBATCHES, job.rows))
    require_rows(job, job.microbatches, "micro-batches")
    return tensor_split(job.rows, job.microbatches)


def plan(job: Job) -> Plan:
    """Micro-batches through the stages, in the order of the job's schedule."""
    return staged_plan(job, [microbatch_rows(job)], SCHEDULES[job.schedule])


STRATEGY = Strategy(
    "pipeline",
    "Pipeline",
    "Stages overlap on micro-batches.",
    plan,
    options=frozenset({"schedule", "stages", "chunks", "microbatches", "split_size"}),
)
