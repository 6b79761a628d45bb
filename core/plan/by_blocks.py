"""Conversion of plans of ranks to a form that lanes can run, with a stage for every block."""

from dataclasses import replace

import numpy as np

from core.plan.division import Placement, Stage
from core.plan.plan import Plan
from core.plan.task import ABSENT


def by_blocks(plan: Plan) -> Plan:
    """Return the plan with the same task numbers, where the stage of each pass is its block.

    No placement owns its stage, because a rank's step is one task for all its blocks.
    """
    blocks = range(plan.stages[-1].last)
    columns = plan.columns
    # Collectives also name a block, but they move bytes and belong to no stage here.
    passes = (columns.block != ABSENT) & (columns.bytes == 0)
    stages = [Stage(block, block, block + 1) for block in blocks]
    placements: list[Placement] = []
    for rank in plan.placements:
        for block in blocks:
            placements.append(Placement(rank.replica, block, rank.lane, owner=False))
    stage_of_tasks = np.where(passes, columns.block, ABSENT)
    return replace(
        plan,
        stages=tuple(stages),
        placements=tuple(placements),
        columns=replace(columns, stage=stage_of_tasks),
    )
