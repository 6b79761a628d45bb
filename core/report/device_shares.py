"""Shares of time of the devices of another program's trace, and the share that is lost.

Such a trace does not say what its tasks waited for, so no step of it can be simulated. The state of
a device is known: it computes, or else communicates, or else copies, or is idle
(core.explain.ranks).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from core.explain.causes import CAUSES, Cause, Explanation
from core.explain.intervals import disjoint, subtract
from core.explain.ranks import Device, RankTime, Windows, device_time, devices_of
from core.explain.run_step import explain_run_step
from core.message import N_
from core.plain import Say, duration_text, plainly
from core.report.idling import LANES, REASONS, SEEN, STEP, share_text
from core.report.limits import Finding, Limit
from core.trace.columns import sorted_positions
from core.trace.median_step import median_step
from core.trace.trace import Trace

LIMITS = 0.05
"""The share of the devices' time that one thing must take to be named as what limits them."""
PARTLY = 0.9
"""Devices in use for less than this part of the steps are said to be."""
APART = 0.1
"""From this difference on between the idle shares of devices the least and the most are named."""

IN_USE = N_("Devices are in use for {used} of it.")
IDLE = N_("Devices idle {idle}.")
SPREAD = N_("{idle} ({least} to {most})")
MOSTLY = N_("Devices idle {idle}: mostly {reason} ({share}).")
LARGEST = N_("Devices idle {idle}, the largest part {reason} ({share}).")
EXPOSED = N_("Communication alone takes {share}.")
COPIES = N_("Copies alone take {share}.")
DEVICE_REASONS = {**REASONS, Cause.BETWEEN_STEPS: N_("between steps")}
"""Why devices idle, by cause: their time is also that between steps."""


@dataclass(frozen=True, slots=True)
class DeviceShares:
    """Time of the devices in some steps while they were in use, by what they did.

    `times` has the time of each device, `idle` the idle ns of all of them by cause: these add up to
    the idle time in `times`. `step_ns` is the median step, and `whole_ns` the length of the `steps`
    together.
    """

    steps: int
    step_ns: int
    whole_ns: int
    times: tuple[RankTime, ...]
    idle: Mapping[Cause, int]

    @property
    def time_ns(self) -> int:
        """The time in which the devices are in use, summed over them."""
        return sum(time.span_ns for time in self.times)

    def share(self, ns: int) -> float:
        """The part of the devices' time, 0 to 1."""
        return ns / self.time_ns

    def total(self, name: str) -> int:
        """The sum over the devices of what RankTime calls `name`, in ns."""
        return sum(map(attrgetter(name), self.times))


def device_shares(trace: Trace, steps: Sequence[int]) -> DeviceShares | None:
    """Sum up what devices did in steps of a trace; None where the trace has no devices' streams.

    Also where no device is in use in these steps.
    """
    devices = devices_of(trace)
    if not devices:
        return None
    windows = _windows(trace, steps)
    times = [device_time(trace, device, windows) for device in devices]
    used = [(device, time) for device, time in zip(devices, times, strict=True) if time.span_ns]
    if not used:
        return None
    first, last = trace.step_bounds(median_step(trace, steps))
    idle = dict.fromkeys(CAUSES, 0)
    for step, start, end in zip(steps, windows.start, windows.end, strict=True):
        explanation = explain_run_step(trace, step)
        for device, _ in used:
            own = device.in_use.cut(start, end)
            for cause, ns in _idle_by_cause(explanation, device, own).items():
                idle[cause] += ns
    # Between two steps nothing is explained.
    unexplained = sum(time.idle_ns for _, time in used) - sum(idle.values())
    idle[Cause.BETWEEN_STEPS] += unexplained
    return DeviceShares(
        len(steps),
        last - first,
        int((windows.end - windows.start).sum()),
        tuple(time for _, time in used),
        {cause: ns for cause, ns in idle.items() if ns},
    )


def _windows(trace: Trace, steps: Sequence[int]) -> Windows:
    """The time of the steps, and that between one and the next."""
    table = trace.step_table
    place = sorted_positions(table.numbers, steps)
    # Where ranks are steps apart a step may begin before the one that it follows.
    starts = np.maximum.accumulate(table.starts)
    next_starts = np.append(starts, np.iinfo(np.int64).max)[place + 1]
    followed = np.isin(place + 1, place)
    # Tasks may go on when the next step begins, which has that time then.
    ends = np.where(followed, next_starts, np.minimum(table.ends[place], next_starts))
    return Windows(starts[place], np.maximum(starts[place], ends))


