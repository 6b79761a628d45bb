"""Starts and ends of a run's steps, and their faults."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.plan.plan import Lane, Role
from core.trace.columns import NO_ARRAYS, Arrays, Columns, GrowingArray, sorted_positions
from core.trace.spans import Spans

Ints = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Fault:
    """Fault of a step: numbers of missing tasks and repeated spans; `text` is one line."""

    step: int
    missing: int
    repeated: int
    text: str


class StepBounds(Columns):
    """Start and end in ns of every step, sorted by number.

    A step lasts from the start of its first span to the end of its last. If steps `follow` each
    other, as in a training job, a step starts at the end of the step before, or at its time in
    `late_starts` if that is later. `bounds` are the first start and last end of all spans; (0, 0)
    without spans.
    """

    DTYPES: ClassVar = {"numbers": np.int32, "starts": np.int64, "ends": np.int64}

    def __init__(self, arrays: Arrays = NO_ARRAYS, bounds: tuple[int, int] = (0, 0)) -> None:
        """Create bounds; `bounds` are of spans outside of steps, used if there is no step."""
        super().__init__(arrays)
        self._reached = False
        self.bounds = bounds
        self.follow = False
        self.late_starts: dict[int, int] = {}
        if len(self):
            self.bounds = (int(self.first_starts.min()), int(self.ends.max()))

    def copy(self) -> StepBounds:
        """Return a copy that does not share arrays."""
        arrays = {name: array.copy() for name, array in self.arrays.items()}
        made = StepBounds(arrays, self.bounds)
        made.follow, made.late_starts = self.follow, dict(self.late_starts)
        return made

    @classmethod
    def of(
        cls, lanes: Sequence[Lane], spans: Sequence[Spans], steps: Ints, bounds: tuple[int, int]
    ) -> StepBounds:
        """Return the bounds of `steps` on some lanes; `bounds` include spans outside of steps."""
        made = cls()
        for lane, some in zip(lanes, spans, strict=True):
            made.take(lane, some, steps)
        made.bounds = bounds
        return made

    @property
    def numbers(self) -> NDArray[np.int32]:
        """Steps with a span, in order."""
        return self._columns["numbers"].view

    @property
    def starts(self) -> NDArray[np.int64]:
        """Start of each step in ns."""
        if not self.follow:
            return self.first_starts
        return self._following_starts(0, len(self))

    @property
    def first_starts(self) -> NDArray[np.int64]:
        """Start of the first span of each step in ns."""
        return self._columns["starts"].view

    @property
    def ends(self) -> NDArray[np.int64]:
        """Last end of each step in ns."""
        return self._columns["ends"].view

    def find(self, step: int) -> tuple[int, int]:
        """Return start and end of a step in ns. Raises KeyError if it has no span."""
        at = int(sorted_positions(self.numbers, step))
        if at == len(self) or self.numbers[at] != step:
            raise KeyError(step)
        start = self._following_starts(at, at + 1)[0] if self.follow else self.first_starts[at]
        return int(start), int(self.ends[at])

    def _following_starts(self, first: int, last: int) -> NDArray[np.int64]:
        """Return the starts of the steps at positions `first` to `last` (exclusive) if they follow.

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
        """Return the step at a time; None between steps."""
        # `floor`, because conversion to int would round negative times up.
        index = int(sorted_positions(self.starts, math.floor(time_ns), "right")) - 1
        if index < 0 or time_ns >= self.ends[index]:
            return None
        return int(self.numbers[index])

    def reach(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
        """Extend `bounds` by n spans, in steps or not."""
        if len(starts):
            first, last = int(starts.min()), int(ends.max())
            # (0, 0) means no bounds yet, unless a span at 0 has no length.
            has_bounds = len(self) or self._reached or self.bounds != (0, 0)
            known = self.bounds if has_bounds else (first, last)
            self._reached = True
            self.bounds = (min(known[0], first), max(known[1], last))

    def take(self, lane: Lane, spans: Spans, steps: Ints) -> None:
        """Add a lane's spans to `bounds` and, unless nested, to the bounds of `steps`."""
        self.reach(spans.start, spans.end)
        if lane.role is not Role.NESTED:
            mine = np.isin(spans.step, steps)
            self.widen(spans.step[mine], spans.start[mine], spans.end[mine])

    def widen(
        self, steps: NDArray[np.int32], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> None:
        """Extend the bounds of steps by n spans."""
        if not len(steps):
            return
        self.reach(starts, ends)
        numbers, which = np.unique(steps, return_inverse=True)
        self._make_room(np.setdiff1d(numbers, self.numbers, assume_unique=True))
        at = sorted_positions(self.numbers, numbers)[which]
        # `at` has repeated positions, which plain indexing would not combine.
        np.minimum.at(self.first_starts, at, starts)
        np.maximum.at(self.ends, at, ends)

    def _make_room(self, fresh: NDArray[np.int32]) -> None:
        """Insert entries for new steps, in order."""
        if not len(fresh):
            return
        limits = np.iinfo(np.int64)
        empty = {
            "numbers": fresh,
            "starts": np.full(len(fresh), limits.max),
            "ends": np.full(len(fresh), limits.min),
        }
        # The usual case in a live run. In files of other programs an earlier step may appear late.
        if not len(self) or fresh[0] > self.numbers[-1]:
            self.extend(**empty)
            return
        at = sorted_positions(self.numbers, fresh)
        self._columns = {
            name: GrowingArray.of(np.insert(array, at, empty[name]))
            for name, array in self.arrays.items()
        }
