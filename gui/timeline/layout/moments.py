"""Times as texts, and the origin from which they count."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from gui.look.text import MINUS, NO_BREAK, tr

MOST_DIGITS = 6  # decimals of a time in ms: to the nanosecond
MS = (1e6, "ms")


class CountFrom(StrEnum):
    """Choice of the origin of times: the step on screen, the run's start, or the clock."""

    STEP = "step"
    RUN = "run"
    CLOCK = "clock"


@dataclass(frozen=True, slots=True)
class Origin:
    """The time `zero` (ns since the run's start) from which an axis counts, and its name.

    For a clock, `clock_s` is the time of day at `zero`, in seconds.
    """

    zero: float = 0.0
    name: str = ""
    clock_s: float | None = None

    @property
    def moment(self) -> str:
        """The name of the origin."""
        return self.name or tr("run start")

    def title(self, unit: str) -> str:
        """Return the title of the axis: `ms since step 5`."""
        if self.clock_s is not None:
            return tr("time of day, ± 1 s")  # recordings store their start to the second
        return tr("{unit} since {moment}", unit=unit, moment=self.moment)

    def number(self, ns: float, scale: float, digits: int) -> str:
        """Return a time in units of `scale` ns since the origin, or the time of day."""
        since = ns - self.zero
        if self.clock_s is None:
            number = f"{since / scale:,.{digits}f}"
            return number.replace(",", NO_BREAK).replace("-", MINUS)
        # Convert decimals of `scale` to decimals of a second.
        digits += 9 - round(math.log10(scale))
        # Rounded before the division, so that 59.9996 s becomes the next minute.
        ns_of_day = self.clock_s * 1e9 + since
        units = round(ns_of_day / 10 ** (9 - digits))
        whole, part = divmod(units, 10**digits)
        hours = whole // 3600 % 24
        minutes = whole // 60 % 60
        seconds = whole % 60
        clock = f"{hours:02}:{minutes:02}:{seconds:02}"
        if not digits:
            return clock
        return f"{clock}.{part:0{digits}}"


OF_RUN = Origin()
"""The run's start."""


def clock_of(started: str) -> float | None:
    """Return the local time of day in seconds of a header's `started`, or None if it is invalid."""
    try:
        moment = datetime.fromisoformat(started).astimezone()
    except ValueError:
        return None
    minutes = moment.hour * 60 + moment.minute
    seconds = minutes * 60 + moment.second
    return seconds + moment.microsecond / 1e6


def moment_text(
    ns: float,
    origin: Origin,
    ns_per_pixel: float,
    unit: tuple[float, str] = MS,
) -> str:
    """Return a time since the origin, with enough decimals to distinguish adjacent pixels.

    `unit` is the length in ns, and the name, of the text's unit.
    """
    length, name = unit
    finest = max(1.0, ns_per_pixel)
    needed = math.ceil(math.log10(length) - math.log10(finest))
    digits = min(MOST_DIGITS, max(0, needed))
    number = origin.number(ns, length, digits)
    if origin.clock_s is not None:
        return number
    return f"{number}{NO_BREAK}{name}"


def since_text(ns: float, origin: Origin) -> str:
    """Return a time with its origin: `12.345 ms since step 5`."""
    moment = moment_text(ns, origin, 1e3)
    if origin.clock_s is not None:
        return moment
    return tr("{moment} since {start}", moment=moment, start=origin.moment)
