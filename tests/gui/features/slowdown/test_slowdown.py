"""The Slowdown panel: a matrix whose cells filter the timeline, by mouse and by keys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from core.recording.exporters.recording import write_recording
from core.report.mesh import Axis
from core.report.slowdown import PeerGroup, slowdown
from core.trace.median_step import whole_steps
from gui.features.recordings.feature import RecordingsFeature
from gui.features.slowdown.cells import (
    Cell,
    axis_pairs,
    cell_sentence,
    kind_cells,
    matrix_cells,
    next_cell,
)
from gui.features.slowdown.chart import SlowdownChart
from gui.features.slowdown.feature import SlowdownFeature
from gui.features.slowdown.heat_map import share_colour
from gui.features.slowdown.panel import SlowdownPanel
from gui.features.spans.feature import SpansFeature
from gui.look.colours import VISIONS, channels_of, contrast, seen
from gui.look.theme import DARK, LIGHT, Theme
from gui.timeline.state.lanes import lane_counts
from gui.timeline.state.scene import Scene
from gui.window.window import MainWindow
from tests.core.recording.importers.pipeline_jobs import (
    Fault,
    JobOptions,
    make_job,
    trace_of_job,
)
from tests.make_believe import specification, trace_of

JOB = make_job(JobOptions(replicas=3, fault=Fault.WORKER, amount=1.5))


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A job with a slow worker: 3 replicas of 4 ranks."""
    path = tmp_path_factory.mktemp("slow") / "job.arrow"
    for _ in write_recording(trace_of_job(JOB), path):
        pass
    return path


@pytest.fixture
def panel(window: MainWindow, recording: Path, qtbot: object) -> SlowdownPanel:
    """The panel of the job, with its matrix."""
    window.feature(RecordingsFeature).files.open_paths([recording])
    qtbot.waitUntil(lambda: window.scene is not None, timeout=20_000)
    shown = window.bring("slowdown")
    qtbot.waitUntil(lambda: shown.found is not None, timeout=20_000)
    window.resize(1300, 1000)
    return shown


def found_cell(chart: SlowdownChart, part: PeerGroup, name: str) -> Cell:
    mine = (cell for cell in chart.cells if cell.saving.part is part)
    return next(cell for cell in mine if cell.saving.name == name)


def slowest(chart: SlowdownChart) -> Cell:
    assert JOB.truth.worker is not None
    replica, rank = JOB.truth.worker
    return next(cell for cell in chart.cells if (cell.row, cell.column) == (replica, rank))


def click(chart: SlowdownChart, cell: Cell) -> None:
    at = chart.places().rect(cell).center().toPoint()
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=at)


def lanes_shown(window: MainWindow) -> list[str]:
    arrangement = window.timeline.state.stack.arrangement(window.scene)
    return [lane.name for section in arrangement.sections for lane in section.lanes]


def test_the_matrix_has_the_numbers_of_the_command(panel: SlowdownPanel) -> None:
    trace = trace_of_job(JOB)
    expected = slowdown(trace, whole_steps(trace))
    chart = panel.chart
    matrix = expected.matrix()
    for cell in chart.cells:
        if cell.saving.part is PeerGroup.WORKER:
            assert cell.saving.share == pytest.approx(matrix[cell.row, cell.column])
    margins = [cell.saving.share for cell in chart.cells if cell.saving.part is PeerGroup.ROW]
    assert margins == pytest.approx([one.share for one in expected.of_rows])
    assert panel.verdict.text().startswith("Worker replica ")
    assert panel.summary.text().endswith("the mean of 6 steps.")


def test_a_click_on_a_cell_shows_its_lane_and_another_click_all(
    window: MainWindow, panel: SlowdownPanel
) -> None:
    cell = slowest(panel.chart)
    click(panel.chart, cell)
    assert lanes_shown(window) == [cell.saving.name]
    assert window.timeline.state.lane == cell.lanes[0]
    assert panel.chart.marked == cell and panel.sentence.text() == cell_sentence(cell)
    click(panel.chart, cell)
    assert lane_counts(window.timeline.state) == (12, 12) and panel.chart.marked is None


def test_a_click_on_a_margin_shows_the_lanes_of_the_row_or_column(
    window: MainWindow, panel: SlowdownPanel
) -> None:
    click(panel.chart, found_cell(panel.chart, PeerGroup.ROW, "DP 1"))
    assert lanes_shown(window) == [f"replica 1 rank {rank}" for rank in range(4)]
    click(panel.chart, found_cell(panel.chart, PeerGroup.COLUMN, "PP 2"))
    assert lanes_shown(window) == [f"replica {replica} rank 2" for replica in range(3)]


def test_a_click_on_a_kind_of_work_finds_its_spans(
    window: MainWindow, panel: SlowdownPanel, qtbot: object
) -> None:
    click(panel.chart, slowest(panel.chart))
    cell = found_cell(panel.chart, PeerGroup.KIND, "backward")
    click(panel.chart, cell)
    search = window.feature(SpansFeature).search
    qtbot.waitUntil(lambda: bool(search.hits))
    assert search.isVisible() and search.field.text() == "kind:backward"
    assert lane_counts(window.timeline.state) == (12, 12)
    click(panel.chart, cell)
    assert not search.isVisible() and not search.hits and panel.chart.marked is None


