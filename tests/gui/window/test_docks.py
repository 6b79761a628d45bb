"""The panels' docks: keys and buttons bring them to the front, and titles give way to icons."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTabBar
from pytestqt.qtbot import QtBot

from core.engine.client import EngineClient
from core.recording.bookmarks import Bookmark
from gui.app.feature import Dock
from gui.app.language import speak
from gui.app.settings import Settings
from gui.features.bookmarks.panel import NOTE
from gui.features.devices.feature import DevicesFeature
from gui.features.first_page.feature import FirstPageFeature
from gui.features.first_page.samples import DISTRIBUTED, PIPELINE
from gui.features.playback.feature import PlaybackFeature
from gui.features.recordings.feature import RecordingsFeature
from gui.features.verdict.feature import VerdictFeature
from gui.window.docks import PageBook
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.sizes import share_of
from tests.gui.window.test_window import perform
from tests.make_believe import specification


def is_in_front(window: MainWindow, name: str) -> bool:
    page = window.docks.pages[name]
    at = window.childAt(page.mapTo(window, page.rect().center()))
    return page.isVisible() and at is not None and (at is page or page.isAncestorOf(at))


def tabs(window: MainWindow) -> QTabBar:
    bars = (bar for bar in window.children() if isinstance(bar, QTabBar) and bar.isVisible())
    return next(bar for bar in bars if bar.count() > 2)


def test_every_entry_of_the_view_menu_brings_its_panel_to_the_front(
    window: MainWindow, qtbot: QtBot
) -> None:
    for name in window.docks.pages:
        action = window.action(f"show_{name}")
        if is_in_front(window, name):
            continue
        action.trigger()
        qtbot.waitUntil(lambda name=name: is_in_front(window, name))
        assert action.isChecked()


def test_a_panels_keys_raise_it_or_hide_it_if_it_is_in_front(
    window: MainWindow, qtbot: QtBot
) -> None:
    keys = window.action("show_try").shortcut()
    dock = window.docks.docks[Dock.TRY]
    assert not dock.isHidden() and not is_in_front(window, "try")  # behind another tab
    QTest.keySequence(window, keys)
    qtbot.waitUntil(lambda: is_in_front(window, "try"))
    QTest.keySequence(window, keys)
    qtbot.waitUntil(dock.isHidden)


def test_a_panel_is_made_when_it_is_first_shown(window: MainWindow) -> None:
    log = window.docks.pages["log"].panel
    assert not log.made
    window.bring("log")
    assert log.made and log.widget.isVisible()


def test_a_new_window_makes_its_front_panels_and_no_others(window: MainWindow) -> None:
    made = {name for name, page in window.docks.pages.items() if page.panel.made}
    assert made == {"strategy", "devices"}


def test_runs_and_marks_from_before_their_panels_were_made_are_listed(
    window: MainWindow, client: FakeClient
) -> None:
    for _ in range(2):
        perform(window, client, specification())
    first, second = window.session.runs
    window.show_run(first)
    middle = sum(first.trace.bounds) // 2
    window.timeline.state.bookmarks.change([Bookmark(middle, None, "half")])
    runs, marks = (window.docks.pages[name].panel for name in ("runs", "marks"))
    assert not runs.made and not marks.made
    window.bring("runs")
    rows = [runs.widget.topLevelItem(place) for place in range(2)]
    assert [row.text(0) for row in rows] == [str(first.number), str(second.number)]
    assert runs.widget.currentItem() is rows[0] and window.run_shown is first
    window.bring("marks")
    assert marks.widget.list.topLevelItem(0).text(NOTE) == "half"
    assert marks.widget.steps.isHidden()  # a run of a plan has steps


def test_a_click_on_a_name_shows_another_panel_of_the_tab(window: MainWindow) -> None:
    window.bring("spans")
    spans = window.docks.pages["spans"]
    (book,) = (book for book in window.findChildren(PageBook) if book.isAncestorOf(spans))
    names = book.names
    assert names is not None and names.isVisible()
    entry = names.visualItemRect(names.findItems("SQL", Qt.MatchFlag.MatchExactly)[0])
    QTest.mouseClick(names.viewport(), Qt.MouseButton.LeftButton, pos=entry.center())
    assert is_in_front(window, "sql")


@pytest.mark.parametrize("width", [1600, 1440, 1000])
@pytest.mark.parametrize("language", ["en", "zh", "ko"])
def test_six_tabs_show_their_whole_names(
    make_window: Callable[[EngineClient, Settings], MainWindow],
    client: FakeClient,
    settings: Settings,
    qtbot: QtBot,
    qapp: QApplication,
    width: int,
    language: str,
) -> None:
    speak(qapp, language)
    try:
        window = make_window(client, settings)
        window.resize(width, 900)
        qtbot.wait(1)
        bar = tabs(window)
        assert bar.count() == 6
        for place in range(bar.count()):
            needed = bar.fontMetrics().horizontalAdvance(bar.tabText(place))
            assert bar.tabRect(place).width() >= needed
        assert bar.tabRect(bar.count() - 1).right() <= bar.width()
    finally:
        speak(qapp, "en")


def test_empty_docks_leave_the_first_page_its_room(
    window: MainWindow, client: FakeClient, qtbot: QtBot
) -> None:
    window.resize(1440, 900)
    front = window.docks.docks[Dock.DEVICES]
    qtbot.waitUntil(lambda: front.height() < 140)
    perform(window, client, specification(steps=1))
    qtbot.waitUntil(lambda: front.height() > 150)
    qtbot.wait(100)  # Qt resizes docks in several layouts
    high = front.height()
    for _ in range(2):
        window.centre.show_first_page()
        qtbot.waitUntil(lambda: front.height() < 140)
        window.centre.show_run_page()
        qtbot.waitUntil(lambda: front.height() == high)
    window.centre.show_first_page()
    window.bring("try")  # this panel has contents
    qtbot.waitUntil(lambda: window.docks.docks[Dock.TRY].height() > 150)


def test_at_the_smallest_size_the_window_keeps_to_it(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1000, 650)
    for name in window.docks.pages:
        window.bring(name)
        qtbot.wait(1)
        assert (window.width(), window.height()) == (1000, 650)
    # Wide enough for a name and its value.
    assert window.docks.docks[Dock.DETAILS].width() >= 200


def test_the_batch_is_listed_step_by_step_with_the_shown_one_marked(
    window: MainWindow, client: FakeClient, qtbot: QtBot
) -> None:
    perform(window, client, specification(
        "dp", devices="2xcpu", batch=30, data=100, steps=4, warmup=1,
    ))  # fmt: skip
    said = window.feature(DevicesFeature).batch.accessibleDescription().replace("\u00a0", " ")
    assert "step 1 to step 3: 15, 15; step 4: 5, 5" in said
    assert window.feature(DevicesFeature).devices.accessibleDescription().startswith("cpu:0: 1.")


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
        for dock in [
            again.docks.docks[Dock.DEVICES],
            *again.tabifiedDockWidgets(again.docks.docks[Dock.DEVICES]),
        ]
    )
    assert titles() == below
    again.bring("lesson")
    qtbot.waitUntil(lambda: titles() == sorted([*below, "Lesson", "Settings"]))
    again.docks.hide("lesson")
    qtbot.waitUntil(lambda: titles() == below)
    (bar,) = shown_bars()
    assert (
        bar.geometry().top() >= again.timeline.mapTo(again, again.timeline.rect().bottomLeft()).y()
    )


@pytest.mark.parametrize("size", [(1920, 1080), (1600, 1000), (1440, 900), (1000, 650)])
def test_the_timeline_has_half_of_the_window_also_while_the_first_run_plays(
    window: MainWindow, client: FakeClient, qtbot: QtBot, size: tuple[int, int]
) -> None:
    window.resize(*size)
    playback = window.feature(PlaybackFeature)
    for is_first in (True, False):  # with the second run, the tabs of runs appear
        perform(window, client, specification(devices="4xvirtual", steps=3))
        if is_first:
            playback.playing.open()  # a user's first run does this automatically
            qtbot.waitUntil(playback.bar.isVisible)
        window.action("bubble").trigger()
        qtbot.waitUntil(window.docks.docks[Dock.DETAILS].isVisible)
        qtbot.wait(50)  # Qt resizes docks in several layouts
        assert (window.width(), window.height()) == size
        assert 2 * window.timeline.height() >= size[1]
        assert share_of(window.timeline, window) + share_of(window.overview, window) >= 0.5


@pytest.mark.parametrize("size", [(1600, 1000), (1440, 900), (1000, 650)])
def test_the_timeline_has_half_of_the_window_while_one_of_several_recordings_plays(
    window: MainWindow, qtbot: QtBot, size: tuple[int, int]
) -> None:
    window.resize(*size)
    window.feature(RecordingsFeature).files.open_paths([DISTRIBUTED.path, PIPELINE.path])
    qtbot.waitUntil(lambda: window.feature(VerdictFeature).line.label.text().startswith("Step"))
    docks = window.docks.docks[Dock.DEVICES]
    before = docks.height()
    playback = window.feature(PlaybackFeature)
    playback.playing.open()
    qtbot.waitUntil(playback.bar.isVisible)
    qtbot.wait(50)  # Qt resizes docks in several layouts
    assert 2 * window.timeline.height() >= size[1]
    assert share_of(window.timeline, window) + share_of(window.overview, window) >= 0.5
    playback.bar.close_button.click()
    qtbot.waitUntil(lambda: docks.height() == before)


def test_details_of_a_low_window_have_the_height_of_the_settings(
    window: MainWindow, client: FakeClient, qtbot: QtBot
) -> None:
    window.resize(1000, 650)
    perform(window, client, specification(devices="4xvirtual", steps=3))
    window.action("bubble").trigger()
    details, settings = (window.docks.docks[dock] for dock in (Dock.DETAILS, Dock.SETTINGS))
    qtbot.waitUntil(details.isVisible)
    panel = window.docks.pages["details"].panel.widget
    # The facts below the sentence and the reasons are visible without scrolling.
    qtbot.waitUntil(lambda: not panel.table.visibleRegion().isEmpty() and panel.height() > 300)
    QTest.keyClick(window.timeline, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: details.isHidden() and not settings.visibleRegion().isEmpty())
    window.resize(1440, 900)
    window.action("bubble").trigger()
    qtbot.waitUntil(lambda: details.isVisible() and details.x() > settings.width())


def test_the_settings_are_narrow_in_a_narrow_window_and_then_as_wide_as_before(
    window: MainWindow,
    make_window: Callable[[EngineClient, Settings], MainWindow],
    client: FakeClient,
    settings: Settings,
    qtbot: QtBot,
) -> None:
    def settings_width(of: MainWindow) -> int:
        return of.docks.docks[Dock.SETTINGS].width()

    window.resize(1440, 900)
    window.resizeDocks([window.docks.docks[Dock.SETTINGS]], [300], Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: settings_width(window) == 300)
    window.resize(1000, 650)
    qtbot.waitUntil(lambda: settings_width(window) < 240)
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: settings_width(window) == 300)
    window.resize(1000, 650)
    qtbot.waitUntil(lambda: settings_width(window) < 240)
    window.close()
    again = make_window(client, settings)
    again.resize(1000, 650)
    qtbot.waitUntil(lambda: settings_width(again) < 240)
    again.resize(1440, 900)
    qtbot.waitUntil(lambda: settings_width(again) >= 240)


def test_a_new_window_has_no_tab_bar_outside_of_its_docks(
    make_window: Callable[[EngineClient, Settings], MainWindow],
    client: FakeClient,
    settings: Settings,
) -> None:
    window = make_window(client, settings)
    visible = [bar for bar in window.children() if isinstance(bar, QTabBar) and bar.isVisible()]
    inside = [bar for bar in visible if window.rect().intersects(bar.geometry())]
    assert [bar.count() for bar in inside] == [6]


def test_a_new_window_gives_the_keyboard_to_the_first_page(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1000, 650)
    page = window.feature(FirstPageFeature).page
    qtbot.waitUntil(lambda: page.verticalScrollBar().maximum() > 0)
    assert window.focusWidget() is page
    QTest.keyClick(page, Qt.Key.Key_Down)
    assert page.verticalScrollBar().value() > 0
