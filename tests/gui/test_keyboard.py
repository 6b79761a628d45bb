"""The window without a mouse: a walk from the form to a figure, and a name for every control."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from core.explain.lanes import Gap
from core.plan.strategies import STRATEGIES
from gui.panels.cards import Card
from gui.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.test_window import perform
from tests.make_believe import specification

DP = STRATEGIES["dp"].title
CTRL = Qt.KeyboardModifier.ControlModifier
INNER = ("qt_spinbox_lineedit", "qt_scrollarea_viewport")  # parts of widgets that have a name


def press(
    qtbot: object, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    """Press a key where the focus is."""
    qtbot.keyClick(QApplication.focusWidget() or QApplication.activeWindow(), key, modifiers)


def press_until(qtbot: object, key: Qt.Key, reached: Callable[[], bool], most: int = 60) -> None:
    """Press a key until something is so."""
    for _ in range(most):
        if reached():
            return
        press(qtbot, key)
    raise AssertionError(f"{key} pressed {most} times: {QApplication.focusWidget()} has the focus")


def text_of(widget: QWidget) -> str:
    return widget.text() if isinstance(widget, QPushButton) else ""


def focused(kind: type[QWidget]) -> Callable[[], bool]:
    return lambda: isinstance(QApplication.focusWidget(), kind)


def test_a_run_is_made_explained_and_exported_without_a_mouse(
    window: MainWindow, client: FakeClient, qtbot: object, tmp_path: Path
) -> None:
    window.activateWindow()
    window.timeline.setFocus()
    press_until(qtbot, Qt.Key.Key_F6, lambda: window.form.isAncestorOf(QApplication.focusWidget()))
    press_until(qtbot, Qt.Key.Key_Tab, focused(Card))
    press_until(qtbot, Qt.Key.Key_Down, lambda: QApplication.focusWidget().text() == DP)
    press(qtbot, Qt.Key.Key_Space)
    press(qtbot, Qt.Key.Key_F5)
    (asked,) = client.asked
    assert asked.strategy == "dp"
    client.perform(asked)
    while window.session.asking:
        window.session.tick()
    press(qtbot, Qt.Key.Key_B)
    gap = window.timeline.selection
    assert isinstance(gap, Gap)
    assert window.details.isVisible()
    cause = window.details.sentence.text()
    assert " waits " in cause
    assert ":" in cause
    press(qtbot, Qt.Key.Key_E, CTRL)
    panel = window.exporting.panel
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


def _is_popup_of_a_choice(widget: QWidget) -> bool:
    """Whether it is the list that a drop-down field opens, which has the field's name."""
    above = widget.parentWidget()
    return above is not None and isinstance(above.parentWidget(), QComboBox)


def nameless(root: QWidget) -> list[str]:
    """Every widget that the keyboard reaches and a screen reader could not name."""
    found = []
    for widget in root.findChildren(QWidget):
        inner = widget.objectName() in INNER or _is_popup_of_a_choice(widget)
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
    for dock in window._docks.values():
        dock.show()
    window.exporting.open()
    assert nameless(window) == []
    window.exporting.panel.close()
