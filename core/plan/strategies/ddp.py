"""Distributed data parallel: torch's own DistributedDataParallel, a process for each rank.

    rank 0        [F ][F ][L][B ][B ] .  .  U
    rank 0 comm    .   .   .  . [A0 ][A1 ]
    rank 1        [F ][F ][L][B ][B ] .  .  U
    rank 1 comm    .   .   .  . [A0 ][A1 ]

torch drives the ranks, so the first plan is only expected: it has the gradient buckets that torch
would choose at first. `complete` creates the plan from the buckets that torch reports. With gloo a
rank has a second lane for collectives, because two of them may run at once.
"""

from collections.abc import Iterable

from core.models.description import ModelDescription
from core.option import Option
from core.plan.devices import GLOO, process_group
from core.plan.division import Collective, Collectives, Part, Placement, Stage
from core.plan.lanes import with_helpers
from core.plan.plan import Job, Plan, Role, Strategy
from core.plan.splits import starts, tensor_split
from core.plan.task import Kind, Payload, Task, TaskColumns, add_task

Buckets = tuple[tuple[str, ...], ...]
"""Gradient buckets in launch order, each the names of its parameters."""
DEFAULT_BUCKET_MB = 25  # torch's default
MIB = 1024 * 1024
FIRST_BUCKET_BYTES = MIB  # torch.distributed._DEFAULT_FIRST_BUCKET_BYTES

BUCKET_MB: Option[float | None] = Option(
    "bucket_mb",
    float,
    "MiB of gradients that are reduced together.",
    f"{DEFAULT_BUCKET_MB} MiB",
    "MiB",
    label="Bucket",
    least=1e-6,
    most=1_000_000,
    contrast=("buckets of 1 MiB instead of {a}", "buckets of {b} MiB instead of {a}"),
)


def parameter_bytes(model: ModelDescription) -> dict[str, int]:
    """Return bytes by parameter, named and ordered as in an nn.Sequential of all blocks."""
    return {name: count * model.element_bytes for name, count in model.parameter_counts.items()}


def trained_names(model: ModelDescription, blocks: Iterable[int]) -> tuple[str, ...]:
    """Return the trained parameters of blocks, named and ordered as in `parameter_bytes`."""
    names: list[str] = []
    for index in blocks:
        names += [f"{index}.{name}" for name, _ in model.blocks[index].trained]
    return tuple(names)


def expected_buckets(model: ModelDescription, bucket_mb: float | None) -> Buckets:
    """Return buckets in reverse order of trained parameters, each closed when it reaches its limit.

    The limit is `bucket_mb` MiB. None means torch's default: 25 MiB, but 1 MiB for the first bucket
    (`dist._DEFAULT_FIRST_BUCKET_BYTES`). A given size is also the limit of the first bucket. Torch
    does the same in `BucketCapacityConfig` and `_compute_bucket_assignment_by_size`.
    """
    if bucket_mb is None:
        later = DEFAULT_BUCKET_MB * MIB
        limit = FIRST_BUCKET_BYTES
    else:
        later = int(bucket_mb * MIB)
        limit = later
    buckets: list[tuple[str, ...]] = []
    names: list[str] = []
    size = 0
    sizes = parameter_bytes(model)
    # The backward pass computes the gradients of the last parameters first.
    for name in reversed(trained_names(model, range(len(model.blocks)))):
        names.append(name)
        size += sizes[name]
        if size >= limit:
            buckets.append(tuple(names))
            names = []
            size = 0
            limit = later
    if names:
        buckets.append(tuple(names))
    return tuple(buckets)


def plan(job: Job) -> Plan:
    """Return the expected plan, before torch has reported its buckets."""
    return complete(job, collectives(job))


def collectives(job: Job) -> Collectives:
    """Return an all-reduce for each expected bucket."""
    buckets = expected_buckets(job.model, job[BUCKET_MB])
    return tuple(
        Collective(Kind.ALL_REDUCE, Payload.PARAMETER_GRADIENTS, names) for names in buckets
    )


