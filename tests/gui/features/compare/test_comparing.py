"""Comparing two runs by mouse; by key, in test_compare_window.py."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from core.costs.cost_values import values_of
from core.costs.costs_file import costs_of
from core.plan.plan import working_lanes
from core.predict.compare import predict_steps, prediction_trace
from core.recording.decode import append_batch
from core.recording.schema import COSTS_LEVEL, Record
from core.trace.span import Span
from gui.app.jobs import close_all
from gui.app.run import Run
from gui.app.session import Session
from gui.app.settings import Settings
from gui.features.compare.chooser import other_of, others
from gui.features.compare.comparing import Comparing
from gui.features.compare.panel import matched_text
from gui.timeline.interact.view import TimelineView
from gui.timeline.state.scene import Scene
from tests.core.helpers import Note, batch_of
from tests.gui.fake_client import FakeClient
from tests.make_believe import batches, prediction_of, record, specification, trace_of


@dataclass
class Stand:
    """The parts of a window that a comparison uses, without the window."""

    comparing: Comparing
    session: Session
    settings: Settings
    client: FakeClient
    said: list[str]
    timeline: TimelineView
    run_shown: Run | None = None

    @property
    def a(self) -> TimelineView:
        """The timeline of run A."""
        return self.comparing.frame.a

    @property
    def b(self) -> TimelineView:
        """The timeline of run B."""
        view = self.comparing.frame.b
        assert view.isVisible()
        return view

    def show(self, run: Run) -> None:
        """Show a run as A."""
        self.run_shown = run
        self.a.state.show_scene(Scene(run.trace), run.live)
        self.comparing.show_run()


@pytest.fixture
def stand(qtbot: QtBot, settings: Settings) -> Iterator[Stand]:
    """A timeline and a panel side by side, with a session."""
    client, widget = FakeClient(), QWidget()
    session = Session(client)
    made = Stand(None, session, settings, client, [], TimelineView())  # type: ignore[arg-type]
    made.comparing = Comparing(made)
    frame, panel = (
        made.comparing.frame,
        made.comparing.panel,
    )
    parts = (
        made.comparing.choice,
        made.comparing.files,
    )
    for signal in (
        made.comparing.aligner.message,
        *(part.failed for part in parts),
        parts[1].message,
    ):
        signal.connect(made.said.append)
    row = QHBoxLayout(widget)
    row.addWidget(frame, 1)
    row.addWidget(panel)
    qtbot.addWidget(widget)
    widget.resize(1300, 600)
    widget.show()
    qtbot.waitExposed(widget)
    yield made
    widget.close()
    close_all(frame)


@pytest.fixture
def compared(stand: Stand, tmp_path: Path) -> Stand:
    """A run of two micro-batches above one of eight."""
    record(specification(microbatches=2), tmp_path / "two.arrow")
    record(specification(microbatches=8), tmp_path / "eight.arrow")
    stand.show(stand.session.open(tmp_path / "two.arrow")[0])
    stand.comparing.choice.open(tmp_path / "eight.arrow")
    return stand


def click(qtbot: QtBot, view: TimelineView, span: Span) -> None:
    """Click on the middle of a span's bar."""
    frame = view.state.frame
    row = next(row for row in frame.layout.tracks if row.lane == span.lane)
    rect = frame.rect(row, span.start, span.end or span.start)
    at = QPoint(round(rect.center().x()), round(rect.center().y()))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)


def bounds(stand: Stand) -> list[tuple[int, int]]:
    """Start and end of the compared step of A and of B."""
    two = stand.comparing.two
    assert two is not None and stand.a.state.trace is not None and stand.b.state.trace is not None
    return [
        stand.a.state.trace.step_bounds(two.step_a),
        stand.b.state.trace.step_bounds(two.step_b),
    ]


def test_both_steps_begin_at_the_same_pixel_and_are_wholly_visible(compared: Stand) -> None:
    (start, end), (other, last) = bounds(compared)
    a, b = compared.a.state.viewport, compared.b.state.viewport
    assert a.x(start) == pytest.approx(b.x(other), abs=0.01)
    assert min(a.x(start), b.x(other)) >= 0
    assert a.x(end) <= a.width and b.x(last) <= b.width


def test_the_panel_explains_the_difference_in_rows_that_add_up(compared: Stand) -> None:
    panel, two = compared.comparing.panel, compared.comparing.two
    assert two is not None
    assert "8 micro-batches instead of 2" in panel.sentence.text()
    assert "only in B" in panel.matched.text()
    items = [panel.table.topLevelItem(i) for i in range(panel.table.topLevelItemCount())]
    rows = [item.data(0, Qt.ItemDataRole.UserRole) for item in items]
    assert sum(row.contribution for row in rows if row in two.reasons) == two.difference
    assert sum(row.contribution for row in rows if row in two.lanes) == two.difference


