"""Conversion between time and pixels, without a window."""

import pytest

from gui.timeline.layout.axis import round_step, ticks
from gui.timeline.layout.frame import LONGEST_NS, SHORTEST_NS, Viewport

VIEW = Viewport(start=1000.0, span=2000.0, width=400.0)


@pytest.mark.parametrize(
    ("time", "x"), [(1000, 0), (3000, 400), (2000, 200), (0, -200), (5000, 800), (1005, 1)]
)
def test_time_and_pixel_are_inverse(time: float, x: float) -> None:
    assert VIEW.x(time) == pytest.approx(x)
    assert VIEW.time(x) == pytest.approx(time)


@pytest.mark.parametrize("x", [0.0, 1.0, 137.0, 399.0])
@pytest.mark.parametrize("factor", [0.01, 0.5, 1.0, 2.0, 30.0])
def test_zooming_keeps_the_time_under_the_pointer(factor: float, x: float) -> None:
    zoomed = VIEW.zoomed(factor, x)
    assert zoomed.time(x) == pytest.approx(VIEW.time(x))
    assert zoomed.span == pytest.approx(VIEW.span * factor) or zoomed.span == SHORTEST_NS


def test_zoom_stops_at_the_shortest_and_the_longest_time() -> None:
    assert VIEW.zoomed(1e-12, 10).span == SHORTEST_NS
    assert VIEW.zoomed(1e20, 10).span == LONGEST_NS


@pytest.mark.parametrize("pixels", [-400.0, -1.0, 25.0])
def test_panning_moves_every_time_by_the_same_pixels(pixels: float) -> None:
    assert VIEW.panned(pixels).x(2000) == pytest.approx(VIEW.x(2000) - pixels)


@pytest.mark.parametrize(("start", "end"), [(0, 10_000), (500, 500), (-5, 7e12)])
def test_fitting_shows_the_whole_range(start: float, end: float) -> None:
    fitted = VIEW.fitted(start, end)
    assert fitted.start <= start
    assert fitted.end >= end
    assert fitted.width == VIEW.width


def test_following_keeps_the_zoom_and_shows_the_present_near_the_right_edge() -> None:
    followed = VIEW.following(1e9)
    assert followed.span == VIEW.span
    assert 0.85 * VIEW.width < followed.x(1e9) < VIEW.width


def test_following_a_run_that_has_just_begun_shows_its_start() -> None:
    assert VIEW.following(10).x(0) == pytest.approx(0.02 * VIEW.width)


def test_resizing_keeps_the_visible_time() -> None:
    resized = VIEW.resized(10)
    assert (resized.start, resized.end) == (VIEW.start, VIEW.end)


def test_centring_does_not_move_a_view_that_already_shows_the_range() -> None:
    assert VIEW.centred(1500, 1600) is VIEW
    assert VIEW.centred(9000, 9100).x(9050) == pytest.approx(VIEW.width / 2)


@pytest.mark.parametrize(("least", "step"), [(1, 1), (3, 5), (51, 100), (1.2e6, 2e6), (7e9, 1e10)])
def test_tick_steps_are_one_two_or_five_times_a_power_of_ten(least: float, step: float) -> None:
    assert round_step(least) == step


@pytest.mark.parametrize(
    ("view", "labels"),
    [
        (Viewport(0, 41e6, 900), [f"{n} ms" for n in range(0, 45, 5)]),
        (Viewport(0, 2e9, 300), ["0 s", "1 s", "2 s"]),
        (Viewport(1e9, 4e3, 400), [f"1 000 00{n} µs" for n in range(5)]),
        (Viewport(-5e6, 10e6, 200), ["0 ms", "5 ms"]),
    ],
)  # fmt: skip
def test_ticks_carry_a_unit_that_suits_the_zoom(view: Viewport, labels: list[str]) -> None:
    assert [tick.label.replace("\u00a0", " ") for tick in ticks(view)] == labels


@pytest.mark.parametrize(("width", "by", "columns"), [(10.0, 2, 5), (11.0, 2, 6), (10.6, 4, 3)])
def test_a_coarser_view_has_wider_pixels_that_begin_at_the_same_time(
    width: float, by: int, columns: int
) -> None:
    view = Viewport(100.0, 1000.0, width)
    coarser = view.coarser(by)
    assert (coarser.start, coarser.width) == (view.start, columns)
    assert coarser.ns_per_pixel == pytest.approx(by * view.ns_per_pixel)
