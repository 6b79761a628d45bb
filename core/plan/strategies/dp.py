"""Data parallel like torch.nn.DataParallel: one process; lane 0 distributes and collects.

    lane 0  S0 S1 S2 R1 R2 [F      ] G L S1 S2 [B      ] . . Σ U
    lane 1   .  .  .  .    [F      ] . .   .   [B       ]
    lane 2   .  .  .  .  .   [F      ] . .   .  . [B      ]

Every step copies lane 0's parameters to the other lanes. The reduce starts only when the gradients
of all replicas are ready, so nothing overlaps it (torch/nn/parallel/data_parallel.py).
"""

from collections.abc import Sequence

from core.plan.division import Part, Placement, Stage
from core.plan.plan import Job, Plan, Strategy
from core.plan.splits import chunk, starts
from core.plan.task import Kind, Payload, Task, TaskColumns, add_task


def plan(job: Job) -> Plan:
    """Return a plan with rows split by `torch.chunk`; lanes left without rows stay idle."""
    # There may be fewer pieces than lanes, as in nn.DataParallel.
    sizes = chunk(job.rows, len(job.lanes))
    tasks: list[Task] = []
    forwards = _forwards(tasks, job, sizes)
    backwards = _backwards(tasks, job, sizes, forwards)
    ready = backwards
    if len(sizes) > 1:
        reduce = add_task(
            tasks,
            Kind.REDUCE,
            0,
            backwards,
            stage=0,
            bytes=(len(sizes) - 1) * job.model.gradient_bytes(0, len(job.model.blocks)),
            payload=Payload.PARAMETER_GRADIENTS,
        )
        ready = [reduce]
    add_task(tasks, Kind.STEP, 0, ready, stage=0, replica=0)
    placements: list[Placement] = []
    parts: list[Part] = []
    for replica, start in enumerate(starts(sizes)):
        # The optimizer steps only lane 0's copy; the next step overwrites the others.
        placements.append(Placement(replica, 0, replica, owner=replica == 0))
        parts.append(
            Part(
                replica=replica,
                microbatch=0,
                start=start,
                rows=sizes[replica],
            )
        )
    return Plan(
        lanes=job.lanes,
        stages=(Stage(0, 0, len(job.model.blocks)),),
        placements=tuple(placements),
        parts=tuple(parts),
        columns=TaskColumns.of(tasks),
        replicas=len(job.lanes),
    )


def _forwards(tasks: list[Task], job: Job, sizes: Sequence[int]) -> list[int]:
    """Add the transfers of rows and parameters, and the forwards; returns the forwards."""
    scatters = _scatter(tasks, sizes, job.model.input_bytes, Payload.INPUT)
    needs = [[scatter] for scatter in scatters]
    # Lane 0 has the parameters already.
    for replica in range(1, len(sizes)):
        copy = add_task(
            tasks,
            Kind.REPLICATE,
            0,
            stage=0,
            replica=replica,
            bytes=job.model.parameter_bytes,
            payload=Payload.PARAMETERS,
        )
        needs[replica].append(copy)
    forwards: list[int] = []
    for replica, rows in enumerate(sizes):
        forward = add_task(
            tasks,
            Kind.FORWARD,
            replica,
            needs[replica],
            stage=0,
            replica=replica,
            rows=rows,
        )
        forwards.append(forward)
    return forwards


def _backwards(
    tasks: list[Task], job: Job, sizes: Sequence[int], forwards: Sequence[int]
) -> list[int]:
    """Add gather, loss, scatter of gradients, and the backwards; returns the backwards."""
    output_bytes = job.model.output_bytes(len(job.model.blocks) - 1)
    # The gather covers all replicas' rows, but lane 0's rows do not move.
    gather = add_task(
        tasks,
        Kind.GATHER,
        0,
        forwards,
        rows=job.rows,
        bytes=(job.rows - sizes[0]) * output_bytes,
        payload=Payload.OUTPUT,
    )
    loss = add_task(tasks, Kind.LOSS, 0, [gather], stage=0, rows=job.rows)
    gradients = _scatter(tasks, sizes, output_bytes, Payload.GRADIENT, [loss])
    backwards: list[int] = []
    for replica, rows in enumerate(sizes):
        backward = add_task(
            tasks,
            Kind.BACKWARD,
            replica,
            [gradients[replica], forwards[replica]],
            stage=0,
            replica=replica,
            rows=rows,
        )
        backwards.append(backward)
    return backwards


def _scatter(
    tasks: list[Task],
    sizes: Sequence[int],
    row_bytes: int,
    payload: Payload,
    after: Sequence[int] = (),
) -> list[int]:
    """Add a scatter of rows to each replica; lane 0's own rows move no bytes."""
    scatters: list[int] = []
    for replica, rows in enumerate(sizes):
        moved_rows = rows if replica > 0 else 0
        scatter = add_task(
            tasks,
            Kind.SCATTER,
            0,
            after,
            replica=replica,
            rows=rows,
            bytes=moved_rows * row_bytes,
            payload=payload,
        )
        scatters.append(scatter)
    return scatters


STRATEGY = Strategy("dp", "Data parallel", "Replicate the model, split the batch.", plan)