@pytest.mark.parametrize(
    ("count", "text"), [(1, "1 task matched."), (1200, "1,200 tasks matched.")]
)
def test_matched_tasks_are_counted_in_words(compared: Stand, count: int, text: str) -> None:
    two = compared.comparing.two
    assert two is not None
    places = np.zeros(count, np.int64)
    none = np.zeros(0, np.int64)
    matches = replace(two.matches, of_a=places, of_b=places, only_a=none, only_b=none)
    assert matched_text(replace(two, matches=matches)) == text


def test_a_click_on_a_task_selects_its_match_in_the_other_run(
    compared: Stand, qtbot: QtBot
) -> None:
    two, a, b = compared.comparing.two, compared.a, compared.b
    assert two is not None and a.state.trace is not None and b.state.trace is not None
    span = a.state.trace.find(two.step_a, int(two.matches.a.task[two.matches.of_a[0]]))
    assert span is not None
    click(qtbot, a, span)
    assert a.state.selection == span and isinstance(b.state.selection, Span)
    assert (b.state.selection.kind, b.state.selection.stage, b.state.selection.microbatch) == (
        span.kind, span.stage, span.microbatch,
    )  # fmt: skip
    other = b.state.trace.find(two.step_b, int(two.matches.b.task[two.matches.of_b[-1]]))
    assert other is not None
    click(qtbot, b, other)
    assert isinstance(a.state.selection, Span) and a.state.selection.kind is other.kind


def test_a_task_without_a_match_leaves_the_other_selection(compared: Stand, qtbot: QtBot) -> None:
    two, a, b = compared.comparing.two, compared.a, compared.b
    assert two is not None and b.state.trace is not None
    a.selector.select_task(two.step_a, 0)
    before = a.state.selection
    alone = b.state.trace.find(two.step_b, int(two.matches.b.task[two.matches.only_b[0]]))
    assert alone is not None
    b.state.select(alone)
    assert a.state.selection == before and b.state.selection == alone


def test_aligning_without_a_span_in_each_run_shows_a_message(compared: Stand) -> None:
    compared.comparing.aligner.align(True)
    assert compared.said[-1] == "Select one span in each run, then align them."


def test_equal_lengths_end_both_steps_at_the_same_pixel(compared: Stand) -> None:
    (_, end), (_, last) = bounds(compared)
    assert compared.a.state.viewport.x(end) != pytest.approx(
        compared.b.state.viewport.x(last), abs=1
    )
    compared.comparing.aligner.scale(True)
    assert compared.a.state.viewport.x(end) == pytest.approx(
        compared.b.state.viewport.x(last), abs=0.01
    )


def test_a_drag_in_one_timeline_pans_both(compared: Stand, qtbot: QtBot) -> None:
    before = compared.a.state.viewport
    start, shift = QPoint(400, 60), QPoint(-80, 0)
    window = compared.b.viewport()
    qtbot.mousePress(window, Qt.MouseButton.MiddleButton, pos=start)
    qtbot.mouseMove(window, start + shift)
    qtbot.mouseRelease(window, Qt.MouseButton.MiddleButton, pos=start + shift)
    assert compared.a.state.viewport.start == pytest.approx(before.panned(80).start)


def test_a_row_of_the_table_outlines_its_spans_in_both_runs(compared: Stand, qtbot: QtBot) -> None:
    table, overlay = compared.comparing.panel.table, compared.comparing.frame.overlay
    assert overlay is not None
    table.setCurrentItem(table.topLevelItem(1))
    row = table.currentItem().data(0, Qt.ItemDataRole.UserRole)
    shown = overlay
    assert int((shown.of_a.end - shown.of_a.start).sum()) == row.a
    assert int((shown.of_b.end - shown.of_b.start).sum()) == row.b
    plain = compared.comparing.frame.grab().toImage()
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert table.currentItem().data(0, Qt.ItemDataRole.UserRole) != row
    assert compared.comparing.frame.grab().toImage() != plain


def test_other_steps_can_be_compared(compared: Stand) -> None:
    panel = compared.comparing.panel
    panel.step_a.setCurrentIndex(panel.step_a.findData(3))
    panel.step_b.setCurrentIndex(panel.step_b.findData("all"))
    two = compared.comparing.two
    assert two is not None and two.step_a == 3 and len(two.b.steps) == 5
    assert "mean of 5 steps" in compared.comparing.frame.strip_b.title.text()


