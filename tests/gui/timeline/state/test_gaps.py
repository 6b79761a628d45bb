"""Gaps under the mouse: their tooltips show the cause, and a click leads to the blocking task."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableWidget
from pytestqt.qtbot import QtBot

from core.explain.cause_intervals import CauseIntervals
from core.explain.causes import CAUSES, Cause
from core.explain.explanation import cause_totals
from core.explain.lanes import Gap
from core.explain.run_step import explain_run_step
from core.recording.decode import append_batch
from core.recording.schema import NoteRow, Record, note_batch
from core.trace.span import Span
from core.trace.trace import Trace
from gui.features.details.feature import DetailsFeature
from gui.features.details.panel import DetailsPanel
from gui.look.causes import BAR_LOOKS, CAUSE_LOOKS, SHARE_LOOKS
from gui.timeline.layout.frame import Viewport
from gui.timeline.paint.gap_labels import steps_to_explain
from gui.timeline.state.explained import KEPT_TASKS, STALE_S, ExplanationCache, Wanted
from gui.timeline.state.scene import Scene
from gui.timeline.state.selection import TimeRange
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.window.test_window import perform
from tests.make_believe import GPUS, MS, batches, specification, trace_of


def place(window: MainWindow, lane: int, time: float) -> QPoint:
    """Return the pixel of a time on a lane."""
    frame = window.timeline.state.frame
    row = frame.layout.track_of(lane)
    return QPoint(round(frame.x(time)), round(frame.top + row.top + row.height / 2))


def click(window: MainWindow, lane: int, time: float) -> None:
    QTest.mouseClick(
        window.timeline.viewport(), Qt.MouseButton.LeftButton, pos=place(window, lane, time)
    )


def shown_step(window: MainWindow) -> int:
    """Return the step on screen."""
    return window.scene.described


def first_gap(window: MainWindow, lane: int) -> tuple[int, int]:
    """Return the gap before a lane's first task of the step on screen."""
    gaps = window.scene.explained.step(shown_step(window)).main_waits
    mine = gaps.of_lane(lane).start
    return int(gaps.start[mine]), int(gaps.end[mine])


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def cells(details: DetailsPanel) -> list[list[str]]:
    table = details.reasons
    return [
        [plain(table.item(row, column).text()) for column in range(table.columnCount())]
        for row in range(table.rowCount())
    ]


def test_a_clicked_gap_is_explained_in_one_sentence(window: MainWindow, client: FakeClient) -> None:
    perform(window, client, specification("mp"))
    start, end = first_gap(window, 1)
    click(window, 1, (start + end) / 2)
    assert isinstance(window.timeline.state.selection, Gap)
    assert window.feature(DetailsFeature).panel.widget.sentence.isVisible()
    said = plain(window.feature(DetailsFeature).panel.widget.sentence.text())
    assert said == "cpu:1 waits 32 ms for F0 on cpu:0 (pipeline fills)."
    assert cells(window.feature(DetailsFeature).panel.widget) == [
        ["pipeline fills", "32 ms", "100.0 %", "F0 on cpu:0"]
    ]


def test_the_reasons_of_a_gap_add_up_to_it(window: MainWindow, client: FakeClient) -> None:
    perform(window, client, specification(devices="4xcpu"))
    start, end = first_gap(window, 3)
    click(window, 3, (start + end) / 2)
    rows = cells(window.feature(DetailsFeature).panel.widget)
    assert len(rows) > 2
    assert sum(float(re.sub(r"[^0-9.]", "", row[2])) for row in rows) == pytest.approx(100, abs=0.5)
    assert rows[0] == ["pipeline fills", "4 ms", rows[0][2], "F0 on cpu:0"]
    assert {row[0] for row in rows} == {"pipeline fills", "transfer"}


