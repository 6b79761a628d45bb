"""Large steps are never explained in the window's own thread, and the largest not at all."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.explain.explanation import Explanation
from core.explain.run_step import explain_run_step
from core.trace.trace import Trace
from gui.app.explaining import Explainer, why_not_yet
from gui.app.jobs import close_all
from gui.features.bubbles.feature import BubblesFeature
from gui.features.details.feature import DetailsFeature
from gui.features.devices.feature import DevicesFeature
from gui.features.figures.feature import FiguresFeature
from gui.features.runs.feature import RunsFeature
from gui.features.why.feature import WhyFeature
from gui.timeline.state.explained import LARGE, MOST, ExplanationCache, Wanted
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.features.why.test_why import show_why
from tests.gui.timeline.state.test_gaps import click, place, shown_step
from tests.gui.window.test_window import perform
from tests.make_believe import MS, specification, trace_of


class Gate:
    """Explains steps, only on threads other than the main one and only while the gate is open."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.asked: list[int] = []

    def explain(self, trace: Trace, step: int) -> Explanation:
        assert threading.current_thread() is not threading.main_thread()
        self.asked.append(step)
        assert self.open.wait(30)
        return explain_run_step(trace, step)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    made = Gate()
    monkeypatch.setattr("gui.timeline.state.explained.LARGE", 1)
    monkeypatch.setattr("gui.timeline.state.explained.explain_run_step", made.explain)
    yield made
    made.open.set()


def test_the_window_stays_responsive_while_a_large_step_is_explained(
    qtbot: QtBot, window: MainWindow, client: FakeClient, gate: Gate
) -> None:
    perform(window, client, specification("ddp", bucket_mb=0.01))
    show_why(window)
    window.feature(WhyFeature).panel.widget.explain_button.click()
    qtbot.waitUntil(lambda: gate.asked == [shown_step(window)])
    assert window.feature(WhyFeature).panel.widget._question.text() == "Explaining…"
    for _ in range(3):  # repeated requests wait for the one answer
        window.showing.figures.update()
        QTest.qWait(1)
    assert (
        window.feature(WhyFeature).panel.widget.figures is None
        and window.feature(DevicesFeature).buckets.isHidden()
    )
    gate.open.set()
    qtbot.waitUntil(window.feature(WhyFeature).panel.widget.waterfall.isVisible)
    assert not window.feature(DevicesFeature).buckets.isHidden()
    assert gate.asked == [shown_step(window)]


def test_a_large_step_is_explained_although_another_tab_is_closed(
    qtbot: QtBot, window: MainWindow, client: FakeClient, gate: Gate
) -> None:
    perform(window, client, specification("ddp", bucket_mb=0.01))
    perform(window, client, specification("ddp", bucket_mb=0.01))
    show_why(window)
    why = window.feature(WhyFeature).panel.widget
    why.explain_button.click()
    qtbot.waitUntil(lambda: gate.asked == [shown_step(window)])
    tabs = window.feature(RunsFeature).tabs
    close = tabs.tabButton(0, tabs.ButtonPosition.RightSide)
    qtbot.mouseClick(close, Qt.MouseButton.LeftButton)
    gate.open.set()
    qtbot.waitUntil(why.waterfall.isVisible)
    assert gate.asked == [shown_step(window)]


def test_no_action_explains_a_large_step_in_the_windows_thread(
    qtbot: QtBot, window: MainWindow, client: FakeClient, gate: Gate, tmp_path: Path
) -> None:
    perform(window, client, specification("mp", steps=3))
    start, end = window.run_shown.trace.step_bounds(shown_step(window))
    show_why(window)
    window.feature(WhyFeature).panel.widget.chooser.setCurrentIndex(1)
    QTest.mouseMove(window.timeline.viewport(), place(window, 1, start + MS))
    window.timeline.selector.select_visible()
    window.feature(BubblesFeature).bubbles.step(1)
    window.action("critical_path").trigger()
    window.timeline.grab()
    window.feature(FiguresFeature).exporting.export_to(tmp_path / "run.svg")
    click(window, 1, start + MS)
    window.feature(FiguresFeature).exporting.report_to(tmp_path / "run.html")
    gate.open.set()
    with qtbot.waitSignal(window.feature(FiguresFeature).exporting.report.done):
        pass
    assert "Critical path" in (tmp_path / "run.html").read_text()
    assert end > start and not window.banner.isVisible()


def test_a_step_of_too_many_tasks_is_not_explained_and_shows_a_message(
    window: MainWindow, client: FakeClient, monkeypatch: pytest.MonkeyPatch, gate: Gate,
    qtbot: QtBot, tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.setattr("gui.timeline.state.explained.MOST", 8)
    perform(window, client, specification("mp"))
    said = "Not explained: the step has 9 tasks, and at most 8 are explained here."
    start, _ = window.run_shown.trace.step_bounds(shown_step(window))
    QTest.mouseMove(window.timeline.viewport())  # the pointer may already be at that place
    QTest.mouseMove(window.timeline.viewport(), place(window, 1, start + MS))
    assert window.timeline.overlays.hovered[2][-1] == said
    click(window, 1, start + MS)
    assert window.feature(DetailsFeature).panel.widget.sentence.text() == said
    show_why(window)
    assert window.feature(WhyFeature).panel.widget._question.text() == said
    assert not window.feature(WhyFeature).panel.widget.explain_button.isVisible()
    window.feature(FiguresFeature).exporting.report_to(tmp_path / "run.html")
    with qtbot.waitSignal(window.feature(FiguresFeature).exporting.report.failed) as failed:
        pass
    assert failed.args == [said] and not (tmp_path / "run.html").exists()
    assert gate.asked == []


def test_a_large_step_of_a_live_run_is_explained_after_the_runs_end(gate: Gate) -> None:
    explained = ExplanationCache(trace_of(specification("mp", steps=1, warmup=0)))
    said = why_not_yet(explained, 0, live=True)
    assert said == "This step has 9 tasks: it is explained when the run has ended."
    assert why_not_yet(explained, 0, live=False).endswith("explaining it takes some seconds.")


def test_a_step_that_cannot_be_explained_is_not_requested_again(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(trace: Trace, step: int) -> Explanation:
        raise ValueError("step 0 lacks 2 spans")

    monkeypatch.setattr("gui.timeline.state.explained.LARGE", 1)
    monkeypatch.setattr("gui.timeline.state.explained.explain_run_step", refuse)
    explained = ExplanationCache(trace_of(specification("mp", steps=1, warmup=0)))
    explainer = Explainer()
    with qtbot.waitSignal(explainer.explained):
        explainer.ask(explained, [0])
    close_all(explainer)
    assert explained.problem(0) == "step 0 lacks 2 spans"
    assert not explained.at_hand(0)


def test_a_large_step_stays_cached_while_small_ones_are_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trace = trace_of(specification(steps=4, warmup=0))
    explained = ExplanationCache(trace)
    tasks = explained.progress(0).tasks
    monkeypatch.setattr("gui.timeline.state.explained.LARGE", tasks - 1)
    explained.keep(0, explained.compute(0))
    monkeypatch.setattr("gui.timeline.state.explained.KEPT_TASKS", tasks)
    assert explained.at_hand(0) and explained.knows(0, Wanted.FIGURES)
    explained.keep(1, explained.compute(1))
    assert explained.at_hand(1) and not explained.at_hand(0)
    assert explained.knows(0, Wanted.FIGURES)
    assert LARGE < MOST
