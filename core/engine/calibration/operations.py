"""Runs the tasks of a plan repeatedly, each lane independently, on copies of the model.

A walk through the plan with one micro-batch of each size records the values that tasks take from
other lanes. They are then stored again for every task. So lanes do not wait for each other, and all
of them are busy at the same time.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from torch import Tensor

from core.engine.lanes.lane import LaneThread, Stamps, Timestamp, wait_until
from core.engine.models.modules import Batch
from core.engine.tasks.operations import Operations
from core.engine.tasks.values import ValueKey, ValueStore
from core.plan.plan import Plan
from core.plan.task import Kind, Payload, Task

HandoverKey = tuple[object, ...]
"""Key of a task's handovers. Tasks that differ only in their micro-batch, but not in its size,
have equal keys."""


def shares_parameters(task: Task) -> bool:
    """Return True if a task reads or writes the parameters or gradients of other lanes.

    In a step such tasks run when no lane computes.
    """
    return task.payload in (Payload.PARAMETERS, Payload.PARAMETER_GRADIENTS)


@dataclass(frozen=True, slots=True)
class Handover:
    """A value that a task takes from another lane, and the lane whose ledger contains it."""

    key: ValueKey
    lane: int
    value: Tensor


class HandoverRecorder(ValueStore):
    """Records the values that tasks take from other lanes, with the first task of each key.

    `task` is the task that is running.
    """

    task: Task

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._maker: dict[ValueKey, int] = {}
        self.recorded: dict[HandoverKey, tuple[Task, list[Handover]]] = {}

    def put(self, key: ValueKey, lane: int, value: Tensor) -> None:
        """Store a value, and note the lane of the task that made it."""
        super().put(key, lane, value)
        self._maker[key] = self.task.lane

    def take(self, key: ValueKey, lane: int) -> Tensor:
        """Remove and return a value. Records it if another lane made it."""
        value = super().take(key, lane)
        # A lane makes its own values again in every pass.
        if self._maker[key] != self.task.lane:
            task_key = handover_key(self.task, self.plan)
            _, handovers = self.recorded.setdefault(task_key, (self.task, []))
            handovers.append(Handover(key, lane, value.detach()))
        return value


class CalibrationOps(Operations):
    """Operations on copies of the modules, with the values that tasks take from other lanes."""

    def walk(
        self, plan: Plan, batch: Batch, tasks: Iterable[Task], lanes: Sequence[LaneThread]
    ) -> None:
        """Run `tasks` one after the other, each on its lane, and record their handovers.

        `tasks` must include the dependencies of each of them.
        """
        values = HandoverRecorder(plan)
        self.begin(0, plan, batch)
        self.step.values = values
        # Every pass runs the optimizer, which must not change the parameters.
        self.model.keep_parameters()
        ended: Timestamp | None = None
        for task in tasks:
            values.task = task
            lane = lanes[task.lane]
            # The inputs, which this thread copies to the lane's device, and the task before.
            before = [lane.completion()] if ended is None else [lane.completion(), ended]
            # On its own lane: torch accumulates a parameter's gradient on the stream that first
            # did so, for as long as that graph exists, and another stream has to wait for it.
            ended = lane.call(partial(self._finish, task, lane, before)).result()
        self._recorded = values.recorded
        self._clear_step()

    def _finish(self, task: Task, lane: LaneThread, before: Sequence[Timestamp]) -> Timestamp:
        """Run a task in the lane's thread after `before`, wait for it, and return its end."""
        for timestamp in before:
            lane.wait(timestamp)
        with lane.turn:
            held = self.run(task, Stamps(lane.timestamp))
        ended = lane.timestamp()
        wait_until(ended)
        del held
        return ended

    def for_lane(self) -> CalibrationOps:
        """Return a copy for the passes of one lane: the same modules, but separate values."""
        # Not a deep copy: lanes share the modules, but each module is used by one lane only.
        other = copy.copy(self)
        other._clear_step()
        return other

    def restart(self, lane: int) -> None:
        """Start a pass of `lane`: remove values and the gradients of its stages."""
        self._clear_step()
        for module in self.model.stages.values():
            if module.lane == lane:
                module.clear_gradients()

    def _clear_step(self) -> None:
        self.step = replace(
            self.step,
            values=ValueStore(self.step.plan),
            weight_passes={},
            losses=[],
            shapes={},
            output_shape=[],
        )

    def put_inputs(self, task: Task) -> None:
        """Store the values that a task takes from other lanes, as detached tensors."""
        task_key = handover_key(task, self.step.plan)
        recorded_task, handovers = self._recorded.get(task_key, (task, ()))
        # The walk ran one micro-batch of each size. Its values get the micro-batch of this task.
        microbatches = {
            recorded_task.microbatch: task.microbatch,
            recorded_task.paired_microbatch: task.paired_microbatch,
        }
        for handover in handovers:
            recorded = handover.key.microbatch
            microbatch = microbatches.get(recorded, recorded) or 0
            key = handover.key._replace(microbatch=microbatch)
            # A new leaf every time, so that gradients do not accumulate in it.
            self.step.values.put(key, handover.lane, handover.value.detach())


def handover_key(task: Task, plan: Plan) -> HandoverKey:
    """Return the key of the values that a task takes from other lanes."""
    return (
        task.kind,
        task.payload,
        task.lane,
        task.replica,
        task.stage,
        task.rows,
        task.bytes,
        task.paired_stage,
        plan.halves(task)[-1].rows,
    )


def walk_of(plan: Plan) -> list[Task]:
    """Return a task for each handover key, with all dependencies, in the plan's order."""
    first: dict[HandoverKey, Task] = {}
    for task in plan.tasks:
        if _takes_values(task):
            first.setdefault(handover_key(task, plan), task)
    # Follow the dependencies backwards. Task numbers are in an executable order.
    found: set[int] = set()
    to_visit = [task.index for task in first.values()]
    while to_visit:
        index = to_visit.pop()
        if index not in found:
            found.add(index)
            for other in plan.tasks[index].after:
                if _takes_values(plan.tasks[other]):
                    to_visit.append(other)
    return [plan.tasks[index] for index in sorted(found)]


def _takes_values(task: Task) -> bool:
    return task.kind is not Kind.STEP and not shares_parameters(task)
