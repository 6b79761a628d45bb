"""What lanes hold between a pass forward and its pass back, where no memory was measured."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.plan.task import KINDS, Kind
from core.trace.columns import ABSENT
from core.trace.step import StepColumns

_FORWARD, _BACKWARD, _WEIGHT, _OVERLAP = (
    KINDS.index(kind) for kind in (Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_WEIGHT, Kind.OVERLAP)
)


def activations(columns: StepColumns, lane: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Times (ns) and the number of activations that a lane holds from each on.

    An activation is what one pass of a stage (or block) over one micro-batch keeps: from the start
    of the forward to the end of the backward, or of its weight part where the backward is in two.
    A backward over all micro-batches lets go of all. In an overlap the forward's begins with the
    task and the backward's ends with it.
    """
    mine = np.flatnonzero(columns.lane == lane)
    kind = columns.kind[mine]
    takes = mine[(kind == _FORWARD) | (kind == _OVERLAP)]
    frees = mine[(kind == _BACKWARD) | (kind == _WEIGHT) | (kind == _OVERLAP)]
    moments = np.concatenate([columns.start[takes], columns.end[frees]])
    changes = np.concatenate([np.ones(len(takes), np.int64), -_freed(columns, takes, frees)])
    times, which = np.unique(moments, return_inverse=True)
    counts = np.zeros(len(times), np.int64)
    np.add.at(counts, which, changes)
    return times, np.cumsum(counts)


def peak_activations(columns: StepColumns, lane: int) -> int:
    """Most activations that a lane holds at one moment."""
    return int(activations(columns, lane)[1].max(initial=0))


def _freed(
    columns: StepColumns, takes: NDArray[np.int64], frees: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How many activations each task of `frees` lets go of."""
    counts = np.ones(len(frees), np.int64)
    for i in np.flatnonzero(columns.microbatch[frees] == ABSENT):
        own = np.ones(len(takes), np.bool_)
        for column in (columns.stage, columns.replica, columns.block):
            own &= column[takes] == column[frees[i]]
        counts[i] = own.sum()
    return counts
