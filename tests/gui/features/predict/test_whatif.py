"""The What-if panel: sliders change the prediction, and an older answer never replaces a newer."""

from __future__ import annotations

import errno
import json
import os
import signal
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QScrollArea

from core.costs.costs_file import costs_of, read_costs, write_costs
from core.models.catalogue import ModelSettings
from core.plan.devices import Accelerator, Hardware
from core.plan.link import Link
from core.plan.pipeline.options import BORDERS, MICROBATCHES
from core.plan.schedules import SCHEDULES
from core.predict.compare import predict_steps
from core.predict.run_costs import run_costs
from core.predict.whatif import WhatIf, WhatIfQuery, WhatIfResult
from core.predict.worker.requests import PredictionDone, PredictionLost, PredictionRefused
from core.process.worker import MODULE
from core.recording.decode import append_batch
from core.recording.schema import COSTS_LEVEL, SIZE_COSTS_LEVEL, Record
from core.trace.source import Source
from gui.app.check import EQUAL
from gui.features.predict.answer_figures import FIGURES
from gui.features.predict.feature import PredictFeature
from gui.features.predict.what_if import run_basis
from gui.features.predict.whatif_panel import WORDS, WhatIfPanel
from gui.features.recordings.feature import RecordingsFeature
from gui.features.run.feature import RunFeature
from gui.features.runs.feature import RunsFeature
from gui.features.status.feature import StatusFeature
from gui.look.text import duration_text
from gui.window.window import MainWindow
from tests.core.helpers import Note, batch_of
from tests.gui.dialogs import replace_button, save_as
from tests.gui.fake_client import FakeClient
from tests.gui.window.test_window import perform
from tests.make_believe import specification, trace_of

ANSWER_MS = 30_000


@pytest.fixture
def panel(window: MainWindow, qtbot: object) -> WhatIfPanel:
    """The panel in its dock, with its first answer."""
    window.bring("try")
    made = window.feature(PredictFeature).what_if.panel
    qtbot.waitUntil(lambda: made.picture.answer is not None, timeout=ANSWER_MS)
    return made


