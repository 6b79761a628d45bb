"""One predicting process serves What if, the advisor and the Blocks panel."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.process.worker import MODULE
from gui.features.blocks.feature import BlocksFeature
from gui.features.predict.feature import PredictFeature
from gui.features.run.feature import RunFeature
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.features.blocks.test_stage_editor import JOB, drag, measure
from tests.processes import children

ANSWER_MS = 30_000

pytestmark = pytest.mark.starts_processes


def worker_processes() -> list[int]:
    """Return the ids of the worker processes that this process has started."""
    found = []
    for pid in children(os.getpid()):
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        if MODULE.encode() in command:
            found.append(pid)
    return found


def test_three_panels_are_answered_by_one_process(
    window: MainWindow, client: FakeClient, qtbot: QtBot
) -> None:
    assert worker_processes() == []
    window.feature(RunFeature).form.set_specification(JOB)
    window.bring("blocks")
    blocks = window.feature(BlocksFeature).panel.widget
    blocks.measure.click()
    measure(window, client, client.asked[-1])
    qtbot.waitUntil(lambda: "Predicted step" in blocks.predicted.text(), timeout=ANSWER_MS)
    window.bring("try")
    picture = window.feature(PredictFeature).what_if.panel.picture
    qtbot.waitUntil(lambda: picture.answer is not None, timeout=ANSWER_MS)
    window.bring("try")
    advisor = window.feature(PredictFeature).advisor.panel
    qtbot.waitUntil(lambda: advisor.model.rowCount() > 0, timeout=ANSWER_MS)
    # All three panels still work after the others have used the process.
    window.bring("blocks")
    before = blocks.predicted.text()
    drag(blocks.strip, 0, 5)
    qtbot.waitUntil(lambda: blocks.predicted.text() != before, timeout=ANSWER_MS)
    assert worker_processes() == [window.feature(PredictFeature).service.pid]
    window.close()
    assert worker_processes() == []
