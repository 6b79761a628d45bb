"""The reference: the whole batch through the whole model on one lane."""

from core.plan.division import Part, Placement, Stage
from core.plan.plan import Job, Plan, Strategy
from core.plan.task import Kind, Task, TaskColumns, add_task


def plan(job: Job) -> Plan:
    """Return forward, loss, backward and step on lane 0; other lanes stay idle."""
    tasks: list[Task] = []
    rows = job.rows
    forward = add_task(
        tasks,
        Kind.FORWARD,
        0,
        stage=0,
        replica=0,
        rows=rows,
    )
    loss = add_task(
        tasks,
        Kind.LOSS,
        0,
        [forward],
        stage=0,
        replica=0,
        rows=rows,
    )
    backward = add_task(
        tasks,
        Kind.BACKWARD,
        0,
        [forward, loss],
        stage=0,
        replica=0,
        rows=rows,
    )
    add_task(tasks, Kind.STEP, 0, [backward], stage=0, replica=0)
    return Plan(
        lanes=job.lanes,
        stages=(Stage(0, 0, len(job.model.blocks)),),
        placements=(Placement(0, 0, 0),),
        parts=(
            Part(
                replica=0,
                microbatch=0,
                start=0,
                rows=job.rows,
            ),
        ),
        columns=TaskColumns.of(tasks),
        # Idle lanes are shown as replicas without rows.
        replicas=len(job.lanes),
    )


STRATEGY = Strategy("single", "Single lane", "The whole batch on one lane, for reference.", plan)
