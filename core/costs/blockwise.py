"""Costs of a model's blocks from those of its stages, so that it can be cut in other ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.costs.costs import STAGED, CostError, CostModel, Curve, cost_name
from core.models.description import ModelDescription
from core.plan.division import Stage
from core.plan.task import Kind

_PARTS = (Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)


def blockwise(
    costs: CostModel, model: ModelDescription, stages: Sequence[Stage], rows: int
) -> CostModel:
    """The same costs by block and by rows: an estimate.

    `stages` are those that costs by stage are for, `rows` the micro-batch of costs that hold for
    any. A stage's cost is shared by its blocks in proportion to their parameters, which is how the
    model was cut; of a block that is split, the stage that has most of it gives the cost. Where a
    backward is known as a whole alone, each of its parts is taken to be half of it. Raises
    CostError if a list has an entry for something else than these stages or blocks.
    """
    passes: dict[Kind, tuple[Curve, ...]] = {}
    for kind, curves in _with_parts(costs.passes).items():
        sized = curves
        if not costs.by_rows and kind is not Kind.STEP:
            # From numbers of micro-batches to numbers of rows.
            sized = tuple(_scaled(curve, 1.0, float(rows)) for curve in curves)
        if kind in STAGED and not costs.by_block:
            sized = _shared(kind, sized, model, stages)
        passes[kind] = sized
    return replace(costs, passes=passes, by_rows=True, by_block=True)


def _with_parts(passes: Mapping[Kind, tuple[Curve, ...]]) -> dict[Kind, tuple[Curve, ...]]:
    found = dict(passes)
    if Kind.BACKWARD in found:
        half = tuple(_scaled(curve, 0.5) for curve in found[Kind.BACKWARD])
        for part in _PARTS:
            found.setdefault(part, half)
    return found


def _shared(
    kind: Kind, curves: tuple[Curve, ...], model: ModelDescription, stages: Sequence[Stage]
) -> tuple[Curve, ...]:
    if len(curves) not in (1, len(stages)):
        raise CostError(
            f"{cost_name(kind)} has {len(curves)} entries, but the model is cut into "
            f"{len(stages)} stages"
        )
    known: dict[int, tuple[float, Curve]] = {}  # by block the largest share that a stage has
    for stage in stages:
        curve = curves[stage.index if len(curves) > 1 else 0]
        counts = [share * model.blocks[block].parameter_count for block, share in stage.held]
        # A stage of blocks without parameters, such as activations, has no other measure.
        weights = counts if any(counts) else [1.0] * len(counts)
        for (block, share), weight in zip(stage.held, weights, strict=True):
            if share > known.get(block, (0.0,))[0]:
                # By `share`, so that it is the cost of the whole block.
                known[block] = share, _scaled(curve, weight / sum(weights) / share)
    return tuple(known[block][1] for block in sorted(known))


def _scaled(curve: Curve, factor: float, size: float = 1.0) -> Curve:
    return tuple((at * size, cost * factor) for at, cost in curve)
