"""Comparing two runs in the window, by mouse and by key."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from core.engine.messages import Rows, Started
from core.trace.trace import Span
from gui.compare.chooser import RunChooser, other_of
from gui.session import Run
from gui.timeline.view import TimelineView
from gui.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.make_believe import batches, record, specification


def opened(window: MainWindow, path: Path, microbatches: int) -> Run:
    """A recording of a pipeline, opened and shown."""
    record(specification(microbatches=microbatches), path)
    run, _ = window.session.open(path)
    window.show_run(run)
    return run


@pytest.fixture
def compared(window: MainWindow, tmp_path: Path) -> MainWindow:
    """A window in which a run of two micro-batches stands above one of eight."""
    opened(window, tmp_path / "two.arrow", 2)
    record(specification(microbatches=8), tmp_path / "eight.arrow")
    window.comparing.open(tmp_path / "eight.arrow")
    return window


def below(window: MainWindow) -> TimelineView:
    """The timeline of run B."""
    view = window.comparing.frame.b
    assert view is not None and view.isVisible()
    return view


def click(qtbot: QtBot, view: TimelineView, span: Span) -> None:
    """Click on the middle of a span's bar."""
    frame = view.frame_of_rows
    row = next(row for row in frame.layout.rows if row.lane == span.lane)
    rect = frame.row_rect(row, span.start, span.end or span.start)
    at = QPoint(round(rect.center().x()), round(rect.center().y()))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_both_steps_begin_at_the_same_pixel(compared: MainWindow) -> None:
    two = compared.comparing.two
    assert two is not None
    pixels = [
        view.view.x(view.trace.step_bounds(step)[0])
        for view, step in ((compared.timeline, two.step_a), (below(compared), two.step_b))
    ]
    assert pixels[0] == pytest.approx(pixels[1], abs=0.01)
    assert pixels[0] >= 0


def test_the_panel_says_why_and_lists_rows_that_add_up(compared: MainWindow) -> None:
    panel, two = compared.panels.compare, compared.comparing.two
    assert two is not None and panel.isVisible()
    assert "8 micro-batches instead of 2" in panel.sentence.text()
    assert "only in B" in panel.matched.text()
    items = [panel.table.topLevelItem(i) for i in range(panel.table.topLevelItemCount())]
    rows = [item.data(0, Qt.ItemDataRole.UserRole) for item in items]
    reasons = [row for row in rows if row is not None and row in two.reasons]
    assert sum(row.contribution for row in reasons) == two.difference


def test_a_click_on_a_task_selects_its_match_in_the_other_run(
    compared: MainWindow, qtbot: QtBot
) -> None:
    two, a, b = compared.comparing.two, compared.timeline, below(compared)
    assert two is not None and a.trace is not None and b.trace is not None
    span = a.trace.find(two.step_a, int(two.matches.a.task[two.matches.of_a[0]]))
    assert span is not None
    click(qtbot, a, span)
    assert a.selection == span
    assert isinstance(b.selection, Span)
    assert (b.selection.kind, b.selection.stage, b.selection.microbatch) == (
        span.kind, span.stage, span.microbatch,
    )  # fmt: skip
    other = b.trace.find(two.step_b, int(two.matches.b.task[two.matches.of_b[-1]]))
    assert other is not None
    click(qtbot, b, other)
    assert isinstance(a.selection, Span) and a.selection.kind is other.kind


def test_runs_are_aligned_at_the_spans_selected_in_both(compared: MainWindow, qtbot: QtBot) -> None:
    a, b, two = compared.timeline, below(compared), compared.comparing.two
    assert two is not None
    a.select_task(two.step_a, 0)
    for _ in range(3):
        qtbot.keyClick(compared, Qt.Key.Key_Period, Qt.KeyboardModifier.AltModifier)
    assert isinstance(a.selection, Span) and isinstance(b.selection, Span)
    assert a.selection.task == 0 and b.selection.task != two.matches.task_in_b(0)
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(compared, Qt.Key.Key_A, keys)
    assert compared.actions_by_name["compare_align"].isChecked()
    assert a.view.x(a.selection.start) == pytest.approx(b.view.x(b.selection.start), abs=0.01)
    qtbot.keyClick(compared, Qt.Key.Key_A, keys)
    starts = a.trace.step_bounds(two.step_a)[0], b.trace.step_bounds(two.step_b)[0]
    assert a.view.x(starts[0]) == pytest.approx(b.view.x(starts[1]), abs=0.01)


def test_aligning_without_a_span_in_each_run_says_what_is_missing(compared: MainWindow) -> None:
    compared.actions_by_name["compare_align"].trigger()
    assert not compared.actions_by_name["compare_align"].isChecked()
    assert "Select a span in each run first" in compared.statusBar().currentMessage()


def test_equal_lengths_end_both_steps_at_the_same_pixel(compared: MainWindow, qtbot: QtBot) -> None:
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(compared, Qt.Key.Key_L, keys)
    a, b, two = compared.timeline, below(compared), compared.comparing.two
    assert two is not None
    ends = a.trace.step_bounds(two.step_a)[1], b.trace.step_bounds(two.step_b)[1]
    assert a.view.x(ends[0]) == pytest.approx(b.view.x(ends[1]), abs=0.01)


