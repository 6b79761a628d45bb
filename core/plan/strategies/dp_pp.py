"""Data parallel over pipelines: each replica of the model is a separate pipeline.

    lane 0  F0 F1  .  . B0 B1 A U      replica 0, stage 0
    lane 1   . F0 B0 F1 B1  . A U      replica 0, stage 1
    lane 2  F0 F1  .  . B0 B1 A U      replica 1, stage 0
    lane 3   . F0 B0 F1 B1  . A U      replica 1, stage 1

The batch is split by `torch.tensor_split`. When all replicas have a stage's gradients, the stage's
lanes sum them by all-reduce, and each lane steps its copy.
"""

from dataclasses import replace

from core.counts import replicas_text, rows_text
from core.message import message
from core.option import Option
from core.plan.pipeline.options import PIPELINE_OPTIONS
from core.plan.pipeline.staged import staged_plan
from core.plan.plan import Job, Plan, Strategy, require_rows
from core.plan.splits import tensor_split
from core.plan.strategies.pipeline import microbatch_rows

DEFAULT_REPLICAS = 2
REPLICAS: Option[int | None] = Option(
    "replicas", int, "Number of pipelines that run side by side.", f"{DEFAULT_REPLICAS}", most=4096
)


def plan(job: Job) -> Plan:
    """Return a plan with a pipeline for each replica, on equal shares of the lanes."""
    replicas = job[REPLICAS] or DEFAULT_REPLICAS
    require_rows(job, replicas, replicas_text)
    shares = [replace(job, rows=rows) for rows in tensor_split(job.rows, replicas)]
    whole = message("a replica's share of {rows}", rows=rows_text(job.rows))
    # Shares may differ by a row, and then so do the micro-batches.
    return staged_plan(job, [microbatch_rows(share, whole) for share in shares], job.schedule)


STRATEGY = Strategy(
    "dp-pp",
    "Pipelines side by side",
    "A pipeline in each replica, gradients all-reduced.",
    plan,
    options=(*PIPELINE_OPTIONS, REPLICAS),
)
