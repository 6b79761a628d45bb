"""Balance of the lanes: time, traffic and memory of each, and lane 0 compared with the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from core.arrays import Floats, Ints
from core.explain.arrivals import lanes_waiting_ns, waiting_by_step
from core.explain.batch_rows import forward_spans, spans_of_steps
from core.explain.lane_memory import peak_within
from core.explain.lanes import LaneTime
from core.explain.noise import significantly_above, significantly_different
from core.plan.plan import Role, computing_lanes, lane_indices, working_lanes
from core.plan.task import IS_COMMUNICATION, KINDS, Kind
from core.trace.job_steps import lane_bounds
from core.trace.trace import Trace

SHARED_KINDS = (Kind.SCATTER, Kind.REPLICATE, Kind.GATHER, Kind.REDUCE)
"""Kinds of tasks that DataParallel runs on lane 0."""


@dataclass(frozen=True, slots=True)
class LaneBalance:
    """Figures of a lane over some steps.

    `kind_ns` and `kind_bytes` are by kind of task. `rows` counts the rows that it passed forward,
    each part of a step's batch once. `waiting_ns` is the part of its communication in which it
    waits for other ranks to reach a collective (core.explain.arrivals), so that no data moves.
    `peak_parts` are the bytes of each memory counter (core.explain.lane_memory) at the moment at
    which the lane held most; counters without values are left out.
    """

    lane: int
    time: LaneTime
    kind_ns: dict[Kind, int]
    kind_bytes: dict[Kind, int]
    peak_parts: dict[str, int]
    rows: int
    waiting_ns: int

    @property
    def peak_bytes(self) -> int:
        """The most bytes that the lane held; 0 if its memory was not recorded."""
        return sum(self.peak_parts.values())

    @property
    def moving_ns(self) -> int:
        """Communication time in which data moves, in ns."""
        return self.time.communication_ns - self.waiting_ns


@dataclass(frozen=True, slots=True)
class FirstLaneShare:
    """A figure of lane 0 (`first`) and the mean of the other compute lanes, in ns or bytes.

    `kind` is None for memory. `first_bytes` are the bytes that lane 0 moved in tasks of the kind.
    """

    kind: Kind | None
    first: float
    others: float
    first_bytes: int = 0

    @property
    def ratio(self) -> float | None:
        """Lane 0's figure over the mean of the others, None if that is 0."""
        if not self.others:
            return None
        return self.first / self.others


def lane_balance(trace: Trace, lane: int, steps: Sequence[int]) -> LaneBalance:
    """Sum up a lane over `steps`. Its three times add up to the lengths of the steps."""
    return lane_balances(trace, [lane], steps)[0]


def lane_balances(trace: Trace, lanes: Iterable[int], steps: Sequence[int]) -> list[LaneBalance]:
    """Sum up each of `lanes` over `steps`."""
    numbers = np.array(steps, np.int64)
    waiting = lanes_waiting_ns(trace, steps).tolist()
    return [_balance(trace, lane, numbers, waiting[lane]) for lane in lanes]


def _balance(trace: Trace, lane: int, numbers: Ints, waiting_ns: int) -> LaneBalance:
    """Sum up a lane over the steps `numbers`."""
    mine = spans_of_steps(trace.spans(lane), numbers)
    kinds = mine["kind"]
    durations = mine.end - mine.start
    # Sums of doubles: exact up to 2**53, which is 104 days of ns, or 9 PB.
    ns = np.bincount(kinds, durations, len(KINDS)).astype(np.int64)
    sizes = np.bincount(kinds, mine["bytes"], len(KINDS)).astype(np.int64)
    counts = np.bincount(kinds, minlength=len(KINDS))
    kind_ns: dict[Kind, int] = {}
    kind_bytes: dict[Kind, int] = {}
    for code in np.flatnonzero(counts).tolist():
        kind = KINDS[code]
        kind_ns[kind] = int(ns[code])
        kind_bytes[kind] = int(sizes[code])
    worked = int(ns.sum())
    communication = int(ns[IS_COMMUNICATION].sum())
    starts, ends = lane_bounds(trace, lane, numbers)
    whole = int((ends - starts).sum())
    time = LaneTime(
        busy_ns=worked - communication,
        communication_ns=communication,
        idle_ns=whole - worked,
        spans=len(mine),
    )
    rows = forward_spans(mine)["rows"]
    return LaneBalance(
        lane=lane,
        time=time,
        kind_ns=kind_ns,
        kind_bytes=kind_bytes,
        peak_parts=peak_within(trace, lane, starts, ends),
        rows=int(rows.sum()),
        waiting_ns=waiting_ns,
    )


@dataclass(frozen=True, slots=True)
class Imbalance:
    """Largest over mean of the compute lanes' figures: 1 is even, the number of lanes is worst.

    None for figures that are 0 on all lanes.
    """

    compute: float | None
    communication: float | None
    rows: float | None
    memory: float | None


def imbalance(trace: Trace, balances: Sequence[LaneBalance]) -> Imbalance:
    """Return the imbalance of the compute lanes; lanes that serve them count as communication."""
    compute = _computing(trace, balances)
    moving = moving_ns(trace, balances)
    busy = [balance.time.busy_ns for balance in compute]
    rows = [balance.rows for balance in compute]
    peaks = [balance.peak_bytes for balance in compute]
    return Imbalance(
        compute=max_over_mean(busy),
        communication=max_over_mean(list(moving.values())),
        rows=max_over_mean(rows),
        memory=max_over_mean(peaks),
    )


