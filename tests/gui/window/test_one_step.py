"""Everything in the window that describes a step describes the step on screen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import pytest

from core.explain.run_step import explain_run_step
from core.report.step_figures import step_figures
from gui.features.devices.feature import DevicesFeature
from gui.features.predict.feature import PredictFeature
from gui.features.run.feature import RunFeature
from gui.features.status.feature import StatusFeature
from gui.features.verdict.feature import VerdictFeature
from gui.features.why.feature import WhyFeature
from gui.figures.shown import Range
from gui.figures.totals import totals_text
from gui.look.text import NO_BREAK, duration_text, percent_text
from gui.report.run import write_run_report
from gui.timeline.state.scene import step_name
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.make_believe import specification

SCALES = (3.0, 3.0, 1.2, 1.0, 1.6, 1.4, 1.1)  # two of warm-up; the median of the others is step 2
MEDIAN, SLOWEST, LAST = 2, 4, 6


@pytest.fixture
def ended(window: MainWindow, client: FakeClient) -> MainWindow:
    """The window after a run whose steps take different times."""
    window.feature(RunFeature).form.set_specification(specification(steps=5, warmup=2))
    window.action("run").trigger()
    client.perform(client.asked[-1], scale=SCALES)
    window.session.tick()
    while window.session.live is not None:
        window.session.tick()
    window.show()
    window.bring("why")
    return window


@dataclass(frozen=True)
class Shown:
    """The texts about a step in each part of the window."""

    bar: str
    idle: list[str]
    devices: list[str]
    why_ns: int
    batch: str


def shown(window: MainWindow) -> Shown:
    assert window.scene is not None and window.feature(WhyFeature).panel.widget.figures is not None
    devices = window.feature(DevicesFeature).devices.accessibleDescription()
    return Shown(
        window.feature(StatusFeature).bar.step.text(),
        [facts.idle for facts in window.scene.facts if facts.idle],
        re.findall(r"idle ([\d.]+.%)", devices),
        window.feature(WhyFeature).panel.widget.figures.makespan_ns,
        window.feature(DevicesFeature).batch.accessibleDescription(),
    )


def check(window: MainWindow, step: int, name: str) -> None:
    """Compare all places with figures of the step that are computed here."""
    trace = window.run_shown.trace
    explanation = explain_run_step(trace, step)
    figures = step_figures(explanation)
    found = shown(window)
    assert found.bar == f"{name} · {duration_text(figures.makespan_ns)}"
    assert found.why_ns == figures.makespan_ns
    lanes = trace.header.compute_lanes
    totals = [sum(figures.idle_by_cause[lane.index].values()) for lane in lanes]
    idle = [total / figures.makespan_ns for total in totals]
    assert found.idle == [f"idle {percent_text(share)}" for share in idle]
    assert found.devices[: len(idle)] == [percent_text(share) for share in idle]
    assert step_name(step, trace.header.specification.warmup) in found.batch


def test_a_finished_run_shows_its_median_step_everywhere(ended: MainWindow) -> None:
    trace = ended.run_shown.trace
    start, end = trace.step_bounds(MEDIAN)
    view = ended.timeline.state.viewport
    assert view.start <= start and end <= view.end
    assert view.span < 1.2 * (end - start)
    check(ended, MEDIAN, "step 1 of 5, the median")


@pytest.mark.parametrize(
    ("step", "name"), [(SLOWEST, "step 3 of 5"), (LAST, "step 5 of 5"), (0, "warm-up 1 of 2")]
)
def test_all_places_follow_the_step_on_screen(ended: MainWindow, step: int, name: str) -> None:
    bounds = ended.run_shown.trace.step_bounds(step)
    ended.timeline.navigator.fit_between(*map(float, bounds))
    check(ended, step, name)


def test_with_several_steps_on_screen_figures_are_of_the_median_one(ended: MainWindow) -> None:
    ended.timeline.navigator.fit_between(*map(float, ended.scene.bounds))
    check(ended, MEDIAN, "median of 5 steps: step 1")


def test_a_selected_span_chooses_its_step_among_several(ended: MainWindow) -> None:
    ended.timeline.navigator.fit_between(*map(float, ended.scene.bounds))
    trace = ended.run_shown.trace
    ended.timeline.state.select(trace.span(1, trace.spans(1).of_step(SLOWEST).start))
    check(ended, SLOWEST, "step 3 of 5")


def test_one_click_shows_the_slowest_step_and_another_the_median_step(ended: MainWindow) -> None:
    link = ended.feature(StatusFeature).bar.other_step
    start, end = ended.scene.trace.step_bounds(SLOWEST)
    assert link.isVisible() and link.text() == f"Slowest: {duration_text(end - start)}"
    link.click()
    check(ended, SLOWEST, "step 3 of 5")
    assert link.text().startswith("Median: ")
    link.click()
    check(ended, MEDIAN, "step 1 of 5, the median")


def test_banner_try_figures_and_the_report_show_the_same_step(
    ended: MainWindow, qtbot: object, tmp_path: Path
) -> None:
    trace = ended.run_shown.trace
    figures = step_figures(explain_run_step(trace, MEDIAN))
    step, bubble = duration_text(figures.makespan_ns), percent_text(figures.bubble_by_makespan)
    banner = ended.feature(VerdictFeature).line.label
    in_banner = f"Step {step}.".replace(NO_BREAK, " ")
    qtbot.waitUntil(lambda: banner.text().startswith(in_banner), timeout=20_000)
    ended.bring("try")
    asked = ended.feature(PredictFeature).what_if.panel
    qtbot.waitUntil(lambda: asked.basis.step_ns is not None, timeout=20_000)
    assert asked.basis.step_ns == figures.makespan_ns
    start, end = trace.step_bounds(MEDIAN)
    drawn = totals_text(ended.scene, Range(start, end, "", (MEDIAN,)))
    assert drawn.startswith(f"Bubble {bubble}")
    write_run_report(trace, tmp_path / "run.html")
    report = unescape((tmp_path / "run.html").read_text("utf-8"))
    for shown_there in (step, bubble):
        assert f">{shown_there}<" in report
