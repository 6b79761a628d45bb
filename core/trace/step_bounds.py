"""When the steps of a run began and ended, and what is wrong with them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.plan.plan import Lane, Role
from core.trace.columns import NO_ARRAYS, Arrays, Column, Columns, sorted_positions
from core.trace.spans import Spans

Ints = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a step: how many tasks have no span, or several; `text` is one line."""

    step: int
    missing: int
    repeated: int
    text: str


class StepBounds(Columns):
    """First start and last end of every step, by its number, in ns.

    `bounds` are the first start and last end of all; (0, 0) if there is nothing.
    """

    DTYPES: ClassVar = {"numbers": np.int32, "starts": np.int64, "ends": np.int64}

    def __init__(self, arrays: Arrays = NO_ARRAYS, bounds: tuple[int, int] = (0, 0)) -> None:
        """`bounds` are those of spans that belong to no step, where there are no others."""
        super().__init__(arrays)
        self.bounds = bounds
        if len(self):
            self.bounds = (int(self.starts.min()), int(self.ends.max()))

    @classmethod
    def of(
        cls, lanes: Sequence[Lane], spans: Sequence[Spans], steps: Ints, bounds: tuple[int, int]
    ) -> StepBounds:
        """Those of such steps of some lanes; `bounds` are of more than what belongs to steps."""
        made = cls()
        for lane, some in zip(lanes, spans, strict=True):
            made.take(lane, some, steps)
        made.bounds = bounds
        return made

    @property
    def numbers(self) -> NDArray[np.int32]:
        """Steps of which there is a span, in order."""
        return self._columns["numbers"].view

    @property
    def starts(self) -> NDArray[np.int64]:
        """First start of each step."""
        return self._columns["starts"].view

    @property
    def ends(self) -> NDArray[np.int64]:
        """Last end of each step."""
        return self._columns["ends"].view

    def find(self, step: int) -> tuple[int, int]:
        """Bounds of one step. Raises KeyError if it has no span."""
        at = int(sorted_positions(self.numbers, step))
        if at == len(self) or self.numbers[at] != step:
            raise KeyError(step)
        return int(self.starts[at]), int(self.ends[at])

    def at(self, time_ns: float) -> int | None:
        """The step within whose bounds a moment lies, or None between steps."""
        # The column's own type would cut a negative moment towards 0, and so to a later one.
        index = int(sorted_positions(self.starts, math.floor(time_ns), "right")) - 1
        if index < 0 or time_ns >= self.ends[index]:
            return None
        return int(self.numbers[index])

    def reach(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
        """Take n spans, of a step or of none, into the bounds of all."""
        if len(starts):
            first, last = int(starts.min()), int(ends.max())
            # (0, 0) stands for no bounds yet: as a moment it would reach to the run's start.
            known = self.bounds if len(self) or self.bounds != (0, 0) else (first, last)
            self.bounds = (min(known[0], first), max(known[1], last))

    def take(self, lane: Lane, spans: Spans, steps: Ints) -> None:
        """Take in spans of a lane; those of such `steps` bound these, unless they are nested."""
        self.reach(spans.start, spans.end)
        if lane.role is not Role.NESTED:
            mine = np.isin(spans.step, steps)
            self.widen(spans.step[mine], spans.start[mine], spans.end[mine])

    def widen(
        self, steps: NDArray[np.int32], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> None:
        """Take in n spans, given by their step and times."""
        if not len(steps):
            return
        self.reach(starts, ends)
        numbers, which = np.unique(steps, return_inverse=True)
        self._make_room(np.setdiff1d(numbers, self.numbers, assume_unique=True))
        at = sorted_positions(self.numbers, numbers)[which]
        # `at` has a step many times; plain indexing would keep one of its spans only.
        np.minimum.at(self.starts, at, starts)
        np.maximum.at(self.ends, at, ends)

    def _make_room(self, fresh: NDArray[np.int32]) -> None:
        """Entries for steps that have none yet, in order."""
        if not len(fresh):
            return
        limits = np.iinfo(np.int64)
        empty = {
            "numbers": fresh,
            "starts": np.full(len(fresh), limits.max),
            "ends": np.full(len(fresh), limits.min),
        }
        # The rule while a run is live: new steps come behind all others. Files of other programs
        # may bring an earlier one late.
        if not len(self) or fresh[0] > self.numbers[-1]:
            self.extend(**empty)
            return
        at = sorted_positions(self.numbers, fresh)
        self._columns = {
            name: Column.of(np.insert(array, at, empty[name]))
            for name, array in self.arrays.items()
        }
