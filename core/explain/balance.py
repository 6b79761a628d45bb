"""How the lanes compare: each one's time, traffic and memory, and lane 0's against the others'."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from core.explain.arrivals import lanes_waiting_ns, waiting_by_step
from core.explain.lanes import LaneTime, entering
from core.explain.noise import Floats, surely_above, surely_apart
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
"""What DataParallel puts on lane 0."""


@dataclass(frozen=True, slots=True)
class LaneBalance:
    """A lane over some steps: `time`, ns and bytes of each kind that it ran, most bytes held.

    `rows` are those that it passed forward, in each step every piece of the batch once.
    `waiting_ns` is the part of its communication in which it waits for other ranks to reach a
    collective (core.explain.arrivals): nothing moves until the last of them has.
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
        """Ns for which it moves data."""
        return self.time.communication_ns - self.waiting_ns


@dataclass(frozen=True, slots=True)
class Share:
    """Lane 0's figure against the mean of the other compute lanes', in ns or bytes.

    `kind` is None for memory. `first_bytes` is what lane 0 moved in that kind.
    """

    kind: Kind | None
    first: float
    others: float
    first_bytes: int = 0

    @property
    def ratio(self) -> float | None:
        """How many times the others' mean lane 0 has; None if they have nothing."""
        return self.first / self.others if self.others else None


def lane_balance(trace: Trace, lane: int, steps: Sequence[int]) -> LaneBalance:
    """Sum up a lane over `steps`; its three times add up to the steps' lengths on the lane."""
    return lane_balances(trace, [lane], steps)[0]


def lane_balances(trace: Trace, lanes: Iterable[int], steps: Sequence[int]) -> list[LaneBalance]:
    """Sum up each of `lanes` over `steps`."""
    waiting = lanes_waiting_ns(trace, steps).tolist()
    return [_balance(trace, lane, steps, waiting[lane]) for lane in lanes]


def _balance(trace: Trace, lane: int, steps: Sequence[int], waiting_ns: int) -> LaneBalance:
    mine = _of_steps(trace.spans(lane), np.array(steps, np.int64))
    kinds, length = mine["kind"], mine["end"] - mine["start"]
    counts = np.bincount(kinds, minlength=len(KINDS))
    ns, sizes = (
        # Sums of doubles: exact up to 2**53, which is 104 days of ns, or 9 PB.
        np.bincount(kinds, weights, len(KINDS)).astype(np.int64)
        for weights in (length, mine["bytes"])
    )
    communication = int(ns[IS_COMMUNICATION].sum())
    busy = int(ns.sum()) - communication
    starts, ends = lane_bounds(trace, lane, np.array(steps, np.int64))
    whole = int((ends - starts).sum())
    present = np.flatnonzero(counts).tolist()
    return LaneBalance(
        lane,
        LaneTime(busy, communication, whole - busy - communication, len(mine)),
        {KINDS[k]: int(ns[k]) for k in present},
        {KINDS[k]: int(sizes[k]) for k in present},
        _peak_within(trace, lane, np.stack([starts, ends], axis=1)),
        int(_forward(mine)["rows"].sum()),
        waiting_ns,
    )


def _of_steps(spans: Spans, steps: NDArray[np.int64]) -> Spans:
    """The spans of some steps, in their order; not copied where the steps follow one another."""
    firsts, lasts = sorted_positions(spans.step, steps), sorted_positions(spans.step, steps + 1)
    if not len(steps):
        return spans[:0]
    if (lasts[:-1] == firsts[1:]).all():
        return spans[firsts[0] : lasts[-1]]
    return Spans.joined([spans[a:b] for a, b in zip(firsts, lasts, strict=True)])


def _peak_within(trace: Trace, lane: int, bounds: NDArray[np.int64]) -> int:
    """Most bytes that a lane held at one moment within intervals: n starts and ends, in order."""
    counters = _memory_of(trace, lane)
    if not len(bounds) or not counters:
        return 0
    first, last = bounds[0, 0], bounds[:, 1].max()
    # Also the begins of the intervals: a lane may hold its most since before.
    times = np.concatenate(
        [bounds[:, 0]]
        + [c.times[slice(*np.searchsorted(c.times, [first, last + 1]))] for c in counters]
    )
    within = bounds[np.searchsorted(bounds[:, 0], times, "right") - 1, 1] >= times
    held = sum((counter.at(times[within]) for counter in counters), np.zeros(int(within.sum())))
    return int(held.max())


