"""Runs in one process what torch does in the ranks of a strategy, for virtual lanes.

A rank is a replica whose stages are blocks (core.plan.by_blocks). If parameters are sharded
(rank_replicas.py), a rank has a whole parameter only from its all-gather until the end of its
block's pass.

Every member of a collective computes its own part when the last rank has arrived. The last member
changes the tensors that the other members read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor

from core.engine.lanes import memory
from core.engine.lanes.lane import Stamps
from core.engine.models.modules import Batch
from core.engine.models.stage_module import sum_on
from core.engine.prepare import Prepared
from core.engine.tasks.operations import Operations, TaskWork
from core.engine.tasks.step_counters import batch_size_text, forward_size_text, size_line
from core.engine.tasks.values import StepState
from core.engine.virtual.rank_replicas import RankReplicas
from core.plan.by_blocks import by_blocks
from core.plan.division import Collectives
from core.plan.plan import Plan
from core.plan.planning import job_of
from core.plan.task import Kind, Payload, StagePlace, Task
from core.recording.schema import NoteRow, Record


class MemoryChange(NamedTuple):
    """A change of a rank's memory by `bytes` at the end of a task; None is the start of the step.

    It stores a task instead of a time, because the task's end in virtual time is known only after
    its work.
    """

    task: int | None
    name: str
    rank: int
    bytes: int


class RankOps(Operations):
    """Runs the tasks of a plan of ranks. A task raises PlanError if torch would not support it."""

    def __init__(self, prepared: Prepared) -> None:
        self._plans = {rows: by_blocks(plan) for rows, plan in prepared.plans.items()}
        self._collectives = _collectives(prepared)
        is_sharded = any(each.payload is Payload.PARAMETERS for each in self._collectives)
        by_block = replace(prepared, plans=self._plans)
        self.model: RankReplicas = RankReplicas(by_block, is_sharded)
        super().__init__(by_block, self.model)
        trained = [index for index, block in enumerate(prepared.model.blocks) if block.trained]
        self._first_trained = min(trained, default=0)
        self._names: dict[int, tuple[str, ...]] = {}
        # By rank, the sums of an all-reduce that not all ranks have computed yet.
        self._sums: list[dict[str, Tensor]] = []
        # For the parameters of a collective, the number of ranks that have computed their part; 0
        # again after the last one.
        self._done = Counter[tuple[str, ...]]()
        self._changes: list[MemoryChange] = []
        self._task: int | None = None

    def begin(self, index: int, plan: Plan, batch: Batch) -> StepState:
        """Start a step: clear gradients, and copy each rank's rows to its lane."""
        step = super().begin(index, self._plans[plan.rows], batch)
        self._names = _names(step.plan, self._collectives)
        self._sums = [{} for _ in self.model.ranks]
        self._done.clear()  # a rehearsal may have ended within a collective
        self._changes = []
        self._task = None
        for rank in self.model.ranks:
            parts = self.model.parts[rank].values()
            self._note_change("parameters", rank, sum(part.nbytes for part in parts))
            self._note_change("gradients", rank, 0)
        return step

    def run(self, task: Task, stamps: Stamps) -> list[Tensor]:
        """Run a task, by its number in the plan of ranks."""
        self._task = task.index
        # The caller has the plan of ranks, whose passes name a block. In the plan by blocks the
        # same task has the same number, with the stage whose module it uses.
        return super().run(self.step.plan.tasks[task.index], stamps)

    def counter_rows(
        self, step: StepState, began: int, ends: list[int], activations: list[int]
    ) -> Iterator[NoteRow]:
        """Yield the counters of a step that has just ended, each in order of time, and its lines.

        `began` and the `ends` of tasks are in ns. `activations` has the bytes that each task's lane
        held at the end of the task.
        """
        yield from self._memory_rows(step, began, ends)
        for task, end, size in zip(step.plan.tasks, ends, activations, strict=True):
            yield NoteRow(Record.COUNTER, "activations", end, step.index, task.lane, size)
        last = len(step.plan.stages) - 1
        forwards: dict[tuple[int, int], int] = {}
        for task in step.plan.tasks:
            if task.kind is Kind.FORWARD:
                place = task.place
                forwards[place.replica, place.stage] = task.index
        for rank in self.model.ranks:
            first_forward = forwards[rank, 0]
            last_forward = forwards[rank, last]
            input_shape, _ = step.shapes[first_forward]
            _, output_shape = step.shapes[last_forward]
            text = forward_size_text(None, input_shape, output_shape)
            yield size_line(step, text, ends[last_forward])
        text = batch_size_text(step.batch_shape, step.output_shape)
        yield size_line(step, text, max(ends))

    def _memory_rows(self, step: StepState, began: int, ends: Sequence[int]) -> Iterator[NoteRow]:
        """Yield counters for the changes of memory, in order of time."""

        def time_of(change: MemoryChange) -> int:
            return began if change.task is None else ends[change.task]

        held = Counter[tuple[str, int]]()
        # Sorted, because tasks run in the order of their starts, not of their ends.
        for change in sorted(self._changes, key=time_of):
            held[change.name, change.rank] += change.bytes
            size = held[change.name, change.rank]
            time = time_of(change)
            yield NoteRow(Record.COUNTER, change.name, time, step.index, change.rank, size)

    def _note_change(self, name: str, rank: int, size: int) -> None:
        """Record that a rank holds `size` bytes more, or less if it is negative."""
        self._changes.append(MemoryChange(self._task, name, rank, size))

    def _count_done(self, names: tuple[str, ...]) -> bool:
        """Count a rank that has computed its part of a collective; return True for the last one."""
        done = self._done[names] + 1
        is_last = done == len(self.model.ranks)
        self._done[names] = 0 if is_last else done
        return is_last

    def _needs_gradient(self, task: Task) -> bool:
        """Return True if an earlier block has trained parameters, as in autograd's whole graph."""
        return task.place.stage > self._first_trained

    # The kinds of tasks.

    def _forward(self, step: StepState, task: Task) -> TaskWork:
        yield from super()._forward(step, task)
        self._leave_block(task)

    def _backward(self, step: StepState, task: Task) -> TaskWork:
        yield from super()._backward(step, task)
        self._leave_block(task)
        # Autograd has accumulated the gradients of whole parameters. If parameters are sharded, the
        # reduce-scatter frees them.
        gradients = self.model.of(task.replica, task).gradients().values()
        size = sum(gradient.nbytes for gradient in gradients)
        self._note_change("gradients", task.place.replica, size)

    def _leave_block(self, task: Task) -> None:
        """Free the block's whole parameters after a pass, if they are sharded."""
        if self.model.is_sharded:
            rank = task.place.replica
            names = self.model.of(task.replica, task).parameters
            # Blocks before the first trained one were not gathered for their backward pass.
            freed = self.model.reshard(rank, names)
            self._note_change("parameters", rank, -freed)

    def _whole_bytes(self, names: Iterable[str]) -> int:
        """Return the bytes of whole parameters."""
        return sum(self.model.sizes[name] for name in names)

    def _all_gather(self, step: StepState, task: Task) -> TaskWork:
        rank = task.place.replica
        names = self._names[task.index]
        yield []
        self.model.unshard(rank, names)
        yield
        self._note_change("parameters", rank, self._whole_bytes(names))

    def _all_reduce(self, step: StepState, task: Task) -> TaskWork:
        rank = task.place.replica
        names = self._names[task.index]
        device = self._device_of(rank)
        gradients: dict[str, list[Tensor]] = {}
        for name in names:
            gradients[name] = self.model.gradients_of_ranks(name)
        yield list(chain.from_iterable(gradients.values()))
        # A sum, not a mean. The loss of every rank is already weighted by its share of the rows
        # (Operations._loss_of), so the sum is the gradient of the mean over the whole batch.
        sums = {name: sum_on(device, of_ranks) for name, of_ranks in gradients.items()}
        yield
        # The members of a collective run one after the other here, and each reads the gradients of
        # all ranks. So the sums replace the gradients only after the last member.
        self._sums[rank] |= sums
        if self._count_done(names):
            for other in self.model.ranks:
                for name in names:
                    self.model.whole[other][name].grad = self._sums[other].pop(name)

    def _reduce_scatter(self, step: StepState, task: Task) -> TaskWork:
        rank = task.place.replica
        names = self._names[task.index]
        device = self._device_of(rank)
        gradients: dict[str, list[Tensor]] = {}
        for name in names:
            rows = self.model.rows[name][rank]
            whole = self.model.gradients_of_ranks(name)
            gradients[name] = [gradient[rows] for gradient in whole]
        yield list(chain.from_iterable(gradients.values()))
        for name, of_ranks in gradients.items():
            # Only the rank itself reads its part, so this need not wait for the other members.
            self.model.parts[rank][name].grad = sum_on(device, of_ranks)
        yield
        size = sum(self.model.parts[rank][name].nbytes for name in names)
        self._note_change("gradients", rank, size - self._whole_bytes(names))
        if self._count_done(names):
            for other in self.model.ranks:
                for name in names:
                    self.model.whole[other][name].grad = None

    def _device_of(self, rank: int) -> torch.device:
        first_stage = StagePlace(rank, stage=0, shard=0)
        lane = self.model.stages[first_stage].lane
        return self._devices[lane]

    def _update(self, step: StepState, task: Task) -> TaskWork:
        rank = task.place.replica
        optimizer = self.model.rank_optimizers[rank]
        yield []
        if optimizer is not None:
            optimizer.step()
        yield
        if optimizer is not None:
            self._note_change("optimizer", rank, memory.optimizer_bytes(optimizer))

    work_of: ClassVar = {
        **Operations.work_of,
        Kind.FORWARD: _forward,
        Kind.BACKWARD: _backward,
        Kind.ALL_GATHER: _all_gather,
        Kind.ALL_REDUCE: _all_reduce,
        Kind.REDUCE_SCATTER: _reduce_scatter,
        Kind.STEP: _update,
    }


def _collectives(prepared: Prepared) -> Collectives:
    """Return the collectives that each rank runs, in order."""
    rows = prepared.plan_list[0].rows
    job = job_of(prepared.specification, prepared.model, list(prepared.lanes), rows)
    collectives = prepared.strategy.collectives
    assert collectives is not None
    return collectives(job)


def _names(plan: Plan, collectives: Collectives) -> dict[int, tuple[str, ...]]:
    """Return the parameters of each collective of a plan, by the task's number."""
    of_rank: dict[int | None, list[int]] = defaultdict(list)
    for task in plan.tasks:
        if task.kind.is_collective:
            of_rank[task.replica].append(task.index)
    names: dict[int, tuple[str, ...]] = {}
    for indices in of_rank.values():
        # Every rank runs all collectives in the same order.
        for index, collective in zip(indices, collectives, strict=True):
            names[index] = collective.names
    return names
