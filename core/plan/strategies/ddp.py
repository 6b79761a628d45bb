"""Distributed data parallel: torch's own DistributedDataParallel, a process for each rank.

    rank 0        [F ][F ][L][B ][B ] .  .  U
    rank 0 comm    .   .   .  . [A0 ][A1 ]
    rank 1        [F ][F ][L][B ][B ] .  .  U
    rank 1 comm    .   .   .  . [A0 ][A1 ]

torch drives the ranks, so the plan is an expectation: gradient buckets are guessed as torch first
would, and the plan is completed with the buckets that torch reports (`complete`). With gloo a rank
has a second lane for collectives, for those that run beside another.
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
DEFAULT_BUCKET_MB = 25  # torch's own
FIRST_BUCKET_BYTES = 1024 * 1024  # torch.distributed._DEFAULT_FIRST_BUCKET_BYTES

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
    """Bytes of each parameter by its name in nn.Sequential of all blocks, in that order."""
    return {name: count * model.element_bytes for name, count in model.parameter_counts.items()}


def expected_buckets(model: ModelDescription, bucket_mb: float) -> Buckets:
    """Buckets in reverse order of the parameters, closed when they reach their limit.

    The first one closes at 1 MiB (`dist._DEFAULT_FIRST_BUCKET_BYTES`), the others at `bucket_mb`
    MiB: `_compute_bucket_assignment_by_size` of torch's reducer.
    """
    later = int(bucket_mb * 1024 * 1024)
    limit = min(FIRST_BUCKET_BYTES, later)
    buckets: list[tuple[str, ...]] = []
    names: list[str] = []
    size = 0
    # A backward pass makes the gradients of the last parameters first.
    for name, count in reversed(parameter_bytes(model).items()):
        names.append(name)
        size += count
        if size >= limit:
            buckets.append(tuple(names))
            names, size, limit = [], 0, later
    return tuple([*buckets, tuple(names)] if names else buckets)


def plan(job: Job) -> Plan:
    """The expectation before torch has reported its buckets."""
    return complete(job, collectives(job))


def collectives(job: Job) -> Collectives:
    """An all-reduce of each bucket that is expected."""
    buckets = expected_buckets(job.model, job[BUCKET_MB] or DEFAULT_BUCKET_MB)
    return tuple(
        Collective(Kind.ALL_REDUCE, Payload.PARAMETER_GRADIENTS, names) for names in buckets
    )


def complete(job: Job, collectives: Collectives) -> Plan:
    """The plan with the gradient buckets that torch uses; rows by `torch.tensor_split`."""
    sizes = tensor_split(job.rows, len(job.lanes))
    ranks = range(len(sizes))
    blocks = range(len(job.model.blocks))
    tasks: list[Task] = []
    backwards = [_compute(tasks, rank, blocks, sizes[rank]) for rank in ranks]
    buckets = tuple(collective.names for collective in collectives)
    # Gloo runs two collectives of a rank at once (ProcessGroupGloo's Options::threads).
    tracks = ("comm", "comm 2") if process_group(job.lanes) == GLOO else ("comm",)
    reduced = _all_reduces(tasks, job, buckets, backwards)
    for rank in ranks:
        add_task(tasks, Kind.STEP, rank, [backwards[rank][0], *reduced[rank]], replica=rank)
    return plan_of_ranks(job, tasks, *tracks)


def plan_of_ranks(job: Job, tasks: list[Task], *tracks: str) -> Plan:
    """The expected tasks of ranks that have the whole model, a lane and such `tracks` each."""
    sizes = tensor_split(job.rows, len(job.lanes))
    return Plan(
        tuple(with_helpers(list(job.lanes), Role.COMMUNICATION, *tracks)),
        (Stage(0, 0, len(job.model.blocks)),),
        tuple(Placement(rank, 0, rank) for rank in range(len(sizes))),
        tuple(Part(rank, 0, start, sizes[rank]) for rank, start in enumerate(starts(sizes))),
        TaskColumns.of(tasks),
        replicas=len(job.lanes),
        expected=True,
    )


def _compute(tasks: list[Task], rank: int, blocks: Iterable[int], rows: int) -> dict[int, int]:
    """A rank's forward, loss and backward tasks; returns its backward tasks by block."""
    forwards: dict[int, int] = {}
    previous: list[int] = []
    for block in blocks:
        forwards[block] = add_task(
            tasks, Kind.FORWARD, rank, previous, replica=rank, block=block, rows=rows
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
    """Each rank's all-reduces, launched when its own gradients of the bucket are ready.

    What the collective then waits for other ranks is part of its span.
    """
    size = parameter_bytes(job.model)
    reduced: list[list[int]] = [[] for _ in backwards]
    for bucket, names in enumerate(buckets):
        # A bucket is ready when the backward passes of all blocks with a parameter in it are over.
        touched = {int(name.split(".")[0]) for name in names}
        for rank, by_block in enumerate(backwards):
            needs = [by_block[block] for block in touched]
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
    torch_engine="Replicas",
)