@dataclass(frozen=True, slots=True)
class Imbalance:
    """The largest over the mean of the compute lanes' figures: 1 is even, the lanes' number worst.

    None where the lanes have nothing of it.
    """

    compute: float | None
    communication: float | None
    rows: float | None
    memory: float | None


def imbalance(trace: Trace, balances: Sequence[LaneBalance]) -> Imbalance:
    """How unevenly the compute lanes among `balances` are loaded, those beside them included."""
    compute = _computing(trace, balances)
    return Imbalance(
        max_over_mean([b.time.busy_ns for b in compute]),
        max_over_mean(list(moving_ns(trace, balances).values())),
        max_over_mean([b.rows for b in compute]),
        max_over_mean([b.peak_bytes for b in compute]),
    )


def _computing(trace: Trace, balances: Sequence[LaneBalance]) -> list[LaneBalance]:
    """Those of lanes that compute."""
    lanes = {lane.index for lane in computing_lanes(trace.header.lanes)}
    return [balance for balance in balances if balance.lane in lanes]


def moving_ns(trace: Trace, balances: Sequence[LaneBalance]) -> dict[int, int]:
    """Ns for which each compute lane, or a copy or communication lane that serves it, moves data.

    By the lane's number; lanes beside one another may move at the same time, and both count.
    Waiting for other ranks in a collective does not count.
    """
    lanes = trace.header.lanes
    totals = {lane.index: 0 for lane in lanes if lane.role is Role.COMPUTE}
    for balance in balances:
        totals[lanes[balance.lane].serves] += balance.moving_ns
    return totals


def max_over_mean(values: Sequence[int]) -> float | None:
    """The largest value over the mean; None if there is nothing."""
    return max(values) / fmean(values) if any(values) else None


def first_lane_shares(trace: Trace, balances: Sequence[LaneBalance]) -> list[Share]:
    """What lane 0 does for all, against the mean of the other compute lanes; empty without such.

    Only runs with a gather or reduce are meant: there lane 0 collects, and its memory shows it.
    """
    compute = _computing(trace, balances)
    ran = {kind for b in compute for kind in b.kind_ns}
    if len(compute) < 2 or not ran & {Kind.GATHER, Kind.REDUCE}:
        return []
    first, others = compute[0], compute[1:]
    shares = [
        Share(
            kind,
            first.kind_ns.get(kind, 0),
            fmean([b.kind_ns.get(kind, 0) for b in others]),
            first.kind_bytes.get(kind, 0),
        )
        for kind in SHARED_KINDS
        if kind in ran
    ]
    memory = Share(None, first.peak_bytes, fmean([b.peak_bytes for b in others]))
    return [*shares, memory] if first.peak_bytes else shares


@dataclass(frozen=True, slots=True)
class Load:
    """Lane 0's figures over the means of all compute lanes'; None where there is nothing.

    `work` is the time in which it, or lanes that copy for it, compute or move data; `memory` the
    most that it holds.
    """

    work: float | None
    memory: float | None


def first_lane_load(trace: Trace, balances: Sequence[LaneBalance]) -> Load | None:
    """How much lane 0 is loaded beside the others; None without two compute lanes."""
    lanes = trace.header.lanes
    compute = _computing(trace, balances)
    if len(compute) < 2:
        return None
    work = {b.lane: 0 for b in compute}
    for balance in balances:
        if (serves := lanes[balance.lane].serves) in work:
            work[serves] += balance.time.busy_ns + balance.moving_ns
    held = [b.peak_bytes for b in compute]
    return Load(_over_mean(list(work.values())), _over_mean(held))


@dataclass(frozen=True, slots=True)
class Unevenness:
    """Differences between compute lanes that are more than the steps' scatter (core.explain.noise).

    `computing` says whether any lane computes for longer than the mean; `first_lane` whether lane 0
    works for longer or shorter than the mean, what it moves included.
    """

    computing: bool
    first_lane: bool


