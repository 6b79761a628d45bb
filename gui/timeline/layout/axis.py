"""Where the ticks of the time axis stand, from when they count, and what they say."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from gui.look.text import MINUS, NO_BREAK, tr
from gui.timeline.layout.viewport import Viewport

MOST_DIGITS = 6  # behind the point of a time in ms: to the nanosecond
TICK_PIXELS = 96.0  # ticks stand at least this far apart
_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))


class CountFrom(StrEnum):
    """What moments are counted from: the step on screen, the run's start, or the clock."""

    STEP = "step"
    RUN = "run"
    CLOCK = "clock"


@dataclass(frozen=True, slots=True)
class Origin:
    """The moment `zero` (ns since the run's start) that an axis counts from, and its name.

    Of a clock, `clock_s` is the time of day there, in seconds.
    """

    zero: float = 0.0
    name: str = ""
    clock_s: float | None = None

    @property
    def moment(self) -> str:
        """The origin in words."""
        return self.name or tr("run start")

    def title(self, unit: str) -> str:
        """What stands beside the axis: `ms since step 5`."""
        if self.clock_s is not None:
            return tr("time of day, ± 1 s")  # a recording tells its start to the second
        return tr("{unit} since {moment}", unit=unit, moment=self.moment)

    def number(self, ns: float, scale: float, digits: int) -> str:
        """A moment in units of `scale` ns since the origin, or the time of day."""
        since = ns - self.zero
        if self.clock_s is None:
            return f"{since / scale:,.{digits}f}".replace(",", NO_BREAK).replace("-", MINUS)
        digits += 9 - round(math.log10(scale))
        whole, part = divmod(round((self.clock_s * 1e9 + since) / 10 ** (9 - digits)), 10**digits)
        hours, minutes, seconds = whole // 3600 % 24, whole // 60 % 60, whole % 60
        return f"{hours:02}:{minutes:02}:{seconds:02}" + (f".{part:0{digits}}" if digits else "")


OF_RUN = Origin()
"""The run's start."""


def clock_of(started: str) -> float | None:
    """The time of day, in seconds here, of a header's `started`; None if it does not tell."""
    try:
        moment = datetime.fromisoformat(started).astimezone()
    except ValueError:
        return None
    return moment.hour * 3600 + moment.minute * 60 + moment.second + moment.microsecond / 1e6


def moment_text(ns: float, origin: Origin, ns_per_pixel: float) -> str:
    """A moment as the axis counts it, in ms, with the digits that tell two pixels apart."""
    digits = math.ceil(6 - math.log10(max(1.0, ns_per_pixel)))
    number = origin.number(ns, 1e6, min(MOST_DIGITS, max(0, digits)))
    return number if origin.clock_s is not None else f"{number}{NO_BREAK}ms"


def since_text(ns: float, origin: Origin) -> str:
    """A moment, with what it counts from: `12.345 ms since step 5`."""
    moment = moment_text(ns, origin, 1e3)
    if origin.clock_s is not None:
        return moment
    return tr("{moment} since {start}", moment=moment, start=origin.moment)


@dataclass(frozen=True, slots=True)
class Tick:
    """One tick: its pixel from the plot's left edge, its `number`, and that with its unit."""

    x: float
    number: str
    label: str


def unit_of(view: Viewport, apart: float = TICK_PIXELS) -> tuple[float, str]:
    """The one unit of an axis, in ns, and its name: the largest of which ticks are whole."""
    step = round_step(view.ns_per_pixel * apart)
    return next((pair for pair in _UNITS if step >= pair[0]), _UNITS[-1])


def ticks(
    view: Viewport, origin: Origin | float = OF_RUN, apart: float = TICK_PIXELS
) -> list[Tick]:
    """Ticks at round times since an origin, at least `apart` pixels apart.

    There are none before the run's start, nor where time is folded.
    """
    origin = origin if isinstance(origin, Origin) else Origin(origin)
    step = round_step(view.ns_per_pixel * apart)
    scale, unit = unit_of(view, apart)
    found: list[Tick] = []
    for time in _round_times(view, origin.zero, step):
        x, number = view.x(time), origin.number(time, scale, 0)
        if not found or x - found[-1].x >= apart * 0.999:
            found.append(Tick(x, number, f"{number}{NO_BREAK}{unit}"))
    return found


def _round_times(view: Viewport, zero: float, step: float) -> Iterator[float]:
    for start, end in view.folds.between(max(0.0, view.start), view.end):
        first, last = math.ceil((start - zero) / step), math.floor((end - zero) / step)
        yield from (zero + n * step for n in range(first, last + 1))


def round_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(max(least, 1.0)))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)
