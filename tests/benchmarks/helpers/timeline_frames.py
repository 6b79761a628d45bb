"""Frame times of the timeline over one trace, in a process of their own; prints JSON.

python -m tests.benchmarks.helpers.timeline_frames 1e7      so many spans, made in memory
python -m tests.benchmarks.helpers.timeline_frames FILE     a recording, mapped through its index
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle, islice
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from core.recording.recording import open_recording
from core.trace.step_bounds import StepBounds
from core.trace.trace import Trace
from gui.features.predict.prediction_overlay import MOST_SPANS
from gui.features.status.words import recorded_text
from gui.look.theme import LIGHT, apply
from gui.timeline.interact.overview import Overview
from gui.timeline.interact.view import TimelineView
from gui.timeline.state.scene import Scene
from tests.large_traces import large_trace

WIDTH, HEIGHT = 1600, 900
FRAMES = 60
BAR = 16.0  # pixels of the mean bar at the closest level, wide enough for its text
DENSE = 1.6  # spans a pixel that are drawn one by one, at the level before
STEPS = 150  # that are predicted, at most
LEVELS = ("everything", "a fifth of the way", "two fifths", "bars", "bars with text")


class Shown(QWidget):
    """The timeline with what stands around it in the window, as it is in use."""

    def __init__(self, trace: Trace) -> None:
        super().__init__()
        self.scene = Scene(trace)
        self.scene.set_prediction(prediction_of_last_steps(trace))
        self.timeline, status = TimelineView(), QLabel()
        self.overview = Overview(self.timeline.state)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self.timeline, self.overview, status):
            column.addWidget(part)
        timeline = self.timeline
        timeline.reduction_changed.connect(
            lambda density: status.setText(recorded_text(trace, density))
        )
        timeline.setFixedSize(WIDTH, HEIGHT)
        timeline.state.show_scene(self.scene)


def prediction_of_last_steps(trace: Trace) -> Trace:
    """A prediction of as many of the last steps as the window predicts."""
    table = trace.step_table
    steps = min(STEPS, len(table), MOST_SPANS * len(table) // trace.span_count + 1)
    numbers, starts, ends = (
        column[-steps:] for column in (table.numbers, table.starts, table.ends)
    )
    lanes = []
    for lane in range(len(trace.header.lanes)):
        spans = trace.spans(lane)
        last = spans[int(np.searchsorted(spans.step, numbers[0])) :]
        took = (0.9 * (last.end - last.start)).astype(np.int64)
        lanes.append(last.timed(last.start, last.start + took))
    steps_known = StepBounds({"numbers": numbers, "starts": starts, "ends": ends})
    return Trace(trace.header, trace.table, lanes, steps_known)


def levels(shown: Shown) -> Iterator[tuple[str, float]]:
    """The name of each zoom level, and how much of the run it shows, from 1 on."""
    trace = shown.scene.trace
    spans = trace.span_count / len(trace.header.lanes)
    a_pixel = spans / shown.timeline.state.viewport.width  # when everything is seen
    bars = min(1.0, DENSE / a_pixel)
    ratios = (1.0, bars ** (1 / 3), bars ** (2 / 3), bars, 1 / (BAR * a_pixel))
    return zip(LEVELS, ratios, strict=True)


def frame_times(shown: Shown, app: QApplication, part: float) -> dict[str, float]:
    """Pan and zoom at a zoom level, near the end of the run where there is a prediction.

    In ms by the clock; `own` is the 95th percentile of the thread's own time, without what other
    programs on the machine took.
    """
    timeline, (start, end) = shown.timeline, shown.scene.bounds
    length = (end - start) * part
    first = start if part == 1.0 else end - 1.3 * length
    timeline.navigator.fit_between(first, first + length)
    settle(app)
    took, own, density = [], [], 0.0
    for move in moves(timeline):
        began, used = time.perf_counter(), time.thread_time()
        move()
        assert not timeline.is_drawn  # so that all of it is drawn anew
        app.processEvents()
        took.append(1e3 * (time.perf_counter() - began))
        own.append(1e3 * (time.thread_time() - used))
        assert timeline.is_drawn
        density = max(density, timeline.per_pixel)
    median, p95, longest = np.percentile(took, [50, 95, 100]).tolist()
    return {
        "spans a pixel": density, "median": median, "p95": p95, "max": longest,
        "own": float(np.percentile(own, 95)),
    }  # fmt: skip


def moves(timeline: TimelineView) -> Iterator[Callable[[], None]]:
    """Zooms in and out again, with pans between: they lead back to about where they began."""
    turns = (
        partial(timeline.navigator.zoom_at, 0.96, 900), partial(timeline.navigator.pan_by, 41),
        partial(timeline.navigator.pan_by, -29), partial(timeline.navigator.zoom_at, 1 / 0.96, 700),
        partial(timeline.navigator.pan_by, -41), partial(timeline.navigator.pan_by, 29),
    )  # fmt: skip
    return islice(cycle(turns), FRAMES)


def settle(app: QApplication) -> None:
    """Let what is worked out little by little come to its end."""
    for _ in range(60):
        app.processEvents()


def sizes(scene: Scene) -> dict[str, float]:
    """Bytes a span of everything that grows with spans, by what it is."""
    trace = scene.trace
    lanes = [trace.spans(lane) for lane in range(len(trace.header.lanes))]
    known = {
        "spans": sum(s.start.nbytes + s.end.nbytes + s.step.nbytes + s.row.nbytes for s in lanes),
        "sums over blocks": sum(columns.nbytes for columns in scene.columns),
        "counters": sum(
            c.times.nbytes + c.values.nbytes + c.steps.nbytes for c in trace.counters.values()
        ),
        "memory lines": sum(memory.nbytes for memory in scene.memory.values()),
        "steps": 20 * len(trace.step_table),
    }  # fmt: skip
    return {name: size / trace.span_count for name, size in known.items()}


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main(what: str) -> None:
    """Measure and print: with what stands under the lanes, and the spans alone."""
    app = QApplication([])
    apply(app, LIGHT)
    warm = Shown(large_trace(1))
    warm.show()
    settle(app)
    warm.close()
    before = resident()
    trace = open_recording(what).trace if Path(what).exists() else large_trace(int(float(what)))
    shown = Shown(trace)
    shown.show()
    settle(app)
    assert shown.timeline.viewport().width() == WIDTH
    held = (resident() - before) / trace.span_count
    told = {"spans": trace.span_count, "platform": app.platformName(), "resident": held}
    for shown_as, strips in (("times", True), ("times alone", False)):
        shown.timeline.state.show_strips(memory=strips)
        shown.timeline.state.show_strips(prediction=strips)
        told[shown_as] = {name: frame_times(shown, app, part) for name, part in levels(shown)}
    told["sizes"] = sizes(shown.scene)
    shown.close()
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1])
