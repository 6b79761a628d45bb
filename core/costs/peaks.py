"""Peaks of the activations that lanes hold, computed for all lanes at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.order import stable_argsort
from core.plan.task import ABSENT, ENTERS, Kind, TaskColumns, among

_FREES = among(Kind.BACKWARD, Kind.BACKWARD_WEIGHT, Kind.OVERLAP)
RowWeight = Callable[[NDArray[np.int32], NDArray[np.int32]], Ints]
"""A function of (stages, blocks) that returns the weight of a row's activations in each."""


def peak_activations(columns: TaskColumns, lanes: int, row_weight: RowWeight | None = None) -> Ints:
    """Return the peak of the activations on each of the first `lanes` lanes, shape (lanes,).

    `row_weight` gives the weight of a row's activations in a stage, or in a block if the task has
    one. Without it the result counts activations, each of one stage and micro-batch: ZB-V's 2p
    equal the activations of p undivided lanes, and DualPipeV's 2p + 1 are the PP + 1 in its README,
    whose PP counts stages. A forward adds activations when it starts; the full backward or the
    backward-weight frees them when it ends. Lanes work in order, so times do not matter.
    """
    adds = ENTERS[columns.kind]
    frees = _FREES[columns.kind]
    if row_weight is None:
        added = np.ones(len(columns), np.int64)
        freed = _counts(columns, adds, frees)
    else:
        paired = np.where(columns.paired_stage >= 0, columns.paired_stage, columns.stage)
        added = columns.rows * row_weight(columns.stage, columns.block)
        freed = columns.paired_rows * row_weight(paired, columns.block)
    order = stable_argsort(columns.lane)
    added = np.where(adds, added, 0)[order]
    freed = np.where(frees, freed, 0)[order]
    # One running sum over all lanes, one after another; the sum at a lane's beginning belongs to
    # earlier lanes and is subtracted from its maximum below.
    balance = np.concatenate([[0], np.cumsum(added - freed)])
    # While a task runs it has added, but not yet freed.
    held = balance[:-1] + added
    counts = np.bincount(columns.lane, minlength=lanes)
    lasts = np.cumsum(counts)
    firsts = lasts - counts
    peaks = np.zeros(lanes, np.int64)
    for lane in range(lanes):
        first = firsts[lane]
        before = balance[first]
        highest = held[first : lasts[lane]].max(initial=before)
        peaks[lane] = highest - before
    return peaks


def _counts(columns: TaskColumns, adds: Bools, frees: Bools) -> Ints:
    """Return how many activations each backward frees: one, or all micro-batches'."""
    freed = np.ones(len(columns), np.int64)
    frees_all = frees & (columns.microbatch == ABSENT)
    for task in np.flatnonzero(frees_all).tolist():
        covered = adds.copy()
        for column in (columns.stage, columns.replica, columns.block):
            covered &= column == column[task]
        freed[task] = np.count_nonzero(covered)
    return freed
