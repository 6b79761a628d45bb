"""Every menu and the palette, opened again and again while runs are added and removed.

SOAK_SECONDS says for how long (3); the order is drawn from a seed, which a failure reports.
"""

from __future__ import annotations

import gc
import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from shiboken6 import isValid, ownedByPython

from gui.app.settings import Settings
from gui.features.compare.chooser import other_of
from gui.features.compare.feature import CompareFeature
from gui.features.keys.feature import KeysFeature
from gui.features.palette.feature import PaletteFeature
from gui.features.recordings.feature import RecordingsFeature
from gui.features.runs.feature import RunsFeature
from gui.features.status.feature import StatusFeature
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.window.test_window import perform
from tests.make_believe import record, specification

SECONDS = float(os.environ.get("SOAK_SECONDS", "3"))
MOST_RUNS = 30  # more runs would need memory and add no other menus
SPEC = specification(steps=1, warmup=0)


class Sitting:
    """Actions of a user in a window, one at a time."""

    def __init__(self, window: MainWindow, client: FakeClient, folder: Path, seed: int) -> None:
        self.window, self.client, self.folder = window, client, folder
        self.drawn = random.Random(seed)
        self.things: list[Callable[[], None]] = [
            self.open_menus, self.open_palette, self.choose_recent, self.clear_recent,
            self.run, self.open_file, self.turn_tabs, self.close_tab, self.compare,
            self.change_theme, self.toggle_docks, self.ask_for_panels, self.show_sheet,
        ]  # fmt: skip

    def do_something(self) -> None:
        self.drawn.choice(self.things)()
        settle()

    def menus(self) -> list[QMenu]:
        found = []
        waiting = [action.menu() for action in self.window.menuBar().actions()]
        while waiting:
            menu = waiting.pop()
            if menu is not None:
                found.append(menu)
                waiting += [action.menu() for action in menu.actions()]
        return found

    def open_menus(self) -> None:
        for menu in self.menus():
            menu.popup(self.window.mapToGlobal(QPoint(50, 50)))
            QApplication.processEvents()
            assert menu.isVisible() and menu.actions(), menu.title()
            menu.close()

    def open_palette(self) -> None:
        palette = self.window.feature(PaletteFeature).palette
        palette.toggle()
        assert palette.isVisible() and palette.list.topLevelItemCount() > 50
        QTest.keyClicks(palette.field, self.drawn.choice(["fit", "recent", "zzz", "theme", "s"]))
        if self.drawn.random() < 0.5:
            QTest.keyClick(palette.field, Qt.Key.Key_Escape)
        else:
            palette.toggle()
        assert not palette.isVisible()

    def recent(self) -> list[QAction]:
        menu = next(menu for menu in self.menus() if "recent" in menu.title())
        menu.popup(QPoint(0, 0))
        menu.close()
        return [action for action in menu.actions() if not action.isSeparator()]

    def choose_recent(self) -> None:
        files = [action for action in self.recent()[:-1] if action.isEnabled()]
        if files:
            self.drawn.choice(files).trigger()

    def clear_recent(self) -> None:
        self.window.settings.remember(self.folder / "gone.arrow")
        for action in self.recent()[-2:]:
            if isValid(action):  # the first action may have deleted the second
                action.trigger()

    def run(self) -> None:
        if len(self.window.session.runs) < MOST_RUNS:
            # While a lesson is shown, Run starts its step in place of the form's settings.
            self.window.hide_panel("lesson")
            perform(self.window, self.client, SPEC)

    def open_file(self) -> None:
        if len(self.window.session.runs) < MOST_RUNS:
            self.window.feature(RecordingsFeature).files.open_from(self.folder / "run.arrow")

    def turn_tabs(self) -> None:
        self.window.feature(RunsFeature).tabs.step(1)

    def close_tab(self) -> None:
        self.window.feature(RunsFeature).tabs.close_current()

    def compare(self) -> None:
        window, runs = self.window, self.window.session.runs
        if window.run_shown is None or len(runs) < 2:
            return
        if window.feature(CompareFeature).comparing.other is None:
            window.feature(CompareFeature).comparing.begin(other_of(self.drawn.choice(runs)))
        else:
            window.feature(CompareFeature).comparing.leave()

    def change_theme(self) -> None:
        self.window.action("theme").trigger()

    def toggle_docks(self) -> None:
        for dock in self.drawn.sample(list(self.window.docks.docks.values()), 3):
            dock.toggleViewAction().trigger()

    def ask_for_panels(self) -> None:
        """Right-click on a bar, and close the menu of docks and bars, which Qt then deletes."""
        at = QPoint(5, 5)
        bar: QWidget = self.window.feature(StatusFeature).bar
        asked = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, bar.mapToGlobal(at))
        QApplication.sendEvent(bar, asked)
        popup = QApplication.activePopupWidget()
        if popup is not None:
            popup.close()

    def show_sheet(self) -> None:
        self.window.feature(KeysFeature).toggle()


def settle() -> None:
    """Let Qt and Python delete the objects that nothing uses any more."""
    QApplication.processEvents()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()


def test_every_qt_object_of_a_window_has_an_owner(
    make_window: Callable[[FakeClient, Settings], MainWindow],
    client: FakeClient,
    settings: Settings,
) -> None:
    settle()
    before = {id(each) for each in gc.get_objects() if issubclass(type(each), QObject)}
    window = make_window(client, settings)
    settle()
    made = [
        each
        for each in gc.get_objects()
        if issubclass(type(each), QObject) and id(each) not in before
    ]
    assert len(made) > 300
    alone = {type(each).__name__ for each in made if isValid(each) and each.parent() is None}
    assert alone <= {
        "MainWindow",
        "Session",
        "QSettings",
        "QListView",
        "QWindow",
    }  # owned by the application or by Qt
    menus = [action.menu() for action in window.menuBar().actions()]
    assert menus and not any(map(ownedByPython, menus))


@pytest.mark.timeout(SECONDS * 3 + 120)
def test_menus_and_palette_still_open_after_a_long_session(
    window: MainWindow, client: FakeClient, tmp_path: Path
) -> None:
    record(SPEC, tmp_path / "run.arrow")
    seed = int(os.environ.get("SOAK_SEED", random.randrange(1 << 30)))
    sitting, end, count = Sitting(window, client, tmp_path, seed), time.monotonic() + SECONDS, 0
    print(f"seed {seed}")
    while time.monotonic() < end or count < len(sitting.things):
        sitting.do_something()
        count += 1
    sitting.open_menus()
    sitting.open_palette()
    held = [window.feature(StatusFeature).bar._progress_action, *window._menus.actions.values()]
    assert all(map(isValid, held))
    window.feature(StatusFeature).bar.set_asking(True)
    window.feature(StatusFeature).bar.set_asking(False)
