"""The first page: samples, things to try and recent files, by mouse and by keys."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QToolButton

from core.engine.messages import Ended, Outcome
from core.lessons.lesson import read_lesson, shipped
from core.plan.specification import Specification
from core.recording.recording import open_recording
from gui.app.run import Run
from gui.app.settings import Settings
from gui.features.compare.feature import CompareFeature
from gui.features.details.feature import DetailsFeature
from gui.features.first_page.card import Card
from gui.features.first_page.card_grid import cards_across
from gui.features.first_page.feature import FirstPageFeature
from gui.features.first_page.samples import PIPELINE, SAMPLES, preset
from gui.features.first_page.thumbnail import PARTS, thumbnail_of
from gui.features.first_page.welcome import FIRST_ACTIONS
from gui.features.recordings.feature import RecordingsFeature
from gui.features.run.feature import RunFeature
from gui.features.run.queue import RunQueue
from gui.features.runs.feature import RunsFeature
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.window.test_window import perform
from tests.make_believe import record, specification, trace_of

MakeWindow = Callable[[FakeClient, Settings], MainWindow]


def try_card(window: MainWindow, name: str) -> Card:
    """The card of an action in FIRST_ACTIONS."""
    title = next(title for known, title, _ in FIRST_ACTIONS if known == name)
    page = window.feature(FirstPageFeature).page
    return next(card for card in page.cards if card.text() == title)


def finish(window: MainWindow, client: FakeClient) -> None:
    """Perform the run that was asked for last, and take all its messages."""
    client.perform(client.asked[-1])
    window.session.tick()
    while window.session.backlog_s:
        window.session.tick()


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.file)
def test_every_sample_exists_and_is_complete(sample: object) -> None:
    opened = open_recording(sample.path)
    assert opened.warning == ""
    assert opened.trace.span_count > 100


@pytest.mark.parametrize("name", ["gpipe", "1f1b"])
def test_the_presets_are_pipelines_of_their_schedule(name: str) -> None:
    made = preset(name)
    assert (made.strategy, made.schedule) == ("pipeline", name)


def test_the_page_replaces_the_empty_timeline(window: MainWindow) -> None:
    assert window.feature(FirstPageFeature).page.isVisible()
    assert not window.timeline.isVisible()
    window.feature(RecordingsFeature).files.open_from(PIPELINE.path)
    assert window.timeline.isVisible()
    window.action("first_page").trigger()
    assert window.feature(FirstPageFeature).page.isVisible()
    window.feature(RunsFeature).tabs.tabBarClicked.emit(0)
    assert window.timeline.isVisible()


def test_the_timeline_shows_why_a_run_waits_and_a_refusal_restores_the_page(
    window: MainWindow, client: FakeClient
) -> None:
    window.action("run").trigger()
    assert window.timeline.isVisible()
    assert "Preparing" in window.timeline.waiting
    client.say(Ended(Outcome.REFUSED, "no memory for that"))
    window.session.tick()
    assert window.feature(FirstPageFeature).page.isVisible()
    assert window.banner.label.text() == "no memory for that"


def test_a_sample_is_opened_by_keys_only(window: MainWindow, qtbot: object) -> None:
    count = len(shipped())
    last_lesson, card = window.feature(FirstPageFeature).page.cards[count - 1 : count + 1]
    last_lesson.setFocus()
    qtbot.keyClick(last_lesson, Qt.Key.Key_Tab)
    qtbot.waitUntil(card.hasFocus)
    qtbot.keyClick(card, Qt.Key.Key_Space)
    assert window.run_shown.source == SAMPLES[0].path


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_a_card_is_chosen_by_every_usual_key(
    window: MainWindow, key: Qt.Key, qtbot: object
) -> None:
    card = next(
        c for c in window.feature(FirstPageFeature).page.cards if c.text() == "Compare DP with DDP"
    )
    card.setFocus()
    qtbot.keyClick(card, key)
    qtbot.waitUntil(lambda: window.feature(CompareFeature).comparing.two is not None)


def test_the_longest_bubble_can_be_tried(window: MainWindow) -> None:
    card = next(
        c for c in window.feature(FirstPageFeature).page.cards if c.text() == FIRST_ACTIONS[1][1]
    )
    card.click()
    gap = window.timeline.state.selection
    assert gap.end - gap.start > 5_000_000
    assert " waits " in window.feature(DetailsFeature).panel.widget.sentence.text()
    assert "Longest bubble" in window.statusBar().currentMessage()


def test_two_schedules_run_one_after_the_other_and_are_compared(
    window: MainWindow, client: FakeClient
) -> None:
    window.feature(FirstPageFeature).page.tried.emit("schedules")
    for _ in range(2):
        client.perform(client.asked[-1])
        window.session.tick()
        while window.session.live is not None:
            window.session.tick()
    assert [asked.schedule for asked in client.asked] == ["gpipe", "1f1b"]
    assert window.feature(RunsFeature).tabs.count() == 2
    assert not window.session.asking
    assert window.feature(CompareFeature).comparing.other is not None


def test_schedules_are_not_started_during_another_run(
    window: MainWindow, client: FakeClient
) -> None:
    form = window.feature(RunFeature).form
    form.set_specification(specification(steps=1))
    window.action("run").trigger()
    window.action("first_page").trigger()
    try_card(window, "schedules").click()
    assert form.specification().steps == 1
    assert "A run is under way" in window.banner.label.text()
    finish(window, client)
    assert len(client.asked) == 1
    assert not window.session.asking
    assert window.feature(CompareFeature).comparing.other is None


def test_a_second_click_during_the_first_schedule_starts_nothing_and_stops_nothing(
    window: MainWindow, client: FakeClient
) -> None:
    for _ in range(2):
        window.action("first_page").trigger()
        try_card(window, "schedules").click()
    for _ in range(2):
        finish(window, client)
    assert [asked.schedule for asked in client.asked] == ["gpipe", "1f1b"]
    assert not window.session.asking
    assert window.feature(CompareFeature).comparing.other is not None


@pytest.mark.parametrize("outcome", [Outcome.STOPPED, Outcome.FAILED])
def test_queued_runs_are_dropped_when_a_run_does_not_finish(outcome: Outcome) -> None:
    started: list[Specification] = []

    def start(wanted: Specification) -> bool:
        started.append(wanted)
        return True

    ended: list[list[Run]] = []
    queue = RunQueue(start)
    queue.run([preset("gpipe"), preset("1f1b")], ended.append)
    queue.end(Run(1, trace_of(specification(steps=1)), outcome=outcome))
    queue.end(Run(2, trace_of(specification(steps=1)), outcome=Outcome.FINISHED))
    assert started == [preset("gpipe")]
    assert ended == []


def test_recent_files_are_listed_and_a_missing_one_is_marked_and_removed(
    make_window: MakeWindow, settings: Settings, tmp_path: Path, qtbot: object
) -> None:
    record(specification(steps=1), tmp_path / "here.arrow")
    for name in ("here.arrow", "gone.arrow"):
        settings.remember(tmp_path / name)
    window = make_window(FakeClient(), settings)
    buttons = {
        b.accessibleName(): b
        for b in window.feature(FirstPageFeature).page.findChildren(QToolButton)
    }
    assert not buttons["Open gone.arrow"].isEnabled()
    buttons["Remove gone.arrow from the list"].click()
    assert settings.recent == [tmp_path / "here.arrow"]
    card = next(
        c
        for c in window.feature(FirstPageFeature).page.cards
        if c.accessibleName() == "Open here.arrow"
    )
    qtbot.waitUntil(lambda: card.thumbnail is not None)
    assert card.thumbnail == thumbnail_of(open_recording(tmp_path / "here.arrow").trace)
    card.click()
    assert window.run_shown.source == tmp_path / "here.arrow"


def test_unsaved_runs_have_cards_with_their_pictures(
    window: MainWindow, client: FakeClient, tmp_path: Path, qtbot: object
) -> None:
    for steps in (1, 2, 3, 4):
        perform(window, client, specification(steps=steps))
    runs = window.session.runs
    window.action("first_page").trigger()
    page = window.feature(FirstPageFeature).page
    cards = {card.accessibleName(): card for card in page.cards}
    shown = [name for name in cards if name.startswith("Show ")]
    assert [name[5:7] for name in shown] == ["4:", "3:", "2:"]
    qtbot.waitUntil(lambda: cards[shown[0]].thumbnail is not None)
    assert cards[shown[0]].thumbnail == thumbnail_of(runs[3].trace)
    cards[shown[1]].click()
    assert window.run_shown is runs[2] and window.timeline.isVisible()
    runs[3].save(tmp_path / "saved.arrow")
    window.action("first_page").trigger()
    names = [card.accessibleName() for card in page.cards]
    assert not [name for name in names if name.startswith("Show 4:")]


def test_the_card_of_a_deleted_run_disappears(window: MainWindow, client: FakeClient) -> None:
    for steps in (1, 2):
        perform(window, client, specification(steps=steps))
    window.action("first_page").trigger()
    window.feature(RunsFeature).menu.remove(window.session.runs[0])
    page = window.feature(FirstPageFeature).page
    assert page.isVisible()
    names = [card.accessibleName() for card in page.cards]
    assert [name[5:7] for name in names if name.startswith("Show ")] == ["2:"]


def test_a_trace_without_steps_has_a_picture_of_the_whole_trace(tmp_path: Path) -> None:
    events = []
    for n in range(5000):
        events.append({"ph": "X", "pid": 1, "tid": 1, "name": "work", "ts": 2 * n, "dur": 1.9})
    events.append({"ph": "X", "pid": 1, "tid": 1, "name": "late", "ts": 20_000, "dur": 5_000})
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"traceEvents": events}))
    thumbnail = thumbnail_of(open_recording(path).trace)
    assert thumbnail is not None and 1 <= len(thumbnail.bars) <= 5
    assert max(bar.end for bar in thumbnail.bars) == PARTS


def test_every_lesson_and_sample_has_a_card_with_its_picture(window: MainWindow) -> None:
    cards = window.feature(FirstPageFeature).page.cards
    for path, card in zip([*shipped(), *(one.path for one in SAMPLES)], cards, strict=False):
        assert card.thumbnail is not None and len(card.thumbnail.bars) >= 4
        if path.suffix == ".arrow":
            assert card.thumbnail == thumbnail_of(open_recording(path).trace)
        else:
            lanes = read_lesson(path).steps[0].runs[-1].devices
            assert lanes == f"{card.thumbnail.lanes}xvirtual"


@pytest.mark.parametrize(
    ("count", "width", "across"), [(6, 1180, 6), (6, 900, 3), (4, 700, 2), (3, 100, 1), (0, 500, 1)]
)
def test_all_rows_of_cards_have_the_same_length(count: int, width: int, across: int) -> None:
    assert cards_across(count, width) == across


def test_nothing_is_cut_off_in_a_small_window(window: MainWindow) -> None:
    window.resize(1024, 700)
    assert (window.width(), window.height()) == (1024, 700)
    sheet, page = (
        window.feature(FirstPageFeature).page.widget(),
        window.feature(FirstPageFeature).page.viewport(),
    )
    assert sheet.width() <= page.width()
    for card in window.feature(FirstPageFeature).page.cards:
        assert card.height() >= card.heightForWidth(card.width())
    last = window.feature(FirstPageFeature).page.cards[-1]
    window.feature(FirstPageFeature).page.ensureWidgetVisible(last)
    assert page.rect().contains(last.mapTo(page, last.rect().center()))


@pytest.mark.parametrize("size", [(1000, 650), (1600, 1000), (3840, 2160)])
def test_the_cards_are_centred_in_the_available_space(
    window: MainWindow, size: tuple[int, int]
) -> None:
    window.resize(*size)
    whole, cards = (
        window.feature(FirstPageFeature).page.widget(),
        window.feature(FirstPageFeature).page.cards,
    )
    sheet = cards[0].parentWidget().parentWidget()
    title = sheet.findChild(QLabel, "welcome")
    assert abs(sheet.geometry().center().x() - whole.rect().center().x()) <= 1
    above = title.mapTo(whole, title.rect().topLeft()).y()
    last = sheet.findChildren(QLabel)[-1]
    below = whole.height() - last.mapTo(whole, last.rect().bottomLeft()).y()
    assert abs(above - below) <= 4
