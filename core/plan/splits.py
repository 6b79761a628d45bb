"""Division of rows and blocks with torch's semantics, but without torch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from core.message import message


def chunk(rows: int, pieces: int) -> list[int]:
    """Return the sizes of `torch.chunk`: rounded up, so there may be fewer than `pieces`.

    >>> chunk(30, 8)
    [4, 4, 4, 4, 4, 4, 4, 2]
    >>> chunk(10, 8)
    [2, 2, 2, 2, 2]
    """
    return split(rows, -(-rows // pieces))


def tensor_split(rows: int, pieces: int) -> list[int]:
    """Return the sizes of `torch.tensor_split`: exactly `pieces`, the first ones a row larger.

    >>> tensor_split(15, 7)
    [3, 2, 2, 2, 2, 2, 2]
    """
    small, larger = divmod(rows, pieces)
    return [small + 1] * larger + [small] * (pieces - larger)


def split(rows: int, size: int) -> list[int]:
    """Return the sizes of `torch.split`: pieces of `size` rows; the last one may be smaller.

    >>> split(120, 20)
    [20, 20, 20, 20, 20, 20]
    """
    return [min(size, rows - start) for start in range(0, rows, size)]


def starts(sizes: Sequence[int]) -> list[int]:
    """Return the first row of each piece."""
    return [0, *accumulate(sizes)][: len(sizes)]


def balanced_runs(weights: Sequence[int], runs: int) -> list[tuple[int, int]]:
    """Cut `weights` into `runs` consecutive, non-empty runs whose heaviest is as light as possible.

    Returns (first, last) pairs with `last` exclusive; earlier runs are as long as the weight of
    the heaviest allows. Raises ValueError if there are fewer weights than runs.
    """
    if runs > len(weights):
        raise ValueError(
            message("{weights} weights cannot make {runs} runs", weights=len(weights), runs=runs)
        )
    # Bisect for the smallest limit of a run's weight that fits, between the heaviest weight and the
    # sum of all: a larger limit never needs more runs. (1, 2, 3, 4) in two runs:
    #     6: 1 2 3 | 4 fits     5: 1 2 | 3 and 4 is left     so 6
    low = max(weights)
    high = sum(weights)
    while low < high:
        middle = (low + high) // 2
        if _fill(weights, runs, middle)[-1] == len(weights):
            high = middle
        else:
            low = middle + 1
    return list(pairwise(_fill(weights, runs, low)))


def _fill(weights: Sequence[int], runs: int, most: int) -> list[int]:
    """Return the bounds of `runs` non-empty runs, filled in order up to weight `most` each."""
    bounds = [0]
    weight = 0
    for index, added in enumerate(weights):
        needed = runs - len(bounds)  # runs that must still begin
        left = len(weights) - index
        is_full = weight + added > most
        # As many weights are left as runs must begin: each weight begins a run.
        one_each = left == needed
        if index > bounds[-1] and (is_full or one_each):
            if needed == 0:
                return [*bounds, index]
            bounds.append(index)
            weight = 0
        weight += added
    return [*bounds, len(weights)]
