"""What torch does in the ranks of a strategy, done in one process: for virtual lanes.

A rank's blocks are stages of a replica of its own (core.plan.by_blocks). Where parameters are
sharded (rank_replicas.py), a rank has the whole of one only from its gathering until its block's
pass is over.

Every member of a collective does its own part of it, when the last rank has come. What the other
members still read is changed by the last of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar, NamedTuple

from torch import Tensor

from core.engine.lanes import memory
from core.engine.lanes.lane import Stamps
from core.engine.models.modules import Batch
from core.engine.models.stage_module import sum_on
from core.engine.prepare import Prepared
from core.engine.tasks.operations import Operations, Work
from core.engine.tasks.step_counters import inside, outside, size_line
from core.engine.tasks.values import Step
from core.engine.virtual.rank_replicas import RankReplicas
from core.plan.by_blocks import by_blocks
from core.plan.division import Collectives
from core.plan.plan import Plan
from core.plan.planning import job_of
from core.plan.task import Kind, Payload, Task
from core.recording.schema import NoteRow, Record


class Change(NamedTuple):
    """By how many bytes a rank holds more from the end of a task on (None: the step's begin).

    A task, not a time: the end in virtual time is known only when the task's work has been done.
    """

    task: int | None
    name: str
    rank: int
    bytes: int


class RankOps(Operations):
    """Runs the tasks of a plan of ranks. A task raises PlanError for what torch would refuse."""

    def __init__(self, prepared: Prepared) -> None:
        self._plans = {rows: by_blocks(plan) for rows, plan in prepared.plans.items()}
        self._collectives = _collectives(prepared)
        is_sharded = any(each.payload is Payload.PARAMETERS for each in self._collectives)
        by_block = replace(prepared, plans=self._plans)
        self.model: RankReplicas = RankReplicas(by_block, is_sharded)
        super().__init__(by_block, self.model)
        self._names: dict[int, tuple[str, ...]] = {}
        # By rank, the sums of an all-reduce that not all ranks have made yet.
        self._sums: list[dict[str, Tensor]] = [{} for _ in self.model.ranks]
        # How many ranks are through with a collective, by its parameters; back at 0 when the last
        # one is.
        self._done = Counter[tuple[str, ...]]()
        self._changes: list[Change] = []
        self._task: int | None = None

    def begin(self, index: int, plan: Plan, batch: Batch) -> Step:
        """Prepare a step: no gradients, each rank's rows where it computes."""
        step = super().begin(index, self._plans[plan.rows], batch)
        self._names = _names(step.plan, self._collectives)
        self._changes, self._task = [], None
        for rank in self.model.ranks:
            self._hold("parameters", rank, sum(p.nbytes for p in self.model.parts[rank].values()))
            self._hold("gradients", rank, 0)
        return step

    def run(self, task: Task, stamps: Stamps) -> list[Tensor]:
        """Run a task, by its number in the plan of ranks."""
        self._task = task.index
        # Whoever runs the step has the plan of ranks, whose passes name a block. The plan by blocks
        # has the same task under the same number, with the stage in which the module is found.
        return super().run(self.step.plan.tasks[task.index], stamps)

    def closed_rows(
        self, step: Step, began: int, ends: list[int], activations: list[int]
    ) -> Iterator[NoteRow]:
        """The counters of a step that has just ended, of each in order of time, and its lines.

        `began` and the `ends` of tasks are in ns; `activations` are what their lanes held then.
        """
        # Tasks run in the order in which they begin, and may end in another one.
        timed = [
            (began if change.task is None else ends[change.task], change)
            for change in self._changes
        ]
        held = Counter[tuple[str, int]]()
        for time, change in sorted(timed, key=lambda each: each[0]):
            held[change.name, change.rank] += change.bytes
            size = held[change.name, change.rank]
            yield NoteRow(Record.COUNTER, change.name, time, step.index, change.rank, size)
        for task, end, size in zip(step.plan.tasks, ends, activations, strict=True):
            yield NoteRow(Record.COUNTER, "activations", end, step.index, task.lane, size)
        last = len(step.plan.stages) - 1
        shapes = {
            (task.replica, task.stage): (task.index, step.shapes[task.index])
            for task in step.plan.tasks
            if task.kind is Kind.FORWARD and task.stage in (0, last)
        }
        for rank in self.model.ranks:
            (_, (entered, _)), (forward, (_, left)) = shapes[rank, 0], shapes[rank, last]
            yield size_line(step, inside(None, entered, left), ends[forward])
        yield size_line(step, outside(step.batch_shape, step.output_shape), max(ends))

    def _hold(self, name: str, rank: int, change: int) -> None:
        """Note that a rank holds more, or less, by so many bytes."""
        self._changes.append(Change(self._task, name, rank, change))

    def _is_last(self, names: tuple[str, ...]) -> bool:
        """Whether this was the last of all ranks to do its part of a collective."""
        self._done[names] = (self._done[names] + 1) % len(self.model.ranks)
        return self._done[names] == 0

    # Tasks

    def _forward(self, step: Step, task: Task) -> Work:
        yield from super()._forward(step, task)
        self._leave_block(task)

    def _backward(self, step: Step, task: Task) -> Work:
        yield from super()._backward(step, task)
        self._leave_block(task)
        # Autograd has accumulated into the whole parameters; what is sharded
        # goes with the reduce-scatter.
        made = self.model.of(task.replica, task).gradients().values()
        self._hold("gradients", task.replica or 0, sum(gradient.nbytes for gradient in made))

    def _leave_block(self, task: Task) -> None:
        """Free the block's whole parameters behind a pass, if they were gathered."""
        if self.model.is_sharded:
            rank, names = task.replica or 0, self.model.of(task.replica, task).parameters
            self.model.reshard(rank, names)
            self._hold("parameters", rank, -sum(self.model.sizes[name] for name in names))

    def _all_gather(self, step: Step, task: Task) -> Work:
        rank, names = task.replica or 0, self._names[task.index]
        yield []
        self.model.unshard(rank, names)
        yield
        self._hold("parameters", rank, sum(self.model.sizes[name] for name in names))

    def _all_reduce(self, step: Step, task: Task) -> Work:
        rank, names = task.replica or 0, self.model.trained(self._names[task.index])
        device = self._devices[self.model.stages[rank, 0, 0].lane]
        gradients = {
            name: [self.model.gradient(other, name) for other in self.model.ranks] for name in names
        }
        yield [gradient for each in gradients.values() for gradient in each]
        # A sum, not a mean: every rank's loss is weighted by its share of the rows already
        # (Operations._loss_of), so that the sum is the gradient of the whole batch's mean.
        sums = {name: sum_on(device, each) for name, each in gradients.items()}
        yield
        # The members of a collective run one after the other here. A sum that replaced its rank's
        # gradient at once would be added up again by the next member, which reads the gradients of
        # all ranks.
        self._sums[rank] |= sums
        if self._is_last(names):
            for other in self.model.ranks:
                for name in names:
                    self.model.whole[other][name].grad = self._sums[other].pop(name)

    def _reduce_scatter(self, step: Step, task: Task) -> Work:
        rank, names = task.replica or 0, self.model.trained(self._names[task.index])
        device = self._devices[self.model.stages[rank, 0, 0].lane]
        gradients = {
            name: [
                self.model.gradient(other, name)[self.model.rows[name][rank]]
                for other in self.model.ranks
            ]
            for name in names
        }
        yield [gradient for each in gradients.values() for gradient in each]
        for name, each in gradients.items():
            # Parts are read by their own rank alone, so these need not wait for the other members.
            self.model.parts[rank][name].grad = sum_on(device, each)
        yield
        parts = sum(self.model.parts[rank][name].nbytes for name in names)
        self._hold("gradients", rank, parts - sum(self.model.sizes[name] for name in names))
        if self._is_last(names):
            for other in self.model.ranks:
                for name in names:
                    self.model.whole[other][name].grad = None

    def _update(self, step: Step, task: Task) -> Work:
        rank = task.replica or 0
        optimizer = self.model.rank_optimizers[rank]
        yield []
        if optimizer is not None:
            optimizer.step()
        yield
        if optimizer is not None:
            self._hold("optimizer", rank, memory.optimizer_bytes(optimizer))

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
    """Those of each rank, in order."""
    job = job_of(
        prepared.specification, prepared.model, list(prepared.lanes), prepared.plan_list[0].rows
    )
    collectives = prepared.strategy.collectives
    assert collectives is not None
    return collectives(job)


def _names(plan: Plan, collectives: Collectives) -> dict[int, tuple[str, ...]]:
    """The parameters of each collective of a plan, by the task's number."""
    of_rank: dict[int | None, list[int]] = defaultdict(list)
    for task in plan.tasks:
        if task.kind.is_collective:
            of_rank[task.replica].append(task.index)
    # Every rank runs all of them, in the same order.
    members = (zip(own, collectives, strict=True) for own in of_rank.values())
    return {index: each.names for pairs in members for index, each in pairs}
