"""Figures of a live run are refreshed one after the other, between its frames."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gui.app import jobs, live_figures
from gui.app.live_figures import LiveFigures


@pytest.fixture
def done() -> list[str]:
    return []


@pytest.fixture
def live(done: list[str], qapp: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveFigures]:
    """Return figures that are always due, and whose slices end with every part."""
    monkeypatch.setattr(jobs, "SLICE_S", 0.0)
    monkeypatch.setattr(live_figures, "FIGURES_MS", -1)
    owner = QObject()
    made = LiveFigures(
        owner, lambda: "ended" not in done, partial(done.append, "frame"),
        lambda: [partial(done.append, name) for name in "abc"],
    )  # fmt: skip
    yield made
    jobs.close_all(owner)


def test_a_tick_draws_and_starts_a_round_that_refreshes_all_parts_between_frames(
    live: LiveFigures, done: list[str], qtbot: QtBot
) -> None:
    live.tick()
    assert done == ["frame"] and live.runner.running
    qtbot.waitUntil(lambda: not live.runner.running)
    assert done == ["frame", "a", "b", "c"]


def test_an_unfinished_round_is_not_restarted(
    live: LiveFigures, done: list[str], qtbot: QtBot
) -> None:
    for _ in range(5):
        live.tick()
    qtbot.waitUntil(lambda: not live.runner.running)
    assert [name for name in done if name != "frame"] == ["a", "b", "c"]


def test_frames_are_drawn_no_more_often_than_they_are_displayed(
    live: LiveFigures, done: list[str]
) -> None:
    live.tick()
    live.tick()
    assert done.count("frame") == 1


def test_nothing_is_refreshed_before_a_round_is_due(
    live: LiveFigures, done: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_figures, "FIGURES_MS", 60_000)
    live.update()
    done.clear()
    live.tick()
    assert not live.runner.running and done == ["frame"]


def test_an_abandoned_round_is_not_finished(
    live: LiveFigures, done: list[str], qtbot: QtBot
) -> None:
    live.tick()
    qtbot.waitUntil(lambda: "a" in done)
    live.update()
    assert not live.runner.running
    assert done[-3:] == ["a", "b", "c"]
    count = len(done)
    qtbot.wait(20)
    assert len(done) == count


def test_nothing_is_refreshed_while_the_shown_run_is_not_live(
    live: LiveFigures, done: list[str]
) -> None:
    done.append("ended")
    live.tick()
    assert done == ["ended"] and not live.runner.running
