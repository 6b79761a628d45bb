"""Tasks of a plan run by themselves, again and again, on copies of the model.

A lane's **round** is what it does in a step with one micro-batch of each size: the tasks that were
chosen, and those of the same lane that they need. What other lanes would hand over is kept from a
first walk through the plan and handed over anew in every round, so that lanes need not wait for one
another and are all busy at once.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from torch import Tensor

from core.engine.memory import Ledger
from core.engine.modules import Batch
from core.engine.operations import Key, Operations, Step, halves
from core.plan.task import Kind, Payload, Plan, Task

_BACKWARDS = (Kind.BACKWARD, Kind.BACKWARD_WEIGHT)


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
        self.handed: dict[int, list[Handed]] = {}
        self._made: dict[Key, int] = {}
        self.begin(0, plan, batch)
        for module in self.stages.values():
            for group in module.optimizer.param_groups if module.optimizer is not None else ():
                group["lr"] = 0.0  # many updates in a row would lead nowhere
        for task in tasks:
            self._task = task
            self.run(task)
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

    def forget(self) -> None:
        """Forget the values of the round before."""
        for values in (self.now.values, self.now.weight_passes, self.now.losses, self.now.shapes):
            values.clear()

    def hand(self, task: Task) -> None:
        """Put what the task takes from other lanes where it looks for it."""
        for handed in self.handed.get(task.index, ()):
            # A leaf of its own for every round, so that gradients do not add up in it.
            self._put(handed.key, handed.lane, handed.value.detach())

    def _put(self, key: Key, lane: int, value: Tensor) -> None:
        super()._put(key, lane, value)
        if self._task is not None:
            self._made[key] = self._task.lane

    def _take(self, key: Key, lane: int) -> Tensor:
        value = super()._take(key, lane)
        task = self._task
        if task is not None and self._made[key] != task.lane:
            self.handed.setdefault(task.index, []).append(Handed(key, lane, value.detach()))
        return value


class Round:
    """What one lane does again and again: its tasks, of an overlap each half by itself."""

    def __init__(self, rehearsal: Rehearsal, tasks: Iterable[Task]) -> None:
        self.tasks = [half for task in tasks for half in _halves(task)]
        self._operations = rehearsal.for_lane()
        places = Counter(
            (half.replica, half.stage)
            for task in rehearsal.now.plan.tasks
            for half in _halves(task)
            if half.kind in _BACKWARDS
        )
        self._single = {place for place, count in places.items() if count == 1}
        self._handed = -1

    def begin(self) -> None:
        """Forget the round before."""
        self._operations.forget()
        self._handed = -1

    def prepare(self, task: Task) -> None:
        """Do what is no part of the task: hand over, forget a gradient that is not added to."""
        if task.index != self._handed:
            self._operations.hand(task)
            self._handed = task.index
        if task.kind in _BACKWARDS and (task.replica, task.stage) in self._single:
            self._operations.stages[task.replica or 0, task.stage or 0].clear_gradients()

    def run(self, task: Task) -> list[Tensor]:
        """Run a task; returns the tensors that must outlive it."""
        return self._operations.run(task)


def rounds_of(plan: Plan) -> dict[int, list[Task]]:
    """The tasks of each lane's round by lane, in the plan's order."""
    chosen: dict[int, dict[tuple[object, ...], Task]] = {}
    for task in plan.tasks:
        name = (task.kind, task.payload, task.replica, task.stage, task.rows, task.bytes)
        # The last of its name: its gradient is added to what other micro-batches have left.
        chosen.setdefault(task.lane, {})[name] = task
    return {
        lane: _with_needs(plan, tasks.values(), [task for task in plan.tasks if task.lane == lane])
        for lane, tasks in chosen.items()
    }


def walk_of(plan: Plan, rounds: Iterable[Iterable[Task]]) -> list[Task]:
    """The tasks of all rounds that take values, and all that these need, in the plan's order."""
    free = [task for task in plan.tasks if _takes_values(task)]
    mine = [task for tasks in rounds for task in tasks if _takes_values(task)]
    return _with_needs(plan, mine, free)


def _takes_values(task: Task) -> bool:
    return task.kind is not Kind.STEP and not shares_parameters(task)


def _with_needs(plan: Plan, tasks: Iterable[Task], among: Iterable[Task]) -> list[Task]:
    """`tasks` and what they take values from `among`, and so on, in the plan's order."""
    allowed = {task.index for task in among}
    found: set[int] = set()
    waiting = [task.index for task in tasks]
    while waiting:
        index = waiting.pop()
        if index not in found:
            found.add(index)
            if _takes_values(plan.tasks[index]):
                waiting += [other for other in plan.tasks[index].after if other in allowed]
    return [plan.tasks[index] for index in sorted(found)]


def _halves(task: Task) -> tuple[Task, ...]:
    return halves(task) if task.kind is Kind.OVERLAP else (task,)