@pytest.mark.parametrize("by", ["mouse", "keys"])
def test_a_reason_leads_to_its_blocking_task(
    window: MainWindow, client: FakeClient, by: str
) -> None:
    perform(window, client, specification(devices="4xcpu"))
    start, end = first_gap(window, 3)
    click(window, 3, (start + end) / 2)
    table = window.feature(DetailsFeature).panel.widget.reasons
    assert table.toolTip() or table.item(0, 3).toolTip() == "Show F0 on cpu:0 in the timeline."
    if by == "mouse":
        spot = table.visualItemRect(table.item(0, 3)).center()
        QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    else:
        table.setFocus()
        table.setCurrentCell(0, 0)
        QTest.keyClick(table, Qt.Key.Key_Return)
    chosen = window.timeline.state.selection
    assert isinstance(chosen, Span)
    assert (chosen.lane, str(chosen.kind), chosen.microbatch) == (0, "forward", 0)
    assert chosen.step == shown_step(window)
    assert window.timeline.state.viewport.start <= chosen.start
    assert not window.feature(DetailsFeature).panel.widget.sentence.isVisible()


def test_a_blocking_task_outside_the_view_is_scrolled_into_view(
    window: MainWindow, client: FakeClient
) -> None:
    perform(window, client, specification(devices="4xcpu"))
    start, end = first_gap(window, 3)
    click(window, 3, (start + end) / 2)
    window.timeline.navigator.fit_between(end - MS, end + MS)
    window.feature(DetailsFeature).panel.widget.blocking_task_chosen.emit(shown_step(window), 0)
    chosen, view = window.timeline.state.selection, window.timeline.state.viewport
    assert view.start <= (chosen.start + chosen.end) / 2 <= view.end


def test_the_tooltip_of_a_gap_between_steps_names_it_as_such(
    window: MainWindow, client: FakeClient
) -> None:
    perform(window, client, specification())
    before = window.run_shown.trace.step_bounds(shown_step(window) - 1)[1]
    window.timeline.navigator.fit_between(before - MS, before + 2 * MS)
    QTest.mouseMove(window.timeline.viewport(), place(window, 0, before + MS / 2))
    assert window.timeline.overlays.hovered is not None
    assert plain(window.timeline.overlays.hovered[1]) == "cpu:0 waits 1 ms: between steps"


def test_a_waiting_copy_lane_is_explained_as_having_nothing_to_move(qtbot: object) -> None:
    trace = trace_of(specification(devices="cuda:0,cuda:1", steps=1, warmup=0), GPUS)
    panel = DetailsPanel()
    qtbot.addWidget(panel)
    scene = Scene(trace)
    start, end = trace.step_bounds(0)
    lane = next(x.index for x in trace.header.lanes if x.serves != x.index)
    gap = Gap(lane, 0, start, end, None)
    panel.show_selection(trace, gap, None, scene.explained.report(lane, start))
    assert ": nothing to move" in panel.sentence.text()
    assert cells(panel)[0][3] == "nothing"
    panel.reasons.itemClicked.emit(panel.reasons.item(0, 0))


@pytest.mark.parametrize("width", range(300, 420, 8))
def test_no_word_of_the_details_is_cut_at_any_width(qtbot: object, width: int) -> None:
    trace = trace_of(specification(steps=1, warmup=0))
    panel = DetailsPanel()
    qtbot.addWidget(panel)
    panel.resize(width, 200)
    panel.show()
    panel.show_selection(trace, TimeRange(*trace.step_bounds(0), None))
    panel.grab()
    assert not cut_words(panel.table)


@pytest.mark.parametrize("width", range(300, 420, 10))
def test_no_word_of_a_gaps_reasons_is_cut_at_any_width(qtbot: object, width: int) -> None:
    trace = trace_of(specification(devices="4xvirtual", steps=1, warmup=0))
    panel = DetailsPanel()
    qtbot.addWidget(panel)
    panel.resize(width, 400)
    panel.show()
    scene = Scene(trace)
    found = scene.explained.step(0).main_waits
    longest = found.of_lane(0).start + int(np.argmax((found.end - found.start)[found.of_lane(0)]))
    gap = Gap(0, 0, int(found.start[longest]), int(found.end[longest]), None)
    panel.show_selection(trace, gap, None, scene.explained.report(0, gap.start))
    panel.grab()
    assert panel.reasons.rowCount() > 1
    assert not cut_words(panel.reasons)


