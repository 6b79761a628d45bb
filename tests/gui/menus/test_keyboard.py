"""The window without a mouse: a walk from the form to a figure, and a name for every control."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QTabBar,
    QTableView,
    QTreeView,
    QWidget,
)

from core.explain.lanes import Gap
from gui.app.feature import Dock
from gui.features.details.feature import DetailsFeature
from gui.features.figures.feature import FiguresFeature
from gui.features.run.feature import RunFeature
from gui.window.frame import FrameFeature
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.window.test_window import perform
from tests.make_believe import specification

CTRL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
INNER = ("qt_spinbox_lineedit", "qt_scrollarea_viewport")  # parts of widgets that have a name


def press(
    qtbot: object, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    """Press a key in the focused widget."""
    qtbot.keyClick(QApplication.focusWidget() or QApplication.activeWindow(), key, modifiers)


def press_until(qtbot: object, key: Qt.Key, reached: Callable[[], bool], most: int = 60) -> None:
    """Press a key until a condition holds."""
    for _ in range(most):
        if reached():
            return
        press(qtbot, key)
    raise AssertionError(f"{key} pressed {most} times: {QApplication.focusWidget()} has the focus")


def text_of(widget: QWidget) -> str:
    return widget.text() if isinstance(widget, QPushButton) else ""


def focused(kind: type[QWidget]) -> Callable[[], bool]:
    return lambda: isinstance(QApplication.focusWidget(), kind)


HABITS = {
    "W": "zoom_in", "S": "zoom_out", "A": "pan_left", "D": "pan_right", "F": "fit", "M": "mark",
    "/": "search", ".": "next", ",": "previous", "[": "dependency", "]": "dependent",
    "?": "sheet", "Ctrl+Z": "zoom_back", "Ctrl+Shift+Z": "zoom_forward", "Alt+Left": "zoom_back",
    "Alt+Right": "zoom_forward", "Ctrl+Shift+P": "commands", "Ctrl+Tab": "next_tab",
    "Ctrl+W": "close_tab", "B": "bubble", "Esc": "clear",
}  # fmt: skip
"""Keys that users of other timelines know, and their actions here."""


def test_keys_known_from_other_timelines_do_the_same_here(window: MainWindow) -> None:
    actions = window._menus.actions.items()
    keys = {key.toString(): name for name, action in actions for key in action.shortcuts()}
    assert {key: keys.get(key) for key in HABITS} == HABITS


@pytest.mark.parametrize(
    ("back", "forward"),
    [
        ((Qt.Key.Key_Z, CTRL), (Qt.Key.Key_Z, CTRL | Qt.KeyboardModifier.ShiftModifier)),
        ((Qt.Key.Key_Left, ALT), (Qt.Key.Key_Right, ALT)),
    ],
    ids=["Ctrl+Z", "Alt+Left"],
)
def test_both_pairs_of_keys_walk_back_and_forward_through_views(
    window: MainWindow, client: FakeClient, qtbot: object, back: tuple, forward: tuple
) -> None:
    perform(window, client, specification())
    timeline = window.timeline
    timeline.setFocus()
    views = [timeline.state.viewport]
    for key in (Qt.Key.Key_W, Qt.Key.Key_D, Qt.Key.Key_F):
        press(qtbot, key)
        views.append(timeline.state.viewport)
    assert len(set(views)) == 4
    for expected in views[-2::-1]:
        press(qtbot, *back)
        assert timeline.state.viewport == expected
    for expected in views[1:]:
        press(qtbot, *forward)
        assert timeline.state.viewport == expected


def test_keys_go_to_the_next_longest_bubble_and_back_to_the_longer_one(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    perform(window, client, specification())
    window.timeline.setFocus()
    steps, lengths, places = set(), [], []
    for _ in range(4):
        press(qtbot, Qt.Key.Key_B)
        gap = window.timeline.state.selection
        steps.add(gap.step)
        lengths.append(gap.end - gap.start)
        places.append((gap.lane, gap.start))
        view = window.timeline.state.viewport
        assert view.start <= gap.start < gap.end <= view.end
    assert len(steps) == 1  # all bubbles are in the step that was on screen at first
    assert lengths == sorted(lengths, reverse=True)
    assert len(set(places)) == 4
    assert "Bubble 4 of " in window.statusBar().currentMessage()
    press(qtbot, Qt.Key.Key_B, Qt.KeyboardModifier.ShiftModifier)
    gap = window.timeline.state.selection
    assert (gap.lane, gap.start) == places[2]


def test_asking_for_the_longest_bubble_without_a_run_shows_a_line_in_the_status_bar(
    window: MainWindow,
) -> None:
    window.action("bubble").trigger()
    assert "no run" in window.statusBar().currentMessage()


def test_a_run_is_made_explained_and_exported_without_a_mouse(
    window: MainWindow, client: FakeClient, qtbot: object, tmp_path: Path
) -> None:
    window.activateWindow()
    window.timeline.setFocus()
    press_until(
        qtbot,
        Qt.Key.Key_F6,
        lambda: window.feature(RunFeature).form.isAncestorOf(QApplication.focusWidget()),
    )
    press_until(qtbot, Qt.Key.Key_Tab, focused(QListWidget))
    press_until(
        qtbot,
        Qt.Key.Key_Up,
        lambda: window.feature(RunFeature).form.specification().strategy == "dp",
    )
    press(qtbot, Qt.Key.Key_F5)
    (asked,) = client.asked
    assert asked.strategy == "dp"
    client.perform(asked)
    while window.session.asking:
        window.session.tick()
    press(qtbot, Qt.Key.Key_B)
    gap = window.timeline.state.selection
    assert isinstance(gap, Gap)
    assert window.feature(DetailsFeature).panel.widget.isVisible()
    cause = window.feature(DetailsFeature).panel.widget.sentence.text()
    assert " waits " in cause
    assert ":" in cause
    press(qtbot, Qt.Key.Key_E, CTRL)
    panel = window.feature(FiguresFeature).exporting.panel
    qtbot.waitUntil(panel.isActiveWindow)
    press_until(qtbot, Qt.Key.Key_Tab, lambda: "Save" in text_of(QApplication.focusWidget()))
    press(qtbot, Qt.Key.Key_Space)
    dialog = panel.findChild(QFileDialog)
    qtbot.waitUntil(dialog.isActiveWindow)
    press_until(qtbot, Qt.Key.Key_Tab, focused(QLineEdit))
    press(qtbot, Qt.Key.Key_A, CTRL)
    qtbot.keyClicks(QApplication.focusWidget(), str(tmp_path / "walk.pdf"))
    press(qtbot, Qt.Key.Key_Return)
    assert (tmp_path / "walk.pdf").read_bytes().startswith(b"%PDF")
    panel.close()


def test_f6_cycles_through_all_parts_of_the_window_and_draws_a_focus_ring(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    perform(window, client, specification())
    window.timeline.setFocus()
    press(qtbot, Qt.Key.Key_B)  # shows a bubble, so that Details has something to focus
    window.bring("devices")
    window.timeline.setFocus()
    docks, ring = window.docks.docks, window.feature(FrameFeature).panes.ring
    parts = [docks[Dock.DEVICES], docks[Dock.DETAILS], docks[Dock.SETTINGS], window.timeline]
    for keys, order in (
        (Qt.KeyboardModifier.NoModifier, parts),
        (Qt.KeyboardModifier.ShiftModifier, parts[-2::-1]),
    ):
        for part in order:
            press(qtbot, Qt.Key.Key_F6, keys)
            assert part is QApplication.focusWidget() or part.isAncestorOf(
                QApplication.focusWidget()
            )
            assert ring.isVisible() and ring.mask().boundingRect() == ring.rect()
            corner = part.mapTo(window, part.rect().topLeft())
            assert (ring.pos(), ring.size()) == (corner, part.size())
            edge = window.grab().toImage().pixelColor(corner.x() + part.width() // 2, corner.y())
            assert edge == window.palette().highlight().color()
    press(qtbot, Qt.Key.Key_F6)  # from the panel below the timeline to the timeline
    QTest.mouseClick(window.timeline.viewport(), Qt.MouseButton.LeftButton)
    assert not ring.isVisible()


def _is_popup_of_a_choice(widget: QWidget) -> bool:
    """Return True for the list that a drop-down field opens; it has the field's name."""
    above = widget.parentWidget()
    return above is not None and isinstance(above.parentWidget(), QComboBox)


