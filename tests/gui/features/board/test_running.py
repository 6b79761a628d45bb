"""Boards that really run: saved as a schedule, verified, and shown above their prediction."""

from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest

from core.board.puzzle import shipped_puzzles
from core.board.saving import board_run
from core.engine.messages import Outcome
from core.plan.pipeline.options import SCHEDULE
from core.trace.source import Source
from core.trace.verified import verified
from gui.app.titles import run_title, strategy_title
from gui.features.board import running
from gui.features.board.feature import BoardFeature
from gui.features.compare.feature import CompareFeature
from tests.core.board.test_puzzle import solved
from tests.core.helpers import plan_of
from tests.gui.features.board.test_board import LEFT, bar, drag, place_by_mouse
from tests.gui.window.test_window import perform
from tests.make_believe import specification


def test_the_step_on_screen_is_edited_and_runs_with_the_runs_own_settings(
    window, client, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    feature = window.feature(BoardFeature)
    window.action("edit_schedule").trigger()
    assert window.statusBar().currentMessage().startswith("There is no step yet")
    perform(window, client, specification("dp", steps=1))
    window.action("edit_schedule").trigger()
    assert window.banner.label.text().startswith("A board holds only a step of a whole pipeline")
    asked = specification(devices="2xvirtual", batch=16, steps=1).having(
        schedule="gpipe", microbatches=4
    )
    perform(window, client, asked)
    window.action("edit_schedule").trigger()
    page = feature.page
    assert page.isVisible() and page.game.board.rules.times.measured
    assert [len(order) for order in page.game.board.orders] == [8, 8] and page.run.isEnabled()
    assert page.figures.text().startswith("Step ") and "ms" in page.figures.text()
    # A bar of the run can be dragged like any other.
    drag(page, "1B0", (bar(page, "1F1").topLeft() + QPointF(2, 10)).toPoint())
    assert str(page.game.board.orders[1][1]) == "1B0"
    QTest.mouseClick(page.run, LEFT)
    begun = client.asked[-1]
    assert begun.verify and begun.model == asked.model.filled() and begun[SCHEDULE].endswith(".csv")
    assert (begun.devices, begun.batch) == (asked.devices, asked.batch)
    assert strategy_title(begun) == "Pipeline GPipe, edited"
    plan_of(begun)


def test_a_solution_runs_verified_and_is_shown_above_its_prediction(
    real_window, qtbot, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(
        running, "board_run", lambda board, path: board_run(board, path, width=32, rows=4)
    )
    feature = real_window.feature(BoardFeature)
    feature.open()
    feature.page.open_puzzle(shipped_puzzles()[2])
    assert not feature.page.run.isEnabled()
    place_by_mouse(feature.page, solved(3))
    qtbot.waitUntil(lambda: real_window.session.hardware is not None, timeout=60_000)
    QTest.mouseClick(feature.page.run, LEFT)
    comparing = real_window.feature(CompareFeature).comparing
    qtbot.waitUntil(lambda: comparing.other is not None, timeout=60_000)
    run = real_window.run_shown
    assert run.outcome is Outcome.FINISHED and not feature.page.isVisible()
    assert verified(run.trace).agrees
    assert comparing.other.trace.header.source is Source.PREDICTED
    title = "Pipeline One forward, one backward · MLP"
    assert run_title(run.trace).startswith(title) and title in real_window.windowTitle()
    (saved,) = (tmp_path / "bubblescope" / "boards").rglob("*.csv")
    assert saved.read_text().startswith("0F0,")
