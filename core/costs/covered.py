"""Numbers of micro-batches that a task covers: one, or all of its replica's."""

from __future__ import annotations

import numpy as np

from core.arrays import Ints
from core.plan.task import ABSENT, ENTERS, KIND_CODES, Kind, TaskColumns


def covered_microbatches(columns: TaskColumns) -> Ints:
    """Return how many micro-batches each of n tasks covers, shape (n,); 0 for tasks without rows.

    A task with rows that names no micro-batch covers all of its replica's.
    """
    has_rows = columns.rows > 0
    sizes = has_rows.astype(np.int64)
    covers_all = has_rows & (columns.microbatch == ABSENT)
    if not covers_all.any():
        return sizes
    enters = ENTERS[columns.kind]
    entering = np.stack([columns.replica[enters], columns.microbatch[enters]])
    replicas, _ = np.unique(entering, axis=1)
    for task in np.flatnonzero(covers_all).tolist():
        replica = columns.replica[task]
        mine = (replicas == replica) | (replica == ABSENT)
        sizes[task] = max(1, int(np.count_nonzero(mine)))
    return sizes


def backward_passes(columns: TaskColumns) -> Ints:
    """Return how many backward passes each of n tasks runs one after another, shape (n,).

    More than 1 only for a backward over all micro-batches: autograd goes through the graph of each
    of them in turn, so the task takes as long as that many passes with a part of its rows.
    """
    is_backward = columns.kind == KIND_CODES[Kind.BACKWARD]
    return np.where(is_backward, np.maximum(1, covered_microbatches(columns)), 1)
