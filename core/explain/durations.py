"""Durations by size, counted so that millions of them cost a small table: exact all the same.

A duration has a **size code**: its octave and its place among 64 in it, which are the first bits
of the number as a double. Codes grow with durations, so that a table of how many durations have
each code tells in which of them the n-th smallest lies; only those are looked at again.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BITS = 6  # of a double's fraction that tell codes of one octave apart
CODES = 64 << BITS
"""How many size codes there are: durations are below 2**63 ns."""
MOST_BINS = 40
_SHIFT = 52 - BITS
_ZERO = 1023 << BITS  # the code of 1 ns before it is taken off: a double's exponent is biased


def size_codes(durations: NDArray[np.int64]) -> NDArray[np.int32]:
    """The size code of each duration in ns, 0 to CODES - 1; 0 and 1 ns share the first."""
    bits = np.maximum(durations, 1).astype(np.float64).view(np.int64)
    bits >>= _SHIFT
    bits -= _ZERO
    return bits.astype(np.int32)


def code_bounds(codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """The shortest duration in ns of each size code (of CODES: beyond the last)."""
    return ((codes + _ZERO) << _SHIFT).view(np.float64)


@dataclass(frozen=True, slots=True)
class Histogram:
    """Durations in bins of about equal width on a logarithmic axis, n of them.

    Bin i has `counts[i]` durations with size codes from `codes[i]` to below `codes[i + 1]`, which
    are durations from `edges[i]` to below `edges[i + 1]` ns. The first and the last are not empty.
    """

    codes: NDArray[np.int64]
    edges: NDArray[np.float64]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.counts)


def histogram(counts: NDArray[np.int64], most: int = MOST_BINS) -> Histogram:
    """Bins for the durations that have each size code, at most `most` and as narrow as can be."""
    used = np.flatnonzero(counts)
    if not len(used):
        return Histogram(np.zeros(1, np.int64), np.zeros(1), np.zeros(0, np.int64))
    # From the narrowest bins on: the first that are few enough.
    for codes in _ladders():
        first = int(np.searchsorted(codes, used[0], "right")) - 1
        last = int(np.searchsorted(codes, used[-1], "right"))
        if last - first <= most:
            break
    codes = codes[first : last + 1]
    edges = code_bounds(codes)
    # The first code begins at 1 ns and has 0 ns too (`size_codes`).
    if codes[0] == 0:
        edges[0] = 0.0
    sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    return Histogram(codes, edges, np.diff(sums[codes]))


def _ladder(parts: float) -> NDArray[np.int64]:
    """The size codes nearest to where so many equal parts of every octave begin, and the end."""
    exact = np.arange(0, CODES >> BITS, 1 / parts)
    # A size code is the upper bits of the duration as a floating-point number: octave (exponent)
    # and BITS bits within it, which grow evenly and not by ratios; so the nearest code is looked
    # for.
    octave, place = np.divmod(exact, 1.0)
    inside = np.round((2**place - 1) * (1 << BITS))
    return np.unique(np.append((octave * (1 << BITS) + inside).astype(np.int64), CODES))


@functools.cache
def _ladders() -> list[NDArray[np.int64]]:
    """Edges of bins in size codes, from the narrowest to a pair that takes in all durations."""
    return [_ladder(2.0**power) for power in range(BITS, -6, -1)]


class Ranked:
    """Finds durations by their rank: the n-th smallest, from 0, of those that share a key.

    `counts` (keys, CODES) says how many durations of each key have each size code; `ranks`
    (keys, ranks) are those that are asked for, below the key's count. Every duration has to be
    shown once to `look`, in parts of any size and order.
    """

    def __init__(self, counts: NDArray[np.int64], ranks: NDArray[np.int64]) -> None:
        before = np.cumsum(counts, axis=1)
        # The code of each rank's duration: the first up to which more durations than that are.
        self._code = np.array(
            [np.searchsorted(row, own, "right") for row, own in zip(before, ranks, strict=True)],
            np.int64,
        ).reshape(ranks.shape)
        code = np.minimum(self._code, CODES - 1)
        smaller = np.take_along_axis(before - counts, code, axis=1)
        # The rank among the durations of that code alone.
        self._place = ranks - smaller
        here = np.take_along_axis(counts, code, axis=1) > 0
        self._flat = np.arange(len(counts))[:, None] * CODES + code
        self._found: dict[int, list[tuple[NDArray[np.int64], NDArray[np.int64]]]] = {
            flat: [] for flat in np.unique(self._flat[here]).tolist()
        }

    def look(self, flat: NDArray[np.int32], durations: NDArray[np.int64]) -> None:
        """Take n durations in ns; `flat` is key * CODES + size code of each."""
        for code, found in self._found.items():
            mine = durations[flat == code]
            if len(mine):
                values, times = np.unique(mine, return_counts=True)
                found.append((values, times))

    def values(self) -> NDArray[np.int64]:
        """The durations in ns that were asked for, (keys, ranks); 0 for a key without any."""
        asked = zip(self._flat.ravel().tolist(), self._place.ravel().tolist(), strict=True)
        found = [self._value(flat, place) for flat, place in asked]
        return np.array(found, np.int64).reshape(self._flat.shape)

    def _value(self, flat: int, place: int) -> int:
        parts = self._found.get(flat)
        if not parts:
            return 0
        values = np.concatenate([part[0] for part in parts])
        times = np.concatenate([part[1] for part in parts])
        order = np.argsort(values, kind="stable")
        at = np.searchsorted(np.cumsum(times[order]), place, "right")
        return int(values[order[at]])
