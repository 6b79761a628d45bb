"""The Why dock: ladder, idle causes, bubbles and critical path of a step."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea, QToolTip
from pytestqt.qtbot import QtBot

from core.engine.messages import Ended, EngineMessage, Outcome
from core.explain.arrivals import Arrivals
from core.explain.buckets import bucket_times
from core.explain.critical import ON_TASKS, PathShare, path_shares
from core.plan.specification import Specification
from core.recording.recording import open_recording
from core.recording.schema import NoteRow, Record, note_batch
from core.report.summary import summarise
from core.report.verdict import verdict
from core.trace.span import Span
from core.trace.trace import Trace
from gui.app.feature import Dock
from gui.app.settings import Settings
from gui.features.bubbles import bubbles
from gui.features.devices.buckets import bucket_name, bucket_words
from gui.features.devices.feature import DevicesFeature
from gui.features.devices.texts import balance_rows, share_rows
from gui.features.figures.feature import FiguresFeature
from gui.features.runs.feature import RunsFeature
from gui.features.view.feature import ViewFeature
from gui.features.why.arrivals import MOST, arrivals_words
from gui.features.why.feature import WhyFeature
from gui.features.why.panel import LISTED, WhyPanel
from gui.features.why.shares import SHARE_WORDS
from gui.features.why.waterfall import BAR_NAMES, BAR_TIPS, WaterfallChart, waterfall_bars
from gui.timeline.layout.frame import Viewport
from gui.timeline.paint.critical import path_boxes, path_lines
from gui.timeline.state.explained import Wanted
from gui.window.window import MainWindow
from tests.core.recorder.made import two_ranks
from tests.core.report.verdicts import made
from tests.gui.fake_client import FakeClient
from tests.gui.features.figures.test_export import words_of
from tests.gui.window.test_window import perform
from tests.make_believe import MS, batches, specification, trace_of

MakeWindow = Callable[[FakeClient, Settings], MainWindow]
DOWN = {"ideal": 24 * MS, "imbalance": 0, "bubble": 9 * MS, "contention": -3 * MS, "host": MS}


def show_why(window: MainWindow) -> None:
    """Open the Why dock with its key."""
    if not window.feature(WhyFeature).panel.widget.isVisible():
        QTest.keySequence(window, window.findChild(QAction, "show_why").shortcut())
    assert window.feature(WhyFeature).panel.widget.isVisible()


def explained(window: MainWindow, client: FakeClient, *given: str, **values: object) -> None:
    """Perform a run with these settings, and open the dock."""
    perform(window, client, specification(*given, **values))
    show_why(window)


def test_a_critical_path_of_one_piece_is_counted_in_the_singular(
    window: MainWindow, client: FakeClient
) -> None:
    explained(window, client, steps=3)
    panel = window.feature(WhyFeature).panel.widget
    step = window.scene.described
    known = window.scene.explained.step(step)
    assert panel._path_heading.text() == f"CRITICAL PATH · {len(known.path)} pieces"
    first = SimpleNamespace(explanation=known.explanation, path=known.path[:1])
    explained_once = SimpleNamespace(step=lambda _: first)
    panel._show_path(SimpleNamespace(trace=window.scene.trace, explained=explained_once), [step])
    assert panel._path_heading.text() == "CRITICAL PATH · 1 piece"


@pytest.mark.parametrize(
    ("searched", "text"),
    [
        (2, "1 earlier step on screen was not searched."),
        (1, "2 earlier steps on screen were not searched."),
    ],
)
def test_steps_that_the_walk_through_bubbles_leaves_out_are_counted(
    monkeypatch: pytest.MonkeyPatch, searched: int, text: str
) -> None:
    trace = trace_of(specification(steps=3, warmup=0))
    spans_of_a_step = trace.span_count // 3
    monkeypatch.setattr(bubbles, "MOST_SPANS", searched * spans_of_a_step)
    _, end = trace.step_bounds(2)
    view = Viewport(0.0, float(end), 1000.0)
    found = bubbles.search(trace, view, None)
    assert bubbles._words(found, 0).endswith(text)


def test_the_rungs_shown_add_up_to_the_makespan_shown(
    window: MainWindow, client: FakeClient
) -> None:
    explained(window, client, devices="4xcpu", steps=3)
    trace = window.run_shown.trace
    start, end = trace.step_bounds(window.scene.described)
    *bars, whole = window.feature(WhyFeature).panel.widget.waterfall.bars
    assert [bar.start for bar in bars[1:]] == [bar.end for bar in bars[:-1]]
    assert bars[-1].end == whole.end == end - start
    assert window.feature(WhyFeature).panel.widget.waterfall.makespan == sum(
        bar.value for bar in bars
    )
    last = summarise(trace).steps[-1]
    assert {bar.name: bar.value for bar in bars} == last.ladder
    assert sum(window.feature(WhyFeature).panel.widget.path_bar.shares.values()) == end - start
    assert f"measured {(end - start) / 1e6:.0f} ms, 100.0 %" in (
        window.feature(WhyFeature)
        .panel.widget.waterfall.accessibleDescription()
        .replace("\u00a0", " ")
    )


def test_the_verdict_on_the_run_is_at_the_top(
    window: MainWindow, client: FakeClient, qtbot: QtBot
) -> None:
    explained(window, client, devices="4xcpu", steps=3)
    qtbot.waitUntil(window.feature(WhyFeature).panel.widget.verdict.isVisible)
    said = summarise(window.run_shown.trace).verdict
    assert said is not None and window.feature(WhyFeature).panel.widget.verdict.text() == str(
        said.text
    )
    assert (
        window.feature(WhyFeature).panel.widget.verdict.y()
        < window.feature(WhyFeature).panel.widget.chooser.y()
    )
    explained(window, client, "single", devices="1xcpu", steps=3)
    qtbot.waitUntil(
        lambda: (
            window.feature(WhyFeature)
            .panel.widget.verdict.text()
            .endswith("each cost less than a twentieth of the step.")
        )
    )


def test_the_lane_that_makes_a_pipeline_uneven_is_named_below_the_verdict(qtbot: QtBot) -> None:
    run = Specification("dp-pp", devices="4xvirtual:cpu", batch=64, steps=6, warmup=0)
    found = verdict(made(run.having(slow_lane="1:1.5")).trace)
    assert found is not None
    panel = WhyPanel()
    qtbot.addWidget(panel)
    panel.show_verdict(found)
    limit, uneven = panel.verdict.text().splitlines()
    assert limit == str(found.text)
    assert uneven.startswith("Worker virtual:1 takes 50 % longer than the other workers")
    panel.show_verdict(None)
    assert panel.verdict.text() == ""


def test_a_live_run_has_no_verdict_yet(window: MainWindow, client: FakeClient) -> None:
    spec = specification(steps=2)
    window.session.run(spec)
    client.perform(spec)
    messages = client.messages
    client.messages = messages[: len(messages) // 2]
    window.session.tick()
    show_why(window)
    assert (
        window.session.live is not None
        and not window.feature(WhyFeature).panel.widget.verdict.isVisible()
    )


def test_the_idle_bars_show_the_causes_of_the_summary(
    window: MainWindow, client: FakeClient
) -> None:
    explained(window, client, "dp", devices="4xcpu")
    shown = {
        name: {str(cause): ns for cause, ns in idle.items()}
        for name, idle in window.feature(WhyFeature).panel.widget.idle.lanes
    }
    lanes = summarise(window.run_shown.trace).steps[-1].lanes
    assert shown == {lane.name: lane.idle_by_cause for lane in lanes}
    assert sum(window.feature(WhyFeature).panel.widget.idle.totals.values()) == sum(
        lane.idle_ns for lane in lanes
    )


def test_both_bubbles_are_next_to_the_closed_form(window: MainWindow, client: FakeClient) -> None:
    explained(window, client, schedule="gpipe")
    step = summarise(window.run_shown.trace).steps[-1]
    figures = (step.bubble_by_makespan, step.bubble_by_lane_span, step.closed_form)
    texts = [
        text.replace("\u00a0", " ")
        for text in window.feature(WhyFeature).panel.widget.bubbles.texts
    ]
    assert texts == [f"{100 * figure:.1f} %" for figure in figures]
    assert "GPipe" in window.feature(WhyFeature).panel.widget.bubbles.notes[-1].text()
    explained(window, client, "dp")
    assert window.feature(WhyFeature).panel.widget.bubbles.texts[-1] == "–"
    assert "no formula" in window.feature(WhyFeature).panel.widget.bubbles.notes[-1].text()


def test_without_a_run_the_dock_says_when_it_will_be_filled(window: MainWindow) -> None:
    show_why(window)
    assert window.feature(WhyFeature).panel.widget._stack.currentIndex() == 0
    assert (
        "Where a step's time goes"
        in window.feature(WhyFeature).panel.widget._stack.currentWidget().text()
    )
    assert window.feature(WhyFeature).panel.widget.figures is None


def test_the_step_on_screen_is_explained(window: MainWindow, client: FakeClient) -> None:
    explained(window, client, steps=3, warmup=1)
    assert window.feature(WhyFeature).panel.widget.steps == [2]
    assert window.feature(WhyFeature).panel.widget.chooser.currentText() == "on screen: step 2"
    window.timeline.selector.select_span(0, 0)
    assert window.feature(WhyFeature).panel.widget.steps == [0]
    assert window.feature(WhyFeature).panel.widget.chooser.currentText() == "on screen: warm-up 1"
    window.timeline.selector.clear()
    assert window.feature(WhyFeature).panel.widget.steps == [window.scene.described]


@pytest.mark.parametrize(
    ("warmup", "sent", "wanted", "shown"),
    [
        (3, 3 * 3, "mean of 2 warm-up steps", [0, 1]),
        (1, 3 * 2, "mean of 1 step", [0]),
        (1, 3 * 3, "mean of 1 step", [1]),
        (1, 3 * 4, "mean of 2 measured steps", [1, 2]),
    ],
)
def test_the_mean_names_its_steps_and_excludes_a_stopped_step(
    window: MainWindow, client: FakeClient, qtbot: QtBot,
    warmup: int, sent: int, wanted: str, shown: list[int],
) -> None:  # fmt: skip
    spec = specification(steps=5, warmup=warmup)
    header, made = batches(spec)
    stopped = note_batch([NoteRow(Record.LOG, "state", 0, text="stopped")])
    window.session.run(spec)
    # Leave out the records after the last step's spans, as if the run was stopped in the middle.
    client.say(header, *made[:sent], stopped, Ended(Outcome.STOPPED))
    qtbot.waitUntil(lambda: window.run_shown is not None and window.run_shown.outcome is not None)
    window.bring("why")
    window.showing.figures.update()
    assert window.feature(WhyFeature).panel.widget.chooser.itemText(1) == wanted
    window.feature(WhyFeature).panel.widget.chooser.setCurrentIndex(1)
    assert window.feature(WhyFeature).panel.widget.steps == shown


def test_the_chooser_offers_each_step_and_the_mean_of_the_measured_ones(
    window: MainWindow, client: FakeClient, qtbot: QtBot
) -> None:
    explained(window, client, "dp", batch=30, data=100, warmup=1)
    chooser = window.feature(WhyFeature).panel.widget.chooser
    texts = [chooser.itemText(i) for i in range(chooser.count())]
    assert texts[1:] == ["mean of 4 measured steps", "step 4", "step 3", "step 2", "step 1",
                         "warm-up 1"]  # fmt: skip
    chooser.setFocus()
    QTest.keyClick(chooser, Qt.Key.Key_Down)
    steps = summarise(window.run_shown.trace).steps
    # Steps are explained in slices, and busy cores may need several.
    qtbot.waitUntil(lambda: not window.feature(WhyFeature).panel.widget.path.isVisible())
    assert window.feature(WhyFeature).panel.widget.steps == [step.step for step in steps]
    assert (
        window.feature(WhyFeature).panel.widget.waterfall.makespan
        == sum(step.makespan_ns for step in steps) // 4
    )
    chooser.setCurrentIndex(chooser.findText("step 1"))
    qtbot.waitUntil(window.feature(WhyFeature).panel.widget.path.isVisible)
    assert window.feature(WhyFeature).panel.widget.waterfall.makespan == steps[0].makespan_ns
    assert LISTED >= 100


def test_means_of_many_steps_arrive_without_blocking(
    window: MainWindow, client: FakeClient, qtbot: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.features.why.panel.SHARE_S", 0.0)
    explained(window, client, steps=6)
    window.feature(WhyFeature).panel.widget.chooser.setCurrentIndex(1)
    mean = sum(step.makespan_ns for step in summarise(window.run_shown.trace).steps) // 6
    qtbot.waitUntil(
        lambda: (
            window.feature(WhyFeature).panel.widget.waterfall.makespan == mean
            and len(window.feature(WhyFeature).panel.widget.steps) == 6
        )
    )
    assert window.scene.explained.knows(
        window.feature(WhyFeature).panel.widget.steps[0], Wanted.FIGURES
    )


def test_a_step_of_very_many_tasks_is_explained_on_request(
    qtbot: QtBot, window: MainWindow, client: FakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.timeline.state.explained.LARGE", 10)
    explained(window, client, devices="4xcpu")
    assert window.feature(WhyFeature).panel.widget.figures is None
    assert window.feature(WhyFeature).panel.widget.explain_button.isVisible()
    start, end = window.run_shown.trace.step_bounds(
        window.feature(WhyFeature).panel.widget.steps[0]
    )
    QTest.mouseClick(
        window.feature(WhyFeature).panel.widget.explain_button, Qt.MouseButton.LeftButton
    )
    assert not window.feature(WhyFeature).panel.widget.explain_button.isVisible()
    qtbot.waitUntil(window.feature(WhyFeature).panel.widget.waterfall.isVisible)
    assert window.feature(WhyFeature).panel.widget.waterfall.makespan == end - start


def test_a_step_under_way_is_not_explained(window: MainWindow, client: FakeClient) -> None:
    header, made = batches(specification(warmup=0))
    window.action("run").trigger()
    told, opened = 1 + 3 * 2, made[1 + 3 * 2]

    def explained_after(*messages: EngineMessage) -> list[int]:
        client.say(*messages)
        window.session.tick()
        while window.session._waiting:
            window.session.tick()
        window.showing.figures.update()
        assert window.feature(WhyFeature).panel.widget.figures is not None
        return window.feature(WhyFeature).panel.widget.steps

    show_why(window)
    # All spans of step 1 have arrived, but only its loss shows that it is complete.
    assert explained_after(header, *made[: told - 1]) == [0]
    assert explained_after(made[told - 1]) == [1]
    assert explained_after(opened) == [1]
    assert window.run_shown.trace.open_tasks[0].step == 2


@pytest.mark.parametrize("key", [None, Qt.Key.Key_Down])
def test_a_piece_of_the_path_leads_to_its_task(
    window: MainWindow, client: FakeClient, key: Qt.Key | None
) -> None:
    explained(window, client, devices="4xcpu")
    path = window.feature(WhyFeature).panel.widget.path
    item = path.topLevelItem(1)
    if key is None:
        spot = path.visualItemRect(item).center()
        QTest.mouseClick(path.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    else:
        path.setFocus()
        path.setCurrentItem(path.topLevelItem(0))
        QTest.keyClick(path, key)
    chosen = window.timeline.state.selection
    assert isinstance(chosen, Span)
    assert chosen.task == item.data(0, Qt.ItemDataRole.UserRole)
    assert path.currentItem().text(1) == item.text(1)
    assert window.feature(WhyFeature).panel.widget.isVisible()


def test_the_list_has_every_piece_of_the_path_in_order(
    window: MainWindow, client: FakeClient
) -> None:
    explained(window, client, "dp", devices="4xcpu")
    step = window.scene.described
    pieces = window.scene.explained.step(step).path
    path = window.feature(WhyFeature).panel.widget.path
    shares = [path.topLevelItem(i).text(0) for i in range(path.topLevelItemCount())]
    assert shares == [SHARE_WORDS[piece.share][0] for piece in pieces]
    shown = {share: ns for share, ns in path_shares(pieces).items() if ns}
    assert window.feature(WhyFeature).panel.widget.path_bar.shares == shown


def test_the_action_outlines_the_tasks_that_core_names(
    window: MainWindow, client: FakeClient
) -> None:
    explained(window, client, devices="4xcpu", steps=2)
    window.timeline.setFocus()
    before = window.timeline.viewport().grab().toImage()
    QTest.keyClick(window.timeline, Qt.Key.Key_C)
    assert window.action("critical_path").isChecked()
    assert window.timeline.state.strips.path
    scene, frame = window.scene, window.timeline.state.frame
    step = scene.described
    columns = scene.explained.explanation(step).columns
    pieces = [p for p in scene.explained.step(step).path if p.share in ON_TASKS]
    boxes = path_boxes(scene.explained.step(step), frame)
    assert len(boxes) == len(pieces) > 5
    for box, piece in zip(boxes, pieces, strict=True):
        row = frame.layout.track_of(int(columns.lane[piece.task]))
        assert (box.top(), box.height()) == (frame.top + row.top, row.height)
        assert box.left() == pytest.approx(frame.x(piece.start), abs=0.01)
        assert box.width() >= frame.x(piece.end) - frame.x(piece.start) - 0.01
    after = window.timeline.viewport().grab().toImage()
    ratio, wide = after.devicePixelRatio(), max(boxes, key=lambda box: box.width())
    left, middle = int(wide.left() * ratio), int(wide.center().y() * ratio)
    # The outline is centred on the edge, and its outermost pixels are blended with others.
    edge = [QPoint(x, middle) for x in range(left - 2, left + 3)]
    path = window.timeline.state.theme.path
    assert path in [after.pixelColor(place).name() for place in edge]
    assert path not in [before.pixelColor(place).name() for place in edge]


def test_the_paths_lines_lead_from_one_task_to_the_next(
    window: MainWindow, client: FakeClient
) -> None:
    explained(window, client, devices="4xcpu")
    known = window.scene.explained.step(window.scene.described)
    boxes = path_boxes(known, window.timeline.state.frame)
    lines = path_lines(boxes)
    changes = sum(a.top() != b.top() for a, b in pairwise(boxes))
    assert changes > 3
    assert len(lines) >= changes
    for line in lines:
        assert line.x2() >= line.x1() - 1


def test_the_path_is_remembered_and_drawn_in_figures_with_a_legend(
    make_window: MakeWindow, client: FakeClient, settings: Settings, tmp_path: Path
) -> None:
    first = make_window(client, settings)
    first.session.start()
    first.session.tick()
    perform(first, client, specification())
    first.feature(FiguresFeature).exporting.export_to(tmp_path / "without.svg")
    first.action("critical_path").trigger()
    first.feature(FiguresFeature).exporting.export_to(tmp_path / "with.svg")
    assert "critical path" not in words_of(tmp_path / "without.svg")
    assert "critical path" in words_of(tmp_path / "with.svg")
    colour = first.timeline.state.theme.path
    assert colour in (tmp_path / "with.svg").read_text()
    assert colour not in (tmp_path / "without.svg").read_text()
    first.close()
    second = make_window(FakeClient(), Settings(Path(settings.store.fileName())))
    assert second.action("critical_path").isChecked()
    assert second.timeline.state.stack.chosen.path


def test_every_rung_and_share_has_a_name_and_a_sentence(tmp_path: Path) -> None:
    trace = trace_of(specification(steps=1, warmup=0))
    costs = {"forward_ms": 2.0, "backward_ms": 4.0, "step_ms": 1.0, "transfer_ms": 0.1}
    trace.costs = json.dumps(costs)
    two_ranks(tmp_path)
    job = open_recording(tmp_path).trace
    ladders = [summarise(one).steps[0].ladder for one in (trace, job)]
    names = {bar.name for ladder in ladders for bar in waterfall_bars(ladder)}
    assert names == set(BAR_NAMES) == set(BAR_TIPS)
    assert set(SHARE_WORDS) == set(PathShare)
    for sentence in (*BAR_TIPS.values(), *(tip for _, tip in SHARE_WORDS.values())):
        assert sentence.endswith(".") and sentence.count(".") == 1


def test_a_rung_below_zero_hangs_down_with_its_figure_below(qtbot: object) -> None:
    chart = WaterfallChart()
    qtbot.addWidget(chart)
    chart.resize(360, 232)
    chart.show_waterfall(DOWN)
    chart.grab()
    names = [bar.name for bar in chart.bars]
    down = chart.bars[names.index("contention")]
    assert down.value < 0
    assert chart._y(down.end) > chart._y(down.start)
    assert chart._texts_of(down)[0].startswith("\u2212")
    assert chart._y(0) < 232


def test_hovering_over_a_bar_of_the_waterfall_describes_it(qtbot: object) -> None:
    chart = WaterfallChart()
    qtbot.addWidget(chart)
    chart.resize(360, 232)
    chart.show_waterfall(DOWN)
    chart.show()
    qtbot.waitExposed(chart)
    chart.grab()
    at = QPoint(10, 150)
    QApplication.sendEvent(chart, QHelpEvent(QEvent.Type.ToolTip, at, chart.mapToGlobal(at)))
    assert BAR_TIPS["ideal"] in QToolTip.text()
    assert BAR_TIPS["bubble"] in chart.tip_at(QPointF(2.5 * 360 / 6, 100))
    assert chart.tip_at(QPointF(-5, 0)) == ""
    QToolTip.hideText()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_charts_are_drawn_in_the_colours_of_the_theme(
    window: MainWindow, client: FakeClient, theme: str
) -> None:
    explained(window, client, devices="4xcpu")
    window.feature(ViewFeature).colours.toggle_theme(theme == "dark")
    for chart in (
        window.feature(WhyFeature).panel.widget.waterfall,
        window.feature(WhyFeature).panel.widget.path_bar,
        window.feature(WhyFeature).panel.widget.idle,
    ):
        image = chart.grab().toImage()
        colours = {
            image.pixelColor(x, y).name()
            for x in range(0, image.width(), 3)
            for y in range(0, image.height(), 3)
        }
        assert window.timeline.state.theme.plot in colours
        assert len(colours) > 8
    image = window.feature(WhyFeature).panel.widget.waterfall.grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(image.width()) for y in (150, 190)}
    assert window.timeline.state.theme.forward in colours


def test_everything_fits_into_a_dock_of_360_pixels(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    explained(window, client, devices="4xcpu", schedule="gpipe")
    dock = window.docks.docks[Dock.WHY]
    dock.setFloating(True)
    dock.resize(360, 700)
    qtbot.waitUntil(lambda: window.feature(WhyFeature).panel.widget.width() <= 360)
    area = window.feature(WhyFeature).panel.widget.findChild(QScrollArea)
    assert area.widget().minimumSizeHint().width() <= area.viewport().width() <= 360
    assert window.feature(WhyFeature).panel.widget.waterfall.width() <= area.viewport().width()
    dock.setFloating(False)


def test_every_control_of_the_dock_has_a_name_and_can_be_reached_by_keys(
    window: MainWindow, client: FakeClient
) -> None:
    explained(window, client)
    controls = (
        window.feature(WhyFeature).panel.widget.chooser,
        window.feature(WhyFeature).panel.widget.path,
        window.feature(WhyFeature).panel.widget.path_button,
    )
    for control in controls:
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert control.toolTip()
    assert window.feature(WhyFeature).panel.widget.chooser.accessibleName() == "Step"
    assert window.feature(WhyFeature).panel.widget.path.accessibleName() == "Critical path"
    for chart in (
        window.feature(WhyFeature).panel.widget.waterfall,
        window.feature(WhyFeature).panel.widget.path_bar,
        window.feature(WhyFeature).panel.widget.idle,
    ):
        assert chart.accessibleName() and chart.accessibleDescription()


def test_a_table_lists_each_lanes_work_rows_and_memory_and_the_largest_over_the_mean(
    window: MainWindow, client: FakeClient
) -> None:
    perform(window, client, specification("dp", devices="4xcpu", batch=30, steps=3))
    rows = [[cell.replace("\u00a0", " ") for cell in row] for row in balance_rows(window.scene)]
    assert rows[0][1:] == ["compute", "moves", "rows", "peak"]
    assert [row[0] for row in rows[1:]] == ["cpu:0", "cpu:1", "cpu:2", "cpu:3", "max / mean"]
    assert [row[3] for row in rows[1:5]] == ["8", "8", "8", "6"]
    assert rows[5][3] == "1.07×"
    assert rows[5][2] == "4.00×"
    assert rows[2][2] == "–"
    words = window.feature(DevicesFeature).devices.accessibleDescription().replace("\u00a0", " ")
    assert "max / mean" in words and "1.07×" in words


def test_lane_0s_gather_and_reduce_are_shown_in_time_and_bytes(
    window: MainWindow, client: FakeClient
) -> None:
    perform(window, client, specification("dp", devices="4xcpu", steps=3))
    rows = {row[0]: row[1:] for row in share_rows(window.scene)}
    assert rows["gather"][0].replace("\u00a0", " ") == "500 µs"
    assert rows["reduce"][0].replace("\u00a0", " ") == "3 ms"
    assert all("B" in rows[kind][1] for kind in ("gather", "reduce", "replicate"))
    assert rows["reduce"][2] == "none"


def test_runs_without_collectives_have_no_chart_of_them(
    window: MainWindow, client: FakeClient
) -> None:
    perform(window, client, specification("dp"))
    assert not window.feature(DevicesFeature).buckets.isVisible()
    perform(window, client, specification("ddp", bucket_mb=0.01))
    assert window.feature(DevicesFeature).buckets.isVisible()
    window.feature(RunsFeature).panel.widget.setCurrentItem(
        window.feature(RunsFeature).panel.widget.topLevelItem(0)
    )
    assert not window.feature(DevicesFeature).buckets.isVisible()


def said(trace: Trace, met: Arrivals, clock: float) -> str:
    return arrivals_words(trace, met, clock).replace("\u00a0", " ")


def test_only_collectives_of_ranks_name_the_last_to_arrive(
    window: MainWindow, client: FakeClient
) -> None:
    explained(window, client, "ddp", bucket_mb=0.01)
    met = window.feature(WhyFeature).panel.widget.figures.collectives
    lines = window.feature(WhyFeature).panel.widget.arrivals.text().splitlines()
    assert window.feature(WhyFeature).panel.widget.arrivals.isVisible() and len(lines) == min(
        len(met), MOST + 1
    )
    # All ranks of the imaginary run take the same time.
    assert met[0].last == () and met[0].times == 1
    for line in lines[:MOST]:
        assert "no rank arrived last" in line or "the last rank is uncertain" in line
    late = replace(met[0], last=((1, 2), (0, 1)), times=3, wait_ns=6 * MS)
    trace = window.run_shown.trace
    assert "1 arrived last (2 of 3); wait 2 ms" in said(trace, late, 0.0)
    assert "arrived last (2 of 3)" in said(trace, late, 1.9 * MS)
    uncertain = "the last rank is uncertain (clocks ± 2.10 ms); wait 2 ms"
    assert uncertain in said(trace, late, 2.1 * MS)
    together = replace(late, last=())
    assert "no rank arrived last; wait 2 ms" in said(trace, together, 0.0)
    assert "the last rank is uncertain (clocks ± 1 ms); wait 2 ms" in said(trace, together, MS)
    perform(window, client, specification("dp"))
    assert not window.feature(WhyFeature).panel.widget.arrivals.isVisible()


def test_each_bucket_shows_when_it_was_ready_launched_and_done_and_its_exposed_time(
    window: MainWindow, client: FakeClient
) -> None:
    perform(window, client, specification("ddp", bucket_mb=0.01))
    step = window.scene.described
    explanation = window.scene.explained.explanation(step)
    expected = bucket_times(explanation, window.run_shown.trace)
    chart = window.feature(DevicesFeature).buckets
    assert [b for lane in sorted(chart.ranks) for b in chart.ranks[lane]] == sorted(
        expected, key=lambda bucket: bucket.lane
    )
    assert {bucket_name(b) for b in expected} == {f"A{n}" for n in range(8)}
    words = chart.accessibleDescription().replace("\u00a0", " ")
    assert words.count("moved for") == len(expected)
    assert "exposed" in words
    chart.grab()
    tips = {tip for _, tip in chart._spots}
    assert bucket_words(expected[0]) in tips
    assert "The gradients of block 0 were ready." in tips


def test_the_collectives_of_the_selected_step_are_shown(
    window: MainWindow, client: FakeClient
) -> None:
    perform(window, client, specification("ddp", bucket_mb=0.01, steps=2))
    window.timeline.selector.select_span(0, 0)
    shown = window.feature(DevicesFeature).buckets.ranks[0][0]
    begin, end = window.run_shown.trace.step_bounds(0)
    assert begin <= shown.launched <= shown.done <= end


def test_more_ranks_than_fit_are_counted(window: MainWindow, client: FakeClient) -> None:
    perform(window, client, specification("ddp", devices="6xcpu", batch=60))
    assert len(window.feature(DevicesFeature).buckets.ranks) == 6
    assert window.feature(DevicesFeature).buckets.shown == [0, 1, 2, 3]
    image = window.feature(DevicesFeature).buckets.grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(0, image.width(), 2)
               for y in range(0, image.height(), 2)}  # fmt: skip
    assert {
        window.timeline.state.theme.communication,
        window.timeline.state.theme.backward,
    } <= colours
