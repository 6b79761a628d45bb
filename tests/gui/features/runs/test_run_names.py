"""Names of runs that differ, groups of runs, and the pinned baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from core.board.board import Board
from core.board.rules import BoardRules
from core.board.saving import board_run, save_board
from core.plan.schedules import SCHEDULES
from gui.app.run import Run
from gui.app.run_names import name_apart, shown_title
from gui.features.runs.baseline import Baseline
from gui.features.runs.feature import RunsFeature
from gui.features.runs.tabs import LONGEST, short_title
from gui.features.status.feature import StatusFeature
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.window.test_window import perform
from tests.make_believe import specification, trace_of


def run_of(number: int, **values: Any) -> Run:
    return Run(number, trace_of(specification(**values)))


def entry(menu: QMenu, text: str) -> Any:
    return next(action for action in menu.actions() if action.text() == text)


def test_runs_of_the_same_title_are_named_by_what_differs(qapp: object) -> None:
    runs = [run_of(number, microbatches=count) for number, count in ((1, 2), (2, 4))]
    other = run_of(3, strategy="dp")
    assert name_apart([*runs, other]) == runs
    titles = [shown_title(run) for run in (*runs, other)]
    assert titles[0].endswith("· Micro-batches 2") and titles[1].endswith("· Micro-batches 4")
    assert "Micro-batches" not in titles[2]
    runs[0].name = "the small one"
    assert shown_title(runs[0]) == "the small one"


def test_tabs_of_the_same_title_show_what_differs(qapp: object) -> None:
    runs = [run_of(number, microbatches=count) for number, count in ((1, 2), (2, 4))]
    name_apart(runs)
    titles = [short_title(run) for run in runs]
    assert titles[0].startswith("1: Pipeline") and titles[0].endswith("… · Micro-batches 2")
    assert titles[1].startswith("2: Pipeline") and titles[1].endswith("… · Micro-batches 4")
    assert max(map(len, titles)) <= LONGEST
    runs[0].distinction = "a difference that is itself longer than a title"
    assert short_title(runs[0]).endswith("…") and len(short_title(runs[0])) <= LONGEST


def test_a_run_of_a_schedule_from_the_board_has_its_title(qapp: object, tmp_path: Path) -> None:
    rules = BoardRules.of(2, 3)
    runs = []
    for number, name in enumerate(("gpipe", "1f1b"), 1):
        board = Board.of(rules, SCHEDULES[name].orders(2, 3, 1))
        saved = save_board(board, tmp_path, "Fill the pipeline")
        runs.append(Run(number, trace_of(board_run(board, saved, width=8, rows=2))))
    assert shown_title(runs[0]) == "Pipeline Fill the pipeline · MLP · 2 lanes · batch 6"
    name_apart(runs)
    titles = [shown_title(run) for run in runs]
    assert titles[0] != titles[1]
    assert not any(".csv" in title for title in titles)


def test_equal_runs_have_equal_names_and_a_single_run_has_no_distinction(qapp: object) -> None:
    runs = [run_of(number, microbatches=count) for number, count in ((1, 2), (2, 4))]
    name_apart(runs)
    assert name_apart(runs[:1]) == runs[:1] and not runs[0].distinction
    assert name_apart([run_of(1), run_of(2)]) == []


def test_a_run_shows_its_difference_from_the_pinned_one(
    window: MainWindow, client: FakeClient
) -> None:
    runs, bar = window.feature(RunsFeature), window.feature(StatusFeature).bar
    perform(window, client, specification(steps=8, microbatches=2))
    first = window.run_shown
    assert first is not None and bar.baseline.text() == ""
    entry(runs.menu.popup(first, QPoint()), "Use as the baseline").trigger()
    assert bar.baseline.text() == "baseline"
    perform(window, client, specification(steps=8, microbatches=8))
    assert bar.baseline.text().endswith("against the baseline")
    window.show_run(first)
    entry(runs.menu.popup(first, QPoint()), "Use as the baseline").trigger()
    assert bar.baseline.text() == ""


@pytest.mark.parametrize(("steps", "said"), [(8, "within"), (2, "too few steps")])
def test_no_run_is_called_slower_if_the_difference_is_within_the_noise(
    qapp: object, steps: int, said: str
) -> None:
    one, other = run_of(1, steps=steps), run_of(2, steps=steps)
    for run in (one, other):
        run.source = None
        run.outcome = "finished"  # type: ignore[assignment]
    assert said in Baseline(one).text_for(other)


def test_runs_of_a_group_are_listed_below_it_and_it_disappears_with_the_last(
    window: MainWindow, client: FakeClient
) -> None:
    panel = window.feature(RunsFeature).panel.widget
    perform(window, client, specification())
    grouped = run_of(7, strategy="dp")
    grouped.group = "Sweep: Split size"
    window.session.runs.append(grouped)
    window.feature(RunsFeature).add(grouped)
    assert panel.topLevelItemCount() == 2
    group = panel.topLevelItem(1)
    assert group.text(1) == "Sweep: Split size" and group.childCount() == 1
    window.feature(RunsFeature).menu.remove(grouped)
    assert panel.topLevelItemCount() == 1


def test_all_tabs_but_one_are_closed_at_once(window: MainWindow, client: FakeClient) -> None:
    runs = window.feature(RunsFeature)
    for count in (2, 4, 8):
        perform(window, client, specification(microbatches=count))
    kept = runs.tabs.runs[1]
    entry(runs.menu.popup(kept, QPoint()), "Close other tabs").trigger()
    assert runs.tabs.runs == [kept] and window.run_shown is kept
    assert len(window.session.runs) == 3
