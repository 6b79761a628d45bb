"""Estimate of the peak memory of lanes from the model's description and the plan."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.costs.peaks import RowWeight, peak_activations
from core.models.description import ModelDescription
from core.plan.plan import KeptBytes, Plan
from core.trace.step import StepColumns

OPTIMIZER_STATES = {"sgd": 0, "momentum": 1, "adam": 2, "adamw": 2}
"""The number of values that each optimizer keeps for each parameter."""


def peak_bytes(
    plan: Plan, columns: StepColumns, model: ModelDescription, optimizer: str, kept: KeptBytes
) -> Ints:
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
    kept_bytes = np.zeros(len(plan.lanes), np.int64)
    for lane in plan.lanes:
        kept_bytes[lane.index] = kept(held[lane.index], model, plan)
    activations = peak_activations(columns, len(plan.lanes), _row_bytes(plan, model))
    return activations + kept_bytes


def _row_bytes(plan: Plan, model: ModelDescription) -> RowWeight:
    """Return the bytes of a row's activations by stage, or by block if tasks are of blocks."""
    # Entry i enters block i; entry i + 1 leaves it. Both are kept for the backward pass.
    edges = np.zeros(len(model.blocks) + 1, np.int64)
    edges[0] = model.input_bytes
    for block in range(len(model.blocks)):
        edges[block + 1] = model.output_bytes(block)
    blocks = edges[:-1] + edges[1:]
    stages = np.zeros(len(plan.stages), np.int64)
    for index, stage in enumerate(plan.stages):
        edges_of_stage = edges[stage.first : stage.last + 1]
        stages[index] = edges_of_stage.sum()

    def row_bytes(stage: NDArray[np.int32], block: NDArray[np.int32]) -> Ints:
        return np.where(block >= 0, blocks[block], stages[stage])

    return row_bytes
