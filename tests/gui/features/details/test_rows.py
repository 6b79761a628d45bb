"""Rows of the Details panel: the panel is as high as its rows, and columns cut no word."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.explain.lanes import Gap
from core.recording.recording import open_recording
from gui.app.language import speak
from gui.features.details.panel import DetailsPanel
from gui.features.first_page.samples import PIPELINE, REAL, Sample
from gui.timeline.state.scene import Scene

NARROW = 228  # width of the panel in a window of 1000 pixels


def shown(sample: Sample, lane: int, width: int, qtbot: QtBot) -> DetailsPanel:
    """Return a panel with the longest gap of a lane."""
    scene = Scene(open_recording(sample.path).trace)
    waits = scene.explained.step(scene.described).main_waits
    mine = waits.of_lane(lane)
    number = mine.start + int((waits.end - waits.start)[mine].argmax())
    gap = Gap(lane, scene.described, int(waits.start[number]), int(waits.end[number]), None)
    panel = DetailsPanel()
    qtbot.addWidget(panel)
    report = scene.explained.report(lane, gap.start)
    # The window makes the panel with the first selection, and then gives it its width.
    panel.show_selection(scene.trace, gap, None, report)
    panel.resize(width, 420)
    panel.show()
    panel.grab()
    QApplication.processEvents()
    return panel


@pytest.mark.parametrize(("sample", "width"), [(REAL, 186), (PIPELINE, 306)])
def test_the_last_reason_of_a_narrow_panel_is_not_cut(
    sample: Sample, width: int, qtbot: QtBot
) -> None:
    reasons = shown(sample, 1, width, qtbot).reasons
    assert reasons.rowCount() > 1
    assert reasons.viewport().height() == reasons.verticalHeader().length()


def test_a_chinese_cause_is_wrapped_before_the_name_of_a_lane_is_cut(
    qtbot: QtBot, qapp: QApplication
) -> None:
    speak(qapp, "zh")
    try:
        reasons = shown(PIPELINE, 0, NARROW, qtbot).reasons
        last = reasons.columnCount() - 1
        lane = reasons.fontMetrics().horizontalAdvance("virtual:3")
        assert reasons.columnWidth(last) >= lane + 16
    finally:
        speak(qapp, "en")
