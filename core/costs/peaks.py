"""The most activations that lanes hold at a time, of all lanes at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from core.order import stable_argsort
from core.plan.task import ABSENT, ENTERS, Kind, TaskColumns, among

_FREES = among(Kind.BACKWARD, Kind.BACKWARD_WEIGHT, Kind.OVERLAP)
RowWeight = Callable[[NDArray[np.int32], NDArray[np.int32]], NDArray[np.int64]]
"""What a row's activations weigh in each of some (stages, blocks), absent numbers being -1."""


def peak_activations(
    columns: TaskColumns, lanes: int, row_weight: RowWeight | None = None
) -> NDArray[np.int64]:
    """The most that each of `lanes`, the first ones, holds at a time: an entry for each.

    `row_weight` gives what a row's activations of each stage (or block, where there is one) weigh;
    without it they are counted, each of one stage and micro-batch: so ZB-V's 2p are p whole lanes'
    worth, DualPipeV's 2p + 1 the PP + 1 of its README, whose PP counts stages. What a forward adds
    when it starts goes when the full backward or the backward for the weights ends. Lanes work in
    order, so times do not matter.
    """
    adds, frees = ENTERS[columns.kind], _FREES[columns.kind]
    if row_weight is None:
        added = np.ones(len(columns), np.int64)
        freed = _counts(columns, adds, frees)
    else:
        paired = np.where(columns.paired_stage >= 0, columns.paired_stage, columns.stage)
        added = columns.rows * row_weight(columns.stage, columns.block)
        freed = columns.paired_rows * row_weight(paired, columns.block)
    order = stable_argsort(columns.lane)
    added, freed = np.where(adds, added, 0)[order], np.where(frees, freed, 0)[order]
    # One running sum over the lanes behind one another; what a lane begins with is taken off its
    # maximum below, as it belongs to the lanes before it.
    balance = np.concatenate([[0], np.cumsum(added - freed)])
    # While a task runs it has added, but not yet freed.
    held = balance[:-1] + added
    bounds = [0, *np.cumsum(np.bincount(columns.lane, minlength=lanes)[:lanes]).tolist()]
    return np.array(
        [
            held[first:last].max(initial=balance[first]) - balance[first]
            for first, last in itertools.pairwise(bounds)
        ],
        np.int64,
    )


def _counts(
    columns: TaskColumns, adds: NDArray[np.bool_], frees: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """How many activations each backward frees: one, or those of all micro-batches."""
    freed = np.ones(len(columns), np.int64)
    for task in np.flatnonzero(frees & (columns.microbatch == ABSENT)).tolist():
        covered = adds.copy()
        for column in (columns.stage, columns.replica, columns.block):
            covered &= column == column[task]
        freed[task] = np.count_nonzero(covered)
    return freed
