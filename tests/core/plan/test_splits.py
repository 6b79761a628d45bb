from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.plan.splits import balanced_runs, chunk, split, starts, tensor_split

ROWS = st.integers(1, 300)
PIECES = st.integers(1, 40)


@given(ROWS, PIECES)
def test_sizes_are_those_that_torch_gives(rows, pieces):
    torch = pytest.importorskip("torch")
    data = torch.empty(rows)
    assert chunk(rows, pieces) == [len(piece) for piece in data.chunk(pieces)]
    assert tensor_split(rows, pieces) == [len(piece) for piece in data.tensor_split(pieces)]
    assert split(rows, pieces) == [len(piece) for piece in data.split(pieces)]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        (chunk(30, 2), [15, 15]),
        (chunk(10, 2), [5, 5]),
        (chunk(30, 8), [4, 4, 4, 4, 4, 4, 4, 2]),
        (chunk(10, 8), [2, 2, 2, 2, 2]),
        (tensor_split(100, 4), [25, 25, 25, 25]),
        (tensor_split(15, 7), [3, 2, 2, 2, 2, 2, 2]),
        (split(120, 20), [20] * 6),
    ],
)
def test_the_tutorials_batches_are_divided_as_in_the_tutorials(sizes, expected):
    assert sizes == expected


@given(st.lists(st.integers(0, 50), min_size=1, max_size=9), st.data())
def test_no_other_cut_into_runs_has_a_lighter_heaviest_run(weights, data):
    runs = data.draw(st.integers(1, len(weights)))
    found = balanced_runs(weights, runs)
    assert found[0][0] == 0 and found[-1][1] == len(weights)
    assert all(a[1] == b[0] for a, b in pairwise(found))
    assert all(first < last for first, last in found)
    heaviest = max(sum(weights[first:last]) for first, last in found)
    assert heaviest == lightest_possible(weights, runs)


def lightest_possible(weights, runs):
    if runs == 1:
        return sum(weights)
    return min(
        max(sum(weights[:cut]), lightest_possible(weights[cut:], runs - 1))
        for cut in range(1, len(weights) - runs + 2)
    )


def test_each_piece_starts_where_the_one_before_ends():
    assert starts([3, 2, 2]) == [0, 3, 5]
