"""Ranges, crosshair, bookmarks and measuring on the timeline, by mouse and key events."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.plan.task import Kind
from core.recording.bookmarks import Bookmark
from core.trace.span import Span
from gui.app.run import Run
from gui.features.bookmarks.bookmarking import Bookmarking
from gui.features.bookmarks.panel import NOTE, BookmarksPanel
from gui.timeline.interact.crosshair import nearest_edge
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.frame import AXIS, LABELS
from gui.timeline.layout.groups import Grouping
from gui.timeline.layout.moments import OF_RUN, moment_text
from gui.timeline.paint.overlay import areas_of
from gui.timeline.state.measure import Measure
from gui.timeline.state.scene import Scene
from gui.timeline.state.selection import TimeRange
from tests.core.explain.ranges import Drawn, drawn
from tests.make_believe import MS, specification, trace_of

LEFT, NO_BUTTON = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
NO_KEYS, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
PRESS, MOVE, RELEASE = (
    QEvent.Type.MouseButtonPress, QEvent.Type.MouseMove, QEvent.Type.MouseButtonRelease,
)  # fmt: skip


@pytest.fixture
def view(qtbot: object) -> Iterator[TimelineView]:
    made = TimelineView()
    qtbot.addWidget(made)
    made.resize(1200, 500)
    made.show()
    qtbot.waitExposed(made)
    made.state.show_scene(Scene(trace_of(specification(devices="3xcpu", steps=2))))
    yield made
    made.close()


@pytest.fixture
def bookmarking(view: TimelineView, qtbot: object) -> Bookmarking:
    panel = BookmarksPanel()
    qtbot.addWidget(panel)
    made = Bookmarking(view)
    made.show_in(panel)
    made.panel = panel
    made.show_run(Run(1, view.state.trace))
    return made


def mouse(
    view: TimelineView, kind: QEvent.Type, x: float, y: float,
    button: Qt.MouseButton = NO_BUTTON, keys: Qt.KeyboardModifier = NO_KEYS,
    held: Qt.MouseButton = NO_BUTTON,
) -> None:  # fmt: skip
    at = QPointF(x, y)
    spot = QPointF(view.viewport().mapToGlobal(at.toPoint()))
    QApplication.sendEvent(view.viewport(), QMouseEvent(kind, at, spot, button, held, keys))


def click(view: TimelineView, x: float, y: float, keys: Qt.KeyboardModifier = NO_KEYS) -> None:
    mouse(view, PRESS, x, y, LEFT, keys, LEFT)
    mouse(view, RELEASE, x, y, LEFT, keys)


def drag(view: TimelineView, start: tuple[float, float], end: tuple[float, float]) -> None:
    mouse(view, PRESS, *start, LEFT, held=LEFT)
    mouse(view, MOVE, *end, held=LEFT)
    mouse(view, RELEASE, *end, LEFT)


def pixel_at(view: TimelineView, lane: int, time: float) -> tuple[float, float]:
    """Return the pixel of a time on a lane."""
    frame = view.state.frame
    row = frame.layout.track_of(lane)
    return frame.x(time), frame.top + row.top + row.height / 2


def a_forward(view: TimelineView, lane: int, number: int = 0) -> Span:
    """Return a forward of a lane in the step that the view shows."""
    step = view.state.scene.described
    mine = (s for s in view.state.trace if (s.lane, s.step, s.kind) == (lane, step, Kind.FORWARD))
    return list(mine)[number]


def middle(view: TimelineView, span: Span) -> tuple[float, float]:
    return pixel_at(view, span.lane, (span.start + span.end) / 2)


@pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 1), (2, 1), (2, 0)])
def test_a_drag_selects_the_lanes_whose_rows_it_touches(
    view: TimelineView, first: int, last: int
) -> None:
    (_, y0), (_, y1) = pixel_at(view, first, 0), pixel_at(view, last, 0)
    drag(view, (400, y0), (700, y1))
    assert isinstance(view.state.selection, TimeRange)
    assert view.state.selection.lanes is not None
    touched = [lane for lane in view.state.selection.lanes if lane < 3]
    assert touched == list(range(min(first, last), max(first, last) + 1))


def test_a_drag_that_begins_on_the_axis_selects_all_lanes(view: TimelineView) -> None:
    drag(view, (400, 5), (700, 200))
    assert view.state.selection.lanes is None


def test_a_drag_below_the_lanes_selects_all_lanes(view: TimelineView) -> None:
    view.resize(1200, 1200)
    drag(view, (400, 1150), (700, 1180))
    assert view.state.selection.lanes is None


def test_a_drag_over_a_folded_group_selects_all_its_lanes(view: TimelineView) -> None:
    view.lanes.group_by(Grouping.DEVICE)
    view.lanes.fold_all()
    group = view.state.frame.layout.groups[0]
    y = view.state.frame.top + group.top + group.height / 2
    drag(view, (400, y), (700, y))
    assert set(group.numbers) <= set(view.state.selection.lanes)
    x0, x1 = 400.0, 700.0
    areas = areas_of(view.state.frame, view.state.selection.lanes, x0, x1)
    assert [area.top() for area in areas] == [view.state.frame.top + group.top]
    assert not view.grab().isNull()


def test_neighbouring_lanes_are_shaded_as_one_area(view: TimelineView) -> None:
    frame = view.state.frame
    rows = {row.lane: row for row in frame.layout.tracks}
    (both,) = areas_of(frame, [0, 1, 2], 0.0, 10.0)
    assert (both.top(), both.bottom()) == (frame.top + rows[0].top, frame.top + rows[2].bottom)
    apart = areas_of(frame, [0, 2], 0.0, 10.0)
    assert [area.height() for area in apart] == [rows[0].height, rows[2].height]


def test_the_crosshair_follows_the_pointer_and_disappears_with_it(view: TimelineView) -> None:
    for x in (LABELS + 100, LABELS + 333):
        mouse(view, MOVE, x, AXIS / 2)
        reach = 6 * view.state.viewport.ns_per_pixel
        assert view.overlays.crosshair.time == pytest.approx(
            view.state.viewport.time(x - LABELS), abs=reach
        )
    mouse(view, MOVE, LABELS - 20, 200)
    assert view.overlays.crosshair is None
    mouse(view, MOVE, LABELS + 100, 200)
    QApplication.sendEvent(view.viewport(), QEvent(QEvent.Type.Leave))
    assert view.overlays.crosshair is None


@pytest.mark.parametrize(("off", "snaps"), [(-5, True), (5, True), (8, False)])
def test_the_crosshair_snaps_to_an_edge_within_six_pixels(
    view: TimelineView, off: int, snaps: bool
) -> None:
    span = a_forward(view, 0, -1)
    view.selector.fit(span)
    x, y = pixel_at(view, 0, span.end)
    mouse(view, MOVE, x + off, y)
    crosshair = view.overlays.crosshair
    assert (crosshair.lane == 0) is snaps
    assert (crosshair.time == span.end) is snaps


def test_the_crosshair_stays_at_the_pointer_while_the_wheel_zooms(view: TimelineView) -> None:
    x, y = LABELS + 200, pixel_at(view, 0, 0)[1]
    mouse(view, MOVE, x, y)
    at = QPointF(x, y)
    turn = QWheelEvent(
        at, QPointF(view.viewport().mapToGlobal(at.toPoint())), QPoint(), QPoint(0, 480),
        NO_BUTTON, NO_KEYS, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view.viewport(), turn)
    reach = 6 * view.state.viewport.ns_per_pixel
    assert view.overlays.crosshair.time == pytest.approx(
        view.state.viewport.time(x - LABELS), abs=reach
    )


@given(drawn(), st.integers(-50, 500))
def test_the_nearest_edge_is_the_same_as_in_a_search_of_all_spans(case: Drawn, time: int) -> None:
    for lane, pieces in enumerate(case.lanes):
        found = nearest_edge(case.trace.spans(lane), time)
        edges = [edge for piece in pieces for edge in piece[:2]]
        distance = min((abs(edge - time) for edge in edges), default=None)
        assert (None if found is None else abs(found - time)) == distance


@pytest.mark.parametrize(
    ("ns", "per_pixel", "expected"),
    [(1_234_567_891, 1e6, "1 235 ms"), (1_234_567_891, 1e4, "1 234.57 ms"),
     (1_234_567_891, 0.1, "1 234.567891 ms"), (-2_500_000, 1e5, "−2.5 ms")],
)  # fmt: skip
def test_a_time_has_enough_digits_to_distinguish_two_pixels(
    ns: int, per_pixel: float, expected: str
) -> None:
    assert moment_text(ns, OF_RUN, per_pixel).replace("\u00a0", " ") == expected


def test_m_marks_the_moment_under_the_pointer_and_its_note_is_typed_in_place(
    view: TimelineView, bookmarking: Bookmarking
) -> None:
    x, y = LABELS + 321, pixel_at(view, 1, 0)[1]
    mouse(view, MOVE, x, y)
    time = round(view.overlays.crosshair.time)
    bookmarking.add_moment()
    assert bookmarking.editor.isVisible() and bookmarking.editor.hasFocus()
    QTest.keyClicks(bookmarking.editor, "warm")
    QTest.keyClick(bookmarking.editor, Qt.Key.Key_Return)
    assert bookmarking.bookmarks == (Bookmark(time, None, "warm"),)
    assert bookmarking.editor is None
    assert bookmarking.panel.list.topLevelItem(0).text(NOTE) == "warm"
    view.navigator.zoom_back()
    assert bookmarking.bookmarks == ()
    view.navigator.zoom_forward()
    assert bookmarking.bookmarks == (Bookmark(time, None, "warm"),)


def test_escape_leaves_a_note_as_it_was(view: TimelineView, bookmarking: Bookmarking) -> None:
    view.state.bookmarks.change([Bookmark(round(view.state.viewport.time(200)), None, "before")])
    bookmarking.edit(0)
    QTest.keyClicks(bookmarking.editor, "other")
    QTest.keyClick(bookmarking.editor, Qt.Key.Key_Escape)
    assert bookmarking.bookmarks[0].note == "before"


def test_without_the_pointer_m_marks_where_the_selection_starts(
    view: TimelineView, bookmarking: Bookmarking, qtbot: object
) -> None:
    with qtbot.waitSignal(bookmarking.message):
        bookmarking.add_moment()
    assert bookmarking.bookmarks == ()
    span = a_forward(view, 1)
    view.state.select(span)
    bookmarking.add_moment()
    bookmarking.add_range()
    assert bookmarking.bookmarks == (Bookmark(span.start), Bookmark(span.start, span.end))


def test_a_click_on_a_flag_edits_its_note_and_keeps_the_selection(
    view: TimelineView, bookmarking: Bookmarking
) -> None:
    span = a_forward(view, 0)
    view.state.select(span)
    view.state.bookmarks.show([Bookmark(round(view.state.viewport.time(500)), None, "a flag")])
    place = view.overlays.flag(0)
    mouse(view, MOVE, place.center().x(), place.center().y())
    assert view.overlays.hovered[2] == ["a flag"]
    click(view, place.center().x(), place.center().y())
    assert bookmarking.editor.text() == "a flag"
    assert view.state.selection == span


def test_each_flag_ends_where_the_next_one_begins(view: TimelineView) -> None:
    moments = [round(view.state.viewport.time(x)) for x in (100, 140, 143, 500)]
    view.state.bookmarks.show([Bookmark(moment, None, "a rather long note") for moment in moments])
    places = [view.overlays.flag(i) for i in range(4)]
    for one, other in pairwise(places):
        assert one.right() < other.left()
    assert places[3].width() > 60


def test_keys_go_to_the_next_and_the_previous_mark(
    view: TimelineView, bookmarking: Bookmarking
) -> None:
    first, last = view.state.trace.bounds
    view.state.bookmarks.change([Bookmark(first), Bookmark(last), Bookmark((first + last) // 2)])
    view.navigator.fit()
    view.navigator.zoom_at(0.05, LABELS + 800)
    bookmarking.step(1)
    assert view.overlays.crosshair.time == last
    assert view.state.viewport.start <= last <= view.state.viewport.end
    bookmarking.step(-1)
    bookmarking.step(-1)
    assert view.overlays.crosshair.time == first
    assert bookmarking.panel.current == 0
    bookmarking.remove_here()
    assert [mark.start for mark in bookmarking.bookmarks] == [(first + last) // 2, last]


def test_the_list_renames_and_deletes_marks(
    view: TimelineView, bookmarking: Bookmarking, qtbot: object
) -> None:
    view.state.bookmarks.change([Bookmark(10 * MS, None, "one"), Bookmark(20 * MS, 30 * MS, "two")])
    rows = bookmarking.panel.list
    assert [rows.topLevelItem(i).text(NOTE) for i in range(2)] == ["one", "two"]
    rows.topLevelItem(1).setText(NOTE, "three")
    qtbot.waitUntil(lambda: bookmarking.bookmarks[1].note == "three")
    bookmarking.panel.set_current(0)
    with qtbot.waitActive(bookmarking.panel):  # otherwise no widget receives its keys
        bookmarking.panel.show()
        bookmarking.panel.activateWindow()
    rows.setFocus()
    QTest.keyClick(rows, Qt.Key.Key_Delete)
    assert bookmarking.bookmarks == (Bookmark(20 * MS, 30 * MS, "three"),)
    QTest.keyClick(rows, Qt.Key.Key_F2)
    assert rows.state() is rows.State.EditingState


def test_shift_and_click_measure_from_the_selected_span_to_another(view: TimelineView) -> None:
    first, second = a_forward(view, 0), a_forward(view, 2, 2)
    click(view, *middle(view, first))
    click(view, *middle(view, second), SHIFT)
    measure = view.selector.measure
    assert (measure.first, measure.second) == (first, second)
    assert measure.end_to_start == second.start - first.end
    assert measure.start_to_start == second.start - first.start
    assert view.state.selection == second
    third = a_forward(view, 1, 1)
    click(view, *middle(view, third), SHIFT)
    assert view.selector.measure == Measure.between(first, third)
    assert not view.grab().isNull()
    click(view, *middle(view, third))
    assert view.selector.measure is None


def test_x_measures_from_a_span_while_keys_step_to_others(view: TimelineView) -> None:
    span = a_forward(view, 0)
    view.state.select(span)
    view.selector.anchor_here()
    view.selector.step(1)
    view.selector.step(1)
    assert view.selector.measure == Measure.between(span, view.state.selection)
    view.selector.anchor_here()
    assert view.selector.measure is None
    view.selector.anchor_here()
    view.selector.clear()
    assert view.state.anchor is None


def test_a_shift_drag_still_pans_and_measures_nothing(view: TimelineView) -> None:
    view.state.select(a_forward(view, 0))
    before = view.state.viewport
    x, y = middle(view, a_forward(view, 2))
    mouse(view, PRESS, x, y, LEFT, SHIFT, LEFT)
    mouse(view, MOVE, x - 80, y, NO_BUTTON, SHIFT, LEFT)
    mouse(view, RELEASE, x - 80, y, LEFT, SHIFT)
    assert view.state.viewport.start > before.start
    assert view.selector.measure is None