def cut_words(table: QTableWidget) -> list[str]:
    """Return the texts of a table that are wider or higher than their cells."""
    cut = []
    for row, column in product(range(table.rowCount()), range(table.columnCount())):
        cell = table.visualRect(table.model().index(row, column)).adjusted(5, 2, -5, -2)
        text = table.item(row, column).text()
        words = table.fontMetrics().boundingRect(cell, Qt.TextFlag.TextWordWrap, text)
        if words.height() > cell.height() or words.width() > cell.width() + 1:
            cut.append(text)
    return cut


def test_selecting_a_span_or_nothing_removes_the_sentence(
    window: MainWindow, client: FakeClient
) -> None:
    perform(window, client, specification())
    start, end = first_gap(window, 1)
    click(window, 1, (start + end) / 2)
    assert window.feature(DetailsFeature).panel.widget.sentence.isVisible()
    window.timeline.selector.clear()
    assert not window.feature(DetailsFeature).panel.widget.sentence.isVisible()
    assert window.feature(DetailsFeature).panel.widget.reasons.rowCount() == 0


def test_wide_bubbles_have_a_label(window: MainWindow, client: FakeClient) -> None:
    perform(window, client, specification("mp"))
    start, end = first_gap(window, 1)
    image = window.timeline.viewport().grab().toImage()
    middle, ratio = place(window, 1, (start + end) / 2), image.devicePixelRatio()
    box = [
        image.pixelColor(int((middle.x() + x) * ratio), int((middle.y() + y) * ratio)).lightness()
        for x in range(-14, 15)
        for y in range(-6, 7)
    ]
    hatch = QColor(window.timeline.state.theme.idle).lightness()
    assert min(box) < hatch - 20
    assert sum(light > 250 for light in box) > len(box) / 2


def test_the_unfinished_step_is_not_explained_for_its_labels() -> None:
    header, made = batches(specification(steps=4, warmup=0))
    shown = Trace(header)
    for batch in made[:8]:  # two whole steps, and the next step's first task
        append_batch(shown, batch)
    scene = Scene(shown)
    last = shown.open_tasks[0].step
    assert scene.open_step == last
    view = Viewport(width=1000).fitted(*map(float, scene.bounds))
    assert steps_to_explain(scene, view) == [s for s in shown.steps if s != last]
    assert steps_to_explain(scene, Viewport(width=1000).fitted(0.0, 1e12)) == []


def test_a_growing_step_is_explained_again_but_not_continually() -> None:
    header, made = batches(specification(steps=1, warmup=0))
    trace = Trace(header)
    now = [0.0]
    explained = ExplanationCache(trace, lambda: now[0])
    whole = made[2]
    append_batch(trace, made[0])  # the plan
    append_batch(trace, whole.slice(0, 20))
    first = explained.explanation(0)
    assert explained.explanation(0) is first
    append_batch(trace, whole.slice(20))
    assert explained.explanation(0) is first
    now[0] = STALE_S
    second = explained.explanation(0)
    assert second is not first
    append_batch(trace, log_batch())  # no new data of the step
    now[0] = 10 * STALE_S
    assert explained.explanation(0) is second


@pytest.mark.parametrize(
    "ending", ["the next step begins", "its loss is known", "the run ends", "the run is stopped"]
)
def test_an_explanation_of_an_unfinished_step_is_replaced_as_soon_as_it_ends(
    ending: str,
) -> None:
    header, made = batches(specification(steps=2, warmup=0))
    trace = Trace(header)
    explained = ExplanationCache(trace, lambda: 0.0)
    for batch in (made[0], made[2]):
        append_batch(trace, batch)
    assert causes_of(explained.cause_intervals(0)) == causes_of(explained.step(0).cause_intervals)
    assert Cause.NOT_KNOWN in causes_of(explained.cause_intervals(0))
    before = explained.figures(0), explained.trail(0)
    append_batch(
        trace,
        {
            "the next step begins": made[5].slice(0, 1),
            "its loss is known": made[3],
            "the run ends": log_batch("finished"),
            "the run is stopped": log_batch("stopped"),
        }[ending],
    )
    assert not any(explained.knows(0, wanted) for wanted in Wanted)
    expected = explain_run_step(trace, 0)
    assert Cause.NOT_KNOWN not in causes_of(explained.cause_intervals(0))
    assert cause_totals(explained.explanation(0)).tolist() == cause_totals(expected).tolist()
    assert explained.figures(0) is not before[0] and explained.trail(0) is not before[1]
    assert all(explained.knows(0, wanted) for wanted in Wanted)


