"""Folded time: a mapping that shortens long gaps between steps, and its inverse."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Floats, Ints

LONG = 2.0  # a gap is folded if it is longer than this many times its folded length
MOST = 64  # most folds; if there are more long gaps, the longest are folded

Numbers = NDArray[np.integer | np.floating]


@dataclass(frozen=True, slots=True)
class _Scale:
    """Start and length of each fold on one of two scales, in increasing order."""

    begin: tuple[float, ...]
    length: tuple[float, ...]

    def to(self, other: _Scale, moment: float) -> float:
        """Return the time on the other scale for a time on this one."""
        place = bisect_right(self.begin, moment) - 1
        if place < 0:
            return moment
        # Inside a fold, time is scaled by `its / mine`. After it, time is shifted by `its - mine`.
        mine = self.length[place]
        its = other.length[place]
        into = moment - self.begin[place]
        its_begin = other.begin[place]
        if into < mine:
            return its_begin + into * its / mine
        return its_begin + (into - mine + its)

    def all_to(self, other: _Scale, moments: Numbers) -> Floats:
        """Return the times on the other scale for several times on this one."""
        begin = np.array(self.begin)
        length = np.array(self.length)
        others = np.array(other.begin)
        its = np.array(other.length)
        begun = np.searchsorted(begin, moments, "right")
        place = np.maximum(begun - 1, 0)
        into = moments - begin[place]
        factor = its / length
        shift = its - length
        scaled = into * factor[place]
        shifted = into + shift[place]
        is_inside = into < length[place]
        beyond = np.where(is_inside, scaled, shifted)
        is_before_folds = into < 0
        return np.where(is_before_folds, moments, others[place] + beyond)


@dataclass(frozen=True, slots=True)
class Folds:
    """Ranges of time that are drawn shorter than they are.

    There are two scales, both in ns: true time (`time`) and drawn time (`shown`). Drawn time
    increases with true time, so it can be mapped back. The scales are equal until the first fold.
    """

    time: _Scale
    shown: _Scale

    def __bool__(self) -> bool:
        return bool(self.time.begin)

    @property
    def gaps(self) -> list[tuple[float, float]]:
        """Start and end of each fold, in ns of true time."""
        gaps = []
        for start, length in zip(self.time.begin, self.time.length, strict=True):
            gaps.append((start, start + length))
        return gaps

    def drawn(self, time_ns: float) -> float:
        """Return the drawn time of a true time."""
        if not self:
            return time_ns
        return self.time.to(self.shown, time_ns)

    def undone(self, drawn_ns: float) -> float:
        """Return the true time of a drawn time."""
        if not self:
            return drawn_ns
        return self.shown.to(self.time, drawn_ns)

    def all_drawn(self, times: Numbers) -> Floats:
        """Return the drawn times of true times."""
        if not self:
            return times.astype(np.float64)
        return self.time.all_to(self.shown, times)

    def all_undone(self, drawn: Numbers) -> Floats:
        """Return the true times of drawn times."""
        if not self:
            return drawn.astype(np.float64)
        return self.shown.all_to(self.time, drawn)

    def between(self, start: float, end: float) -> list[tuple[float, float]]:
        """Return the parts of `start` to `end` that are not folded, in ns of true time."""
        parts = []
        part_start = start
        for begin, last in self.gaps:
            if last > start and begin < end:
                part_end = max(begin, start)
                parts.append((part_start, part_end))
                part_start = min(last, end)
        parts.append((part_start, end))
        return parts


def folded(begin: Floats, end: Floats, length: float) -> Folds:
    """Return folds for sorted, disjoint ranges, each drawn `length` ns long."""
    lengths = end - begin
    drawn = np.full(len(begin), length)
    # The time that is saved by the folds before each fold.
    total = np.cumsum(lengths - drawn)
    saved = np.append(0.0, total[:-1])
    time = _scale(begin, lengths)
    shown = _scale(begin - saved, drawn)
    return Folds(time, shown)


def _scale(begin: Floats, length: Floats) -> _Scale:
    begins = tuple(begin.tolist())
    lengths = tuple(length.tolist())
    return _Scale(begins, lengths)


NO_FOLDS = folded(np.empty(0), np.empty(0), 0.0)


def folds_of(starts: Ints, ends: Ints, warmup: int = 0) -> Folds:
    """Return the folds of steps with these starts and ends in ns, in order.

    A gap between steps that is much longer than a usual step is folded to about the length of a
    step, and so is each of the first `warmup` steps.
    """
    if len(starts) < 2:
        return NO_FOLDS
    durations = ends - starts
    whole = durations[warmup:]
    # The last step may be incomplete.
    if len(whole) > 2:
        whole = whole[:-1]
    if not len(whole):
        return folds_of(starts, ends)
    # Rounded to a power of two, so that in a live run the scale does not change with each step.
    usual = max(1.0, float(np.median(whole)))
    length = 2.0 ** round(math.log2(usual))
    begin, end = _foldable(starts, ends, warmup)
    lengths = end - begin
    long = lengths > LONG * length
    # Each fold is a mark on the axis and costs a look-up in every mapping of times; the longest
    # ranges save the most room.
    if long.sum() > MOST:
        least = np.partition(lengths, -MOST)[-MOST]
        long &= lengths >= least
    if not long.any():
        return NO_FOLDS
    return folded(begin[long], end[long], length)


def _foldable(starts: Ints, ends: Ints, warmup: int) -> tuple[Floats, Floats]:
    """Return starts and ends of the gaps between steps and of the first `warmup` steps, in order.

    They are disjoint even if steps overlap, as in some imported traces. Where there is no gap, the
    end is not after the start.
    """
    # A gap begins when all steps before it have ended.
    ended = np.maximum.accumulate(ends)
    begin = ended[:-1].astype(np.float64)
    end = starts[1:].astype(np.float64)
    if not warmup:
        return begin, end
    ended_before = np.concatenate([starts[:1], ended[: warmup - 1]])
    warmup_begin = np.maximum(starts[:warmup], ended_before)
    all_begin = np.concatenate([begin, warmup_begin])
    all_end = np.concatenate([end, ends[:warmup]])
    order = np.argsort(all_begin, kind="stable")
    return all_begin[order], all_end[order]