def complete(job: Job, collectives: Collectives) -> Plan:
    """Return the plan with torch's gradient buckets; rows are split by `torch.tensor_split`."""
    sizes = tensor_split(job.rows, len(job.lanes))
    ranks = range(len(sizes))
    blocks = range(len(job.model.blocks))
    tasks: list[Task] = []
    backwards = [_compute(tasks, rank, blocks, sizes[rank]) for rank in ranks]
    buckets = tuple(collective.names for collective in collectives)
    # Gloo runs two collectives of a rank at once (Options::threads of ProcessGroupGloo).
    tracks = ("comm", "comm 2") if process_group(job.lanes) == GLOO else ("comm",)
    reduced = _all_reduces(tasks, job, buckets, backwards)
    for rank in ranks:
        last_backward = backwards[rank][0]
        add_task(tasks, Kind.STEP, rank, [last_backward, *reduced[rank]], replica=rank)
    return plan_of_ranks(job, tasks, *tracks)


def plan_of_ranks(job: Job, tasks: list[Task], *tracks: str) -> Plan:
    """Return the plan of `tasks` on ranks that each hold the whole model.

    Each rank has a compute lane, and a communication lane for each of `tracks`.
    """
    sizes = tensor_split(job.rows, len(job.lanes))
    placements: list[Placement] = []
    parts: list[Part] = []
    for rank, start in enumerate(starts(sizes)):
        placements.append(Placement(rank, 0, rank))
        parts.append(
            Part(
                replica=rank,
                microbatch=0,
                start=start,
                rows=sizes[rank],
            )
        )
    lanes = with_helpers(list(job.lanes), Role.COMMUNICATION, *tracks)
    return Plan(
        lanes=tuple(lanes),
        stages=(Stage(0, 0, len(job.model.blocks)),),
        placements=tuple(placements),
        parts=tuple(parts),
        columns=TaskColumns.of(tasks),
        replicas=len(job.lanes),
        expected=True,
    )


def _compute(tasks: list[Task], rank: int, blocks: Iterable[int], rows: int) -> dict[int, int]:
    """Add a rank's forward, loss and backward tasks; returns its backward tasks by block."""
    forwards: dict[int, int] = {}
    previous: list[int] = []
    for block in blocks:
        forwards[block] = add_task(
            tasks,
            Kind.FORWARD,
            rank,
            previous,
            replica=rank,
            block=block,
            rows=rows,
        )
        previous = [forwards[block]]
    previous = [add_task(tasks, Kind.LOSS, rank, previous, replica=rank, rows=rows)]
    backwards: dict[int, int] = {}
    for block in reversed(forwards):
        backwards[block] = add_task(
            tasks,
            Kind.BACKWARD,
            rank,
            [*previous, forwards[block]],
            replica=rank,
            block=block,
            rows=rows,
        )
        previous = [backwards[block]]
    return backwards


def _all_reduces(
    tasks: list[Task], job: Job, buckets: Buckets, backwards: list[dict[int, int]]
) -> list[list[int]]:
    """Add each rank's all-reduces, which start when the rank's gradients of a bucket are ready.

    A collective's span includes the wait for other ranks. Returns the all-reduces of each rank.
    """
    size = parameter_bytes(job.model)
    reduced: list[list[int]] = [[] for _ in backwards]
    for bucket, names in enumerate(buckets):
        # A bucket waits for the backward passes of all blocks with a parameter in it.
        bucket_blocks = {int(name.split(".")[0]) for name in names}
        for rank, by_block in enumerate(backwards):
            needs = [by_block[block] for block in bucket_blocks]
            task = add_task(
                tasks,
                Kind.ALL_REDUCE,
                len(job.lanes) + rank,
                needs,
                replica=rank,
                bucket=bucket,
                bytes=sum(size[name] for name in names),
                payload=Payload.PARAMETER_GRADIENTS,
            )
            reduced[rank].append(task)
    return reduced


STRATEGY = Strategy(
    "ddp",
    "Distributed data parallel",
    "A process for each lane, overlapped all-reduce.",
    plan,
    options=(BUCKET_MB,),
    collectives=collectives,
    complete=complete,
    rank_model="ddp",
    torch_engine="DdpEngine",
)
