"""Ticks of the time axis, with their labels."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from gui.look.text import NO_BREAK
from gui.timeline.layout.frame import Viewport
from gui.timeline.layout.moments import OF_RUN, Origin

TICK_PIXELS = 96.0  # least distance between ticks
_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick: its pixel from the plot's left edge, its `number`, and its `label` with the unit."""

    x: float
    number: str
    label: str


def unit_of(view: Viewport, apart: float = TICK_PIXELS) -> tuple[float, str]:
    """Return the largest unit in which all ticks are integers: its length in ns, and its name."""
    step = round_step(view.ns_per_pixel * apart)
    for size, name in _UNITS:
        if step >= size:
            return size, name
    return _UNITS[-1]


def ticks(view: Viewport, origin: Origin = OF_RUN, apart: float = TICK_PIXELS) -> list[Tick]:
    """Return ticks at round times since an origin, at least `apart` pixels apart.

    There are none before the run's start, nor where time is folded.
    """
    step = round_step(view.ns_per_pixel * apart)
    scale, unit = unit_of(view, apart)
    found: list[Tick] = []
    # Slightly less than `apart`; otherwise rounding errors could leave out every other tick.
    least_distance = apart * 0.999
    for time in _round_times(view, origin.zero, step):
        x = view.x(time)
        number = origin.number(time, scale, 0)
        label = f"{number}{NO_BREAK}{unit}"
        if not found or x - found[-1].x >= least_distance:
            found.append(Tick(x, number, label))
    return found


def _round_times(view: Viewport, zero: float, step: float) -> Iterator[float]:
    first_shown = max(0.0, view.start)
    for start, end in view.folds.between(first_shown, view.end):
        first = math.ceil((start - zero) / step)
        last = math.floor((end - zero) / step)
        for number in range(first, last + 1):
            yield zero + number * step


def round_step(least: float) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that is not below `least`."""
    exponent = math.log10(max(least, 1.0))
    power = 10.0 ** math.floor(exponent)
    for factor in (1, 2, 5):
        if factor * power >= least:
            return factor * power
    return 10 * power
