"""Estimate of the peak memory of lanes from the model's description and the plan."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from core.costs.peaks import RowWeight, peak_activations
from core.models.description import ModelDescription
from core.plan.plan import KeptBytes, Plan
from core.trace.step import StepColumns

OPTIMIZER_STATES = {"sgd": 0, "momentum": 1, "adam": 2, "adamw": 2}
"""The number of values that each optimizer keeps for each parameter."""


def peak_bytes(
    plan: Plan, columns: StepColumns, model: ModelDescription, optimizer: str, kept: KeptBytes
) -> NDArray[np.int64]:
    """Return an estimate of the most bytes that each lane holds, shape (lanes,).

    Counts parameters, gradients, the optimizer's state of copies that are stepped, and the input
    and output of every block for each micro-batch between its forward and backward. `kept` returns
    the bytes that a lane keeps of everything but the activations.
    """
    held: Counter[int] = Counter()
    for place in plan.placements:
        stage = plan.stages[place.stage]
        size = stage.parameter_bytes(model)
        states = OPTIMIZER_STATES[optimizer] if place.owner else 0
        held[place.lane] += size * (2 + states)
    kept_bytes = [kept(held[lane.index], model, plan) for lane in plan.lanes]
    activations = peak_activations(columns, len(plan.lanes), _row_bytes(plan, model))
    return activations + np.array(kept_bytes, np.int64)


def _row_bytes(plan: Plan, model: ModelDescription) -> RowWeight:
    """Return the bytes of a row's activations by stage, or by block if tasks are of blocks."""
    outputs = [model.output_bytes(block) for block in range(len(model.blocks))]
    # Entry i enters block i; entry i + 1 leaves it. Both are kept for the backward pass.
    edges = [model.input_bytes, *outputs]
    blocks = np.array([entered + left for entered, left in itertools.pairwise(edges)], np.int64)
    stages = np.array([sum(edges[s.first : s.last + 1]) for s in plan.stages], np.int64)
    return lambda stage, block: np.where(block >= 0, blocks[block], stages[stage])
