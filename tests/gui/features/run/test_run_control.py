"""The Run button names its action, and a run's settings return to the form."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QInputDialog,
    QLineEdit,
    QMenu,
    QMessageBox,
    QToolButton,
)

from core.engine.messages import Outcome
from core.plan.specification import Specification
from gui.app.run_names import file_name
from gui.app.settings import Settings
from gui.features.first_page.samples import DATA_PARALLEL, PIPELINE
from gui.features.recordings.feature import RecordingsFeature
from gui.features.run.feature import RunFeature
from gui.features.runs.feature import RunsFeature
from gui.features.status.feature import StatusFeature
from gui.window.frame import FrameFeature
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.window.test_window import perform
from tests.make_believe import batches, specification

CHROME = """{"traceEvents": [{"name": "work", "ph": "X", "ts": 0, "dur": 5, "pid": 1, "tid": 1}]}"""


def run_text(window: MainWindow) -> str:
    return window.feature(StatusFeature).bar.findChild(QToolButton, "run").text()


def test_the_button_names_the_next_run_and_the_title_the_run_shown(
    window: MainWindow, client: FakeClient
) -> None:
    perform(window, client, specification())
    window.feature(RunFeature).form.strategies.choose("ddp")
    window.feature(RunFeature).form.check_now()
    assert run_text(window) == "▶  Run Distributed data parallel"
    assert window.feature(StatusFeature).bar.title.text().startswith("Pipeline 1F1B")


def test_during_a_run_the_button_says_that_it_runs(window: MainWindow, client: FakeClient) -> None:
    window.feature(RunFeature).form.set_specification(
        Specification(schedule="gpipe", devices="2xcpu")
    )
    window.action("run").trigger()
    assert run_text(window) == "Running Pipeline GPipe"
    window.feature(RunFeature).form.strategies.choose("single")
    window.feature(RunFeature).form.check_now()
    assert run_text(window) == "Running Pipeline GPipe"
    client.perform(client.asked[-1], Outcome.STOPPED)
    while window.session.asking:
        window.session.tick()
    assert run_text(window) == "▶  Run Single lane"


def menu_on(qtbot: object, widget: object, at: QPoint) -> QMenu:
    """Right-click, and return the menu that opens."""
    place = widget.mapToGlobal(at)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, place)
    QApplication.sendEvent(widget, event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def choose(qtbot: object, menu: QMenu, text: str) -> None:
    action = next(action for action in menu.actions() if action.text() == text)
    qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())


def test_the_settings_of_every_run_return_to_the_form(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    perform(window, client, specification(schedule="gpipe", microbatches=4))
    window.feature(RecordingsFeature).files.open_from(DATA_PARALLEL.path)
    window.action("use_settings").trigger()
    assert window.feature(RunFeature).form.specification().strategy == "dp"
    first = menu_on(
        qtbot,
        window.feature(RunsFeature).tabs,
        window.feature(RunsFeature).tabs.tabRect(0).center(),
    )
    choose(qtbot, first, "Use this run's settings")
    asked = window.feature(RunFeature).form.specification()
    assert (asked.schedule, asked.microbatches) == ("gpipe", 4)
    item = window.feature(RunsFeature).panel.widget.topLevelItem(1)
    window.bring("runs")
    there = window.feature(RunsFeature).panel.widget.visualItemRect(item).center()
    choose(
        qtbot,
        menu_on(qtbot, window.feature(RunsFeature).panel.widget.viewport(), there),
        "Use this run's settings",
    )
    assert window.feature(RunFeature).form.specification().strategy == "dp"


def test_for_an_imported_recording_the_form_says_why_there_are_no_settings(
    window: MainWindow, tmp_path: Path
) -> None:
    window.action("use_settings").trigger()
    assert "No run is shown" in window.banner.label.text()
    path = tmp_path / "other.json"
    path.write_text(CHROME)
    window.feature(RecordingsFeature).files.open_from(path)
    before = window.feature(RunFeature).form.specification()
    window.action("use_settings").trigger()
    assert "another program made it" in window.banner.label.text()
    assert window.feature(RunFeature).form.specification() == before


def test_the_usual_form_is_visible_without_scrolling(window: MainWindow) -> None:
    window.resize(1600, 1000)
    window.feature(RecordingsFeature).files.open_from(PIPELINE.path)
    QApplication.processEvents()
    assert window.feature(RunFeature).form.verticalScrollBar().maximum() == 0
    folds = window.feature(RunFeature).form.options.folds
    assert folds["advanced"].isVisible() and not folds["advanced"].isChecked()


def test_unfolded_sections_are_unfolded_in_the_next_window(
    make_window: object, client: FakeClient, settings: Settings
) -> None:
    first = make_window(client, settings)
    first.feature(RunFeature).form.options.folds["advanced"].click()
    first.close()
    assert make_window(FakeClient(), settings).feature(RunFeature).form.options.unfolded == {
        "advanced"
    }


def type_into(qtbot: object, window: MainWindow, text: str) -> None:
    """Type a text into the open dialog, and accept it."""
    dialog = next(found for found in window.findChildren(QInputDialog) if found.isVisible())
    line = dialog.findChild(QLineEdit)
    line.selectAll()
    qtbot.keyClicks(line, text)
    qtbot.keyClick(line, Qt.Key.Key_Return)


def test_a_run_is_renamed_noted_and_deleted_by_a_right_click(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    perform(window, client, specification())
    perform(window, client, specification("dp"))
    first = window.session.runs[0]
    tab = window.feature(RunsFeature).tabs.tabRect(0).center
    choose(qtbot, menu_on(qtbot, window.feature(RunsFeature).tabs, tab()), "Rename…")
    type_into(qtbot, window, "before the change")
    assert window.feature(RunsFeature).tabs.tabText(0) == "1: before the change"
    assert window.feature(RunsFeature).panel.widget.topLevelItem(0).text(1) == "before the change"
    choose(qtbot, menu_on(qtbot, window.feature(RunsFeature).tabs, tab()), "Note…")
    type_into(qtbot, window, "the loader was slow")
    assert "the loader was slow" in window.feature(RunsFeature).tabs.tabToolTip(0)
    assert file_name(first) == "before-the-change.arrow"
    window.feature(RunsFeature).tabs.setCurrentIndex(1)
    choose(
        qtbot,
        menu_on(
            qtbot,
            window.feature(RunsFeature).tabs,
            window.feature(RunsFeature).tabs.tabRect(1).center(),
        ),
        "Delete",
    )
    assert window.session.runs == [first] and window.run_shown is first
    assert window.feature(RunsFeature).panel.widget.topLevelItemCount() == 1
    perform(window, client, specification("dp"))
    assert window.session.runs[-1].number == 3


def test_a_run_under_way_is_not_deleted(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    window.action("run").trigger()
    header, made = batches(specification())
    client.say(header, *made[:2])
    window.session.tick()
    menu = menu_on(qtbot, window.feature(RunsFeature).panel.widget.viewport(), QPoint(20, 10))
    delete = next(action for action in menu.actions() if action.text() == "Delete")
    assert not delete.isEnabled()
    menu.close()


def test_a_recording_is_offered_a_name_made_of_its_run(
    window: MainWindow, client: FakeClient
) -> None:
    perform(window, client, specification())
    window.action("save").trigger()
    dialog = window.findChild(QFileDialog)
    (path,) = dialog.selectedFiles()
    assert Path(path).name == "pipeline-1f1b-mlp-2-lanes-batch-64.arrow"
    dialog.reject()


def test_closing_asks_once_about_unsaved_runs(
    window: MainWindow, client: FakeClient, qtbot: object, tmp_path: Path
) -> None:
    perform(window, client, specification())
    perform(window, client, specification())
    window.action("quit").trigger()
    box = window.findChild(QMessageBox)
    assert box.text() == "2 runs are not saved."
    box.button(QMessageBox.StandardButton.Cancel).click()
    assert window.isVisible()
    window.feature(FrameFeature).leaving.save_all(tmp_path)
    assert not window.isVisible()
    assert len(list(tmp_path.glob("pipeline-1f1b*.arrow"))) == 2


def test_closing_without_unsaved_runs_asks_nothing(window: MainWindow) -> None:
    window.feature(RecordingsFeature).files.open_from(PIPELINE.path)
    window.action("quit").trigger()
    assert not window.isVisible()
