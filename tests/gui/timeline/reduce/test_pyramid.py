"""Coarser levels of a growing column."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.trace.columns import GrowingArray
from gui.timeline.reduce.pyramid import FACTOR, LEVELS, Pyramid, first_of, largest_of

CHANGES = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 700)), min_size=1, max_size=6)


@given(CHANGES)
def test_every_level_summarises_the_finest_however_that_was_filled(changes):
    firsts, largest = (
        Pyramid(GrowingArray(np.int64), first_of),
        Pyramid(GrowingArray(np.int64), largest_of),
    )
    expected, random = np.empty(0, np.int64), np.random.default_rng(3)
    for share, count in changes:
        since, values = int(share * len(expected)), random.integers(0, 1000, count)
        expected = np.concatenate([expected[:since], values])
        firsts.replace(since, values), largest.replace(since, values)
    for level in range(LEVELS):
        begins = range(0, len(expected), FACTOR**level)
        assert firsts[level].tolist() == [expected[i] for i in begins]
        assert largest[level].tolist() == [expected[i : i + FACTOR**level].max() for i in begins]


def test_the_values_of_a_row_stay_together():
    rows = np.arange(3 * 100).reshape(100, 3)
    made = Pyramid(GrowingArray.of(rows[:40].reshape(-1)), first_of, 3)
    made.extend(rows[40:])
    assert len(made) == 100
    for level in range(LEVELS):
        assert np.array_equal(made[level], rows[:: FACTOR**level])


@pytest.mark.parametrize("width", [0, 2])
def test_an_empty_column_has_only_empty_levels(width):
    made = Pyramid(GrowingArray(np.int32), first_of, width)
    assert [len(made[level]) for level in range(LEVELS)] == [0] * LEVELS
    assert made.nbytes == 0
