"""What torch does in the ranks of a strategy, done in one process: for virtual lanes.

A rank's blocks are stages of a replica of its own (core.plan.by_blocks). Where parameters are
gathered, each rank keeps a part of every parameter (of its first dimension, as fully_shard does),
and the whole of it only from its gathering until its block's pass is over.

Every member of a collective does its own part of it, when the last rank has come. What the other
members still read is changed by the last of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from core.engine.lanes import memory
from core.engine.lanes.operations import Operations, Step, Work
from core.engine.lanes.step_counters import inside, outside
from core.engine.lanes.timestamps import Stamps
from core.engine.models.modules import Batch
from core.engine.models.stage_module import copy_to
from core.engine.models.workload import gradients_of, make_optimizer
from core.engine.prepare import Prepared
from core.plan.by_blocks import by_blocks
from core.plan.specification import job_of
from core.plan.task import Kind, Payload, Plan, PlanError, Task
from core.recording.schema import Record
from core.recording.writer import NoteRow

Parameters = dict[str, nn.Parameter]


class Change(NamedTuple):
    """What a rank holds, in bytes, from the end of a task on (None: from the step's begin)."""

    task: int | None
    name: str
    rank: int
    bytes: int


class RankOps(Operations):
    """Runs the tasks of a plan of ranks. A task raises PlanError for what torch would refuse."""

    def __init__(self, prepared: Prepared) -> None:
        self._plans = {rows: by_blocks(plan) for rows, plan in prepared.plans.items()}
        super().__init__(replace(prepared, plans=self._plans))
        self._collectives = _collectives(prepared)
        self._names: dict[int, tuple[str, ...]] = {}
        self._ranks = range(len(prepared.lanes))
        self._whole: list[Parameters] = [{} for _ in self._ranks]
        for (rank, _, _), module in sorted(self.stages.items()):
            self._whole[rank].update(module.parameters)
        # What a rank keeps and steps: its part of every parameter, or all of it.
        self._parts = self._whole
        self._sizes = {name: p.nbytes for name, p in self._whole[0].items()}
        self._is_sharded = any(payload is Payload.PARAMETERS for payload, _ in self._collectives)
        if self._is_sharded:
            self._parts = [self._divided(rank) for rank in self._ranks]
            self._rows = {name: self._rows_of(name) for name in self._sizes}
            for rank in self._ranks:
                self._give_up(rank, self._whole[rank])
        specification = prepared.specification
        self._optimizers = [
            make_optimizer(specification, list(parts.values())) for parts in self._parts
        ]
        self._sums: list[dict[str, Tensor]] = [{} for _ in self._ranks]
        self._done = Counter[tuple[str, ...]]()
        self._held: dict[str, Counter[int]] = {}
        self._changes: list[Change] = []
        self._task: int | None = None

    @property
    def optimizers(self) -> list[torch.optim.Optimizer]:
        """A rank steps all its parameters at once."""
        return [optimizer for optimizer in self._optimizers if optimizer is not None]

    def begin(self, index: int, plan: Plan, batch: Batch) -> Step:
        """Prepare a step: no gradients, each rank's rows where it computes."""
        step = super().begin(index, self._plans[plan.rows], batch)
        self._names = _names(step.plan, [names for _, names in self._collectives])
        for parameter in (p for parts in self._parts for p in parts.values()):
            parameter.grad = None
        self._changes, self._task, self._held = [], None, defaultdict(Counter)
        for rank in self._ranks:
            self._hold("parameters", rank, sum(p.nbytes for p in self._parts[rank].values()))
            self._hold("gradients", rank, 0)
        return step

    def run(self, task: Task, stamps: Stamps) -> list[Tensor]:
        """Run a task, by its number in the plan of ranks."""
        self._task = task.index
        return super().run(self.step.plan.tasks[task.index], stamps)

    def owned_gradients(self) -> list[dict[str, Tensor]]:
        """The step's gradients by full parameter name, of every rank that has all of them."""
        return self._joined([gradients_of(parts) for parts in self._parts])

    def owned_parameters(self) -> list[dict[str, Tensor]]:
        """Clones of the parameters by full name, of every rank that has all of them."""
        return self._joined(
            [{name: p.detach().clone() for name, p in parts.items()} for parts in self._parts]
        )

    def closed(self, step: Step, began: int, ends: list[int], activations: list[int]) -> ClosedStep:
        """What is to be told of a step that has just ended."""
        return ClosedStep(step, began, ends, activations, self._changes)

    def _joined(self, tensors: list[dict[str, Tensor]]) -> list[dict[str, Tensor]]:
        if not self._is_sharded:
            return tensors
        return [{name: torch.cat([each[name] for each in tensors]) for name in tensors[0]}]

    def _divided(self, rank: int) -> Parameters:
        """A rank's part of every parameter; an empty one where there are fewer rows than ranks."""
        count = len(self._ranks)
        parts: Parameters = {}
        for name, whole in self._whole[rank].items():
            size = -(-len(whole) // count)
            part = whole.detach()[rank * size : (rank + 1) * size].clone()
            parts[name] = nn.Parameter(part, requires_grad=whole.requires_grad)
        return parts

    def _rows_of(self, name: str) -> list[slice]:
        """Which rows of a whole parameter are each rank's."""
        ends = [0, *accumulate(len(parts[name]) for parts in self._parts)]
        return [slice(*pair) for pair in pairwise(ends)]

    def _give_up(self, rank: int, names: Iterable[str]) -> None:
        """Let a rank keep only its parts. Autograd goes on knowing the empty tensors."""
        for name in names:
            self._whole[rank][name].untyped_storage().resize_(0)

    def _hold(self, name: str, rank: int, change: int) -> None:
        """Note that a rank holds more, or less."""
        self._held[name][rank] += change
        self._changes.append(Change(self._task, name, rank, self._held[name][rank]))

    def _is_last(self, names: tuple[str, ...]) -> bool:
        """Whether this was the last of all ranks to do its part of a collective."""
        self._done[names] = (self._done[names] + 1) % len(self._ranks)
        return self._done[names] == 0

    # Tasks

    def _forward(self, step: Step, task: Task) -> Work:
        yield from super()._forward(step, task)
        self._leave_block(task)

    def _backward(self, step: Step, task: Task) -> Work:
        yield from super()._backward(step, task)
        self._leave_block(task)
        made = self._module(task.replica or 0, task).gradients().values()
        self._hold("gradients", task.replica or 0, sum(gradient.nbytes for gradient in made))

    def _leave_block(self, task: Task) -> None:
        """A pass is over: the block's whole parameters are given up, if they were gathered."""
        if self._is_sharded:
            rank, names = task.replica or 0, self._module(task.replica or 0, task).parameters
            self._give_up(rank, names)
            self._hold("parameters", rank, -sum(self._sizes[name] for name in names))

    def _all_gather(self, step: Step, task: Task) -> Work:
        rank, names = task.replica or 0, self._names[task.index]
        yield []
        for name in names:
            whole = self._whole[rank][name]
            whole.untyped_storage().resize_(self._sizes[name])
            for other in self._ranks:
                # Autograd takes its saved parameters for the same; through `data` they are.
                mine = whole.data[self._rows[name][other]]
                mine.copy_(self._parts[other][name].detach(), non_blocking=True)
        yield
        self._hold("parameters", rank, sum(self._sizes[name] for name in names))

    def _all_reduce(self, step: Step, task: Task) -> Work:
        rank, names = task.replica or 0, self._trained(self._names[task.index])
        device = self._devices[self.stages[rank, 0, 0].lane]
        gradients = {name: [self._gradient(other, name) for other in self._ranks] for name in names}
        yield [gradient for each in gradients.values() for gradient in each]
        sums = {name: _sum(device, each) for name, each in gradients.items()}
        yield
        self._sums[rank] |= sums
        if self._is_last(names):
            for other in self._ranks:
                for name in names:
                    self._whole[other][name].grad = self._sums[other].pop(name)

    def _reduce_scatter(self, step: Step, task: Task) -> Work:
        rank, names = task.replica or 0, self._trained(self._names[task.index])
        device = self._devices[self.stages[rank, 0, 0].lane]
        gradients = {
            name: [self._gradient(other, name)[self._rows[name][rank]] for other in self._ranks]
            for name in names
        }
        yield [gradient for each in gradients.values() for gradient in each]
        for name, each in gradients.items():
            self._parts[rank][name].grad = _sum(device, each)
        yield
        parts = sum(self._parts[rank][name].nbytes for name in names)
        self._hold("gradients", rank, parts - sum(self._sizes[name] for name in names))
        if self._is_last(names):
            for other in self._ranks:
                for name in names:
                    self._whole[other][name].grad = None

    def _update(self, step: Step, task: Task) -> Work:
        rank = task.replica or 0
        optimizer = self._optimizers[rank]
        yield []
        if optimizer is not None:
            optimizer.step()
        yield
        if optimizer is not None:
            before = self._held["optimizer"][rank]
            self._hold("optimizer", rank, memory.optimizer_bytes(optimizer) - before)

    def _trained(self, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if self._whole[0][name].requires_grad)

    def _gradient(self, rank: int, name: str) -> Tensor:
        """Raises PlanError if there is none: ranks would wait for it for ever."""
        gradient = self._whole[rank][name].grad
        if gradient is None:
            raise PlanError(
                f"no gradient for {name}: ranks wait for that of every trained parameter; use "
                "it in the forward pass, or freeze it with requires_grad_(False)"
            )
        return gradient

    work_of: ClassVar = {
        **Operations.work_of,
        Kind.FORWARD: _forward,
        Kind.BACKWARD: _backward,
        Kind.ALL_GATHER: _all_gather,
        Kind.ALL_REDUCE: _all_reduce,
        Kind.REDUCE_SCATTER: _reduce_scatter,
        Kind.STEP: _update,
    }


@dataclass(frozen=True, slots=True)
class ClosedStep:
    """A step of ranks whose tasks have all ended.

    `began` and the `ends` of tasks are in ns; `activations` are what their lanes held then.
    """

    step: Step
    began: int
    ends: list[int]
    activations: list[int]
    changes: list[Change]

    def rows(self) -> Iterator[NoteRow]:
        """Its counters, of each in order of time, and its lines."""
        number, plan = self.step.index, self.step.plan
        for change in self.changes:
            time = self.began if change.task is None else self.ends[change.task]
            yield NoteRow(Record.COUNTER, change.name, time, number, change.rank, change.bytes)
        for task, end, held in zip(plan.tasks, self.ends, self.activations, strict=True):
            yield NoteRow(Record.COUNTER, "activations", end, number, task.lane, held)
        last = len(plan.stages) - 1
        shapes = {
            (task.replica, task.stage): (task.index, self.step.shapes[task.index])
            for task in plan.tasks
            if task.kind is Kind.FORWARD and task.stage in (0, last)
        }
        for rank in range(len(plan.parts)):
            (_, (entered, _)), (forward, (_, left)) = shapes[rank, 0], shapes[rank, last]
            yield self._line(inside(None, entered, left), self.ends[forward])
        yield self._line(outside(self.step.batch_shape, self.step.output_shape), max(self.ends))

    def _line(self, text: str, time: int) -> NoteRow:
        return NoteRow(Record.LOG, "size", time, self.step.index, text=text)


def _collectives(prepared: Prepared) -> list[tuple[Payload, tuple[str, ...]]]:
    """What each rank's collectives move, and the parameters, in order."""
    job = job_of(
        prepared.specification, prepared.model, list(prepared.lanes), prepared.plan_list[0].rows
    )
    collectives = prepared.strategy.collectives
    assert collectives is not None
    return [(each.payload, each.names) for each in collectives(job)]


def _names(plan: Plan, names: Sequence[tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    """The parameters of each collective of a plan, by the task's number: every rank has all."""
    turns = Counter[int | None]()
    found = {}
    for task in plan.tasks:
        if task.kind.is_collective:
            found[task.index] = names[turns[task.replica]]
            turns[task.replica] += 1
    return found


def _sum(device: torch.device, tensors: Sequence[Tensor]) -> Tensor:
    """In the order of the ranks, so that all of them get the same bits."""
    total = copy_to(device, tensors[0])
    for tensor in tensors[1:]:
        total.add_(tensor)
    return total
