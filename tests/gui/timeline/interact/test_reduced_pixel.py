"""Reduced tracks hide nothing: counts, tooltips of pixels, marks of search hits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage

from core.plan.task import KINDS
from gui.look.text import about_text
from gui.timeline.interact.reduced_pixel import (
    ReducedPixel,
    reduced_pixel_at,
    reduced_pixel_card,
    share_lines,
)
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.frame import LABELS, Track
from gui.timeline.state.scene import Scene
from tests.large_traces import large_trace

LANE = 3


@pytest.fixture(scope="module")
def scene() -> Scene:
    """16 lanes with 4,000 spans each."""
    return Scene(large_trace(64_000))


@pytest.fixture
def view(qtbot: object, scene: Scene) -> Iterator[TimelineView]:
    scene.hits = {}
    made = TimelineView()
    qtbot.addWidget(made)
    made.resize(900, 700)
    made.show()
    qtbot.waitExposed(made)
    made.state.show_scene(scene)
    made.navigator.fit()
    yield made
    made.close()


def track_of(view: TimelineView) -> Track:
    return view.state.frame.layout.track_of(LANE)


def pixels(view: TimelineView, top: float, height: float) -> np.ndarray:
    """Return colours 0xRRGGBB of a band over the plot, shape (lines, columns)."""
    image: QImage = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    lines = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1) & 0xFFFFFF
    y = round(view.state.frame.top + top)
    return lines[y : y + round(height), int(LABELS) : int(LABELS + view.state.viewport.width)]


def code(colour: str) -> int:
    return QColor(colour).rgb() & 0xFFFFFF


def test_the_shares_of_a_pixel_match_a_count_span_by_span(scene: Scene) -> None:
    spans = scene.trace.spans(LANE)
    start, end = float(spans.start[100]) + 0.5, float(spans.end[150]) - 0.5
    found = reduced_pixel_at(scene, Track(LANE, 0, 20), start, end)
    expected: dict[object, float] = {}
    for s, e, kind in zip(spans.start, spans.end, spans["kind"], strict=True):
        spent = min(e, end) - max(s, start)
        if spent > 0:
            expected[KINDS[kind]] = expected.get(KINDS[kind], 0.0) + spent / (end - start)
    assert found.count == 51
    assert dict(found.shares) == pytest.approx(expected)
    shares = [share for _, share in found.shares]
    assert shares == sorted(shares, reverse=True)


def test_the_tooltip_of_a_reduced_pixel_shows_count_shares_and_idle_time(
    view: TimelineView,
) -> None:
    frame, track = view.state.frame, track_of(view)
    y = frame.top + track.top + track.height / 2
    view.overlays.hover_at(QPointF(LABELS + 300, y))
    assert view.overlays.hovered is not None
    _, title, lines = view.overlays.hovered
    time = view.state.viewport.time(300.0)
    count = reduced_pixel_at(
        view.state.scene, track, time, time + view.state.viewport.ns_per_pixel
    ).count
    assert title.startswith(f"{count} spans in ")
    assert title.endswith(" on cpu:3")
    shares = [float(line.split()[-2]) for line in lines[:-1]]
    assert sum(shares) == pytest.approx(100, abs=0.3)
    assert lines[-1] == "Zoom in to see each of them."


def test_a_pixel_of_exact_bars_has_no_such_tooltip(view: TimelineView) -> None:
    view.navigator.fit_between(*view.state.scene.bounds)
    end = view.state.scene.bounds[1]
    view.navigator.fit_between(end * 0.5, end * 0.52)
    frame, track = view.state.frame, track_of(view)
    assert (
        reduced_pixel_card(view.state.scene, frame, LABELS + 300, frame.top + track.top + 5) is None
    )


def test_kinds_beyond_the_first_four_are_added_up() -> None:
    shares = tuple(zip(KINDS[:6], (0.3, 0.2, 0.15, 0.1, 0.1, 0.05), strict=True))
    lines = [line.replace("\u00a0", " ") for line in share_lines(ReducedPixel(9, 1e6, shares))]
    assert lines[4:] == ["Other kinds 15.0 %", "Idle 10.0 %"]


@pytest.mark.parametrize(
    ("count", "text"),
    [(2, "2"), (9_999, "9,999"), (12_345, "≈ 12 k"), (1_234_567, "≈ 1.2 M"), (3 * 10**9, "≈ 3 G")],
)
def test_counts_are_exact_while_they_are_small(count: int, text: str) -> None:
    assert about_text(count).replace("\u00a0", " ") == text


def test_a_reduced_row_says_at_its_right_end_how_many_spans_it_has(view: TimelineView) -> None:
    track = track_of(view)
    band = pixels(view, track.top, track.height)[:, -90:]
    assert (band == code(view.state.theme.plot)).sum() > 300
    end = view.state.scene.bounds[1]
    view.navigator.fit_between(end * 0.5, end * 0.52)
    assert (
        pixels(view, track.top, track.height)[:, -90:] == code(view.state.theme.plot)
    ).sum() < 300


def test_a_single_hit_among_thousands_of_spans_is_marked(view: TimelineView) -> None:
    track, spans = track_of(view), view.state.scene.trace.spans(LANE)
    ink = code(view.state.theme.text)
    assert not (pixels(view, track.top, 3)[:, :600] == ink).any()
    view.state.scene.hits = {LANE: np.array([1000])}
    view.state.refresh(None)
    marked = np.flatnonzero((pixels(view, track.top, 3) == ink).all(axis=0))
    middle = view.state.viewport.x((spans.start[1000] + spans.end[1000]) / 2)
    assert 3 <= len(marked) <= 4
    assert marked.mean() + 0.5 == pytest.approx(middle, abs=1)


def test_many_hits_are_all_marked(view: TimelineView) -> None:
    track, spans = track_of(view), view.state.scene.trace.spans(LANE)
    view.state.scene.hits = {LANE: np.arange(2000)}
    view.state.refresh(None)
    marked = (pixels(view, track.top, 3) == code(view.state.theme.text)).all(axis=0)
    last = int(view.state.viewport.x(float(spans.end[1999])))
    first = int(view.state.viewport.x(float(spans.start[0]))) + 1
    assert marked[first:last].mean() > 0.8  # all except idle time
    assert not marked[last + 4 : -100].any()


def test_a_signal_reports_how_many_spans_share_a_pixel(view: TimelineView) -> None:
    told: list[float] = []
    view.reduction_changed.connect(told.append)
    end = view.state.scene.bounds[1]
    view.navigator.fit_between(end * 0.5, end * 0.52)
    view.grab()
    view.navigator.fit_between(0, end)
    view.grab()
    assert told[0] == 0.0
    assert told[-1] == pytest.approx(4000 / view.state.viewport.width, rel=0.1)
