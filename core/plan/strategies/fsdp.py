"""Fully sharded data parallel: torch's own fully_shard (FSDP2), a process for each rank.

    rank 0        .  [F0][F1][F2][L ] .  [B2][B1] .  [B0] .  [U ]
    rank 0 comm [G0][G1][G2] .   .  [G2][G1][R2][G0][R1][R0] .
    rank 1        .  [F0][F1][F2][L ] .  [B2][B1] .  [B0] .  [U ]
    rank 1 comm [G0][G1][G2] .   .  [G2][G1][R2][G0][R1][R0] .

A rank holds a part of every parameter. A block's parameters are gathered (G) for its forward pass,
given up after it, gathered again for its backward pass, and its gradients are reduce-scattered (R)
behind that. The next block's parameters are asked for when those of a block have come, so that at
most two blocks are whole at a time. The root has no parameters beside its blocks', so that none
keeps its parameters after the forward pass, the last block neither.

torch drives the ranks, so the plan is an expectation: that every parameter is trained. It is
completed with the collectives that torch reports (`complete`).
"""

from __future__ import annotations

from collections import deque
from itertools import zip_longest

from core.models.description import ModelDescription
from core.plan.division import Collective, Collectives
from core.plan.plan import Job, Plan, Strategy
from core.plan.splits import tensor_split
from core.plan.strategies.ddp import parameter_bytes, plan_of_ranks
from core.plan.task import Kind, Payload, Task, add_task

Pass = tuple[Kind, int]
"""A forward or backward pass through a block; the one before the first is empty, the one behind the
last is the loss."""


def plan(job: Job) -> Plan:
    """The expectation before torch has reported its collectives."""
    return complete(job, collectives(job))


def collectives(job: Job) -> Collectives:
    """The collectives if every parameter is trained; there are none in one rank alone.

    In the order of torch's FSDPParamGroup: `pre_backward` asks for the block before the one whose
    backward pass begins, and `post_backward` reduces behind that pass.
    """
    held = [
        tuple(f"{index}.{name}" for name, _ in block.parameters)
        for index, block in enumerate(job.model.blocks)
        if block.parameters
    ]
    # A rank alone has nobody to gather from.
    if len(job.lanes) == 1:
        return ()
    gathers = [Collective(Kind.ALL_GATHER, Payload.PARAMETERS, names) for names in held]
    again = [
        Collective(Kind.ALL_GATHER, Payload.PARAMETERS_AGAIN, names) for names in reversed(held)
    ]
    reduces = [
        Collective(Kind.REDUCE_SCATTER, Payload.PARAMETER_GRADIENTS, names)
        for names in reversed(held)
    ]
    # In turn: the gathering for the next pass is asked for as a pass
    # begins, reducing follows its end.
    turns = zip_longest(again[1:], reduces)
    back = [collective for turn in turns for collective in turn if collective is not None]
    return (*gathers, *again[:1], *back)


def complete(job: Job, collectives: Collectives) -> Plan:
    """The plan with the collectives that torch runs; rows by `torch.tensor_split`."""
    tasks: list[Task] = []
    for rank, rows in enumerate(tensor_split(job.rows, len(job.lanes))):
        _RankTasks(tasks, job, rank, rows, collectives).add_all()
    return plan_of_ranks(job, tasks, "comm")


class _RankTasks:
    """Adds one rank's tasks: its passes in order, each collective behind the pass that asks."""

    def __init__(
        self, tasks: list[Task], job: Job, rank: int, rows: int, collectives: Collectives
    ) -> None:
        self._tasks, self._job, self._rank, self._rows = tasks, job, rank, rows
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
            self._tasks, kind, self._rank, after, replica=self._rank, block=block, rows=self._rows
        )
        self._passes[kind, block] = [task]

    def _add_ready(self) -> None:
        """Add the collectives, in their order, that the passes so far have asked for."""
        while self._queue:
            collective = self._queue[0]
            block = int(collective.names[0].split(".")[0])
            # The queue's order is kept even if a later collective could begin:
            # torch runs them in one stream.
            asked = self._passes.get(self._asked_behind(collective, block))
            if asked is None:
                return
            self._add_collective(self._queue.popleft(), block, asked)

    def _asked_behind(self, collective: Collective, block: int) -> Pass:
        """Key (kind, block) of the pass after which FSDP launches the collective.

        Gradients are reduced behind the block's own pass. Parameters are asked for by the block
        that was gathered before, as its pass begins; the first of all by their own block.
        """
        if collective.kind is Kind.REDUCE_SCATTER:
            return Kind.BACKWARD, block
        asking = self._gathered_last.get(collective.payload, block)
        if collective.payload is Payload.PARAMETERS:
            return Kind.FORWARD, asking - 1
        return Kind.BACKWARD, asking + 1

    def _add_collective(self, collective: Collective, block: int, asked: list[int]) -> None:
        task = add_task(
            self._tasks,
            collective.kind,
            len(self._job.lanes) + self._rank,
            asked,
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
    """A rank keeps its share; at most two blocks' parameters are whole at a time."""
    blocks = [model.run_bytes(block, block + 1) for block in range(len(model.blocks))]
    # Which two blocks are whole at a time depends on the moment: at most it is the two largest.
    return whole // plan.replicas + sum(sorted(blocks)[-2:])


STRATEGY = Strategy(
    "fsdp",
    "Fully sharded data parallel",
    "A process for each lane, which holds a part of every parameter.",
    plan,
    collectives=collectives,
    complete=complete,
    rank_model="fsdp",
    torch_engine="Shards",
    kept_bytes=kept_bytes,
)
