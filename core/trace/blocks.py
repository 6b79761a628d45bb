"""Sums over blocks of a lane's spans, for drawing millions of spans."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.trace.spans import Spans

BLOCK = 16
"""The number of spans in a block."""
_AT_ONCE = 1 << 20  # spans that are summed at once


@dataclass(frozen=True, slots=True)
class Blocks:
    """The n complete blocks of a lane's spans.

    `starts`, shape (n,), is each block's start in ns. `kinds` are the lane's kinds as indices in
    KINDS. `sums`, shape (n + 1, kinds), is the total time in ns of each kind before each block and
    after the last one.
    """

    starts: NDArray[np.int64]
    sums: NDArray[np.int64]
    kinds: NDArray[np.int8]


def block_sums(spans: Spans) -> Blocks:
    """Return the sums of a lane's spans."""
    # In parts, because arrays derived from a mapped file of a hundred million spans would not fit
    # into memory.
    parts = [spans[first : first + _AT_ONCE] for first in range(0, len(spans), _AT_ONCE)]
    kind = spans.table.rows["kind"]
    # 128, because kinds are int8.
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
    # Running sums, so that the time between any two blocks is a single subtraction.
    np.cumsum(sums, axis=0, out=sums)
    return Blocks(spans.start[: len(spans) // BLOCK * BLOCK : BLOCK], sums, kinds)
