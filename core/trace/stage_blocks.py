"""The blocks that each stage of a run holds."""

from __future__ import annotations

from core.errors import PlanError
from core.plan.pipeline.options import BORDERS
from core.plan.pipeline.staged import cut_blocks
from core.plan.strategies import STRATEGIES
from core.trace.header import Header


def stage_blocks(header: Header, stages: int) -> list[tuple[int, int]]:
    """Return the first block of each of a run's stages, and the block after its last one.

    [] if the run's strategy does not cut the model into stages.
    """
    strategy = STRATEGIES.get(header.specification.strategy)
    if not header.source.has_plan or strategy is None or BORDERS not in strategy.options:
        return []
    try:
        return cut_blocks(header.model, stages, header.specification[BORDERS])
    except (PlanError, ValueError):
        # A damaged file may have borders that do not suit its model.
        return []
