"""The main window with a fake client, whose messages the test chooses."""

from __future__ import annotations

import ast
import gc
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDockWidget

from core.engine.messages import Ended, Outcome
from core.models.catalogue import ModelSettings
from core.paths import PROJECT_ROOT
from core.plan.specification import Specification
from core.trace.trace import Trace
from gui.app.feature import Dock
from gui.app.settings import Settings
from gui.features.details.feature import DetailsFeature
from gui.features.devices.feature import DevicesFeature
from gui.features.figures.feature import FiguresFeature
from gui.features.keys.gestures import MOUSE
from gui.features.keys.keys import KeySheet, columns, sections
from gui.features.log.feature import LogFeature
from gui.features.recordings.feature import RecordingsFeature
from gui.features.run.feature import RunFeature
from gui.features.runs.feature import RunsFeature
from gui.features.runs.panel import RUN_ROLE
from gui.features.statistics.feature import StatisticsFeature
from gui.features.status.feature import StatusFeature
from gui.features.view.feature import ViewFeature
from gui.timeline.layout.frame import LABELS, RIGHT
from gui.timeline.state.selection import TimeRange
from gui.widgets.label import Label
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.make_believe import MS, batches, prediction_of, record, specification

MakeWindow = Callable[[FakeClient, Settings], MainWindow]


def shown_prediction(window: MainWindow) -> Trace | None:
    """The notes below the lanes."""
    return (
        window.scene.prediction
        if window.scene and window.timeline.state.strips.prediction
        else None
    )


def perform(window: MainWindow, client: FakeClient, spec: Specification) -> None:
    """Press Run with `spec` in the form, and perform the whole run."""
    window.feature(RunFeature).form.set_specification(spec)
    window.action("run").trigger()
    client.perform(client.asked[-1])
    window.session.tick()
    while window.session.live is not None:
        window.session.tick()


def test_a_finished_run_fills_timeline_and_panels(window: MainWindow, client: FakeClient) -> None:
    perform(window, client, specification(verify=True))
    assert window.scene is not None
    assert all(len(columns) for columns in window.scene.columns)
    assert (
        window.feature(StatusFeature).line.recorded.text() == "7 steps recorded · 406 spans · exact"
    )
    assert (
        window.feature(StatusFeature).line.verified.text() == "gradients differ by at most 2.1e-07"
    )
    assert window.feature(StatusFeature).bar.step.text().startswith("step 3 of 5, the median · ")
    assert (
        "64 rows in 8 micro-batches of 8"
        in window.feature(DevicesFeature).batch.accessibleDescription()
    )
    assert "cpu:1: busy" in window.feature(DevicesFeature).devices.accessibleDescription()
    assert window.feature(LogFeature).panel.widget.model.rowCount() == 8
    assert window.feature(RunsFeature).panel.widget.topLevelItemCount() == 1
    assert window.feature(RunsFeature).panel.widget.topLevelItem(0).text(2) == "finished"


def test_the_batch_split_of_30_rows_on_8_lanes_is_shown(
    window: MainWindow, client: FakeClient
) -> None:
    perform(
        window, client, Specification("dp", ModelSettings("tutorial"), "8xcpu", batch=30, steps=2)
    )
    told = window.feature(DevicesFeature).batch.accessibleDescription().replace("\u00a0", " ")
    assert "4, 4, 4, 4, 4, 4, 4, 2" in told
    assert "gather" in window.feature(DevicesFeature).devices.accessibleDescription()


def test_selecting_a_span_shows_its_own_step_and_its_details(
    window: MainWindow, client: FakeClient
) -> None:
    spec = Specification("dp", ModelSettings("tutorial"), "8xcpu", batch=30, data=100)
    perform(window, client, spec)
    assert "no rows" not in window.feature(DevicesFeature).batch.accessibleDescription()
    assert "30 rows over 8 replicas" in window.feature(DevicesFeature).batch.accessibleDescription()
    trace = window.run_shown.trace
    window.timeline.selector.select_span(1, trace.spans(1).of_step(trace.steps[-1]).start)
    assert "10 rows over 5 replicas" in window.feature(DevicesFeature).batch.accessibleDescription()
    window.timeline.selector.select_span(1, 0)
    assert "30 rows over 8 replicas" in window.feature(DevicesFeature).batch.accessibleDescription()
    table = window.feature(DetailsFeature).panel.widget.table
    rows = range(table.rowCount())
    cells = {table.item(row, 0).text(): table.item(row, 1).text() for row in rows}
    assert cells["Lane"] == "cpu:1"
    assert cells["Rows"] == "4"
    assert "Waited for" in cells


