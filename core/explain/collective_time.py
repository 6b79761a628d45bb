"""Classes of collectives: most of their time is the transfer, or the wait for the last rank.

The time of a collective runs from the first arrival of a rank to the last end. The ranks' clocks
agree only within some uncertainty, so the last arrival may be that much earlier or later. If this
would change the class, the class is UNCERTAIN.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from core.explain.arrivals import Arrivals
from core.plan.link import Link

MOSTLY = 2 / 3
"""Least share of a collective's time that puts it into the class SKEW or TRANSFER."""


class TimeClass(StrEnum):
    """Classes of collectives, by where most of their time goes."""

    TRANSFER = "transfer"
    """Moving data."""
    SKEW = "arrival skew"
    """Waiting for the last rank."""
    MIXED = "mixed"
    """Both."""
    UNCERTAIN = "not certain"
    """The clocks are not precise enough for an answer, or it took no time."""


@dataclass(frozen=True, slots=True)
class CollectiveTime:
    """The class of a collective's time, and the transfer time of its bytes on the link.

    `needed_ns` is the transfer time of one run of it; None if its size or the link is not known.
    """

    time_class: TimeClass
    needed_ns: float | None


def collective_time(one: Arrivals, uncertainty_ns: float, link: Link | None) -> CollectiveTime:
    """Classify a collective of ranks whose clocks agree within `uncertainty_ns`."""
    wait = one.wait_ns / one.times
    transfer = one.transfer_ns / one.times
    needed = None
    if link is not None and one.bytes:
        needed = link.transfer_ns(one.kind, one.bytes, one.members)
    return CollectiveTime(_time_class(wait, transfer, uncertainty_ns), needed)


def _time_class(wait: float, transfer: float, uncertainty_ns: float) -> TimeClass:
    whole = wait + transfer
    if whole <= 0:
        return TimeClass.UNCERTAIN
    least = max(0.0, wait - uncertainty_ns) / whole
    most = min(whole, wait + uncertainty_ns) / whole
    lowest = _of_share(least)
    highest = _of_share(most)
    return lowest if lowest is highest else TimeClass.UNCERTAIN


def _of_share(wait_share: float) -> TimeClass:
    if wait_share >= MOSTLY:
        return TimeClass.SKEW
    return TimeClass.TRANSFER if wait_share <= 1 - MOSTLY else TimeClass.MIXED


def fastest_link(every: Iterable[Arrivals]) -> Link | None:
    """Return a link without latency, as fast as the fastest collective; None if no size is known.

    Use it for traces whose link is not known.
    """
    without_latency = Link(0.0, 1.0)
    rates = []
    for one in every:
        moved = without_latency.transfer_ns(one.kind, one.bytes, one.members)
        if moved > 0 and one.transfer_ns > 0:
            rates.append(one.transfer_ns / one.times / moved)
    if not rates:
        return None
    return Link(0.0, min(rates))
