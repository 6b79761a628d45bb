"""Grouping, folding, pinning, moving and filtering lanes, by mouse and key events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from core.models.catalogue import ModelSettings
from core.plan.devices import Hardware
from core.plan.task import Kind
from gui.look.text import NO_BREAK
from gui.timeline.interact.lane_filter import count_text
from gui.timeline.interact.overview import Overview
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.frame import AXIS, LABELS, STEPS
from gui.timeline.layout.groups import Grouping
from gui.timeline.paint.critical import path_boxes
from gui.timeline.paint.margins import heading_text
from gui.timeline.state.scene import Scene
from gui.timeline.state.timeline import TimelineState
from tests.make_believe import specification, trace_of

LEFT = Qt.MouseButton.LeftButton
CORES = Hardware(64, 8 << 30)


@pytest.fixture
def view(qtbot: object) -> Iterator[TimelineView]:
    """Four pipelines of two stages, lane by lane: cpu:0 to cpu:7."""
    made = TimelineView()
    qtbot.addWidget(made)
    made.resize(1000, 480)
    made.show()
    qtbot.waitExposed(made)
    run = specification("dp-pp", steps=2, devices="8xcpu", replicas=4, stages=2)
    made.state.show_scene(Scene(trace_of(run, CORES)))
    yield made
    made.close()


def pixel_at(view: TimelineView, lane: int, x: float = 40) -> QPoint:
    """Return a pixel on a lane's label, or to the right of it."""
    frame = view.state.frame
    track = frame.layout.track_of(lane)
    return QPoint(int(x), int(frame.top + track.top + track.height / 2))


def heading(view: TimelineView, name: str) -> QPoint:
    """Return the pixel of a group's triangle."""
    frame = view.state.frame
    group = next(g for g in frame.layout.groups if g.name == name)
    return QPoint(8, int(frame.top + group.top + group.height / 2))


def lanes_shown(view: TimelineView) -> list[int]:
    return [track.lane for track in view.state.stack.layout.tracks if not track.helper]


def click(view: TimelineView, at: QPoint) -> None:
    QTest.mouseClick(view.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, at)


def drag(view: TimelineView, start: QPoint, end: QPoint) -> None:
    QTest.mousePress(view.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, start)
    QTest.mouseMove(view.viewport(), (start + end) / 2)
    QTest.mouseMove(view.viewport(), end)
    QTest.mouseRelease(view.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, end)


def colours(view: TimelineView, y: int) -> set[str]:
    """Return the colours of the plot at a height."""
    image = view.grab().toImage()
    ratio = image.devicePixelRatio()
    return {
        image.pixelColor(int(x * ratio), int(y * ratio)).name()
        for x in range(int(LABELS), int(LABELS + view.state.viewport.width))
    }


def test_a_click_on_its_heading_folds_a_group_and_another_one_opens_it(
    view: TimelineView,
) -> None:
    view.lanes.group_by(Grouping.PIPELINE)
    click(view, heading(view, "pipeline 1"))
    assert lanes_shown(view) == [0, 1, 4, 5, 6, 7]
    click(view, heading(view, "pipeline 1"))
    assert lanes_shown(view) == list(range(8))


def test_a_folded_group_shows_what_its_lanes_do(view: TimelineView) -> None:
    view.lanes.group_by(Grouping.PIPELINE)
    view.lanes.fold_all()
    assert not view.state.stack.layout.tracks
    at = heading(view, "pipeline 0")
    assert {view.state.theme.forward, view.state.theme.backward} <= colours(view, at.y())
    QTest.mouseMove(view.viewport(), QPoint(int(LABELS + view.state.viewport.width / 2), at.y()))
    assert view.overlays.hovered is not None
    title, lines = view.overlays.hovered[1:]
    assert title.startswith("pipeline 0")
    assert "of the lanes are busy" in lines[0]
    view.lanes.unfold_all()
    assert lanes_shown(view) == list(range(8))


