"""The Statistics panel: figures of a dragged range, its histogram, and copying."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from core.explain.name_statistics import NameStatistics, Outlier
from core.explain.statistics import RangeCount
from core.plan.task import Kind
from core.recording.decode import append_batch
from core.trace.complete import measured_steps
from core.trace.trace import Trace
from gui.features.statistics import panel as panel_file
from gui.features.statistics.panel import StatisticsPanel
from gui.timeline.state.scene import Scene
from gui.timeline.state.selection import TimeRange
from tests.core.explain.made import lane_time
from tests.make_believe import MS, batches, specification, trace_of


@pytest.fixture
def scene() -> Scene:
    return Scene(trace_of(specification(steps=3)))


@pytest.fixture
def panel(qtbot: object) -> Iterator[StatisticsPanel]:
    made = StatisticsPanel()
    qtbot.addWidget(made)
    made.resize(520, 700)
    made.show()
    qtbot.waitExposed(made)
    yield made
    made.close()


def cells(table: object) -> list[list[str]]:
    rows = table.rows
    return [
        [rows.index(r, c).data().replace("\u00a0", " ") for c in range(rows.columnCount())]
        for r in range(rows.rowCount())
    ]


def count(panel: StatisticsPanel, qtbot: object) -> None:
    qtbot.waitUntil(lambda: panel.figures is not None)


def a_range(scene: Scene, lanes: tuple[int, ...] | None = None) -> TimeRange:
    """A range from the middle of the second step to the middle of the last one."""
    starts = [scene.trace.step_bounds(step)[0] for step in scene.trace.steps]
    return TimeRange(starts[1] + 7 * MS, starts[-1] + 9 * MS, lanes)


def test_in_a_narrow_dock_no_button_is_cut(
    panel: StatisticsPanel, scene: Scene, qtbot: object
) -> None:
    panel.resize(340, 260)
    panel.show_range(scene, a_range(scene))
    count(panel, qtbot)
    panel.grab()  # laid out
    copying = [one for one in panel.findChildren(QPushButton) if one.text() in ("CSV", "Markdown")]
    for one in copying:
        assert one.mapTo(panel, one.rect().topRight()).x() < panel.width()


def test_the_tables_show_every_lanes_time_and_every_kinds_durations(
    panel: StatisticsPanel, scene: Scene, qtbot: object
) -> None:
    chosen = a_range(scene)
    panel.show_range(scene, chosen)
    count(panel, qtbot)
    lanes = cells(panel.lanes)
    assert [row[0] for row in lanes] == ["All compute lanes", "cpu:0", "cpu:1"]
    for lane in (0, 1):
        time = lane_time(scene.trace.spans(lane), chosen.start, chosen.end)
        assert panel.figures.counted.lanes[lane] == time
        assert lanes[1 + lane][4] == f"{100 * time.idle_fraction:.1f} %"
        assert sum(panel.figures.causes.by_lane[lane].values()) == time.idle_ns
    times = [panel.figures.counted.lanes[lane] for lane in (0, 1)]
    idle = sum(time.idle_ns for time in times)
    # The mean idle share of the lanes, as the verdict has it, and the sum of each cause.
    assert lanes[0][4] == f"{100 * idle / (2 * (chosen.end - chosen.start)):.1f} %"
    assert "" not in lanes[0]
    kinds = {row[0]: row for row in cells(panel.kinds)}
    assert set(kinds) == {"Forward", "Copy", "Loss", "Backward", "Optimizer step"}
    assert kinds["Forward"][3:] == ["4 ms"] * 4
    cut = [
        s for s in scene.trace
        if s.start < chosen.start < s.end or s.start < chosen.end < s.end
    ]  # fmt: skip
    assert f"{len(cut)} spans are cut by the range" in panel.notes.text()
    assert panel.head.text().startswith("349\u00a0ms from ")


def test_a_range_over_some_lanes_counts_only_those(
    panel: StatisticsPanel, scene: Scene, qtbot: object
) -> None:
    panel.show_range(scene, a_range(scene, (1,)))
    count(panel, qtbot)
    assert [row[0] for row in cells(panel.lanes)] == ["cpu:1"]


def test_long_titles_of_columns_have_two_lines(
    panel: StatisticsPanel, scene: Scene, qtbot: object
) -> None:
    panel.show_range(scene, a_range(scene))
    count(panel, qtbot)
    model = panel.lanes.model()
    titles = [model.headerData(n, Qt.Orientation.Horizontal) for n in range(model.columnCount())]
    assert "Other lane\ncomputes" in titles and "Idle share" in titles
    assert titles[0] == "Lane"


def test_without_a_run_the_panel_says_what_to_do(panel: StatisticsPanel) -> None:
    panel.show_range(None, None)
    assert panel.hint.isVisible()
    assert "Drag over the lanes" in panel.hint.text()
    said = []
    panel.message.connect(said.append)
    panel.copy_csv()
    assert said == ["Drag over the lanes to select a range first."]


def test_without_a_range_all_measured_steps_are_counted_once_the_panel_is_visible(
    panel: StatisticsPanel, scene: Scene, qtbot: object
) -> None:
    panel.hide()
    panel.show_scene(scene, False)
    assert panel._job is None
    panel.show()
    count(panel, qtbot)
    assert panel.head.text().startswith("From step 1 to step 3: ")
    steps = measured_steps(scene.trace)
    first, last = scene.trace.step_bounds(steps[0])[0], scene.trace.step_bounds(steps[-1])[1]
    assert (panel.figures.counted.start, panel.figures.counted.end) == (first, last)
    panel.show_range(scene, a_range(scene))
    qtbot.waitUntil(lambda: panel.head.text().startswith("349"))
    panel.show_range(scene, None)
    qtbot.waitUntil(lambda: panel.head.text().startswith("From step 1"))


def test_rows_by_kind_by_name_and_outliers_lead_to_their_spans(
    panel: StatisticsPanel, scene: Scene, qtbot: object
) -> None:
    panel.show_range(scene, None)
    count(panel, qtbot)
    assert panel.kinds.isVisible() and not panel.names.isVisible()
    click(panel.kinds, 1)
    assert panel.durations.which.currentText() == panel.kinds.rows.index(1, 0).data()
    panel.by.setCurrentIndex(1)
    assert panel.names.isVisible() and not panel.kinds.isVisible()
    labels = [row[0] for row in cells(panel.names)]
    with qtbot.waitSignal(panel.span_chosen) as told:
        click(panel.names, labels.index("B0"))
    assert scene.trace.span(*told.args).label == "B0"

    one = Outlier(1, 2, Kind.FORWARD, 9 * MS, 3 * MS)
    by_name = NameStatistics(outliers=(one,), outlier_count=1)
    panel.durations.show_spans(scene.trace, panel.figures.counted, by_name)
    panel.durations.which.setCurrentIndex(0)
    assert cells(panel.durations.far)[0][3:] == ["9 ms", "3 ms", "3.0"]
    with qtbot.waitSignal(panel.span_chosen) as told:
        panel.durations.far.setCurrentIndex(panel.durations.far.rows.index(0, 0))
        QTest.keyClick(panel.durations.far, Qt.Key.Key_Return)
    assert told.args == [1, 2]
    panel.durations.which.setCurrentIndex(panel.durations.which.findText("Backward"))
    assert not panel.durations.far.isVisible()


def click(table: object, number: int) -> None:
    place = table.visualRect(table.rows.index(number, 0)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_a_bar_of_the_histogram_leads_to_the_longest_span_in_it_by_mouse_and_keys(
    panel: StatisticsPanel, scene: Scene, qtbot: object
) -> None:
    panel.show_range(scene, a_range(scene))
    count(panel, qtbot)
    panel.durations.which.setCurrentIndex(panel.durations.which.findText("Backward"))
    chart = panel.durations.histogram
    number = int(np.flatnonzero(chart.bins.counts)[-1])
    with qtbot.waitSignal(panel.span_chosen) as told:
        place = chart.rect_of(number).center().toPoint()
        QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=place)
    span = scene.trace.span(*told.args)
    assert span.kind is Kind.BACKWARD
    own = next(own for own in panel.figures.counted.kinds if own.kind is Kind.BACKWARD)
    assert span.end - span.start == own.longest
    panel.durations.which.setCurrentIndex(0)
    used = np.flatnonzero(chart.bins.counts).tolist()
    chart.setFocus()
    for _ in used:
        QTest.keyClick(chart, Qt.Key.Key_Left)
    assert chart.cursor_bin == used[0]
    QTest.keyClick(chart, Qt.Key.Key_Right)
    with qtbot.waitSignal(panel.span_chosen) as told:
        QTest.keyClick(chart, Qt.Key.Key_Return)
    span = scene.trace.span(*told.args)
    assert chart.bins.edges[used[1]] <= span.end - span.start < chart.bins.edges[used[1] + 1]
    assert chart.bin_at(QPoint(0, 0).x()) is None
    assert chart.accessibleDescription().count(";") == len(used) - 1


def test_csv_has_plain_numbers_that_add_up(
    panel: StatisticsPanel, scene: Scene, qtbot: object
) -> None:
    chosen = a_range(scene)
    panel.show_range(scene, chosen)
    count(panel, qtbot)
    panel.copy_csv()
    sections: list[list[list[str]]] = [[]]
    for row in csv.reader(io.StringIO(QGuiApplication.clipboard().text())):
        if row:
            sections[-1].append(row)
        else:
            sections.append([])
    whole, lanes, kinds, bins, names, _ = (
        [dict(zip(part[0], row, strict=True)) for row in part[1:]] for part in sections
    )
    wall = chosen.end - chosen.start
    assert int(whole[0]["wall_ns"]) == wall
    for row in lanes:
        assert int(row["busy_ns"]) + int(row["communication_ns"]) + int(row["idle_ns"]) == wall
    for row in lanes[:-1]:
        reasons = [int(ns) for name, ns in row.items() if name.endswith("_ns")][3:]
        assert sum(reasons) == int(row["idle_ns"])
    assert sum(int(row["count"]) for row in kinds) == panel.figures.counted.any_lane.spans
    assert sum(int(row["spans"]) for row in bins) == panel.figures.counted.any_lane.spans
    assert sum(int(row["count"]) for row in names) == panel.figures.counted.any_lane.spans
    assert [row["name"] for row in names] == [row[0] for row in cells(panel.names)]


def test_outliers_are_copied_whatever_kind_is_shown(
    panel: StatisticsPanel, scene: Scene, qtbot: object
) -> None:
    panel.show_range(scene, None)
    count(panel, qtbot)
    lane, index = 1, 2
    span = scene.trace.span(lane, index)
    one = Outlier(lane, index, span.kind, 9 * MS, 3 * MS)
    by_name = replace(panel.figures.by_name, outliers=(one,), outlier_count=1)
    panel._show(panel.figures._replace(by_name=by_name))
    other = next(own for own in panel.figures.counted.kinds if own.kind is not span.kind)
    panel.durations.choose_kind(panel.figures.counted.kinds.index(other))
    assert not panel.durations.far.isVisible()
    panel.copy_csv()
    text = QGuiApplication.clipboard().text()
    *_, heads, row = csv.reader(io.StringIO(text))
    assert heads == ["outlier", "lane", "step", "duration_ns", "usual_ns"]
    assert row == [span.label, "cpu:1", str(span.step), str(9 * MS), str(3 * MS)]
    panel.copy_markdown()
    text = QGuiApplication.clipboard().text().replace("\u00a0", " ")
    assert "| Outlier | Lane | Step | Duration | Usual | Times usual |" in text
    assert "| cpu:1 | warm-up 1 | 9 ms | 3 ms | 3.0 |" in text


def test_rows_of_each_markdown_table_have_the_same_number_of_cells(
    panel: StatisticsPanel, scene: Scene, qtbot: object
) -> None:
    panel.show_range(scene, a_range(scene))
    count(panel, qtbot)
    panel.copy_markdown()
    title, lanes, kinds, labels, *_ = QGuiApplication.clipboard().text().split("\n\n")
    assert title.startswith("**349")
    for table, names in (
        (lanes, ["Lane", "Busy"]), (kinds, ["Kind", "Count"]), (labels, ["Name", "Count"]),
    ):  # fmt: skip
        rows = [line.strip("|").split("|") for line in table.splitlines()]
        assert [name.strip() for name in rows[0][:2]] == names
        assert len({len(row) for row in rows}) == 1
        assert all(mark.strip() == "---:" for mark in rows[1][1:])


def test_a_range_over_the_present_counts_new_spans_and_names_running_tasks(
    panel: StatisticsPanel, qtbot: object
) -> None:
    header, made = batches(specification(steps=2, warmup=0))
    trace = Trace(header)
    for batch in made[:5]:  # a log line, a whole step, and a task of the next
        append_batch(trace, batch)
    scene = Scene(trace)
    panel.show_scene(scene, True)
    panel.show_range(scene, TimeRange(0, 10**12))
    count(panel, qtbot)
    before = panel.figures.counted.any_lane.spans
    assert before == trace.span_count
    assert "1 task still runs and is not counted." in panel.notes.text()
    for batch in made[5:]:
        append_batch(trace, batch)
    panel.show_scene(scene, True)
    qtbot.waitUntil(lambda: panel.figures.counted.any_lane.spans == trace.span_count)
    assert trace.span_count > before
    assert panel.notes.isHidden()


def test_a_task_of_a_run_that_is_over_did_not_end(panel: StatisticsPanel, qtbot: object) -> None:
    header, made = batches(specification(steps=2, warmup=0))
    trace = Trace(header)
    for batch in made[:5]:
        append_batch(trace, batch)
    scene = Scene(trace)
    panel.show_scene(scene, True)
    count(panel, qtbot)
    panel.show_range(scene, TimeRange(0, 10**12))
    count(panel, qtbot)
    assert "1 task still runs and is not counted." in panel.notes.text()
    panel.show_scene(scene, False)  # the engine was killed: nothing more was recorded
    assert "1 task did not end and is not counted." in panel.notes.text()
    assert "still runs" not in panel.notes.text()
    panel.copy_markdown()
    assert "1 task did not end and is not counted." in QGuiApplication.clipboard().text()


def test_a_large_range_is_counted_between_other_work_and_can_be_cancelled(
    panel: StatisticsPanel, scene: Scene, qtbot: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(panel_file, "AT_ONCE_S", 0.0)
    monkeypatch.setattr(panel_file, "PATIENCE_S", 0.0)
    monkeypatch.setattr(RangeCount, "advance", lambda self: None)  # it never ends
    panel.show_range(scene, a_range(scene))
    qtbot.waitUntil(panel._waiting.isVisible)
    said = []
    panel.message.connect(said.append)
    panel.copy_markdown()
    assert said == ["The range is still being counted."]
    panel.cancel()
    assert panel.hint.isVisible()
    assert "cancelled" in panel.hint.text()
    assert not panel._runner.running
