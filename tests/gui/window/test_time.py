"""Times that are counted from the step, and their menu, with real keys in a real window."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.explain.lanes import Gap
from core.trace.span import Span
from gui.app.settings import Settings
from gui.timeline.layout.axis import ticks
from gui.timeline.layout.frame import Viewport
from gui.timeline.layout.moments import Origin, clock_of, since_text
from gui.timeline.state.navigation import live_view
from gui.timeline.state.scene import Scene
from gui.timeline.state.selection import open_end
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.timeline.state.test_open_tasks import with_a_lost_end
from tests.gui.window.test_window import perform
from tests.make_believe import MS, prediction_of, specification, trace_of

SPEC = specification(devices="4xcpu", schedule="1f1b", microbatches=8)


@pytest.fixture
def shown(window: MainWindow, client: FakeClient) -> MainWindow:
    perform(window, client, SPEC)
    return window


def press(window: MainWindow, key: Qt.Key, held: Qt.KeyboardModifier | None = None) -> None:
    QTest.keyClick(window.timeline, key, held or Qt.KeyboardModifier.NoModifier)


def test_the_axis_counts_from_the_step_in_view(shown: MainWindow) -> None:
    state = shown.timeline.state
    assert state.frame.origin.name == "step 3"
    assert state.frame.origin.zero == state.scene.step_starts[4]
    numbers = [tick.number for tick in ticks(state.viewport, state.frame.origin)]
    assert numbers[0] == "0" and all(" " not in number for number in numbers)
    assert state.frame.origin.title("ms") == "ms since step 3"
    shown.timeline.navigator.fit_between(*shown.scene.trace.step_bounds(3))
    assert state.frame.origin.name == "step 2"


def test_the_menu_chooses_the_zero_of_time_and_it_is_remembered(
    shown: MainWindow, settings: Settings
) -> None:
    state = shown.timeline.state
    shown.action("time_run").trigger()
    assert state.frame.origin == Origin() and settings.time_from == "run"
    assert state.frame.origin.title("ms") == "ms since run start"
    shown.action("time_step").trigger()
    assert state.frame.origin.name == "step 3" and settings.time_from == "step"


def test_a_clock_shows_the_time_of_day_if_a_recording_has_it() -> None:
    assert clock_of("") is None
    origin = Origin(0.0, "", 3600.0 + 59.5)
    view = Viewport(0.0, 2e9, 1000.0)
    assert [tick.number for tick in ticks(view, origin)][:2] == ["01:00:59.500", "01:00:59.700"]
    assert since_text(1e9, origin).startswith("01:01:00.500")


def test_keys_go_to_the_same_task_in_neighbouring_steps(shown: MainWindow) -> None:
    state, control = shown.timeline.state, Qt.KeyboardModifier.ControlModifier
    shown.timeline.selector.select_span(1, 10)
    first = state.selection
    press(shown, Qt.Key.Key_Down, control)
    second = state.selection
    assert isinstance(first, Span) and isinstance(second, Span)
    assert (second.step, second.task, second.lane) == (first.step + 1, first.task, first.lane)
    press(shown, Qt.Key.Key_Up, control)
    assert state.selection == first


def test_a_bubble_leads_to_the_task_that_it_waits_for(shown: MainWindow) -> None:
    state = shown.timeline.state
    press(shown, Qt.Key.Key_B)
    gap = state.selection
    assert isinstance(gap, Gap)
    press(shown, Qt.Key.Key_BracketLeft)
    assert isinstance(state.selection, Span) and state.selection.lane != gap.lane


def test_bubbles_are_of_measured_steps_and_of_lanes_on_screen(shown: MainWindow) -> None:
    timeline = shown.timeline
    timeline.navigator.fit()
    timeline.lanes.filter("cpu:1")
    warmup = SPEC.warmup
    for _ in range(6):
        press(shown, Qt.Key.Key_B)
        gap = timeline.state.selection
        assert isinstance(gap, Gap) and gap.step >= warmup
        assert timeline.state.stack.layout.shows(gap.lane)


def test_a_prediction_ends_at_its_step_and_says_why_it_is_far_off(shown: MainWindow) -> None:
    scene, prediction = shown.scene, prediction_of(SPEC, shown.scene.trace)
    for lane in prediction.lanes:
        lane.arrays["end"][:] += 40 * MS
    faint = "Shared cores."
    plain = shown.timeline.state
    plain.set_prediction(prediction)
    before = shown.timeline.grab().toImage()
    plain.set_prediction(prediction, {}, faint)
    assert shown.timeline.grab().toImage() != before
    for lane, predicted in enumerate(scene.prediction_columns):
        steps = prediction.spans(lane).step
        ends = scene.step_ends[scene.step_numbers.searchsorted(steps)]
        assert (predicted.ends <= ends).all() and (prediction.spans(lane).end > ends).any()


def test_arrows_of_all_dependencies_are_drawn_and_remembered(
    shown: MainWindow, settings: Settings
) -> None:
    before = shown.timeline.grab().toImage()
    shown.action("arrows").trigger()
    assert shown.timeline.grab().toImage() != before and settings.arrows


def test_the_critical_path_is_switched_off_with_another_run(
    shown: MainWindow, client: FakeClient
) -> None:
    shown.action("critical_path").trigger()
    assert shown.timeline.state.strips.path
    perform(shown, client, SPEC)
    assert not shown.timeline.state.strips.path
    assert not shown.action("critical_path").isChecked()


def test_the_bars_stay_on_screen_while_nothing_runs() -> None:
    scene = Scene(trace_of(specification(steps=2)))
    end = float(scene.bounds[1])
    view = live_view(Viewport(0.0, 2e8, 1000.0), scene, end + 60e9, choose_zoom=True)
    assert view.start < end < view.end


def test_a_killed_runs_open_bar_keeps_its_length() -> None:
    trace, _ = with_a_lost_end()
    last = max(trace, key=lambda span: span.end or 0)
    killed = replace(last, start=trace.bounds[1], end=None, index=-1)
    trace.open_spans[killed.step, killed.task] = killed
    trace.heard = trace.bounds[1] + 500 * MS
    assert open_end(trace, killed, None) == trace.heard
