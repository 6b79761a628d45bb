"""Runs and recordings as tabs: each keeps its view, and closing a tab does not stop a run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from core.engine.messages import Ended, Outcome
from core.trace.complete import measured_steps
from gui.features.board.feature import BoardFeature
from gui.features.details.feature import DetailsFeature
from gui.features.devices.feature import DevicesFeature
from gui.features.first_page.feature import FirstPageFeature
from gui.features.first_page.samples import SAMPLES
from gui.features.log.feature import LogFeature
from gui.features.palette.feature import PaletteFeature
from gui.features.recordings.feature import RecordingsFeature
from gui.features.runs.feature import RunsFeature
from gui.features.runs.tabs import KEPT_SCENES, title_of
from gui.features.status.feature import StatusFeature
from gui.look.text import duration_text
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.window.test_window import perform
from tests.make_believe import batches, record, specification

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def titles(window: MainWindow) -> list[str]:
    return [
        window.feature(RunsFeature).tabs.tabText(place)
        for place in range(window.feature(RunsFeature).tabs.count())
    ]


def drop(window: MainWindow, paths: list[Path]) -> None:
    """Drop files onto the window."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    how = Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    for event in (QDragEnterEvent(QPoint(500, 300), *how), QDropEvent(QPointF(500, 300), *how)):
        QApplication.sendEvent(window, event)


