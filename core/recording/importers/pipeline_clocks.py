"""Aligns the clocks of a pipeline's ranks and steps.

The clock of a rank is moved by the smallest amount that satisfies the dependencies between it and
the rank before it; it is not moved if these hold as recorded. Steps that overlap, because the times
of each count from its own start, are put one after another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.arrays import Bools, Ints
from core.order import find_keys, row_keys
from core.recording.importers.imported_events import ImportedEvents, StepRanges, shifted_launches
from core.recording.importers.pipeline_edges import Edges
from core.trace.import_issue import ImportIssue

LEAST_SHIFT = 1_000
"""Smallest change of a clock, in ns, that is reported."""
_NEVER = np.iinfo(np.int64).min // 4
_ALWAYS = np.iinfo(np.int64).max // 4


@dataclass(frozen=True, slots=True)
class _ShiftBounds:
    """Bounds of the shift of each rank's clock relative to the rank before, in ns.

    `least` and `most` have shape (clocks, ranks).
    """

    least: Ints
    most: Ints

    @property
    def contradict(self) -> Bools:
        """Mask of the ranks whose two bounds contradict each other, shape (clocks, ranks)."""
        contradict: Bools = self.least > self.most
        return contradict

    def shifts(self) -> Ints:
        """Return the smallest shifts within the bounds, in ns, shape (clocks, ranks)."""
        shift = np.where(self.most < 0, self.most, 0)
        shift = np.where(self.least > 0, self.least, shift)
        # Between two bounds that contradict, the middle violates both of them least.
        middle = (self.least + self.most) // 2
        return np.where(self.contradict, middle, shift)


def clock_shifts(imported: ImportedEvents, edges: Edges) -> tuple[Ints, int]:
    """Return the time in ns to add to each event, and the number of ranks with contradictions."""
    places = imported.pipeline
    assert places is not None and imported.step is not None
    rank = places.rank.astype(np.int64)
    replica = np.maximum(places.replica, 0)
    step = imported.step.astype(np.int64)
    if not places.own_clocks:
        # The ranks of a replica have one clock for all steps.
        step = np.zeros_like(step)
    clock_keys = row_keys(step, replica)
    _, clock = np.unique(clock_keys, return_inverse=True)
    bounds = _shift_bounds(imported, edges, rank, clock)
    shift_of_rank = np.cumsum(bounds.shifts(), axis=1)
    has_rank = rank >= 0
    clock_of_event = clock[has_rank]
    rank_of_event = rank[has_rank]
    shift = np.zeros(len(rank), np.int64)
    shift[has_rank] = shift_of_rank[clock_of_event, rank_of_event]
    contradicting_ranks = bounds.contradict.any(axis=0)
    return shift, int(contradicting_ranks.sum())


def _shift_bounds(imported: ImportedEvents, edges: Edges, rank: Ints, clock: Ints) -> _ShiftBounds:
    """Return the bounds of shifts, given the rank and the number of the clock of each event.

    Moving the clock of rank r later delays its passes relative to rank r - 1. It must move by at
    least the largest time by which a pass on r starts too early. It may move by at most the
    smallest time between the end of a pass on r and the pass on r - 1 that waits for it.
    """
    clocks = int(clock.max()) + 1
    ranks = int(rank.max()) + 1
    shape = (clocks, ranks)
    least = np.full(shape, _NEVER)
    most = np.full(shape, _ALWAYS)
    from_rank = rank[edges.before]
    to_rank = rank[edges.after]
    clock_of_edge = clock[edges.after]
    produced = imported.end[edges.before]
    consumed = imported.start[edges.after]
    early = produced - consumed
    is_upward = to_rank == from_rank + 1
    later_rank = clock_of_edge[is_upward], to_rank[is_upward]
    np.maximum.at(least, later_rank, early[is_upward])
    is_downward = to_rank == from_rank - 1
    later_rank = clock_of_edge[is_downward], from_rank[is_downward]
    room = -early[is_downward]
    np.minimum.at(most, later_rank, room)
    return _ShiftBounds(least, most)


def with_common_clock(imported: ImportedEvents, edges: Edges) -> ImportedEvents:
    """Return the events with the clocks of all ranks moved to the clock of rank 0."""
    places = imported.pipeline
    assert places is not None
    shift, contradictions = clock_shifts(imported, edges)
    imported.issues[ImportIssue.CLOCKS_CONTRADICT] += contradictions
    is_moved = np.abs(shift) >= LEAST_SHIFT
    if is_moved.any():
        replica = places.replica[is_moved]
        rank = places.rank[is_moved]
        moved = np.unique(row_keys(replica, rank))
        imported.issues[ImportIssue.CLOCKS_MOVED] += len(moved)
    return _moved(imported, shift)


def with_steps_in_order(imported: ImportedEvents) -> ImportedEvents:
    """Return the events with steps one after another if they were recorded on top of each other."""
    imported = _with_bounds(imported)
    steps = imported.steps
    step = imported.step
    places = imported.pipeline
    assert places is not None and step is not None
    if not len(steps.number):
        return imported
    length = steps.end - steps.start
    middle = steps.start + length // 2
    follows = steps.start[1:] >= middle[:-1]
    if follows.all() and not places.own_clocks:
        return imported
    begin = np.cumsum(length) - length
    shift_of_step = begin - steps.start
    place, is_known = find_keys(steps.number, step)
    shift = np.where(is_known, shift_of_step[place], 0)
    return _moved(imported, shift)


def _moved(imported: ImportedEvents, shift: Ints) -> ImportedEvents:
    """Return the events later by `shift` in ns, with new bounds of their steps."""
    start = imported.start + shift
    end = imported.end + shift
    launched = shifted_launches(imported.launched, shift)
    moved = replace(imported, start=start, end=end, launched=launched)
    return _with_bounds(moved)


def _with_bounds(imported: ImportedEvents) -> ImportedEvents:
    """Return the events with steps that last from their first start to their last end."""
    step = imported.step
    assert step is not None
    mine = np.isin(step, imported.steps.number)
    numbers = step[mine].astype(np.int64)
    start = imported.start[mine]
    end = imported.end[mine]
    steps = StepRanges.spanning(numbers, start, end)
    return replace(imported, steps=steps)
