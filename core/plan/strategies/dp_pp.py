"""Data parallel over pipelines: each replica of the model is a pipeline of its own.

    lane 0  F0 F1  .  . B0 B1 A U      replica 0, stage 0
    lane 1   . F0 B0 F1 B1  . A U      replica 0, stage 1
    lane 2  F0 F1  .  . B0 B1 A U      replica 1, stage 0
    lane 3   . F0 B0 F1 B1  . A U      replica 1, stage 1

The batch is shared by `torch.tensor_split`. When every replica has a stage's gradients, its lanes
sum them by all-reduce, and each steps its own copy.
"""

from dataclasses import replace

from core.option import Option
from core.plan.pipeline.options import PIPELINE_OPTIONS
from core.plan.pipeline.staged import staged_plan
from core.plan.plan import Job, Plan, Strategy, require_rows
from core.plan.splits import tensor_split
from core.plan.strategies.pipeline import microbatch_rows

DEFAULT_REPLICAS = 2
REPLICAS: Option[int | None] = Option(
    "replicas", int, "Pipelines that run side by side.", f"{DEFAULT_REPLICAS}", most=4096
)


def plan(job: Job) -> Plan:
    """A pipeline in each of as many equal shares of the lanes as there are replicas."""
    replicas = job[REPLICAS] or DEFAULT_REPLICAS
    require_rows(job, replicas, "replicas")
    shares = [replace(job, rows=rows) for rows in tensor_split(job.rows, replicas)]
    whole = f"a replica's share of {job.rows} rows"
    # Shares may differ by a row, and so may the micro-batches that pipelines have.
    return staged_plan(job, [microbatch_rows(s, whole) for s in shares], job.schedule)


STRATEGY = Strategy(
    "dp-pp",
    "Pipelines side by side",
    "A pipeline in each replica, gradients all-reduced.",
    plan,
    options=(*PIPELINE_OPTIONS, REPLICAS),
)
