"""Fully sharded data parallel: torch's own fully_shard (FSDP2), a process for each rank.

    rank 0        .  [F0][F1][F2][L ] .  [B2][B1] .  [B0] .  [U ]
    rank 0 comm [G0][G1][G2] .   .  [G2][G1][R2][G0][R1][R0] .
    rank 1        .  [F0][F1][F2][L ] .  [B2][B1] .  [B0] .  [U ]
    rank 1 comm [G0][G1][G2] .   .  [G2][G1][R2][G0][R1][R0] .

A rank holds a part of every parameter. A block's parameters are gathered (G) for its forward pass,
freed after it and gathered again for its backward pass, after which its gradients are
reduce-scattered (R). The next block's parameters are requested once a block's own have arrived, so
at most two blocks are whole at a time. The root module has no parameters outside its blocks, so
that no block, not even the last, keeps its parameters after the forward pass.

Frozen parameters are gathered like others, but have no gradients. Blocks before the first trained
one have no backward pass; the last of them is gathered for it in vain, because the next block
requests it.

torch drives the ranks, so the first plan is only expected. `complete` creates the plan from the
collectives that torch reports.
"""

from __future__ import annotations

from collections import deque

from core.models.description import ModelDescription
from core.plan.division import Collective, Collectives
from core.plan.plan import Job, Plan, Strategy
from core.plan.splits import tensor_split
from core.plan.strategies.ddp import parameter_bytes, plan_of_ranks, trained_names
from core.plan.task import Kind, Payload, Task, add_task

Pass = tuple[Kind, int]
"""Kind and block of a pass. Forward block -1 is the start, and backward block n is the loss."""


def plan(job: Job) -> Plan:
    """Return the expected plan, before torch has reported its collectives."""
    return complete(job, collectives(job))


def collectives(job: Job) -> Collectives:
    """Return the expected collectives; a single rank has none.

    The order is taken from torch's FSDPParamGroup: `pre_backward` requests the block before the one
    whose backward pass begins, and `post_backward` reduces after that pass.
    """
    if len(job.lanes) == 1:
        return ()
    held: list[tuple[str, ...]] = []
    trained: list[tuple[str, ...]] = []
    for index, block in enumerate(job.model.blocks):
        if block.parameters:
            held.append(tuple(f"{index}.{name}" for name, _ in block.parameters))
            trained.append(trained_names(job.model, [index]))
    gathers = [Collective(Kind.ALL_GATHER, Payload.PARAMETERS, names) for names in held]
    # A backward pass goes from the last block to the first one with trained parameters.
    first_trained = next((place for place, names in enumerate(trained) if names), len(held))
    back: list[Collective] = []
    if first_trained < len(held):
        back.append(Collective(Kind.ALL_GATHER, Payload.PARAMETERS_AGAIN, held[-1]))
    for place in reversed(range(first_trained, len(held))):
        # A pass requests the gather of the block before it when it begins. Its reduction follows
        # when it ends.
        if place > 0:
            back.append(Collective(Kind.ALL_GATHER, Payload.PARAMETERS_AGAIN, held[place - 1]))
        if trained[place]:
            reduced = trained[place]
            back.append(Collective(Kind.REDUCE_SCATTER, Payload.PARAMETER_GRADIENTS, reduced))
    return (*gathers, *back)


def complete(job: Job, collectives: Collectives) -> Plan:
    """Return the plan with torch's collectives; rows are split by `torch.tensor_split`."""
    tasks: list[Task] = []
    for rank, rows in enumerate(tensor_split(job.rows, len(job.lanes))):
        _RankTasks(tasks, job, rank, rows, collectives).add_all()
    return plan_of_ranks(job, tasks, "comm")


