"""Playback in the window, by real keys and a real mouse, on a clock that the test moves."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStyle, QStyleOptionComboBox
from pytestqt.qtbot import QtBot

from core.engine.messages import Ended, Outcome
from gui.app.settings import Settings
from gui.features.compare.feature import CompareFeature
from gui.features.first_page.samples import PIPELINE
from gui.features.playback.feature import PlaybackFeature
from gui.features.recordings.feature import RecordingsFeature
from gui.timeline.layout.frame import AXIS, LABELS
from gui.timeline.paint import playback as painting
from gui.timeline.paint.playback import lane_texts
from gui.timeline.state.selection import TimeRange
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.window.test_window import perform
from tests.make_believe import batches, record, specification

Key, Modifier = Qt.Key, Qt.KeyboardModifier
FIXTURES = Path(__file__).parents[3] / "fixtures"


class Clock:
    """A clock in seconds that the test advances."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(window: MainWindow) -> Clock:
    made = Clock()
    window.feature(PlaybackFeature).player.clock = made
    return made


@pytest.fixture
def playback(window: MainWindow, clock: Clock) -> PlaybackFeature:
    """Playback of a window that shows the sample of a pipeline."""
    show(window, PIPELINE.path)
    return window.feature(PlaybackFeature)


def show(window: MainWindow, path: Path) -> None:
    window.feature(RecordingsFeature).files.open_paths([path])
    window.timeline.setFocus()


def press(window: MainWindow, key: Key, modifier: Modifier = Modifier.NoModifier) -> None:
    QTest.keyClick(window.timeline, key, modifier)


def go_on(playback: PlaybackFeature, clock: Clock, seconds: float) -> None:
    """Let time pass as a running timer does, without waiting."""
    for _ in range(round(seconds / 0.125)):
        clock.now += 0.125
        playback.player.tick()


def colour_at(window: MainWindow, x: float, y: float) -> QColor:
    return window.timeline.viewport().grab().toImage().pixelColor(QPoint(round(x), round(y)))


def test_space_plays_a_step_in_eight_seconds_and_stops_at_its_end(
    window: MainWindow, playback: PlaybackFeature, clock: Clock
) -> None:
    player = playback.player
    press(window, Key.Key_Space)
    assert player.playing and playback.bar.isVisible()
    scene = window.scene
    assert scene is not None and scene.described is not None
    start, end = scene.trace.step_bounds(scene.described)
    assert player.length == end - start
    go_on(playback, clock, 4.0)
    assert player.time == pytest.approx(player.length / 2)
    press(window, Key.Key_Space)
    assert not player.playing
    clock.now += 5
    press(window, Key.Key_Space)
    go_on(playback, clock, 3.875)
    assert player.playing
    go_on(playback, clock, 0.25)
    assert not player.playing and player.time == player.length
    press(window, Key.Key_Space)
    assert player.playing and player.time == 0


def test_bars_fill_as_the_line_passes_and_later_bars_are_veiled(
    window: MainWindow, playback: PlaybackFeature
) -> None:
    state = window.timeline.state
    press(window, Key.Key_Space)
    press(window, Key.Key_Space)
    film = playback.playing.film
    assert film is not None and state.scene is not None
    lane = film.film.lanes[0]
    span = film.film.at(film.film.start + 1)[0].running
    first = state.scene.trace.span(lane, span)
    assert first.end is not None
    track = state.frame.layout.track_of(lane)
    y = state.frame.top + track.top + 4
    x = (state.frame.x(first.start) + state.frame.x(first.end)) / 2
    playback.player.seek(first.end - film.film.start)
    filled = colour_at(window, x, y)
    playback.player.seek(0)
    veiled = colour_at(window, x, y)
    playback.playing.close()
    plain = colour_at(window, x, y)
    assert filled == plain != veiled
    assert veiled.lightness() > plain.lightness()  # towards the background colour


def test_the_lane_names_show_work_wait_and_memory(
    window: MainWindow, playback: PlaybackFeature
) -> None:
    press(window, Key.Key_Space)
    press(window, Key.Key_Space)
    film = playback.playing.film
    assert film is not None
    moment = film.film.start + 20_300_000
    facts = lane_texts(film, moment, window.timeline._fonts())
    assert [fact.idle for fact in facts[:4]] == [
        "waits for virtual:2 · B0",
        "waits for virtual:2 · B0",
        "runs B0",
        "runs F1",
    ]
    held = [fact.peak.replace("\u00a0", " ") for fact in facts[:4]]
    assert held == ["10.5 MB", "8.13 MB", "6.82 MB", "8.93 MB"]


