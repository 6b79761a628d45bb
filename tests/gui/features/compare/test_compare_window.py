"""Comparing runs in the window by keys only."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.trace.span import Span
from gui.app.run import Run
from gui.features.compare.chooser import RunChooser
from gui.features.compare.feature import CompareFeature
from gui.features.runs.feature import RunsFeature
from gui.window.window import MainWindow
from tests.make_believe import prediction_of, record, specification

Key, Modifier = Qt.Key, Qt.KeyboardModifier
BOTH = Modifier.ControlModifier | Modifier.ShiftModifier


def test_two_runs_are_compared_by_keys_only(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    def press(key: Key, modifier: Modifier = Modifier.NoModifier) -> None:
        qtbot.keyClick(window, key, modifier)

    press(Key.Key_C, BOTH)
    assert "There is no run to compare yet" in window.banner.label.text()
    for name, count in (("two", 2), ("eight", 8)):
        record(specification(microbatches=count), tmp_path / f"{name}.arrow")
        window.show_run(window.session.open(tmp_path / f"{name}.arrow")[0])
    press(Key.Key_C, BOTH)
    chooser = window.findChild(RunChooser)
    assert chooser is not None and not chooser.isModal()
    qtbot.keyClick(chooser.list, Key.Key_End)  # the run's prediction may be listed before it
    qtbot.keyClick(chooser.list, Key.Key_Return)
    comparing, a = window.feature(CompareFeature).comparing, window.timeline
    b, two = comparing.frame.b, comparing.two
    assert (
        b is not None
        and two is not None
        and a.state.trace is not None
        and b.state.trace is not None
    )
    assert window.feature(CompareFeature).comparing.panel.isVisible()
    assert (
        "2 micro-batches instead of 8"
        in window.feature(CompareFeature).comparing.panel.sentence.text()
    )

    a.selector.select_task(two.step_a, 0)
    for _ in range(3):
        press(Key.Key_Period, Modifier.AltModifier)
    assert isinstance(a.state.selection, Span) and isinstance(b.state.selection, Span)
    assert a.state.selection.task == 0 and b.state.selection.task != two.matches.task_in_b(0)
    press(Key.Key_A, BOTH)
    assert window.action("compare_align").isChecked()
    assert a.state.viewport.x(a.state.selection.start) == pytest.approx(
        b.state.viewport.x(b.state.selection.start), abs=0.01
    )
    press(Key.Key_A, BOTH)
    starts = a.state.trace.step_bounds(two.step_a)[0], b.state.trace.step_bounds(two.step_b)[0]
    assert a.state.viewport.x(starts[0]) == pytest.approx(b.state.viewport.x(starts[1]), abs=0.01)

    press(Key.Key_L, BOTH)
    ends = a.state.trace.step_bounds(two.step_a)[1], b.state.trace.step_bounds(two.step_b)[1]
    assert a.state.viewport.x(ends[0]) == pytest.approx(b.state.viewport.x(ends[1]), abs=0.01)
    before = b.state.viewport
    press(Key.Key_W)
    assert b.state.viewport.span < before.span

    press(Key.Key_J)
    window.grab()
    assert comparing.frame.overlay.joined is not None
    press(Key.Key_Escape)
    assert a.state.selection is None and comparing.frame.divided
    press(Key.Key_Escape)
    assert not comparing.frame.divided
    assert not window.action("compare_joins").isEnabled()


@pytest.fixture
def two_runs(window: MainWindow, tmp_path: Path) -> tuple[Run, Run]:
    """Two runs with tabs; the first one has a prediction and is on screen."""
    runs = []
    for name, count in (("two", 2), ("eight", 8)):
        spec = specification(microbatches=count)
        record(spec, tmp_path / f"{name}.arrow")
        run = window.session.open(tmp_path / f"{name}.arrow")[0]
        window.show_run(run)
        runs.append(run)
    first, second = runs
    first.prediction = prediction_of(specification(microbatches=2), first.trace)
    window.show_run(first)
    return first, second


def test_a_comparison_with_a_prediction_ends_when_another_run_is_shown(
    window: MainWindow, two_runs: tuple[Run, Run], qtbot: QtBot
) -> None:
    window.action("compare").trigger()
    chooser = window.findChild(RunChooser)
    assert chooser is not None and "Prediction" in chooser.list.item(0).text()
    qtbot.keyClick(chooser.list, Key.Key_Return)
    comparing = window.feature(CompareFeature).comparing
    assert comparing.two is not None
    tabs = window.feature(RunsFeature).tabs
    qtbot.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(1).center())
    assert window.run_shown is two_runs[1]
    assert comparing.other is None and not comparing.frame.divided


@pytest.mark.parametrize("key", [Key.Key_Home, Key.Key_End])
def test_a_choice_made_for_a_run_is_not_applied_to_another_one(
    window: MainWindow, two_runs: tuple[Run, Run], qtbot: QtBot, key: Key
) -> None:
    window.action("compare").trigger()
    chooser = window.findChild(RunChooser)
    assert chooser is not None
    window.show_run(two_runs[1])
    qtbot.keyClick(chooser.list, key)  # the first run's prediction, or the run now on screen
    qtbot.keyClick(chooser.list, Key.Key_Return)
    assert window.feature(CompareFeature).comparing.other is None
    assert "Another run is on screen" in window.banner.label.text()


def test_in_a_low_window_the_overview_gives_way_to_the_second_timeline(
    window: MainWindow, tmp_path: Path
) -> None:
    window.resize(1024, 700)
    for name in ("one", "other"):
        record(specification(), tmp_path / f"{name}.arrow")
    window.show_run(window.session.open(tmp_path / "one.arrow")[0])
    window.feature(CompareFeature).comparing.choice.open(tmp_path / "other.arrow")
    assert window.overview.isHidden()
    window.feature(CompareFeature).comparing.leave()
    assert not window.overview.isHidden()


def test_every_control_of_a_comparison_has_a_name(window: MainWindow, tmp_path: Path) -> None:
    for name, count in (("two", 2), ("eight", 8)):
        record(specification(microbatches=count), tmp_path / f"{name}.arrow")
    window.show_run(window.session.open(tmp_path / "two.arrow")[0])
    window.feature(CompareFeature).comparing.choice.open(tmp_path / "eight.arrow")
    for part in (
        window.feature(CompareFeature).comparing.frame,
        window.feature(CompareFeature).comparing.panel,
    ):
        for widget in part.findChildren(QWidget):
            if widget.focusPolicy() is not Qt.FocusPolicy.NoFocus and widget.isVisible():
                words = widget.accessibleName() or getattr(widget, "text", lambda: "")()
                assert words or widget.parent().inherits("QAbstractScrollArea"), widget


def test_the_most_similar_run_is_first_and_typing_finds_another(
    window: MainWindow, tmp_path: Path
) -> None:
    runs = [specification(microbatches=count, batch=batch) for batch in (16, 8) for count in (2, 4)]
    runs += [specification("mp"), specification("single", devices="1xcpu"), specification("dp")]
    for number, run in enumerate(runs):
        path = tmp_path / f"{number}.arrow"
        record(run, path)
        opened = window.session.open(path)[0]
        if number == 0:
            first = opened
    window.show_run(first)
    window.action("compare").trigger()
    chooser = window.findChild(RunChooser)
    assert chooser is not None and chooser.filter.isVisible()
    titles = [chooser.list.item(row).text() for row in range(chooser.list.count())]
    likeliest = next(title for title in titles if "Prediction" not in title)
    assert "batch 16" in likeliest and "Micro-batches 4" in likeliest
    QTest.keyClicks(chooser.filter, "PARALLEL model")
    items = [chooser.list.item(row) for row in range(len(titles))]
    shown = [item for item in items if not item.isHidden()]
    assert ["Model parallel" in item.text() for item in shown] == [True]
    assert chooser.list.currentItem() is shown[0]
    QTest.keyClicks(chooser.filter, "x")
    assert not chooser.compare.isEnabled()
    chooser.close()
