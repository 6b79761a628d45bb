"""Exact percentiles and histograms of millions of durations from a small table of counts.

A duration has a **size code**: its octave and one of 64 places in the octave, which are the first
bits of the number as a double. Codes grow with durations. So a table with the count of each code
shows which code the n-th smallest duration has, and only durations of that code are read again.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Floats, Ints

BITS = 6  # of a double's fraction; they distinguish the codes of one octave
CODES = 64 << BITS
"""Number of size codes: durations are below 2**63 ns."""
MOST_BINS = 40
_SHIFT = 52 - BITS
_ZERO = 1023 << BITS  # subtracted from codes, so that 1 ns has code 0: exponents are biased


def size_codes(durations: Ints) -> NDArray[np.int32]:
    """Return the size code of each duration in ns, 0 to CODES - 1; 0 and 1 ns both have code 0."""
    doubles = np.maximum(durations, 1).astype(np.float64)
    bits = doubles.view(np.int64)
    bits >>= _SHIFT
    bits -= _ZERO
    return bits.astype(np.int32)


def code_bounds(codes: Ints) -> Floats:
    """Return the shortest duration in ns of each size code; CODES is the end of the last one."""
    return ((codes + _ZERO) << _SHIFT).view(np.float64)


@dataclass(frozen=True, slots=True)
class Histogram:
    """Histogram of durations, with n bins of about equal width on a logarithmic axis.

    Bin i has `counts[i]` durations with size codes from `codes[i]` to below `codes[i + 1]`, that
    is, from `edges[i]` to below `edges[i + 1]` ns. The first and the last bin are not empty.
    """

    codes: Ints
    edges: Floats
    counts: Ints

    def __len__(self) -> int:
        return len(self.counts)


def histogram(counts: Ints, most: int = MOST_BINS) -> Histogram:
    """Return a histogram of at most `most` bins, as narrow as possible.

    `counts` (CODES) is the number of durations of each size code.
    """
    used = np.flatnonzero(counts)
    if not len(used):
        no_counts = np.zeros(0, np.int64)
        return Histogram(
            codes=np.zeros(1, np.int64),
            edges=np.zeros(1),
            counts=no_counts,
        )
    lowest_and_highest = used[[0, -1]]
    # Take the narrowest bins that are few enough.
    for codes in _ladders():
        places = np.searchsorted(codes, lowest_and_highest, "right").tolist()
        first = places[0] - 1
        last = places[1]
        if last - first <= most:
            break
    codes = codes[first : last + 1]
    edges = code_bounds(codes)
    # The first code also has durations of 0 ns (`size_codes`).
    if codes[0] == 0:
        edges[0] = 0.0
    smaller = np.append(0, np.cumsum(counts))  # durations below each code
    return Histogram(
        codes=codes,
        edges=edges,
        counts=np.diff(smaller[codes]),
    )


def _ladder(parts: float) -> Ints:
    """Return the size codes nearest to the edges of `parts` equal parts of every octave."""
    codes_of_octave = 1 << BITS
    octaves = CODES >> BITS
    exact = np.arange(0, octaves, 1 / parts)
    octave, place = np.divmod(exact, 1.0)
    # Codes divide an octave evenly, equal parts divide it by ratios: take the nearest code.
    fraction = 2**place - 1
    inside = np.round(fraction * codes_of_octave)
    codes = octave * codes_of_octave + inside
    return np.unique(np.append(codes.astype(np.int64), CODES))


@functools.cache
def _ladders() -> list[Ints]:
    """Return possible bin edges in size codes, from the narrowest bins to a single bin."""
    powers = range(BITS, -6, -1)
    return [_ladder(2.0**power) for power in powers]


class OrderStatistics:
    """Finds the n-th smallest durations (n from 0) of each key.

    `counts` (keys, CODES) is the number of durations of each key and size code. `orders`
    (keys, orders) has each n to find, below the key's count. Every duration must be passed once
    to `look`, in parts of any size and order.
    """

    def __init__(self, counts: Ints, orders: Ints) -> None:
        up_to = np.cumsum(counts, axis=1)
        # The code of the n-th duration is the first one up to which there are more than n.
        code = np.empty(orders.shape, np.int64)
        for key, row in enumerate(up_to):
            code[key] = np.searchsorted(row, orders[key], "right")
        np.minimum(code, CODES - 1, out=code)
        smaller = np.take_along_axis(up_to - counts, code, axis=1)
        # The position among the durations of this code.
        self._place = orders - smaller
        keys = np.arange(len(counts))[:, np.newaxis]
        self._flat = keys * CODES + code
        has_durations = np.take_along_axis(counts, code, axis=1) > 0
        # By flat code, the distinct durations of each part and the number of each.
        self._found: dict[int, list[tuple[Ints, Ints]]] = {}
        for flat in np.unique(self._flat[has_durations]).tolist():
            self._found[flat] = []

    def look(self, flat: NDArray[np.int32], durations: Ints) -> None:
        """Take n durations in ns; `flat` is key * CODES + size code of each."""
        for code, found in self._found.items():
            mine = durations[flat == code]
            if len(mine):
                values, times = np.unique(mine, return_counts=True)
                found.append((values, times))

    def values(self) -> Ints:
        """Return the durations in ns, (keys, orders); 0 for keys without durations."""
        flats = self._flat.ravel().tolist()
        places = self._place.ravel().tolist()
        found = list(map(self._value, flats, places))
        return np.array(found, np.int64).reshape(self._flat.shape)

    def _value(self, flat: int, place: int) -> int:
        parts = self._found.get(flat)
        if not parts:
            return 0
        values, counts = map(np.concatenate, zip(*parts, strict=True))
        order = np.argsort(values, kind="stable")
        up_to = np.cumsum(counts[order])
        at = np.searchsorted(up_to, place, "right")
        return int(values[order[at]])
