"""Shares of time of the devices of another program's trace, and the share that is lost.

Such a trace does not say what its tasks waited for, so no step of it can be simulated. The state of
a device is known: it computes, or else communicates, or else copies, or is idle
(core.explain.ranks).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from core.explain.arrivals import waiting_ns
from core.explain.causes import CAUSES, Cause
from core.explain.explanation import Explanation
from core.explain.intervals import disjoint, subtract
from core.explain.ranks import Device, RankTime, Windows, device_time, devices_of
from core.explain.run_step import explain_run_step
from core.message import Message, Text, join_texts, message
from core.plain import duration_text, share_text
from core.plan.plan import rank_names
from core.report.idling import MOSTLY, NOTICEABLE, REASONS, step_text
from core.report.limits import DEVICE_SENTENCES, Finding, Limit
from core.trace.columns import sorted_positions
from core.trace.median_step import median_step
from core.trace.trace import Trace

LIMITS = 0.05
"""Least share of the devices' time that a limit takes to be named."""
PARTLY = 0.9
"""If devices are in use for less than this share of the steps, the verdict says for how long."""
MOST_OF_IT = 1 / 2
"""If ranks wait for one that computes longer for this share of the exposed communication, the
imbalance is the limit."""
APART = 0.1
"""If the idle shares of devices differ by this, the smallest and the largest are given."""


@dataclass(frozen=True, slots=True)
class DeviceShares:
    """Time of the devices in a number of `steps` while they were in use, by activity.

    `times` has the time of each device, `idle` the idle ns of all of them by cause, which add up to
    the idle time in `times`. `step_ns` is the length of the median step, `whole_ns` of all
    steps. `waited_for` has the ns for which ranks wait in their communication until a rank arrives,
    by the name of that rank; it is None if no communication of two ranks is matched.
    """

    steps: int
    step_ns: int
    whole_ns: int
    times: tuple[RankTime, ...]
    idle: Mapping[Cause, int]
    waited_for: Mapping[str, int] | None

    @property
    def time_ns(self) -> int:
        """Time in which the devices are in use in ns, summed over them."""
        return sum(time.span_ns for time in self.times)

    def share(self, ns: int) -> float:
        """Return the share of the devices' time, 0 to 1."""
        return ns / self.time_ns

    def total(self, name: str) -> int:
        """Return the sum over the devices of an attribute of RankTime, in ns."""
        return sum(map(attrgetter(name), self.times))


def device_shares(trace: Trace, steps: Sequence[int]) -> DeviceShares | None:
    """Sum up the activities of devices in steps of a trace.

    Returns None if the trace has no streams of devices, or no device is in use in these steps.
    """
    devices = devices_of(trace)
    if not devices:
        return None
    windows = _windows(trace, steps)
    used: list[Device] = []
    times: list[RankTime] = []
    for device in devices:
        time = device_time(trace, device, windows)
        if time.span_ns:
            used.append(device)
            times.append(time)
    if not used:
        return None
    first, last = trace.step_bounds(median_step(trace, steps))
    idle = dict.fromkeys(CAUSES, 0)
    waited_for: Counter[str] = Counter()
    is_matched = False
    for step, start, end in zip(steps, windows.start, windows.end, strict=True):
        explanation = explain_run_step(trace, step)
        is_matched |= _has_meeting(explanation)
        waited_for.update(_waited_for(explanation))
        for device in used:
            own = device.in_use.cut(start, end)
            of_device = _idle_by_cause(explanation, device, own)
            for cause, ns in of_device.items():
                idle[cause] += ns
    # Time between two steps is not explained.
    idle_ns = sum(time.idle_ns for time in times)
    explained_ns = sum(idle.values())
    idle[Cause.BETWEEN_STEPS] += idle_ns - explained_ns
    found_idle: dict[Cause, int] = {}
    for cause, ns in idle.items():
        if ns:
            found_idle[cause] = ns
    lengths = windows.end - windows.start
    return DeviceShares(
        steps=len(steps),
        step_ns=last - first,
        whole_ns=int(lengths.sum()),
        times=tuple(times),
        idle=found_idle,
        waited_for=waited_for if is_matched else None,
    )


def _has_meeting(explanation: Explanation) -> bool:
    """Return True if a task of a step meets one of another rank."""
    waits = explanation.waits
    members = np.flatnonzero(waits.is_member)
    return bool((waits.slowest[members] != members).any())


