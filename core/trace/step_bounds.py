"""Starts and ends of a run's steps, and their faults."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.message import Text, text_from_plain, text_to_plain
from core.plan.plan import Lane, Role
from core.trace.columns import NO_ARRAYS, Arrays, Columns, sorted_positions
from core.trace.spans import Spans

StepNumbers = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Fault:
    """Fault of a step: numbers of missing tasks and repeated spans; `text` is one line."""

    step: int
    missing: int
    repeated: int
    text: Text

    def to_dict(self) -> dict[str, Any]:
        """Return a value that JSON can hold."""
        return {
            "step": self.step,
            "missing": self.missing,
            "repeated": self.repeated,
            "text": text_to_plain(self.text),
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Fault:
        """Return the fault that `to_dict` described. Raises ValueError, KeyError or TypeError."""
        text = text_from_plain(plain["text"])
        return cls(
            step=int(plain["step"]),
            missing=int(plain["missing"]),
            repeated=int(plain["repeated"]),
            text=text,
        )


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
            first = int(self.first_starts.min())
            last = int(self.ends.max())
            self.bounds = (first, last)

    def copy(self) -> StepBounds:
        """Return a copy that does not share arrays."""
        arrays = {name: array.copy() for name, array in self.arrays.items()}
        made = StepBounds(arrays, self.bounds)
        made.follow = self.follow
        made.late_starts = dict(self.late_starts)
        return made

    @classmethod
    def of(
        cls,
        lanes: Sequence[Lane],
        spans: Sequence[Spans],
        steps: StepNumbers,
        bounds: tuple[int, int],
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
    def starts(self) -> Ints:
        """Start of each step in ns."""
        if not self.follow:
            return self.first_starts
        return self._following_starts(0, len(self))

    @property
    def first_starts(self) -> Ints:
        """Start of the first span of each step in ns."""
        return self._columns["starts"].view

    @property
    def ends(self) -> Ints:
        """Last end of each step in ns."""
        return self._columns["ends"].view

    def find(self, step: int) -> tuple[int, int]:
        """Return start and end of a step in ns. Raises KeyError if it has no span."""
        at = int(sorted_positions(self.numbers, step))
        if at == len(self) or self.numbers[at] != step:
            raise KeyError(step)
        starts = self.first_starts[at : at + 1]
        if self.follow:
            starts = self._following_starts(at, at + 1)
        return int(starts[0]), int(self.ends[at])

    def _following_starts(self, first: int, last: int) -> Ints:
        """Return the starts of the steps at positions `first` to `last` (exclusive) if they follow.

        The first step, and one whose predecessor is missing, start with their first span.
        """
        starts = self.first_starts[first:last].copy()
        numbers = self.numbers
        ends = self.ends
        first_later = max(first, 1)
        later = np.arange(first_later, last)
        before = later - 1
        is_next = numbers[before] + 1 == numbers[later]
        following = later[is_next]
        starts[following - first] = ends[before[is_next]]
        for step, moment in self.late_starts.items():
            at = int(sorted_positions(numbers, step))
            if first <= at < last and numbers[at] == step:
                place = at - first
                starts[place] = max(starts[place], moment)
        return np.minimum(starts, ends[first:last])

    def at(self, time_ns: float) -> int | None:
        """Return the step at a time; None between steps."""
        # `floor`, because conversion to int would round negative times up.
        whole_ns = math.floor(time_ns)
        begun = int(sorted_positions(self.starts, whole_ns, "right"))
        index = begun - 1
        if index < 0 or time_ns >= self.ends[index]:
            return None
        return int(self.numbers[index])

    def reach(self, starts: Ints, ends: Ints) -> None:
        """Extend `bounds` by n spans, in steps or not."""
        if not len(starts):
            return
        first = int(starts.min())
        last = int(ends.max())
        # (0, 0) means no bounds yet, unless a span at 0 has no length.
        has_bounds = len(self) or self._reached or self.bounds != (0, 0)
        if has_bounds:
            first = min(first, self.bounds[0])
            last = max(last, self.bounds[1])
        self._reached = True
        self.bounds = (first, last)

    def take(self, lane: Lane, spans: Spans, steps: StepNumbers) -> None:
        """Add a lane's spans to `bounds` and, unless nested, to the bounds of `steps`."""
        self.reach(spans.start, spans.end)
        if lane.role is not Role.NESTED:
            mine = np.isin(spans.step, steps)
            self.widen(spans.step[mine], spans.start[mine], spans.end[mine])

    def widen(self, steps: NDArray[np.int32], starts: Ints, ends: Ints) -> None:
        """Extend the bounds of steps by n spans."""
        if not len(steps):
            return
        self.reach(starts, ends)
        numbers, which = np.unique(steps, return_inverse=True)
        new = np.setdiff1d(numbers, self.numbers, assume_unique=True)
        self._make_room(new)
        places = sorted_positions(self.numbers, numbers)
        at = places[which]
        # `at` has repeated positions, which plain indexing would not combine.
        np.minimum.at(self.first_starts, at, starts)
        np.maximum.at(self.ends, at, ends)

    def _make_room(self, new: NDArray[np.int32]) -> None:
        """Insert entries for new steps, in order."""
        if not len(new):
            return
        limits = np.iinfo(np.int64)
        empty = {
            "numbers": new,
            "starts": np.full(len(new), limits.max),
            "ends": np.full(len(new), limits.min),
        }
        # The usual case in a live run. In files of other programs an earlier step may appear late.
        if not len(self) or new[0] > self.numbers[-1]:
            self.extend(**empty)
            return
        at = sorted_positions(self.numbers, new)
        for name, array in self.arrays.items():
            self.put(name, np.insert(array, at, empty[name]))
