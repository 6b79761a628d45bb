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
    """Start and end of every step, by its number, in ns.

    A step starts with its first span and ends with its last one. If steps `follow` each other, as
    those of a training job do, a step starts where the one before it ended, or at its moment in
    `late_starts` if that is later. `bounds` are the first start and last end of all; (0, 0) if
    there is nothing.
    """

    DTYPES: ClassVar = {"numbers": np.int32, "starts": np.int64, "ends": np.int64}

    def __init__(self, arrays: Arrays = NO_ARRAYS, bounds: tuple[int, int] = (0, 0)) -> None:
        """`bounds` are those of spans that belong to no step, where there are no others."""
        super().__init__(arrays)
        self.bounds = bounds
        self.follow = False
        self.late_starts: dict[int, int] = {}
        if len(self):
            self.bounds = (int(self.first_starts.min()), int(self.ends.max()))

    def copy(self) -> StepBounds:
        """Return the same with arrays of its own."""
        arrays = {name: array.copy() for name, array in self.arrays.items()}
        made = StepBounds(arrays, self.bounds)
        made.follow, made.late_starts = self.follow, dict(self.late_starts)
        return made

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
        """Start of each step."""
        if not self.follow:
            return self.first_starts
        return self._following_starts(0, len(self))

    @property
    def first_starts(self) -> NDArray[np.int64]:
        """First start of a span of each step."""
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
        start = self._following_starts(at, at + 1)[0] if self.follow else self.first_starts[at]
        return int(start), int(self.ends[at])

    def _following_starts(self, first: int, last: int) -> NDArray[np.int64]:
        """Starts of the steps at the places `first` to before `last`, which follow each other.

        The first step, and one whose predecessor is missing, start with their first span.
        """
        starts = self.first_starts[first:last].copy()
        numbers, ends = self.numbers, self.ends
        later = np.arange(max(first, 1), last)
        later = later[numbers[later - 1] + 1 == numbers[later]]
        starts[later - first] = ends[later - 1]
        for step, moment in self.late_starts.items():
            at = int(sorted_positions(numbers, step))
            if first <= at < last and numbers[at] == step:
                starts[at - first] = max(starts[at - first], moment)
        return np.minimum(starts, ends[first:last])

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
        np.minimum.at(self.first_starts, at, starts)
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
