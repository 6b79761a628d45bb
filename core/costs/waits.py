"""What each task of a step waited for last: the links along which idle time is explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.order import row_keys, stable_argsort, turns
from core.plan.plan import Lane, lane_ranks
from core.plan.task import ABSENT, IS_COLLECTIVE
from core.trace.step import StepColumns

_LONG_AGO = np.iinfo(np.int64).min

Positions = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Waits:
    """Columns of n entries beside a step's columns; entries are positions in these.

    `order` lists all positions by lane, on each lane by time. `before` is what a task waited for
    last: of the tasks named in `after` and the one before it on its lane, that which ended last;
    -1 if there is none. `slowest` is the member of a collective of ranks that came last, and any
    other task itself. `begun` is when a task began to do what others wait for: its start, and for
    a collective of ranks the moment when the slowest member came (what comes before is waiting).
    `meets` has the number of the collective of ranks that a task is a member of, or -1.

    Who goes from a task to `before[slowest[task]]`, and on from there, never comes to a task twice,
    whatever the times are and whatever waits for what: so every walk along waits ends.
    """

    order: Positions
    before: Positions
    slowest: Positions
    begun: NDArray[np.int64]
    meets: Positions


def waits_of(columns: StepColumns, lanes: Sequence[Lane]) -> Waits:
    """What the tasks of a step waited for, from their times."""
    order = np.lexsort((columns.start, columns.lane))
    meets = meeting(columns, lanes)
    slowest, came = _slowest(columns, meets)
    begun = came[slowest]
    before = _before(columns, order, came)
    _cut_circles(before, slowest, begun)
    return Waits(order, before, slowest, begun, meets)


def meeting(columns: StepColumns, lanes: Sequence[Lane]) -> Positions:
    """For each task the number of the collective of ranks that it is a member of; -1 for others.

    Members are the k-th of a kind, stage, block, bucket and process group of each rank, whichever
    of its lanes they are on: a rank that runs two collectives at once has two. A collective one of
    whose members names tasks of other ranks is none of ranks: its plan says what it waits for, and
    each member goes by itself. A thread that launches a member is not another rank.
    """
    group = np.full(len(columns), ABSENT, np.int64)
    members = np.flatnonzero(IS_COLLECTIVE[columns.kind])
    if len(members):
        rank = np.array(lane_ranks(lanes))[columns.lane]
        group[members] = _turns(columns, members, rank[members])
        place = np.array(_places(lanes))[columns.lane]
        # All members of such a collective, not only those that name others.
        group[np.isin(group, group[members[_names_others(columns, place)[members]]])] = ABSENT
    return group


def _before(columns: StepColumns, order: Positions, came: NDArray[np.int64]) -> Positions:
    """The last to end of a lane's previous task and what a task names; of equals the former.

    A previous task that had not ended when the task came was no hindrance: the two ran at once.
    """
    before = np.full(len(columns), ABSENT, np.int64)
    previous, task = order[:-1], order[1:]
    follows = columns.lane[previous] == columns.lane[task]
    follows &= columns.end[previous] <= came[task]
    before[task[follows]] = previous[follows]
    own = np.where(before >= 0, columns.end[before], _LONG_AGO)
    waiter = _waiter(columns)
    ends = columns.end[columns.after]
    latest = own.copy()
    np.maximum.at(latest, waiter, ends)
    decisive = (ends == latest[waiter]) & (ends > own[waiter])
    before[waiter[decisive]] = columns.after[decisive]
    return before


def _cut_circles(before: Positions, slowest: Positions, begun: NDArray[np.int64]) -> None:
    """Cut each circle of links where it does not lead back in time; then none is left.

    A link outside of circles stays even so: by the clocks of two devices a short task may begin
    some µs later than one that has waited for it.
    """
    count = len(before)
    link = before[slowest]
    if not ((link >= 0) & (begun[link] >= begun)).any():
        return
    # Place `count` stands for the end of a walk, and leads to itself.
    ahead = np.append(np.where(link >= 0, link, count), count)
    for _ in range(count.bit_length()):  # twice as far each time: in the end more than n links
        ahead = ahead[ahead]
    # Who has not come to an end by now is in a circle.
    circles = np.unique(ahead[ahead < count])
    cut = circles[begun[link[circles]] >= begun[circles]]
    before[slowest[cut]] = ABSENT


def _waiter(columns: StepColumns) -> Positions:
    """The task that each entry of `after` belongs to."""
    return np.repeat(np.arange(len(columns)), np.diff(columns.after_first))


def _slowest(columns: StepColumns, group: Positions) -> tuple[Positions, NDArray[np.int64]]:
    """The last to come of each collective's members, for every member; and when each task came."""
    slowest, came = np.arange(len(columns)), columns.start.copy()
    members = np.flatnonzero(group >= 0)
    if not len(members):
        return slowest, came
    members = members[stable_argsort(group[members])]
    first = np.flatnonzero(np.diff(group[members], prepend=ABSENT))
    counts = np.diff(first, append=len(members))
    ended = np.repeat(np.minimum.reduceat(columns.end[members], first), counts)
    came[members] = _came(columns, members, ended)
    # lexsort sorts by its last key first: by group, and in each by when they came; so the last of
    # each group stands at the end of its run.
    last = members[np.lexsort((came[members], group[members]))][first + counts - 1]
    slowest[members] = np.repeat(last, counts)
    return slowest, came


def _came(columns: StepColumns, members: Positions, ended: NDArray[np.int64]) -> NDArray[np.int64]:
    """When members of collectives came, the first member of each having `ended` then.

    None can have come later. One that starts later was put behind others on its lane, because
    collectives ended in another order than they were launched: it came with its launch, if known.
    """
    start, launched = columns.start[members], columns.launched[members]
    known = np.where(launched == ABSENT, start, np.maximum(launched, columns.start.min()))
    return np.where(start <= ended, start, np.minimum(known, ended))


def _turns(columns: StepColumns, members: Positions, rank: NDArray[np.int64]) -> Positions:
    """A number for each collective of `members`, the same for those that meet."""
    columns_of_name = columns.kind, columns.stage, columns.block, columns.bucket, columns.group
    names = row_keys(*(column[members] for column in columns_of_name))
    return row_keys(names, turns(row_keys(names, rank)))


def _places(lanes: Sequence[Lane]) -> list[int]:
    """A number for each lane: its rank's, and one for all lanes of a recorded process."""
    recorded = {lane.device for lane in lanes if lane.stream_of}
    first: dict[str, int] = {}
    numbers = []
    for lane, rank in zip(lanes, lane_ranks(lanes), strict=True):
        shared = lane.device in recorded
        numbers.append(first.setdefault(lane.device, lane.index) if shared else rank)
    return numbers


def _names_others(columns: StepColumns, place: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return for each task whether it waits for a task of another rank's place."""
    waiter = _waiter(columns)
    names = np.zeros(len(columns), np.bool_)
    names[waiter[place[columns.after] != place[waiter]]] = True
    return names
