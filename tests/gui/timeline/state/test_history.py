"""Undo and redo of views: the pure stack, and its use by the timeline."""

from __future__ import annotations

import pytest

from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.frame import Viewport
from gui.timeline.state.history import MOST_VIEWS, ViewHistory, ViewState
from gui.timeline.state.scene import Scene
from tests.make_believe import specification, trace_of


def state(start: float) -> ViewState:
    return ViewState(Viewport(start))


def test_back_and_forward_walk_through_all_states() -> None:
    history = ViewHistory()
    for start in range(3):
        history.push(state(start), f"gesture {start}")
    assert [history.back(state(3 - n)) for n in range(3)] == [state(2), state(1), state(0)]
    assert history.back(state(0)) is None
    assert [history.forward(state(n)) for n in range(3)] == [state(1), state(2), state(3)]
    assert history.forward(state(3)) is None


def test_a_new_gesture_clears_the_states_to_redo() -> None:
    history = ViewHistory()
    history.push(state(0), "zoom")
    assert history.back(state(1)) == state(0)
    history.push(state(0), "pan")
    assert history.forward(state(2)) is None
    assert history.back(state(2)) == state(0)


def test_one_gesture_is_one_entry_until_it_pauses() -> None:
    history = ViewHistory()
    for start in range(5):
        history.push(state(start), "zoom")
    history.pause()
    history.push(state(5), "zoom")
    assert [history.back(state(9)) for _ in range(3)] == [state(5), state(0), None]


def test_the_stack_keeps_the_latest_states() -> None:
    history = ViewHistory()
    for start in range(MOST_VIEWS + 20):
        history.push(state(start), f"{start}")
    taken = []
    while (found := history.back(state(0))) is not None:
        taken.append(found.view.start)
    assert taken == list(range(MOST_VIEWS + 19, 19, -1))


@pytest.fixture
def view(qtbot: object) -> TimelineView:
    made = TimelineView()
    qtbot.addWidget(made)
    made.resize(900, 500)
    made.show()
    qtbot.waitExposed(made)
    made.state.show_scene(Scene(trace_of(specification())))
    return made


def test_lane_height_zoom_and_pan_are_undone_and_redone(view: TimelineView) -> None:
    fitted = view.state.stack.layout.compute
    begun = view.state.viewport
    view.lanes.scale(1.5, 200.0)
    high = view.state.stack.layout.compute
    view.navigator.zoom(1)
    zoomed = view.state.viewport
    view.navigator.pan(1)
    panned = view.state.viewport
    assert fitted < high
    for expected in ((high, zoomed), (high, begun), (fitted, begun)):
        view.navigator.zoom_back()
        assert (view.state.stack.layout.compute, view.state.viewport) == expected
    for expected in ((high, begun), (high, zoomed), (high, panned)):
        view.navigator.zoom_forward()
        assert (view.state.stack.layout.compute, view.state.viewport) == expected
    view.navigator.zoom_forward()
    assert view.state.viewport == panned


def test_fitting_everything_and_the_lane_height_is_one_undo_step(view: TimelineView) -> None:
    view.lanes.scale(1.5, 200.0)
    high, before = view.state.stack.layout.compute, view.state.viewport
    view.navigator.fit()
    assert view.state.stack.height is None
    view.navigator.zoom_back()
    assert (view.state.stack.layout.compute, view.state.viewport) == (high, before)


def test_a_timeline_that_is_shown_again_has_its_last_view(view: TimelineView) -> None:
    first, other = view.state.scene, Scene(trace_of(specification("dp")))
    view.navigator.zoom(1)
    view.state.select(first.trace.span(1, 3))
    view.state.history.pause()
    view.navigator.pan(1)
    left, saved = view.state.viewport, view.state.saved
    view.state.show_scene(other)
    assert view.state.selection is None
    assert view.state.viewport != left
    view.state.show_scene(first, saved=saved)
    assert (view.state.viewport, view.state.selection) == (left, first.trace.span(1, 3))
    assert not view.state.following
    view.navigator.zoom_back()
    view.navigator.zoom_back()
    assert view.state.viewport.span > left.span