def unevenness(trace: Trace, steps: Sequence[int]) -> Unevenness:
    """Compare the compute lanes over `steps`. Of fewer than three any difference counts."""
    places = [lane.index for lane in computing_lanes(trace.header.lanes)]
    if len(places) < 2 or not steps:
        return Unevenness(computing=False, first_lane=False)
    computing, moving = _times_by_step(trace, steps)
    working = (computing + moving)[:, places]
    return Unevenness(
        bool(surely_above(computing[:, places]).any()), bool(surely_apart(working)[0])
    )


def _times_by_step(trace: Trace, steps: Sequence[int]) -> tuple[Floats, Floats]:
    """Ns for which each lane computes, and for which it or a lane that serves it moves data.

    Both of shape (steps, lanes). Waiting for other ranks in a collective counts as neither.
    """
    numbers = np.array(steps, np.int64)
    moving = -waiting_by_step(trace, steps).astype(np.float64)
    computing = np.zeros_like(moving)
    for lane in working_lanes(trace.header.lanes):
        mine = _of_steps(trace.spans(lane.index), numbers)
        place = np.searchsorted(numbers, mine.step)
        length = (mine["end"] - mine["start"]).astype(np.float64)
        moves = IS_COMMUNICATION[mine["kind"]]
        computing[:, lane.index] = np.bincount(place, np.where(moves, 0, length), len(steps))
        moving[:, lane.index] += np.bincount(place, np.where(moves, length, 0), len(steps))
    serving = np.zeros_like(moving)
    for lane in working_lanes(trace.header.lanes):
        serving[:, lane.serves] += moving[:, lane.index]
    return computing, serving


def _over_mean(values: Sequence[int]) -> float | None:
    return values[0] / fmean(values) if any(values) else None


def rows_by_step(trace: Trace, steps: Sequence[int]) -> NDArray[np.int64]:
    """Rows that each compute lane passed forward in each of `steps`: shape (steps, lanes).

    Every piece of a step's batch counts once on a lane.
    """
    lanes = trace.header.compute_lanes
    wanted = np.array(steps, np.int64)
    rows = np.zeros((len(steps), len(lanes)), np.int64)
    for column, lane in enumerate(lanes):
        enter = _forward(_of_steps(trace.spans(lane.index), wanted))
        # A step's micro-batches all add to one place.
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
    """The pieces of the batch that each lane has passed forward in a step, each once.

    A lane that runs several stages or blocks of a piece has it once. Rows count in the order of
    replicas, then of micro-batches.
    """
    seen: dict[tuple[int, int, int], int] = {}
    for lane in working_lanes(trace.header.lanes):
        spans = trace.spans(lane.index)
        for replica, microbatch, count in entering(spans[spans.of_step(step)]):
            seen[lane.index, replica, microbatch] = count
    rows = {(replica, microbatch): count for (_, replica, microbatch), count in seen.items()}
    starts, total = {}, 0
    for key in sorted(rows):
        starts[key] = total
        total += rows[key]
    return [
        LanePart(lane, replica, microbatch, starts[replica, microbatch], count)
        for (lane, replica, microbatch), count in sorted(seen.items())
    ]


def held_bytes(
    trace: Trace, lane: int, since: int = -1
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Memory that a lane holds over time: times in ns, from `since` on, and the bytes held then."""
    counters = _memory_of(trace, lane)
    fresh = [c.times[np.searchsorted(c.times, since) :] for c in counters]
    fresh = [times for times in fresh if len(times)]
    if len(fresh) == 1 and (np.diff(fresh[0]) > 0).all():
        times = fresh[0]
    else:
        times = np.unique(np.concatenate([*fresh, np.empty(0, np.int64)]))
    return times, sum((c.at(times) for c in counters), np.zeros(len(times)))


def _memory_of(trace: Trace, lane: int) -> list[Counter]:
    """What was recorded of a lane's memory."""
    counters = [trace.counter(name, lane) for name in MEMORY_COUNTERS]
    return [counter for counter in counters if len(counter)]


def _forward(spans: Spans) -> Spans:
    """Those spans of one lane that pass rows forward, of each step's micro-batches the first."""
    enter = spans[ENTERS[spans["kind"]]]
    # Of several stages or blocks on a lane only the first counts a micro-batch's rows.
    pieces = row_keys(enter["step"], enter["replica"], enter["microbatch"])
    _, first = np.unique(pieces, return_index=True)
    whole: Spans = enter[first]
    return whole
