"""The state of a timeline, moved and arranged without a window."""

import ast
from pathlib import Path

import pytest

from core.recording.bookmarks import Bookmark
from core.trace.span import Span
from gui.timeline.layout.groups import Grouping
from gui.timeline.state import scene
from gui.timeline.state.lanes import LaneArranger, LaneChoice, lane_counts
from gui.timeline.state.navigator import Navigator
from gui.timeline.state.scene import Scene
from gui.timeline.state.selection import TimeRange
from gui.timeline.state.selector import Selector
from gui.timeline.state.timeline import TimelineState
from tests.make_believe import MS, specification, trace_of

STATE = Path("gui/timeline/state")


@pytest.fixture
def state() -> TimelineState:
    made = TimelineState()
    made.resize(1000, 300)
    made.show_scene(Scene(trace_of(specification(devices="8xcpu", stages=8, steps=3))))
    return made


def test_the_state_imports_no_widgets() -> None:
    for path in STATE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert node.module != "PySide6.QtWidgets", path
                assert not (node.module or "").startswith("gui.timeline.interact"), path


def test_a_move_by_hand_ends_following_and_can_be_undone(state: TimelineState) -> None:
    told: list[bool] = []
    state.following_changed.connect(told.append)
    before, navigator = state.viewport, Navigator(state)
    navigator.pan(1)
    assert told == [False]
    navigator.zoom_back()
    assert state.viewport == before
    navigator.follow()
    assert told == [False, True]


def test_rows_do_not_scroll_beyond_the_last_row(state: TimelineState) -> None:
    state.resize(1000, 100)
    assert state.most_scroll > 0
    state.scroll_to(1e6)
    assert state.scroll == state.most_scroll
    assert state.frame.top == pytest.approx(42 - state.most_scroll)
    state.resize(1000, 4000)
    assert (state.scroll, state.most_scroll) == (0, 0)


def test_lanes_are_chosen_folded_and_filtered_each_with_one_undo_step(state: TimelineState) -> None:
    told: list[int] = []
    state.tracks_changed.connect(lambda: told.append(1))
    lanes, choice, navigator = LaneArranger(state), LaneChoice(state), Navigator(state)
    choice.step(1)
    choice.step(1)
    assert state.lane == 1
    lanes.pin()
    lanes.group_by(Grouping.NODE, 4)
    lanes.filter("cpu:1")
    assert lane_counts(state) == (1, 8)
    assert len(told) == 3
    for _ in range(3):
        navigator.zoom_back()
    assert (state.stack.state.pinned, state.stack.state.filter) == ((), "")
    assert len(told) == 6


def test_the_chosen_lane_follows_the_selection(state: TimelineState) -> None:
    selector = Selector(state)
    selector.select_span(5, 0)
    assert isinstance(state.selection, Span)
    assert state.lane == 5
    state.select(TimeRange(0, 10))
    assert state.lane == 5


def test_listeners_are_notified_when_bookmarks_change_or_are_undone(state: TimelineState) -> None:
    told: list[tuple[Bookmark, ...]] = []
    state.bookmarks.changed.connect(told.append)
    state.bookmarks.show([Bookmark(3)])  # as if they were stored with the run
    assert told == []
    state.bookmarks.change([Bookmark(3), Bookmark(1)])
    Navigator(state).zoom_back()
    assert told == [(Bookmark(1), Bookmark(3)), (Bookmark(3),)]
    assert state.bookmarks.nearest(5, 2) == 0
    assert state.bookmarks.nearest(6, 2) is None


def test_a_run_that_is_shown_again_has_its_saved_view(state: TimelineState) -> None:
    scene = state.scene
    Selector(state).select_span(2, 1)
    Navigator(state).zoom(1)
    saved = state.saved
    state.show_scene(None)
    assert state.lane is None
    state.show_scene(scene, saved=saved)
    assert (state.viewport, state.selection, state.lane) == (saved.state.view, saved.selection, 2)


def test_listeners_are_notified_of_a_live_runs_end_even_if_nothing_moves(
    state: TimelineState,
) -> None:
    state.show_scene(state.scene, live=True)
    state.refresh(30 * MS)
    Navigator(state).pan(-1)
    told: list[int] = []
    state.view_changed.connect(lambda: told.append(1))
    state.refresh(None)
    assert len(told) == 1


def test_only_the_latest_steps_are_compared_if_they_have_many_tasks(monkeypatch):
    compared = []
    monkeypatch.setattr(scene, "unevenness", lambda trace, steps: compared.append(steps))
    trace = trace_of(specification(steps=8, warmup=2))
    tasks = trace.span_count // 10
    for most in (8 * tasks, 5 * tasks, 1):
        monkeypatch.setattr(scene, "MOST_COMPARED", most)
        scene.Scene(trace)
    assert compared == [[2, 3, 4, 5, 6, 7, 8, 9], [5, 6, 7, 8, 9], [7, 8, 9]]
