"""Boards that really run: saved as a schedule, verified, and shown above their prediction."""

from PySide6.QtTest import QTest

from core.board.puzzle import shipped_puzzles
from core.board.saving import board_run
from core.engine.messages import Outcome
from core.trace.source import Source
from core.trace.verified import verified
from gui.features.board import running
from gui.features.board.feature import BoardFeature
from gui.features.compare.feature import CompareFeature
from tests.core.board.test_puzzle import solved
from tests.gui.features.board.test_board import LEFT


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
    feature.page.game.begin(solved(3), feature.page.game.puzzle)
    qtbot.waitUntil(lambda: real_window.session.hardware is not None, timeout=60_000)
    QTest.mouseClick(feature.page.run, LEFT)
    comparing = real_window.feature(CompareFeature).comparing
    qtbot.waitUntil(lambda: comparing.other is not None, timeout=60_000)
    run = real_window.run_shown
    assert run.outcome is Outcome.FINISHED and not feature.page.isVisible()
    assert verified(run.trace).agrees
    assert comparing.other.trace.header.source is Source.PREDICTED
    (saved,) = (tmp_path / "bubblescope" / "boards").iterdir()
    assert saved.read_text().startswith("0F0,")
