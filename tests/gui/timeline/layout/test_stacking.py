"""Places and heights of lanes and strips."""

from itertools import pairwise

import pytest

from core.plan.devices import Hardware
from core.plan.lanes import make_lanes, with_helpers
from core.plan.plan import Role
from gui.timeline.layout.groups import Strips
from gui.timeline.layout.stacking import COMPUTE, lay_out, lay_out_window
from tests.make_believe import GPUS, HARDWARE


def test_a_copy_lane_is_below_the_lane_that_it_serves_and_thinner() -> None:
    lanes = with_helpers(make_lanes(["cuda:0", "cuda:1"], GPUS, None), Role.COPY, "copy")
    tracks = lay_out(lanes, 600).tracks
    assert [lanes[track.lane].name for track in tracks] == [
        "cuda:0",
        "cuda:0 copy",
        "cuda:1",
        "cuda:1 copy",
    ]
    assert all(
        thin.height < tall.height for tall, thin in zip(tracks[::2], tracks[1::2], strict=True)
    )


@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_rows_never_overlap(count: int, memory: bool) -> None:
    layout = lay_out(make_lanes(["cpu"] * count, HARDWARE, None), 500, Strips(memory, memory))
    parts = sorted(
        (*layout.tracks, *layout.predictions, *layout.memory), key=lambda track: track.top
    )
    assert all(a.bottom < b.top for a, b in pairwise(parts))
    assert layout.height >= parts[-1].bottom


def test_rows_share_the_height_within_their_limits() -> None:
    tall = lay_out(make_lanes(["cpu"] * 2, HARDWARE, None), 2000).tracks[0].height
    low = lay_out(make_lanes(["cpu"] * 100, HARDWARE, None), 500)
    assert tall == COMPUTE[1]
    assert low.tracks[0].height == COMPUTE[0]
    assert low.height > 500


def test_lanes_of_a_shared_device_are_grouped_under_a_note() -> None:
    layout = lay_out(make_lanes(["cpu"] * 4, Hardware(2, 0), None), 500)
    assert [group.sharing for group in layout.groups] == ["4 lanes share 2 cores"]


def test_a_device_with_one_lane_of_its_name_has_no_heading() -> None:
    layout = lay_out(make_lanes(["cuda:0", "cuda:1"], GPUS, None), 500)
    assert [group.height for group in layout.groups] == [0, 0]


def test_a_height_between_two_rows_belongs_to_neither() -> None:
    layout = lay_out(make_lanes(["cpu"] * 2, HARDWARE, None), 500)
    assert layout.track_at(layout.tracks[0].top) is layout.tracks[0]
    assert layout.track_at(layout.tracks[0].bottom) is None


def test_prediction_helpers_and_memory_are_below_their_lane_in_this_order() -> None:
    lanes = with_helpers(make_lanes(["cuda:0", "cuda:1"], GPUS, None), Role.COPY, "copy")
    layout = lay_out(lanes, 600, Strips(memory=True, prediction=True))
    for lane in (0, 1):
        track, copy = layout.track_of(lane), layout.track_of(lane + 2)
        strip, memory = layout.predictions[lane], layout.memory[lane]
        assert track.bottom < strip.top < copy.top < memory.top
        assert layout.full_heights[lane] == memory.bottom - track.top


def test_eight_lanes_with_all_strips_fit_where_the_window_has_450_pixels_for_them() -> None:
    layout = lay_out(make_lanes(["cpu"] * 8, HARDWARE, None), 450, Strips(True, True))
    assert layout.height <= 450
    assert layout.compute >= COMPUTE[0]


@pytest.mark.parametrize("strips", [Strips(), Strips(True, True)])
@pytest.mark.parametrize("available", [300, 451, 777, 1200])
def test_lanes_are_as_high_as_fits_and_no_higher(available: int, strips: Strips) -> None:
    lanes = make_lanes(["cpu"] * 6, HARDWARE, None)
    chosen = lay_out(lanes, available, strips)
    assert chosen.height <= available or chosen.compute == COMPUTE[0]
    higher = lay_out(lanes, available, strips, compute=chosen.compute + 1)
    assert higher.height > available or chosen.compute == COMPUTE[1]


def test_lanes_with_all_strips_fill_a_window_of_any_height() -> None:
    lanes = with_helpers(make_lanes(["cuda:0", "cuda:1"] * 2, GPUS, None), Role.COPY, "copy")
    strips = Strips(memory=True, prediction=True)
    for available in range(340, 640, 3):
        layout, _ = lay_out_window(lanes, available, strips)
        assert 0 <= available - layout.height < 7 * 4, available


def test_a_requested_height_is_kept_even_if_lanes_do_not_fit() -> None:
    lanes = make_lanes(["cpu"] * 64, HARDWARE, None)
    assert lay_out(lanes, 400, compute=90).compute == 90
    assert lay_out(lanes, 400, compute=90).height > 64 * 90
