"""The Steps panel: makespans as bars, losses as a line, and clicks that move the timeline."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor

from core.paths import PROJECT_ROOT
from core.recording.decode import append_batch
from core.recording.recording import open_recording
from core.report.summary import summarise
from core.trace.source import Source
from core.trace.trace import Trace
from gui.features.steps.bars import StepBars, bars_words, step_bars
from gui.features.steps.chart import StepAxis, StepChart, ValueAxis, whole_spacing
from gui.features.steps.feature import StepsFeature
from gui.features.steps.panel import StepsPanel
from gui.features.view.feature import ViewFeature
from gui.look.theme import DARK, LIGHT
from gui.timeline.state.scene import Scene
from gui.window.window import MainWindow
from tests.core.report.test_warmup import profile
from tests.gui.fake_client import FakeClient
from tests.gui.window.test_window import perform
from tests.make_believe import batches, specification, trace_of


def show_steps(window: MainWindow, qtbot: object) -> None:
    """Bring the dock to the front and wait for its chart."""
    window.bring("steps")
    qtbot.waitUntil(
        lambda: (
            window.feature(StepsFeature).panel.widget.chart is not None
            and window.feature(StepsFeature).panel.widget.chart.isVisible()
        )
    )


def test_the_bars_show_the_makespans_of_the_summary(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    perform(window, client, specification(steps=7))
    show_steps(window, qtbot)
    summary = summarise(window.run_shown.trace)
    heights = window.feature(StepsFeature).panel.widget.chart.measured.opts["height"]
    assert heights == pytest.approx([step.makespan_ns / 1e6 for step in summary.steps])
    losses = window.feature(StepsFeature).panel.widget.chart.losses.yData[-7:]
    assert losses == pytest.approx([step.loss for step in summary.steps])
    assert window.feature(StepsFeature).panel.widget.chart.measured.opts["x"].tolist() == [
        1,
        2,
        3,
        4,
        5,
        6,
        7,
    ]


def test_warm_up_differs_in_colour_legend_and_axis(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    perform(window, client, specification(warmup=2))
    show_steps(window, qtbot)
    chart = window.feature(StepsFeature).panel.widget.chart
    assert chart.warm.opts["x"].tolist() == [-1, 0]
    assert [chart._steps.label_of(number) for number in (-1, 0, 1)] == ["w1", "w2", "1"]
    assert chart.warm.opts["brush"] == QColor(LIGHT.idle)
    assert chart.measured.opts["brush"] == QColor(LIGHT.accent)
    assert "warm-up" in window.feature(StepsFeature).panel.widget.legend.text()
    assert "2 warm-up steps" in window.feature(StepsFeature).panel.widget.accessibleDescription()


def test_a_run_without_warm_up_has_no_warm_up_in_the_legend(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    perform(window, client, specification(warmup=0))
    show_steps(window, qtbot)
    assert "warm-up" not in window.feature(StepsFeature).panel.widget.legend.text()
    assert len(window.feature(StepsFeature).panel.widget.chart.warm.opts["x"]) == 0


def test_a_click_on_a_bar_fits_the_timeline_to_its_step(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    perform(window, client, specification())
    show_steps(window, qtbot)
    chart, trace, bars = (
        window.feature(StepsFeature).panel.widget.chart,
        window.run_shown.trace,
        window.feature(StepsFeature).panel.widget.bars,
    )
    middle = QPointF(bars.numbers[3], bars.makespans_ms[3] / 2)
    at = chart.mapFromScene(chart.getViewBox().mapViewToScene(middle))
    assert chart.place_at(QPointF(at)) == 3
    qtbot.mouseClick(chart.viewport(), Qt.MouseButton.LeftButton, pos=at)
    start, end = trace.step_bounds(3)
    view = window.timeline.state.viewport
    assert view.start <= start < end <= view.end
    assert (end - start) / view.span > 0.9
    window.timeline.navigator.zoom_back()
    assert window.timeline.state.viewport != view


def test_a_step_under_way_has_no_bar_yet() -> None:
    header, made = batches(specification(warmup=0))
    trace = Trace(header)
    for batch in made[:-1]:  # all but the last step's loss
        append_batch(trace, batch)
    scene = Scene(trace)
    assert scene.step_numbers.tolist() == [0, 1, 2, 3, 4]
    assert step_bars(scene, live=True).steps.tolist() == [0, 1, 2, 3]


def test_detected_warm_up_of_an_imported_trace_is_not_a_measured_bar(tmp_path: Path) -> None:
    scene = Scene(profile(tmp_path, (400, 200, 100, 100, 100)))
    bars = step_bars(scene, live=False)
    assert bars.measured.tolist() == [False, False, True, True, True]
    assert bars.name(0).replace("\u00a0", " ") == "step 1 · 390 µs"
    assert bars_words(bars).startswith("2 warm-up steps; 3 measured steps of ")


def test_a_bar_is_named_with_makespan_and_loss() -> None:
    bars = StepBars(
        np.array([0, 1]), np.array([0, 30]), np.array([20, 10_000_030]),
        np.array([np.nan, 0.25]), 1, 1,
    )  # fmt: skip
    assert bars.name(0).replace("\u00a0", " ") == "warm-up 1 · 20 ns"
    assert bars.name(1).replace("\u00a0", " ") == "step 1 · 10 ms · loss 0.25"
    assert (bars.at(0), bars.at(1), bars.at(2)) == (0, 1, None)


def test_one_warm_up_step_and_one_measured_step_are_described_in_the_singular() -> None:
    bars = StepBars(
        steps=np.array([0, 1]),
        starts=np.array([0, 30]),
        ends=np.array([20, 5_000_030]),
        losses=np.array([np.nan, np.nan]),
        warmup=1,
        first=1,
    )
    words = bars_words(bars).replace("\u00a0", " ")
    assert words == "1 warm-up step; 1 measured step of 5 ms; step 1 · 5 ms"


def test_the_chart_uses_the_windows_theme(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    perform(window, client, specification())
    show_steps(window, qtbot)
    window.feature(ViewFeature).colours.toggle_theme(True)
    assert window.feature(StepsFeature).panel.widget.chart.measured.opts["brush"] == QColor(
        DARK.accent
    )
    assert window.feature(StepsFeature).panel.widget.chart.backgroundBrush().color() == QColor(
        DARK.plot
    )


def test_an_empty_panel_says_when_it_will_be_filled(window: MainWindow) -> None:
    assert "first whole step" in window.feature(StepsFeature).panel.widget.accessibleDescription()
    assert window.feature(StepsFeature).panel.widget.chart is None


def test_steps_without_losses_all_have_a_bar() -> None:
    scene = Scene(trace_of(specification()))
    scene.trace.counters.clear()
    assert len(step_bars(scene, live=False).steps) == 7
    assert len(step_bars(scene, live=True).steps) == 6


def job_that_tells_two_losses() -> Scene:
    """A job of five steps that told its loss in steps 0 and 4, as with `if i % 4 == 0`."""
    header, made = batches(specification(warmup=0))
    trace = Trace(replace(header, source=Source.JOB))
    first, *others = made
    append_batch(trace, first)
    for step in range(5):
        _, spans, notes = others[3 * step : 3 * step + 3]
        append_batch(trace, spans)
        if step % 4 == 0:
            append_batch(trace, notes)
    return Scene(trace)


@pytest.mark.parametrize("live", [False, True])
def test_steps_of_a_job_without_a_loss_have_a_bar_and_count(live: bool) -> None:
    bars = step_bars(job_that_tells_two_losses(), live)
    assert bars.steps.tolist() == [0, 1, 2, 3, 4]
    assert np.isnan(bars.losses).tolist() == [False, True, True, True, False]
    assert bars_words(bars).startswith("5 measured steps of ")


def test_the_line_of_losses_joins_the_steps_that_have_one(qtbot: object) -> None:
    chart = StepChart(LIGHT)
    qtbot.addWidget(chart)
    bars = step_bars(job_that_tells_two_losses(), live=False)
    chart.set_bars(bars)
    assert chart.measured.opts["x"].tolist() == [1, 2, 3, 4, 5]
    assert chart.losses.xData.tolist() == [1, 5]
    assert chart.losses.yData.tolist() == [bars.losses[0], bars.losses[4]]


@pytest.mark.parametrize(("least", "step"), [(0.1, 1), (1, 1), (1.5, 2), (3, 5), (6, 10), (40, 50)])
def test_axis_steps_are_whole_numbers(least: float, step: int) -> None:
    assert whole_spacing(least) == step


@pytest.mark.parametrize(
    ("spacing", "texts"),
    [(200.0, ["0", "200"]), (0.5, ["0.0", "0.5"]), (0.0002, ["0.0000", "0.0002"])],
)
def test_no_two_ticks_have_the_same_label(qapp: object, spacing: float, texts: list[str]) -> None:
    assert ValueAxis("right").tickStrings([0.0, spacing], 1.0, spacing) == texts


def test_warm_up_has_labels_only_where_every_step_has_one(qapp: object) -> None:
    axis = StepAxis()
    axis.warmup = 2
    assert axis.tickStrings([-1, 0, 1], 1.0, 1) == ["w1", "w2", "1"]
    assert axis.tickStrings([0, 5, 10], 1.0, 5) == ["", "5", "10"]


def test_the_window_does_not_wait_for_the_charts_library() -> None:
    script = "import sys, gui.window.start\nassert 'pyqtgraph' not in sys.modules\n"
    subprocess.run([sys.executable, "-c", script], check=True, cwd=PROJECT_ROOT, timeout=60)


def test_the_panel_does_not_promise_steps_for_a_trace_without_steps(
    qapp: object, tmp_path: Path
) -> None:
    panel = StepsPanel()
    assert "appears here" in panel.empty
    path = tmp_path / "trace.json"
    path.write_text('[{"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 5, "name": "a"}]')
    panel.show_scene(Scene(open_recording(path).trace), live=False)
    assert panel.empty == "This trace has no steps."
