"""Pipeline parallel: stages overlap on micro-batches, in the order of a schedule."""

from core.counts import microbatches_text, rows_text
from core.errors import PlanError
from core.message import Text, message
from core.plan.pipeline.options import (
    DEFAULT_MICROBATCHES,
    MICROBATCHES,
    MOST_MICROBATCHES,
    PIPELINE_OPTIONS,
    SPLIT_SIZE,
)
from core.plan.pipeline.staged import staged_plan
from core.plan.plan import A_BATCH, Job, Plan, Strategy, require_rows
from core.plan.splits import split, tensor_split


def microbatch_rows(job: Job, whole: Text = A_BATCH) -> list[int]:
    """Return the rows of each micro-batch.

    `torch.split` divides the batch if the job has a split size, else `torch.tensor_split`. Without
    either option there are as many micro-batches as the schedule requires, or else 8, but at most
    one for each row. Raises PlanError for more micro-batches than rows; `whole` describes the job's
    rows in the message.
    """
    if (size := job[SPLIT_SIZE]) is not None:
        sizes = split(job.rows, size)
        if len(sizes) > MOST_MICROBATCHES:
            raise PlanError(
                message(
                    "--split-size {size} makes {microbatches} of {rows}; use a size that makes at "
                    "most {most:,}",
                    size=size,
                    microbatches=microbatches_text(len(sizes)),
                    rows=rows_text(job.rows),
                    most=MOST_MICROBATCHES,
                )
            )
        return sizes
    asked = job[MICROBATCHES] or job.schedule.microbatches
    if asked is None:
        return tensor_split(job.rows, min(DEFAULT_MICROBATCHES, job.rows))
    require_rows(job, asked, microbatches_text, whole)
    return tensor_split(job.rows, asked)


def plan(job: Job) -> Plan:
    """Return a plan of micro-batches through the stages in the order of the job's schedule."""
    return staged_plan(job, [microbatch_rows(job)], job.schedule)


STRATEGY = Strategy(
    "pipeline",
    "Pipeline",
    "Stages overlap on micro-batches.",
    plan,
    options=PIPELINE_OPTIONS,
    torch_engine="PipelineEngine",
)
