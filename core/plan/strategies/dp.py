"""Data parallel as torch.nn.DataParallel does it: one process, lane 0 hands out and collects.

    lane 0  S0 S1 S2 R1 R2 [F      ] G L S1 S2 [B      ] . . Σ U
    lane 1   .  .  .  .    [F      ] . .   .   [B       ]
    lane 2   .  .  .  .  .   [F      ] . .   .  . [B      ]

Every step copies lane 0's parameters to the others, and the reduce starts only when every
replica's gradients are ready: nothing overlaps it (torch/nn/parallel/data_parallel.py).
"""

from core.plan.division import Part, Placement, Stage
from core.plan.plan import Job, Plan, Strategy
from core.plan.splits import chunk, starts
from core.plan.task import Kind, Payload, Task, TaskColumns, add_task


def plan(job: Job) -> Plan:
    """`torch.chunk` rows to a replica on each lane; lanes for which no rows are left stay idle."""
    # Fewer pieces than lanes where the rows do not go round, as nn.DataParallel's scatter has it.
    sizes = chunk(job.rows, len(job.lanes))
    replicas = range(len(sizes))
    others = replicas[1:]
    last = len(job.model.blocks)
    output_bytes = job.model.output_bytes(last - 1)
    tasks: list[Task] = []

    scatters = [
        add_task(
            tasks, Kind.SCATTER, 0, replica=r, rows=sizes[r],
            bytes=sizes[r] * job.model.input_bytes, payload=Payload.INPUT,
        )
        for r in replicas
    ]  # fmt: skip
    copies = {
        r: add_task(
            tasks, Kind.REPLICATE, 0, stage=0, replica=r,
            bytes=job.model.parameter_bytes, payload=Payload.PARAMETERS,
        )
        for r in others
    }  # fmt: skip
    forwards = [
        add_task(
            tasks, Kind.FORWARD, r, [scatters[r], *([copies[r]] if r else [])],
            stage=0, replica=r, rows=sizes[r],
        )
        for r in replicas
    ]  # fmt: skip
    gather = add_task(
        tasks, Kind.GATHER, 0, forwards, rows=job.rows,
        bytes=job.rows * output_bytes, payload=Payload.OUTPUT,
    )  # fmt: skip
    loss = add_task(tasks, Kind.LOSS, 0, [gather], stage=0, rows=job.rows)
    gradients = [
        add_task(
            tasks, Kind.SCATTER, 0, [loss], replica=r, rows=sizes[r],
            bytes=sizes[r] * output_bytes, payload=Payload.GRADIENT,
        )
        for r in replicas
    ]  # fmt: skip
    backwards = [
        add_task(
            tasks, Kind.BACKWARD, r, [gradients[r], forwards[r]], stage=0, replica=r, rows=sizes[r]
        )
        for r in replicas
    ]
    ready = backwards
    if others:
        ready = [
            add_task(
                tasks, Kind.REDUCE, 0, backwards, stage=0,
                bytes=len(others) * job.model.parameter_bytes, payload=Payload.PARAMETER_GRADIENTS,
            )
        ]  # fmt: skip
    add_task(tasks, Kind.STEP, 0, ready, stage=0, replica=0)

    return Plan(
        job.lanes,
        (Stage(0, 0, last),),
        tuple(Placement(r, 0, r, owner=r == 0) for r in replicas),
        tuple(Part(r, 0, start, sizes[r]) for r, start in enumerate(starts(sizes))),
        TaskColumns.of(tasks),
        replicas=len(job.lanes),
    )


STRATEGY = Strategy("dp", "Data parallel", "Replicate the model, split the batch.", plan)
