"""The table of spans under real keys and clicks, in step with the timeline."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QFileDialog

from core.plan.task import Kind
from core.recording.decode import append_batch
from core.trace.listing import Listing
from core.trace.span import Span
from core.trace.trace import Trace
from gui.features.spans.feature import SpansFeature
from gui.features.spans.model import COLUMNS, SpansModel
from gui.features.spans.panel import SpansPanel
from gui.timeline.state.scene import Scene
from gui.window.window import MainWindow
from tests.core.trace.invented import named
from tests.gui.dialogs import save_as
from tests.gui.fake_client import FakeClient
from tests.make_believe import batches, specification, trace_of

SPEC = specification("pipeline", schedule="1f1b", microbatches=4, steps=3, warmup=0)
DOWN, UP = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder


@pytest.fixture
def panel(qtbot: object) -> Iterator[SpansPanel]:
    made = SpansPanel()
    qtbot.addWidget(made)
    made.resize(900, 300)
    made.show()
    qtbot.waitExposed(made)
    made.show_scene(Scene(trace_of(SPEC)), False)
    yield made
    made.close()


def rows(panel: SpansPanel) -> list[Span]:
    return [panel.model.span_at(row) for row in range(panel.model.rowCount())]


def column(key: str) -> int:
    return [shown.key for shown in COLUMNS].index(key)


def ask(panel: SpansPanel, text: str) -> None:
    panel.field.clear()
    QTest.keyClicks(panel.field, text)
    QTest.keyClick(panel.field, Qt.Key.Key_Return)


def test_every_span_has_a_row_that_describes_it(panel: SpansPanel) -> None:
    trace = panel.model.listing.trace
    assert rows(panel) == list(trace)
    first = rows(panel)[0]
    told = {shown.key: panel.model.index(0, n).data() for n, shown in enumerate(COLUMNS)}
    assert told["lane"] == trace.header.lanes[0].name
    assert told["kind"] == "Forward"
    assert told["task"] == "0F0"
    assert told["microbatch"] == str(first.microbatch)
    assert panel.count.text() == f"{trace.span_count} spans"


def test_a_row_that_is_chosen_by_keys_is_emitted_once(panel: SpansPanel) -> None:
    told: list[tuple[int, int]] = []
    panel.chosen.connect(lambda lane, index: told.append((lane, index)))
    panel.table.setFocus()
    for _ in range(3):
        QTest.keyClick(panel.table, Qt.Key.Key_Down)
    chosen = panel.table.currentIndex().row()
    assert told[-1] == (rows(panel)[chosen].lane, rows(panel)[chosen].index)
    assert len(told) == len(set(told))


def test_a_span_that_is_selected_elsewhere_is_scrolled_to_without_a_signal(
    panel: SpansPanel,
) -> None:
    told: list[tuple[int, int]] = []
    panel.chosen.connect(lambda lane, index: told.append((lane, index)))
    panel.sort_by(column("duration"), DOWN)
    span = rows(panel)[-3]
    panel.select_span(span)
    at = panel.table.currentIndex()
    assert panel.model.span_at(at.row()) == span
    assert panel.table.viewport().rect().intersects(panel.table.visualRect(at))
    assert told == []
    panel.select_span(None)
    assert not panel.table.selectionModel().hasSelection()


def test_return_in_the_filter_goes_to_the_table_and_chooses_nothing(panel: SpansPanel) -> None:
    told: list[tuple[int, int]] = []
    panel.chosen.connect(lambda lane, index: told.append((lane, index)))
    ask(panel, "kind:forward")
    assert panel.table.hasFocus()
    assert told == []
    QTest.keyClick(panel.table, Qt.Key.Key_Down)
    assert len(told) == 1


def test_a_click_on_a_header_sorts_and_a_third_click_restores_the_order(panel: SpansPanel) -> None:
    head, number = panel.table.horizontalHeader(), column("duration")
    at = QPoint(head.sectionViewportPosition(number) + 10, head.height() // 2)
    lengths = []
    for _ in range(3):
        QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=at)
        lengths.append([span.end - span.start for span in rows(panel)])
    one, other, last = lengths
    assert one == sorted(one)
    assert other == sorted(one, reverse=True)
    assert last == [span.end - span.start for span in panel.model.listing.trace]


def test_the_keyboard_sorts_too(panel: SpansPanel) -> None:
    panel.sort_column.setFocus()
    panel.sort_column.setCurrentText("Start in run")
    starts = [span.start for span in rows(panel)]
    assert starts == sorted(starts)
    QTest.keyClick(panel.descending, Qt.Key.Key_Space)
    assert [span.start for span in rows(panel)] == sorted(starts, reverse=True)
    assert panel.table.horizontalHeader().sortIndicatorSection() == column("start")


def test_a_filter_shows_the_hits_of_a_search(panel: SpansPanel) -> None:
    ask(panel, "kind:forward mb:1-2")
    expected = [
        span
        for span in panel.model.listing.trace
        if span.kind is Kind.FORWARD and span.microbatch in (1, 2)
    ]
    assert rows(panel) == expected
    assert panel.count.text() == f"{len(expected)} of {panel.model.listing.trace.span_count} spans"
    panel.sort_by(column("start"), DOWN)
    assert rows(panel) == sorted(expected, key=lambda span: -span.start)
    panel.select_span(panel.model.listing.trace.find(0, 0))
    assert not panel.table.selectionModel().hasSelection() or rows(panel)[
        panel.table.currentIndex().row()
    ] == panel.model.listing.trace.find(0, 0)


def test_an_unreadable_filter_shows_an_error_and_the_rows_stay(panel: SpansPanel) -> None:
    ask(panel, "mb:one")
    assert panel.problem.isVisible()
    assert "mb:one" in panel.problem.text()
    assert len(rows(panel)) == panel.model.listing.trace.span_count
    ask(panel, "mb:1")
    assert not panel.problem.isVisible()


def test_rows_are_added_as_a_run_grows_and_the_current_one_stays(qtbot: object) -> None:
    header, made = batches(SPEC)
    trace = Trace(header)
    panel = SpansPanel()
    qtbot.addWidget(panel)
    panel.show()
    qtbot.waitExposed(panel)
    scene, chosen = Scene(trace), None
    for batch in made:
        append_batch(trace, batch)
        panel.show_scene(scene, True)
        assert rows(panel) == list(trace)
        if chosen is None and trace.span_count:
            chosen = trace.span(1, 0)
            panel.select_span(chosen)
    assert panel.model.span_at(panel.table.currentIndex().row()) == chosen
    panel.close()


def test_a_sorted_table_of_a_live_run_gets_the_remaining_rows_at_its_end(qtbot: object) -> None:
    header, made = batches(SPEC)
    trace = Trace(header)
    panel = SpansPanel()
    qtbot.addWidget(panel)
    panel.show()
    qtbot.waitExposed(panel)
    scene = Scene(trace)
    half = len(made) // 2
    for batch in made[:half]:
        append_batch(trace, batch)
    panel.show_scene(scene, True)
    panel.sort_by(column("start"), UP)
    before = len(rows(panel))
    for batch in made[half:]:
        append_batch(trace, batch)
    panel.show_scene(scene, True)
    assert len(rows(panel)) == before < trace.span_count
    panel.show_scene(scene, False)
    starts = [span.start for span in rows(panel)]
    assert starts == sorted(span.start for span in trace)
    panel.close()


def test_a_long_sort_is_done_in_a_thread_and_only_the_last_one_counts(
    panel: SpansPanel, qtbot: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.features.spans.panel.AT_ONCE", 10)
    panel.sort_by(column("start"), UP)
    panel.sort_by(column("duration"), DOWN)
    qtbot.waitUntil(lambda: panel.model.listing.order is not None, timeout=5000)
    qtbot.waitUntil(lambda: "spans" in panel.count.text(), timeout=5000)
    lengths = [span.end - span.start for span in rows(panel)]
    assert lengths == sorted(lengths, reverse=True)


def test_the_rows_shown_are_saved_in_their_order(panel: SpansPanel, tmp_path: Path) -> None:
    said: list[str] = []
    panel.message.connect(said.append)
    ask(panel, "kind:backward")
    panel.sort_by(column("duration"), DOWN)
    path = tmp_path / "spans.csv"
    panel.save_to(path)
    assert said == [f"Saved {len(rows(panel))} spans as spans.csv."]
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [int(line["task"]) for line in lines] == [span.task for span in rows(panel)]


def test_a_table_that_is_being_saved_can_be_cancelled(
    panel: SpansPanel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.features.spans.panel.AT_ONCE_S", 0.0)
    panel.save_to(tmp_path / "spans.csv")
    assert panel.saver.running
    assert panel.cancel.isVisible()
    QTest.mouseClick(panel.cancel, Qt.MouseButton.LeftButton)
    assert not panel.saver.running
    assert list(tmp_path.iterdir()) == []


def test_a_failed_save_of_the_table_shows_its_reason(panel: SpansPanel, tmp_path: Path) -> None:
    failed: list[str] = []
    panel.failed.connect(failed.append)
    panel.save_to(tmp_path / "missing" / "spans.csv")
    assert len(failed) == 1
    assert "spans.csv cannot be written" in failed[0]


def test_a_table_that_was_never_shown_can_be_saved(qtbot: object, tmp_path: Path) -> None:
    panel, failed = SpansPanel(), []
    qtbot.addWidget(panel)
    panel.failed.connect(failed.append)
    panel.ask_where_to_save()
    assert len(failed) == 1
    trace = trace_of(SPEC)
    panel.show_scene(Scene(trace), False)
    panel.ask_where_to_save()
    dialog = panel.findChild(QFileDialog)
    dialog.filesSelected.emit([str(tmp_path / "spans")])
    dialog.reject()
    lines = (tmp_path / "spans.csv").read_text().splitlines()
    assert len(lines) == 1 + trace.span_count


@pytest.mark.parametrize(
    ("query", "kinds"), [("", tuple(Kind)), ("kind:backward", (Kind.BACKWARD,)), ("step:99", ())]
)
def test_spans_of_a_live_run_are_saved_although_their_table_is_hidden(
    window: MainWindow, client: FakeClient, tmp_path: Path, query: str, kinds: tuple[Kind, ...]
) -> None:
    window.action("run").trigger()
    header, made = batches(client.asked[-1])
    client.say(header, *made[:6])
    window.session.tick()
    panel = window.feature(SpansFeature).panel.widget
    assert window.run_shown.live and not panel.isVisible()
    ask(panel, query)
    panel.sort_by(column("duration"), DOWN)
    trace = window.run_shown.trace
    expected = [span for span in trace if span.kind in kinds]
    window.showing.figures.update()
    assert panel.model.listing is None
    window.action("export_spans").trigger()
    client.say(*made[6:9])
    window.session.tick()
    window.showing.figures.update()
    save_as(window, tmp_path / "spans.csv")
    assert len(expected) < trace.span_count
    assert window.statusBar().currentMessage() == f"Saved {len(expected)} spans as spans.csv."
    with (tmp_path / "spans.csv").open(newline="") as file:
        durations = [int(line["duration_ns"]) for line in csv.DictReader(file)]
    assert durations == sorted((span.end - span.start for span in expected), reverse=True)


def test_the_rows_shown_when_the_dialog_opened_are_saved(panel: SpansPanel, tmp_path: Path) -> None:
    count = len(rows(panel))
    panel.ask_where_to_save()
    panel.show_scene(Scene(trace_of(specification("dp", steps=9))), False)
    assert len(rows(panel)) != count
    save_as(panel, tmp_path / "spans.csv")
    assert len((tmp_path / "spans.csv").read_text().splitlines()) == 1 + count


def test_a_cancelled_filter_is_marked_as_cancelled(
    panel: SpansPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.features.spans.searching.PIECE", 5)
    monkeypatch.setattr("gui.features.spans.searching.AT_ONCE_S", 0.0)
    ask(panel, "kind:forward")
    assert panel.searcher.running
    assert panel.count.text().startswith("searching")
    QTest.mouseClick(panel.cancel, Qt.MouseButton.LeftButton)
    assert panel.count.text().endswith("spans, cancelled")
    assert all(span.kind is Kind.FORWARD for span in rows(panel))


def test_the_column_of_names_is_shown_only_if_spans_have_names(panel: SpansPanel) -> None:
    assert panel.table.isColumnHidden(column("name"))
    panel.show_scene(Scene(named()), False)
    assert not panel.table.isColumnHidden(column("name"))
    assert {span.name for span in rows(panel)} >= {"gemm_f32", "Gemm nt", "aten::relu"}


def test_screen_readers_get_each_cell_with_its_header(panel: SpansPanel) -> None:
    cell = panel.model.index(0, column("step"))
    assert cell.data(Qt.ItemDataRole.AccessibleTextRole) == "Step 0"
    assert panel.table.accessibleName()
    assert panel.table.selectionBehavior() is QAbstractItemView.SelectionBehavior.SelectRows


def test_a_model_of_very_many_rows_reads_only_visible_rows() -> None:
    trace = trace_of(SPEC)
    asked: list[tuple[int, int]] = []

    class Counting(Listing):
        def places(self, first, last):  # type: ignore[no-untyped-def]
            asked.append((first, last))
            return Listing.places(self, first, last)

    model = SpansModel()
    model.show(Counting(trace, Listing.of(trace).counts))
    for row in (0, 1, 2, 63):
        assert model.index(row, 0).data()
    assert asked == [(0, 64)]
