"""Arrows from a span's dependencies, and to the tasks that waited for it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QColor, QFont, QImage, QPainter

from core.explain.explanation import Explanation
from core.explain.run_step import explain_run_step
from core.trace.dependencies import Neighbours, waited_for
from core.trace.span import Span
from core.trace.trace import Trace
from gui.look.theme import LIGHT
from gui.timeline.layout.fonts import Fonts
from gui.timeline.layout.frame import Frame, Viewport
from gui.timeline.layout.stacking import lay_out
from gui.timeline.paint.arrows import arrows_of, draw_arrows, draw_dependencies
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.critical import draw_critical
from gui.timeline.paint.gap_labels import draw_gap_labels
from gui.timeline.state.scene import MOST_NEIGHBOURS, Scene
from tests.make_believe import specification, trace_of

WIDE = 1000.0


@pytest.fixture(scope="module")
def scene() -> Scene:
    return Scene(trace_of(specification("pipeline", schedule="1f1b", microbatches=4, steps=1)))


def frame_of(scene: Scene, start: float | None = None, end: float | None = None) -> Frame:
    first, last = scene.trace.bounds
    start, end = first if start is None else start, last if end is None else end
    layout = lay_out(scene.trace.header.lanes, 400)
    return Frame(Viewport(start, end - start, WIDE), layout, 100, 0, LIGHT)


def across(scene: Scene) -> Span:
    """Return a span that waited for another lane, and that other tasks waited for."""
    trace = scene.trace
    waited = ((span, waited_for(trace, span)) for span in trace)
    return next(
        span
        for span, prior in waited
        if prior and prior.lane != span.lane and scene.neighbours_of(span).dependents
    )


def test_each_neighbour_has_an_arrow_that_begins_and_ends_at_their_bars(scene: Scene) -> None:
    span, frame = across(scene), frame_of(scene)
    near = scene.neighbours_of(span)
    arrows = arrows_of(frame, span, near)
    ends = {(round(arrow.start.x()), round(arrow.end.x())) for arrow in arrows}
    expected = {(round(frame.x(other.end)), round(frame.x(span.start))) for other in near.needs}
    expected |= {(round(frame.x(span.end)), round(frame.x(o.start))) for o in near.dependents}
    touching = {pair for pair in expected if pair[0] == pair[1]}
    assert expected - touching <= ends <= expected


def test_the_arrow_from_the_blocking_task_is_emphasised_and_on_top(scene: Scene) -> None:
    span, frame = across(scene), frame_of(scene)
    arrows = arrows_of(frame, span, scene.neighbours_of(span))
    held = [arrow for arrow in arrows if arrow.held]
    assert held == arrows[-1:]
    last = waited_for(scene.trace, span)
    assert held[0].start.x() == pytest.approx(frame.x(last.end), abs=1)


def test_arrows_between_lanes_leave_and_arrive_at_the_edges_of_bars(scene: Scene) -> None:
    span, frame = across(scene), frame_of(scene)
    own = frame.layout.track_of(span.lane)
    for arrow in arrows_of(frame, span, scene.neighbours_of(span)):
        assert arrow.end.y() in (own.top, own.bottom) or arrow.start.y() in (own.top, own.bottom)


def test_arrows_that_lie_beyond_the_view_are_not_drawn(scene: Scene) -> None:
    span = across(scene)
    last = scene.trace.bounds[1]
    frame = frame_of(scene, last + 1e9, last + 2e9)
    assert arrows_of(frame, span, scene.neighbours_of(span)) == []


def test_a_span_whose_lane_is_not_shown_has_no_arrows(scene: Scene) -> None:
    span = across(scene)
    other = [lane for lane in scene.trace.header.lanes if lane.index != span.lane]
    frame = Frame(Viewport(0, 1e9, WIDE), lay_out(other, 400), 100, 0, LIGHT)
    assert arrows_of(frame, span, scene.neighbours_of(span)) == []


def test_neighbours_of_a_span_are_looked_up_only_once(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def counting(trace: object, span: object, most: int) -> Neighbours:
        asked.append(most)
        return Neighbours((), ())

    monkeypatch.setattr("gui.timeline.state.scene.neighbours", counting)
    one, other = list(scene.trace)[:2]
    for span in (one, one, other, other, one):
        scene.neighbours_of(span)
    assert asked == [MOST_NEIGHBOURS] * 3


def test_arrows_have_a_head_at_their_end(scene: Scene) -> None:
    span, frame = across(scene), frame_of(scene)
    near = scene.neighbours_of(span)
    image = QImage(1120, 420, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    with QPainter(image) as painter:
        draw_arrows(Canvas.on(painter, frame, Fonts.of(QFont())), span, near)
    arrow = arrows_of(frame, span, near)[-1]
    inside = arrow.end.y() + (-4 if arrow.down else 4)
    assert image.pixelColor(round(arrow.end.x()), round(inside)).lightness() < 100
    for corner in (frame.left, frame.left + WIDE):
        assert image.pixelColor(int(corner), 400).lightness() == 255


def test_painting_does_not_explain_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = Scene(trace_of(specification("pipeline", schedule="1f1b", microbatches=4, steps=1)))
    fresh.update()
    frame = replace(frame_of(fresh), arrows=True, path=True)
    explained: list[int] = []

    def explain(trace: Trace, step: int) -> Explanation:
        explained.append(step)
        return explain_run_step(trace, step)

    monkeypatch.setattr("gui.timeline.state.explained.explain_run_step", explain)
    blank, whole = painted(fresh, frame), fresh.trace.steps
    assert not explained
    assert fresh.explained.warm(whole, 60.0) and explained == whole
    assert painted(fresh, frame) != blank
    assert explained == whole


def painted(scene: Scene, frame: Frame) -> QImage:
    image = QImage(1200, 400, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(LIGHT.plot))
    with QPainter(image) as painter:
        canvas = Canvas.on(painter, frame, Fonts.of(QFont()))
        draw_dependencies(canvas, scene)
        draw_critical(canvas, scene)
        draw_gap_labels(canvas, scene)
    return image
