"""The blocks inside the tasks of a plan, as tasks of nested lanes, for runs that record blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.plan.plan import Lane, Plan, Role
from core.plan.task import Kind, Task

_DIVIDED = frozenset({Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT})


@dataclass(frozen=True, slots=True)
class Nested:
    """A task for each block that a plan's tasks pass; they are numbered behind the plan's own.

    Those inside the plan's task i are `tasks[first[i] : first[i + 1]]`, in the order in which they
    are passed: a backward begins with its last block.
    """

    tasks: tuple[Task, ...]
    first: tuple[int, ...]

    def inside(self, task: int) -> tuple[Task, ...]:
        """The blocks inside a task of the plan, none where they cannot be told apart."""
        return self.tasks[self.first[task] : self.first[task + 1]]


def nested_lanes(lanes: Sequence[Lane]) -> tuple[Lane, ...]:
    """A nested lane for each compute lane, numbered behind `lanes`."""
    compute = [lane for lane in lanes if lane.role is Role.COMPUTE]
    return tuple(
        Lane(
            len(lanes) + place, f"{lane.name} blocks", lane.device, Role.NESTED, lane.cores,
            serves=lane.index, runs_on=lane.runs_on,
        )
        for place, lane in enumerate(compute)
    )  # fmt: skip


def nested_tasks(plan: Plan) -> Nested:
    """The blocks inside each forward and each backward of one micro-batch.

    A backward of several at once takes their blocks in no order, and what is left for a
    backward-weight lies scattered over the blocks: of these no blocks are recorded, nor of split
    ones.
    """
    homes = {lane.serves: lane.index for lane in nested_lanes(plan.lanes)}
    made: list[Task] = []
    first = [0]
    for task in plan.tasks:
        alone = len(plan.parts_of(task)) == 1
        for one in plan.halves(task) if alone else ():
            if one.kind not in _DIVIDED:
                continue
            stage = plan.stages[one.stage or 0]
            if stage.shares:
                continue
            blocks = range(stage.first, stage.last)
            for block in blocks if one.kind is Kind.FORWARD else reversed(blocks):
                index, lane = len(plan.tasks) + len(made), homes[task.lane]
                # It moves nothing and waits for nothing: the task around it does.
                made.append(one._replace(index=index, lane=lane, block=block, bytes=0, after=()))
        first.append(len(made))
    return Nested(tuple(made), tuple(first))