def nameless(root: QWidget) -> list[str]:
    """Return every widget that the keyboard reaches and that has no name for a screen reader."""
    found = []
    for widget in root.findChildren(QWidget):
        empty = isinstance(widget, QTabBar) and not widget.count()  # Qt keeps a spare one
        inner = empty or widget.objectName() in INNER or _is_popup_of_a_choice(widget)
        if widget.focusPolicy() is Qt.FocusPolicy.NoFocus or inner or isinstance(widget, QLabel):
            continue  # a label's text is its name
        interface = QAccessible.queryAccessibleInterface(widget)
        if not interface.text(QAccessible.Text.Name).strip():
            above = widget.parentWidget()
            found.append(f"{type(widget).__name__} {widget.objectName()} in {type(above).__name__}")
    return found


def test_every_control_has_a_name_for_screen_readers(
    window: MainWindow, client: FakeClient
) -> None:
    perform(window, client, specification())
    window.feature(FiguresFeature).exporting.open()
    assert nameless(window) == []
    window.feature(FiguresFeature).exporting.panel.close()


def test_screen_readers_get_every_panel_with_the_headers_of_its_tables(
    window: MainWindow, client: FakeClient
) -> None:
    perform(window, client, specification())
    tables = 0
    for name, dock in window.docks.pages.items():
        window.bring(name)
        QApplication.processEvents()
        assert nameless(dock) == [], name
        for table in dock.findChildren(QAbstractItemView):
            if not isinstance(table, QTableView | QTreeView):
                continue
            told = QAccessible.queryAccessibleInterface(table)
            heads = [
                told.child(place).text(QAccessible.Text.Name).strip()
                for place in range(told.childCount())
                if told.child(place).role() is QAccessible.Role.ColumnHeader
            ]
            assert len(heads) == table.model().columnCount(), (name, table.accessibleName())
            assert sum(map(bool, heads)) >= len(heads) - 1, heads  # bars need no header
            tables += 1
    assert tables >= 8
