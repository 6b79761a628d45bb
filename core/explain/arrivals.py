"""Arrivals of ranks at collectives: the last rank, the wait for it, and the transfer after it.

The times of all ranks are on one axis. Until the last rank has arrived, the others wait; after that
data moves. A wait that is shorter than the clocks' disagreement may be no wait at all. A rank is
counted as the last only if it is later than every other rank by more than that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.arrays import Ints, Positions
from core.costs.waits import Waits, waits_of
from core.explain.explanation import Explanation
from core.order import groups
from core.plan.plan import lane_ranks
from core.plan.task import ABSENT, IS_COLLECTIVE, KINDS, Kind, known
from core.trace.step import StepColumns
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Figures of a collective of one kind, stage, block, bucket and process group.

    It ran `times` times. `group` is the index of the process group's name, None for all ranks.
    `last` has (compute lane of a rank, number of times that it arrived last), most often first;
    times at which no rank was certain to be the last are not counted.
    `wait_ns` runs from the first arrival to the last, `transfer_ns` from there to the last end;
    both are sums over all times. `members` ranks take part, and each moves up to `bytes`; 0 if the
    size is not known.
    """

    kind: Kind
    stage: int | None
    block: int | None
    bucket: int | None
    times: int
    last: tuple[tuple[int, int], ...]
    wait_ns: int
    transfer_ns: int
    group: int | None = None
    members: int = 0
    bytes: int = 0

    @property
    def key(self) -> tuple[object, ...]:
        """The values that identify the collective."""
        return self.kind, self.stage, self.block, self.bucket, self.group


def arrivals(explanation: Explanation, disagreement_ns: float = 0.0) -> tuple[Arrivals, ...]:
    """Return a step's collectives of more than one rank, in the order of their first arrivals.

    The clocks of two ranks may disagree by `disagreement_ns`. Sends and receives that wait for each
    other are not collectives.
    """
    columns = explanation.columns
    meets = explanation.waits.meets
    meets_others = (meets >= 0) & IS_COLLECTIVE[columns.kind]
    members = np.flatnonzero(meets_others)
    collectives = [each for each in groups(meets, members) if len(each) > 1]

    def first_arrival(each: Positions) -> tuple[int, int]:
        start = columns.start[each].min()
        # If several begin at once, the one with the first task comes first.
        return int(start), int(each.min())

    collectives.sort(key=first_arrival)
    found = [_of_one(explanation, each, disagreement_ns) for each in collectives]
    return sum_by_collective(found)


def sum_by_collective(several: Iterable[Arrivals]) -> tuple[Arrivals, ...]:
    """Add up the figures of each collective, for example over several steps."""
    found: dict[tuple[object, ...], Arrivals] = {}
    for one in several:
        key = one.key
        if key in found:
            found[key] = _sum(found[key], one)
        else:
            found[key] = one
    return tuple(found.values())


def _of_one(explanation: Explanation, members: Positions, disagreement_ns: float) -> Arrivals:
    """Return the figures of one collective, whose tasks are at the positions `members`."""
    columns = explanation.columns
    waits = explanation.waits
    one = int(members[0])
    last_arrival = int(waits.begun[one])
    first_arrival = int(columns.start[members].min())
    last_end = int(columns.end[members].max())
    slowest = waits.slowest[one]
    others = members[members != slowest]
    next_to_last = int(_arrived(columns, others, last_arrival).max())
    is_certain = last_arrival - next_to_last > disagreement_ns
    last: tuple[tuple[int, int], ...] = ()
    if is_certain:
        rank_of = lane_ranks(explanation.lanes)
        last_rank = rank_of[columns.lane[slowest]]
        last = ((last_rank, 1),)
    return Arrivals(
        kind=KINDS[columns.kind[one]],
        stage=known(columns.stage[one]),
        block=known(columns.block[one]),
        bucket=known(columns.bucket[one]),
        times=1,
        last=last,
        wait_ns=max(0, last_arrival - first_arrival),
        transfer_ns=max(0, last_end - last_arrival),
        group=known(columns.group[one]),
        members=len(members),
        bytes=int(columns.bytes[members].max()),
    )


def _arrived(columns: StepColumns, members: Positions, last_arrival: int) -> Ints:
    """Return the arrivals in ns of members of a collective."""
    start = columns.start[members]
    # A member that starts later was queued behind others on its lane: it arrived when it was
    # launched. An unknown launch is taken as late.
    launched = columns.launched[members]
    until_last = np.minimum(launched, last_arrival)
    queued = np.where(launched == ABSENT, last_arrival, until_last)
    return np.where(start <= last_arrival, start, queued)


def _sum(one: Arrivals, other: Arrivals) -> Arrivals:
    last = Counter(dict(one.last))
    last.update(dict(other.last))
    return replace(
        one,
        times=one.times + other.times,
        last=tuple(last.most_common()),
        wait_ns=one.wait_ns + other.wait_ns,
        transfer_ns=one.transfer_ns + other.transfer_ns,
        members=max(one.members, other.members),
        bytes=max(one.bytes, other.bytes),
    )


def waiting_ns(columns: StepColumns, waits: Waits) -> Ints:
    """Return how long each of n tasks waits for the ranks that it meets, in ns.

    0 for tasks that meet no other rank.
    """
    until_begun = waits.begun - columns.start
    early = np.clip(until_begun, 0, columns.duration)
    return np.where(waits.is_member, early, 0)


def lanes_waiting_ns(trace: Trace, steps: Sequence[int]) -> Ints:
    """Return the ns in `steps` for which each lane waits for other ranks in collectives."""
    total: Ints = waiting_by_step(trace, steps).sum(axis=0)
    return total


def waiting_by_step(trace: Trace, steps: Sequence[int]) -> Ints:
    """Return the ns for which each lane waits for other ranks in collectives, (steps, lanes)."""
    lanes = trace.header.lanes
    shape = (len(steps), len(lanes))
    waiting = np.zeros(shape, np.int64)
    kinds = trace.table.rows["kind"]
    if not IS_COLLECTIVE[kinds].any():
        return waiting
    for place, step in enumerate(steps):
        columns = StepColumns.of_trace(trace, step)
        waits = waits_of(columns, lanes)
        of_tasks = waiting_ns(columns, waits)
        np.add.at(waiting[place], columns.lane, of_tasks)
    return waiting
