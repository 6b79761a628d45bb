"""Time that is worth no room, such as waiting between steps, folded: a pure mapping and back."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LONG = 2.0  # times what it is folded to: a shorter gap stays as it is
MOST = 64  # folds; of more gaps, the longest are folded

Floats = NDArray[np.float64]
Numbers = NDArray[np.integer | np.floating]


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where the folds begin, and how long each is, on one of two scales; growing."""

    begin: tuple[float, ...]
    length: tuple[float, ...]

    def to(self, other: _Scale, moment: float) -> float:
        """The place on the other scale of a moment on this one."""
        place = bisect_right(self.begin, moment) - 1
        if place < 0:
            return moment
        # Inside a fold time runs `its / mine` as fast; behind it, at its own speed again, shifted
        # by what the fold has saved.
        into, mine, its = moment - self.begin[place], self.length[place], other.length[place]
        return other.begin[place] + (into * its / mine if into < mine else into - mine + its)

    def all_to(self, other: _Scale, moments: Numbers) -> Floats:
        """The same for several moments."""
        begin, length = np.array(self.begin), np.array(self.length)
        others, its = np.array(other.begin), np.array(other.length)
        place = np.maximum(np.searchsorted(begin, moments, "right") - 1, 0)
        into = moments - begin[place]
        inside = into < length[place]
        folded = np.where(inside, into * (its / length)[place], into + (its - length)[place])
        return np.where(into < 0, moments, others[place] + folded)


@dataclass(frozen=True, slots=True)
class Folds:
    """Stretches of time that are drawn shorter than they are; all other time is as long as it is.

    Two scales, both in ns: true `time`, and what is `drawn`, which grows wherever time does, so
    that each has its way back. They are the same until the first fold begins.
    """

    time: _Scale
    shown: _Scale

    def __bool__(self) -> bool:
        return bool(self.time.begin)

    @property
    def gaps(self) -> list[tuple[float, float]]:
        """Start and end of each folded stretch, in ns of true time."""
        return [(b, b + n) for b, n in zip(self.time.begin, self.time.length, strict=True)]

    def drawn(self, time_ns: float) -> float:
        """Where a time is drawn."""
        return self.time.to(self.shown, time_ns) if self else time_ns

    def undone(self, drawn_ns: float) -> float:
        """The time that is drawn there."""
        return self.shown.to(self.time, drawn_ns) if self else drawn_ns

    def all_drawn(self, times: Numbers) -> Floats:
        """Where times are drawn."""
        return self.time.all_to(self.shown, times) if self else times.astype(np.float64)

    def all_undone(self, drawn: Numbers) -> Floats:
        """The times that are drawn there."""
        return self.shown.all_to(self.time, drawn) if self else drawn.astype(np.float64)

    def between(self, start: float, end: float) -> list[tuple[float, float]]:
        """The parts of `start` to `end` that are not folded, in ns of true time."""
        edges = [start]
        for begin, last in self.gaps:
            if last > start and begin < end:
                edges += [max(begin, start), min(last, end)]
        edges.append(end)
        return list(zip(edges[::2], edges[1::2], strict=True))


def folded(begin: Floats, end: Floats, length: float) -> Folds:
    """Folds of stretches that are sorted and apart, each drawn `length` ns long."""
    drawn = np.full(len(begin), length)
    saved = np.concatenate([[0.0], np.cumsum(end - begin - drawn)])[: len(begin)]
    return Folds(
        _Scale(tuple(begin.tolist()), tuple((end - begin).tolist())),
        _Scale(tuple((begin - saved).tolist()), tuple(drawn.tolist())),
    )


NO_FOLDS = folded(np.empty(0), np.empty(0), 0.0)


def folds_of(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Folds:
    """The folds between steps that `start` and `end` at these ns, in their order.

    A gap is folded to the length of a usual step where it is much longer than that.
    """
    if len(starts) < 2:
        return NO_FOLDS
    whole = (ends - starts)[: -1 if len(starts) > 2 else None]
    # By powers of two: a run that goes on must not be drawn anew with each step's own length.
    length = 2.0 ** round(math.log2(max(1.0, float(np.median(whole)))))
    # Steps of another program's trace may overlap: a gap begins when the last of all steps before
    # it has ended.
    over = np.maximum.accumulate(ends)[:-1].astype(np.float64)
    begun = starts[1:].astype(np.float64)
    long = begun - over > LONG * length
    # Each fold is a mark on the axis and costs a look-up in every mapping of times; the longest
    # gaps save the most room.
    if long.sum() > MOST:
        long &= begun - over >= np.partition(begun - over, -MOST)[-MOST]
    return folded(over[long], begun[long], length) if long.any() else NO_FOLDS
