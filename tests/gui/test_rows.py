"""Where lanes stand."""

import pytest

from core.plan.lanes import Hardware, make_lanes, with_helpers
from core.plan.task import Role
from gui.timeline.rows import COMPUTE, Strips, lay_out
from tests.make_believe import GPUS, HARDWARE


def test_a_copy_lane_stands_under_the_lane_that_it_serves_and_is_thinner() -> None:
    lanes = with_helpers(make_lanes(["cuda:0", "cuda:1"], GPUS, None), Role.COPY, "copy")
    rows = lay_out(lanes, 600).rows
    assert [lanes[row.lane].name for row in rows] == [
        "cuda:0",
        "cuda:0 copy",
        "cuda:1",
        "cuda:1 copy",
    ]
    assert all(thin.height < tall.height for tall, thin in zip(rows[::2], rows[1::2], strict=True))


@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_rows_never_overlap(count: int, memory: bool) -> None:
    layout = lay_out(make_lanes(["cpu"] * count, HARDWARE, None), 500, Strips(memory, memory))
    assert all(a.bottom < b.top for a, b in zip(layout.rows, layout.rows[1:], strict=False))
    assert layout.height >= layout.rows[-1].bottom


def test_rows_share_the_height_within_their_limits() -> None:
    tall = lay_out(make_lanes(["cpu"] * 2, HARDWARE, None), 2000).rows[0].height
    low = lay_out(make_lanes(["cpu"] * 100, HARDWARE, None), 500)
    assert tall == COMPUTE[1]
    assert low.rows[0].height == COMPUTE[0]
    assert low.height > 500


def test_lanes_of_a_shared_device_are_grouped_under_a_note() -> None:
    layout = lay_out(make_lanes(["cpu"] * 4, Hardware(2, 0), None), 500)
    assert [group.note for group in layout.groups] == ["4 lanes share 2 cores"]


def test_a_device_with_one_lane_of_its_name_has_no_heading() -> None:
    layout = lay_out(make_lanes(["cuda:0", "cuda:1"], GPUS, None), 500)
    assert [group.height for group in layout.groups] == [0, 0]


def test_a_height_between_two_rows_belongs_to_neither() -> None:
    layout = lay_out(make_lanes(["cpu"] * 2, HARDWARE, None), 500)
    assert layout.row_at(layout.rows[0].top) is layout.rows[0]
    assert layout.row_at(layout.rows[0].bottom) is None