def test_a_drag_in_one_timeline_pans_both(compared: MainWindow, qtbot: QtBot) -> None:
    a, b = compared.timeline, below(compared)
    before = a.view
    start, shift = QPoint(400, 60), QPoint(-80, 0)
    qtbot.mousePress(b.viewport(), Qt.MouseButton.MiddleButton, pos=start)
    qtbot.mouseMove(b.viewport(), start + shift)
    qtbot.mouseRelease(b.viewport(), Qt.MouseButton.MiddleButton, pos=start + shift)
    assert a.view.start == pytest.approx(before.panned(80).start)


def test_a_row_of_the_table_outlines_what_it_sums_up_in_both(
    compared: MainWindow, qtbot: QtBot
) -> None:
    table, overlay = compared.panels.compare.table, compared.comparing.frame.overlay
    assert overlay is not None
    table.setFocus()
    table.setCurrentItem(table.topLevelItem(1))
    row = table.currentItem().data(0, Qt.ItemDataRole.UserRole)
    shown = overlay.shown
    assert int((shown.of_a.end - shown.of_a.start).sum()) == row.a
    assert int((shown.of_b.end - shown.of_b.start).sum()) == row.b
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert table.currentItem().data(0, Qt.ItemDataRole.UserRole) != row


def test_other_steps_can_be_compared(compared: MainWindow) -> None:
    panel = compared.panels.compare
    panel.step_a.setCurrentIndex(panel.step_a.findData(3))
    assert compared.comparing.two.step_a == 3
    panel.step_b.setCurrentIndex(panel.step_b.findData("all"))
    assert len(compared.comparing.two.b.steps) == 5
    assert "mean of 5 steps" in compared.comparing.frame.strip_b.title.text()


def test_joins_are_drawn_while_they_are_wanted(compared: MainWindow, qtbot: QtBot) -> None:
    overlay = compared.comparing.frame.overlay
    assert overlay is not None
    qtbot.keyClick(compared, Qt.Key.Key_J)
    compared.grab()
    assert overlay.joined is not None and overlay.joined.of > 0
    qtbot.keyClick(compared, Qt.Key.Key_J)
    compared.grab()
    assert overlay.joined is None


def test_esc_clears_the_selection_and_then_leaves(compared: MainWindow, qtbot: QtBot) -> None:
    compared.timeline.select_task(compared.comparing.two.step_a, 0)
    qtbot.keyClick(compared, Qt.Key.Key_Escape)
    assert compared.timeline.selection is None and compared.comparing.frame.divided
    qtbot.keyClick(compared, Qt.Key.Key_Escape)
    assert not compared.comparing.frame.divided
    assert not compared.panels.compare.isVisible()
    assert not compared.actions_by_name["compare_joins"].isEnabled()


def test_the_chooser_offers_other_runs_and_is_used_by_keyboard(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    first = opened(window, tmp_path / "two.arrow", 2)
    opened(window, tmp_path / "eight.arrow", 8)
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(window, Qt.Key.Key_C, keys)
    chooser = window.findChild(RunChooser)
    assert chooser is not None and not chooser.isModal()
    qtbot.keyClick(chooser.list, Qt.Key.Key_End)  # before it may stand the run's prediction
    qtbot.keyClick(chooser.list, Qt.Key.Key_Return)
    assert window.comparing.other is not None and window.comparing.other.run is first


def test_without_a_run_there_is_nothing_to_compare(window: MainWindow) -> None:
    window.actions_by_name["compare"].trigger()
    assert "There is no run to compare yet" in window.banner.label.text()
    assert window.findChild(RunChooser) is None


def test_a_file_that_is_no_recording_is_one_line(window: MainWindow, tmp_path: Path) -> None:
    opened(window, tmp_path / "two.arrow", 2)
    (tmp_path / "text.arrow").write_text("nothing")
    window.comparing.open(tmp_path / "text.arrow")
    assert "text.arrow" in window.banner.label.text()
    assert not window.comparing.frame.divided


def test_a_live_run_is_compared_while_it_grows(
    window: MainWindow, client: FakeClient, tmp_path: Path
) -> None:
    other = opened(window, tmp_path / "two.arrow", 2)
    spec = specification(microbatches=8)
    window.form.set_specification(spec)
    window.actions_by_name["run"].trigger()
    header, made = batches(spec)
    client.say(Started(header))
    window.session.tick()
    assert window.run_shown is not None and window.run_shown.live
    window.comparing.begin(other_of(other))
    assert "no whole step" in window.panels.compare.sentence.text()
    for batch in made:
        client.say(Rows(batch))
    window.session.tick()
    window.comparing.refresh()
    assert window.comparing.two is not None
    assert "longer" in window.panels.compare.sentence.text()


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_what_is_seen_is_written(compared: MainWindow, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"both.{suffix}"
    compared.actions_by_name["compare_joins"].trigger()
    compared.comparing.export_to(path)
    data = path.read_bytes()
    assert len(data) > 2000
    if suffix == "svg":
        text = data.decode()
        assert "micro-batches" in text and "<image" not in text
