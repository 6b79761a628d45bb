"""The place of a pass after it was dragged along its lane."""

import pytest

from core.board.dropping import Dropped, Extent, dropped_at, extents_in_step
from tests.core.board.test_board import passes
from tests.core.board.test_from_run import predicted

F0, F1, B0 = passes("0F0 0F1 0B0")
BARS = [Extent(F0, 0, 10), Extent(F1, 10, 20), Extent(B0, 30, 50)]


@pytest.mark.parametrize(
    ("dragged", "at", "place"),
    [
        (B0, 1, Dropped(0)),
        (B0, 5, Dropped(0, F0)),
        (B0, 9, Dropped(1)),
        (B0, 11, Dropped(1)),
        (B0, 15, Dropped(1, F1)),
        (B0, 40, Dropped(2)),
        (F0, 12, Dropped(0)),
        (F0, 60, Dropped(2)),
    ],
)
def test_a_place_is_between_bars_or_on_the_middle_of_one(dragged, at, place):
    assert dropped_at(BARS, dragged, at) == place


def test_a_pass_that_is_not_placed_yet_exchanges_with_none():
    (other,) = passes("0B1")
    assert dropped_at(BARS, other, 5, exchanges=False) == Dropped(0)
    assert dropped_at(BARS, other, 16, exchanges=False) == Dropped(2)


def test_the_bars_of_a_lane_are_its_passes_in_order():
    trace = predicted(schedule="1f1b", microbatches=2)
    found = extents_in_step(trace, 0, 1)
    assert [extent.action for extent in found] == passes("1F0 1B0 1F1 1B1")
    assert [extent.end - extent.start for extent in found] == [1000, 2000, 1000, 2000]