def causes_of(idle: CauseIntervals) -> set[Cause]:
    return {CAUSES[place] for place in np.unique(idle.cause).tolist()}


def log_batch(state: str | None = None) -> pa.RecordBatch:
    return note_batch([NoteRow(Record.LOG, "state" if state else "info", 0, text=state or "Well.")])


def test_old_explanations_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = trace_of(specification(steps=5, warmup=0))
    monkeypatch.setattr("gui.timeline.state.explained.KEPT_TASKS", 2 * trace.span_count // 5)
    explained = ExplanationCache(trace)
    for step in range(5):
        explained.explanation(step)
    assert [explained.knows(step) for step in range(5)] == [False, False, False, True, True]
    assert KEPT_TASKS > 100_000


def test_warming_keeps_its_time_limit_but_explains_at_least_one_step() -> None:
    trace = trace_of(specification(steps=3, warmup=0))
    now = [0.0]

    def clock() -> float:
        now[0] += 1.0
        return now[0]

    explained = ExplanationCache(trace, clock)
    assert not explained.warm([0, 1, 2], 1.5)
    assert explained.knows(0) and not explained.knows(2)
    assert explained.warm([0, 1, 2], 100)


def test_every_cause_share_and_rung_has_a_distinct_text_and_look() -> None:
    assert set(CAUSE_LOOKS) == set(Cause)
    for looks in (CAUSE_LOOKS, SHARE_LOOKS, BAR_LOOKS):
        assert len(set(looks.values())) == len(looks)


def test_the_shown_intervals_add_up_to_the_idle_time_of_the_lanes(
    window: MainWindow, client: FakeClient
) -> None:
    perform(window, client, specification("dp", devices="4xcpu"))
    explained, step = window.scene.explained, shown_step(window)
    found = explained.cause_intervals(step)
    totals = cause_totals(explained.explanation(step))
    for lane in range(4):
        mine = found.of_lane(lane)
        assert int(np.sum(found.end[mine] - found.start[mine])) == totals[lane].sum()


def test_a_gap_of_a_very_large_step_is_explained_when_it_is_clicked(
    qtbot: QtBot, window: MainWindow, client: FakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.timeline.state.explained.LARGE", 1)
    perform(window, client, specification("mp"))
    start, end = window.run_shown.trace.step_bounds(shown_step(window))
    moment = start + MS  # while lane 1 still waits for its first micro-batch
    QTest.mouseMove(window.timeline.viewport(), place(window, 1, moment))
    assert window.timeline.overlays.hovered[2][-1] == "Click to see why."
    click(window, 1, moment)
    assert (
        "explaining it takes some seconds"
        in window.feature(DetailsFeature).panel.widget.sentence.text()
    )
    qtbot.waitUntil(
        lambda: "pipeline fills" in window.feature(DetailsFeature).panel.widget.sentence.text()
    )
    assert end > moment


def test_steps_on_screen_stay_explained_however_many_tasks_they_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trace = trace_of(specification(steps=7, warmup=0))
    monkeypatch.setattr("gui.timeline.state.explained.KEPT_TASKS", trace.span_count // 2)
    explained, (*shown, last) = ExplanationCache(trace), trace.steps
    assert explained.warm(shown, 60.0)
    known = [explained.known(step) for step in shown]
    assert None not in known
    assert explained.warm(shown, 60.0) and [explained.known(step) for step in shown] == known
    assert explained.warm([last], 60.0)  # the others are not on screen now
    assert [explained.knows(step) for step in trace.steps] == [False] * 4 + [True] * 3