def device_text(shares: DeviceShares, limit: Limit, say: Say = plainly) -> str:
    """Return the step, the devices' idle share with its main cause, and what else is no computing.

    Such as `Step 37 ms. Devices idle 39 %: mostly because the host is late (31 %).` What the
    sentence of the `limit` says is left out. `say` fills the placeholders of a text, and may
    translate it first.
    """
    words = [say(STEP, step=duration_text(shares.step_ns))]
    used = shares.time_ns / len(shares.times)
    if used < PARTLY * shares.whole_ns:
        words.append(say(IN_USE, used=duration_text(round(used / shares.steps))))
    words.append(_idle_words(shares, say))
    exposed = shares.share(shares.total("exposed_ns"))
    copies = shares.share(shares.total("memory_ns"))
    if exposed >= SEEN and limit is not Limit.COMMUNICATION:
        words.append(say(EXPOSED, share=share_text(exposed)))
    if copies >= SEEN and limit is not Limit.COPIES:
        words.append(say(COPIES, share=share_text(copies)))
    return " ".join(words)


def device_limit(shares: DeviceShares) -> Finding:
    """Return what takes most of the devices' time besides computing, if it takes enough."""
    losses: dict[Limit, int] = {}
    for cause, ns in shares.idle.items():
        limit = _limit_of(cause)
        losses[limit] = losses.get(limit, 0) + ns
    losses[Limit.COMMUNICATION] = shares.total("exposed_ns")
    losses[Limit.COPIES] = shares.total("memory_ns")
    worst = max(losses, key=lambda limit: losses[limit])
    largest = max(losses[worst], shares.total("idle_ns"))  # idle time may have several causes
    if shares.share(largest) < LIMITS:
        return Finding(Limit.NONE, "", 0, 0.0, of_devices=True)
    if worst is Limit.NOT_TOLD:
        uneven = _imbalance(shares)
        if uneven is not None:
            return uneven
    ns = losses[worst] // (len(shares.times) * shares.steps)
    return Finding(worst, "", ns, shares.share(losses[worst]), of_devices=True)


def _imbalance(shares: DeviceShares) -> Finding | None:
    """Return that one device computes longer than the mean, if by enough.

    Others may well wait for it, though the trace does not tell.
    """
    longest = max(shares.times, key=lambda time: time.compute_ns)
    mean = shares.total("compute_ns") / len(shares.times)
    ns = round((longest.compute_ns - mean) / shares.steps)
    share = shares.share(ns * shares.steps * len(shares.times))
    if share < LIMITS:
        return None
    values = {
        "device": longest.place,
        "most": duration_text(longest.compute_ns // shares.steps),
        "mean": duration_text(round(mean / shares.steps)),
    }
    return Finding(Limit.IMBALANCE, longest.place, ns, share, values, of_devices=True)


def _limit_of(cause: Cause) -> Limit:
    """The limit that idle time of a cause counts for."""
    return Limit.HOST if cause is Cause.HOST else Limit.NOT_TOLD


def _idle_words(shares: DeviceShares, say: Say) -> str:
    """The devices' idle share, and what most of it waits for."""
    total = shares.share(shares.total("idle_ns"))
    each = [time.idle_ns / time.span_ns for time in shares.times]
    idle = share_text(total)
    if max(each) - min(each) >= APART:
        idle = say(SPREAD, idle=idle, least=share_text(min(each)), most=share_text(max(each)))
    if total < SEEN:
        return say(IDLE, idle=idle)
    cause = max(shares.idle, key=lambda cause: shares.idle[cause])
    part = shares.share(shares.idle[cause])
    words = MOSTLY if 2 * part >= total else LARGEST
    reason = say(DEVICE_REASONS[cause], who=say(LANES))
    return say(words, idle=idle, reason=reason, share=share_text(part))


def _idle_by_cause(explanation: Explanation, device: Device, within: Windows) -> dict[Cause, int]:
    """Ns by cause in which a device is idle within some time."""
    first, last = explanation.lane_first[device.main : device.main + 2].tolist()
    _, busy_from, busy_to = disjoint(device.spans.start, device.spans.end)
    start, end = explanation.start[first:last], explanation.end[first:last]
    piece, start, end = subtract(start, end, busy_from, busy_to)
    length = within.covered(end) - within.covered(start)
    cause = explanation.cause[first:last][piece]
    totals = np.bincount(cause, length, len(CAUSES)).astype(np.int64)
    return {CAUSES[code]: int(totals[code]) for code in np.flatnonzero(totals).tolist()}