def test_joins_are_drawn_only_while_they_are_switched_on(compared: Stand) -> None:
    overlay = compared.comparing.frame.overlay
    assert overlay is not None
    compared.comparing.frame.join(True)
    compared.comparing.frame.grab()
    assert overlay.joined is not None and overlay.joined.of > 0
    compared.comparing.frame.join(False)
    compared.comparing.frame.grab()
    assert overlay.joined is None


def test_a_file_that_is_not_a_recording_is_reported_in_one_line(
    compared: Stand, tmp_path: Path
) -> None:
    compared.comparing.leave()
    (tmp_path / "text.arrow").write_text("nothing")
    compared.comparing.choice.open(tmp_path / "text.arrow")
    assert "text.arrow" in compared.said[-1] and "\n" not in compared.said[-1]
    assert not compared.comparing.frame.divided


def test_a_prediction_is_compared_at_the_runs_own_step(compared: Stand) -> None:
    run = compared.run_shown
    assert run is not None
    run.prediction = prediction_of(specification(microbatches=2), run.trace)
    (predicted, *_) = others(compared.session.runs, run)
    panel = compared.comparing.panel
    panel.step_a.setCurrentIndex(panel.step_a.findData(4))
    compared.comparing.begin(predicted)
    two = compared.comparing.two
    assert two is not None and (two.step_a, two.step_b) == (4, 4)
    assert panel.step_b.currentText() == "the same as in A"
    assert compared.comparing.frame.strip_b.title.text().startswith("Prediction of this run · ")


def test_a_prediction_of_longer_steps_is_compared_with_them_one_after_the_other() -> None:
    trace = trace_of(specification(warmup=0, steps=3))
    slow = costs_of({"forward_ms": 30, "backward_ms": 60, "step_ms": 1, "transfer_ms": 1})
    told = Note(Record.LOG, COSTS_LEVEL, 0, text=json.dumps(values_of(slow)))
    append_batch(trace, batch_of([told]))
    comparison = predict_steps(trace)
    assert comparison is not None
    run = Run(1, trace, prediction=prediction_trace(trace, comparison))
    (predicted, *_) = others([run], run)
    bounds = [predicted.trace.step_bounds(step) for step in trace.steps]
    assert [end - start for start, end in bounds] == [s.predicted_ns for s in comparison.steps]
    assert bounds[0][0] == trace.step_bounds(0)[0]
    assert all(end <= start for (_, end), (start, _) in pairwise(bounds))
    assert predicted.trace.bounds == (bounds[0][0], bounds[-1][1])
    for lane in working_lanes(trace.header.lanes):
        spans = predicted.trace.spans(lane.index)
        assert len(spans) == len(trace.spans(lane.index))
        assert (spans.start[1:] >= spans.end[:-1]).all()
    # Next to the measured run, the prediction begins where that run began.
    assert run.prediction.step_bounds(1)[0] == trace.step_bounds(1)[0] < bounds[1][0]


def test_a_run_that_replaces_a_is_compared_with_b(compared: Stand, tmp_path: Path) -> None:
    record(specification("dp"), tmp_path / "dp.arrow")
    compared.show(compared.session.open(tmp_path / "dp.arrow")[0])
    assert compared.comparing.frame.strip_a.title.text().startswith("Data parallel")
    assert "instead of Data parallel" in compared.comparing.panel.sentence.text()


def test_a_live_run_is_compared_while_it_grows(stand: Stand, tmp_path: Path) -> None:
    record(specification(microbatches=2), tmp_path / "two.arrow")
    other = stand.session.open(tmp_path / "two.arrow")[0]
    spec = specification(microbatches=8)
    header, made = batches(spec)
    stand.session.run(spec)
    stand.client.say(header)
    stand.session.tick()
    run = stand.session.live
    assert run is not None
    stand.show(run)
    stand.comparing.begin(other_of(other))
    panel = stand.comparing.panel
    assert panel.sentence.text() == "Run A has no whole step to compare yet."
    stand.client.say(*made)
    stand.session.tick()
    stand.comparing.refresh()
    two = stand.comparing.two
    assert two is not None and run.live
    assert "2 micro-batches instead of 8" in panel.sentence.text()
    newest, below = run.trace.step_bounds(run.trace.steps[-1]), bounds(stand)[1]
    assert newest[0] != bounds(stand)[0][0]
    assert stand.a.state.viewport.x(newest[0]) == pytest.approx(
        stand.b.state.viewport.x(below[0]), abs=0.01
    )


@pytest.mark.parametrize("suffix", ["svg", "html"])
def test_the_comparison_on_screen_is_exported(compared: Stand, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"both.{suffix}"
    compared.comparing.frame.join(True)
    compared.comparing.files.export_to(path)
    text = path.read_text(encoding="utf-8")
    assert "micro-batches" in text and "<image" not in text
    assert compared.said[-1] == f"Exported both.{suffix}."
