"""Frames of a timeline of 2,048 rows: a predicted step of 1,024 devices, each with a copy lane."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from core.costs.costs_file import costs_of
from core.plan.specification import Specification, describe
from core.predict.predict import predict_step, predicted_trace
from core.predict.without_machine import plan_without_machine
from core.trace.trace import Trace
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.groups import Grouping
from gui.timeline.state.scene import Scene

COSTS = {"forward_ms": 18.5, "backward_input_ms": 18.1, "backward_weight_ms": 9.3, "step_ms": 5,
         "transfer_ms": 0.6}  # fmt: skip
FRAMES = 40
MOST_MS = 33.0  # a frame, in the median
MOST_CHANGE_MS = 100.0  # a frame in which all rows are laid out anew


def prediction() -> Trace:
    """64 micro-batches through 1,024 stages."""
    specification = Specification("pipeline", schedule="1f1b", stages=1024, microbatches=64)
    costs = costs_of(COSTS)
    setting = plan_without_machine(specification, describe(specification), costs)
    columns = predict_step(setting.plan, costs).columns
    return predicted_trace(setting.header, setting.plan.tasks, columns)


@pytest.fixture(scope="module")
def view() -> Iterator[TimelineView]:
    application = QApplication.instance() or QApplication([])
    made = TimelineView()
    made.resize(1600, 900)
    made.show()
    made.state.show_scene(Scene(prediction()))
    application.processEvents()
    yield made
    made.close()


def measure(view: TimelineView, name: str, move: Callable[[int], object], most: float) -> None:
    """Print the processor time of a frame after each move; fail if the median is over `most`."""
    times = []
    for number in range(FRAMES):
        began = time.thread_time()  # its own: what else runs here does not count
        move(number)
        view.grab()
        times.append(1e3 * (time.thread_time() - began))
    median, slow, longest = np.percentile(times, (50, 95, 100))
    print(f"{name:28s} median {median:5.1f} ms, p95 {slow:5.1f} ms, max {longest:5.1f} ms")
    assert median <= most, name


def test_two_thousand_rows_cost_what_can_be_seen_of_them(view: TimelineView) -> None:
    """Moving, hovering, lanes' heights, folding, pinning and filtering."""
    to_and_fro, heights = (20.0, -20.0), (1.15, 1 / 1.15)
    print()
    for state in ("rows", "nodes folded", "two lanes pinned"):
        if state == "nodes folded":
            view.lanes.group_by(Grouping.NODE)
            view.lanes.fold_all()
        elif state == "two lanes pinned":
            view.lanes.unfold_all()
            for lane in (3, 500):
                view.choice.choose(lane)
                view.lanes.pin()
        measure(view, f"{state}: pan", lambda n: view.navigator.pan_by(to_and_fro[n % 2]), MOST_MS)
        measure(
            view,
            f"{state}: scroll",
            lambda n: view.state.scroll_to(view.state.scroll + 37),
            MOST_MS,
        )
        measure(
            view,
            f"{state}: zoom",
            lambda n: view.navigator.zoom_at((0.8, 1.25)[n // 20], 700),
            MOST_MS,
        )
        measure(
            view,
            f"{state}: hover",
            lambda n: view.overlays.hover_at(QPointF(500 + n, 300)),
            MOST_MS,
        )
        measure(
            view,
            f"{state}: lane height",
            lambda n: view.lanes.scale(heights[n % 2], 400),
            MOST_CHANGE_MS,
        )
    filters = ("cuda:1", "cuda:1*")
    measure(view, "filter", lambda n: view.lanes.filter(filters[n % 2]), MOST_CHANGE_MS)
    view.lanes.filter("")
    measure(view, "move a lane", lambda n: view.lanes.move(1), MOST_CHANGE_MS)
