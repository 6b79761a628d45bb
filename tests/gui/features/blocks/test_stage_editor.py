"""The Blocks panel: costs of blocks, and stage borders that are moved by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from core.engine.messages import Ended, Outcome
from core.models.catalogue import ModelSettings
from core.plan.balance import BlockCost
from core.plan.specification import Specification
from gui.features.blocks.feature import BlocksFeature
from gui.features.blocks.panel import BlocksPanel
from gui.features.blocks.strip import BlockStrip
from gui.features.run.feature import RunFeature
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.make_believe import MS, batches, specification

ANSWER_MS = 30_000
MB = 1_000_000
JOB = specification(devices="3xvirtual", model=ModelSettings(width=64, depth=9), batch=8, steps=1)


@pytest.fixture
def panel(window: MainWindow) -> BlocksPanel:
    """The panel in its dock, of a pipeline of three lanes."""
    window.feature(RunFeature).form.set_specification(JOB)
    window.bring("blocks")
    return window.feature(BlocksFeature).panel.widget


def measure(window: MainWindow, client: FakeClient, asked: Specification, cut: str = "") -> None:
    """Finish a run that measured its blocks: the first three take ten times as long as others."""
    settings = asked.having(balance=False)
    if cut:
        settings = settings.having(borders=cut, stages=None)
    header, rows = batches(settings)
    blocks = enumerate(header.model.blocks)
    costs = tuple(
        BlockCost(
            block.name, block.parameter_count,
            *(MS * time * (10 if place < 3 else 1) for time in (1, 2, 1, 1)), 2 * MB, MB,
        )
        for place, block in blocks
    )  # fmt: skip
    client.say(replace(header, block_costs=costs), *rows)
    client.say(Ended(Outcome.FINISHED))
    client.running = False
    window.session.tick()


def borders(window: MainWindow) -> object:
    return window.feature(RunFeature).form.specification().borders


def drag(strip: BlockStrip, border: int, block: int) -> None:
    """Move a border before another block with the mouse."""
    assert strip.cut is not None
    middle = strip.height() // 2
    begin = QPoint(round(strip.x_of(strip.cut.borders[border])), middle)
    end = QPoint(round(strip.x_of(block)), middle)
    QTest.mousePress(strip, Qt.MouseButton.LeftButton, pos=begin)
    QTest.mouseMove(strip, (begin + end) / 2)
    QTest.mouseMove(strip, end)
    QTest.mouseRelease(strip, Qt.MouseButton.LeftButton, pos=end)


def click(part: object) -> None:
    QTest.mouseClick(part, Qt.MouseButton.LeftButton)


def test_a_border_is_dragged_and_moved_by_keys_and_reset(
    window: MainWindow, panel: BlocksPanel
) -> None:
    strip = panel.strip
    assert strip.cut is not None and strip.cut.borders == (3, 6)
    assert "Measure" in panel.message.text() and not panel.balance.isEnabled()
    assert "virtual:1, 1, –, –" in panel.table.accessibleDescription()
    drag(strip, 0, 5)
    assert borders(window) == "5,6"
    drag(strip, 0, 8)  # each stage keeps at least one block
    assert borders(window) == "5,6"
    strip.setFocus()
    QTest.keyClick(strip, Qt.Key.Key_Down)
    assert "Border 2 of 2, before block" in strip.accessibleDescription()
    QTest.keyClick(strip, Qt.Key.Key_Right)
    assert borders(window) == "5,7"
    QTest.keyClick(strip, Qt.Key.Key_Up)
    QTest.keyClick(strip, Qt.Key.Key_Left)
    assert borders(window) == "4,7"
    window.resize(1000, 650)
    window.grab()
    click(panel.reset)
    assert borders(window) is None and strip.cut.borders == (3, 6)


def test_measured_blocks_are_balanced_predicted_and_run(
    window: MainWindow, panel: BlocksPanel, client: FakeClient, qtbot: object
) -> None:
    click(panel.measure)
    assert client.asked[-1].balance and client.asked[-1].steps == 1
    assert borders(window) is None
    measure(window, client, client.asked[-1])
    qtbot.waitUntil(lambda: panel.balance.isEnabled())
    assert panel.message.text() == "Measured with micro-batches of 1 row."
    qtbot.waitUntil(lambda: "Predicted step" in panel.predicted.text(), timeout=ANSWER_MS)
    click(panel.balance)
    assert borders(window) == "1,2"
    qtbot.waitUntil(lambda: " before (−" in panel.predicted.text(), timeout=ANSWER_MS)
    click(panel.by_parameters)
    assert borders(window) is None
    drag(panel.strip, 0, 1)
    QTest.keyClick(panel.limit.widget, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(panel.limit.widget, "15")
    told = panel.table.accessibleDescription().replace("\xa0", " ")
    assert "20 MB > 15 MB" in told and "30 ms, 27.8 %" in told
    click(panel.balance)
    assert borders(window) == "2,4"
    QTest.keyClick(panel.limit.widget, Qt.Key.Key_Backspace)
    click(panel.balance)
    assert "no cut of the model fits within it" in panel.predicted.text()
    window.feature(RunFeature).control.run()
    assert client.asked[-1].borders == "2,4"


def test_a_single_stage_is_balanced_as_a_single_stage(
    window: MainWindow, panel: BlocksPanel, client: FakeClient, qtbot: object
) -> None:
    form = window.feature(RunFeature).form
    form.set_specification(form.specification().having(stages=1))
    click(panel.measure)
    assert client.asked[-1].stages == 1
    measure(window, client, client.asked[-1])
    qtbot.waitUntil(lambda: panel.balance.isEnabled())
    click(panel.balance)
    assert borders(window) is None and form.specification().stages == 1


def test_the_panel_shows_the_stage_borders_of_the_measured_run(
    window: MainWindow, panel: BlocksPanel, client: FakeClient, qtbot: object
) -> None:
    click(panel.measure)
    measure(window, client, client.asked[-1], "1,2")
    qtbot.waitUntil(lambda: panel.balance.isEnabled())
    assert panel.message.text().endswith(
        "The measuring run was cut before blocks 1, 2, where times are balanced; Run will cut "
        "before 3, 6."
    )
    click(panel.balance)
    assert borders(window) == "1,2"
    assert panel.message.text() == "Measured with micro-batches of 1 row."


def test_the_panel_explains_strategies_without_stages_and_models_not_run_yet(
    window: MainWindow, panel: BlocksPanel, tmp_path: object
) -> None:
    window.feature(RunFeature).form.set_specification(specification("dp", devices="2xvirtual"))
    assert panel.message.text() == "This strategy does not cut the model into stages."
    assert not panel.measure.isEnabled() and panel.strip.cut.borders == ()
    path = tmp_path / "net.py"
    path.write_text("")
    window.feature(RunFeature).form.set_specification(replace(JOB, model=ModelSettings(str(path))))
    assert "Press Measure" in panel.message.text() and panel.measure.isEnabled()
