"""What each task of a step waited for last: the links along which idle time is explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.order import stable_order
from core.plan.task import KINDS, Lane
from core.trace.columns import ABSENT
from core.trace.step import StepColumns

IS_COLLECTIVE = np.array([kind.is_collective for kind in KINDS])
"""Whether each kind, by its index in KINDS, is a collective."""
_LONG_AGO = np.iinfo(np.int64).min

Positions = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Waits:
    """Columns of n entries beside a step's columns; entries are positions in these.

    `order` lists all positions by lane, on each lane by time. `before` is what a task waited for
    last: of the tasks named in `after` and the one before it on its lane, that which ended last;
    -1 if there is none. `slowest` is the member of a collective of ranks that came last, and any
    other task itself. `begun` is when a task began to do what others wait for: its start, and for
    a collective of ranks the start of the slowest member (what comes before is waiting).
    """

    order: Positions
    before: Positions
    slowest: Positions
    begun: NDArray[np.int64]

    @property
    def meets(self) -> bool:
        """Whether there are collectives in which lanes wait for one another."""
        return bool((self.slowest != np.arange(len(self.slowest))).any())


def waits_of(columns: StepColumns, lanes: Sequence[Lane]) -> Waits:
    """What the tasks of a step waited for, from their times."""
    order = np.lexsort((columns.start, columns.lane))
    slowest, came = _slowest(columns, np.array([lane.serves for lane in lanes]))
    begun = np.minimum(np.maximum(columns.start, came[slowest]), columns.end)
    return Waits(order, _before(columns, order), slowest, begun)


def _before(columns: StepColumns, order: Positions) -> Positions:
    """The last to end of a lane's previous task and what a task names; of equals the former."""
    before = np.full(len(columns), ABSENT, np.int64)
    neighbours = columns.lane[order[1:]] == columns.lane[order[:-1]]
    before[order[1:][neighbours]] = order[:-1][neighbours]
    own = np.where(before >= 0, columns.end[before], _LONG_AGO)
    waiter = _waiter(columns)
    ends = columns.end[columns.after]
    latest = own.copy()
    np.maximum.at(latest, waiter, ends)
    decisive = (ends == latest[waiter]) & (ends > own[waiter])
    before[waiter[decisive]] = columns.after[decisive]
    return before


def _waiter(columns: StepColumns) -> Positions:
    """The task that each entry of `after` belongs to."""
    return np.repeat(np.arange(len(columns)), np.diff(columns.after_first))


def _slowest(columns: StepColumns, home: NDArray[np.int64]) -> tuple[Positions, NDArray[np.int64]]:
    """The last to come of each collective's members, for every member; and when each task came.

    Members are the k-th of a kind, stage, block and bucket on each lane, as `simulate` has it. A
    collective one of whose members names tasks of other lanes is none of ranks: its plan says what
    it waits for, and each member goes by itself.
    """
    slowest, came = np.arange(len(columns)), columns.start.copy()
    members = np.flatnonzero(IS_COLLECTIVE[columns.kind])
    if not len(members):
        return slowest, came
    group = _group(columns, members)
    members, group = members[order := stable_order(group)], group[order]
    first = np.flatnonzero(np.diff(group, prepend=ABSENT))
    counts = np.diff(first, append=len(group))
    meet = np.repeat(~np.logical_or.reduceat(_names_others(columns, home)[members], first), counts)
    ended = np.repeat(np.minimum.reduceat(columns.end[members], first), counts)
    came[members[meet]] = _came(columns, members, ended)[meet]
    last = members[np.lexsort((came[members], group))][first + counts - 1]
    slowest[members[meet]] = np.repeat(last, counts)[meet]
    return slowest, came


def _came(columns: StepColumns, members: Positions, ended: NDArray[np.int64]) -> NDArray[np.int64]:
    """When members of collectives came, the first member of each having `ended` then.

    None can have come later. One that starts later was put behind others on its lane, because
    collectives ended in another order than they were launched: it came with its launch, if known.
    """
    start, launched = columns.start[members], columns.launched[members]
    known = np.where(launched == ABSENT, start, launched)
    return np.where(start <= ended, start, np.minimum(known, ended))


def _group(columns: StepColumns, members: Positions) -> Positions:
    """A number for each collective of `members`, the same for those that meet."""
    name = np.zeros(len(members), np.int64)
    for column in (columns.kind, columns.stage, columns.block, columns.bucket):
        _, number = np.unique(column[members], return_inverse=True)
        name = name * (number.max() + 1) + number
    lane = columns.lane[members]
    order = np.lexsort((members, lane, name))
    changes = (np.diff(name[order], prepend=ABSENT) != 0) | (np.diff(lane[order], prepend=-1) != 0)
    first = np.flatnonzero(changes)
    turn = np.empty(len(members), np.int64)
    turn[order] = np.arange(len(members)) - np.repeat(first, np.diff(first, append=len(members)))
    group: Positions = name * (turn.max() + 1) + turn
    return group


def _names_others(columns: StepColumns, home: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each task waits for a task of a lane that serves another one."""
    waiter = _waiter(columns)
    lane = home[columns.lane]
    abroad = lane[columns.after] != lane[waiter]
    names = np.zeros(len(columns), np.bool_)
    names[waiter[abroad]] = True
    return names
