"""Tasks on nested lanes for the blocks inside a plan's tasks, for runs that record blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.plan.plan import Lane, Plan, Role
from core.plan.task import Kind, Task

_DIVIDED = frozenset({Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT})


@dataclass(frozen=True, slots=True)
class Nested:
    """A task for each block inside the plan's tasks, numbered after the plan's own tasks.

    The blocks inside the plan's task i are `tasks[first[i] : first[i + 1]]` in the order in which
    they run: a backward begins with its last block.
    """

    tasks: tuple[Task, ...]
    first: tuple[int, ...]

    def inside(self, task: int) -> tuple[Task, ...]:
        """Return the blocks inside a task of the plan; empty if its blocks are not recorded."""
        return self.tasks[self.first[task] : self.first[task + 1]]


def nested_lanes(lanes: Sequence[Lane]) -> tuple[Lane, ...]:
    """Return a nested lane for each compute lane, numbered after `lanes`."""
    compute = [lane for lane in lanes if lane.role is Role.COMPUTE]
    nested: list[Lane] = []
    for number, lane in enumerate(compute, len(lanes)):
        nested_lane = Lane(
            index=number,
            name=f"{lane.name} blocks",
            device=lane.device,
            role=Role.NESTED,
            cores=lane.cores,
            serves=lane.index,
            runs_on=lane.runs_on,
        )
        nested.append(nested_lane)
    return tuple(nested)


def nested_tasks(plan: Plan) -> Nested:
    """Return the blocks inside each forward and each backward of one micro-batch.

    Blocks are not recorded in three cases: in a backward of several micro-batches, which mixes
    their blocks; in a backward-weight, which does not run block by block; and if blocks are split
    over lanes.
    """
    nested_lane = {lane.serves: lane.index for lane in nested_lanes(plan.lanes)}
    nested: list[Task] = []
    first = [0]
    for task in plan.tasks:
        one_microbatch = len(plan.parts_of(task)) == 1
        for half in plan.halves(task) if one_microbatch else ():
            stage = plan.stages[half.stage or 0]
            if half.kind not in _DIVIDED or stage.shares:
                continue
            blocks = list(range(stage.first, stage.last))
            if half.kind is not Kind.FORWARD:
                blocks.reverse()
            for block in blocks:
                index = len(plan.tasks) + len(nested)
                lane = nested_lane[task.lane]
                # Bytes and dependencies belong to the task around the block.
                nested.append(
                    half._replace(
                        index=index,
                        lane=lane,
                        block=block,
                        bytes=0,
                        after=(),
                    )
                )
        first.append(len(nested))
    return Nested(tuple(nested), tuple(first))
