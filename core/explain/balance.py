"""Balance of the lanes: time, traffic and memory of each, and lane 0 compared with the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from core.explain.arrivals import lanes_waiting_ns, waiting_by_step
from core.explain.lanes import LaneTime, entering_rows
from core.explain.noise import Floats, significantly_above, significantly_different
from core.order import row_keys
from core.plan.plan import Role, computing_lanes, working_lanes
from core.plan.task import ENTERS, IS_COMMUNICATION, KINDS, Kind
from core.trace.columns import sorted_positions
from core.trace.event_rows import Counter
from core.trace.job_steps import lane_bounds
from core.trace.spans import Spans
from core.trace.trace import Trace

MEMORY_COUNTERS = ("parameters", "gradients", "optimizer", "activations")
SHARED_KINDS = (Kind.SCATTER, Kind.REPLICATE, Kind.GATHER, Kind.REDUCE)
"""Kinds of tasks that DataParallel runs on lane 0."""


@dataclass(frozen=True, slots=True)
class LaneBalance:
    """Figures of a lane over some steps.

    `kind_ns` and `kind_bytes` are by kind of task. `rows` counts the rows that it passed forward,
    each part of a step's batch once. `waiting_ns` is the part of its communication in which it
    waits for other ranks to reach a collective (core.explain.arrivals), so that no data moves.
    """

    lane: int
    time: LaneTime
    kind_ns: dict[Kind, int]
    kind_bytes: dict[Kind, int]
    peak_bytes: int
    rows: int
    waiting_ns: int

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
        return self.first / self.others if self.others else None


def lane_balance(trace: Trace, lane: int, steps: Sequence[int]) -> LaneBalance:
    """Sum up a lane over `steps`. Its three times add up to the lengths of the steps."""
    return lane_balances(trace, [lane], steps)[0]


def lane_balances(trace: Trace, lanes: Iterable[int], steps: Sequence[int]) -> list[LaneBalance]:
    """Sum up each of `lanes` over `steps`."""
    waiting = lanes_waiting_ns(trace, steps).tolist()
    return [_balance(trace, lane, steps, waiting[lane]) for lane in lanes]


def _balance(trace: Trace, lane: int, steps: Sequence[int], waiting_ns: int) -> LaneBalance:
    numbers = np.array(steps, np.int64)
    mine = _of_steps(trace.spans(lane), numbers)
    kinds, length = mine["kind"], mine["end"] - mine["start"]
    # Sums of doubles: exact up to 2**53, which is 104 days of ns, or 9 PB.
    ns = np.bincount(kinds, length, len(KINDS)).astype(np.int64)
    sizes = np.bincount(kinds, mine["bytes"], len(KINDS)).astype(np.int64)
    present = np.flatnonzero(np.bincount(kinds, minlength=len(KINDS))).tolist()
    communication = int(ns[IS_COMMUNICATION].sum())
    busy = int(ns.sum()) - communication
    starts, ends = lane_bounds(trace, lane, numbers)
    whole = int((ends - starts).sum())
    return LaneBalance(
        lane=lane,
        time=LaneTime(busy, communication, whole - busy - communication, len(mine)),
        kind_ns={KINDS[code]: int(ns[code]) for code in present},
        kind_bytes={KINDS[code]: int(sizes[code]) for code in present},
        peak_bytes=_peak_within(trace, lane, np.stack([starts, ends], axis=1)),
        rows=int(_forward(mine)["rows"].sum()),
        waiting_ns=waiting_ns,
    )


def _of_steps(spans: Spans, steps: NDArray[np.int64]) -> Spans:
    """Return the spans of some steps in order; a view if the steps follow one another."""
    firsts = sorted_positions(spans.step, steps)
    lasts = sorted_positions(spans.step, steps + 1)
    if not len(steps):
        return spans[:0]
    if (lasts[:-1] == firsts[1:]).all():
        return spans[firsts[0] : lasts[-1]]
    return Spans.joined([spans[a:b] for a, b in zip(firsts, lasts, strict=True)])


def _peak_within(trace: Trace, lane: int, bounds: NDArray[np.int64]) -> int:
    """Return the most bytes that a lane held at a moment of n intervals; `bounds` is (n, 2)."""
    counters = _memory_of(trace, lane)
    if not len(bounds) or not counters:
        return 0
    first, last = bounds[0, 0], bounds[:, 1].max()
    # The starts count too: a lane may hold its maximum since before an interval.
    parts = [bounds[:, 0]]
    for counter in counters:
        low, high = np.searchsorted(counter.times, [first, last + 1])
        parts.append(counter.times[low:high])
    times = np.concatenate(parts)
    interval = np.searchsorted(bounds[:, 0], times, "right") - 1
    inside = times[bounds[interval, 1] >= times]
    held = sum((counter.at(inside) for counter in counters), np.zeros(len(inside)))
    return int(held.max())


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
    return Imbalance(
        compute=max_over_mean([balance.time.busy_ns for balance in compute]),
        communication=max_over_mean(list(moving.values())),
        rows=max_over_mean([balance.rows for balance in compute]),
        memory=max_over_mean([balance.peak_bytes for balance in compute]),
    )


def _computing(trace: Trace, balances: Sequence[LaneBalance]) -> list[LaneBalance]:
    """Return the balances of compute lanes."""
    lanes = {lane.index for lane in computing_lanes(trace.header.lanes)}
    return [balance for balance in balances if balance.lane in lanes]


def moving_ns(trace: Trace, balances: Sequence[LaneBalance]) -> dict[int, int]:
    """Return the ns for which each compute lane, or a lane that serves it, moves data.

    By number of the compute lane. If it and a lane that serves it move data at the same time, both
    count. Waiting for other ranks in a collective does not count.
    """
    lanes = trace.header.lanes
    totals = {lane.index: 0 for lane in lanes if lane.role is Role.COMPUTE}
    for balance in balances:
        totals[lanes[balance.lane].serves] += balance.moving_ns
    return totals


def max_over_mean(values: Sequence[int]) -> float | None:
    """Return the largest value over the mean, None if all are 0."""
    return max(values) / fmean(values) if any(values) else None


def first_lane_shares(trace: Trace, balances: Sequence[LaneBalance]) -> list[FirstLaneShare]:
    """Compare the work that lane 0 does for all lanes with the mean of the other compute lanes.

    Empty for runs without a gather or reduce, in which lane 0 collects nothing, and with fewer than
    two compute lanes.
    """
    compute = _computing(trace, balances)
    ran: set[Kind] = set().union(*(balance.kind_ns for balance in compute))
    if len(compute) < 2 or not ran & {Kind.GATHER, Kind.REDUCE}:
        return []
    first, others = compute[0], compute[1:]
    shares = []
    for kind in SHARED_KINDS:
        if kind in ran:
            own = first.kind_ns.get(kind, 0)
            mean = fmean([balance.kind_ns.get(kind, 0) for balance in others])
            shares.append(FirstLaneShare(kind, own, mean, first.kind_bytes.get(kind, 0)))
    if first.peak_bytes:
        mean = fmean([balance.peak_bytes for balance in others])
        shares.append(FirstLaneShare(None, first.peak_bytes, mean))
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
    held = [balance.peak_bytes for balance in compute]
    return Load(_first_over_mean(list(work.values())), _first_over_mean(held))


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
    places = [lane.index for lane in computing_lanes(trace.header.lanes)]
    if len(places) < 2 or not steps:
        return Unevenness(computing=False, first_lane=False)
    computing, moving = _times_by_step(trace, steps)
    longer = significantly_above(computing[:, places])
    different = significantly_different((computing + moving)[:, places])
    return Unevenness(computing=bool(longer.any()), first_lane=bool(different[0]))


def _times_by_step(trace: Trace, steps: Sequence[int]) -> tuple[Floats, Floats]:
    """Return the ns for which each lane computes, and for which it or a lane of its moves data.

    Both have the shape (steps, lanes). Waiting for other ranks in a collective counts as neither.
    """
    numbers = np.array(steps, np.int64)
    moving = -waiting_by_step(trace, steps).astype(np.float64)
    computing = np.zeros_like(moving)
    for lane in working_lanes(trace.header.lanes):
        mine = _of_steps(trace.spans(lane.index), numbers)
        place = np.searchsorted(numbers, mine.step)
        length = (mine["end"] - mine["start"]).astype(np.float64)
        moves = IS_COMMUNICATION[mine["kind"]]
        compute_length = np.where(moves, 0, length)
        move_length = np.where(moves, length, 0)
        computing[:, lane.index] = np.bincount(place, compute_length, len(steps))
        moving[:, lane.index] += np.bincount(place, move_length, len(steps))
    serving = np.zeros_like(moving)
    for lane in working_lanes(trace.header.lanes):
        serving[:, lane.serves] += moving[:, lane.index]
    return computing, serving


def _first_over_mean(values: Sequence[int]) -> float | None:
    return values[0] / fmean(values) if any(values) else None


def rows_by_step(trace: Trace, steps: Sequence[int]) -> NDArray[np.int64]:
    """Return the rows that each compute lane passed forward in each step, (steps, lanes).

    Every part of a step's batch counts once on a lane.
    """
    lanes = trace.header.compute_lanes
    wanted = np.array(steps, np.int64)
    rows = np.zeros((len(steps), len(lanes)), np.int64)
    for column, lane in enumerate(lanes):
        enter = _forward(_of_steps(trace.spans(lane.index), wanted))
        # Not `+=`, which would count one micro-batch of each step.
        np.add.at(rows[:, column], np.searchsorted(wanted, enter.step), enter["rows"])
    return rows


@dataclass(frozen=True, slots=True)
class LanePart:
    """Rows `start` to `start + rows` of a step's batch, passed forward on `lane`."""

    lane: int
    replica: int
    microbatch: int
    start: int
    rows: int