def _waited_for(explanation: Explanation) -> dict[str, int]:
    """Return the ns for which ranks wait for others in a step, by the rank that arrives last."""
    waits = explanation.waits
    waiting = waiting_ns(explanation.columns, waits)
    lanes = explanation.lanes
    lane_of_slowest = explanation.columns.lane[waits.slowest]
    sums = np.bincount(lane_of_slowest, waiting, len(lanes))
    totals = sums.astype(np.int64)
    names = rank_names(lanes)
    found: Counter[str] = Counter()
    for name, ns in zip(names, totals.tolist(), strict=True):
        if ns:
            found[name] += ns
    return found


def _windows(trace: Trace, steps: Sequence[int]) -> Windows:
    """Return the time of the steps and between them."""
    table = trace.step_table
    place = sorted_positions(table.numbers, steps)
    # If ranks are steps apart, a step may begin before the previous one.
    every_start = np.maximum.accumulate(table.starts)
    starts = every_start[place]
    never = np.iinfo(np.int64).max
    next_starts = np.append(every_start, never)[place + 1]
    followed = np.isin(place + 1, place)
    pauses = () if trace.imported is None else trace.imported.pauses
    for start, _ in pauses:
        # The last step before a pause ends with its own tasks.
        followed &= (starts > start) | (next_starts <= start)
    # If tasks go on when the next step begins, that time belongs to the next step.
    own_ends = np.minimum(table.ends[place], next_starts)
    ends = np.where(followed, next_starts, own_ends)
    return Windows(starts, np.maximum(starts, ends))


def device_text(shares: DeviceShares, limit: Limit) -> Message:
    """Return the step, the devices' idle share, and their exposed communication and copies.

    Such as `Step 37 ms. Devices idle 39 %: mostly waiting for the host to start work (31 %).` The
    share that the sentence on `limit` states is omitted.
    """
    sentences = [step_text(shares.step_ns)]
    used_ns = shares.time_ns / len(shares.times)
    if used_ns < PARTLY * shares.whole_ns:
        used_a_step = round(used_ns / shares.steps)
        used = duration_text(used_a_step, like=shares.step_ns)
        sentences.append(message("Devices are in use for {used} of it.", used=used))
    sentences.append(_idle_sentence(shares))
    exposed = shares.share(shares.total("exposed_ns"))
    if exposed >= NOTICEABLE and limit is not Limit.COMMUNICATION:
        share = share_text(exposed)
        sentences.append(message("Exposed communication takes {share}.", share=share))
    copies = shares.share(shares.total("memory_ns"))
    if copies >= NOTICEABLE and limit is not Limit.COPIES:
        share = share_text(copies)
        sentences.append(message("Exposed copies take {share}.", share=share))
    return join_texts(sentences)


def device_limit(shares: DeviceShares, slow: Collection[str]) -> Finding:
    """Return the limit that takes most of the devices' time; Limit.NONE if it is below LIMITS.

    Communication also takes time in which ranks wait for one that computes longer. If such a rank
    explains MOST_OF_IT, the limit is the imbalance. `slow` are the names of the devices that
    compute significantly longer than others.
    """
    losses: dict[Limit, int] = {}
    for cause, ns in shares.idle.items():
        limit = _limit_of(cause)
        losses[limit] = losses.get(limit, 0) + ns
    losses[Limit.COMMUNICATION] = shares.total("exposed_ns")
    losses[Limit.COPIES] = shares.total("memory_ns")
    worst = max(losses, key=losses.__getitem__)
    loss = losses[worst]
    # Idle time may have several causes, each below the threshold.
    largest = max(loss, shares.total("idle_ns"))
    if shares.share(largest) < LIMITS:
        return _finding(
            kind=Limit.NONE,
            where="",
            ns=0,
            share=0.0,
        )
    share = shares.share(loss)
    if worst in (Limit.UNEXPLAINED, Limit.COMMUNICATION):
        uneven = _imbalance(shares)
        if uneven is not None and uneven.where in slow:
            explains_most = uneven.share >= MOST_OF_IT * share
            if explains_most or worst is Limit.UNEXPLAINED:
                return uneven
    steps_of_devices = len(shares.times) * shares.steps
    return _finding(
        kind=worst,
        where="",
        ns=loss // steps_of_devices,
        share=share,
    )


