"""Numbers that say which tasks of a step have the same work, and how much of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Floats, Ints
from core.models.description import ModelDescription
from core.plan.division import Stage
from core.plan.task import ABSENT, IS_COMMUNICATION, KIND_CODES, Kind
from core.trace.step import StepColumns

_BACKWARDS = [
    KIND_CODES[Kind.BACKWARD],
    KIND_CODES[Kind.BACKWARD_INPUT],
    KIND_CODES[Kind.BACKWARD_WEIGHT],
]
_TO_INPUT = [KIND_CODES[Kind.BACKWARD], KIND_CODES[Kind.BACKWARD_INPUT]]


def same_work(
    columns: StepColumns,
    stages: Sequence[Stage],
    model: ModelDescription,
    names: NDArray[Any],
    exactly: bool,
) -> Ints:
    """Return a number for each of n tasks; tasks with the same number have the same work.

    These are passes through the same blocks, or blocks of equal sizes, with the same rows, and
    transfers of the same size. A backward pass through the model's first block is cheaper, because
    its input needs no gradient, and one through the last block goes on from the loss: `exactly`
    distinguishes both from other backward passes.
    """
    sizes = _stage_sizes(columns, stages, model)
    is_backward = np.isin(columns.kind, _BACKWARDS)
    # 0 where it makes no difference whether a stage is at an end of the model.
    own_end = np.zeros(len(columns), np.int64)
    paired_end = np.zeros(len(columns), np.int64)
    if exactly:
        end = _end_of_model(columns, columns.stage, stages)
        own_end = np.where(is_backward, end, 0)
        paired_end = _end_of_model(columns, columns.paired_stage, stages)
    of_passes: list[NDArray[Any]] = [
        sizes[columns.stage],
        sizes[columns.paired_stage],
        own_end,
        paired_end,
        columns.block,
        columns.bucket,
        columns.rows,
        columns.paired_rows,
        names,
    ]
    # For transfers only the kind, the payload and the bytes count.
    computes = ~IS_COMMUNICATION[columns.kind]
    attributes: list[NDArray[Any]] = [columns.kind, columns.payload, columns.bytes]
    for column in of_passes:
        attributes.append(np.where(computes, column, 0))
    return _numbered(attributes, len(columns))


def _numbered(attributes: Sequence[NDArray[Any]], count: int) -> Ints:
    """Return a number for each row of some columns, the same for equal rows."""
    number = np.zeros(count, np.int64)
    # Column by column: NumPy compares rows bytewise, which takes ten times as long.
    for column in attributes:
        differs = column != column[:1]
        if differs.any():
            _, value = np.unique(column, return_inverse=True)
            # There are no more values than tasks, so the pair is one number. It is numbered again
            # for each column, so it never exceeds n * n.
            pair = number * count + value
            _, number = np.unique(pair, return_inverse=True)
    return number


def work_parts(columns: StepColumns, stages: Sequence[Stage], model: ModelDescription) -> Floats:
    """Return the work of each of n tasks relative to roughly equal ones, at most 1.

    A backward pass through the model's first block computes the gradients of its parameters, but no
    gradient of its input, which would be half of the work. The block's part of its stage is its
    part of the parameters.
    """
    highest = max([stage.index for stage in stages], default=-1)
    # The last entry is for tasks without a stage.
    count = highest + 2
    saved = np.zeros(count)
    for stage in stages:
        held: list[float] = []
        for block, share in stage.held:
            size = model.blocks_bytes(block, block + 1)
            held.append(share * size)
        whole = sum(held)
        if stage.first == 0 and whole > 0:
            saved[stage.index] = held[0] / whole / 2
    own = np.where(columns.stage < count, columns.stage, ABSENT)
    paired = np.where(columns.paired_stage < count, columns.paired_stage, ABSENT)
    is_to_input = np.isin(columns.kind, _TO_INPUT)
    own_saved = is_to_input * saved[own]
    # The backward pass is two thirds of a task that overlaps it with a forward pass.
    paired_saved = 2 / 3 * saved[paired]
    parts: Floats = 1 - own_saved - paired_saved
    return parts


def _stage_sizes(columns: StepColumns, stages: Sequence[Stage], model: ModelDescription) -> Ints:
    """Return a number for each stage, the same for equal blocks; the last entry is for none."""
    last = int(columns.stage.max(initial=-1))
    last_paired = int(columns.paired_stage.max(initial=-1))
    numbers: dict[object, int] = {}
    found = []
    for stage in range(max(last, last_paired) + 1):
        key: object = stage
        planned = stages[stage] if stage < len(stages) else None
        if planned is not None and planned.last <= len(model.blocks):
            key = _held_sizes(planned, model)
        number = numbers.setdefault(key, len(numbers))
        found.append(number)
    return np.array([*found, ABSENT], np.int64)


def _held_sizes(stage: Stage, model: ModelDescription) -> tuple[object, ...]:
    """Return the sizes of a stage's blocks: of parameters and output, and the share held."""
    sizes = []
    for number, share in stage.held:
        block = model.blocks[number]
        parameters = tuple(count for _, count in block.parameters)
        sizes.append((parameters, block.output_elements, share))
    return tuple(sizes)


def _end_of_model(columns: StepColumns, stage: NDArray[np.int32], stages: Sequence[Stage]) -> Ints:
    """Return 1 for each task whose stage has the model's first block, plus 2 for the last."""
    last_of_tasks = int(columns.stage.max(initial=0))
    last = max([one.index for one in stages], default=last_of_tasks)
    is_last = stage == last
    ends: Ints = _has_first_block(stage, stages) + 2 * is_last
    return ends


def _has_first_block(stage: NDArray[np.int32], stages: Sequence[Stage]) -> Bools:
    """Return True for each task whose stage has the model's first block."""
    is_known = (stage >= 0) & (stage < len(stages))
    # Without a plan it is only known that stage 0 has the first block.
    found: Bools = stage == 0
    starts_model = np.array([one.first == 0 for one in stages], np.bool_)
    known_stage = stage[is_known]
    found[is_known] = starts_model[known_stage]
    return found
