"""Counters and log lines of a run, as columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from core.arrays import Floats, Ints
from core.plan.task import known
from core.trace.columns import NO_ARRAYS, Arrays, Columns, Texts

STARTED = "started"
"""The counter that each rank sets once its process has started."""
PASSES = "passes"
"""The run's counter of passes over all tasks to measure their costs."""


class Counter(Columns):
    """A named value over time, of one lane or, with `lane` None, of the run."""

    DTYPES: ClassVar = {"times": np.int64, "values": np.float64, "steps": np.int32}

    def __init__(self, name: str, lane: int | None, arrays: Arrays = NO_ARRAYS) -> None:
        super().__init__(arrays)
        self.name = name
        self.lane = lane

    @property
    def times(self) -> Ints:
        """Start of each value, in ns since the run's start."""
        return self._columns["times"].view

    @property
    def values(self) -> Floats:
        """The values, each valid from its time on."""
        return self._columns["values"].view

    @property
    def steps(self) -> NDArray[np.int32]:
        """The step of each value, or -1."""
        return self._columns["steps"].view

    def at(self, times: Ints) -> Floats:
        """Return the value at each of `times`; 0 before the first."""
        values = np.zeros(len(times))
        # "right": the last of several values at one time wins.
        index = np.searchsorted(self.times, times, "right") - 1
        known = index >= 0
        values[known] = self.values[index[known]]
        return values


Counters = dict[tuple[str, int | None], Counter]
"""Counters by name and lane."""


def clock_uncertainty(clocks: Counters, step: int | None = None) -> float | None:
    """Return the largest uncertainty in ns of all clocks, in one step or all; None if unknown.

    The uncertainty is half the width of the interval in which a device's clock was read.
    """
    largest: float | None = None
    for clock in clocks.values():
        values = clock.values
        if step is not None:
            values = values[clock.steps == step]
        if len(values):
            uncertainty = float(values.max())
            largest = uncertainty if largest is None else max(largest, uncertainty)
    return largest


def clock_disagreement(clocks: Counters, step: int | None = None) -> float:
    """Return the largest possible error, in ns, between times of two clocks.

    This is the sum of the two largest half-widths, in one step or all; 0 if none is known.
    """
    half_widths = []
    for clock in clocks.values():
        half_width = clock_uncertainty({(clock.name, clock.lane): clock}, step)
        half_widths.append(half_width or 0.0)
    return sum(sorted(half_widths)[-2:])


@dataclass(frozen=True, slots=True)
class LogRow:
    """A line of the log; `level` is info, size, warning, error or state."""

    time: int
    level: str
    text: str
    step: int | None = None


class Log(Columns):
    """The log of a run, 20 bytes a line; repeated texts are stored once.

    Columns are time in ns, step (-1 for none), and the positions of level and text in `levels` and
    `texts`. Indexing creates LogRow objects.
    """

    DTYPES: ClassVar = {"time": np.int64, "step": np.int32, "level": np.int32, "text": np.int32}

    def __init__(
        self, levels: Iterable[str] = (), texts: Iterable[str] = (), arrays: Arrays = NO_ARRAYS
    ) -> None:
        super().__init__(arrays)
        self.levels = Texts(levels)
        self.texts = Texts(texts)

    @overload
    def __getitem__(self, index: int) -> LogRow: ...

    @overload
    def __getitem__(self, index: slice) -> list[LogRow]: ...

    def __getitem__(self, index: int | slice) -> LogRow | list[LogRow]:
        if isinstance(index, int):
            # `or None`, because for the last line (-1) the end would be 0.
            return self[index : index + 1 or None][0]
        arrays = self.arrays
        times = arrays["time"][index].tolist()
        steps = arrays["step"][index].tolist()
        levels = arrays["level"][index].tolist()
        texts = arrays["text"][index].tolist()
        rows: list[LogRow] = []
        for time, step, level_place, text_place in zip(times, steps, levels, texts, strict=True):
            level = self.levels[level_place]
            text = self.texts[text_place]
            rows.append(LogRow(time, level, text, known(step)))
        return rows

    def __iter__(self) -> Iterator[LogRow]:
        return iter(self[:])

    def add(
        self, times: NDArray[Any], steps: NDArray[Any], levels: Iterable[str], texts: Iterable[str]
    ) -> None:
        """Append lines."""
        level = np.array([self.levels.place(level) for level in levels], np.int32)
        text = np.array([self.texts.place(text) for text in texts], np.int32)
        self.extend(time=times, step=steps, level=level, text=text)

    def at_levels(self, levels: Collection[str], first: int = 0) -> Ints:
        """Return the positions, from `first` on, of lines with one of the levels."""
        wanted = [place for place, level in enumerate(self.levels) if level in levels]
        is_wanted = np.isin(self.arrays["level"][first:], wanted)
        return np.flatnonzero(is_wanted) + first