def waited_text(shares: DeviceShares) -> Message | None:
    """Return a sentence on the rank for which the others wait, or why it is not known.

    None if there is no other rank, and if ranks hardly wait or wait for several ranks.
    """
    if len(shares.times) == 1:
        return None
    if shares.waited_for is None:
        return message(
            "The communication of the ranks is not matched, so it is not known whether they wait "
            "for one of them."
        )
    waiting = sum(shares.waited_for.values())
    if shares.share(waiting) < LIMITS:
        return None
    place, ns = max(shares.waited_for.items(), key=lambda item: item[1])
    if ns < MOSTLY * waiting:
        return None
    return message("When ranks wait for other ranks, it is mostly for {place}.", place=place)


def _finding(
    kind: Limit, where: str, ns: int, share: float, values: Mapping[str, object] | None = None
) -> Finding:
    return Finding(
        kind=kind,
        where=where,
        loss_ns=ns,
        share=share,
        values=values or {},
        sentence=DEVICE_SENTENCES[kind],
    )


def _imbalance(shares: DeviceShares) -> Finding | None:
    """Return the excess of the device that computes longest over the mean, if it is LIMITS.

    Other devices may wait for it, although the trace does not show that.
    """
    devices = len(shares.times)
    steps = shares.steps
    longest = max(shares.times, key=lambda time: time.compute_ns)
    mean = shares.total("compute_ns") / devices
    ns = round((longest.compute_ns - mean) / steps)
    share = shares.share(ns * steps * devices)
    if share < LIMITS:
        return None
    most_a_step = longest.compute_ns // steps
    mean_a_step = round(mean / steps)
    values = {
        "device": longest.place,
        "most": duration_text(most_a_step),
        "mean": duration_text(mean_a_step, like=most_a_step),
    }
    return _finding(
        kind=Limit.IMBALANCE,
        where=longest.place,
        ns=ns,
        share=share,
        values=values,
    )


def _limit_of(cause: Cause) -> Limit:
    """Return the limit that idle time of a cause counts for."""
    return Limit.HOST if cause is Cause.HOST else Limit.UNEXPLAINED


def _idle_sentence(shares: DeviceShares) -> Message:
    """Return the sentence on the devices' idle share and its main cause."""
    total = shares.share(shares.total("idle_ns"))
    idle = _spread_text(shares, total)
    if total < NOTICEABLE:
        return message("Devices idle {idle}.", idle=idle)
    cause = max(shares.idle, key=shares.idle.__getitem__)
    part = shares.share(shares.idle[cause])
    reason = message(REASONS[cause], who=message("other lanes"))
    share = share_text(part)
    if 2 * part >= total:
        return message(
            "Devices idle {idle}: mostly {reason} ({share}).",
            idle=idle,
            reason=reason,
            share=share,
        )
    return message(
        "Devices idle {idle}, the largest part {reason} ({share}).",
        idle=idle,
        reason=reason,
        share=share,
    )


def _spread_text(shares: DeviceShares, total: float) -> Text:
    """Return the idle share of all devices; with the smallest and largest if they are APART."""
    idle = share_text(total)
    each = [time.idle_ns / time.span_ns for time in shares.times]
    least = min(each)
    most = max(each)
    if most - least < APART:
        return idle
    return message(
        "{idle} ({least} to {most})",
        idle=idle,
        least=share_text(least),
        most=share_text(most),
    )


def _idle_by_cause(explanation: Explanation, device: Device, within: Windows) -> dict[Cause, int]:
    """Return the ns by cause in which a device is idle within some time."""
    first = int(explanation.lane_first[device.main])
    last = int(explanation.lane_first[device.main + 1])
    idle_start = explanation.start[first:last]
    idle_end = explanation.end[first:last]
    idle_cause = explanation.cause[first:last]
    _, busy_start, busy_end = disjoint(device.spans.start, device.spans.end)
    piece, start, end = subtract(idle_start, idle_end, busy_start, busy_end)
    length = within.covered(end) - within.covered(start)
    sums = np.bincount(idle_cause[piece], length, len(CAUSES))
    totals = sums.astype(np.int64)
    found: dict[Cause, int] = {}
    for code in np.flatnonzero(totals).tolist():
        found[CAUSES[code]] = int(totals[code])
    return found
