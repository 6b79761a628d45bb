"""The memory that a lane holds over time, as the sum of its counters, and its peak."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.arrays import Floats, Ints
from core.trace.event_rows import Counter
from core.trace.trace import Trace

MEMORY_COUNTERS = ("parameters", "gradients", "optimizer", "activations")


def held_bytes(trace: Trace, lane: int, since: int = -1) -> tuple[Ints, Floats]:
    """Return the memory of a lane over time: times in ns from `since` on, and bytes held."""
    counters = _memory_of(trace, lane)
    parts: list[Ints] = []
    for counter in counters:
        first = np.searchsorted(counter.times, since)
        if first < len(counter.times):
            parts.append(counter.times[first:])
    times = np.empty(0, np.int64)
    if len(parts) == 1:
        times = parts[0]
        increases = np.diff(times) > 0
        if not increases.all():
            times = np.unique(times)
    elif parts:
        times = np.unique(np.concatenate(parts))
    return times, _held_at(counters, times)


def _memory_of(trace: Trace, lane: int) -> list[Counter]:
    """Return the counters of a lane's memory that are not empty."""
    counters = [trace.counter(name, lane) for name in MEMORY_COUNTERS]
    return [counter for counter in counters if len(counter)]


def peak_within(trace: Trace, lane: int, starts: Ints, ends: Ints) -> dict[str, int]:
    """Return the bytes of each counter at the peak of a lane's memory in n intervals.

    If several moments share the peak, the first counts. Returns {} if the memory is unknown.
    """
    counters = _memory_of(trace, lane)
    if not len(starts) or not counters:
        return {}
    first = starts[0]
    last = ends.max()
    # The starts count too: a lane may hold its maximum since before an interval.
    moments = [starts]
    for counter in counters:
        low, high = np.searchsorted(counter.times, [first, last + 1])
        moments.append(counter.times[low:high])
    times = np.sort(np.concatenate(moments))
    interval = np.searchsorted(starts, times, "right") - 1
    times = times[ends[interval] >= times]
    held = _held_at(counters, times)
    peak = times[held.argmax() :][:1]
    parts: dict[str, int] = {}
    for counter in counters:
        (value,) = counter.at(peak)
        parts[counter.name] = int(value)
    return parts


def _held_at(counters: Sequence[Counter], times: Ints) -> Floats:
    """Return the sum of some counters of bytes at each of `times`."""
    held = np.zeros(len(times))
    for counter in counters:
        held += counter.at(times)
    return held
