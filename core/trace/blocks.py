"""Sums over blocks of a lane's spans, from which a picture of millions of them is drawn."""

from __future__ import annotations

from collections.abc import Iterator
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


def kinds_of(spans: Spans) -> NDArray[np.int8]:
    """The kinds that some spans have, as indices in KINDS, in order."""
    kind = spans.table.rows["kind"]
    seen = np.zeros(256, np.bool_)
    for part in _parts(spans):
        seen[kind[part.row]] = True
    return np.flatnonzero(seen).astype(np.int8)


def fill_blocks(spans: Spans, blocks: Blocks) -> None:
    """Write a lane's sums into `blocks`, which have their shapes and `kinds` but no numbers."""
    column = np.zeros(128, np.intp)
    column[blocks.kinds] = np.arange(len(blocks.kinds))
    columns = column[spans.table.rows["kind"]]
    blocks.sums[:1] = 0
    first = 0
    for part in _parts(spans[: len(blocks.starts) * BLOCK]):
        last = first + len(part) // BLOCK
        blocks.starts[first:last] = part.start[::BLOCK]
        each = _sums(part.end - part.start, columns[part.row], len(blocks.kinds))
        np.cumsum(each, axis=0, out=each)
        blocks.sums[first + 1 : last + 1] = blocks.sums[first] + each
        first = last


def _sums(lengths: NDArray[np.int64], columns: NDArray[np.intp], count: int) -> NDArray[np.int64]:
    """The sum of the lengths of each of `count` columns in each block, shape (blocks, count)."""
    sums = np.zeros((len(lengths) // BLOCK, count), np.int64)
    for column in range(count):
        mine = np.where(columns == column, lengths, 0)
        np.sum(mine.reshape(-1, BLOCK), axis=1, out=sums[:, column])
    return sums


def _parts(spans: Spans) -> Iterator[Spans]:
    for first in range(0, len(spans), _AT_ONCE):
        yield spans[first : first + _AT_ONCE]
