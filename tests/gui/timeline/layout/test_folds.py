"""Folded time: the mapping, its inverse, and all conversions on screen."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF

from core.trace.trace import Trace
from gui.timeline.interact.overview import Overview
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.axis import TICK_PIXELS, ticks
from gui.timeline.layout.folds import LONG, NO_FOLDS, Folds, folded, folds_of
from gui.timeline.layout.frame import Viewport
from gui.timeline.paint.folds import fold_texts
from gui.timeline.reduce.reduction import pixel_edges
from gui.timeline.state.scene import Scene
from gui.timeline.state.selection import hit
from gui.timeline.state.timeline import TimelineState
from tests.make_believe import MS, specification, trace_of

LENGTH = 50.0


@st.composite
def some_folds(draw: st.DrawFn) -> Folds:
    """Return disjoint folds, each of a gap that is longer than it is drawn."""
    parts = draw(st.lists(st.tuples(st.integers(0, 500), st.integers(60, 90_000)), max_size=6))
    edges = np.cumsum([part for both in parts for part in both], dtype=np.float64)
    return folded(edges[::2], edges[1::2], LENGTH)


moments = st.lists(st.floats(-1e3, 1e6), min_size=1, max_size=20).map(sorted)


@given(some_folds(), moments)
def test_converting_times_to_places_and_back_gives_the_same_times(
    folds: Folds, times: list[float]
) -> None:
    places = [folds.drawn(time) for time in times]
    assert [folds.undone(place) for place in places] == pytest.approx(times, abs=1e-3)
    assert folds.all_drawn(np.array(times)) == pytest.approx(places)
    assert folds.all_undone(np.array(places)) == pytest.approx(times, abs=1e-3)


@given(some_folds(), moments)
def test_folding_keeps_the_order_and_makes_nothing_longer(folds: Folds, times: list[float]) -> None:
    lengths = np.diff([folds.drawn(time) for time in times])
    assert (lengths >= -1e-6).all()
    assert (lengths <= np.diff(times) + 1e-6).all()


@given(some_folds(), st.floats(0, 1e5), st.floats(0, 1e5))
def test_time_outside_folds_keeps_its_length(folds: Folds, one: float, other: float) -> None:
    start, end = sorted((one, other))
    kept = sum(b - a for a, b in folds.between(start, end))
    cut = [(max(a, start), min(b, end)) for a, b in folds.gaps if b > start and a < end]
    drawn = sum(folds.drawn(b) - folds.drawn(a) for a, b in cut)
    assert folds.drawn(end) - folds.drawn(start) == pytest.approx(kept + drawn, abs=1e-3)


@given(some_folds(), st.floats(0, 1000), st.floats(0.1, 9.0), st.floats(-900, 900))
def test_a_folded_view_zooms_and_pans_as_any_other(
    folds: Folds, x: float, factor: float, pixels: float
) -> None:
    view = Viewport(0.0, 2_000.0, 1000.0, folds)
    assert view.x(view.time(x)) == pytest.approx(x, abs=1e-3)
    assert view.zoomed(factor, x).time(x) == pytest.approx(view.time(x), abs=1e-2)
    assert view.panned(pixels).time(0.0) == pytest.approx(view.time(pixels), abs=1e-2)
    assert view.xs(np.array([view.time(x)]))[0] == pytest.approx(x, abs=1e-3)
    edges, _ = pixel_edges(view)
    assert edges[[0, -1]] == pytest.approx([view.start, view.end], abs=1e-2)


@given(some_folds(), st.floats(1_000, 1e5))
def test_ticks_keep_their_distance_and_none_is_in_a_fold(folds: Folds, span: float) -> None:
    view = Viewport(0.0, span, 1000.0, folds)
    found = ticks(view)
    assert all(b.x - a.x >= 0.99 * TICK_PIXELS for a, b in itertools.pairwise(found))
    times = [view.time(tick.x) for tick in found]
    inside = [t for t in times for a, b in folds.gaps if a + 1e-2 < t < b - 1e-2]
    assert inside == []


def test_only_gaps_that_are_much_longer_than_a_step_are_folded() -> None:
    ends = np.array([100, 210, 1_500, 1_700])
    folds = folds_of(np.array([0, 110, 1_400, 1_600]), ends)
    assert folds.gaps == [(210.0, 1_400.0)]
    assert folds.drawn(1_400.0) - folds.drawn(210.0) <= 1_190 / LONG
    assert folds_of(ends[:1] - 5, ends[:1]) is NO_FOLDS


def test_only_long_steps_of_the_warm_up_are_folded() -> None:
    starts = np.array([0, 5_000, 5_110, 9_000, 9_100])
    ends = np.array([5_000, 5_100, 5_210, 9_090, 14_000])
    assert folds_of(starts, ends).gaps == [(5_210.0, 9_000.0)]
    folds = folds_of(starts, ends, warmup=2)
    assert folds.gaps == [(0.0, 5_000.0), (5_210.0, 9_000.0)]
    assert folds.drawn(5_000.0) - folds.drawn(0.0) == 128.0
    # As long as there is only warm-up, there is nothing to compare its length with.
    assert folds_of(starts[:2], ends[:2], warmup=2) is NO_FOLDS


def test_a_warm_up_step_is_folded_from_the_end_of_those_that_it_overlaps() -> None:
    starts = np.array([0, 1_000, 9_000, 9_100])
    ends = np.array([4_000, 8_900, 9_100, 9_200])
    assert folds_of(starts, ends, warmup=2).gaps == [(0.0, 4_000.0), (4_000.0, 8_900.0)]


@pytest.fixture
def trace() -> Trace:
    """Return a run that measured costs for two seconds after its warm-up."""
    made = trace_of(specification(steps=3, warmup=1))
    late = 2_000 * MS
    for lane, spans in enumerate(made.lanes):
        moved = spans.step >= 1
        for name in ("start", "end"):
            made.lanes[lane].arrays[name][moved] += late
    for name in ("starts", "ends"):
        made.step_table.arrays[name][1:] += late
    made.step_table.bounds = (made.step_table.bounds[0], made.step_table.bounds[1] + late)
    made.costs = "{}"
    return made


def test_a_view_folds_the_measuring_of_costs_and_maps_the_mouse_correctly(
    trace: Trace, qtbot: object
) -> None:
    view = TimelineView()
    qtbot.addWidget(view)
    view.resize(1200, 400)
    view.show()
    qtbot.waitExposed(view)
    view.state.show_scene(Scene(trace))
    view.navigator.fit()
    scene, frame = view.state.scene, view.state.frame
    assert scene is not None
    ((start, end),) = view.state.viewport.folds.gaps
    assert fold_texts(scene, start, end)[0].startswith("measuring costs, 2")
    assert frame.x(end) - frame.x(start) < 0.5 * frame.view.width
    track = frame.layout.tracks[0]
    last = trace.span(0, len(trace.spans(0)) - 1)
    x = frame.x((last.start + (last.end or 0)) / 2)
    assert hit(scene, frame, x, frame.top + track.top + 2) == last
    view.overlays.hover_at(QPointF(x, frame.top + track.top + 2))
    assert view.overlays.crosshair is not None
    assert frame.x(view.overlays.crosshair.time) == pytest.approx(x, abs=7)


def cold_run() -> Trace:
    """Return a run whose only warm-up step takes twenty seconds longer than the others."""
    made = trace_of(specification(steps=5, warmup=1))
    late = 20_000 * MS
    for lane, spans in enumerate(made.lanes):
        moved = spans.step >= 1
        for name in ("start", "end"):
            made.lanes[lane].arrays[name][moved] += late
    made.step_table.arrays["starts"][1:] += late
    made.step_table.arrays["ends"][:] += late
    made.step_table.bounds = (made.step_table.bounds[0], made.step_table.bounds[1] + late)
    return made


def test_the_overview_folds_a_long_warm_up_so_that_the_steps_are_visible(qtbot: object) -> None:
    state = TimelineState()
    overview = Overview(state)
    qtbot.addWidget(overview)
    overview.resize(1_000, 80)
    scene = Scene(cold_run())
    state.show_scene(scene)
    starts, ends = scene.step_starts, scene.step_ends
    alone = Viewport(float(starts[0]), float(ends[-1] - starts[0]), 832.0)
    assert alone.x(float(ends[-1])) - alone.x(float(starts[1])) < 0.1 * alone.width
    whole = overview._whole()
    assert whole.x(float(ends[-1])) - whole.x(float(starts[1])) > 0.7 * whole.width
    ((start, end),) = whole.folds.gaps
    assert fold_texts(scene, start, end)[0].startswith("warm-up, 20")
    assert not state.viewport.folds  # the timeline itself shows the warm-up as long as it is
    seen = overview._visible(whole)
    assert seen[0] < seen[1]
    assert not overview.grab().isNull()
