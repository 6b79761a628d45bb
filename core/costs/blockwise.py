"""Costs of a model's blocks, estimated from the costs of its stages, to predict other cuts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.costs.costs import (
    STAGED,
    CostError,
    CostModel,
    Curve,
    Curves,
    cost_name,
    summed_curves,
)
from core.message import counted
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
    list does not have an entry for each of these stages or blocks. The time of the model's head is
    not divided; it belongs to the last block.
    """
    passes = _with_parts(costs.passes)
    for kind, curves in passes.items():
        if not costs.by_rows and kind is not Kind.STEP:
            # Sizes become rows instead of numbers of micro-batches.
            curves = _all_scaled(curves, 1.0, float(rows))
        if kind in STAGED and not costs.by_block:
            curves = _of_blocks(kind, curves, model, stages)
            head = _head_of(kind, costs, rows)
            if head:
                *others, last = curves
                curves = (*others, summed_curves((last, head)))
        passes[kind] = curves
    estimated_from = costs.estimated_from
    if not costs.by_block:
        estimated_from = frozenset(stage.held for stage in stages)
    return replace(
        costs,
        passes=passes,
        by_rows=True,
        by_block=True,
        head=None,
        estimated_from=estimated_from,
    )


def _head_of(kind: Kind, costs: CostModel, rows: int) -> Curve:
    """Return the curve over rows of the head's part of a kind; empty if it is not known."""
    given: dict[Kind, Curves] = {}
    if costs.head is not None:
        for each, curve_of_head in costs.head.items():
            given[each] = (curve_of_head,)
    heads = _with_parts(given)
    if kind in heads:
        curve = heads[kind][0]
    elif kind is Kind.BACKWARD and Kind.BACKWARD_INPUT in heads:
        parts = [heads[part][0] for part in _PARTS if part in heads]
        curve = summed_curves(parts)
    else:
        return ()
    has_rows = costs.by_rows or kind is Kind.STEP
    if has_rows:
        return curve
    return _scaled(curve, 1.0, float(rows))


def _with_parts(passes: Mapping[Kind, Curves]) -> dict[Kind, Curves]:
    """Return a copy of the passes; each unknown part of a backward has half of its cost."""
    found = dict(passes)
    if Kind.BACKWARD in found:
        half = _all_scaled(found[Kind.BACKWARD], 0.5)
        for part in _PARTS:
            found.setdefault(part, half)
    return found


def _of_blocks(
    kind: Kind, curves: Curves, model: ModelDescription, stages: Sequence[Stage]
) -> Curves:
    """Return a curve for each block, from the curves of stages. Raises CostError."""
    if len(curves) not in (1, len(stages)):
        raise CostError(
            counted(
                "{cost} has {given} entries, but the model is cut into {n} stage",
                "{cost} has {given} entries, but the model is cut into {n} stages",
                len(stages),
                cost=cost_name(kind),
                given=len(curves),
            )
        )
    largest: dict[int, float] = {}  # the largest share of each block in a stage
    of_block: dict[int, Curve] = {}
    for stage in stages:
        curve = curves[0]
        if len(curves) > 1:
            curve = curves[stage.index]
        weights = _weights(stage, model)
        total = sum(weights)
        for (block, share), weight in zip(stage.held, weights, strict=True):
            if share > largest.get(block, 0.0):
                largest[block] = share
                # Divided by `share`: the cost of the whole block.
                of_block[block] = _scaled(curve, weight / total / share)
    return tuple(of_block[block] for block in sorted(of_block))


def _weights(stage: Stage, model: ModelDescription) -> list[float]:
    """Return the parameters of each part that a stage holds; all 1 if it has no parameters."""
    counts = []
    for block, share in stage.held:
        counts.append(share * model.blocks[block].parameter_count)
    if any(counts):
        return counts
    return [1.0] * len(counts)


def _all_scaled(curves: Curves, factor: float, size: float = 1.0) -> Curves:
    return tuple(_scaled(curve, factor, size) for curve in curves)


def _scaled(curve: Curve, factor: float, size: float = 1.0) -> Curve:
    return tuple((at * size, cost * factor) for at, cost in curve)
