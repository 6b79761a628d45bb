"""Two linked timelines and their overlay, without a window."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from core.compare.alignment import Alignment
from core.compare.pieces import RowPieces
from core.compare.runs import compare_runs
from gui.features.compare.joins import MOST_JOINS, joins_of, outlines
from gui.features.compare.linking import LinkedViews, view_of_a, view_of_b
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.axis import ticks
from gui.timeline.layout.frame import Viewport
from gui.timeline.layout.moments import Origin
from gui.timeline.state.scene import Scene
from tests.make_believe import specification, trace_of


@pytest.fixture
def views(qtbot: QtBot) -> Iterator[tuple[TimelineView, TimelineView]]:
    """Two timelines of pipelines, of two and of eight micro-batches; B is narrower."""
    made = TimelineView(), TimelineView()
    for view, microbatches, width in zip(made, (2, 8), (900, 800), strict=True):
        qtbot.addWidget(view)
        view.resize(width, 300)
        view.show()
        view.state.show_scene(Scene(trace_of(specification(microbatches=microbatches))))
    yield made
    for view in made:
        view.close()


@given(
    st.floats(0, 1e12), st.floats(0, 1e12), st.floats(0.01, 100), st.floats(1e3, 1e12),
    st.floats(10, 4000), st.floats(10, 4000), st.floats(0, 1),
)  # fmt: skip
def test_aligned_times_are_at_the_same_pixel(
    a: float, b: float, scale: float, span: float, wide: float, other: float, at: float
) -> None:
    laid = Alignment(a, b, scale)
    view = Viewport(a - span / 3, span, wide)
    below = view_of_b(view, laid, other)
    time = view.time(at * wide)
    assert below.x(laid.to_b(time)) == pytest.approx(view.x(time), abs=0.05)
    back = view_of_a(below, laid, wide)
    assert back.span == pytest.approx(view.span, rel=1e-6)
    assert back.x(time) == pytest.approx(view.x(time), abs=0.05)


def test_moving_either_view_moves_the_other(
    views: tuple[TimelineView, TimelineView],
) -> None:
    a, b = views
    links = LinkedViews(a.state, b.state)
    links.link(Alignment(0.0, 5e6), 0.0)
    a.navigator.zoom(1)
    assert b.state.viewport.start == pytest.approx(a.state.viewport.start + 5e6)
    assert b.state.viewport.ns_per_pixel == pytest.approx(a.state.viewport.ns_per_pixel)
    b.navigator.pan(1)
    assert a.state.viewport.start == pytest.approx(b.state.viewport.start - 5e6)
    links.unlink()
    before = b.state.viewport
    a.navigator.zoom(-1)
    assert b.state.viewport == before


def test_undo_reverts_a_move_of_the_other_view(
    views: tuple[TimelineView, TimelineView],
) -> None:
    a, b = views
    links = LinkedViews(a.state, b.state)
    links.link(Alignment(0.0, 0.0), 0.0)
    before = a.state.viewport
    b.navigator.zoom_at(0.5, 300.0)
    assert a.state.viewport != before
    a.navigator.zoom_back()
    assert a.state.viewport.start == pytest.approx(before.start)
    assert b.state.viewport.start == pytest.approx(before.start)


def test_resizing_b_does_not_move_a(views: tuple[TimelineView, TimelineView]) -> None:
    a, b = views
    links = LinkedViews(a.state, b.state)
    links.link(Alignment(0.0, 0.0), 0.0)
    before = a.state.viewport
    b.resize(600, 300)
    assert a.state.viewport == before
    assert b.state.viewport.ns_per_pixel == pytest.approx(a.state.viewport.ns_per_pixel)


def test_an_axis_that_counts_from_a_later_time_has_ticks_before_it() -> None:
    view = Viewport(0.0, 100e6, 800.0)
    labels = [tick.label.replace("\u00a0", " ") for tick in ticks(view, Origin(40e6))]
    assert labels == ["−40 ms", "−20 ms", "0 ms", "20 ms", "40 ms", "60 ms"]
    assert ticks(Viewport(-50e6, 100e6, 1000.0))[0].label.startswith("0")


def test_only_tasks_that_both_views_show_are_joined(
    views: tuple[TimelineView, TimelineView],
) -> None:
    a, b = views
    assert a.state.scene is not None and b.state.scene is not None
    two = compare_runs(a.state.scene.trace, b.state.scene.trace)
    a.navigator.fit_between(*map(float, a.state.scene.trace.step_bounds(two.step_a)))
    b.navigator.fit_between(*map(float, b.state.scene.trace.step_bounds(two.step_b)))
    joins = joins_of(two.matches, a.state.frame, b.state.frame)
    assert len(joins.pairs) == joins.of == len(two.matches)
    lanes = two.matches.a.lane[two.matches.of_a[joins.pairs]].tolist()
    bottoms = {row.lane: a.state.frame.top + row.bottom for row in a.state.frame.layout.tracks}
    assert joins.lines[1].tolist() == [bottoms[lane] for lane in lanes]
    b.navigator.fit_between(0.0, 1.0)
    assert joins_of(two.matches, a.state.frame, b.state.frame).of == 0


def test_too_many_joins_are_thinned_out_and_counted(
    views: tuple[TimelineView, TimelineView],
) -> None:
    a, b = views
    for view in views:
        view.state.show_scene(Scene(trace_of(specification(microbatches=128, batch=512, steps=1))))
    assert a.state.scene is not None and b.state.scene is not None
    two = compare_runs(a.state.scene.trace, b.state.scene.trace)
    for view in views:
        view.navigator.fit_between(*map(float, a.state.scene.trace.step_bounds(two.step_a)))
    joins = joins_of(two.matches, a.state.frame, b.state.frame)
    assert len(joins.pairs) == MOST_JOINS < joins.of == len(two.matches)


def test_outlines_cover_every_piece_with_at_most_one_rectangle_a_pixel(
    views: tuple[TimelineView, TimelineView],
) -> None:
    a, _ = views
    starts = np.arange(100_000, dtype=np.int64) * 1000
    pieces = RowPieces(np.zeros(100_000, np.int32), starts, starts + 400)
    a.navigator.fit_between(0.0, 1e8)
    assert 0 < len(outlines(a.state.frame, pieces)) <= a.state.viewport.width
    a.navigator.fit_between(0.0, 10_000.0)
    rects = outlines(a.state.frame, pieces)
    assert len(rects) == 11
    frame = a.state.frame
    assert rects[3].left() == pytest.approx(frame.x(3000.0))
    assert rects[3].right() == pytest.approx(frame.x(3400.0))
