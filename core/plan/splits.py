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

    Returns (first, last) with `last` exclusive. The classic linear-partition dynamic programme;
    ties keep the earlier runs longer. Raises ValueError if there are fewer weights than runs.
    """
    if runs > len(weights):
        raise ValueError(f"{len(weights)} weights cannot make {runs} runs")
    total = [0, *accumulate(weights)]
    count = len(weights)
    # heaviest[k][i]: the lightest possible heaviest run when the first i weights make k runs.
    heaviest: list[list[float]] = [[float("inf")] * (count + 1) for _ in range(runs + 1)]
    cut = [[0] * (count + 1) for _ in range(runs + 1)]
    heaviest[0][0] = 0
    for k in range(1, runs + 1):
        for i in range(k, count + 1):
            for j in range(k - 1, i):
                weight = max(heaviest[k - 1][j], total[i] - total[j])
                if weight <= heaviest[k][i]:
                    heaviest[k][i], cut[k][i] = weight, j
    bounds = [count]
    for k in range(runs, 0, -1):
        bounds.append(cut[k][bounds[-1]])
    bounds.reverse()
    return list(pairwise(bounds))