def test_events_are_reached_by_keys_and_an_arrow_shows_what_arrives(
    window: MainWindow, playback: PlaybackFeature, monkeypatch: pytest.MonkeyPatch
) -> None:
    press(window, Key.Key_Period, Modifier.ShiftModifier)
    film, player = playback.playing.film, playback.player
    assert film is not None and not player.playing
    assert player.time == film.film.next_event(film.film.start) - film.film.start
    for _ in range(5):
        press(window, Key.Key_Period, Modifier.ShiftModifier)
    reached = player.time
    press(window, Key.Key_Comma, Modifier.ShiftModifier)
    assert player.time == film.film.previous_event(film.film.start + reached) - film.film.start
    press(window, Key.Key_Comma, Modifier.ShiftModifier)
    press(window, Key.Key_Period, Modifier.ShiftModifier)
    press(window, Key.Key_Period, Modifier.ShiftModifier)
    assert player.time == reached
    arrival = film.film.arrivals(film.film.start, film.film.start + 6_000_000, 1)[0]
    assert drawn_arrows(window, monkeypatch, arrival.source_end) > 0
    assert drawn_arrows(window, monkeypatch, film.film.start + 1_000) == 0


def drawn_arrows(window: MainWindow, monkeypatch: pytest.MonkeyPatch, time: int) -> int:
    """Return the number of arrows that are drawn at a time in ns."""
    drawn: list[object] = []
    playback = window.feature(PlaybackFeature)
    film = playback.playing.film
    assert film is not None
    with monkeypatch.context() as patch:
        patch.setattr(painting, "draw_arrow", lambda *arguments: drawn.append(arguments))
        playback.player.seek(time - film.film.start)
        window.timeline.viewport().grab()
    return len(drawn)


