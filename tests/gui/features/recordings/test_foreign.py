"""Traces of other programs in the window: a folder of ranks, import issues, marks as steps."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from core.recording.bookmarks import Bookmark
from core.recording.formats import TRACE_FORMATS
from core.recording.recording import open_recording
from gui.app import jobs
from gui.app.run_names import file_name
from gui.features.bookmarks.feature import BookmarksFeature
from gui.features.compare.chooser import other_of
from gui.features.compare.feature import CompareFeature
from gui.features.details.feature import DetailsFeature
from gui.features.devices import imported
from gui.features.devices.feature import DevicesFeature
from gui.features.palette.commands import all_commands
from gui.features.recordings.feature import RecordingsFeature
from gui.features.runs.feature import RunsFeature
from gui.features.runs.tabs import title_of
from gui.features.statistics.feature import StatisticsFeature
from gui.timeline.state.colour_choices import ColourBy, choice_of
from gui.timeline.state.scene import Scene
from gui.timeline.state.selection import TimeRange
from tests.gui.features.runs.test_tabs import drop

SHIFT = Qt.KeyboardModifier.ShiftModifier
TWO_RANKS = Path(__file__).parents[3] / "data" / "two-ranks"


def rows(panel):
    tree = panel.list
    return [
        [tree.topLevelItem(row).text(column) for column in range(tree.columnCount())]
        for row in range(tree.topLevelItemCount())
    ]


def open_two_ranks(qtbot, window):
    """Open a folder of packed files, which are read in the background."""
    before = len(window.session.runs)
    window.feature(RecordingsFeature).files.open_paths([TWO_RANKS])
    qtbot.waitUntil(lambda: len(window.session.runs) > before, timeout=20_000)


def test_a_trace_that_has_only_annotations_is_shown(window, tmp_path):
    span = {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans",
            "tid": "PyTorch Profiler", "ts": 6, "dur": 161}  # fmt: skip
    path = tmp_path / "empty.json"
    path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [], "traceEvents": [span]}))
    window.feature(RecordingsFeature).files.open_from(path)
    assert window.run_shown is not None
    assert not window.run_shown.trace.header.compute_lanes
    window.grab()


def test_a_folder_is_shown_as_one_run_with_a_row_for_each_rank(qtbot, window):
    open_two_ranks(qtbot, window)
    assert window.run_shown.trace.steps == [0, 1, 2]
    panel = window.feature(DevicesFeature).imported
    assert [row[0] for row in rows(panel)] == ["rank 0", "rank 1"]
    assert panel.issues.text() == "The file has no irregularities; all of it is shown."
    assert window.banner.isHidden()


def test_rows_of_ranks_are_added_while_the_window_handles_events(qtbot, window, monkeypatch):
    monkeypatch.setattr(imported, "AT_ONCE_S", 0.0)
    monkeypatch.setattr(jobs, "SLICE_S", 0.0)
    panel = window.feature(DevicesFeature).imported
    panel.show_scene(Scene(open_recording(TWO_RANKS).trace), live=False)
    assert len(rows(panel)) == 1
    qtbot.waitUntil(lambda: len(rows(panel)) == 2)
    qtbot.waitUntil(lambda: panel.list.height() >= 3 * panel.list.sizeHintForRow(0))


def test_a_folder_is_opened_from_the_menu_and_dropped(qtbot, window, tmp_path):
    window.settings.folder = str(tmp_path)
    qtbot.keyClick(window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier | SHIFT)
    (dialog,) = window.findChildren(QFileDialog)
    assert dialog.fileMode() == QFileDialog.FileMode.Directory
    dialog.filesSelected.emit([str(TWO_RANKS)])
    dialog.close()
    qtbot.waitUntil(
        lambda: window.feature(RunsFeature).tabs.tabText(0) == "two-ranks", timeout=20_000
    )
    assert "Open folder of ranks…" in [one.text for one in all_commands(window)]
    drop(window, [TWO_RANKS])
    qtbot.waitUntil(lambda: len(window.feature(RunsFeature).tabs.runs) == 2, timeout=20_000)
    assert [run.source for run in window.feature(RunsFeature).tabs.runs] == [TWO_RANKS] * 2


def test_import_issues_are_counted_above_devices(window, tmp_path):
    events = [{"ph": "X", "ts": 0, "dur": 9, "name": "a"}, {"ph": "B", "ts": 3}, {"ph": "Q"}]
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(events))
    window.feature(RecordingsFeature).files.open_paths([path])
    assert window.feature(DevicesFeature).imported.issues.text().splitlines() == [
        "1 event that begins and never ends is left out.",
        "1 event of a kind that is not shown is left out.",
    ]


def test_arguments_of_an_event_are_listed_in_details(window, tmp_path):
    def shown():
        table = window.feature(DetailsFeature).panel.widget.table
        cells = [[table.item(row, column) for column in (0, 1)] for row in range(table.rowCount())]
        return [" = ".join(cell.text() for cell in row if cell is not None) for row in cells]

    own = {"ph": "X", "dur": 5, "pid": 1, "tid": 1}
    dims = {**own, "ts": 0, "name": "mm", "args": {"Input Dims": [[4, 2], []], "fast": True}}
    path = tmp_path / "trace.json"
    path.write_text(json.dumps([dims, {**own, "ts": 9, "name": "bare"}]))
    window.feature(RecordingsFeature).files.open_paths([path])
    trace, select = window.run_shown.trace, window.timeline.state.select
    select(trace.span(0, 0))
    assert shown()[-3:] == ["Arguments in the file", "Input Dims = [[4, 2], []]", "fast = true"]
    select(trace.span(0, 1))
    assert shown()[0] == "Task = bare" and "Arguments in the file" not in shown()
    path.write_text("[]")
    select(trace.span(0, 0))
    assert shown()[-1].endswith("trace.json has changed since it was opened")


def test_events_of_no_step_can_be_selected(qtbot, window, tmp_path):
    """Events before the first step, after the last, and in a trace without steps."""
    own = {"ph": "X", "dur": 5, "pid": 1, "tid": 1}
    events = [{**own, "ts": ts, "name": f"n{ts}"} for ts in (0, 10, 20, 30)]
    steps = [{**own, "ts": ts, "tid": 2, "name": f"step {ts}"} for ts in (9, 19)]
    for told in (events, events + steps):
        path = tmp_path / f"{len(told)}.json"
        path.write_text(json.dumps(told))
        window.feature(RecordingsFeature).files.open_paths([path])
        trace = window.run_shown.trace
        assert [trace.span(0, n).step in trace.steps for n in (0, 3)] == [False, False]
        for n in (0, 3):
            window.timeline.state.select(trace.span(0, n))
            assert "Step" not in [
                window.feature(DetailsFeature).panel.widget.table.item(row, 0).text()
                for row in range(3)
            ]
            window.timeline.setFocus()
            for key in (Qt.Key.Key_BracketLeft, Qt.Key.Key_BracketRight, Qt.Key.Key_Period):
                qtbot.keyClick(window.timeline, key)
            qtbot.keyClick(window.timeline, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)


def test_marks_of_a_trace_without_steps_are_used_as_its_steps(qtbot, window, tmp_path):
    path = tmp_path / "plain.json"
    events = [{"ph": "X", "ts": ts, "dur": 5, "name": f"n{ts}"} for ts in (0, 10, 20, 30)]
    path.write_text(json.dumps(events))
    window.feature(RecordingsFeature).files.open_paths([path])
    before = window.run_shown
    assert before.trace.steps == []
    window.timeline.state.bookmarks.change([Bookmark(9_000), Bookmark(19_000, 26_000)])
    window.bring("marks")
    button = window.feature(BookmarksFeature).panels[0].widget.steps
    assert button.isVisibleTo(window.feature(BookmarksFeature).panels[0].widget)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    trace = window.run_shown.trace
    assert window.run_shown is not before and before.trace.steps == []
    assert [trace.step_bounds(step) for step in trace.steps] == [(10_000, 15_000), (20_000, 25_000)]


def test_ranges_of_a_trace_without_steps_are_explained_and_compared(qtbot, window, tmp_path):
    path = tmp_path / "plain.json"
    own = {"ph": "X", "pid": 1}
    path.write_text(
        json.dumps(
            [{**own, "ts": ts, "dur": 6, "tid": 1, "name": "work"} for ts in range(0, 100, 10)]
            + [{**own, "ts": ts, "dur": 2, "tid": 2, "name": "io"} for ts in range(0, 100, 20)]
        )
    )
    window.feature(RecordingsFeature).files.open_paths([path])
    plain = window.run_shown
    statistics = window.feature(StatisticsFeature).panel.widget
    for start, end in ((0, 40_000), (50_000, 90_000)):
        window.show_run(plain)
        window.timeline.state.select(TimeRange(start, end))
        causes = statistics.figures.causes
        assert {name: sum(own.values()) for name, own in causes.by_lane.items()} == {0: 0, 1: 0}
        assert causes.rest == {0: 16_000, 1: 40_000 - (4_000)}
        qtbot.mouseClick(statistics.explain, Qt.MouseButton.LeftButton)
        assert window.run_shown is not plain and window.run_shown.trace.steps == [0]
    first, second = window.session.runs[1:]
    assert " ".join(title_of(first).split()) == "2: 0.000 to 0.040 ms of plain.json"
    assert second.trace.step_bounds(0) == (50_000, 86_000)
    assert plain.trace.steps == []
    window.feature(CompareFeature).comparing.begin(other_of(first))
    assert (
        window.feature(CompareFeature).comparing.two.step_a
        == window.feature(CompareFeature).comparing.two.step_b
        == 0
    )
    assert window.feature(CompareFeature).comparing.panel.sentence.text()
    b = window.feature(CompareFeature).comparing.frame.b.state.scene
    a = window.timeline.state.scene
    assert choice_of(b.colouring) is choice_of(a.colouring) is ColourBy.NAME
    window.action("colour_by_duration").trigger()
    assert choice_of(b.colouring) is ColourBy.DURATION
    window.action("colour_by_kind").trigger()
    window.feature(CompareFeature).comparing.leave()
    window.show_run(plain)
    window.timeline.state.select(TimeRange(7_000, 9_000))
    qtbot.mouseClick(statistics.explain, Qt.MouseButton.LeftButton)
    assert "Nothing begins in this range" in window.statusBar().currentMessage()


def test_a_folder_and_a_range_are_saved_as_recordings(qtbot, window, tmp_path):
    open_two_ranks(qtbot, window)
    folder = window.run_shown
    assert file_name(folder) == "two-ranks.arrow"
    window.feature(RecordingsFeature).files.save_to(tmp_path / "ranks.arrow")
    assert folder.saved == tmp_path / "ranks.arrow" and window.banner.isHidden()
    window.timeline.state.select(TimeRange(*folder.trace.step_bounds(1)))
    window.feature(BookmarksFeature).bookmarking.explain_range()
    ranged = window.run_shown
    assert file_name(ranged).endswith("-of-two-ranks.arrow")
    window.feature(RecordingsFeature).files.save_to(tmp_path / "range.arrow")
    window.feature(RecordingsFeature).files.open_paths(
        [tmp_path / "ranks.arrow", tmp_path / "range.arrow"]
    )
    ranks, one = window.session.runs[-2:]
    assert ranks.trace.steps == folder.trace.steps and one.trace.steps == [0]
    assert one.trace.step_bounds(0) == ranged.trace.step_bounds(0)
    assert [row[1:] for row in rows(window.feature(DevicesFeature).imported)] != []
    assert window.feature(DevicesFeature).imported.isVisibleTo(
        window.feature(DevicesFeature).imported.parentWidget()
    )


def two_threads(folder, *, flow=True, marks=False):
    """A Chrome trace of two threads, with an arrow from the end of one's bar to the other's."""
    bars = [("load", 0, 40, 1), ("train", 60, 40, 2)]
    own = {"pid": 1}
    events = [
        {**own, "ph": "X", "name": name, "ts": ts, "dur": dur, "tid": tid}
        for name, ts, dur, tid in bars
    ]
    if marks:  # two steps, which the arrow connects
        marked = {**own, "ph": "X", "cat": "user_annotation", "dur": 50, "tid": 1}
        events += [{**marked, "name": f"ProfilerStep#{n}", "ts": 50 * n} for n in range(2)]
    if flow:
        # Both ends lie on the edge of a bar.
        events += [
            {**own, "ph": "s", "id": 1, "name": "batch", "cat": "q", "ts": 40, "tid": 1},
            {**own, "ph": "f", "id": 1, "name": "batch", "cat": "q", "ts": 60, "tid": 2},
        ]
    path = folder / f"flow-{flow}-{marks}.json"
    path.write_text(json.dumps(events))
    return path


@pytest.mark.parametrize("marks", [False, True], ids=["without steps", "between steps"])
def test_shift_j_draws_the_flows_of_a_trace(qtbot, window, tmp_path, marks):
    def pictures(path):
        """The timeline before Shift+J and after it; the key is pressed once more at the end."""
        window.feature(RecordingsFeature).files.open_paths([path])
        window.timeline.navigator.fit()
        seen = [window.timeline.grab().toImage()]
        for _ in range(2):
            qtbot.keyClick(window.timeline, Qt.Key.Key_J, SHIFT)
            seen.append(window.timeline.grab().toImage())
        return seen

    without, with_arrows, again = pictures(two_threads(tmp_path, marks=marks))
    assert with_arrows != without and again == without
    # Nothing but the arrows changes: a trace without any looks the same.
    assert len({bytes(one.constBits()) for one in pictures(two_threads(tmp_path, flow=False))}) == 1


def test_the_dialog_shows_files_of_every_format(qtbot, window):
    qtbot.keyClick(window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier)
    (dialog,) = window.findChildren(QFileDialog)
    patterns = " ".join(dialog.nameFilters())
    dialog.close()
    for format_ in TRACE_FORMATS:
        assert all(f"*{suffix}" in patterns for suffix in format_.suffixes)
