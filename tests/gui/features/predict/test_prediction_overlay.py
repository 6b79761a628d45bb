"""The prediction of every finished run, and its error."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pytest

from core.predict.compare import Comparison, CostSource, predict_steps
from core.recording.recording import RecordingFile
from core.recording.schema import COSTS_LEVEL, Record
from core.trace.trace import Trace
from gui.app.jobs import Work
from gui.app.run import Run
from gui.features.predict import prediction_overlay as module
from gui.features.predict.feature import PredictFeature
from gui.features.predict.prediction_overlay import PredictionOverlay, compared
from gui.features.recordings.feature import RecordingsFeature
from gui.features.status.feature import StatusFeature
from gui.features.status.words import lane_notes, predicted_text, predicted_tip
from gui.window.window import MainWindow
from tests.core.helpers import Note, batch_of
from tests.gui.fake_client import FakeClient
from tests.make_believe import batches, specification, trace_of, without_steps

PREDICTION_MS = 30_000
COSTS = {"forward_ms": 3.6, "backward_ms": 7.2, "loss_ms": 0.2, "step_ms": 1.5,
         "transfer_ms": 0.4, "rows": 8}  # fmt: skip


def result_of(work: Work[Comparison | None]) -> Comparison | None:
    try:
        while True:
            next(work)
    except StopIteration as end:
        return end.value


def perform(window: MainWindow, client: FakeClient, **values: object) -> Run:
    spec = specification(**values)
    window.session.run(spec)
    client.perform(spec)
    while window.session.asking:
        window.session.tick()
    return window.session.runs[-1]


def test_a_finished_run_has_a_prediction_and_its_error_is_in_the_status_bar(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    run = perform(window, client, steps=3)
    assert window.feature(StatusFeature).line.predicted.text() == ""
    qtbot.waitUntil(
        lambda: window.feature(StatusFeature).line.predicted.text() != "", timeout=PREDICTION_MS
    )
    assert run.comparison is not None and run.comparison.source is CostSource.WARMUP
    assert [step.step for step in run.comparison.steps] == [2, 3, 4]
    assert window.timeline.state.strips.prediction
    assert window.timeline.state.strips.prediction and window.scene.prediction is run.prediction
    start, end = run.trace.step_bounds(2)
    assert run.prediction.step_bounds(2)[0] == start
    assert run.comparison.makespans_ns == (end - start, run.comparison.steps[0].predicted_ns)
    text = window.feature(StatusFeature).line.predicted.text().replace("\u00a0", " ")
    assert text.startswith("predicted ") and ", measured " in text and text.endswith(" %")
    for name in ("cpu:0", "cpu:1"):
        assert window.scene.prediction_texts[name].startswith("predicted ")
        assert name in window.feature(StatusFeature).line.predicted.toolTip()


def test_a_live_run_has_no_prediction(window: MainWindow, client: FakeClient) -> None:
    window.session.run(specification())
    header, _ = batches(specification())
    run = Run(1, Trace(header))
    window.feature(PredictFeature).overlay.predict(run)
    assert run.prediction is None
    assert not window.feature(PredictFeature).overlay.runner.running


def test_each_shown_run_has_its_own_prediction(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    first = perform(window, client)
    qtbot.waitUntil(lambda: first.comparison is not None, timeout=PREDICTION_MS)
    second = perform(window, client, warmup=0)
    assert window.feature(StatusFeature).line.predicted.text() == ""
    assert second.comparison is None, "a run without calibration and warm-up has no costs"
    window.show_run(first)
    assert window.feature(StatusFeature).line.predicted.text() == predicted_text(first.comparison)
    assert window.timeline.state.strips.prediction and window.scene.prediction is first.prediction


def test_a_recording_with_costs_has_a_prediction(
    window: MainWindow, tmp_path: Path, qtbot: object
) -> None:
    header, made = batches(specification(warmup=0))
    file = RecordingFile(tmp_path / "costs.arrow", header)
    told = batch_of([Note(Record.LOG, COSTS_LEVEL, 0, text=json.dumps(COSTS))])
    for batch in (told, *made):
        file.write(batch)
    file.close()
    window.feature(RecordingsFeature).files.open_from(tmp_path / "costs.arrow")
    run = window.run_shown
    qtbot.waitUntil(lambda: run.comparison is not None, timeout=PREDICTION_MS)
    assert run.comparison.source is CostSource.CALIBRATED
    # Forwards and backwards are recorded as 10 % faster than they were.
    assert -0.1 < run.comparison.makespan_error < -0.05
    assert "\u2212" in lane_notes(run.comparison)["cpu:0"]
    qtbot.waitUntil(lambda: window.feature(StatusFeature).line.predicted.text() != "")


def test_costs_that_do_not_cover_a_runs_tasks_are_reported_in_one_line(
    window: MainWindow, tmp_path: Path, qtbot: object
) -> None:
    header, made = batches(specification(warmup=0))
    file = RecordingFile(tmp_path / "costs.arrow", header)
    costs = json.dumps({**COSTS, "forward_ms": [1, 2, 3]})
    for batch in (batch_of([Note(Record.LOG, COSTS_LEVEL, 0, text=costs)]), *made):
        file.write(batch)
    file.close()
    window.feature(RecordingsFeature).files.open_from(tmp_path / "costs.arrow")
    wanted = "There is no prediction: forward_ms has 3 entries, but the plan has 2 stages"
    qtbot.waitUntil(lambda: window.banner.label.text().startswith(wanted), timeout=PREDICTION_MS)
    assert window.run_shown.comparison is None


def test_a_predicted_run_has_no_prediction(qapp: object) -> None:
    measured = trace_of(specification())
    run = Run(1, without_steps(measured), source=Path("somewhere"))
    overlay = PredictionOverlay()
    overlay.predict(run)
    assert not overlay.runner.running


def test_the_last_steps_of_a_very_long_run_are_predicted(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = trace_of(specification(steps=10))
    tasks = trace.span_count // len(trace.steps)
    monkeypatch.setattr(module, "MOST_SPANS", 3 * tasks - 1)
    found = result_of(compared(trace))
    assert found is not None
    assert [step.step for step in found.steps] == [9, 10, 11]


def test_a_request_to_stop_ends_the_work_at_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    predicted: list[object] = []

    def predict(trace: Trace, steps: list[int]) -> object:
        predicted.extend(steps)
        return predict_steps(trace, steps)

    monkeypatch.setattr(module, "predict_steps", predict)
    work = compared(trace_of(specification(steps=5)))
    next(work)
    work.close()
    assert len(predicted) == 1


def test_the_text_names_both_makespans_and_every_lane() -> None:
    found = result_of(compared(trace_of(specification(steps=2))))
    assert found is not None
    assert len(predicted_tip(found).splitlines()) == 3
    assert "the median of 2 steps" in predicted_tip(found)
    assert predicted_text(None) == predicted_tip(None) == ""
    assert lane_notes(None) == {}
    assert np.isfinite(found.makespan_error)


def test_closing_the_window_ends_the_thread(window: MainWindow, client: FakeClient) -> None:
    perform(window, client, steps=200)
    window.close()
    assert "prediction overlay" not in {thread.name for thread in threading.enumerate()}