def test_the_line_is_dragged_by_its_tag_and_nothing_is_selected(
    window: MainWindow, playback: PlaybackFeature
) -> None:
    press(window, Key.Key_Space)
    area, state = window.timeline.viewport(), window.timeline.state
    film = playback.playing.film
    assert film is not None
    playback.player.seek(playback.player.length / 2)
    at = QPoint(round(state.frame.x(film.film.start + playback.player.time)), round(AXIS / 2))
    QTest.mousePress(area, Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseMove(area, at + QPoint(100, 200))
    QTest.mouseRelease(area, Qt.MouseButton.LeftButton, pos=at + QPoint(100, 200))
    assert not playback.player.playing
    moved = state.viewport.time(at.x() + 100 - LABELS) - film.film.start
    assert playback.player.time == pytest.approx(moved)
    assert state.selection is None
    # Next to the line, a drag selects a range as usual.
    QTest.mousePress(area, Qt.MouseButton.LeftButton, pos=QPoint(300, 100))
    QTest.mouseMove(area, QPoint(400, 100))
    QTest.mouseRelease(area, Qt.MouseButton.LeftButton, pos=QPoint(400, 100))
    assert isinstance(state.selection, TimeRange)


def test_a_selected_range_is_played_and_loops(
    window: MainWindow, playback: PlaybackFeature, clock: Clock, qtbot: QtBot
) -> None:
    scene, player = window.scene, playback.player
    assert scene is not None and scene.described is not None
    start, end = scene.trace.step_bounds(scene.described)
    part = TimeRange(start + (end - start) // 4, start + (end - start) // 2, None)
    window.timeline.state.select(part)
    press(window, Key.Key_Space)
    assert player.length == part.end - part.start
    qtbot.mouseClick(playback.bar.loop, Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
    assert player.loops and window.action("play_loop").isChecked()
    go_on(playback, clock, 8.0)
    assert player.playing
    go_on(playback, clock, 1.0)
    assert 0 < player.time < player.length / 4


def test_a_range_over_several_steps_pauses_at_the_end_of_each_unless_it_loops(
    window: MainWindow, playback: PlaybackFeature, clock: Clock
) -> None:
    scene, player = window.scene, playback.player
    assert scene is not None
    first, second = (scene.trace.step_bounds(step) for step in scene.trace.steps[-2:])
    window.timeline.state.select(TimeRange(first[0], second[1], None))
    # The view shows less than a step: it moves on, to the second step.
    window.timeline.navigator.fit_between(first[0], sum(first) // 2)
    for end in (first[1] - first[0], second[1] - first[0]):
        press(window, Key.Key_Space)
        assert player.playing
        while player.playing:
            go_on(playback, clock, 0.125)
        assert player.time == end
    assert player.time == player.length
    player.set_loops(True)
    press(window, Key.Key_Space)
    go_on(playback, clock, 5.0)
    assert player.playing and player.time > first[1] - first[0]


def test_speeds_range_from_the_default_to_a_thousandth_of_real_time(
    window: MainWindow, playback: PlaybackFeature, clock: Clock
) -> None:
    press(window, Key.Key_Space)
    field = playback.bar.speed
    assert field.currentData() == playback.player.speed
    assert field.currentText().endswith("8 s")
    QTest.keyClick(field, Key.Key_End)
    assert playback.player.speed == 0.001
    go_on(playback, clock, 1.0)
    assert playback.player.time == pytest.approx(1e6)


def test_the_initial_speed_of_every_run_fits_into_its_field(
    window: MainWindow, playback: PlaybackFeature, qtbot: QtBot
) -> None:
    field = playback.bar.speed
    press(window, Key.Key_Space)
    short = field.currentText()
    qtbot.wait(1)  # for the layout
    show(window, FIXTURES / "predicted-without-source.arrow")
    press(window, Key.Key_Space)
    text = field.currentText()
    assert len(text) > len(short)
    qtbot.wait(1)  # for the layout
    option = QStyleOptionComboBox()
    field.initStyleOption(option)
    part = QStyle.SubControl.SC_ComboBoxEditField
    kind = QStyle.ComplexControl.CC_ComboBox
    room = field.style().subControlRect(kind, option, part, field).width()
    assert field.fontMetrics().horizontalAdvance(text) <= room


def test_playing_does_not_redraw_the_picture(
    window: MainWindow, playback: PlaybackFeature, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    press(window, Key.Key_Space)
    window.timeline.viewport().grab()
    assert window.timeline.is_drawn
    drawn = []
    monkeypatch.setattr(
        window.timeline, "_draw_picture", lambda: drawn.append(1) or window.timeline._paper
    )
    for _ in range(20):
        clock.now += 0.1
        playback.player.tick()
        window.timeline.viewport().grab()
    assert playback.player.time > 0 and not drawn


def test_the_space_bar_still_presses_a_button_that_has_the_focus(
    window: MainWindow, playback: PlaybackFeature, qtbot: QtBot
) -> None:
    loop = playback.bar.loop
    press(window, Key.Key_Space)
    window.activateWindow()
    loop.setFocus()
    qtbot.waitUntil(loop.hasFocus)
    QTest.keyClick(loop, Key.Key_Space)
    assert playback.player.loops and playback.player.playing


def test_another_run_or_step_ends_playback(window: MainWindow, playback: PlaybackFeature) -> None:
    scene = window.scene
    assert scene is not None
    press(window, Key.Key_Space)
    other = next(step for step in scene.trace.steps if step != scene.described)
    window.timeline.navigator.fit_between(*scene.trace.step_bounds(other))
    assert playback.playing.film is None and not playback.bar.isVisible()
    press(window, Key.Key_Space)
    assert playback.playing.film is not None and playback.playing.film.step == other
    show(window, FIXTURES / "ddp-circle.arrow")
    assert playback.playing.film is None and not playback.player.playing


@pytest.mark.parametrize("kind", ["imported", "predicted"])
def test_imported_traces_and_predictions_are_played(
    window: MainWindow, clock: Clock, kind: str
) -> None:
    show(window, FIXTURES / f"{kind}-without-source.arrow")
    press(window, Key.Key_Space)
    playback = window.feature(PlaybackFeature)
    assert playback.player.playing
    go_on(playback, clock, 2.0)
    assert playback.player.time == pytest.approx(2e9 * playback.player.speed)
    window.timeline.viewport().grab()


def test_a_run_that_has_ended_is_played(
    window: MainWindow, client: FakeClient, clock: Clock
) -> None:
    perform(window, client, specification())
    window.timeline.setFocus()
    press(window, Key.Key_Space)
    assert window.feature(PlaybackFeature).player.playing


def test_a_live_run_is_played_while_it_grows(
    window: MainWindow, client: FakeClient, clock: Clock
) -> None:
    spec, session = specification(steps=8), window.session
    header, made = batches(spec)
    half = len(made) // 2
    session.run(spec)
    client.say(header, *made[:half])
    while session.live is None or len(session.live.trace.steps) < 4:
        session.tick()
    window.timeline.setFocus()
    press(window, Key.Key_Space)
    playback = window.feature(PlaybackFeature)
    film, view = playback.playing.film, window.timeline.state.viewport
    assert film is not None and playback.player.playing
    client.running = False
    client.say(*made[half:], Ended(Outcome.FINISHED))
    while session.live is not None:
        session.tick()
        go_on(playback, clock, 0.125)
        window.timeline.viewport().grab()
    assert playback.playing.film is film and playback.player.playing
    assert window.timeline.state.viewport == view
    go_on(playback, clock, 8.0)
    assert not playback.player.playing and playback.player.time == playback.player.length


def test_the_first_short_run_of_a_session_plays_automatically_once(
    window: MainWindow, client: FakeClient, clock: Clock, qtbot: QtBot, tmp_path: Path
) -> None:
    assert Settings(tmp_path / "new.ini").play_first_run  # the default
    window.settings.play_first_run = True
    playback = window.feature(PlaybackFeature)
    perform(window, client, specification())
    qtbot.waitUntil(lambda: playback.player.playing)
    film = playback.playing.film
    assert film is not None and window.scene is not None
    assert film.step == window.scene.described
    perform(window, client, specification(microbatches=4))
    qtbot.wait(20)
    assert not playback.player.playing and playback.playing.film is None


@pytest.mark.parametrize(("wanted", "scale"), [(False, 1.0), (True, 100.0)])
def test_no_run_plays_automatically_if_it_is_long_or_the_option_is_off(
    window: MainWindow, client: FakeClient, clock: Clock, qtbot: QtBot, wanted: bool, scale: float
) -> None:
    if wanted:
        window.action("play_first_run").trigger()
    assert window.settings.play_first_run is wanted
    spec = specification()
    window.session.run(spec)
    client.perform(spec, scale=scale)
    while window.session.asking:
        window.session.tick()
    qtbot.wait(20)
    assert window.scene is not None and not window.feature(PlaybackFeature).player.playing


def test_without_a_run_the_window_says_that_there_is_nothing_to_play(window: MainWindow) -> None:
    window.action("play").trigger()
    assert not window.feature(PlaybackFeature).player.playing
    assert "nothing to play" in window.statusBar().currentMessage()


def test_two_compared_runs_race_on_one_clock_and_the_lead_is_shown(
    window: MainWindow, clock: Clock, tmp_path: Path
) -> None:
    for name, count in (("two", 2), ("eight", 8)):
        record(specification(microbatches=count), tmp_path / f"{name}.arrow")
    show(window, tmp_path / "two.arrow")
    comparing = window.feature(CompareFeature).comparing
    comparing.choice.open(tmp_path / "eight.arrow")
    window.timeline.setFocus()
    press(window, Key.Key_Space)
    playback = window.feature(PlaybackFeature)
    player = playback.player
    lengths = [film.length for film in player.films]
    assert len(lengths) == 2 and lengths[0] != lengths[1]
    assert player.length == max(lengths)
    player.seek(min(lengths))
    assert playback.bar.note.text() == ""
    player.seek(max(lengths))
    assert "has ended" in playback.bar.note.text()
    assert playback.playing._layer.time == player.films[0].end
    comparing.leave()
    assert playback.playing.film is None and not playback.bar.isVisible()


def test_the_view_moves_on_when_the_line_reaches_its_edge(
    window: MainWindow, playback: PlaybackFeature, clock: Clock
) -> None:
    press(window, Key.Key_Space)
    state = window.timeline.state
    film = playback.playing.film
    assert film is not None
    window.timeline.navigator.fit_between(film.film.start, film.film.start + film.film.length / 4)
    assert playback.playing.film is film
    go_on(playback, clock, 3.0)
    assert state.viewport.start < film.film.start + playback.player.time < state.viewport.end
