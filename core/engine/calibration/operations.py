"""The tasks of a plan run lane by lane, again and again, on copies of the model.

What other lanes would hand over is kept from a walk through the plan with one micro-batch of each
size, and handed over for every task anew, so that lanes need not wait for one another and are all
busy at once.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

from torch import Tensor

from core.engine.lanes.lane import Stamps
from core.engine.models.modules import Batch
from core.engine.tasks.operations import Operations
from core.engine.tasks.values import Key, ValueStore
from core.plan.plan import Plan
from core.plan.task import Kind, Payload, Task

Name = tuple[object, ...]


def shares_parameters(task: Task) -> bool:
    """Whether a task reads or writes the parameters or gradients of other lanes.

    Such tasks run when no lane computes, as they do in a step.
    """
    return task.payload in (Payload.PARAMETERS, Payload.PARAMETER_GRADIENTS)


@dataclass(frozen=True, slots=True)
class Handed:
    """A value that a task takes from another lane, and the lane in whose ledger it is."""

    key: Key
    lane: int
    value: Tensor


class HandedValues(ValueStore):
    """Records what each `task` takes from other lanes, in `handed` by the task's name."""

    task: Task

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._made: dict[Key, int] = {}
        self.handed: dict[Name, tuple[Task, list[Handed]]] = {}

    def put(self, key: Key, lane: int, value: Tensor) -> None:
        """Keep a value, made by the lane of the task."""
        super().put(key, lane, value)
        self._made[key] = self.task.lane

    def take(self, key: Key, lane: int) -> Tensor:
        """Remove and return a value; of another lane's it is recorded."""
        value = super().take(key, lane)
        # What a lane has made itself it makes anew in every pass.
        if self._made[key] != self.task.lane:
            _, handed = self.handed.setdefault(name_of(self.task, self.plan), (self.task, []))
            handed.append(Handed(key, lane, value.detach()))
        return value


class CalibrationOps(Operations):
    """Operations on modules of their own, and what their tasks take from other lanes."""

    def walk(self, plan: Plan, batch: Batch, tasks: Iterable[Task]) -> None:
        """Run `tasks` in order, in the calling thread; they are all that each of them needs."""
        values = HandedValues(plan)
        self.begin(0, plan, batch)
        self.step.values = values
        # As many steps of the optimizer follow as there are passes; they
        # must not change the parameters.
        self.model.keep_parameters()
        for task in tasks:
            values.task = task
            self.run(task, Stamps(time.perf_counter_ns))
        self._handed = values.handed

    def for_lane(self) -> CalibrationOps:
        """The same modules with values and ledgers of their own, for one lane's passes."""
        # Not a deep copy: lanes share the modules, each of which belongs to one lane alone.
        other = copy.copy(self)
        other._forget()
        return other

    def restart(self, lane: int) -> None:
        """Begin a pass of `lane`: no values, no gradients of its stages."""
        self._forget()
        for module in self.model.stages.values():
            if module.lane == lane:
                module.clear_gradients()

    def _forget(self) -> None:
        self.step = replace(
            self.step,
            values=ValueStore(self.step.plan),
            weight_passes={},
            losses=[],
            shapes={},
            output_shape=[],
        )

    def hand(self, task: Task) -> None:
        """Put what the task takes from other lanes into its store, as detached tensors."""
        like, handed = self._handed.get(name_of(task, self.step.plan), (task, ()))
        # The walk went through one micro-batch of each size. `like` is the task that took the
        # values there; for this one they stand under its own micro-batch's number.
        renamed = {
            like.microbatch: task.microbatch,
            like.paired_microbatch: task.paired_microbatch,
        }
        for one in handed:
            microbatch = one.key.microbatch
            key = one.key._replace(microbatch=renamed.get(microbatch, microbatch) or 0)
            # A leaf of its own every time, so that gradients do not add up in it.
            self.step.values.put(key, one.lane, one.value.detach())


def name_of(task: Task, plan: Plan) -> Name:
    """The same for tasks that differ in their micro-batch alone, not in its size."""
    return (task.kind, task.payload, task.lane, task.replica, task.stage, task.rows, task.bytes,
            task.paired_stage, plan.halves(task)[-1].rows)  # fmt: skip


def walk_of(plan: Plan) -> list[Task]:
    """One task of each name that takes values, and all that these need, in the plan's order."""
    first: dict[Name, Task] = {}
    for task in plan.tasks:
        if _takes_values(task):
            first.setdefault(name_of(task, plan), task)
    # Back along what tasks wait for. Sorted by number, the tasks found are in an order that runs.
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
