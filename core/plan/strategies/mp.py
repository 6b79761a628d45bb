"""Naive model parallel: consecutive stages on lanes process the whole batch in turn.

    lane 0  F .  .  .  B
    lane 1  . F  .  B  .
    lane 2  . .  FB .  .

One lane works at a time: a pipeline of a single micro-batch.
"""

from core.plan.pipeline.options import CUT_OPTIONS
from core.plan.pipeline.staged import staged_plan
from core.plan.plan import Job, Plan, Strategy
from core.plan.schedules.gpipe import SCHEDULE


def plan(job: Job) -> Plan:
    """Return a plan with one forward and one backward of the whole batch through each stage."""
    return staged_plan(job, [[job.rows]], SCHEDULE)


STRATEGY = Strategy(
    "mp",
    "Model parallel",
    "One stage after the other, so that one lane works at a time.",
    plan,
    options=CUT_OPTIONS,
)
