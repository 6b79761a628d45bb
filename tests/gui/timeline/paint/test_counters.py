"""Counters of imported traces: rows in the window, in figures, and in texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage

from core.recording.exporters.recording import write_recording
from core.recording.recording import open_recording
from core.trace.event_rows import Counter
from core.trace.trace import Trace
from gui.app.figure_options import FigureOptions
from gui.figures.make import caption_of, figure_of
from gui.figures.parts import FigureRun
from gui.figures.shown import default_range
from gui.look.colours import contrast
from gui.look.theme import THEMES
from gui.report.run import run_sections
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.frame import Track, Viewport
from gui.timeline.reduce.counters import CounterLine
from gui.timeline.state.scene import Scene


def process(pid: int, name: str) -> dict[str, object]:
    return {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}}


def task(pid: int, tid: int) -> dict[str, object]:
    return {"ph": "X", "name": "train", "pid": pid, "tid": tid, "ts": 0, "dur": 1000}


def counted(pid: int, name: str, ts: float, value: float) -> dict[str, object]:
    return {"ph": "C", "name": name, "pid": pid, "ts": ts, "args": {"n": value}}


EVENTS = [
    process(1, "trainer"), process(2, "loader"), task(1, 1), task(1, 2), task(2, 1),
    counted(1, "held", 0, 0), counted(1, "held", 250, 40), counted(1, "held", 500, 80),
    counted(2, "queue", 500, -3), counted(2, "queue", 750, 6), counted(9, "power", 0, 310.5),
]  # fmt: skip


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(EVENTS))
    return open_recording(path).trace


@pytest.fixture
def view(qtbot: object, trace: Trace) -> Iterator[TimelineView]:
    made = TimelineView()
    qtbot.addWidget(made)
    made.resize(1200, 700)
    made.show()
    qtbot.waitExposed(made)
    made.state.show_scene(Scene(trace))
    yield made
    made.close()


def rows(view: TimelineView) -> dict[str, Track]:
    return {row.name: row for row in view.state.stack.layout.counters}


def heights(view: TimelineView, row: Track, time: int) -> int:
    """Return how many pixels of the row are painted at a time in ns, from top to bottom."""
    image: QImage = view.grab().toImage()
    frame = view.state.frame
    x, top = round(frame.x(time)), frame.top + row.top
    ground = view.state.theme.plot
    ys = range(round(top), round(top + row.height))
    return sum(image.pixelColor(x, y).name() != ground for y in ys)


def hover(view: TimelineView, row: Track, time: float) -> tuple[str, list[str]]:
    frame = view.state.frame
    view.overlays.hover_at(QPointF(frame.x(time), frame.top + row.top + row.height / 2))
    assert view.overlays.hovered is not None
    _, title, lines = view.overlays.hovered
    return title, lines


def test_each_counter_has_a_row_under_the_last_lane_of_its_process(view: TimelineView) -> None:
    found, layout = rows(view), view.state.stack.layout
    lanes = [(lane.device, lane.name) for lane in view.state.trace.header.lanes]
    assert lanes == [("trainer", "thread 1"), ("trainer", "thread 2"), ("loader", "thread 1")]
    assert [(row.name, row.lane) for row in layout.counters] == [
        ("held n", 1), ("queue n", 2), ("power n", 2),
    ]  # fmt: skip
    tops = [track.top for track in layout.tracks]
    assert tops[1] < found["held n"].top < tops[2] < found["queue n"].top < found["power n"].top
    every = [*layout.tracks, *layout.counters]
    ordered = sorted(every, key=lambda track: track.top)
    assert all(a.bottom <= b.top for a, b in pairwise(ordered))


@pytest.mark.parametrize("theme", THEMES)
def test_the_line_of_a_counter_is_drawn_at_its_values(view: TimelineView, theme: str) -> None:
    view.state.set_theme(THEMES[theme])
    assert contrast(THEMES[theme].memory, THEMES[theme].plot) >= 3
    held = rows(view)["held n"]
    drawn = [heights(view, held, time) for time in (130_000, 430_000, 930_000)]
    most = held.height
    assert drawn[0] <= 2  # only the line, at 0
    assert drawn[1] == pytest.approx(most / 2, abs=1.5)
    assert drawn[2] == pytest.approx(most, abs=1.5)
    # A counter is unknown before its first value.
    assert heights(view, rows(view)["queue n"], 330_000) == 0


def test_the_tooltip_has_the_name_and_the_value(view: TimelineView) -> None:
    title, lines = hover(view, rows(view)["held n"], 400_000)
    assert title == "held n: 40" and lines == ["trainer", "In this trace: 0 to 80"]
    title, lines = hover(view, rows(view)["power n"], 400_000)
    assert title == "power n: 310.5" and lines[0] == "process 9"
    view.overlays.hover_at(None)
    frame, row = view.state.frame, rows(view)["queue n"]
    view.overlays.hover_at(QPointF(frame.x(100_000), frame.top + row.top + 5))
    assert view.overlays.hovered is None


def test_values_that_share_a_pixel_are_in_one_tooltip(view: TimelineView) -> None:
    view.state.leave_for(view.state.viewport.fitted(-5e8, 5e8))
    title, lines = hover(view, rows(view)["held n"], 0)
    assert title == "held n: 0" and lines[1] == "In this pixel: 0 to 80"


def test_counters_can_be_hidden(view: TimelineView) -> None:
    view.state.show_strips(counters=False)
    assert not rows(view) and not view.state.strips.counters


def test_all_counters_of_a_pinned_lane_are_pinned_with_it(view: TimelineView) -> None:
    view.state.stack.state = view.state.stack.state.pin_toggled(2)
    view.state.lay_out()
    whole = view.state.stack.layout
    assert [row.name for row in whole.counters] == ["queue n", "power n", "held n"]
    seen = whole.seen(30, 2000)
    moved = {row.name: row.top for row in seen.counters}
    before = {row.name: row.top for row in whole.counters}
    assert moved["power n"] == before["power n"] + 30 and moved["held n"] == before["held n"]


def test_a_saved_trace_shows_its_counters_again(trace: Trace, tmp_path: Path) -> None:
    list(write_recording(trace, tmp_path / "saved.arrow"))
    again = Scene(open_recording(tmp_path / "saved.arrow").trace)
    assert again.counters_under == Scene(trace).counters_under != {}


def test_figures_as_shown_draw_counters(trace: Trace, qapp: object) -> None:
    with_counters = figure_of([trace], FigureOptions()).height
    trace.imported = replace(trace.imported, counter_places={})
    assert figure_of([trace], FigureOptions()).height < with_counters


def test_a_preset_figure_and_a_report_say_that_counters_are_left_out(
    trace: Trace, qapp: object
) -> None:
    scene = Scene(trace)
    run = FigureRun(scene, default_range(trace), "")
    assert caption_of([run]).endswith("Counters are not shown.")
    [timeline] = [part for part in run_sections(scene) if part and part.title == "Timeline"]
    assert "The timeline does not show counters." in str(timeline.body)


def test_a_reduced_counter_is_between_its_least_and_largest_value_in_each_pixel() -> None:
    generator = np.random.default_rng(5)
    times = np.sort(generator.integers(0, 1_000_000, 40_000))
    values = generator.normal(size=len(times))
    values[::97] = np.nan
    counter = Counter("c", None, {"times": times, "values": values, "steps": 0 * times})
    line = CounterLine(counter, "p")
    kept_times, kept = times[np.isfinite(values)], values[np.isfinite(values)]
    for view in (Viewport(-1e4, 1.2e6, 64), Viewport(5e5, 3e3, 300), Viewport(2e6, 1e3, 10)):
        lowest, highest = line.reduced(view, 1_000_000)
        for pixel in range(int(view.width)):
            start, end = view.time(pixel), view.time(pixel + 1)
            inside = (kept_times > np.floor(start)) & (kept_times <= np.floor(end))
            before = kept[kept_times <= np.floor(start)][-1:]
            some = np.concatenate([before, kept[inside]])
            if start >= 1_000_000 or not len(some):
                assert np.isnan(lowest[pixel]) and np.isnan(highest[pixel])
            else:  # coarser levels may include values just outside the pixel
                assert lowest[pixel] <= some.min() and highest[pixel] >= some.max()
    exact = line.reduced(Viewport(5e5, 3e3, 300), 1_000_000)
    assert (exact[0] <= exact[1]).all()


@pytest.mark.parametrize("count", [3_000, 3_003])
def test_the_value_of_a_counter_in_a_pause_is_the_last_one_before_it(count: int) -> None:
    bursts = np.arange(10)[:, None] * 1_000_000
    times = (bursts + np.arange(count)).reshape(-1)
    values = np.where(np.arange(10 * count) % 2, 20.0, -3.0)
    values[count - 1 :: count] = 5.0
    line = CounterLine(Counter("c", None, {"times": times, "values": values, "steps": times}), "p")
    lowest, highest = line.reduced(Viewport(0, 10_000_000, 1000), 10_000_000)
    assert (lowest[0], highest[0]) == (-3, 20)
    for burst in range(10):
        pause = slice(100 * burst + 10, 100 * burst + 99)
        assert set(lowest[pause].tolist()) == set(highest[pause].tolist()) == {5}
