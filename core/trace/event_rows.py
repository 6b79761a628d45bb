"""What a run says beside its spans: counters, lines of its log and clocks, all as columns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from core.trace.columns import ABSENT, Column


@dataclass(frozen=True, slots=True)
class LogRow:
    """A line of text; `level` is info, size, warning, error or state."""

    time: int
    level: str
    text: str
    step: int | None = None


@dataclass(frozen=True, slots=True)
class ClockRow:
    """The half-width in ns of a device's clock anchors in one step."""

    step: int
    device: str
    uncertainty_ns: float


class Counter:
    """A named value over time, of one lane or (`lane` None) of the run."""

    def __init__(self, name: str, lane: int | None) -> None:
        self.name, self.lane = name, lane
        self._times, self._values, self._steps = (
            Column(np.int64),
            Column(np.float64),
            Column(np.int32),
        )

    @classmethod
    def of(
        cls, name: str, lane: int | None, times: NDArray[np.int64], values: NDArray[np.float64],
        steps: NDArray[np.int32],
    ) -> Counter:  # fmt: skip
        """A counter with these columns, which are not copied until it grows."""
        counter = cls(name, lane)
        counter._times, counter._values = Column.of(times), Column.of(values)
        counter._steps = Column.of(steps)
        return counter

    @property
    def times(self) -> NDArray[np.int64]:
        """Time of each value, in ns since the run's start."""
        return self._times.view

    @property
    def values(self) -> NDArray[np.float64]:
        """The value from each time on."""
        return self._values.view

    @property
    def steps(self) -> NDArray[np.int32]:
        """The step of each value, or -1."""
        return self._steps.view

    def at(self, times: NDArray[np.int64]) -> NDArray[np.float64]:
        """The value at each of `times`; 0 before the first."""
        values = np.zeros(len(times))
        index = np.searchsorted(self.times, times, "right") - 1
        known = index >= 0
        values[known] = self.values[index[known]]
        return values

    def extend(self, times: NDArray[Any], values: NDArray[Any], steps: NDArray[Any]) -> None:
        """Append values in order of time."""
        self._times.extend(times)
        self._values.extend(values)
        self._steps.extend(steps)


class Texts:
    """Distinct texts, numbered in the order in which they came."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._all = list(texts)
        self._places = {text: place for place, text in enumerate(self._all)}

    def __getitem__(self, place: int) -> str:
        return self._all[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def place(self, text: str) -> int:
        """The number of a text, which is noted if it is new."""
        place = self._places.setdefault(text, len(self._all))
        if place == len(self._all):
            self._all.append(text)
        return place


Row = TypeVar("Row")


class _Rows(Sequence[Row]):
    """Rows kept as columns, and made when they are asked for."""

    _columns: tuple[Column, ...]

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        """Each column of all rows, in the order that the class tells."""
        return tuple(column.view for column in self._columns)

    def __len__(self) -> int:
        return len(self._columns[0])

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, slice):
            parts = (column[index].tolist() for column in self.columns)
            return [self._row(*values) for values in zip(*parts, strict=True)]
        return self._row(*(column[index].item() for column in self.columns))

    def __iter__(self) -> Iterator[Row]:
        return iter(self[:])

    @abstractmethod
    def _row(self, *values: Any) -> Row:
        """The row that a value of each column makes."""


class Log(_Rows[LogRow]):
    """The lines that a run has said, 20 bytes each: a text said again is kept once.

    `columns` are time in ns, step (-1 for none), and the places of level and text in `levels`
    and `texts`.
    """

    def __init__(self) -> None:
        self.levels, self.texts = Texts(), Texts()
        self._columns = (Column(np.int64), Column(np.int32), Column(np.int32), Column(np.int32))

    @classmethod
    def of(
        cls, columns: Iterable[NDArray[Any]], levels: Iterable[str], texts: Iterable[str]
    ) -> Log:
        """A log with these columns, which are not copied until it grows."""
        log = cls()
        log.levels, log.texts = Texts(levels), Texts(texts)
        time, step, level, text = (Column.of(column) for column in columns)
        log._columns = (time, step, level, text)
        return log

    def extend(
        self, times: NDArray[Any], steps: NDArray[Any], levels: Iterable[str], texts: Iterable[str]
    ) -> None:
        """Append lines."""
        places = (
            np.array([known.place(told) for told in said], np.int32)
            for known, said in ((self.levels, levels), (self.texts, texts))
        )
        for column, values in zip(self._columns, (times, steps, *places), strict=True):
            column.extend(values)

    def at_levels(self, levels: Collection[str], first: int = 0) -> NDArray[np.int64]:
        """The places, from `first` on, of the lines that have one of the levels."""
        wanted = [place for place, level in enumerate(self.levels) if level in levels]
        level = self._columns[2].view[first:]
        return np.flatnonzero(np.isin(level, wanted)) + first

    def _row(self, *values: Any) -> LogRow:
        time, step, level, text = values
        known = None if step == ABSENT else step
        return LogRow(time, self.levels[level], self.texts[text], known)


class Clocks(_Rows[ClockRow]):
    """The clock rows of a run. `columns` are step, place of the device in `devices`, and ns."""

    def __init__(self) -> None:
        self.devices = Texts()
        self._columns = (Column(np.int32), Column(np.int32), Column(np.float64))

    @classmethod
    def of(cls, columns: Iterable[NDArray[Any]], devices: Iterable[str]) -> Clocks:
        """Clocks with these columns, which are not copied until they grow."""
        clocks = cls()
        clocks.devices = Texts(devices)
        step, device, uncertainty = (Column.of(column) for column in columns)
        clocks._columns = (step, device, uncertainty)
        return clocks

    def extend(
        self, steps: NDArray[Any], devices: Iterable[str], uncertainties: NDArray[Any]
    ) -> None:
        """Append rows."""
        places = np.array([self.devices.place(device) for device in devices], np.int32)
        for column, values in zip(self._columns, (steps, places, uncertainties), strict=True):
            column.extend(values)

    def uncertainty(self, step: int) -> float | None:
        """The largest uncertainty of a step's clocks in ns, None where none was noted."""
        steps, _, uncertainties = self.columns
        mine = uncertainties[steps == step]
        return float(mine.max()) if len(mine) else None

    def _row(self, *values: Any) -> ClockRow:
        step, device, ns = values
        return ClockRow(step, self.devices[device], ns)