def test_arrows_move_the_cell_and_enter_selects_it(
    window: MainWindow, panel: SlowdownPanel
) -> None:
    chart = panel.chart
    click(chart, slowest(chart))
    while (chart.current.row, chart.current.column) != (0, 0):
        key = Qt.Key.Key_Left if chart.current.column else Qt.Key.Key_Up
        QTest.keyClick(chart, key)
    QTest.keyClick(chart, Qt.Key.Key_Right)
    QTest.keyClick(chart, Qt.Key.Key_Return)
    assert lanes_shown(window) == ["replica 0 rank 1"]
    for _ in range(3):
        QTest.keyClick(chart, Qt.Key.Key_Down)
    assert chart.current == found_cell(chart, PeerGroup.COLUMN, "PP 1")
    QTest.keyClick(chart, Qt.Key.Key_Down)
    assert chart.current.saving.part is PeerGroup.KIND
    assert panel.sentence.text() == cell_sentence(chart.current)


def test_a_filter_of_the_user_is_kept_and_unmarks_the_cell(
    window: MainWindow, panel: SlowdownPanel
) -> None:
    cell = slowest(panel.chart)
    click(panel.chart, cell)
    window.timeline.lanes.filter("rank 3")
    assert panel.chart.marked is None
    panel.axes.setCurrentIndex(1)
    assert window.timeline.lanes.tracks.filter == "rank 3"


def test_changing_the_axes_transposes_the_matrix_without_recomputing_it(
    panel: SlowdownPanel,
) -> None:
    before = panel.found
    assert [panel.axes.itemText(n) for n in range(2)] == ["DP × PP", "PP × DP"]
    panel.axes.setCurrentIndex(1)
    assert panel.found is before and panel.chart.found.matrix().shape == (4, 3)


def test_the_tooltip_contains_the_sentence_and_the_lanes(panel: SlowdownPanel) -> None:
    chart = panel.chart
    cell = slowest(chart)
    tip = chart.tip_at(QPointF(chart.places().rect(cell).center()))
    assert tip.startswith(f"If {cell.saving.name} were like its peers, a step would be ")
    assert "shorter" in tip and "\n" not in tip
    row = found_cell(chart, PeerGroup.ROW, "DP 0")
    tip = chart.tip_at(chart.places().rect(row).center())
    assert tip.splitlines()[1] == ", ".join(f"replica 0 rank {rank}" for rank in range(4))
    assert chart.tip_at(QPointF(0, 0)) == ""


def test_the_matrix_is_computed_only_when_it_is_visible(
    window: MainWindow, recording: Path, qtbot: object
) -> None:
    window.feature(RecordingsFeature).files.open_paths([recording])
    qtbot.waitUntil(lambda: window.scene is not None, timeout=20_000)
    assert not window.feature(SlowdownFeature).panel.made


@pytest.fixture
def alone(qtbot: object):
    made = SlowdownPanel()
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.show()
    qtbot.waitExposed(made)
    yield made
    made._runner.close()
    made.close()


def test_without_peers_or_during_a_run_the_panel_says_why_it_is_empty(
    alone: SlowdownPanel, qtbot: object
) -> None:
    scene = Scene(trace_of(specification("single", devices="cpu", steps=3)))
    alone.show_scene(scene, live=True)
    assert "when the run has ended" in alone.hint.text()
    alone.show_scene(scene, live=False)
    qtbot.waitUntil(lambda: "no peers to compare with" in alone.hint.text(), timeout=20_000)
    alone.show_scene(None, live=False)
    assert "when the run has ended" in alone.hint.text()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_colours_grow_steadily_from_the_background_for_every_vision(theme: Theme) -> None:
    colours = [share_colour(theme, share / 20, 1.0) for share in range(21)]
    for vision in VISIONS:
        lightness = [seen(colour, vision)[0] for colour in colours]
        steps = np.diff(lightness)
        # Differences below 0.02 cannot be seen.
        assert max(-steps) < 0.002 or max(steps) < 0.002
    faster = channels_of(share_colour(theme, -1.0, 1.0))
    assert max(faster) - min(faster) < 30


def test_numbers_are_readable_on_every_colour() -> None:
    for theme in (LIGHT, DARK):
        for share in range(-20, 21):
            colour = share_colour(theme, share / 20, 1.0)
            assert contrast(theme.letters_on(colour), colour) >= 3


def test_keys_reach_every_cell() -> None:
    trace = trace_of_job(make_job(JobOptions(replicas=2)))
    found = slowdown(trace, whole_steps(trace))
    cells = [*matrix_cells(found), *kind_cells(found)]
    reached, ahead = {id(cells[0])}, [cells[0]]
    while ahead:
        cell = ahead.pop()
        for step in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            other = next_cell(cells, cell, *step)
            if id(other) not in reached:
                reached.add(id(other))
                ahead.append(other)
    assert len(reached) == len(cells)


def test_axes_with_a_single_place_are_offered_only_if_no_others_exist() -> None:
    trace = trace_of_job(make_job(JobOptions(replicas=2)))
    pairs = axis_pairs(slowdown(trace, whole_steps(trace)))
    assert pairs == [(Axis.DP, Axis.PP), (Axis.PP, Axis.DP)]


def test_a_matrix_of_many_columns_has_colours_and_margins_but_no_numbers(
    panel: SlowdownPanel,
) -> None:
    panel.chart.setMinimumWidth(0)
    panel.chart.resize(150, panel.chart.height())
    assert not panel.chart.grab().isNull()
    assert panel.chart.cell_at(QPointF(QPoint(149, 5))) is None
