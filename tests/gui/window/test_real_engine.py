"""The real window drives the real engine."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.engine.client import EngineClient
from core.engine.messages import Outcome
from core.models.catalogue import ModelSettings
from core.plan.plan import Role
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.predict.compare import CostSource
from gui.app.run import Run
from gui.features.figures.feature import FiguresFeature
from gui.features.predict.feature import PredictFeature
from gui.features.recordings.feature import RecordingsFeature
from gui.features.run.feature import RunFeature
from gui.features.runs.feature import RunsFeature
from gui.features.status.feature import StatusFeature
from gui.window.window import MainWindow

RUN_MS = 60_000
SMALL = ModelSettings("mlp", width=64, depth=4)
LONG = Specification(
    "pipeline", ModelSettings("mlp", width=512, depth=8), "2xcpu", batch=512, steps=5000, warmup=0
)
"""A run that is long enough for a test to interrupt it."""


def run_to_end(window: MainWindow, qtbot: object, specification: Specification) -> Run:
    """Fill the form, press Run and wait for the end."""
    window.feature(RunFeature).form.set_specification(specification)
    with qtbot.waitSignal(window.session.run_ended, timeout=RUN_MS) as ended:
        window.action("run").trigger()
    return ended.args[0]


def start_long_run(window: MainWindow, qtbot: object) -> Run:
    """Press Run and wait for a whole step and the first spans of the next one."""
    window.feature(RunFeature).form.set_specification(LONG)
    with qtbot.waitSignal(window.session.run_started, timeout=RUN_MS):
        window.action("run").trigger()
    run = window.session.live
    assert run is not None
    qtbot.waitUntil(lambda: len(run.trace.steps) >= 2, timeout=RUN_MS)
    return run


def test_every_strategy_fills_the_lanes_that_it_uses(
    real_window: MainWindow, qtbot: object
) -> None:
    for name in STRATEGIES:
        real_window.feature(RunFeature).form.set_specification(
            Specification(name, SMALL, "2xcpu", batch=32, steps=2, verify=True)
        )
        real_window.feature(RunFeature).form.strategies.choose(name)
        run = run_to_end(real_window, qtbot, real_window.feature(RunFeature).form.specification())
        assert run.outcome is Outcome.FINISHED, run.text
        assert run.trace.header.specification.strategy == name
        plan = next(iter(real_window.feature(RunFeature).form.result.plans.values()))
        used = {plan.lanes[task.lane].name for task in plan.tasks}
        lanes = run.trace.header.lanes
        assert {lane.name for lane in lanes if len(run.trace.spans(lane.index))} == used, name
        assert len(real_window.scene.columns) == len(lanes)
        for lane in lanes:
            spans = run.trace.spans(lane.index)
            assert len(real_window.scene.columns[lane.index]) == len(spans), name
        assert "gradients differ" in real_window.feature(StatusFeature).line.verified.text()
        assert run.trace.open_tasks == []


def test_stopping_in_the_middle_keeps_the_recorded_spans(
    real_window: MainWindow, qtbot: object
) -> None:
    run = start_long_run(real_window, qtbot)
    with qtbot.waitSignal(real_window.session.run_ended, timeout=4_000):
        real_window.action("stop").trigger()
    assert run.outcome is Outcome.STOPPED
    assert run.trace.span_count > 0
    assert real_window.action("run").isEnabled()
    assert real_window.feature(RunsFeature).panel.widget.topLevelItem(0).text(2) == "stopped"


@pytest.mark.starts_processes
def test_a_killed_engine_is_reported_and_the_next_run_starts_another(
    real_window: MainWindow,
    engine: EngineClient,
    qtbot: object,
    forking_again: Callable[[], None],
) -> None:
    run = start_long_run(real_window, qtbot)
    with qtbot.waitSignal(real_window.session.run_ended, timeout=10_000):
        os.kill(engine.pid, signal.SIGKILL)
    assert run.outcome is Outcome.FAILED
    assert real_window.banner.isVisible()
    kept = run.trace.span_count
    assert kept > 0
    forking_again()
    again = run_to_end(real_window, qtbot, Specification("dp", SMALL, "2xcpu", batch=32, steps=1))
    assert again.outcome is Outcome.FINISHED
    assert run.trace.span_count == kept
    assert not real_window.banner.isVisible()


@pytest.mark.starts_processes
def test_an_engine_that_is_killed_between_runs_is_reported_and_run_starts_another(
    real_window: MainWindow,
    engine: EngineClient,
    qtbot: object,
    forking_again: Callable[[], None],
) -> None:
    with qtbot.waitSignal(real_window.session.engine_failed, timeout=10_000):
        os.kill(engine.pid, signal.SIGKILL)
    assert real_window.banner.isVisible() and "SIGKILL" in real_window.banner.label.text()
    assert real_window.feature(StatusFeature).line.engine.text() == "no engine"
    forking_again()
    run = run_to_end(real_window, qtbot, Specification("single", SMALL, "1xcpu", batch=8, steps=1))
    assert run.outcome is Outcome.FINISHED
    assert real_window.feature(StatusFeature).line.engine.text() == "engine ready"
    assert not real_window.banner.isVisible()


def test_closing_the_window_during_a_run_leaves_no_engine(
    real_window: MainWindow, engine: EngineClient, qtbot: object
) -> None:
    start_long_run(real_window, qtbot)
    pid = engine.pid
    real_window.close()
    assert engine.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_run_is_exported_saved_and_opened_again(
    real_window: MainWindow, qtbot: object, tmp_path: Path
) -> None:
    run = run_to_end(
        real_window, qtbot, Specification("pipeline", SMALL, "2xcpu", batch=32, steps=2)
    )
    for suffix in (".png", ".svg", ".pdf"):
        real_window.feature(FiguresFeature).exporting.export_to(tmp_path / f"run{suffix}")
        assert (tmp_path / f"run{suffix}").stat().st_size > 1000
    real_window.feature(RecordingsFeature).files.save_to(tmp_path / "run.arrow")
    real_window.feature(RecordingsFeature).files.open_from(tmp_path / "run.arrow")
    assert not real_window.banner.isVisible(), real_window.banner.label.text()
    opened = real_window.run_shown
    assert opened is not run
    assert opened.trace.span_count == run.trace.span_count
    assert opened.trace.header == run.trace.header
    assert [row.text for row in opened.trace.logs] == [row.text for row in run.trace.logs]


def test_open_tasks_grow_while_a_run_is_live(real_window: MainWindow, qtbot: object) -> None:
    run = start_long_run(real_window, qtbot)
    qtbot.waitUntil(lambda: bool(run.trace.open_tasks), timeout=RUN_MS)
    before = real_window.timeline.state.now
    qtbot.waitUntil(lambda: real_window.timeline.state.now > before, timeout=RUN_MS)
    assert real_window.timeline.state.following
    assert real_window.timeline.state.viewport.end > before


def test_a_live_view_moved_by_hand_stays_where_it_is(
    real_window: MainWindow, qtbot: object
) -> None:
    run = start_long_run(real_window, qtbot)
    real_window.timeline.navigator.zoom(1)
    kept, steps = real_window.timeline.state.viewport, len(run.trace.steps)
    qtbot.waitUntil(lambda: len(run.trace.steps) >= steps + 2, timeout=RUN_MS)
    assert real_window.timeline.state.viewport == kept


@pytest.mark.starts_processes
def test_the_last_bars_stay_until_the_next_run_has_bars_and_ranks_are_counted(
    real_window: MainWindow, qtbot: object
) -> None:
    first = run_to_end(
        real_window, qtbot, Specification("single", SMALL, "1xcpu", batch=8, steps=1)
    )
    window, words, shown = real_window, [], []
    assert window.run_shown is first
    window.feature(RunFeature).form.set_specification(
        Specification("ddp", SMALL, "2xcpu", batch=32, steps=100)
    )

    def look() -> None:
        words.append(window.feature(StatusFeature).bar.step.text())
        shown.append((window.run_shown, bool(window.session.runs[-1].trace.span_count)))

    window.session.ticked.connect(look)
    with qtbot.waitSignal(window.session.run_ended, timeout=RUN_MS) as ended:
        window.action("run").trigger()
    second = ended.args[0]
    assert second.outcome is Outcome.FINISHED and window.run_shown is second
    assert all((run is second) == has_bars for run, has_bars in shown)
    assert {run for run, _ in shown} == {first, second}
    starting = [text.partition(": ")[2] for text in words if "starting" in text]
    known = ["starting rank 1 of 2…", "starting rank 2 of 2…", "starting…"]
    assert starting and set(starting) <= set(known)  # both ranks may start between two refreshes
    assert starting == sorted(starting, key=known.index)
    assert all(text.startswith("DDP") or "2 lanes" in text for text in words if "starting" in text)


def test_a_run_that_the_engine_refuses_is_reported_in_one_line(
    real_window: MainWindow, qtbot: object, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text("def build():\n    return 3\n")
    real_window.feature(RunFeature).form.set_specification(
        Specification("single", ModelSettings(str(tmp_path / "mine.py")), "1xcpu", batch=8)
    )
    with qtbot.waitSignal(real_window.session.refused, timeout=RUN_MS):
        real_window.action("run").trigger()
    assert "mine.py" in real_window.banner.label.text()
    assert "\n" not in real_window.banner.label.text()
    assert real_window.run_shown is None


def test_every_copy_and_communication_lane_serves_a_compute_lane(
    real_window: MainWindow, qtbot: object
) -> None:
    run = run_to_end(real_window, qtbot, Specification("ddp", SMALL, "2xcpu", batch=32, steps=2))
    lanes = run.trace.header.lanes
    helpers = [lane for lane in lanes if lane.role is not Role.COMPUTE]
    assert [lanes[lane.serves].role for lane in helpers] == [Role.COMPUTE] * 4
    # Gloo may run two collectives at once, but need not.
    assert all(len(run.trace.spans(lane.index)) for lane in helpers[:2])


def test_the_advisors_way_runs_for_real_next_to_its_prediction(
    real_window: MainWindow, qtbot: object
) -> None:
    first = run_to_end(
        real_window, qtbot, Specification("mp", SMALL, "2xcpu", batch=32, steps=2, warmup=1)
    )
    qtbot.waitUntil(lambda: first.comparison is not None, timeout=RUN_MS)
    assert first.comparison.source is CostSource.CALIBRATED
    panel = real_window.feature(PredictFeature).advisor.panel
    answer = real_window.bring("try").answer
    qtbot.waitUntil(lambda: panel.model.rowCount() > 0, timeout=RUN_MS)
    panel.best.setChecked(False)
    ways = [row.advice.specification for row in panel.model.rows]
    chosen = next(i for i, way in enumerate(ways) if way.schedule == "zb-h1")
    panel.table.selectRow(panel._proxy.mapFromSource(panel.model.index(chosen, 0)).row())
    with qtbot.waitSignal(real_window.session.run_ended, timeout=RUN_MS) as ended:
        QTest.mouseClick(answer.run, Qt.MouseButton.LeftButton)
    (run,) = ended.args
    assert run.outcome is Outcome.FINISHED, run.text
    assert run.trace.header.specification.schedule == "zb-h1"
    assert run.trace.header.specification.microbatches == ways[chosen].microbatches
    qtbot.waitUntil(lambda: real_window.timeline.state.strips.prediction, timeout=RUN_MS)
    assert real_window.feature(StatusFeature).line.predicted.text().startswith("predicted ")


def test_what_if_begins_with_the_costs_of_a_real_run(
    real_window: MainWindow, qtbot: object
) -> None:
    run_to_end(real_window, qtbot, Specification("pipeline", SMALL, "2xcpu", batch=32, steps=2))
    panel = real_window.feature(PredictFeature).what_if.panel
    real_window.bring("try")
    qtbot.waitUntil(lambda: panel.picture.answer is not None, timeout=RUN_MS)
    assert "all lanes busy" in panel.source.text()
    panel.sliders["devices"].value = 64
    # Intermediate answers are shown too, for example the one with the run's own settings.
    qtbot.waitUntil(lambda: len(panel.picture.answer.first) == 65, timeout=RUN_MS)
