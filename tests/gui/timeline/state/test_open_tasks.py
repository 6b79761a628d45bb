"""Open tasks: they grow during a run, but never over later spans."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from core.recording.decode import append_batch
from core.recording.schema import Timings, plan_batch, span_batch
from core.trace.span import Span
from core.trace.trace import Trace
from gui.timeline.interact.view import TimelineView
from gui.timeline.state.scene import Scene
from gui.timeline.state.selection import bounds_of, open_end
from tests.gui.exported import export_image
from tests.gui.timeline.interact.test_timeline import click, pixel_at
from tests.make_believe import MS, columns_of, header_and_plans, specification, timed

STEPS = 3


def with_a_lost_end(told: bool = True) -> tuple[Trace, Span]:
    """Return a finished run in which the first task of step 1 has no end.

    If `told`, the run has recorded that this task has begun.
    """
    header, plans = header_and_plans(specification(steps=STEPS, warmup=0))
    trace, opened, now = Trace(header), Trace(header), 2 * MS
    plan = next(iter(plans.values()))
    for each in (trace, opened):
        append_batch(each, plan_batch(0, plan.tasks))
    for step in range(STEPS):
        timings = timed(plan, step, now)
        now = max(timing.end for timing in timings) + MS
        if step == 1:
            lost, *timings = timings
        append_batch(trace, span_batch(columns_of(0, step, timings)))
    append_batch(opened, span_batch(Timings(0, 1, [lost.task], [lost.start], [None])))
    (task,) = opened.open_tasks
    if told:
        append_batch(trace, span_batch(Timings(0, 1, [lost.task], [lost.start], [None])))
    return trace, task


@pytest.fixture
def view(qtbot: object) -> TimelineView:
    made = TimelineView()
    qtbot.addWidget(made)
    made.resize(1200, 400)
    made.show()
    qtbot.waitExposed(made)
    return made


@pytest.mark.parametrize("now", [None, 1e12])
def test_an_open_bar_ends_where_the_next_span_of_its_lane_begins(now: float | None) -> None:
    trace, task = with_a_lost_end()
    starts = trace.spans(task.lane).start
    assert open_end(trace, task, now) == starts[starts > task.start][0]


def test_an_open_bar_without_later_spans_ends_with_the_run_or_at_the_present() -> None:
    trace, task = with_a_lost_end()
    last = trace.span(task.lane, len(trace.spans(task.lane)) - 1)
    alone = Span(task.lane, -1, task.kind, task.step, task.task, last.start, None)
    assert bounds_of(trace, alone) == (last.start, trace.bounds[1])
    assert bounds_of(trace, alone, 1e12) == (last.start, 1e12)


def test_a_lost_end_covers_no_later_span_in_the_window(view: TimelineView) -> None:
    trace, task = with_a_lost_end()
    view.state.show_scene(Scene(trace))
    view.navigator.fit()
    for index in range(len(trace.spans(task.lane))):
        span = trace.span(task.lane, index)
        click(view, *pixel_at(view, task.lane, (span.start + span.end) / 2))
        assert view.state.selection == span
    click(view, *pixel_at(view, task.lane, (task.start + open_end(trace, task, None)) / 2))
    assert view.state.selection == task


def test_a_picture_shows_later_spans_as_if_no_end_had_been_lost(tmp_path: Path) -> None:
    pictures = []
    for told in (False, True):
        trace, _ = with_a_lost_end(told)
        path = tmp_path / f"{told}.png"
        export_image(trace, path, between=trace.step_bounds(2), memory=False)
        pictures.append(QImage(str(path)))
    assert not pictures[0].isNull() and pictures[0] == pictures[1]


def test_the_label_of_a_bar_without_an_end_has_an_ellipsis(tmp_path: Path) -> None:
    trace, task = with_a_lost_end()
    between = task.start, trace.step_bounds(1)[1]
    export_image(trace, tmp_path / "run.svg", between=between)
    words = re.findall(r">([^<>]+)</text>", (tmp_path / "run.svg").read_text())
    assert words.count(f"{task.label}…") == 1