def _computing(trace: Trace, balances: Sequence[LaneBalance]) -> list[LaneBalance]:
    """Return the balances of compute lanes."""
    lanes = set(lane_indices(computing_lanes(trace.header.lanes)))
    return [balance for balance in balances if balance.lane in lanes]


def moving_ns(trace: Trace, balances: Sequence[LaneBalance]) -> dict[int, int]:
    """Return the ns for which each compute lane, or a lane that serves it, moves data.

    By number of the compute lane. If it and a lane that serves it move data at the same time, both
    count. Waiting for other ranks in a collective does not count.
    """
    lanes = trace.header.lanes
    totals: dict[int, int] = {}
    for lane in lanes:
        if lane.role is Role.COMPUTE:
            totals[lane.index] = 0
    for balance in balances:
        serves = lanes[balance.lane].serves
        totals[serves] += balance.moving_ns
    return totals


def max_over_mean(values: Sequence[int]) -> float | None:
    """Return the largest value over the mean, None if all are 0."""
    if not any(values):
        return None
    return max(values) / fmean(values)


def first_lane_shares(trace: Trace, balances: Sequence[LaneBalance]) -> list[FirstLaneShare]:
    """Compare the work that lane 0 does for all lanes with the mean of the other compute lanes.

    Empty for runs without a gather or reduce, in which lane 0 collects nothing, and with fewer than
    two compute lanes.
    """
    compute = _computing(trace, balances)
    kinds: set[Kind] = set()
    for balance in compute:
        kinds.update(balance.kind_ns)
    collects = not kinds.isdisjoint((Kind.GATHER, Kind.REDUCE))
    if len(compute) < 2 or not collects:
        return []
    first, *others = compute
    shares: list[FirstLaneShare] = []
    for kind in SHARED_KINDS:
        if kind not in kinds:
            continue
        own_ns = first.kind_ns.get(kind, 0)
        own_bytes = first.kind_bytes.get(kind, 0)
        times = [balance.kind_ns.get(kind, 0) for balance in others]
        share = FirstLaneShare(
            kind=kind,
            first=own_ns,
            others=fmean(times),
            first_bytes=own_bytes,
        )
        shares.append(share)
    if first.peak_bytes:
        peaks = [balance.peak_bytes for balance in others]
        share = FirstLaneShare(None, first.peak_bytes, fmean(peaks))
        shares.append(share)
    return shares


@dataclass(frozen=True, slots=True)
class Load:
    """Lane 0's figures over the means of all compute lanes; None for figures that are all 0.

    `work` is the time in which the lane, or lanes that copy for it, compute or move data. `memory`
    is the most that it holds.
    """

    work: float | None
    memory: float | None


def first_lane_load(trace: Trace, balances: Sequence[LaneBalance]) -> Load | None:
    """Return lane 0's load relative to the mean; None with fewer than two compute lanes."""
    lanes = trace.header.lanes
    compute = _computing(trace, balances)
    if len(compute) < 2:
        return None
    work = {balance.lane: 0 for balance in compute}
    for balance in balances:
        serves = lanes[balance.lane].serves
        if serves in work:
            work[serves] += balance.time.busy_ns + balance.moving_ns
    times = list(work.values())
    held = [balance.peak_bytes for balance in compute]
    return Load(
        work=_first_over_mean(times),
        memory=_first_over_mean(held),
    )


@dataclass(frozen=True, slots=True)
class Unevenness:
    """Differences between compute lanes that exceed the scatter of the steps (core.explain.noise).

    `computing` is true if any lane computes for longer than the mean, `first_lane` if lane 0 works
    for longer or shorter than the mean; moving data counts as work there.
    """

    computing: bool
    first_lane: bool


def unevenness(trace: Trace, steps: Sequence[int]) -> Unevenness:
    """Compare the compute lanes over `steps`. With fewer than three steps any difference counts."""
    places = lane_indices(computing_lanes(trace.header.lanes))
    if len(places) < 2 or not steps:
        return Unevenness(computing=False, first_lane=False)
    computing, moving = _times_by_step(trace, steps)
    working = computing + moving
    longer = significantly_above(computing[:, places])
    different = significantly_different(working[:, places])
    return Unevenness(
        computing=bool(longer.any()),
        first_lane=bool(different[0]),
    )


def _times_by_step(trace: Trace, steps: Sequence[int]) -> tuple[Floats, Floats]:
    """Return the ns for which each lane computes, and for which it or its helpers move data.

    Both have the shape (steps, lanes). Waiting for other ranks in a collective counts as neither.
    """
    numbers = np.array(steps, np.int64)
    moving = -waiting_by_step(trace, steps).astype(np.float64)
    computing = np.zeros_like(moving)
    lanes = working_lanes(trace.header.lanes)
    count = len(steps)
    for lane in lanes:
        index = lane.index
        mine = spans_of_steps(trace.spans(index), numbers)
        place = np.searchsorted(numbers, mine.step)
        length = (mine.end - mine.start).astype(np.float64)
        moves = IS_COMMUNICATION[mine["kind"]]
        compute_length = np.where(moves, 0, length)
        move_length = np.where(moves, length, 0)
        computing[:, index] = np.bincount(place, compute_length, count)
        moving[:, index] += np.bincount(place, move_length, count)
    serving = np.zeros_like(moving)
    for lane in lanes:
        serving[:, lane.serves] += moving[:, lane.index]
    return computing, serving


def _first_over_mean(values: Sequence[int]) -> float | None:
    if not any(values):
        return None
    return values[0] / fmean(values)
