"""Bookmarks and statistics in the whole window: keys, tabs, and the file next to the recording."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.recording.bookmarks import Bookmark, bookmarks_file, read_bookmarks, write_bookmarks
from gui.features.bookmarks.feature import BookmarksFeature
from gui.features.details.feature import DetailsFeature
from gui.features.recordings.feature import RecordingsFeature
from gui.features.run.feature import RunFeature
from gui.features.runs.feature import RunsFeature
from gui.features.statistics.feature import StatisticsFeature
from gui.timeline.layout.frame import LABELS
from gui.timeline.state.selection import TimeRange
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.make_believe import MS, record, specification

LEFT, NO_BUTTON, NO_KEYS = (
    Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
)  # fmt: skip


def mouse(window: MainWindow, kind: QEvent.Type, x: float, y: float, button: object) -> None:
    viewport, at = window.timeline.viewport(), QPointF(x, y)
    held = NO_BUTTON if kind is QEvent.Type.MouseButtonRelease else LEFT
    held = NO_BUTTON if button is NO_BUTTON and kind is not QEvent.Type.MouseMove else held
    spot = QPointF(viewport.mapToGlobal(at.toPoint()))
    QApplication.sendEvent(viewport, QMouseEvent(kind, at, spot, button, held, NO_KEYS))


def press(window: MainWindow, key: Qt.Key, keys: Qt.KeyboardModifier = NO_KEYS) -> None:
    window.activateWindow()
    window.timeline.setFocus()
    QTest.keyClick(window.timeline, key, keys)


def test_marks_are_set_by_keys_and_kept_next_to_their_recording(
    window: MainWindow, tmp_path: Path, qtbot: object
) -> None:
    path = tmp_path / "run.arrow"
    record(specification(), path)
    window.feature(RecordingsFeature).files.open_from(path)
    started = window.run_shown.trace.header.started
    span = window.run_shown.trace.span(0, 5)
    window.timeline.state.select(span)
    press(window, Qt.Key.Key_M)
    QTest.keyClicks(window.feature(BookmarksFeature).bookmarking.editor, "m for mark")
    QTest.keyClick(window.feature(BookmarksFeature).bookmarking.editor, Qt.Key.Key_Return)
    press(window, Qt.Key.Key_M, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(window.feature(BookmarksFeature).bookmarking.editor, Qt.Key.Key_Return)
    both = (Bookmark(span.start, None, "m for mark"), Bookmark(span.start, span.end))
    assert read_bookmarks(path, started) == both
    press(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert read_bookmarks(path, started) == both[:1]
    press(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert not bookmarks_file(path).exists()
    press(
        window,
        Qt.Key.Key_Z,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    assert read_bookmarks(path, started) == both[:1]
    other = tmp_path / "other.arrow"
    record(specification("dp"), other)
    window.feature(RecordingsFeature).files.open_from(other)
    assert window.feature(BookmarksFeature).bookmarking.bookmarks == ()
    window.show_run(window.session.runs[0])
    assert window.feature(BookmarksFeature).bookmarking.bookmarks == both[:1]
    bookmarks_file(other).write_text("no marks")
    window.feature(RecordingsFeature).files.open_from(other)
    assert window.run_shown is window.session.runs[-1]
    assert "other.marks.json: its marks are left out" in window.banner.label.text()
    assert window.feature(BookmarksFeature).panels[0].widget.list.topLevelItemCount() == 0


def test_stored_marks_are_kept_when_new_ones_are_written(
    window: MainWindow, tmp_path: Path
) -> None:
    path = tmp_path / "run.arrow"
    started = record(specification(), path).header.started
    write_bookmarks(path, [Bookmark(MS, None, "old")], started)
    run, _ = window.session.open(path)
    window.show_run(run)
    window.timeline.state.bookmarks.change(
        [*window.feature(BookmarksFeature).bookmarking.bookmarks, Bookmark(2 * MS, None, "new")]
    )
    assert [bookmark.note for bookmark in read_bookmarks(path, started)] == ["old", "new"]
    unseen, _ = window.session.open(path)
    unseen.save(tmp_path / "copy.arrow")
    assert [bookmark.note for bookmark in read_bookmarks(tmp_path / "copy.arrow", started)] == [
        "old",
        "new",
    ]


def test_marks_of_an_unsaved_run_are_written_when_it_is_saved(
    window: MainWindow, client: FakeClient, tmp_path: Path
) -> None:
    window.feature(RunFeature).form.set_specification(specification())
    window.action("run").trigger()
    client.perform(client.asked[-1])
    while window.session.asking:
        window.session.tick()
    window.timeline.state.bookmarks.change([Bookmark(10 * MS, None, "early")])
    path = tmp_path / "saved.arrow"
    window.feature(RecordingsFeature).files.save_to(path)
    started = window.run_shown.trace.header.started
    assert read_bookmarks(path, started) == (Bookmark(10 * MS, None, "early"),)
    window.timeline.state.bookmarks.change([])
    assert not bookmarks_file(path).exists()
    bookmarks_file(path).mkdir()
    window.timeline.state.bookmarks.change([Bookmark(20 * MS)])
    assert "saved.marks.json cannot be written" in window.banner.label.text()
    assert window.feature(BookmarksFeature).bookmarking.bookmarks == (Bookmark(20 * MS),)


def click_tab(window: MainWindow, place: int) -> None:
    tabs = window.feature(RunsFeature).tabs
    QTest.mouseClick(tabs, LEFT, NO_KEYS, tabs.tabRect(place).center())
    assert window.run_shown is tabs.runs[place]


@pytest.mark.parametrize("second", [(), (Bookmark(2 * MS, None, "of b"),)])
def test_each_recording_keeps_its_marks_while_tabs_are_switched(
    window: MainWindow, tmp_path: Path, second: tuple[Bookmark, ...]
) -> None:
    marks = {"a": (Bookmark(MS, None, "of a"), Bookmark(3 * MS, 4 * MS)), "b": second}
    started = {}
    for name, strategy in (("a", "pipeline"), ("b", "dp")):
        path = tmp_path / f"{name}.arrow"
        started[name] = record(specification(strategy), path).header.started
        write_bookmarks(path, marks[name], started[name])
        window.feature(RecordingsFeature).files.open_from(path)
    bookmarking = window.feature(BookmarksFeature).bookmarking
    for place in (0, 1, 0, 1, 0):
        click_tab(window, place)
        assert bookmarking.bookmarks == marks["ab"[place]]
        for name in marks:
            assert read_bookmarks(tmp_path / f"{name}.arrow", started[name]) == marks[name]


def test_a_note_being_typed_is_kept_in_its_own_recording_when_another_tab_is_shown(
    window: MainWindow, tmp_path: Path
) -> None:
    started = {}
    for name, strategy in (("a", "pipeline"), ("b", "dp")):
        path = tmp_path / f"{name}.arrow"
        started[name] = record(specification(strategy), path).header.started
        write_bookmarks(path, [Bookmark(MS, None, f"of {name}")], started[name])
        window.feature(RecordingsFeature).files.open_from(path)
    click_tab(window, 0)
    click_tab(window, 1)
    click_tab(window, 0)
    bookmarking = window.feature(BookmarksFeature).bookmarking
    bookmarking.edit(0)
    bookmarking.editor.setText("typed")
    click_tab(window, 1)
    assert bookmarking.editor is None
    assert bookmarking.bookmarks == (Bookmark(MS, None, "of b"),)
    assert read_bookmarks(tmp_path / "a.arrow", started["a"]) == (Bookmark(MS, None, "typed"),)
    assert read_bookmarks(tmp_path / "b.arrow", started["b"]) == (Bookmark(MS, None, "of b"),)
    click_tab(window, 0)
    assert bookmarking.bookmarks == (Bookmark(MS, None, "typed"),)
    press(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert bookmarking.bookmarks == (Bookmark(MS, None, "of a"),)


def test_statistics_of_a_drag_are_copied_by_keys_and_a_bar_selects_a_span(
    window: MainWindow, tmp_path: Path, qtbot: object
) -> None:
    path = tmp_path / "run.arrow"
    record(specification(), path)
    window.feature(RecordingsFeature).files.open_from(path)
    QApplication.processEvents()
    row = window.timeline.state.frame.layout.track_of(1)
    y = window.timeline.state.frame.top + row.top + row.height / 2
    mouse(window, QEvent.Type.MouseButtonPress, LABELS + 50, y, LEFT)
    mouse(window, QEvent.Type.MouseMove, LABELS + 400, y, NO_BUTTON)
    mouse(window, QEvent.Type.MouseButtonRelease, LABELS + 400, y, LEFT)
    assert isinstance(window.timeline.state.selection, TimeRange)
    statistics = window.feature(StatisticsFeature).panel.widget
    qtbot.waitUntil(lambda: statistics.figures is not None)
    assert list(statistics.figures.counted.lanes) == [1]
    control, alt = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
    press(window, Qt.Key.Key_V, control | alt)
    assert QGuiApplication.clipboard().text().startswith("start_ns,end_ns,wall_ns")
    press(window, Qt.Key.Key_M, control | alt)
    assert QGuiApplication.clipboard().text().startswith("**")
    chart = statistics.durations.histogram
    chart.chosen.emit(chart.cursor_bin)
    assert window.timeline.state.selection.lane == 1
    assert statistics.isVisible() and statistics.figures is not None
    press(window, Qt.Key.Key_X)
    press(window, Qt.Key.Key_Period)
    table = window.feature(DetailsFeature).panel.widget.table
    names = [table.item(row, 0).text() for row in range(4)]
    assert names == ["Measured", "End to start", "Start to start", "End to end"]
    press(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(
        lambda: len(statistics.figures.counted.lanes) > 1
    )  # all lanes of all steps again
    press(window, Qt.Key.Key_A, control)
    seen = window.timeline.state.viewport
    assert window.timeline.state.selection == TimeRange(int(seen.start), int(seen.end))
    qtbot.waitUntil(lambda: statistics.figures is not None)
    assert list(statistics.figures.counted.lanes) == [0, 1]


def test_escape_discards_a_note_and_keeps_the_selection(window: MainWindow, tmp_path: Path) -> None:
    record(specification(), tmp_path / "run.arrow")
    window.feature(RecordingsFeature).files.open_from(tmp_path / "run.arrow")
    span = window.run_shown.trace.span(0, 5)
    window.timeline.state.select(span)
    press(window, Qt.Key.Key_M)
    bookmarking = window.feature(BookmarksFeature).bookmarking
    QTest.keyClicks(bookmarking.editor, "not this")
    QTest.keyClick(bookmarking.editor, Qt.Key.Key_Escape)
    assert bookmarking.editor is None
    assert window.timeline.hasFocus()
    assert bookmarking.bookmarks == (Bookmark(span.start),)
    assert window.timeline.state.selection == span
