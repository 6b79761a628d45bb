"""Dragging a bar of a predicted run in the timeline, which opens the board with the moved pass."""

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.board.dropping import pass_of
from core.plan.pipeline.options import SCHEDULE
from core.recording.exporters.recording import write_recording
from gui.features.board.feature import BoardFeature
from gui.timeline.paint.overlay import rect_of
from gui.timeline.state.selection import TimeRange
from tests.core.board.test_board import passes
from tests.core.board.test_from_run import predicted
from tests.gui.features.board.test_board import LEFT, orders
from tests.gui.window.test_window import perform
from tests.make_believe import specification

NONE = Qt.KeyboardModifier.NoModifier
GPIPE = "1F0 1F1 1F2 1F3 1B0 1B1 1B2 1B3"


@pytest.fixture
def page(window, tmp_path):
    """The board's page, not open yet, while a predicted GPipe step on two lanes is shown."""
    show_predicted(window, tmp_path, schedule="gpipe", microbatches=4)
    return window.feature(BoardFeature).page


def show_predicted(window, folder, **values):
    path = folder / "predicted.arrow"
    for _ in write_recording(predicted(scale=1_000_000, **values), path):
        pass
    window.show_run(window.session.add_predicted(path.read_bytes()))
    QApplication.processEvents()


def bar(window, text):
    """The rectangle of a pass in the picture."""
    scene, frame = window.scene, window.timeline.state.frame
    for lane in range(len(scene.trace.header.lanes)):
        for index in range(len(scene.trace.spans(lane))):
            span = scene.trace.span(lane, index)
            if pass_of(span) is not None and pass_of(span) == passes(text)[0]:
                return rect_of(scene.trace, frame, span)
    raise AssertionError(f"there is no {text}")


def drag(window, start, to, release=True):
    viewport = window.timeline.viewport()
    at, end = QPointF(start).toPoint(), QPointF(to).toPoint()
    QTest.mousePress(viewport, LEFT, NONE, at)
    QTest.mouseMove(viewport, (at + end) / 2)
    QTest.mouseMove(viewport, end)
    if release:
        QTest.mouseRelease(viewport, LEFT, NONE, end)


def test_a_bar_is_moved_and_the_board_opens_with_it(window, page):
    viewport = window.timeline.viewport()
    start = bar(window, "1B0").center()
    QTest.mouseMove(viewport, start.toPoint())
    assert viewport.cursor().shape() is Qt.CursorShape.OpenHandCursor
    to = QPointF(bar(window, "1F1").left() + 2, start.y())
    before = window.timeline.grab().toImage()
    drag(window, start, to, release=False)
    assert viewport.cursor().shape() is Qt.CursorShape.ClosedHandCursor
    assert window.timeline.grab().toImage() != before and not page.isVisible()
    QTest.mouseRelease(viewport, LEFT, NONE, to.toPoint())
    assert page.isVisible() and page.canvas.hasFocus()
    assert orders(page)[1] == "1F0 1B0 1F1 1F2 1F3 1B1 1B2 1B3"
    assert page.game.selected == tuple(passes("1B0"))
    assert page.game.board.rules.times.measured
    assert "GPipe 15 ms, 4" in page.par.text().replace("\u00a0", " ")
    # The move can be undone like any other; the run keeps its settings.
    QTest.keyClick(page.canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert orders(page)[1] == GPIPE
    assert page.settings is not None and page.settings[SCHEDULE] == "gpipe"
    assert page.schedule_title == "GPipe, edited"


def test_a_drop_on_the_middle_exchanges_bars_and_an_illegal_one_shows_its_reason(window, page):
    drag(window, bar(window, "1B1").center(), bar(window, "1B0").center())
    assert orders(page)[1] == "1F0 1F1 1F2 1F3 1B1 1B0 1B2 1B3"
    window.showing.show(window.run_shown)
    assert not page.isVisible()
    to = QPointF(bar(window, "1F0").left() + 2, bar(window, "1F0").center().y())
    drag(window, bar(window, "1B0").center(), to)
    assert page.isVisible() and orders(page)[1] == GPIPE
    assert page.message.text() == "B0 on stage 1 needs F0 of stage 1 first."
    assert page.game.selected == tuple(passes("1B0"))


def test_a_bar_that_is_dropped_where_it_was_is_selected_on_the_board(window, page):
    start = bar(window, "0F1").center()
    drag(window, start, start + QPointF(6, 0))
    assert page.isVisible() and orders(page)[1] == GPIPE
    assert page.game.selected == tuple(passes("0F1")) and not page.game.history.past


def test_a_click_selects_a_bar_and_a_drag_next_to_bars_selects_a_range(window, page):
    viewport = window.timeline.viewport()
    QTest.mouseClick(viewport, LEFT, NONE, bar(window, "0F1").center().toPoint())
    state = window.timeline.state
    assert pass_of(state.selection) == passes("0F1")[0] and not page.isVisible()
    gap = QPointF(bar(window, "1F0").left() - 8, bar(window, "1F0").center().y())
    drag(window, gap, gap + QPointF(60, 0))
    assert isinstance(state.selection, TimeRange) and not page.isVisible()


def test_bars_of_a_measured_run_cannot_be_dragged(window, client):
    asked = specification(devices="2xvirtual", batch=16, steps=1).having(
        schedule="gpipe", microbatches=4
    )
    perform(window, client, asked)
    QApplication.processEvents()
    window.timeline.navigator.fit()
    start = bar(window, "1B0").center()
    drag(window, start, start + QPointF(50, 0))
    assert isinstance(window.timeline.state.selection, TimeRange)
    assert not window.feature(BoardFeature).page.isVisible()


def test_a_step_that_does_not_fit_on_a_board_is_refused_with_a_message(window, tmp_path):
    show_predicted(window, tmp_path, schedule="chimera", microbatches=2)
    start = bar(window, "0F0").center()
    drag(window, start, start + QPointF(40, 0))
    assert window.banner.label.text().startswith("The replicas of this step share lanes or run")
    assert not window.feature(BoardFeature).page.isVisible()