def test_a_selected_range_is_described_in_details_and_counted_in_statistics(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    perform(window, client, specification())
    window.timeline.state.select(TimeRange(100 * MS, 150 * MS))
    table = window.feature(DetailsFeature).panel.widget.table
    cells = {table.item(row, 0).text(): table.item(row, 1).text() for row in (0, 1)}
    assert cells["Lanes"] == "all 2"
    assert (
        cells["From, to"].replace("\u00a0", " ") == "100.000 to 150.000 ms since run start (50 ms)"
    )
    assert window.feature(StatisticsFeature).panel.widget.isVisible()
    qtbot.waitUntil(lambda: window.feature(StatisticsFeature).panel.widget.figures is not None)
    assert window.feature(StatisticsFeature).panel.widget.figures.counted.wall_ns == 50 * MS


def test_run_is_disabled_with_the_reason_while_the_form_cannot_run(window: MainWindow) -> None:
    window.feature(RunFeature).form.set_specification(Specification(stages=77))
    run = window.action("run")
    assert not run.isEnabled()
    assert "77 stages" in run.toolTip()
    window.feature(RunFeature).form.set_specification(Specification())
    assert run.isEnabled()


def test_run_and_stop_are_enabled_alternately(window: MainWindow, client: FakeClient) -> None:
    run, stop = window.action("run"), window.action("stop")
    assert (run.isEnabled(), stop.isEnabled()) == (True, False)
    run.trigger()
    assert (run.isEnabled(), stop.isEnabled()) == (False, True)
    stop.trigger()
    assert client.stopped
    client.say(Ended(Outcome.STOPPED))
    window.session.tick()
    assert (run.isEnabled(), stop.isEnabled()) == (True, False)


def test_a_refusal_is_shown_in_one_line_above_the_timeline(
    window: MainWindow, client: FakeClient
) -> None:
    window.action("run").trigger()
    client.say(Ended(Outcome.REFUSED, "no memory for that"))
    window.session.tick()
    assert window.banner.isVisible()
    assert window.banner.label.text() == "no memory for that"


def test_a_dead_engine_leaves_the_window_usable(window: MainWindow, client: FakeClient) -> None:
    header, made = batches(specification())
    window.action("run").trigger()
    client.say(header, *made[:4], Ended(Outcome.FAILED, "the engine was killed"))
    while window.session.asking:
        window.session.tick()
    assert "The engine was killed." in window.banner.label.text()
    kept = window.run_shown.trace.span_count
    assert kept > 0
    perform(window, client, specification("dp"))
    assert not window.banner.isVisible()
    assert len(window.session.runs) == 2
    assert window.session.runs[0].trace.span_count == kept


def test_runs_of_the_session_can_be_shown_again(window: MainWindow, client: FakeClient) -> None:
    perform(window, client, specification())
    perform(window, client, specification("dp"))
    first = window.session.runs[0]
    assert window.run_shown is window.session.runs[1]
    window.feature(RunsFeature).panel.widget.setCurrentItem(
        window.feature(RunsFeature).panel.widget.topLevelItem(0)
    )
    assert window.feature(RunsFeature).panel.widget.topLevelItem(0).data(0, RUN_ROLE) is first
    assert window.run_shown is first
    assert window.timeline.state.trace is first.trace
    assert "Pipeline" in window.feature(StatusFeature).bar.title.text()


def test_the_log_can_be_filtered_by_level(window: MainWindow, client: FakeClient) -> None:
    perform(window, client, specification())
    log = window.feature(LogFeature).panel.widget
    log.level.setCurrentIndex(log.level.findText("Only size"))
    rows = [log.model.index(row, 1).data() for row in range(log.model.rowCount())]
    assert rows == ["size"] * 7
    log.level.setCurrentIndex(log.level.findText("Warnings and errors"))
    assert log.model.rowCount() == 0


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_the_shown_run_is_exported(
    window: MainWindow, client: FakeClient, tmp_path: Path, suffix: str
) -> None:
    perform(window, client, specification())
    window.feature(FiguresFeature).exporting.export_to(tmp_path / f"x{suffix}")
    window.feature(FiguresFeature).exporting.export_to(tmp_path / f"y{suffix}", visible=True)
    assert (tmp_path / f"x{suffix}").stat().st_size > 1000
    assert (tmp_path / f"y{suffix}").stat().st_size > 1000
    assert not window.banner.isVisible()


def test_an_export_that_fails_is_reported_in_the_banner(
    window: MainWindow, client: FakeClient, tmp_path: Path
) -> None:
    perform(window, client, specification())
    window.feature(FiguresFeature).exporting.export_to(tmp_path / "x.gif")
    assert ".png, .svg or .pdf" in window.banner.label.text()
    window.feature(RecordingsFeature).files.save_to(tmp_path / "nowhere" / "x.arrow")
    assert "cannot be written" in window.banner.label.text()


def test_a_saved_run_opens_again_with_the_same_spans(
    window: MainWindow, client: FakeClient, tmp_path: Path
) -> None:
    perform(window, client, specification())
    saved = window.run_shown.trace.span_count
    window.feature(RecordingsFeature).files.save_to(tmp_path / "x.arrow")
    window.feature(RecordingsFeature).files.open_from(tmp_path / "x.arrow")
    assert window.run_shown.source == tmp_path / "x.arrow"
    assert window.run_shown.trace.span_count == saved
    assert window.feature(RunsFeature).panel.widget.topLevelItemCount() == 2


def test_a_truncated_recording_opens_with_one_warning(window: MainWindow, tmp_path: Path) -> None:
    record(specification(), tmp_path / "x.arrow")
    data = (tmp_path / "x.arrow").read_bytes()
    (tmp_path / "x.arrow").write_bytes(data[: len(data) * 2 // 3])
    window.feature(RecordingsFeature).files.open_from(tmp_path / "x.arrow")
    assert "was cut" in window.banner.label.text()
    assert window.run_shown.trace.span_count > 0


@pytest.mark.parametrize("content", [None, b"no recording", b"PAR1"])
def test_a_file_that_is_not_a_recording_changes_nothing(
    window: MainWindow, tmp_path: Path, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / "x.arrow").write_bytes(content)
    window.feature(RecordingsFeature).files.open_from(tmp_path / "x.arrow")
    assert "x.arrow" in window.banner.label.text()
    assert window.run_shown is None


def test_memory_and_prediction_are_shown_until_hidden_and_the_choice_is_remembered(
    window: MainWindow, client: FakeClient, settings: Settings, make_window: MakeWindow
) -> None:
    perform(window, client, specification())
    assert (window.timeline.state.strips.memory, shown_prediction(window)) == (True, None)
    prediction = prediction_of(specification(), window.run_shown.trace)
    window.timeline.state.set_prediction(prediction)
    assert shown_prediction(window) is prediction
    for name in ("memory", "prediction"):
        assert window.action(name).isChecked()
        window.action(name).trigger()
    assert (window.timeline.state.strips.memory, shown_prediction(window)) == (False, None)
    again = make_window(FakeClient(), Settings(Path(settings.store.fileName())))
    assert not again.action("memory").isChecked()
    assert not again.action("prediction").isChecked()
    assert not again.timeline.state.stack.chosen.memory


def test_an_exported_figure_has_the_contents_of_the_window(
    window: MainWindow, client: FakeClient, tmp_path: Path
) -> None:
    perform(window, client, specification())
    window.timeline.state.set_prediction(prediction_of(specification(), window.run_shown.trace))
    window.feature(FiguresFeature).exporting.export_to(tmp_path / "all.svg")
    window.feature(ViewFeature).options.show("memory", False)
    window.feature(ViewFeature).options.show("prediction", False)
    window.feature(FiguresFeature).exporting.export_to(tmp_path / "bare.svg")
    everything, bare = ((tmp_path / name).read_text() for name in ("all.svg", "bare.svg"))
    for words in ("predicted", "activations held"):
        assert words in everything
        assert words not in bare


def test_no_two_actions_share_a_shortcut_and_all_have_a_tooltip(window: MainWindow) -> None:
    actions = [*window._menus.actions.values()]
    actions += [dock.toggleViewAction() for dock in window.docks.docks.values()]
    shortcuts = [keys.toString() for action in actions for keys in action.shortcuts()]
    assert sorted(set(shortcuts)) == sorted(shortcuts)
    assert all(action.toolTip() for action in actions)


def sheet_of(window: MainWindow, qtbot: object) -> KeySheet:
    """Press `?` and return the sheet that opens."""
    window.timeline.setFocus()
    qtbot.keyClick(window.timeline, "?")
    qtbot.waitUntil(lambda: window.findChild(KeySheet) is not None)
    sheet = window.findChild(KeySheet)
    qtbot.waitUntil(sheet.isActiveWindow)
    return sheet


def test_the_sheet_lists_every_action_with_keys_and_the_mouse(window: MainWindow) -> None:
    listed = [name for _, rows in sections(window.menuBar()) for _, name, _ in rows]
    for action in window._menus.actions.values():
        assert (action.text() in listed) is bool(action.shortcuts())
    assert set(listed) >= set(MOUSE.values())


def test_the_sheets_columns_hold_every_line_once_and_end_at_the_same_height() -> None:
    lines = [(str(n), str(n), "") for n in range(70)]
    made = columns([("one", lines[:50]), ("two", lines[50:])], 28)
    assert [row for column in made for _, rows in column for row in rows] == lines
    for column in made:
        assert sum(len(rows) + 2 for _, rows in column) - 1 <= 28


def test_the_sheet_shows_only_lines_that_contain_the_typed_text(
    window: MainWindow, qtbot: object
) -> None:
    sheet = sheet_of(window, qtbot)
    qtbot.keyClicks(sheet.field, "bubble")
    shown = [label.text() for label in sheet.findChildren(Label) if label.isVisible()]
    assert "B" in shown and "GO" in shown
    assert "F5" not in shown and "MOUSE" not in shown
    sheet.field.clear()
    shown = [label.text() for label in sheet.findChildren(Label) if label.isVisible()]
    assert "F5" in shown and "MOUSE" in shown


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_Question])
def test_the_sheet_fits_the_screen_and_is_closed_by_escape_and_by_its_own_key(
    window: MainWindow, qtbot: object, key: Qt.Key
) -> None:
    sheet = sheet_of(window, qtbot)
    room = sheet.screen().availableSize()
    assert sheet.width() <= room.width()
    assert sheet.height() <= room.height()
    qtbot.keyClick(sheet, key)
    qtbot.waitUntil(lambda: window.findChild(KeySheet) is None)


def test_letters_move_the_timeline_but_not_while_the_user_types(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    perform(window, client, specification())
    window.timeline.setFocus()
    span = window.timeline.state.viewport.span
    qtbot.keyClick(window.timeline, Qt.Key.Key_W)
    qtbot.waitUntil(lambda: window.timeline.state.viewport.span < span)
    span = window.timeline.state.viewport.span
    edit = window.feature(RunFeature).form.fields["devices"].widget.lineEdit()
    edit.setFocus()
    qtbot.keyClick(edit, Qt.Key.Key_W)
    assert "w" in edit.text()
    assert window.timeline.state.viewport.span == span


def test_follow_shows_whether_the_view_follows(window: MainWindow, client: FakeClient) -> None:
    perform(window, client, specification())
    follow = window.action("follow")
    assert follow.isChecked()
    window.timeline.navigator.zoom(1)
    assert not follow.isChecked()
    follow.trigger()
    assert follow.isChecked()
    assert window.timeline.state.following


def test_a_click_on_the_overview_moves_the_view_there(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    perform(window, client, specification())
    state = window.timeline.state
    assert state.scene is not None
    start, end = state.scene.bounds
    width = window.overview.width() - LABELS - RIGHT
    x = round(LABELS + 0.4 * width)
    QTest.mouseClick(window.overview, Qt.MouseButton.LeftButton, pos=QPoint(x, 10))
    there = start + (x - LABELS) / width * (end - start)
    assert state.viewport.time(state.viewport.width / 2) == pytest.approx(there, rel=0.001)


@pytest.mark.parametrize("ratio_theme", ["light", "dark"])
def test_the_theme_colours_the_window_and_is_remembered(
    window: MainWindow, client: FakeClient, settings: Settings, ratio_theme: str
) -> None:
    perform(window, client, specification())
    window.feature(ViewFeature).colours.toggle_theme(ratio_theme == "dark")
    image: QImage = window.grab().toImage()
    shades = [image.pixelColor(x, 40).lightness() for x in range(900, 1000, 10)]
    assert (sum(shades) / len(shades) > 128) is (ratio_theme == "light")
    assert settings.theme == ratio_theme


def test_form_layout_size_and_theme_are_remembered(
    make_window: MakeWindow, settings: Settings
) -> None:
    first = make_window(FakeClient(), settings)
    first.feature(RunFeature).form.set_specification(
        Specification("dp", ModelSettings("tutorial"), "4xcpu", batch=12)
    )
    first.docks.hide("log")
    first.bring("batch")
    first.action("theme").trigger()
    for width in (1000, 780):  # as when dragging: titles of tabs shrink first
        first.resize(width, 640)
        QApplication.processEvents()
    first.close()
    second = make_window(FakeClient(), Settings(Path(settings.store.fileName())))
    assert (
        second.feature(RunFeature).form.specification()
        == first.feature(RunFeature).form.specification()
    )
    assert second.docks.docks[Dock.DATA].isHidden()
    assert second.docks.pages["batch"].isVisible()
    assert second.feature(ViewFeature).colours.theme.name == "dark"
    assert (second.width(), second.height()) == (780, 640)


def test_unreadable_settings_fall_back_to_the_defaults(
    make_window: MakeWindow, tmp_path: Path
) -> None:
    (tmp_path / "broken.ini").write_text('[General]\nspecification="{{{"\ntheme=plaid\n')
    settings = Settings(tmp_path / "broken.ini")
    assert settings.specification == Specification()
    assert make_window(FakeClient(), settings).theme.name == "light"


def test_closing_the_window_ends_the_engine(window: MainWindow, client: FakeClient) -> None:
    window.close()
    assert client.closed


def test_the_window_never_imports_torch() -> None:
    script = (
        "import sys, gui.window.start\n"
        "assert 'torch' not in sys.modules, 'torch was imported'\n"
        "assert 'core.engine.tasks.executor' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=PROJECT_ROOT, timeout=60)


def test_no_dialog_waits_for_its_answer() -> None:
    waiting = re.compile(
        r"\.exec\(|\.get(Open|Save)FileNames?\(|getExisting|QInputDialog\.get"
        r"|QMessageBox\.(question|information|warning|critical|about)"
    )
    for path in (PROJECT_ROOT / "gui").rglob("*.py"):
        allowed = path.name == "start.py"  # the application's own loop
        assert allowed or not waiting.search(path.read_text()), path


def test_no_file_outside_the_panels_table_knows_a_strategy_by_name() -> None:
    names = {"single", "dp", "ddp", "mp", "pipeline"}
    for path in (PROJECT_ROOT / "gui").rglob("*.py"):
        texts = {
            node.value
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        assert not texts & names, f"{path} knows {texts & names}"


def test_the_docks_can_be_listed_at_any_time(window: MainWindow) -> None:
    for _ in range(2):
        docks = window.findChildren(QDockWidget)
        names = {dock.objectName() for dock in docks}
        assert names == {dock.name.lower() for dock in window.docks.docks}
        gc.collect()
    assert window.feature(RunFeature).form.isVisible()
