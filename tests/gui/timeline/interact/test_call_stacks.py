"""Call stacks of host threads in a profiler's trace: folded until the user opens them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from core.recording.recording import open_recording
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.groups import Grouping
from gui.timeline.state.lane_facts import row_name
from gui.timeline.state.scene import Scene
from tests.core.recording.importers.kineto_files import kineto_file
from tests.core.recording.importers.test_kineto import a_step, event, steps

FRAMES = 6


def host_stack(depth: int = FRAMES) -> list[dict[str, object]]:
    """Return nested frames of Python and nested calls of thread 1."""
    frames = [event("python_function", f"f{n}", n, 90 - 2 * n) for n in range(depth)]
    return [*frames, event("cpu_op", "aten::linear", 0.5, 6), event("cpu_op", "aten::mm", 1, 4)]


@pytest.fixture
def view(qtbot: object, tmp_path: Path) -> Iterator[TimelineView]:
    """A step of a rank with a device, and a thread with calls, annotations and Python frames."""
    note = event("gpu_user_annotation", "forward", 10, 20, 7, 0)
    told = kineto_file(0, [*steps((0, 90)), *a_step(), note, *host_stack()])
    path = tmp_path / "rank.json"
    path.write_text(json.dumps(told))
    made = TimelineView()
    qtbot.addWidget(made)
    made.resize(1000, 480)
    made.show()
    qtbot.waitExposed(made)
    made.state.show_scene(Scene(open_recording(path).trace))
    yield made
    made.close()


def rows(view: TimelineView) -> list[str]:
    """Return the names of the rows from the top, as they are next to the picture."""
    lanes = view.state.scene.trace.header.lanes
    tracks = view.state.stack.layout.tracks
    names = []
    for track in sorted(tracks, key=lambda track: track.top):
        lane = lanes[track.lane]
        names.append(row_name(lane, lanes) if track.helper else lane.name)
    return names


def heading_at(view: TimelineView) -> QPoint:
    """Return the pixel of the call stack's triangle."""
    frame = view.state.frame
    stack = next(group for group in frame.layout.groups if group.is_call_stack)
    return QPoint(8, int(frame.top + stack.top + stack.height / 2))


def click(view: TimelineView, at: QPoint) -> None:
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_the_device_is_shown_first_and_the_hosts_call_stack_on_request(
    view: TimelineView,
) -> None:
    closed = ["stream 7", "device annotations", "stream 20", "thread 1"]
    assert rows(view) == closed
    # All rows fit without scrolling, and lanes are high enough for texts.
    assert view.state.stack.layout.height <= 480
    assert view.state.stack.layout.compute > 60
    click(view, heading_at(view))
    opened = rows(view)
    assert opened[:4] == closed and len(opened) > len(closed) + FRAMES
    click(view, heading_at(view))
    assert rows(view) == closed


def test_no_two_rows_of_a_profile_have_the_same_name(view: TimelineView) -> None:
    view.lanes.unfold_all()
    names = rows(view)
    assert len(set(names)) == len(names)
    assert {"host annotations", "device annotations", "Python"} <= set(names)
    assert {"Python, depth 2", "calls, depth 2"} <= set(names)


def test_keys_open_the_call_stack_of_the_chosen_lane(view: TimelineView) -> None:
    closed = rows(view)
    view.choice.choose(2)
    view.lanes.fold()
    assert len(rows(view)) > len(closed)
    view.lanes.fold()
    assert rows(view) == closed


def test_other_groups_leave_call_stacks_folded_and_undo_restores_them(view: TimelineView) -> None:
    closed = rows(view)
    view.lanes.group_by(Grouping.NONE)
    assert rows(view) == closed
    view.lanes.unfold_all()
    view.navigator.zoom_back()
    assert rows(view) == closed
    view.lanes.unfold_all()
    view.lanes.fold_all()
    view.lanes.group_by(Grouping.NONE)
    assert rows(view) == closed


def test_a_pinned_lane_has_its_call_stack_only_while_that_is_open(view: TimelineView) -> None:
    view.choice.choose(2)
    view.lanes.pin()
    assert rows(view)[0] == "thread 1" and "Python" not in rows(view)
    view.lanes.fold()
    assert rows(view)[1].startswith("calls")


def test_the_rows_of_a_folded_call_stack_are_not_counted_as_lanes_of_a_group(
    view: TimelineView,
) -> None:
    stack = next(group for group in view.state.stack.layout.groups if group.is_call_stack)
    assert stack.folded and not stack.has_summary
    assert stack.name == f"call stack: {len(stack.lanes)} rows"
