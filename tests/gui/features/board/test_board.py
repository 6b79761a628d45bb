"""The board in the window: placing, moving and exchanging passes by mouse and by keys."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea

from core.board.board import Board
from core.board.puzzle import read_puzzle, shipped_puzzles
from core.plan.task import Kind
from gui.app.language import speak
from gui.features.board.feature import BoardFeature
from gui.features.board.page import BoardPage
from gui.features.first_page.feature import FirstPageFeature
from gui.features.palette.commands import all_commands
from gui.features.playback.feature import PlaybackFeature
from gui.timeline.layout.fonts import Fonts
from tests.core.board.test_board import passes
from tests.core.board.test_puzzle import GOOD, solved
from tests.gui.window.test_window import perform
from tests.make_believe import specification

LEFT = Qt.MouseButton.LeftButton
NO_KEY = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
KEYS = {
    Kind.FORWARD: Qt.Key.Key_F,
    Kind.BACKWARD: Qt.Key.Key_B,
    Kind.BACKWARD_INPUT: Qt.Key.Key_I,
    Kind.BACKWARD_WEIGHT: Qt.Key.Key_W,
}


@pytest.fixture
def page(qtbot):
    """The page without a window, as wide as in the smallest window."""
    made = BoardPage()
    qtbot.addWidget(made)
    made.resize(700, 560)
    made.show()
    qtbot.waitExposed(made)
    made.lanes.setValue(2)
    made.microbatches.setValue(2)
    return made


def point(place):
    return QPoint(round(place.center().x()), round(place.center().y()))


def click(page, text):
    (action,) = passes(text)
    places = page.canvas.places
    place = places.bars.get(action) or places.chips[action]
    QTest.mouseClick(page.canvas, LEFT, Qt.KeyboardModifier.NoModifier, point(place))


def drag(page, text, to):
    (action,) = passes(text)
    places = page.canvas.places
    start = point(places.bars.get(action) or places.chips[action])
    QTest.mousePress(page.canvas, LEFT, Qt.KeyboardModifier.NoModifier, start)
    QTest.mouseMove(page.canvas, (start + to) / 2)
    QTest.mouseMove(page.canvas, to)
    QTest.mouseRelease(page.canvas, LEFT, Qt.KeyboardModifier.NoModifier, to)


def bar(page, text):
    (action,) = passes(text)
    return page.canvas.places.bars[action]


def orders(page):
    return [" ".join(map(str, order)) for order in page.game.board.orders]


def place_by_mouse(page, board):
    """Place the passes of a board by clicks, each one when it is ready."""
    heads = [0] * len(board.orders)
    while page.game.board != board:
        for lane, order in enumerate(board.orders):
            if heads[lane] < len(order) and order[heads[lane]] in page.game.board.ready():
                click(page, str(order[heads[lane]]))
                heads[lane] += 1


def place_by_keys(page, board):
    """Go to the lane of each pass and press its letter, as long as its micro-batch is the next."""
    heads = [0] * len(board.orders)
    while page.game.board != board:
        before = page.game.board
        for lane, order in enumerate(board.orders):
            while heads[lane] < len(order) and order[heads[lane]] in page.game.board.ready():
                action = order[heads[lane]]
                while page.game.lane != lane:
                    key = Qt.Key.Key_Down if page.game.lane < lane else Qt.Key.Key_Up
                    QTest.keyClick(page.canvas, key)
                if board.rules.chunks > 1:
                    QTest.keyClick(page.canvas, str(action.stage))
                QTest.keyClick(page.canvas, KEYS[action.kind])
                assert page.game.board.orders[lane][-1] == action
                heads[lane] += 1
        assert page.game.board != before


def test_passes_are_placed_by_clicks_and_by_keys_and_undone(page):
    click(page, "0F0")
    QTest.keyClick(page.canvas, Qt.Key.Key_F)
    assert orders(page) == ["0F0 0F1", ""]
    QTest.keyClick(page.canvas, Qt.Key.Key_Down)
    QTest.keyClick(page.canvas, Qt.Key.Key_F)
    QTest.keyClick(page.canvas, Qt.Key.Key_B)
    assert orders(page) == ["0F0 0F1", "1F0 1B0"]
    QTest.keyClick(page.canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert orders(page) == ["0F0 0F1", "1F0"]
    QTest.keyClick(page.canvas, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    assert orders(page) == ["0F0 0F1", "1F0 1B0"]
    QTest.mouseClick(page.undo, LEFT)
    QTest.mouseClick(page.undo, LEFT)
    assert orders(page) == ["0F0 0F1", ""]
    QTest.mouseClick(page.redo, LEFT)
    assert orders(page) == ["0F0 0F1", "1F0"]


def test_an_illegal_move_shows_its_reason_and_changes_nothing(page):
    click(page, "0B1")
    assert page.message.text() == "B1 on stage 0 needs F1 of stage 0 first."
    place_by_mouse(page, Board.of(page.game.board.rules, [passes("0F0 0F1"), passes("1F0")]))
    click(page, "0B0")
    assert page.message.text() == "B0 on stage 0 needs B0 of stage 1 first."
    assert orders(page) == ["0F0 0F1", "1F0"]
    QTest.keyClick(page.canvas, Qt.Key.Key_Up)
    QTest.keyClick(page.canvas, Qt.Key.Key_Right)
    QTest.keyClick(page.canvas, Qt.Key.Key_Delete)
    assert page.message.text() == "F0 on stage 1 needs F0 of stage 0 first."
    QTest.keyClick(page.canvas, Qt.Key.Key_F)
    assert page.message.text() == "Lane 0 has no F left."


def test_bars_are_moved_and_exchanged_by_the_mouse(page):
    board = Board.of(page.game.board.rules, [passes("0F0 0F1"), passes("1F0 1F1 1B0 1B1")])
    place_by_mouse(page, board)
    # A drop on the middle of another bar exchanges both.
    drag(page, "1F1", point(bar(page, "1B0")))
    assert orders(page)[1] == "1F0 1B0 1F1 1B1"
    # A drop on the left edge of a bar places it before that bar.
    edge = bar(page, "1B0").topLeft() + QPointF(2, 10)
    drag(page, "1F1", edge.toPoint())
    assert orders(page)[1] == "1F0 1F1 1B0 1B1"
    # A drop on another lane is refused, and the line shows the reason.
    drag(page, "1F1", point(bar(page, "0F1")))
    assert page.message.text() == "Stage 1 is on lane 1, so its passes stay there."
    drag(page, "1B1", (bar(page, "1F0").topLeft() + QPointF(1, 10)).toPoint())
    assert page.message.text() == "B1 on stage 1 needs F1 of stage 1 first."
    assert orders(page)[1] == "1F0 1F1 1B0 1B1"


def test_a_pass_of_the_palette_is_dropped_between_two_bars(page):
    board = Board.of(page.game.board.rules, [passes("0F0 0F1"), passes("1F0 1F1")])
    place_by_mouse(page, board)
    drag(page, "1B0", (bar(page, "1F1").topLeft() + QPointF(2, 10)).toPoint())
    assert orders(page)[1] == "1F0 1B0 1F1"


def test_bars_are_selected_moved_exchanged_and_removed_by_keys(page):
    board = Board.of(page.game.board.rules, [passes("0F0 0F1"), passes("1F0 1F1 1B0")])
    place_by_mouse(page, board)
    QTest.keyClick(page.canvas, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert orders(page)[1] == "1F0 1B0 1F1"
    QTest.keyClick(page.canvas, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert orders(page)[1] == "1F0 1F1 1B0"
    QTest.keyClick(page.canvas, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert page.game.selected == tuple(passes("1B0 1F1"))
    QTest.keyClick(page.canvas, Qt.Key.Key_X)
    assert orders(page)[1] == "1F0 1B0 1F1"
    QTest.keyClick(page.canvas, Qt.Key.Key_Delete)
    assert orders(page)[1] == "1F0"
    QTest.keyClick(page.canvas, Qt.Key.Key_X)
    assert page.message.text() == "Select the two passes to exchange first."


def test_selected_passes_are_repeated_for_the_next_micro_batches(page):
    page.microbatches.setValue(4)
    board = Board.of(page.game.board.rules, [passes("0F0 0B0"), passes("1F0 1B0")])
    place_by_mouse(page, board)
    QTest.keyClick(page.canvas, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(page.canvas, Qt.Key.Key_T)
    assert orders(page)[0] == "0F0 0B0 0F1 0B1 0F2 0B2 0F3 0B3"
    QTest.keyClick(page.canvas, Qt.Key.Key_Escape)
    assert page.run.isEnabled() and page.message.text() == "The schedule is complete: run it."


def test_figures_follow_each_move_and_name_the_par(page):
    place_by_mouse(page, Board.of(page.game.board.rules, [passes("0F0 0F1"), passes("1F0 1B0")]))
    said = page.figures.text().replace("\u00a0", " ")
    assert said == "Step 4 · bubble 37.5 % · at most 2 activations on a lane"
    assert page.par.text().startswith("Par (step, activations): 1F1B 9, 2 · GPipe 9, 2 · ")


def test_the_palette_of_a_narrow_board_wraps_onto_more_lines(page):
    page.microbatches.setValue(12)
    page.resize(1200, 560)
    QApplication.processEvents()
    wide = page.canvas.minimumHeight()
    page.resize(700, 560)
    QApplication.processEvents()
    assert page.canvas.minimumHeight() > wide
    lowest = max(place.bottom() for place in page.canvas.places.chips.values())
    assert lowest <= page.canvas.height()


def test_a_hint_names_the_pass_and_marks_it(page):
    QTest.keyClick(page.canvas, Qt.Key.Key_H)
    assert page.message.text() == "Place F0 of stage 0 next: lane 0 can start it at 0."
    assert page.game.hinted == passes("0F0")[0]
    QTest.keyClick(page.canvas, Qt.Key.Key_F)
    assert page.game.hinted is None and orders(page)[0] == "0F0"


def test_a_board_starts_from_a_schedule_and_its_fields_show_the_settings(page):
    page.lanes.setValue(3)
    page.start.setCurrentIndex(page.start.findData("zb-v"))
    page.start.activated.emit(page.start.currentIndex())
    assert page.game.board.complete and page.game.board.rules.lanes == 3
    assert page.passes.currentData() == "split" and page.stages.currentData() == "vee"


@pytest.mark.parametrize("number", range(1, 10))
def test_a_puzzle_is_solved_by_mouse_or_by_keys(page, number):
    path = shipped_puzzles()[number - 1]
    page.open_puzzle(path)
    puzzle = read_puzzle(path)
    assert page.game.board == puzzle.start and page.text.text() == puzzle.text
    if puzzle.start.placed:
        # GPipe becomes 1F1B: each backward is dropped before the forward that follows it.
        drag(page, "1B0", (bar(page, "1F1").topLeft() + QPointF(2, 10)).toPoint())
        drag(page, "1B1", (bar(page, "1F2").topLeft() + QPointF(2, 10)).toPoint())
        drag(page, "1B2", (bar(page, "1F3").topLeft() + QPointF(2, 10)).toPoint())
        drag(page, "0B0", (bar(page, "0F2").topLeft() + QPointF(2, 10)).toPoint())
        drag(page, "0B1", (bar(page, "0F3").topLeft() + QPointF(2, 10)).toPoint())
        QTest.keyClick(page.canvas, Qt.Key.Key_Escape)
    else:
        place = place_by_mouse if number % 2 else place_by_keys
        place(page, solved(number))
        QTest.keyClick(page.canvas, Qt.Key.Key_Escape)
    assert puzzle.is_solved(page.game.board), page.figures.text()
    assert page.message.text() == f"Solved. {puzzle.done}" and page.run.isEnabled()


def test_the_board_handles_its_own_keys_and_the_window_all_others(window):
    feature = window.feature(BoardFeature)
    window.action("make_schedule").trigger()
    QApplication.processEvents()
    assert feature.page.isVisible() and feature.page.canvas.hasFocus()
    viewport = window.timeline.state.viewport
    for key in (Qt.Key.Key_F, Qt.Key.Key_W, Qt.Key.Key_Right):
        QTest.keyClick(feature.page.canvas, key)
    assert orders(feature.page)[0] == "0F0" and window.timeline.state.viewport == viewport
    QTest.mouseClick(feature.page.close_button, LEFT)
    assert not feature.page.isVisible() and window.centre.shows_first_page
    (card,) = [
        card
        for card in window.feature(FirstPageFeature).page.cards
        if card.text() == "Make a schedule"
    ]
    QTest.mouseClick(card, LEFT)
    assert feature.page.isVisible() and orders(feature.page)[0] == "0F0"
    assert "Make a schedule" in [command.text for command in all_commands(window)]


def test_playback_does_not_run_while_the_board_is_open(window, client):
    perform(window, client, specification(steps=1))
    playback = window.feature(PlaybackFeature)
    page = window.feature(BoardFeature).page
    window.action("make_schedule").trigger()
    for key, held in ((Qt.Key.Key_Space, NO_KEY), (Qt.Key.Key_Period, SHIFT)):
        QTest.keyClick(page.canvas, key, held)
        assert playback.playing.film is None and not playback.player.playing
    QTest.mouseClick(page.close_button, LEFT)
    QTest.keyClick(window.timeline, Qt.Key.Key_Space)
    assert playback.player.playing
    # Playback that was open does not continue while the board covers it.
    window.action("make_schedule").trigger()
    QTest.keyClick(page.canvas, Qt.Key.Key_Space)
    assert not playback.player.playing
    QTest.keyClick(page.canvas, Qt.Key.Key_Space)
    assert not playback.player.playing


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_small_window_shows_each_puzzle_without_scrolling(window, qapp, language):
    window.resize(1000, 650)
    page = window.feature(BoardFeature).page
    window.feature(BoardFeature).open()
    frame = page.findChild(QScrollArea)
    speak(qapp, language)
    try:
        for path in shipped_puzzles():
            page.open_puzzle(path)
            for _ in range(3):
                QApplication.processEvents()  # texts wrap, then the board takes the rest
            puzzle = page.game.puzzle
            assert frame.verticalScrollBar().maximum() == 0, puzzle.title
            seen = frame.viewport().rect()
            for place in (*page.canvas.places.chips.values(), *page.canvas.places.bars.values()):
                assert seen.contains(place.toAlignedRect()), puzzle.title
    finally:
        speak(qapp, "en")


def test_the_largest_board_of_one_line_of_passes_fits_a_small_window(window):
    window.resize(1000, 650)
    page = window.feature(BoardFeature).page
    window.feature(BoardFeature).open()
    page.lanes.setValue(8)
    page.microbatches.setValue(8)
    for _ in range(3):
        QApplication.processEvents()
    frame = page.findChild(QScrollArea)
    assert frame.verticalScrollBar().maximum() == 0
    seen = frame.viewport().rect()
    assert len(page.canvas.places.chips) == 8 * 16
    letters = QFontMetricsF(Fonts.of(page.canvas.font()).small).capHeight()
    for place in page.canvas.places.chips.values():
        assert seen.contains(place.toAlignedRect()) and place.height() > letters
    click(page, "0F0")
    assert orders(page)[0] == "0F0"


def test_a_puzzle_from_a_file_opens_and_a_bad_one_is_refused(window, tmp_path):
    feature = window.feature(BoardFeature)
    path = tmp_path / "mine.md"
    path.write_text(GOOD)
    feature.open_puzzle(path)
    assert feature.page.text.text() == "Hold less than 1F1B."
    path.write_text(GOOD.replace("lanes: 3", "lanes: 9"))
    feature.open_puzzle(path)
    assert "line 4: lanes: '9': use 1 to 8" in window.banner.label.text()
