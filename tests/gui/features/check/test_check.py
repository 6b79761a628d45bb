"""The check of the machine in the window: lines appear live, and closing it ends the process."""

import pytest
from PySide6.QtCore import Qt

from core.check.measured import ClockWidth, Contention, Failed, NotMeasured
from gui.features.check.dialog import CheckDialog
from gui.features.check.feature import CheckFeature

GOOD = ClockWidth("cpu", 45)
BUSY = Contention(0, 0.5)
MISSING = NotMeasured("GradientError", "ddp", "there was no time left")


class Client:
    def __init__(self):
        self.ready = []
        self.is_over = self.is_closed = False

    def poll(self):
        ready, self.ready = self.ready, []
        return ready

    def close(self):
        self.is_closed = True


@pytest.fixture
def process():
    return Client()


@pytest.fixture
def dialog(qtbot, process):
    made = CheckDialog(None, lambda: process)
    qtbot.addWidget(made)
    made.show()
    return made


def lines(dialog):
    items = [dialog.lines.topLevelItem(row) for row in range(dialog.lines.topLevelItemCount())]
    return [[item.text(column) for column in range(4)] for item in items]


def click(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_nothing_is_measured_before_start(dialog, process):
    assert dialog.verdict.text() == "Can this machine's timings be trusted?"
    assert lines(dialog) == []


def test_lines_appear_during_the_check_and_the_verdict_at_its_end(qtbot, dialog, process):
    click(qtbot, dialog.begin_button)
    assert dialog.begin_button.text() == "Stop" and dialog.verdict.text() == "Measuring…"
    process.ready = [GOOD, BUSY]
    dialog.refresh()
    assert [line[2] for line in lines(dialog)] == ["✓  yes", "✕  no"]
    assert dialog.about.text().startswith("2 checks made.")
    process.ready, process.is_over = [MISSING], True
    dialog.refresh()
    assert lines(dialog)[-1] == ["gradients", "ddp", "–  not measured", ""]
    assert dialog.lines.topLevelItem(2).child(0).text(0) == "there was no time left"
    assert dialog.verdict.text() == "Some times of this machine cannot be trusted; see the table."
    assert process.is_closed and dialog.begin_button.text() == "Start"


def test_a_second_check_begins_with_an_empty_table(qtbot, dialog, process):
    click(qtbot, dialog.begin_button)
    process.ready, process.is_over = [GOOD], True
    dialog.refresh()
    process.is_over = False
    click(qtbot, dialog.begin_button)
    assert lines(dialog) == []


@pytest.mark.parametrize("how", ["stop", "escape"])
def test_stop_and_escape_end_the_process(qtbot, dialog, process, how):
    click(qtbot, dialog.begin_button)
    if how == "stop":
        click(qtbot, dialog.begin_button)
    else:
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)
        assert not dialog.isVisible()
    assert process.is_closed


def test_a_failed_check_shows_its_reason(qtbot, dialog, process):
    click(qtbot, dialog.begin_button)
    process.ready, process.is_over = [Failed("torch cannot be imported")], True
    dialog.refresh()
    assert dialog.problem.isVisible() and dialog.problem.text() == "torch cannot be imported"
    assert dialog.verdict.text() == "Can this machine's timings be trusted?"


def test_the_help_menu_contains_the_check(window):
    feature = window.feature(CheckFeature)
    feature.open()
    assert feature.dialog.isVisible()
    feature.dialog.close()
