"""Search, table, colours and arrows in the window itself, by its own keys and menus."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.plan.task import Kind
from core.trace.span import Span
from gui.features.spans.feature import SpansFeature
from gui.features.view.feature import ViewFeature
from gui.look.theme import DARK
from gui.timeline.state.colour_choices import ByNumber, ColourBy
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.make_believe import specification

SPEC = specification("pipeline", schedule="1f1b", microbatches=4, steps=2, warmup=0)


def shown(window: MainWindow, client: FakeClient) -> MainWindow:
    """Show a finished run in the window, and focus the timeline."""
    client.perform(SPEC)
    while window.run_shown is None or window.run_shown.live:  # a tick takes a part of the messages
        window.session.tick()
    window.timeline.setFocus()
    return window


def test_slash_searches_return_selects_and_escape_closes_the_search(
    window: MainWindow, client: FakeClient
) -> None:
    shown(window, client)
    QTest.keyClick(window.timeline, Qt.Key.Key_Slash)
    field = window.feature(SpansFeature).search.field
    assert field.hasFocus()
    QTest.keyClicks(field, "kind:backward stage:1")
    QTest.keyClick(field, Qt.Key.Key_Return)
    first = window.timeline.state.selection
    assert isinstance(first, Span)
    assert (first.kind, first.stage) == (Kind.BACKWARD, 1)
    QTest.keyClick(window.timeline, Qt.Key.Key_F3)
    assert window.timeline.state.selection.start > first.start
    QTest.keyClick(window.timeline, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert window.timeline.state.selection == first
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not window.feature(SpansFeature).search.isVisible()
    assert window.timeline.state.selection == first
    assert not window.scene.hits


def test_shortcut_letters_can_be_typed_into_the_field(
    window: MainWindow, client: FakeClient
) -> None:
    shown(window, client)
    QTest.keyClick(window.timeline, Qt.Key.Key_Slash)
    before = window.timeline.state.viewport
    QTest.keyClicks(QApplication.focusWidget(), "wasd[]f,.mb:1")
    assert window.feature(SpansFeature).search.field.text() == "wasd[]f,.mb:1"
    assert window.timeline.state.viewport == before


def test_the_table_and_the_timeline_select_each_others_span(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    shown(window, client)
    spans = window.bring("spans")
    qtbot.waitUntil(lambda: spans.model.rowCount() > 0)
    spans.table.setFocus()
    for _ in range(3):
        QTest.keyClick(spans.table, Qt.Key.Key_Down)
    chosen = spans.model.span_at(spans.table.currentIndex().row())
    assert window.timeline.state.selection == chosen
    assert spans.isVisible() and spans.table.hasFocus()
    window.timeline.setFocus()
    QTest.keyClick(window.timeline, Qt.Key.Key_Period)
    assert window.timeline.state.selection.index == chosen.index + 1
    assert spans.table.currentIndex().row() == spans.model.listing.row_of(
        chosen.lane, chosen.index + 1
    )


def test_colours_follow_the_menu_and_the_users_own_colours_are_in_every_picture(
    window: MainWindow, client: FakeClient
) -> None:
    shown(window, client)
    assert window.action("colour_by_kind").isChecked()
    window.action("colour_by_stage").trigger()
    assert window.scene.colouring == ByNumber(ColourBy.STAGE)
    assert not window.action("colour_by_kind").isChecked()
    window.action("theme").trigger()
    window.action("colours").trigger()
    assert window.feature(ViewFeature).colours.panel.isVisible()
    window.feature(ViewFeature).colours.panel.take("forward", "#aabbff")
    assert window.timeline.state.theme.forward == "#aabbff"
    assert window.timeline.state.theme.plot == DARK.plot
    window.feature(ViewFeature).colours.panel.close()
