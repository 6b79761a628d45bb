"""The critical path of steps that are too narrow for outlines: a line at the foot of lanes."""

import math

import pytest
from PySide6.QtWidgets import QApplication

from core.explain.critical import ON_TASKS
from gui.timeline.interact.view import TimelineView
from gui.timeline.paint.critical import LEAST_STEP, UNDER, narrow_path_lines, narrow_steps
from gui.timeline.paint.gap_labels import STEP_PIXELS, steps_to_explain
from gui.timeline.state.explained import KEPT_TRAILS, ExplanationCache, Wanted
from gui.timeline.state.scene import Scene
from tests.make_believe import specification, trace_of


@pytest.fixture
def timeline(qtbot: object, qapp: QApplication) -> TimelineView:
    view = TimelineView()
    qtbot.addWidget(view)
    view.resize(1200, 500)
    view.state.show_strips(path=True)
    view.state.show_scene(Scene(trace_of(specification(devices="4xcpu", steps=40))))
    view.show()
    return view


def settle(view: TimelineView, app: QApplication) -> None:
    """Explain everything that is on screen."""
    waiting = narrow_steps(view.state.scene, view.state.viewport)
    while not all(view.state.scene.explained.knows(step, Wanted.TRAIL) for step in waiting):
        app.processEvents()
    app.processEvents()


def test_the_width_of_a_step_decides_between_outlines_a_line_and_nothing(
    timeline: TimelineView,
) -> None:
    scene, (start, end) = timeline.state.scene, timeline.state.scene.bounds
    count = len(scene.trace.steps)
    for length, lined, outlined in ((1.0, count, 0), (0.1, 0, count / 10), (200.0, 0, 0)):
        timeline.navigator.fit_between(start, start + length * (end - start))
        pixels = (scene.step_ends - scene.step_starts) / timeline.state.viewport.ns_per_pixel
        assert len(narrow_steps(scene, timeline.state.viewport)) == lined
        assert len(steps_to_explain(scene, timeline.state.viewport)) == pytest.approx(
            outlined, abs=1
        )
        if lined:
            assert LEAST_STEP <= pixels.min() <= pixels.max() < STEP_PIXELS


def test_the_line_runs_under_all_tasks_on_the_path_and_nothing_else(
    timeline: TimelineView, qapp: QApplication
) -> None:
    timeline.navigator.fit_between(*timeline.state.scene.bounds)
    settle(timeline, qapp)
    scene, frame = timeline.state.scene, timeline.state.frame
    steps = narrow_steps(scene, timeline.state.viewport)
    wanted = set()
    for step in steps:
        columns = scene.explained.explanation(step).columns
        for piece in scene.explained.step(step).path:
            if piece.share in ON_TASKS:
                first, last = (
                    timeline.state.viewport.x(moment) for moment in (piece.start, piece.end)
                )
                track = frame.layout.track_of(int(columns.lane[piece.task]))
                foot = frame.top + track.top + track.height
                wanted |= {(foot, x) for x in range(math.floor(first), math.ceil(last))}
    drawn = set()
    for line in narrow_path_lines([scene.explained.trail(step) for step in steps], frame):
        assert line.height() == UNDER
        drawn |= {
            (line.bottom(), x - frame.left) for x in range(round(line.left()), round(line.right()))
        }
    assert drawn == wanted
    assert len({foot for foot, _ in drawn}) == 4
    image = timeline.viewport().grab().toImage()
    ratio = image.devicePixelRatio()
    for foot, x in sorted(drawn)[::50]:
        at = (x + frame.left + 0.5) * ratio, (foot - UNDER / 2) * ratio
        assert image.pixelColor(*map(int, at)).name() == timeline.state.theme.path


def test_trails_are_computed_within_the_time_limit_and_cached() -> None:
    now = [0.0]

    def clock() -> float:
        now[0] += 1.0
        return now[0]

    trace = trace_of(specification(devices="2xcpu", steps=12))
    explained = ExplanationCache(trace, clock)
    assert not explained.warm(trace.steps, 3.5, Wanted.TRAIL)
    known = [step for step in trace.steps if explained.knows(step, Wanted.TRAIL)]
    assert 0 < len(known) < 12
    assert explained.warm(trace.steps, math.inf, Wanted.TRAIL)
    assert all(explained.knows(step, Wanted.TRAIL) for step in trace.steps)
    assert len(trace.steps) <= KEPT_TRAILS
