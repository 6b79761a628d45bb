"""Columns that grow."""

from pathlib import Path

import numpy as np
import pytest

from core.trace.columns import OWN_MAPPING, GrowingArray


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.float64])
def test_a_column_holds_what_it_was_given_however_it_grew(dtype: type) -> None:
    pieces = [np.arange(size).astype(dtype) for size in (0, 1, 63, 64, 5_000, 40_000, 300_000, 7)]
    column, left = GrowingArray(dtype), []
    for piece in pieces:
        column.extend(piece)
        left.append(column.view)
    assert column.view.dtype == dtype
    assert np.array_equal(column.view, np.concatenate(pieces))
    for count, view in enumerate(left):  # a view that was left behind still has its values
        assert np.array_equal(view, np.concatenate(pieces[: count + 1]))


def test_room_that_is_not_filled_takes_no_memory() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    before, columns = resident(), [GrowingArray(np.int64) for _ in range(20)]
    for column in columns:
        for _ in range(10):
            column.extend(np.ones(OWN_MAPPING // 8))
    filled = 20 * 10 * OWN_MAPPING
    assert filled <= sum(column.view.nbytes for column in columns)
    assert resident() - before < 1.3 * filled
