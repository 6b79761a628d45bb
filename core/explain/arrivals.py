"""Collectives of ranks: who came last to each and how often, and its wait apart from its transfer.

All ranks' times stand on one axis. Until the last rank has come, the others wait; from then on data
moves. What waiting is shorter than the clocks are known to agree is not known to be waiting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.costs.waits import Positions, Waits, waits_of
from core.explain.causes import Explanation
from core.order import groups
from core.plan.plan import lane_ranks
from core.plan.task import IS_COLLECTIVE, KINDS, Kind, known
from core.trace.step import StepColumns
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The `times` that ranks met for a collective; those of one kind, stage, block and bucket.

    `group` is the place of the name of the process group in which they met, None for all ranks.
    `last` says how often each rank (by its compute lane) came last, most often first. `wait_ns` is
    from the first rank's coming to the last one's, `transfer_ns` from there to the last end; both
    are sums over all times.
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

    @property
    def names(self) -> tuple[Kind, int | None, int | None, int | None, int | None]:
        """The values by which it differs from others."""
        return self.kind, self.stage, self.block, self.bucket, self.group


def arrivals(explanation: Explanation) -> tuple[Arrivals, ...]:
    """A step's collectives in which several ranks met, in the order in which they came to them."""
    columns, waits = explanation.columns, explanation.waits
    members = np.flatnonzero(waits.meets >= 0)
    members = members[np.argsort(columns.start[members], kind="stable")]
    met = [own for own in groups(waits.meets, members) if len(own) > 1]
    return merged(_of_one(explanation, own) for own in met)


def merged(several: Iterable[Arrivals]) -> tuple[Arrivals, ...]:
    """Those of one name added up, as of several steps."""
    found: dict[tuple[object, ...], Arrivals] = {}
    for one in several:
        before = found.get(one.names)
        found[one.names] = one if before is None else _sum(before, one)
    return tuple(found.values())


def _of_one(explanation: Explanation, members: Positions) -> Arrivals:
    columns, waits = explanation.columns, explanation.waits
    one = int(members[0])
    begun = int(waits.begun[one])
    last = lane_ranks(explanation.lanes)[columns.lane[waits.slowest[one]]]
    stage, block, bucket = (
        known(column[one]) for column in (columns.stage, columns.block, columns.bucket)
    )
    return Arrivals(
        KINDS[columns.kind[one]], stage, block, bucket, 1, ((last, 1),),
        max(0, begun - int(columns.start[members].min())),
        max(0, int(columns.end[members].max()) - begun), known(columns.group[one]),
    )  # fmt: skip


def _sum(one: Arrivals, other: Arrivals) -> Arrivals:
    last = Counter(dict(one.last)) + Counter(dict(other.last))
    return replace(
        one,
        times=one.times + other.times,
        last=tuple(last.most_common()),
        wait_ns=one.wait_ns + other.wait_ns,
        transfer_ns=one.transfer_ns + other.transfer_ns,
    )


def waiting_ns(columns: StepColumns, waits: Waits) -> NDArray[np.int64]:
    """For each of n tasks the ns of its duration before its collective's last member arrived.

    0 for a task that is no collective of ranks.
    """
    early = np.clip(waits.begun - columns.start, 0, columns.duration)
    return np.where(waits.meets >= 0, early, 0)


def lanes_waiting_ns(trace: Trace, steps: Sequence[int]) -> NDArray[np.int64]:
    """Ns of `steps` for which each lane of a trace waits for other ranks in a collective."""
    total: NDArray[np.int64] = waiting_by_step(trace, steps).sum(axis=0)
    return total


def waiting_by_step(trace: Trace, steps: Sequence[int]) -> NDArray[np.int64]:
    """Ns for which each lane waits for other ranks in a collective: shape (steps, lanes)."""
    lanes = trace.header.lanes
    waiting = np.zeros((len(steps), len(lanes)), np.int64)
    if not IS_COLLECTIVE[trace.table.rows["kind"]].any():
        return waiting
    for place, step in enumerate(steps):
        columns = StepColumns.of_trace(trace, step)
        np.add.at(waiting[place], columns.lane, waiting_ns(columns, waits_of(columns, lanes)))
    return waiting
