"""Costs of a model's blocks, estimated from those of its stages, to predict other cuts."""

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
    """Return an estimate of the costs by block and by rows.

    Costs by stage are of `stages`. Costs by micro-batch are taken to be of micro-batches with
    `rows` rows. A stage's cost is divided among its blocks in proportion to their parameters, by
    which the model is cut; the cost of a split block comes from the stage with its largest share.
    If only the whole backward is known, each of its parts costs half of it. Raises CostError if a
    list does not have an entry for each of these stages or blocks.
    """
    passes: dict[Kind, tuple[Curve, ...]] = {}
    for kind, curves in _with_parts(costs.passes).items():
        sized = curves
        if not costs.by_rows and kind is not Kind.STEP:
            # Sizes become rows instead of numbers of micro-batches.
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
    known: dict[int, tuple[float, Curve]] = {}  # by block, its largest share and the cost from it
    for stage in stages:
        curve = curves[stage.index if len(curves) > 1 else 0]
        counts = [share * model.blocks[block].parameter_count for block, share in stage.held]
        # Equal weights if no block of the stage has parameters (activations, for example).
        weights = counts if any(counts) else [1.0] * len(counts)
        for (block, share), weight in zip(stage.held, weights, strict=True):
            if share > known.get(block, (0.0,))[0]:
                # Divided by `share`: the cost of the whole block.
                known[block] = share, _scaled(curve, weight / sum(weights) / share)
    return tuple(known[block][1] for block in sorted(known))


def _scaled(curve: Curve, factor: float, size: float = 1.0) -> Curve:
    return tuple((at * size, cost * factor) for at, cost in curve)
