"""The Run button says what it starts or does, and a run's settings come back into the form."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu, QToolButton

from core.engine.messages import Outcome
from core.plan.specification import Specification
from gui.app.settings import Settings
from gui.first_page.samples import DATA_PARALLEL, PIPELINE
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.window.test_window import perform
from tests.make_believe import specification

CHROME = """{"traceEvents": [{"name": "work", "ph": "X", "ts": 0, "dur": 5, "pid": 1, "tid": 1}]}"""


def run_text(window: MainWindow) -> str:
    return window.bar.findChild(QToolButton, "run").text()


def test_the_button_says_what_it_starts_and_what_is_shown_stands_apart(
    window: MainWindow, client: FakeClient
) -> None:
    perform(window, client, specification())
    window.form.choose_strategy("ddp")
    window.form.check_now()
    assert run_text(window) == "▶  Run Distributed data parallel"
    assert window.bar.title.text().startswith("Pipeline 1F1B")


def test_while_a_run_goes_on_the_button_says_what_it_does(
    window: MainWindow, client: FakeClient
) -> None:
    window.form.set_specification(Specification(schedule="gpipe", devices="2xcpu"))
    window.actions_by_name["run"].trigger()
    assert run_text(window) == "Running Pipeline GPipe"
    window.form.choose_strategy("single")
    window.form.check_now()
    assert run_text(window) == "Running Pipeline GPipe"
    client.perform(client.asked[-1], Outcome.STOPPED)
    while window.session.asking:
        window.session.tick()
    assert run_text(window) == "▶  Run Single lane"


def menu_on(qtbot: object, widget: object, at: QPoint) -> QMenu:
    """Right click, and the menu that has opened."""
    place = widget.mapToGlobal(at)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, place)
    QApplication.sendEvent(widget, event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def choose(qtbot: object, menu: QMenu, text: str) -> None:
    action = next(action for action in menu.actions() if action.text() == text)
    qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())


def test_the_settings_of_every_run_come_back_into_the_form(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    perform(window, client, specification(schedule="gpipe", microbatches=4))
    window.files.open_from(DATA_PARALLEL.path)
    window.actions_by_name["use_settings"].trigger()
    assert window.form.specification().strategy == "dp"
    first = menu_on(qtbot, window.tabs, window.tabs.tabRect(0).center())
    choose(qtbot, first, "Use this run's settings")
    asked = window.form.specification()
    assert (asked.schedule, asked.microbatches) == ("gpipe", 4)
    item = window.runs.topLevelItem(1)
    window._docks["runs"].raise_()
    there = window.runs.visualItemRect(item).center()
    choose(qtbot, menu_on(qtbot, window.runs.viewport(), there), "Use this run's settings")
    assert window.form.specification().strategy == "dp"


def test_a_recording_of_another_program_says_why_it_has_no_settings(
    window: MainWindow, tmp_path: Path
) -> None:
    window.actions_by_name["use_settings"].trigger()
    assert "No run is shown" in window.banner.label.text()
    path = tmp_path / "other.json"
    path.write_text(CHROME)
    window.files.open_from(path)
    before = window.form.specification()
    window.actions_by_name["use_settings"].trigger()
    assert "another program made it" in window.banner.label.text()
    assert window.form.specification() == before


def test_nothing_of_the_usual_form_is_below_the_fold(window: MainWindow) -> None:
    window.resize(1600, 1000)
    window.files.open_from(PIPELINE.path)
    QApplication.processEvents()
    assert window.form.verticalScrollBar().maximum() == 0
    folds = window.form.options.folds
    assert folds["advanced"].isVisible() and not folds["advanced"].isChecked()


def test_what_was_unfolded_is_unfolded_the_next_time(
    make_window: object, client: FakeClient, settings: Settings
) -> None:
    first = make_window(client, settings)
    first.form.options.folds["advanced"].click()
    first.close()
    assert make_window(FakeClient(), settings).form.options.unfolded == {"advanced"}
