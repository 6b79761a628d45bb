"""Where the ticks of the time axis stand, and what they say."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gui.look.text import MINUS, NO_BREAK
from gui.timeline.layout.viewport import Viewport

TICK_PIXELS = 96.0  # ticks stand at least this far apart
_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))


@dataclass(frozen=True, slots=True)
class Tick:
    """One tick: its pixel from the plot's left edge, and its label."""

    x: float
    label: str


def ticks(view: Viewport, zero_ns: float = 0.0, apart: float = TICK_PIXELS) -> list[Tick]:
    """Ticks at round times since `zero_ns`, at least `apart` pixels apart.

    There are none before the run's start.
    """
    step = round_step(view.ns_per_pixel * apart)
    scale, unit = next((pair for pair in _UNITS if step >= pair[0]), _UNITS[-1])
    first = math.ceil(max(-zero_ns, view.start - zero_ns) / step)
    last = math.floor((view.end - zero_ns) / step)
    return [
        Tick(
            view.x(zero_ns + n * step),
            f"{n * step / scale:,.0f}{NO_BREAK}{unit}".replace(",", NO_BREAK).replace("-", MINUS),
        )
        for n in range(first, last + 1)
    ]


def round_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(max(least, 1.0)))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)