def test_folding_acts_on_the_group_of_the_selected_lane(view: TimelineView) -> None:
    view.lanes.group_by(Grouping.PIPELINE)
    view.state.select(next(span for span in view.state.trace if span.lane == 5))
    view.lanes.fold()
    assert lanes_shown(view) == [0, 1, 2, 3, 6, 7]
    view.choice.step(1)
    assert view.state.lane == 6
    view.choice.step(-1)
    assert view.state.lane == 4


def test_a_span_of_a_folded_lane_can_be_selected_and_stepped_to(view: TimelineView) -> None:
    view.lanes.group_by(Grouping.PIPELINE)
    view.state.select(next(s for s in view.state.trace if s.lane == 1 and s.kind is Kind.COPY))
    view.lanes.fold_all()
    view.state.show_strips(path=True)
    view.selector.dependency()
    assert view.state.selection.lane == 0
    assert not view.grab().isNull()


def test_a_pinned_lane_stays_at_the_top_while_the_others_scroll(view: TimelineView) -> None:
    view.state.stack.height = 100
    view.choice.choose(6)
    view.lanes.pin()
    tops = []
    for scrolled in (0, 120, 350):
        view.verticalScrollBar().setValue(scrolled)
        layout = view.state.frame.layout
        tops.append(view.state.frame.top + layout.track_of(6).top)
        assert layout.tracks[0].lane == 6
    assert tops == [tops[0]] * 3
    view.lanes.pin()
    assert lanes_shown(view) == list(range(8))


def test_a_click_on_a_pinned_lane_finds_it_and_not_what_lies_under_it(view: TimelineView) -> None:
    view.state.stack.height = 100
    view.choice.choose(6)
    view.lanes.pin()
    view.verticalScrollBar().setValue(150)
    span = next(
        s for s in view.state.trace if s.lane == 6 and s.step == 3 and s.kind is Kind.BACKWARD
    )
    x = view.state.frame.x((span.start + span.end) / 2)
    click(view, pixel_at(view, 6, x))
    assert view.state.selection == span


def test_dragging_a_label_moves_its_lane(view: TimelineView) -> None:
    view.state.stack.height = 20
    view.state.lay_out()
    drag(view, pixel_at(view, 1), pixel_at(view, 4) + QPoint(0, 12))
    assert lanes_shown(view) == [0, 2, 3, 4, 1, 5, 6, 7]
    view.navigator.zoom_back()
    assert lanes_shown(view) == list(range(8))


def test_a_lane_moves_up_and_down_without_the_mouse(view: TimelineView) -> None:
    view.choice.choose(3)
    view.lanes.move(-1)
    view.lanes.move(-1)
    assert lanes_shown(view) == [0, 3, 1, 2, 4, 5, 6, 7]
    view.lanes.move(1)
    assert lanes_shown(view) == [0, 1, 3, 2, 4, 5, 6, 7]


def test_choosing_a_lane_out_of_sight_scrolls_to_it(view: TimelineView) -> None:
    view.state.stack.height = 100
    view.state.lay_out()
    for _ in range(8):
        view.choice.step(1)
    assert view.state.lane == 7
    track = view.state.frame.layout.track_of(7)
    top = view.state.frame.top + track.top
    assert top >= AXIS + STEPS
    assert top + track.height <= view.viewport().height()


def test_the_filter_shows_some_lanes_and_escape_all(view: TimelineView) -> None:
    view.lane_filter.ask()
    field = view.lane_filter.field
    QTest.keyClicks(field, "*:3")
    assert lanes_shown(view) == [3]
    assert view.lane_filter.count.text() == "1 of 8 lanes"
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert lanes_shown(view) == list(range(8))
    assert not view.lane_filter.isVisible()


def test_a_filter_without_matches_shows_a_message(view: TimelineView) -> None:
    view.lanes.filter("tpu")
    assert lanes_shown(view) == []
    middle = view.viewport().height() // 2
    written = set().union(*(colours(view, y) for y in range(middle - 26, middle)))
    assert len(written) > 3
    click(view, QPoint(40, 200))
    assert view.state.selection is None