def test_each_tab_keeps_view_selection_and_history(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    perform(window, client, specification())
    first, timeline = window.run_shown, window.timeline
    begun = timeline.state.viewport
    timeline.navigator.zoom(1)
    timeline.state.select(first.trace.span(1, 3))
    left = timeline.state.viewport
    perform(window, client, specification("dp"))
    second = window.run_shown
    assert timeline.state.selection is None
    timeline.setFocus()
    qtbot.keyClick(timeline, Qt.Key.Key_Tab, CTRL)
    assert window.run_shown is first
    assert (timeline.state.viewport, timeline.state.selection) == (left, first.trace.span(1, 3))
    assert "cpu:1" in [
        window.feature(DetailsFeature).panel.widget.table.item(row, 1).text() for row in range(2)
    ]
    qtbot.keyClick(timeline, Qt.Key.Key_Z, CTRL)
    assert timeline.state.viewport == begun
    qtbot.keyClick(timeline, Qt.Key.Key_PageUp, CTRL)
    assert window.run_shown is second
    assert window.feature(RunsFeature).panel.widget.currentItem() is window.feature(
        RunsFeature
    ).panel.widget.topLevelItem(1)


def test_a_live_run_has_a_dot_until_it_ends_and_outlives_its_tab(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    perform(window, client, specification("dp"))
    header, made = batches(specification())
    window.action("run").trigger()
    client.say(header, *made[:4])
    while len(titles(window)) < 2:  # a tick handles as much as fits into its time
        window.session.tick()
    run = window.session.live
    assert [title.startswith("● ") for title in titles(window)] == [False, True]
    assert "running" in window.feature(RunsFeature).tabs.tabToolTip(1)
    qtbot.keyClick(window.timeline, Qt.Key.Key_W, CTRL)
    assert window.feature(RunsFeature).tabs.count() == 1
    assert window.session.live is run
    client.say(*made[4:], Ended(Outcome.FINISHED))
    while window.session.live is not None:
        window.session.tick()
    window.feature(RunsFeature).panel.widget.setCurrentItem(
        window.feature(RunsFeature).panel.widget.topLevelItem(1)
    )
    assert window.run_shown is run
    assert title_of(run).startswith(titles(window)[1].rstrip("…"))
    assert len(window.scene.step_numbers) == len(header.specification.all_rows)


def test_closing_the_last_tab_clears_everything_and_shows_the_first_page(
    window: MainWindow, client: FakeClient
) -> None:
    perform(window, client, specification())
    window.timeline.state.select(window.run_shown.trace.span(0, 2))
    window.action("close_tab").trigger()
    assert window.run_shown is None
    assert window.feature(FirstPageFeature).page.isVisible()
    assert window.windowTitle() == "Bubblescope"
    assert (
        window.feature(StatusFeature).bar.title.text(),
        window.feature(StatusFeature).line.recorded.text(),
    ) == ("", "")
    assert window.feature(LogFeature).panel.widget.model.rowCount() == 0
    assert window.feature(DevicesFeature).batch.scene is None
    assert window.feature(DetailsFeature).panel.widget.table.rowCount() == 0
    assert len(window.session.runs) == 1
    window.action("close_tab").trigger()  # nothing is left to close
    window.feature(RunsFeature).panel.widget.setCurrentItem(None)
    window.feature(RunsFeature).panel.widget.setCurrentItem(
        window.feature(RunsFeature).panel.widget.topLevelItem(0)
    )
    assert window.timeline.isVisible()
    assert window.run_shown is window.session.runs[0]


def test_a_tab_is_closed_by_its_button(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    perform(window, client, specification())
    perform(window, client, specification("dp"))
    button = window.feature(RunsFeature).tabs.tabButton(
        0, window.feature(RunsFeature).tabs.ButtonPosition.RightSide
    )
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.feature(RunsFeature).tabs.count() == 1
    assert window.run_shown is window.session.runs[1]


def close_button(window: MainWindow, place: int) -> QWidget:
    tabs = window.feature(RunsFeature).tabs
    return tabs.tabButton(place, tabs.ButtonPosition.RightSide)


@pytest.mark.parametrize("does", ["close another tab", "close this tab", "click this tab"])
def test_a_run_that_is_starting_comes_on_screen_whatever_happens_to_the_tabs(
    window: MainWindow, client: FakeClient, qtbot: object, does: str
) -> None:
    perform(window, client, specification())
    perform(window, client, specification("dp"))
    header, made = batches(specification("ddp"))
    window.action("run").trigger()
    client.say(header)
    window.session.tick()
    tabs = window.feature(RunsFeature).tabs
    assert window.coming is window.session.live
    if does == "click this tab":
        qtbot.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(1).center())
    else:
        place = 0 if does == "close another tab" else 1
        qtbot.mouseClick(close_button(window, place), Qt.MouseButton.LeftButton)
    assert "starting" in window.feature(StatusFeature).bar.step.text()
    client.say(*made, Ended(Outcome.FINISHED))
    while window.session.asking:
        window.session.tick()
    assert window.run_shown is window.session.runs[2]
    assert window.run_shown in tabs.runs


@pytest.mark.parametrize("place", [0, 1])
def test_the_page_in_front_stays_when_a_tab_is_closed(
    window: MainWindow, client: FakeClient, qtbot: object, place: int
) -> None:
    for strategy in ("pipeline", "dp", "ddp"):
        perform(window, client, specification(strategy))
    window.show_run(window.session.runs[1])
    window.action("first_page").trigger()
    qtbot.mouseClick(close_button(window, place), Qt.MouseButton.LeftButton)
    assert window.centre.shows_first_page
    window.feature(BoardFeature).open()
    qtbot.mouseClick(close_button(window, 0), Qt.MouseButton.LeftButton)
    assert window.feature(BoardFeature).page.isVisible()
    (left,) = window.feature(RunsFeature).tabs.runs
    assert window.run_shown is left
    window.action("close_tab").trigger()
    assert window.run_shown is None
    assert window.feature(BoardFeature).page.isVisible()


def row_spot(window: MainWindow, place: int) -> tuple[QWidget, QPoint]:
    """The Runs panel in front, and the centre of one of its rows."""
    panel = window.bring("runs")
    QApplication.processEvents()
    return panel.viewport(), panel.visualItemRect(panel.topLevelItem(place)).center()


@pytest.mark.parametrize("hides", ["close_tab", "first_page"])
@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_a_row_of_the_runs_panel_shows_its_run_again(
    window: MainWindow, client: FakeClient, qtbot: object, hides: str, by: str
) -> None:
    perform(window, client, specification())
    viewport, spot = row_spot(window, 0)
    window.action(hides).trigger()
    if by == "mouse":
        qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=spot)
    else:
        panel = viewport.parentWidget()
        panel.setFocus()
        qtbot.keyClick(panel, Qt.Key.Key_Home)
        qtbot.keyClick(panel, Qt.Key.Key_Return)
    assert window.timeline.isVisible()
    assert window.run_shown is window.session.runs[0]


def test_only_the_run_on_screen_is_marked_in_the_runs_panel(
    window: MainWindow, client: FakeClient
) -> None:
    perform(window, client, specification())
    panel = window.bring("runs")
    header, _ = batches(specification("dp"))
    window.action("run").trigger()
    client.say(header)
    window.session.tick()
    assert window.coming is not None
    assert panel.selectedItems() == [panel.topLevelItem(0)]
    window.action("close_tab").trigger()
    assert panel.selectedItems() == []


def test_only_the_latest_tabs_keep_their_sums(window: MainWindow, tmp_path: Path) -> None:
    for number in range(KEPT_SCENES + 2):
        record(specification(steps=1, warmup=0), tmp_path / f"{number}.arrow")
        window.feature(RecordingsFeature).files.open_from(tmp_path / f"{number}.arrow")
    kept = [window.feature(RunsFeature).tabs.open(run).scene for run in window.session.runs[:-1]]
    assert sum(scene is not None for scene in kept) == KEPT_SCENES
    window.show_run(window.session.runs[0])
    assert window.scene.trace is window.session.runs[0].trace


def test_several_files_are_dropped_and_one_line_names_the_bad_ones(
    window: MainWindow, tmp_path: Path
) -> None:
    good = [tmp_path / "a.arrow", tmp_path / "b.arrow"]
    for path in good:
        record(specification(steps=1), path)
    (tmp_path / "notes.txt").write_text("no recording")
    (tmp_path / "table.parquet").write_bytes(b"PAR1")
    drop(window, [good[0], tmp_path / "notes.txt", tmp_path / "table.parquet", good[1]])
    assert titles(window) == ["a.arrow", "b.arrow"]
    assert window.run_shown.source == good[1]
    text = window.banner.label.text()
    assert text.startswith("2 of 4 files cannot be opened: ")
    assert "notes.txt" in text
    assert "table.parquet" in text
    assert "\n" not in text


def test_several_files_are_opened_at_once_from_the_dialog(
    window: MainWindow, qtbot: object
) -> None:
    qtbot.keyClick(window, Qt.Key.Key_O, CTRL)
    dialog = window.findChild(QFileDialog)
    qtbot.waitUntil(dialog.isVisible)
    dialog.setDirectory(str(SAMPLES[0].path.parent))
    names = " ".join(f'"{sample.file}"' for sample in SAMPLES[:2])
    dialog.findChild(type(window.feature(PaletteFeature).palette.field)).setText(names)
    dialog.accept()
    assert sorted(titles(window)) == sorted(sample.file for sample in SAMPLES[:2])


def test_recent_files_are_listed_latest_first_and_missing_ones_can_be_removed(
    window: MainWindow, tmp_path: Path
) -> None:
    for name in ("a", "b", "gone"):
        record(specification(steps=1), tmp_path / f"{name}.arrow")
        window.feature(RecordingsFeature).files.open_from(tmp_path / f"{name}.arrow")
    window.feature(RecordingsFeature).files.open_from(tmp_path / "a.arrow")
    (tmp_path / "gone.arrow").unlink()
    window.feature(RecordingsFeature).recent.refresh()
    actions = [
        a for a in window.feature(RecordingsFeature).recent.menu.actions() if not a.isSeparator()
    ]
    assert [(action.text(), action.isEnabled()) for action in actions] == [
        ("a.arrow", True),
        ("gone.arrow (missing)", False),
        ("b.arrow", True),
        ("Remove missing files", True),
        ("Clear the list", True),
    ]
    actions[3].trigger()
    assert window.settings.recent == [tmp_path / "a.arrow", tmp_path / "b.arrow"]
    actions = window.feature(RecordingsFeature).recent.menu.actions()
    actions[1].trigger()
    assert window.run_shown.source == tmp_path / "b.arrow"


def test_the_list_of_runs_shows_the_same_median_step_as_the_verdict(
    window: MainWindow, client: FakeClient
) -> None:
    spec = specification(batch=30, split_size=5, data=100, steps=4, warmup=1)
    perform(window, client, spec)
    trace = window.run_shown.trace
    steps = [np.ptp(trace.step_bounds(step)) for step in measured_steps(trace)]
    told = window.feature(RunsFeature).panel.widget.topLevelItem(0).text(3)
    assert told == duration_text(float(np.median(steps)))
    assert told != duration_text(float(np.mean(steps)))
