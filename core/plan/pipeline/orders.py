"""Schedules read back from plans: the actions of each lane."""

from __future__ import annotations

from core.errors import PlanError
from core.message import message
from core.plan.plan import Plan, Role
from core.plan.schedules.schedule import Action, overlap
from core.plan.task import KIND_CODES, PASSES, Kind, Task


def lane_orders(plan: Plan) -> list[list[Action]]:
    """Return the passes of each compute lane, in order, as actions of a schedule.

    Micro-batches are numbered through the whole batch, even if there are several pipelines, because
    schedule files have no replicas. Raises PlanError if the plan's passes have no stages.
    """
    numbers = {(part.replica, part.microbatch): i for i, part in enumerate(plan.parts)}
    orders: list[list[Action]] = [[] for lane in plan.lanes if lane.role is Role.COMPUTE]
    for task in plan.tasks:
        if PASSES[KIND_CODES[task.kind]]:
            orders[task.lane].append(_action(task, numbers))
    return orders


def _action(task: Task, numbers: dict[tuple[int, int], int]) -> Action:
    stage = task.stage
    replica = task.replica or 0
    if stage is None or task.block is not None:
        raise PlanError(
            message("{task} has no stage: only plans with stages have a schedule", task=task)
        )

    def numbered(microbatch: int | None) -> int | None:
        return None if microbatch is None else numbers[replica, microbatch]

    microbatch = numbered(task.microbatch)
    if task.kind is not Kind.OVERLAP or task.paired_stage is None:
        return Action(stage, task.kind, microbatch, replica)
    paired = numbered(task.paired_microbatch)
    return overlap(
        Action(stage, Kind.FORWARD, microbatch, replica),
        Action(task.paired_stage, Kind.BACKWARD, paired, replica),
    )