@pytest.fixture
def sent(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The jobs sent to a process that never answers."""
    jobs: list[object] = []

    def send(job: object) -> int:
        jobs.append(job)
        return len(jobs)

    monkeypatch.setattr(window.feature(PredictFeature).what_if.predictor, "send", send)
    window.feature(PredictFeature).what_if._shown = 0
    return jobs


def makespan(panel: WhatIfPanel) -> int:
    assert panel.picture.answer is not None
    return panel.picture.answer.makespan_ns


def wait_for_another(panel: WhatIfPanel, qtbot: object, old: WhatIfResult | None) -> WhatIfResult:
    qtbot.waitUntil(lambda: panel.picture.answer is not old, timeout=ANSWER_MS)
    assert panel.picture.answer is not None
    return panel.picture.answer


@pytest.mark.parametrize("name", ["devices", "microbatches", "factor"])
def test_a_key_on_a_slider_changes_the_predicted_makespan(
    panel: WhatIfPanel, qtbot: object, name: str
) -> None:
    before, row = makespan(panel), panel.sliders[name]
    value = row.value
    QTest.keyClick(row.slider, Qt.Key.Key_Right)
    assert row.value > value
    qtbot.waitUntil(lambda: makespan(panel) > before, timeout=ANSWER_MS)
    assert panel.figures.values["makespan"].text() != "–"


def test_the_mouse_drags_a_slider_and_its_number_follows(panel: WhatIfPanel, qtbot: object) -> None:
    before, row = panel.picture.answer, panel.sliders["devices"]
    middle = row.slider.height() // 2
    handle = QPoint(round(row.slider.width() * 3 / row.slider.maximum()) + 2, middle)
    QTest.mousePress(row.slider, Qt.MouseButton.LeftButton, pos=handle)
    QTest.mouseMove(row.slider, QPoint(row.slider.width() // 2, middle))
    QTest.mouseRelease(
        row.slider, Qt.MouseButton.LeftButton, pos=QPoint(row.slider.width() // 2, middle)
    )
    assert row.value > 4
    answer = wait_for_another(panel, qtbot, before)
    qtbot.waitUntil(lambda: len(panel.picture.answer.first) == row.value + 1, timeout=ANSWER_MS)
    assert answer.tasks > 0


def test_a_typed_number_need_not_be_a_stop_of_the_slider(panel: WhatIfPanel, qtbot: object) -> None:
    number = panel.sliders["devices"].number
    number.setFocus()
    number.selectAll()
    QTest.keyClicks(number, "9")
    QTest.keyClick(number, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(panel.picture.answer.first) == 10, timeout=ANSWER_MS)
    assert panel.sliders["devices"].value == 9


def test_with_a_link_transfers_take_time(panel: WhatIfPanel, qtbot: object) -> None:
    before = makespan(panel)
    assert not panel.sliders["latency"].slider.isEnabled()
    assert "link speed first" in panel.sliders["latency"].slider.toolTip()
    panel.sliders["bandwidth"].value = 1
    panel.sliders["latency"].value = 500
    assert panel.question.link == Link.of(500, 1)
    qtbot.waitUntil(lambda: makespan(panel) > before, timeout=ANSWER_MS)


def test_faults_are_added_to_a_slow_lane(panel: WhatIfPanel, qtbot: object) -> None:
    plain, old = makespan(panel), panel.picture.answer
    panel.faults.unfold.click()
    panel.faults.fields["slow_lane"].write("1:2")
    old = wait_for_another(panel, qtbot, old)
    assert old.makespan_ns > plain
    panel.sliders["slow_lane"].value, panel.sliders["factor"].value = 2, 3.0
    assert panel.question.faults == {"slow_lane": "1:2 2:3"}
    panel.faults.fields["hiccup"].write("lane=0,step=1,ms=500")
    qtbot.waitUntil(lambda: makespan(panel) > 500_000_000, timeout=ANSWER_MS)
    panel.faults.fields["hiccup"].write("lane=0,step=2,ms=500")
    qtbot.waitUntil(lambda: "the measured steps are 1 to 1" in panel.picture.note)


def test_the_faults_of_the_shown_run_except_hiccups_are_carried_over(
    panel: WhatIfPanel,
) -> None:
    asked = specification(devices="2xvirtual:cpu", slow_link="0-1:4", jitter=0.1,
                          hiccup="lane=0,step=2,ms=5")  # fmt: skip
    trace = trace_of(asked)
    costs = run_costs(trace)
    assert costs.has_faults  # because the costs are those of a step
    assert run_basis(trace, costs).faults == {}
    basis = run_basis(trace, replace(costs, has_faults=False))
    panel.set_run(basis, 2, 4, "1f1b")
    assert panel.question.faults == {"slow_link": "0-1:4", "jitter": 0.1}
    assert panel.faults.fields["slow_link"].widget.isVisibleTo(panel)
    panel.set_run(replace(basis, faults={}), 2, 4, "1f1b")
    assert panel.question.faults == {}
    assert not panel.faults.fields["slow_link"].widget.isVisibleTo(panel)


def test_the_settings_of_the_run_are_predicted_from_its_own_costs(panel: WhatIfPanel) -> None:
    own = {"forward_ms": [1, 2], "backward_ms": 4, "step_ms": 1, "transfer_ms": 0.1, "rows": 16}
    by_size = {**own, "by": "block", "forward_ms": 9, "backward_ms": 9}
    asked = specification(schedule="gpipe", microbatches=4, batch=64)
    trace = trace_of(asked)
    for level, costs in ((COSTS_LEVEL, own), (SIZE_COSTS_LEVEL, by_size)):
        append_batch(trace, batch_of([Note(Record.LOG, level, 0, text=json.dumps(costs))]))
    panel.set_run(run_basis(trace, run_costs(trace)), 2, 4, "gpipe")
    comparison = predict_steps(trace)
    assert comparison is not None
    assert WhatIf().answer(panel.question).makespan_ns == comparison.median.predicted_ns
    panel.sliders["microbatches"].value = 8
    assert panel.question.costs == costs_of(by_size)
    panel.sliders["microbatches"].value = 4
    panel.faults.write({"slow_lane": "1:2"})
    assert panel.question.costs == costs_of(own)


@pytest.mark.parametrize("name", SCHEDULES)
def test_chunks_can_be_set_where_the_schedule_takes_them(panel: WhatIfPanel, name: str) -> None:
    panel.schedule.setCurrentIndex(panel.schedule.findData(name))
    chunks = panel.sliders["chunks"]
    assert chunks.slider.isEnabled() is SCHEDULES[name].settable_chunks
    assert (panel.question.chunks is None) is not SCHEDULES[name].settable_chunks
    if not chunks.slider.isEnabled():
        assert SCHEDULES[name].title in chunks.slider.toolTip()


def test_an_older_answer_never_replaces_a_newer_one(window: MainWindow, panel: WhatIfPanel) -> None:
    answers = [WhatIf().answer(replace(panel.question, devices=n)) for n in (3, 5)]
    hear = window.feature(PredictFeature).what_if.on_reply
    hear(PredictionDone(1002, answers[1]))
    hear(PredictionDone(1001, answers[0]))
    hear(PredictionRefused(1000, "too late"))
    assert panel.picture.answer is answers[1]
    assert panel.picture.note == ""


def test_intermediate_answers_are_shown(
    window: MainWindow, panel: WhatIfPanel, sent: list[object]
) -> None:
    for value in (5, 6, 7):
        panel.sliders["devices"].value = value
    asked = [job for job in sent if isinstance(job, WhatIfQuery)]
    assert [question.devices for question in asked] == [5, 6, 7]
    first = WhatIf().answer(asked[0])
    window.feature(PredictFeature).what_if.on_reply(PredictionDone(1, first))
    assert panel.picture.answer is first


def test_the_reason_why_nothing_can_be_predicted_replaces_the_figures(
    panel: WhatIfPanel, qtbot: object
) -> None:
    panel.schedule.setCurrentIndex(panel.schedule.findData("chimera"))
    panel.sliders["devices"].value = 3
    qtbot.waitUntil(lambda: "even number of ranks" in panel.picture.note, timeout=ANSWER_MS)
    assert {label.text() for label in panel.figures.values.values()} == {"–"}
    assert not panel.answer.large.isEnabled()
    panel.sliders["devices"].value = 4
    qtbot.waitUntil(lambda: panel.picture.note == "", timeout=ANSWER_MS)
    assert panel.answer.large.isEnabled()


def test_a_slow_answer_is_announced(panel: WhatIfPanel, sent: list[object], qtbot: object) -> None:
    panel.sliders["devices"].value = 7
    qtbot.waitUntil(lambda: "Predicting 7 devices" in panel.picture.note)
    assert sent


def test_a_hidden_panel_requests_no_prediction(window: MainWindow, sent: list[object]) -> None:
    window.feature(PredictFeature).what_if.panel.sliders["devices"].value = 9
    assert sent == []


def test_show_large_lists_a_predicted_run_and_does_not_disturb_a_live_one(
    window: MainWindow, panel: WhatIfPanel, client: FakeClient, qtbot: object
) -> None:
    spec = specification(steps=2)
    window.session.run(spec)
    client.perform(spec)
    messages = client.messages
    client.messages = messages[:4]
    window.session.tick()
    live = window.session.live
    assert live is not None
    QTest.mouseClick(panel.answer.large, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.run_shown is not live, timeout=ANSWER_MS)
    assert window.run_shown.trace.header.source is Source.PREDICTED
    assert "predicted" in window.feature(StatusFeature).bar.title.text()
    assert window.feature(RunsFeature).panel.widget.topLevelItem(1).text(2) == "predicted"
    client.say(*messages[4:])
    while window.session.asking:
        window.session.tick()
    assert live.trace.steps == [0, 1, 2, 3]
    assert window.run_shown.trace.header.source is Source.PREDICTED


def test_a_step_that_cannot_be_shown_large_is_reported_and_can_be_requested_again(
    window: MainWindow, panel: WhatIfPanel, sent: list[object]
) -> None:
    QTest.mouseClick(panel.answer.large, Qt.MouseButton.LeftButton)
    assert len(sent) == 1 and not panel.answer.large.isEnabled()
    window.feature(PredictFeature).what_if.on_reply(
        PredictionRefused(1, "there is not enough memory for this prediction")
    )
    assert "not enough memory" in window.banner.label.text()
    assert panel.answer.large.isEnabled()


def test_a_predicted_run_is_saved_as_a_recording(
    window: MainWindow, panel: WhatIfPanel, qtbot: object, tmp_path: Path
) -> None:
    QTest.mouseClick(panel.answer.large, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.run_shown is not None, timeout=ANSWER_MS)
    spans = window.run_shown.trace.span_count
    window.feature(RecordingsFeature).files.save_to(tmp_path / "predicted.arrow")
    window.feature(RecordingsFeature).files.open_from(tmp_path / "predicted.arrow")
    assert window.run_shown.trace.header.source is Source.PREDICTED
    assert window.run_shown.trace.span_count == spans > 0


@pytest.mark.parametrize(
    ("device", "kind"), [("xpu:0", "xpu"), ("mps", "mps"), ("strange:0", "cuda")]
)
def test_predictions_for_a_run_use_its_kind_of_devices(device: str, kind: str) -> None:
    hardware = Hardware(8, 8 << 30, (Accelerator(device, "A", 0),))
    trace = trace_of(specification(devices=f"2x{device}"), hardware)
    known = run_costs(trace)
    assert known is not None and run_basis(trace, known).device == kind


def test_the_sliders_start_at_the_costs_and_numbers_of_the_shown_run(
    window: MainWindow, client: FakeClient, panel: WhatIfPanel, qtbot: object
) -> None:
    spec = specification(schedule="gpipe", microbatches=6, batch=48)
    window.session.run(spec)
    client.perform(spec)
    while window.session.asking:
        window.session.tick()
    question = panel.question
    assert (question.devices, question.microbatches, question.schedule) == (2, 6, "gpipe")
    assert question.batch == 48
    assert question.device == "cpu"
    assert "last warm-up step" in panel.source.text()
    start, end = window.run_shown.trace.step_bounds(1)
    qtbot.waitUntil(lambda: makespan(panel) == end - start, timeout=ANSWER_MS)


def test_a_prediction_has_the_names_of_the_runs_lanes(
    window: MainWindow, client: FakeClient, panel: WhatIfPanel, qtbot: object
) -> None:
    perform(window, client, specification(devices="4xvirtual"))
    trying = window.feature(PredictFeature).trying

    def is_of_run() -> bool:
        asked = None if trying.candidate is None else trying.candidate.request
        return isinstance(asked, WhatIfQuery) and asked.device == "virtual"

    qtbot.waitUntil(is_of_run, timeout=ANSWER_MS)
    last = panel.picture.plot.bottomLeft() + QPoint(2, -3)
    assert panel.picture.tip_at(last).startswith("virtual:3: idle")
    shown = window.run_shown
    QTest.mouseClick(panel.answer.large, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.run_shown is not shown, timeout=ANSWER_MS)
    header = window.run_shown.trace.header
    assert [lane.name for lane in header.compute_lanes][:2] == ["virtual:0", "virtual:1"]
    assert header.timing_note == ""  # a prediction is not measured


def test_without_a_run_the_forms_model_is_predicted(
    window: MainWindow, panel: WhatIfPanel, qtbot: object
) -> None:
    window.feature(RunFeature).form.set_specification(specification(model=ModelSettings("gpt")))
    assert panel.question.model.name == "gpt"
    before = makespan(panel)
    panel.sliders["bandwidth"].value = 0.1
    panel.sliders["latency"].value = 0
    qtbot.waitUntil(lambda: makespan(panel) > before, timeout=ANSWER_MS)


def test_costs_are_read_from_a_file_and_written_to_one(
    window: MainWindow, panel: WhatIfPanel, tmp_path: Path
) -> None:
    costs = costs_of({"forward_ms": 3, "backward_input_ms": 2, "backward_weight_ms": 1,
                      "step_ms": 1, "transfer_ms": 0.5})  # fmt: skip
    write_costs(tmp_path / "given.json", costs)
    window.feature(PredictFeature).what_if.load_from(tmp_path / "given.json")
    assert panel.question.costs == costs
    assert "given.json" in panel.source.text()
    panel.sliders["factor"].value = 2.0
    window.feature(PredictFeature).what_if.save_to(tmp_path / "kept.json")
    assert read_costs(tmp_path / "kept.json") == costs


def test_costs_that_cannot_be_read_are_reported_and_change_nothing(
    window: MainWindow, panel: WhatIfPanel, tmp_path: Path
) -> None:
    (tmp_path / "bad.json").write_text('{"forward_ms": "long"}')
    window.feature(PredictFeature).what_if.load_from(tmp_path / "bad.json")
    assert "forward_ms is 'long'" in window.banner.label.text()
    assert panel.question.costs == EQUAL
    window.feature(PredictFeature).what_if.save_to(tmp_path / "nowhere" / "costs.json")
    assert "cannot be written" in window.banner.label.text()


def test_costs_are_saved_under_the_chosen_name_or_not_at_all(
    window: MainWindow, panel: WhatIfPanel, tmp_path: Path
) -> None:
    (tmp_path / "costs.json").write_text("precious")
    window.feature(PredictFeature).what_if.save_to(tmp_path / "costs.toml")
    assert window.banner.label.text().endswith("costs.toml: use a name that ends in .json")
    assert (tmp_path / "costs.json").read_text() == "precious"
    assert not (tmp_path / "costs.toml").exists()
    panel.save.click()
    save_as(window, tmp_path / "costs")
    box = window.findChild(QMessageBox)
    assert box.text() == "costs.json already exists. Replace it?"
    replace_button(box).click()
    assert read_costs(tmp_path / "costs.json") == panel.basis.costs


def test_the_task_under_the_pointer_has_a_tooltip(panel: WhatIfPanel) -> None:
    picture, plot = panel.picture, panel.picture.plot
    first = plot.topLeft() + QPoint(2, 3)
    assert picture.tip_at(first).replace("\u00a0", " ") == "lane 0: 0F0, 1 ms"
    assert "lane 3: idle" in picture.tip_at(plot.bottomLeft() + QPoint(2, -3))
    assert "lane 3: idle" in picture.tip_at(plot.bottomLeft() + QPoint(2, 0))  # the last pixel
    assert picture.tip_at(QPoint(0, 0).toPointF()) == ""


def test_the_picture_is_described_in_words(panel: WhatIfPanel) -> None:
    words = panel.picture.accessibleDescription().replace("\u00a0", " ")
    assert words == "4 lanes, 124 tasks: makespan 33 ms, bubble 27.3 %"


def test_every_field_has_a_name_and_a_tooltip_of_one_sentence(panel: WhatIfPanel) -> None:
    for _, tip in WORDS.values():
        assert tip.endswith(".") and tip.count(". ") == 0
    for _, tip in FIGURES.values():
        assert tip.endswith(".")
    for row in panel.sliders.values():
        for field in (row.slider, row.number):
            assert field.accessibleName()
            assert field.toolTip()


def test_a_process_that_ends_is_reported_and_the_next_question_starts_another(
    window: MainWindow, panel: WhatIfPanel, qtbot: object
) -> None:
    before = panel.picture.answer
    window.feature(PredictFeature).what_if.on_reply(PredictionLost("the process has ended"))
    assert panel.picture.note == "The process has ended"
    panel.sliders["devices"].value = 6
    wait_for_another(panel, qtbot, before)


@pytest.mark.starts_processes
def test_a_suspended_process_is_ended_and_reported(
    window: MainWindow, panel: WhatIfPanel, qtbot: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.process.child.SUSPENDED_SECONDS", 0.5)
    before = panel.picture.answer
    os.kill(window.feature(PredictFeature).service.pid, signal.SIGSTOP)
    panel.sliders["devices"].value = 6
    qtbot.waitUntil(lambda: panel.picture.note.startswith("Predicting 6 devices"))
    wanted = "The prediction process has ended; ask again to start a new one"
    qtbot.waitUntil(lambda: panel.picture.note == wanted, timeout=ANSWER_MS)
    panel.sliders["devices"].value = 5
    wait_for_another(panel, qtbot, before)


@pytest.mark.starts_processes
def test_a_process_that_cannot_be_started_is_reported(
    window: MainWindow, qtbot: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr("core.process.child.subprocess.Popen", full)
    window.bring("try")
    panel = window.feature(PredictFeature).what_if.panel
    qtbot.waitUntil(lambda: os.strerror(errno.EAGAIN) in panel.picture.note)
    monkeypatch.undo()
    panel.ask_again()
    qtbot.waitUntil(lambda: panel.picture.answer is not None, timeout=ANSWER_MS)


def test_closing_the_window_in_the_middle_of_a_prediction_leaves_nothing(
    window: MainWindow, panel: WhatIfPanel
) -> None:
    panel.schedule.setCurrentIndex(panel.schedule.findData("chimera"))
    panel.sliders["devices"].value = 64
    panel.sliders["microbatches"].value = 256
    pid = window.feature(PredictFeature).service.pid
    assert pid is not None
    window.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    left = {thread.name for thread in threading.enumerate()}
    assert not left & {f"{MODULE} reader", "worker sender", "prediction overlay"}


def test_the_answer_with_step_and_memory_is_on_top_and_no_field_is_cut(
    window: MainWindow, client: FakeClient, panel: WhatIfPanel, qtbot: object
) -> None:
    assert panel.answer.headline.text().startswith("Predicted step: ")
    assert "critical path" not in panel.answer.detail.text(), "these costs are not measured"
    perform(window, client, specification("pipeline", devices="4xvirtual", steps=3))
    headline = panel.answer.headline
    qtbot.waitUntil(lambda: headline.text().endswith("same memory"), timeout=ANSWER_MS)
    start, end = window.run_shown.trace.step_bounds(window.scene.usual_step)
    answer = panel.picture.answer
    assert headline.text().startswith(f"{duration_text(end - start)} → ")
    assert duration_text(makespan(panel), like=end - start) in headline.text()
    assert answer.basis is not None
    # The command prints the same share.
    share, _, _ = str(answer.basis.text).partition(" of the critical path")
    assert panel.answer.detail.text().startswith(f"{share} of the critical path measured, ")
    panel.sliders["microbatches"].value = 16
    qtbot.waitUntil(lambda: "MB" in headline.text() or "kB" in headline.text(), timeout=ANSWER_MS)


@pytest.mark.parametrize("size", [(1440, 900), (1000, 650)])
def test_the_answer_and_the_first_fields_are_visible_without_scrolling(
    window: MainWindow, panel: WhatIfPanel, size: tuple[int, int], qtbot: object
) -> None:
    window.resize(*size)
    qtbot.wait(50)
    page = window.feature(PredictFeature).trying.page
    fields = panel.findChild(QScrollArea)
    names = ("devices", "microbatches")
    for part in (
        panel.answer.headline,
        panel.answer.run,
        *(panel.sliders[n].number for n in names),
    ):
        assert part.isVisible()
        seen = part.visibleRegion().boundingRect()
        assert seen == part.rect(), part.objectName() or part.text()
    assert page.ways.table.isVisible() and page.ways.table.viewport().height() >= 48
    for slider in panel.sliders.values():
        right = slider.number.mapTo(fields, slider.number.rect().topRight()).x()
        assert right <= fields.width(), slider.number.objectName()


def test_the_prediction_cuts_the_model_as_the_run_did(
    window: MainWindow, client: FakeClient, panel: WhatIfPanel, qtbot: object
) -> None:
    spec = specification("pipeline", devices="2xvirtual", borders="5", steps=2)
    perform(window, client, spec)
    qtbot.waitUntil(lambda: panel.question.borders == "5", timeout=ANSWER_MS)
    panel.sliders["devices"].value = 3
    assert panel.question.borders is None


def test_run_this_runs_the_predicted_settings_with_one_click(
    window: MainWindow, client: FakeClient, panel: WhatIfPanel, qtbot: object
) -> None:
    spec = specification("pipeline", devices="2xvirtual", borders="5", batch=32, steps=2)
    perform(window, client, spec)
    client.asked.clear()
    controller = window.feature(PredictFeature).trying
    panel.sliders["microbatches"].value = 4

    def is_answered() -> bool:
        candidate = controller.candidate
        return candidate is not None and candidate.specification[MICROBATCHES] == 4

    qtbot.waitUntil(is_answered, timeout=ANSWER_MS)
    QTest.mouseClick(panel.answer.run, Qt.MouseButton.LeftButton)
    (asked,) = client.asked
    assert (asked.strategy, asked.devices, asked.batch) == ("pipeline", "2xvirtual", 32)
    assert (asked[MICROBATCHES], asked[BORDERS], asked.steps) == (4, "5", 2)
    assert window.feature(RunFeature).form.specification() == asked
