"""Sums over blocks of a lane's spans, for drawing millions of spans."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
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

    starts: Ints
    sums: Ints
    kinds: NDArray[np.int8]


def block_sums(spans: Spans) -> Blocks:
    """Return the sums of a lane's spans."""
    # In parts, because arrays derived from a mapped file of a hundred million spans would not fit
    # into memory.
    parts = []
    for first in range(0, len(spans), _AT_ONCE):
        last = first + _AT_ONCE
        parts.append(spans[first:last])
    kind_of_row = spans.table.rows["kind"]
    # 128, because kinds are int8.
    seen = np.zeros(128, np.bool_)
    for part in parts:
        kind = kind_of_row[part.row]
        seen[kind] = True
    kinds = np.flatnonzero(seen).astype(np.int8)
    blocks = len(spans) // BLOCK
    sums = np.zeros((blocks + 1, len(kinds)), np.int64)
    first = 1
    for part in parts:
        count = len(part) // BLOCK
        whole = part[: count * BLOCK]
        length = whole.end - whole.start
        kind = kind_of_row[whole.row]
        last = first + count
        for column, one_kind in enumerate(kinds):
            is_of_kind = kind == one_kind
            of_kind = np.where(is_of_kind, length, 0)
            by_block = of_kind.reshape(-1, BLOCK)
            np.sum(by_block, axis=1, out=sums[first:last, column])
        first = last
    # Running sums, so that the time between any two blocks is a single subtraction.
    np.cumsum(sums, axis=0, out=sums)
    whole_count = blocks * BLOCK
    starts = spans.start[:whole_count:BLOCK]
    return Blocks(
        starts=starts,
        sums=sums,
        kinds=kinds,
    )
