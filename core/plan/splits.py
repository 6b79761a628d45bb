"""How rows and blocks are divided, with torch's semantics but without torch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise


def chunk(rows: int, pieces: int) -> list[int]:
    """Sizes that `torch.chunk` gives: equal pieces rounded up, so there may be fewer than asked.

    >>> chunk(30, 8)
    [4, 4, 4, 4, 4, 4, 4, 2]
    >>> chunk(10, 8)
    [2, 2, 2, 2, 2]
    """
    return split(rows, -(-rows // pieces))


def tensor_split(rows: int, pieces: int) -> list[int]:
    """Sizes that `torch.tensor_split` gives: exactly `pieces`, the first ones one row larger.

    >>> tensor_split(15, 7)
    [3, 2, 2, 2, 2, 2, 2]
    """
    small, larger = divmod(rows, pieces)
    return [small + (piece < larger) for piece in range(pieces)]


def split(rows: int, size: int) -> list[int]:
    """Sizes that `torch.split` gives: pieces of `size` rows, the last one maybe smaller.

    >>> split(120, 20)
    [20, 20, 20, 20, 20, 20]
    """
    return [min(size, rows - start) for start in range(0, rows, size)]


def starts(sizes: Sequence[int]) -> list[int]:
    """The first row of each piece."""
    return [0, *accumulate(sizes)][: len(sizes)]


def balanced_runs(weights: Sequence[int], runs: int) -> list[tuple[int, int]]:
    """Cut `weights` into `runs` consecutive, non-empty runs whose heaviest is as light as possible.

    Returns (first, last) with `last` exclusive. Bisects the heaviest run's weight; earlier runs are
    as long as it allows. Raises ValueError if there are fewer weights than runs.
    """
    if runs > len(weights):
        raise ValueError(f"{len(weights)} weights cannot make {runs} runs")
    # With more weight allowed a run, no more runs are needed: so the least that fits is found by
    # halving, between the heaviest single weight and all together. (1, 2, 3, 4) in two runs:
    #     6: 1 2 3 | 4 fits     5: 1 2 | 3 and 4 is left     so 6
    low, high = max(weights), sum(weights)
    while low < high:
        middle = (low + high) // 2
        if _fill(weights, runs, middle)[-1] == len(weights):
            high = middle
        else:
            low = middle + 1
    return list(pairwise(_fill(weights, runs, low)))


def _fill(weights: Sequence[int], runs: int, most: int) -> list[int]:
    """The bounds of `runs` runs of at most `most` each, all of them not empty, filled in order."""
    bounds, weight = [0], 0
    for index, added in enumerate(weights):
        needed = runs - len(bounds)  # runs that must still begin
        # A run ends where it is full, or where each weight that is left has to begin a run of its
        # own.
        if index > bounds[-1] and (weight + added > most or len(weights) - index == needed):
            if needed == 0:
                return [*bounds, index]
            bounds.append(index)
            weight = 0
        weight += added
    return [*bounds, len(weights)]