def test_counts_have_thousands_separators() -> None:
    assert count_text(12, 1024) == "12 of 1,024 lanes"
    assert count_text(1024, 1024) == "1,024 lanes"


def test_a_heading_shows_its_name_and_number_of_lanes(view: TimelineView) -> None:
    view.lanes.group_by(Grouping.PIPELINE)
    first = heading_text(view.state.scene, view.state.stack.layout.groups[0])
    assert first.replace(NO_BREAK, " ") == "pipeline 0  ·  2 lanes"


def test_folding_is_undone_like_a_zoom(view: TimelineView) -> None:
    view.lanes.group_by(Grouping.PIPELINE)
    view.lanes.fold_all()
    view.navigator.zoom_back()
    assert lanes_shown(view) == list(range(8))
    view.navigator.zoom_back()
    assert view.lanes.tracks.grouping is Grouping.DEVICE


def test_another_run_has_its_lanes_in_its_own_order(view: TimelineView) -> None:
    view.choice.choose(3)
    view.lanes.move(-1)
    view.lanes.group_by(Grouping.NODE)
    view.state.show_scene(Scene(trace_of(specification(steps=1))))
    assert lanes_shown(view) == [0, 1]
    assert view.lanes.tracks.grouping is Grouping.NODE
    assert view.state.lane is None


def test_only_visible_rows_are_drawn(view: TimelineView) -> None:
    run = specification("dp", steps=1, warmup=0, devices="400xcpu", batch=400)
    view.state.show_scene(Scene(trace_of(run, CORES)))
    for scrolled in (0, 3000, view.verticalScrollBar().maximum()):
        view.verticalScrollBar().setValue(scrolled)
        layout = view.state.frame.layout
        parts = (*layout.tracks, *layout.predictions, *layout.memory)
        assert 0 < len(parts) < 60
        body = range(int(AXIS + STEPS), view.viewport().height() + 1)
        tops = [view.state.frame.top + track.top for track in layout.tracks]
        assert sum(int(top) in body for top in tops) >= len(tops) - 2
        assert layout.track_of(399).lane == 399
    assert view.lane_filter.isVisible()
    assert view.lane_filter.count.text() == "400 lanes"
    assert view.lane_filter.y() >= AXIS - 4  # the axis's title is above it


def test_lanes_that_a_filter_hides_are_drawn_nowhere(view: TimelineView) -> None:
    view.state.show_strips(path=True)
    view.grab()  # explains the step on screen
    step = view.state.scene.described
    everything = path_boxes(view.state.scene.explained.step(step), view.state.frame)
    view.lanes.filter("*:0")
    view.state.select(next(s for s in view.state.trace if s.lane == 1 and s.step == step))
    boxes = path_boxes(view.state.scene.explained.step(step), view.state.frame)
    assert 0 < len(boxes) < len(everything)
    assert all(box.top() >= 0 for box in boxes)
    assert not view.state.frame.layout.shows(1)
    assert not view.grab().isNull()


def test_the_overview_of_very_many_lanes_merges_neighbours(qtbot: object) -> None:
    state = TimelineState()
    overview = Overview(state)
    qtbot.addWidget(overview)
    overview.resize(900, 80)
    overview.show()
    run = specification("mp", steps=1, warmup=0, devices="96xcpu", stages=96, batch=4)
    run = replace(run, model=ModelSettings("mlp", width=8, depth=96))
    state.show_scene(Scene(trace_of(run, CORES)))
    image = overview.grab().toImage()
    ratio = image.devicePixelRatio()
    wide = range(int(LABELS) + 8, 880)
    plain = image.pixelColor(int(wide[0] * ratio), int(30.5 * ratio)).name()

    def first_busy(y: int) -> int:
        """Return the leftmost pixel of a height in which something is drawn."""
        track = [image.pixelColor(int(x * ratio), int(y * ratio)).name() for x in wide]
        return next(n for n, name in enumerate(track) if name != plain)

    assert first_busy(8) < first_busy(18) < first_busy(27)
