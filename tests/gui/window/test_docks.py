"""The panels' docks: keys and buttons bring them to the front, and titles give way to icons."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDockWidget, QTabBar
from pytestqt.qtbot import QtBot

from core.engine.client import EngineClient
from gui.app.settings import Settings
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.window.test_window import perform
from tests.make_believe import specification


def is_in_front(dock: QDockWidget) -> bool:
    window = dock.window()
    at = window.childAt(dock.mapTo(window, dock.rect().center()))
    return dock.isVisible() and at is not None and dock.isAncestorOf(at)


def tabs(window: MainWindow) -> QTabBar:
    return next(bar for bar in window.children() if isinstance(bar, QTabBar) and bar.isVisible())


def test_every_entry_of_the_view_menu_brings_its_panel_to_the_front(
    window: MainWindow, qtbot: QtBot
) -> None:
    for name, dock in window.docks.items():
        action = window.findChild(object, f"show_{name}")
        if is_in_front(dock):
            continue
        action.trigger()
        qtbot.waitUntil(lambda dock=dock: is_in_front(dock))
        assert action.isChecked()


def test_a_panels_keys_bring_it_from_behind_another_and_hide_it_when_in_front(
    window: MainWindow, qtbot: QtBot
) -> None:
    advisor = window.docks["advisor"]
    keys = window.findChild(object, "show_advisor").shortcut()
    assert not advisor.isHidden() and not is_in_front(advisor)  # behind another tab
    QTest.keySequence(window, keys)
    qtbot.waitUntil(lambda: is_in_front(advisor))
    QTest.keySequence(window, keys)
    qtbot.waitUntil(advisor.isHidden)


def test_buttons_of_the_bar_bring_their_panels_to_the_front(
    window: MainWindow, qtbot: QtBot
) -> None:
    for name in ("why", "whatif", "advisor"):
        action = window.findChild(object, f"show_{name}")
        QTest.mouseClick(window.bar.widgetForAction(action), Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda name=name: is_in_front(window.docks[name]))


@pytest.mark.parametrize(("width", "narrow"), [(1600, False), (1440, False), (1000, True)])
def test_titles_give_way_to_icons_before_they_are_cut(
    window: MainWindow, qtbot: QtBot, width: int, narrow: bool
) -> None:
    window.resize(width, 900)
    qtbot.waitUntil(lambda: tabs(window).property("narrow") is narrow)
    bar = tabs(window)
    for name in ("advisor", "devices"):  # the chosen one is no wider than there is room
        window.findChild(object, f"show_{name}").trigger()
        assert bar.tabRect(bar.count() - 1).right() <= bar.width()
    assert all(bar.tabIcon(place).isNull() is not narrow for place in range(bar.count()))
    assert bar.tabRect(bar.count() - 1).right() <= bar.width()
    assert all(bar.tabText(place) and bar.tabToolTip(place) for place in range(bar.count()))


def test_empty_docks_leave_the_first_page_its_room(
    window: MainWindow, client: FakeClient, qtbot: QtBot
) -> None:
    window.resize(1000, 650)
    front = window.docks["devices"]
    qtbot.waitUntil(lambda: front.height() < 140)
    perform(window, client, specification(steps=1))
    qtbot.waitUntil(lambda: front.height() > 100)
    high = front.height()
    for _ in range(2):
        window.centre.show_first_page()
        qtbot.waitUntil(lambda: front.height() < 140)
        window.centre.show_run_page()
        qtbot.waitUntil(lambda: front.height() == high)
    window.centre.show_first_page()
    window.docks["whatif"].raise_()  # which has something to tell
    qtbot.waitUntil(lambda: window.docks["whatif"].height() > 110)


def test_every_panel_has_an_icon_of_its_own(window: MainWindow) -> None:
    icons = {title: icon.pixmap(16).toImage() for title, icon in window._dock_tabs._icons.items()}
    assert len(icons) == len(window.docks)
    drawn = [bytes(image.constBits()) for image in icons.values()]
    assert all(drawn) and len(set(drawn)) == len(drawn)


def test_at_the_smallest_size_the_window_keeps_to_it(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1000, 650)
    for dock in window.docks.values():
        if not dock.isHidden():
            dock.raise_()
            qtbot.wait(1)
            assert (window.width(), window.height()) == (1000, 650)
    assert window.docks["details"].width() >= 200  # where a name and its value can be read


def test_the_batch_is_told_step_by_step_with_the_shown_one_marked(
    window: MainWindow, client: FakeClient, qtbot: QtBot
) -> None:
    perform(window, client, specification(
        "dp", devices="2xcpu", batch=30, data=100, steps=4, warmup=1,
    ))  # fmt: skip
    said = window.batch.accessibleDescription()
    assert "step 1 to step 3: 15, 15; step 4: 5, 5" in said
    assert window.devices.accessibleDescription().startswith("cpu:0: 1.")


def test_a_second_window_shows_each_docks_tab_once_and_over_no_other_panel(
    window: MainWindow,
    make_window: Callable[[EngineClient, Settings], MainWindow],
    client: FakeClient,
    settings: Settings,
    qtbot: QtBot,
) -> None:
    window.close()
    again = make_window(client, settings)

    def shown_bars() -> list[QTabBar]:
        bars = (bar for bar in again.children() if isinstance(bar, QTabBar) and bar.isVisible())
        return [bar for bar in bars if again.rect().intersects(bar.geometry())]

    def titles() -> list[str]:
        return sorted(bar.tabText(at) for bar in shown_bars() for at in range(bar.count()))

    below = sorted(
        dock.windowTitle()
        for dock in [again.docks["devices"], *again.tabifiedDockWidgets(again.docks["devices"])]
    )
    assert titles() == below
    again.docks["lesson"].show()
    again.docks["lesson"].raise_()
    qtbot.waitUntil(lambda: titles() == sorted([*below, "Lesson", "Settings"]))
    again.docks["lesson"].hide()
    qtbot.waitUntil(lambda: titles() == below)
    (bar,) = shown_bars()
    assert (
        bar.geometry().top() >= again.timeline.mapTo(again, again.timeline.rect().bottomLeft()).y()
    )


@pytest.mark.parametrize("size", [(1600, 1000), (1440, 900), (1000, 650)])
def test_the_timeline_has_half_of_the_windows_height(
    window: MainWindow, client: FakeClient, qtbot: QtBot, size: tuple[int, int]
) -> None:
    window.resize(*size)
    perform(window, client, specification(devices="4xvirtual", steps=3))
    qtbot.wait(50)
    assert window.height() == size[1]
    assert 2 * window.timeline.height() >= size[1]
