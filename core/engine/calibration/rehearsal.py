"""The tasks of a plan run lane by lane, again and again, on copies of the model.

A lane's **round** is all that it does in a step. What other lanes would hand over is kept from a
walk through the plan with one micro-batch of each size, and handed over for every task anew, so
that lanes need not wait for one another and are all busy at once.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, replace

from torch import Tensor

from core.engine.lanes.memory import Ledger
from core.engine.lanes.operations import Key, Operations, Step
from core.engine.lanes.timestamps import Stamps
from core.engine.models.modules import Batch
from core.plan.task import Kind, Payload, Plan, Task

Name = tuple[object, ...]


def shares_parameters(task: Task) -> bool:
    """Whether a task reads or writes the parameters or gradients of other lanes.

    Such tasks run when no lane computes, as they do in a step.
    """
    return task.payload in (Payload.PARAMETERS, Payload.PARAMETER_GRADIENTS)


@dataclass(frozen=True, slots=True)
class Handed:
    """A value that a task takes from another lane, and the lane in whose books it is."""

    key: Key
    lane: int
    value: Tensor


class Rehearsal(Operations):
    """Operations on modules of their own, which note what tasks take from other lanes."""

    _task: Task | None = None

    def walk(self, plan: Plan, batch: Batch, tasks: Iterable[Task]) -> None:
        """Run `tasks` in order, in the calling thread; they are all that each of them needs."""
        self.handed: dict[Name, tuple[Task, list[Handed]]] = {}
        self._made: dict[Key, int] = {}
        self.begin(0, plan, batch)
        for module in self.stages.values():
            for group in module.optimizer.param_groups if module.optimizer is not None else ():
                group["lr"] = 0.0  # many updates in a row would lead nowhere
        for task in tasks:
            self._task = task
            self.run(task, Stamps(lambda: None))
        self._task = None

    def for_lane(self) -> Rehearsal:
        """The same modules with values and books of their own, for one lane's rounds."""
        other = copy.copy(self)
        other._ledgers = [Ledger() for _ in self._ledgers]
        other.step = replace(
            self.now, values={}, weight_passes={}, losses=[], shapes={}, output_shape=[]
        )
        return other

    @property
    def now(self) -> Step:
        """The step that was begun."""
        assert self.step is not None
        return self.step

    def restart(self, lane: int) -> None:
        """Begin a round of `lane`: no values, no gradients of its stages."""
        for values in (self.now.values, self.now.weight_passes, self.now.losses, self.now.shapes):
            values.clear()
        for module in self.stages.values():
            if module.lane == lane:
                module.clear_gradients()

    def hand(self, task: Task) -> None:
        """Put what the task takes from other lanes where it looks for it."""
        like, handed = self.handed.get(name_of(task, self.now.plan), (task, ()))
        renamed = {
            like.microbatch: task.microbatch,
            like.paired_microbatch: task.paired_microbatch,
        }
        for one in handed:
            what, replica, stage, microbatch = one.key
            key = (what, replica, stage, renamed.get(microbatch, microbatch) or 0)
            # A leaf of its own every time, so that gradients do not add up in it.
            self._put(key, one.lane, one.value.detach())

    def _put(self, key: Key, lane: int, value: Tensor) -> None:
        super()._put(key, lane, value)
        if self._task is not None:
            self._made[key] = self._task.lane

    def _take(self, key: Key, lane: int) -> Tensor:
        value = super()._take(key, lane)
        task = self._task
        if task is not None and self._made[key] != task.lane:
            _, handed = self.handed.setdefault(name_of(task, self.now.plan), (task, []))
            handed.append(Handed(key, lane, value.detach()))
        return value


class Round:
    """What one lane does again and again: its tasks, of an overlap each half by itself."""

    def __init__(self, rehearsal: Rehearsal, lane: int, tasks: Iterable[Task]) -> None:
        self.tasks = [half for task in tasks for half in rehearsal.now.plan.halves(task)]
        self._whole = {task.index: task for task in tasks}
        self._operations, self._lane = rehearsal.for_lane(), lane

    def begin(self) -> None:
        """Forget the round before."""
        self._handed = -1
        if not shares_parameters(self.tasks[0]):  # those need the gradients that are there
            self._operations.restart(self._lane)

    def prepare(self, task: Task) -> None:
        """Hand over what the task takes from other lanes, which is no part of it."""
        if task.index != self._handed:
            self._operations.hand(self._whole[task.index])
            self._handed = task.index

    def run(self, task: Task, stamps: Stamps) -> list[Tensor]:
        """Run a task; returns the tensors that must outlive it."""
        return self._operations.run(task, stamps)


def name_of(task: Task, plan: Plan) -> Name:
    """What tasks have in common that differ in their micro-batch alone, not in its size."""
    return (task.kind, task.payload, task.lane, task.replica, task.stage, task.rows, task.bytes,
            task.paired_stage, plan.halves(task)[-1].rows)  # fmt: skip


def walk_of(plan: Plan) -> list[Task]:
    """One task of each name that takes values, and all that these need, in the plan's order."""
    first: dict[Name, Task] = {}
    for task in plan.tasks:
        if _takes_values(task):
            first.setdefault(name_of(task, plan), task)
    found: set[int] = set()
    waiting = [task.index for task in first.values()]
    while waiting:
        index = waiting.pop()
        if index not in found:
            found.add(index)
            needs = (plan.tasks[other] for other in plan.tasks[index].after)
            waiting += [task.index for task in needs if _takes_values(task)]
    return [plan.tasks[index] for index in sorted(found)]


def _takes_values(task: Task) -> bool:
    return task.kind is not Kind.STEP and not shares_parameters(task)
