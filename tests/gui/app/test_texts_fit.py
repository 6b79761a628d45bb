"""No text is cut in any language at any window size; shortened texts have tooltips."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QStyle,
    QStyleOptionComboBox,
    QTabBar,
    QToolButton,
    QWidget,
)

from gui.app.language import LOCALES, SOURCE, speak
from gui.app.settings import Settings
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.pictures import until
from tests.gui.window.test_window import MakeWindow, perform
from tests.make_believe import specification

SIZES = ((1000, 650), (1600, 1000), (3840, 2160))
"""Sizes in logical pixels; 3840x2160 at scale 2 is 1920x1080, which is in between."""


@pytest.fixture(params=[SOURCE, *LOCALES])
def spoken(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[str]:
    """Switch to each language of the window."""
    speak(qapp, request.param)
    yield request.param
    speak(qapp, SOURCE)


def test_no_text_is_cut(
    spoken: str, make_window: MakeWindow, settings: Settings, client: FakeClient
) -> None:
    window = make_window(client, settings)
    window.show()
    window.session.start()
    window.session.tick()
    found = {f"first page {size}: {cut}" for size in SIZES for cut in _cut_at(window, size)}
    perform(window, client, specification(steps=3, verify=True))
    until(lambda: not window.showing.figures.runner.running)
    window.action("bubble").trigger()
    for size in SIZES:
        for name in window.docks.pages:
            window.bring(name)
            found |= {f"{name} {size}: {cut}" for cut in _cut_at(window, size)}
    assert sorted(found) == []


def _cut_at(window: MainWindow, size: tuple[int, int]) -> list[str]:
    window.resize(*size)
    for _ in range(20):  # a wrapped line reports its height late
        QCoreApplication.processEvents()
        found = [cut for w in window.findChildren(QWidget) if w.isVisible() for cut in _cut(w)]
        if not found:
            break
    return found


def _cut(widget: QWidget) -> Iterator[str]:
    """Yield texts that do not fit into a widget and that no tooltip shows completely."""
    match widget:
        case QLabel() if widget.textFormat() == Qt.TextFormat.PlainText:
            needed = widget.heightForWidth(widget.width()) if widget.wordWrap() else 0
            wide = 0 if widget.wordWrap() else widget.minimumSizeHint().width()
            if needed > widget.height() + 1 or wide > widget.width() + 1:
                yield from _unsaid(widget.text(), widget.toolTip())
        case QToolButton() if widget.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly:
            pass
        case QAbstractButton():
            if widget.text() and widget.sizeHint().width() > widget.width() + 1:
                yield from _unsaid(widget.text(), widget.toolTip())
        case QComboBox() if not widget.isEditable():
            text = widget.currentText()
            if widget.fontMetrics().horizontalAdvance(text) > _room_for_text(widget):
                yield from _unsaid(text, widget.toolTip())
        case QTabBar():
            for n in range(widget.count()):
                room = widget.tabRect(n).width()
                if widget.fontMetrics().horizontalAdvance(widget.tabText(n)) > room:
                    yield from _unsaid(widget.tabText(n), widget.tabToolTip(n))
        case QHeaderView():
            yield from _cut_heads(widget)


def _room_for_text(box: QComboBox) -> int:
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    kind, field = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
    return box.style().subControlRect(kind, option, field, box).width()


def _cut_heads(heads: QHeaderView) -> Iterator[str]:
    if heads.orientation() != Qt.Orientation.Horizontal:
        return
    model, role = heads.model(), Qt.ItemDataRole.ToolTipRole
    for n in range(heads.count()):
        text = str(model.headerData(n, heads.orientation()) or "")
        widest = max(map(heads.fontMetrics().horizontalAdvance, text.split("\n")))
        if not heads.isSectionHidden(n) and widest > heads.sectionSize(n):
            yield from _unsaid(text, str(model.headerData(n, heads.orientation(), role) or ""))


def _unsaid(text: str, tip: str) -> Iterator[str]:
    if text not in tip:
        yield f"{text!r}"
