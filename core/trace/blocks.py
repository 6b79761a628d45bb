"""Sums over blocks of a lane's spans, from which a picture of millions of them is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.trace.spans import Spans

BLOCK = 16
"""Spans that share a sum."""
_AT_ONCE = 1 << 20  # spans that are summed at a time


@dataclass(frozen=True, slots=True)
class Blocks:
    """A lane's whole blocks of 16 spans: n of them.

    `starts` is when each begins, in ns. `sums` has the time in ns of each kind before each block
    and, last, before the end of them all, shape (n + 1, kinds); `kinds` are those that the lane
    has, as indices in KINDS.
    """

    starts: NDArray[np.int64]
    sums: NDArray[np.int64]
    kinds: NDArray[np.int8]


def blocks_of(spans: Spans) -> Blocks:
    """The sums of a lane's spans."""
    # Part by part: of a mapped file of a hundred million spans, what is derived from all at once
    # would not fit into memory.
    parts = [spans[first : first + _AT_ONCE] for first in range(0, len(spans), _AT_ONCE)]
    kind = spans.table.rows["kind"]
    # A kind is an int8: there are no more than these.
    seen = np.zeros(128, np.bool_)
    for part in parts:
        seen[kind[part.row]] = True
    kinds = np.flatnonzero(seen).astype(np.int8)
    sums = np.zeros((len(spans) // BLOCK + 1, len(kinds)), np.int64)
    first = 1
    for part in parts:
        count = len(part) // BLOCK
        whole = part[: count * BLOCK]
        length, code = whole.end - whole.start, kind[whole.row]
        for column, own in enumerate(kinds):
            mine = np.where(code == own, length, 0)
            np.sum(mine.reshape(-1, BLOCK), axis=1, out=sums[first : first + count, column])
        first += count
    # Running sums: the time between any two blocks is one subtraction, at every zoom.
    np.cumsum(sums, axis=0, out=sums)
    return Blocks(spans.start[: len(spans) // BLOCK * BLOCK : BLOCK], sums, kinds)
