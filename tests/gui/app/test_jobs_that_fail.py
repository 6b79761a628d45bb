"""Background work that fails unexpectedly shows one line and leaves nothing running.

A fault is put into the middle of each real job.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.compare.runs import compare_runs
from core.explain.statistics import RangeCount
from core.recording.decode import append_batch
from core.trace.listing import Listing
from core.trace.query import parse_query
from core.trace.search import Search
from core.trace.trace import Trace
from gui.app import jobs
from gui.app.run import Run
from gui.features.compare import worker as comparing
from gui.features.compare.worker import CompareWorker
from gui.features.figures.feature import FiguresFeature
from gui.features.predict import prediction_overlay
from gui.features.predict.prediction_overlay import PredictionOverlay
from gui.features.recordings import files, opening
from gui.features.recordings.feature import RecordingsFeature
from gui.features.recordings.opening import OpeningStrip
from gui.features.spans import panel as spans
from gui.features.spans import searching
from gui.features.spans.panel import SpansPanel
from gui.features.spans.searching import Searcher
from gui.features.statistics import panel as statistics
from gui.features.statistics.panel import StatisticsPanel
from gui.report import job as reporting
from gui.timeline.state.scene import Scene
from gui.timeline.state.selection import TimeRange
from gui.window.window import MainWindow
from tests.make_believe import batches, record, specification, trace_of

SPEC = specification(steps=3)
LINE = "This could not be done: ZeroDivisionError: put in on purpose"


def fail(*_: object, **__: object) -> None:
    raise ZeroDivisionError("put in on purpose")


def then_fail(before: Callable[..., Iterator[object]]) -> Callable[..., Iterator[object]]:
    """A generator that fails after its first value."""

    def broken(*given: object) -> Iterator[object]:
        work = before(*given)
        yield next(work)
        work.close()
        fail()

    return broken


@pytest.fixture
def messages() -> list[str]:
    return []


def test_a_recording_whose_saving_fails_is_not_reported_as_saved(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "AT_ONCE_S", 0.0)
    (tmp_path / "runs").mkdir()
    record(SPEC, tmp_path / "runs" / "source.arrow")
    window.feature(RecordingsFeature).files.open_from(tmp_path / "runs" / "source.arrow")
    monkeypatch.setattr(window.run_shown, "saving", then_fail(window.run_shown.saving))
    window.feature(RecordingsFeature).files.save_to(tmp_path / "runs" / "copy.arrow")
    qtbot.waitUntil(window.banner.isVisible)
    qtbot.wait(20)
    assert window.banner.label.text() == LINE and "Saved" not in window.statusBar().currentMessage()
    assert (
        not window.feature(RecordingsFeature).files.saving.running
        and window.feature(RecordingsFeature).files.progress.dialog is None
    )
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["source.arrow"]


def test_a_table_whose_writing_fails_is_not_reported_as_saved(
    messages: list[str], tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spans, "AT_ONCE_S", 0.0)
    monkeypatch.setattr(spans, "write_spans", then_fail(spans.write_spans))
    panel = SpansPanel()
    qtbot.addWidget(panel)
    panel.show()
    panel.show_scene(Scene(trace_of(SPEC)), False)
    panel.message.connect(messages.append)
    panel.failed.connect(messages.append)
    panel.save_to(tmp_path / "spans.csv")
    qtbot.waitUntil(lambda: bool(messages))
    qtbot.wait(20)
    assert messages == [LINE] and not panel.saver.running
    assert not list(tmp_path.iterdir())


def test_a_report_is_not_written_if_one_of_its_sections_fails(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reporting, "run_sections", then_fail(reporting.run_sections))
    record(SPEC, tmp_path / "run.arrow")
    window.feature(RecordingsFeature).files.open_from(tmp_path / "run.arrow")
    place = tmp_path / "report.html"
    window.feature(FiguresFeature).exporting.report_to(place)
    qtbot.waitUntil(window.banner.isVisible)
    qtbot.wait(20)
    assert (
        window.banner.label.text() == LINE
        and not window.feature(FiguresFeature).exporting.report.running
    )
    assert window.feature(FiguresFeature).exporting.progress.dialog is None
    assert not [path for path in tmp_path.iterdir() if "report" in path.name]


def test_a_failed_search_is_reported_in_one_line(
    messages: list[str], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "AT_ONCE_S", 0.0)
    monkeypatch.setattr(searching, "PIECE", 1)
    searcher = Searcher()
    searcher.failed.connect(messages.append)
    monkeypatch.setattr(jobs, "SLICE_S", 0.0)
    searcher.ask(trace_of(SPEC), parse_query("forward"))
    monkeypatch.setattr(Search, "advance", fail)
    qtbot.waitUntil(lambda: bool(messages))
    qtbot.wait(20)
    assert messages == [LINE] and not searcher.running


@pytest.mark.parametrize("large", [False, True])
def test_spans_that_cannot_be_sorted_are_reported_in_one_line(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    panel = SpansPanel()
    qtbot.addWidget(panel)
    panel.show()
    panel.show_scene(Scene(trace_of(SPEC)), False)
    if large:
        monkeypatch.setattr(spans, "AT_ONCE", 0)
    monkeypatch.setattr(Listing, "sorted_by", fail)
    panel.sort_column.setCurrentIndex(1)
    qtbot.waitUntil(panel.problem.isVisible)
    assert panel.problem.text() == LINE
    assert "sorting" not in panel.count.text()


def test_a_range_that_cannot_be_counted_is_reported_and_leaves_nothing_waiting(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel, scene = StatisticsPanel(), Scene(trace_of(SPEC))
    qtbot.addWidget(panel)
    panel.show()
    monkeypatch.setattr(statistics, "AT_ONCE_S", 0.0)
    monkeypatch.setattr(statistics, "PATIENCE_S", 0.0)
    panel.show_range(scene, TimeRange(*scene.trace.bounds, None))
    assert panel._stack.currentWidget() is panel._waiting
    monkeypatch.setattr(RangeCount, "advance", fail)
    qtbot.waitUntil(lambda: panel._stack.currentIndex() == 0)
    assert panel.hint.text() == LINE


def test_the_strip_disappears_when_opening_a_recording_fails_for_any_reason(
    messages: list[str], tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(SPEC, tmp_path / "run.arrow")
    monkeypatch.setattr(opening, "open_recording", fail)
    strip = OpeningStrip()
    qtbot.addWidget(strip)
    strip.failed.connect(messages.append)
    strip.open(tmp_path / "run.arrow")
    qtbot.waitUntil(lambda: bool(messages))
    assert messages == [LINE] and not strip.isVisible()


def test_a_prediction_that_fails_on_its_thread_is_reported(
    messages: list[str], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prediction_overlay, "predict_steps", fail)
    made, run = PredictionOverlay(), Run(1, trace_of(SPEC), source=Path("there.arrow"))
    made.failed.connect(messages.append)
    made.predict(run)
    qtbot.waitUntil(lambda: bool(messages))
    made.runner.close()
    assert messages == [f"There is no prediction: {LINE}"] and run.prediction is None


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[CompareWorker]:
    """Return a worker that compares everything on a thread."""
    monkeypatch.setattr(comparing, "LARGE", 0)
    made = CompareWorker()
    yield made
    made.close()


def test_a_comparison_that_fails_on_its_thread_answers_with_one_line(
    worker: CompareWorker, messages: list[object], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "compare_runs", fail)
    worker.failed.connect(messages.append)
    trace = trace_of(SPEC)
    worker.ask(trace, trace, [2], [3])
    assert worker.running
    qtbot.waitUntil(lambda: bool(messages))
    assert messages == [LINE] and not worker.running


def test_a_comparison_reads_the_runs_as_they_were_when_it_was_requested(
    worker: CompareWorker, messages: list[object], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go_on, read = threading.Event(), threading.Event(), list[Trace]()

    def slow(a: Trace, b: Trace, *given: object) -> object:
        began.set()
        assert go_on.wait(30)
        read.extend((a, b))
        return compare_runs(a, b, *given)

    header, made = batches(SPEC)
    live, other = Trace(header), trace_of(specification(steps=3, microbatches=2))
    half = len(made) - 3  # all except the last step
    for batch in made[:half]:
        append_batch(live, batch)
    known, bounds = live.span_count, live.bounds
    counters = {(c.name, c.lane): len(c.times) for c in live.counters.values()}
    expected = compare_runs(live, other, [2], [2])
    monkeypatch.setattr(comparing, "compare_runs", slow)
    worker.done.connect(messages.append)
    worker.ask(live, other, [2], [2])
    assert began.wait(30)
    for batch in made[half:]:
        append_batch(live, batch)
    go_on.set()
    qtbot.waitUntil(lambda: bool(messages))
    assert messages[0].to_dict() == expected.to_dict()
    assert read[0].span_count == known < live.span_count
    assert read[0].bounds == bounds and read[0].steps == live.steps[:-1]
    assert {(c.name, c.lane): len(c.times) for c in read[0].counters.values()} == counters
