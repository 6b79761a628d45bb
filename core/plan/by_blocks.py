"""A plan of ranks as lanes can run it: every block of the model is a stage of each rank's."""

from dataclasses import replace

import numpy as np

from core.plan.division import Placement, Stage
from core.plan.plan import Plan
from core.plan.task import ABSENT


def by_blocks(plan: Plan) -> Plan:
    """The same tasks, under the same numbers; the stage of a pass is its block.

    Nobody owns the stages: a rank's step is one task for all its blocks.
    """
    blocks = range(plan.stages[-1].last)
    columns = plan.columns
    # Collectives name a block too, but move bytes: they are of no stage here.
    passes = (columns.block != ABSENT) & (columns.bytes == 0)
    return replace(
        plan,
        stages=tuple(Stage(block, block, block + 1) for block in blocks),
        placements=tuple(
            Placement(rank.replica, block, rank.lane, owner=False)
            for rank in plan.placements
            for block in blocks
        ),
        columns=replace(columns, stage=np.where(passes, columns.block, ABSENT)),
    )
