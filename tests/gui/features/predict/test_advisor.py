"""The advisor: all ways ranked from a run's costs, and the chosen one run for real."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.engine.messages import Ended, Outcome
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.predict.advisor import Advice, AdviceResult
from core.predict.run_costs import run_costs
from core.predict.worker.requests import PredictionDone, PredictionProgress, PredictionRefused
from core.recording.schema import COSTS_LEVEL, Record
from gui.features.predict.advisor_panel import (
    COLUMNS,
    STEP,
    AdvisorPanel,
    pieces_text,
    way_tip,
)
from gui.features.predict.answer_line import AnswerLine
from gui.features.predict.feature import PredictFeature
from gui.features.predict.ranking import ranked, way_text
from gui.features.run.feature import RunFeature
from gui.features.runs.feature import RunsFeature
from gui.features.verdict.feature import VerdictFeature
from gui.features.verdict.suggestion import Change
from gui.look.text import duration_text, range_text
from gui.window.window import MainWindow
from tests.core.helpers import Note, batch_of
from tests.gui.fake_client import FakeClient
from tests.make_believe import batches, specification, without_steps
from tests.processes import is_alive

ADVICE_MS = 30_000
CHANGE, MEMORY, RANGE, MEASURED = 2, 3, 5, 6
"""Columns of the table."""
COSTS = {"forward_ms": 3, "backward_input_ms": 3, "backward_weight_ms": 3, "loss_ms": 0.2,
         "step_ms": 1.5, "link_latency_us": 100, "link_bandwidth_gb_s": 1, "rows": 4}  # fmt: skip


def perform(
    window: MainWindow, client: FakeClient, spec: Specification, calibrated: bool = True
) -> None:
    """Perform a whole run on the fake client."""
    window.session.run(spec)
    header, made = batches(spec)
    told = [batch_of([Note(Record.LOG, COSTS_LEVEL, 0, text=json.dumps(COSTS))])]
    client.say(header, *(told if calibrated else []) + made, Ended(Outcome.FINISHED))
    client.running = False
    while window.session.asking:
        window.session.tick()


@pytest.fixture
def panel(window: MainWindow, client: FakeClient, qtbot: object) -> AdvisorPanel:
    """The panel in its dock, with the ways of a run."""
    perform(window, client, specification(batch=32))
    client.asked.clear()
    window.bring("try")
    made = window.feature(PredictFeature).advisor.panel
    qtbot.waitUntil(lambda: made.model.rowCount() > 0, timeout=ADVICE_MS)
    made.best.setChecked(False)
    return made


def answer_of(window: MainWindow) -> AnswerLine:
    return window.feature(PredictFeature).trying.page.answer


def cell(panel: AdvisorPanel, row: int, column: int) -> QModelIndex:
    return panel.table.model().index(row, column)


def texts(panel: AdvisorPanel, column: int) -> list[str]:
    rows = range(panel.table.model().rowCount())
    return [cell(panel, row, column).data().replace("\u00a0", " ") for row in rows]


def test_without_a_run_the_panel_says_what_to_do_first(window: MainWindow) -> None:
    window.bring("try")
    panel = window.feature(PredictFeature).advisor.panel
    assert panel.line.text() == "Run once; its calibration provides the costs."
    assert not panel.again.isEnabled()


def test_a_predicted_recording_has_no_costs_to_offer(
    window: MainWindow, client: FakeClient
) -> None:
    perform(window, client, specification())
    before = window.feature(PredictFeature).advisor._trace
    measured = window.run_shown.trace
    window.feature(PredictFeature).advisor.show_trace(without_steps(measured))
    assert window.feature(PredictFeature).advisor._trace is before


def test_ways_that_the_costs_do_not_cover_are_left_out_with_a_note(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    perform(window, client, specification(batch=32), calibrated=False)
    window.bring("try")
    panel = window.feature(PredictFeature).advisor.panel
    qtbot.waitUntil(lambda: panel.model.rowCount() > 0, timeout=ADVICE_MS)
    assert {row.advice.specification.strategy for row in panel.model.rows} == {
        "single", "mp", "pipeline",
    }  # fmt: skip
    assert "Some ways are left out: the costs do not give the time of" in panel.line.text()


def test_all_strategies_and_schedules_that_fit_are_ranked_known_ones_first(
    panel: AdvisorPanel,
) -> None:
    rows = panel.model.rows
    ranks = [(not row.advice.known, row.advice.step_ns) for row in rows]
    assert ranks == sorted(ranks)
    marked = [text.startswith("≈ ") for text in texts(panel, STEP)]
    assert marked == [not row.advice.known for row in rows] and any(marked) and not all(marked)
    assert {row.advice.specification.strategy for row in rows} == set(STRATEGIES) - {"dp-pp"}
    schedules = {row.advice.specification.schedule for row in rows} - {None}
    assert schedules == set(SCHEDULES)
    assert not panel.table.selectionModel().hasSelection()


def test_the_present_settings_are_marked_and_the_others_compared_with_them(
    panel: AdvisorPanel,
) -> None:
    (present,) = [row for row in panel.model.rows if row.present]
    assert present.advice.specification.strategy == "pipeline"
    assert present.advice.specification.microbatches in (None, 8)
    for row in panel.model.rows:
        assert row.against == row.advice.step_ns / present.advice.step_ns - 1
    assert "present" in texts(panel, CHANGE)
    assert texts(panel, CHANGE)[0].startswith("\u2212")
    assert texts(panel, RANGE)[0].count(" to ") == 1


def test_a_click_on_a_heading_sorts_by_its_numbers(panel: AdvisorPanel) -> None:
    memory = MEMORY
    header = panel.table.horizontalHeader()
    at = header.viewport().rect().center()
    at.setX(header.sectionViewportPosition(memory) + header.sectionSize(memory) // 2)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    proxy = panel.table.model()
    order = [
        panel.model.rows[proxy.mapToSource(cell(panel, row, 0)).row()].advice.memory_bytes
        for row in range(proxy.rowCount())
    ]
    assert order in (sorted(order), sorted(order, reverse=True))
    assert len(set(order)) > 3


def test_every_cell_has_a_text_for_screen_readers(panel: AdvisorPanel) -> None:
    for column, what in enumerate(COLUMNS):
        told = cell(panel, 0, column).data(Qt.ItemDataRole.AccessibleTextRole)
        assert told.startswith(f"{what.heading}: ")
    assert panel.table.accessibleName()


@pytest.mark.parametrize("how", ["button", "double-click", "enter"])
def test_a_chosen_way_fills_the_form_and_runs_for_real(
    window: MainWindow, client: FakeClient, panel: AdvisorPanel, how: str
) -> None:
    at = panel.table.visualRect(cell(panel, 2, 1)).center()
    QTest.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    wanted = panel._current().advice.specification
    assert wanted.strategy != "single"
    if how == "button":
        QTest.mouseClick(answer_of(window).run, Qt.MouseButton.LeftButton)
    elif how == "enter":
        QTest.keyClick(panel.table, Qt.Key.Key_Return)
    else:
        QTest.mouseDClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    (asked,) = client.asked
    named = ("strategy", "devices", "batch", "schedule", "microbatches", "chunks", "steps")
    assert [getattr(asked, n) for n in named] == [getattr(wanted, n) for n in named]
    assert window.feature(RunFeature).form.specification() == asked


def test_the_answer_on_top_is_for_the_selected_way(
    window: MainWindow, panel: AdvisorPanel, qtbot: QtBot
) -> None:
    page = window.feature(PredictFeature).trying.page
    panel.table.selectRow(3)
    way = panel._current().advice
    name = way_text(way.specification)
    headline = page.answer.headline
    qtbot.waitUntil(lambda: headline.text().startswith(f"{name}: "), timeout=ADVICE_MS)
    assert page.picture.answer.makespan_ns == way.step_ns
    assert range_text(way.low_ns, way.high_ns) in page.answer.detail.text()
    page.asked.sliders["microbatches"].value += 1
    assert not panel.table.selectionModel().hasSelection()
    qtbot.waitUntil(lambda: not headline.text().startswith(name), timeout=ADVICE_MS)


def test_best_of_each_lists_a_way_of_each_strategy_and_schedule_and_the_present_one(
    panel: AdvisorPanel,
) -> None:
    panel.best.setChecked(True)
    proxy = panel.table.model()
    listed = [panel.model.rows[proxy.mapToSource(cell(panel, row, 0)).row()]
              for row in range(proxy.rowCount())]  # fmt: skip
    kinds = [(row.advice.specification.strategy, row.advice.specification.schedule)
             for row in listed if not row.present]  # fmt: skip
    assert len(kinds) == len(set(kinds)) > 3
    assert any(row.present for row in listed)
    assert len(listed) < len(panel.model.rows)


def test_a_way_that_cannot_run_here_is_not_run(window: MainWindow, client: FakeClient) -> None:
    window.feature(RunFeature).control.run_instead(specification(devices="2xcuda"))
    assert client.asked == []
    assert "This cannot run here. There is no cuda:0" in window.banner.label.text()


def test_nothing_is_predicted_while_a_run_is_under_way(
    window: MainWindow, panel: AdvisorPanel
) -> None:
    advisor = window.feature(PredictFeature).advisor
    window.session.run(specification())
    advisor.show_trace(window.run_shown.trace)
    assert advisor._asked is None


def test_advice_for_one_run_is_not_offered_above_another(
    window: MainWindow, client: FakeClient, panel: AdvisorPanel, qtbot: QtBot
) -> None:
    qtbot.waitUntil(window.feature(VerdictFeature).line.changes[0].isVisible)
    found: list[object] = []
    window.feature(PredictFeature).advisor.advised.connect(lambda change, *_: found.append(change))
    window.session.run(other := specification(batch=48))
    header, made = batches(other)
    client.say(header, *made[:4])
    qtbot.waitUntil(lambda: window.run_shown.live and bool(window.run_shown.trace.steps))
    assert not window.feature(VerdictFeature).line.changes[0].isVisible()
    # The panel still shows the previous run and requests a ranking from its costs again.
    QTest.mouseClick(panel.again, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(found), timeout=ADVICE_MS)
    assert found[0] and not window.feature(VerdictFeature).line.changes[0].isVisible()


def stop_before_a_step(window: MainWindow, client: FakeClient) -> None:
    """A run that is stopped before its first step."""
    window.session.run(other := specification("dp"))
    header, made = batches(other)
    client.say(header, made[0], Ended(Outcome.STOPPED))
    while window.session.asking:
        window.session.tick()


def return_to_the_first_run(window: MainWindow, client: FakeClient) -> None:
    """The tab of an earlier run, while another run is under way."""
    window.session.run(specification("dp"))
    tabs = window.feature(RunsFeature).tabs
    QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(0).center())


@pytest.mark.parametrize("show_another", [stop_before_a_step, return_to_the_first_run])
def test_a_late_answer_is_not_shown_for_another_run(
    window: MainWindow,
    client: FakeClient,
    panel: AdvisorPanel,
    monkeypatch: pytest.MonkeyPatch,
    show_another: Callable[[MainWindow, FakeClient], None],
) -> None:
    advisor = window.feature(PredictFeature).advisor
    monkeypatch.setattr(advisor.predictor, "send", lambda request: 1001)
    perform(window, client, specification(batch=48))
    asked_for = window.run_shown
    assert "batch 48" in panel.line.text()
    show_another(window, client)
    assert window.run_shown is not asked_for
    assert "batch 48" not in panel.line.text()
    assert panel.model.rowCount() == 0
    assert not panel.cancel.isVisible()
    faster, present = advice(100, microbatches=4), advice(200, microbatches=8)
    advisor.on_reply(PredictionDone(1001, AdviceResult([faster, present], present)))
    assert panel.model.rowCount() == 0
    ways = [one.change for one in window.feature(VerdictFeature).line.offered]
    assert Change.OTHER_WAY not in ways


def test_progress_and_cancel_appear_when_a_ranking_takes_long(
    window: MainWindow, panel: AdvisorPanel, monkeypatch: pytest.MonkeyPatch, qtbot: object
) -> None:
    advisor = window.feature(PredictFeature).advisor
    process = window.feature(PredictFeature).service.pid
    monkeypatch.setattr(advisor.predictor, "send", lambda job: 1001)
    rows = panel.model.rowCount()
    QTest.mouseClick(panel.again, Qt.MouseButton.LeftButton)
    assert not panel.cancel.isVisible()
    qtbot.waitUntil(panel.cancel.isVisible)
    advisor.on_reply(PredictionProgress(1001, 30, 60))
    assert (panel.progress.value(), panel.progress.maximum()) == (30, 60)
    QTest.mouseClick(panel.cancel, Qt.MouseButton.LeftButton)
    assert not panel.cancel.isVisible()
    assert panel.line.text().startswith("Cancelled.")
    assert panel.model.rowCount() == rows
    advisor.on_reply(PredictionDone(1001, AdviceResult([], None)))
    assert panel.model.rowCount() == rows, "what was cancelled must not come back"
    assert window.feature(PredictFeature).service.pid == process and is_alive(process)


def test_a_cancelled_ranking_is_not_shown_and_can_be_requested_again(
    window: MainWindow, panel: AdvisorPanel, qtbot: QtBot
) -> None:
    process = window.feature(PredictFeature).service.pid
    replies: list[object] = []
    window.feature(PredictFeature).advisor._replied.connect(
        replies.append, Qt.ConnectionType.QueuedConnection
    )
    panel.show_ways([])
    panel.again.click()
    panel.cancel.click()
    assert panel.line.text().startswith("Cancelled.")
    window.bring("try")
    picture = window.feature(PredictFeature).what_if.panel.picture
    qtbot.waitUntil(lambda: picture.answer is not None, timeout=ADVICE_MS)
    assert not any(isinstance(reply, PredictionDone) for reply in replies)
    assert panel.model.rowCount() == 0
    window.bring("try")
    panel.again.click()
    qtbot.waitUntil(lambda: panel.model.rowCount() > 0, timeout=ADVICE_MS)
    assert window.feature(PredictFeature).service.pid == process


def test_the_reason_why_nothing_can_be_predicted_is_shown(
    window: MainWindow, panel: AdvisorPanel
) -> None:
    advisor = window.feature(PredictFeature).advisor
    advisor._asked = 1001
    advisor.on_reply(PredictionRefused(1001, "the costs lack step_ms"))
    assert panel.line.text() == "The costs lack step_ms"
    assert panel.model.rowCount() == 0


def test_present_settings_that_the_advisor_would_not_try_are_ranked_too() -> None:
    ways = [advice(10, microbatches=8, schedule="1f1b"), advice(30, microbatches=4)]
    rows = ranked(AdviceResult(ways, advice(20, microbatches=5, schedule="1f1b")))
    assert [row.place for row in rows] == [1, 2, 3]
    assert [row.present for row in rows] == [False, True, False]
    assert [row.against for row in rows] == [-0.5, 0.0, 0.5]
    assert [row.against for row in ranked(AdviceResult(ways, None))] == [None, None]


def advice(step: int, known: bool = True, **values: object) -> Advice:
    return Advice(specification(**values), step, step - 1, step + 1, 0.1, 10, known)


def test_present_settings_are_first_unless_a_known_way_saves_enough() -> None:
    present = advice(200, microbatches=8, schedule="1f1b")
    guess = advice(50, known=False, microbatches=64)
    quick, near = advice(100, microbatches=4), advice(192, microbatches=4)
    better = ranked(AdviceResult([quick, present, guess], present, measured_ns=210))
    assert [row.advice for row in better] == [quick, present, guess]
    assert [row.measured_ns for row in better] == [None, 210, None]
    stays = ranked(AdviceResult([near, present, guess], present), {near.specification: 180}.get)
    assert [row.advice for row in stays] == [present, near, guess]
    assert [row.measured_ns for row in stays] == [None, 180, None]


def test_an_advised_run_shows_how_accurate_its_prediction_was(
    window: MainWindow, client: FakeClient, panel: AdvisorPanel, qtbot: QtBot
) -> None:
    panel.table.selectRow(0)
    chosen = panel._current()
    QTest.mouseClick(answer_of(window).run, Qt.MouseButton.LeftButton)
    (asked,) = client.asked
    perform(window, client, asked)
    begun = "Predicted before this run: " + duration_text(chosen.advice.step_ns)
    qtbot.waitUntil(lambda: panel.line.text().startswith(begun), timeout=ADVICE_MS)
    known = run_costs(window.run_shown.trace)
    assert known is not None
    took = duration_text(known.step_ns)
    assert f"Measured: {took} (" in panel.line.text()
    assert window.feature(VerdictFeature).line.note.text().startswith(begun)

    def is_measured() -> bool:
        return any(row.present and row.measured_ns == known.step_ns for row in panel.model.rows)

    qtbot.waitUntil(is_measured, timeout=ADVICE_MS)
    assert took.replace("\u00a0", " ") in texts(panel, MEASURED)


def test_ways_are_named_by_schedule_and_its_options() -> None:
    one = specification(schedule="interleaved", chunks=2, microbatches=16)
    assert way_text(one) == f"{SCHEDULES['interleaved'].title} ×2"
    assert pieces_text(one) == "16"
    several = specification("dp-pp", schedule="1f1b", replicas=2)
    assert way_text(several) == "1F1B, 2 replicas"
    assert way_text(specification("ddp")) == "Distributed data parallel"
    assert way_tip(specification("ddp")).startswith("Distributed data parallel\n")
    assert pieces_text(specification("ddp")) == ""
    assert COLUMNS[STEP].heading == "Step"