class _RankTasks:
    """Adds one rank's tasks: passes in order, each collective after the pass that launches it."""

    def __init__(
        self, tasks: list[Task], job: Job, rank: int, rows: int, collectives: Collectives
    ) -> None:
        self._tasks = tasks
        self._job = job
        self._rank = rank
        self._rows = rows
        self._queue = deque(collectives)
        self._sizes = parameter_bytes(job.model)
        self._passes: dict[Pass, list[int]] = {(Kind.FORWARD, -1): []}
        self._gathered: dict[tuple[Payload, int], int] = {}
        self._gathered_last: dict[Payload, int] = {}
        self._reduced: list[int] = []

    def add_all(self) -> None:
        """Add forward passes, loss, backward passes and the step."""
        blocks = range(len(self._job.model.blocks))
        for block in blocks:
            self._add_ready()
            after = self._passes[Kind.FORWARD, block - 1]
            self._add_pass(Kind.FORWARD, block, after, Payload.PARAMETERS)
        forwards = self._passes[Kind.FORWARD, len(blocks) - 1]
        self._passes[Kind.BACKWARD, len(blocks)] = [
            add_task(
                self._tasks, Kind.LOSS, self._rank, forwards, replica=self._rank, rows=self._rows
            )
        ]
        for block in reversed(blocks):
            self._add_ready()
            after = [
                *self._passes[Kind.BACKWARD, block + 1],
                *self._passes[Kind.FORWARD, block],
            ]
            self._add_pass(Kind.BACKWARD, block, after, Payload.PARAMETERS_AGAIN)
        self._add_ready()
        last = self._passes[Kind.BACKWARD, 0]
        add_task(self._tasks, Kind.STEP, self._rank, [*last, *self._reduced], replica=self._rank)

    def _add_pass(self, kind: Kind, block: int, after: list[int], payload: Payload) -> None:
        gathered = self._gathered.get((payload, block))
        if gathered is not None:
            after = [*after, gathered]
        task = add_task(
            self._tasks,
            kind,
            self._rank,
            after,
            replica=self._rank,
            block=block,
            rows=self._rows,
        )
        self._passes[kind, block] = [task]

    def _add_ready(self) -> None:
        """Add, in order, the collectives that the passes so far have launched."""
        while self._queue:
            collective = self._queue[0]
            block = int(collective.names[0].split(".")[0])
            # torch runs collectives in one stream: a later one waits for this one.
            after = self._passes.get(self._launched_after(collective, block))
            if after is None:
                return
            self._add_collective(self._queue.popleft(), block, after)

    def _launched_after(self, collective: Collective, block: int) -> Pass:
        """Return the pass after which FSDP launches the collective.

        Gradients are reduced after the block's own backward. Parameters are requested when the pass
        of the previously gathered block begins; the first block's, when its own pass begins.
        """
        if collective.kind is Kind.REDUCE_SCATTER:
            return Kind.BACKWARD, block
        requesting = self._gathered_last.get(collective.payload, block)
        if collective.payload is Payload.PARAMETERS:
            return Kind.FORWARD, requesting - 1
        return Kind.BACKWARD, requesting + 1

    def _add_collective(self, collective: Collective, block: int, after: list[int]) -> None:
        task = add_task(
            self._tasks,
            collective.kind,
            len(self._job.lanes) + self._rank,
            after,
            replica=self._rank,
            block=block,
            bytes=sum(self._sizes[name] for name in collective.names),
            payload=collective.payload,
        )
        if collective.kind is Kind.REDUCE_SCATTER:
            self._reduced.append(task)
        else:
            self._gathered[collective.payload, block] = task
            self._gathered_last[collective.payload] = block


def kept_bytes(whole: int, model: ModelDescription, plan: Plan) -> int:
    """Return the bytes of a rank's share plus the two largest blocks."""
    blocks = [model.blocks_bytes(block, block + 1) for block in range(len(model.blocks))]
    # At most two blocks' parameters are whole at a time; the two largest are the worst case.
    two_largest = sorted(blocks)[-2:]
    return whole // plan.replicas + sum(two_largest)


STRATEGY = Strategy(
    "fsdp",
    "Fully sharded data parallel",
    "A process for each lane, which holds a part of every parameter.",
    plan,
    collectives=collectives,
    complete=complete,
    rank_model="fsdp",
    torch_engine="FsdpEngine",
    kept_bytes=kept_bytes,
)