def lane_parts(trace: Trace, step: int) -> list[LanePart]:
    """Return the parts of a step's batch that each lane has passed forward.

    A lane that runs several stages or blocks of a part has it once. Rows are numbered in the order
    of replicas, then of micro-batches.
    """
    seen: dict[tuple[int, int, int], int] = {}
    rows: dict[tuple[int, int], int] = {}
    for lane in working_lanes(trace.header.lanes):
        spans = trace.spans(lane.index)
        for replica, microbatch, count in entering_rows(spans[spans.of_step(step)]):
            seen[lane.index, replica, microbatch] = count
            rows[replica, microbatch] = count
    starts, total = {}, 0
    for part in sorted(rows):
        starts[part] = total
        total += rows[part]
    return [
        LanePart(lane, replica, microbatch, starts[replica, microbatch], count)
        for (lane, replica, microbatch), count in sorted(seen.items())
    ]


def held_bytes(
    trace: Trace, lane: int, since: int = -1
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the memory of a lane over time: times in ns from `since` on, and bytes held."""
    counters = _memory_of(trace, lane)
    parts = []
    for counter in counters:
        fresh = counter.times[np.searchsorted(counter.times, since) :]
        if len(fresh):
            parts.append(fresh)
    if len(parts) == 1 and (np.diff(parts[0]) > 0).all():
        times = parts[0]
    else:
        times = np.unique(np.concatenate([*parts, np.empty(0, np.int64)]))
    held = sum((counter.at(times) for counter in counters), np.zeros(len(times)))
    return times, held


def _memory_of(trace: Trace, lane: int) -> list[Counter]:
    """Return the counters of a lane's memory that are not empty."""
    counters = [trace.counter(name, lane) for name in MEMORY_COUNTERS]
    return [counter for counter in counters if len(counter)]


def _forward(spans: Spans) -> Spans:
    """Return a lane's spans that pass rows forward, one for each micro-batch of a step."""
    enter = spans[ENTERS[spans["kind"]]]
    # With several stages or blocks on a lane, only the first counts a micro-batch's rows.
    parts = row_keys(enter["step"], enter["replica"], enter["microbatch"])
    _, first = np.unique(parts, return_index=True)
    whole: Spans = enter[first]
    return whole
