"""Blocks inside forwards and backwards, as tracks under their lanes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from core.plan.nested import nested_lanes, nested_tasks
from core.plan.task import Kind
from core.recording.decode import append_batch
from core.recording.schema import plan_batch, span_batch
from core.trace.trace import Trace
from gui.features.devices.devices import DevicesPanel
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.groups import Strips
from gui.timeline.layout.stacking import lay_out
from gui.timeline.paint.nested import _texts
from gui.timeline.state.scene import Scene
from tests.make_believe import Timing, columns_of, header_and_plans, specification, timed


def nested_run() -> Trace:
    """Return a step of two lanes whose tasks spend equal times on each of their blocks."""
    header, plans = header_and_plans(specification(steps=1, warmup=0))
    plan = next(iter(plans.values()))
    nested = nested_tasks(plan)
    timings = timed(plan, 0, 0)
    inside = []
    for timing in timings:
        blocks = nested.inside(timing.task)
        wide = (timing.end - timing.start) // max(1, len(blocks))
        starts = [timing.start + n * wide for n in range(len(blocks))]
        inside += [Timing(b.index, at, at + wide) for b, at in zip(blocks, starts, strict=True)]
    trace = Trace(replace(header, lanes=(*plan.lanes, *nested_lanes(plan.lanes))))
    append_batch(trace, plan_batch(0, [*plan.tasks, *nested.tasks]))
    append_batch(trace, span_batch(columns_of(0, 0, timings), columns_of(0, 0, inside)))
    return trace


@pytest.fixture
def view(qtbot: object) -> Iterator[TimelineView]:
    made = TimelineView()
    qtbot.addWidget(made)
    made.resize(1200, 400)
    made.show()
    qtbot.waitExposed(made)
    made.state.show_scene(Scene(nested_run()))
    yield made
    made.close()


def pixel_at(view: TimelineView, lane: int, time: float) -> QPoint:
    frame = view.state.frame
    track = frame.layout.track_of(lane)
    return QPoint(int(frame.x(time)), int(frame.top + track.top + track.height / 2))


def test_blocks_are_directly_below_their_lane_and_thinner() -> None:
    lanes = nested_run().header.lanes
    tracks = lay_out(lanes, 600, Strips(nested=True, prediction=True)).tracks
    assert [track.lane for track in tracks] == [0, 2, 1, 3]
    assert all(track.helper for track in tracks[1::2])
    assert [track.lane for track in lay_out(lanes, 600, Strips()).tracks] == [0, 1]


def test_blocks_can_be_shown_and_hidden(view: TimelineView) -> None:
    assert view.state.strips.nested
    view.state.show_strips(nested=False)
    assert [track.lane for track in view.state.stack.layout.tracks] == [0, 1]
    assert not view.state.strips.nested


def test_a_block_shows_its_name_if_it_fits_and_otherwise_its_number(view: TimelineView) -> None:
    scene = view.state.scene
    blocks = scene.trace.header.model.blocks
    names, numbers = _texts(scene, 2, 0, 3)
    first = scene.trace.spans(2)["block"][:3].tolist()
    assert numbers.tolist() == [str(block) for block in first]
    assert names.tolist() == [blocks[block].name for block in first]


def test_a_click_on_a_block_selects_it_and_chooses_its_lane(view: TimelineView) -> None:
    span = next(s for s in view.state.trace if s.lane == 3 and s.kind is Kind.FORWARD)
    at = pixel_at(view, 3, (span.start + span.end) / 2)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert view.state.selection == span
    assert span.block is not None
    assert view.state.lane == 1


def test_between_blocks_there_is_no_gap_to_explain(view: TimelineView) -> None:
    first = view.state.trace.span(3, 0)
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, pos=pixel_at(view, 3, first.start / 2)
    )
    assert view.state.selection is None


def test_sums_of_lanes_ignore_blocks(view: TimelineView) -> None:
    scene = view.state.scene
    assert [balance.lane for balance in scene.balances] == [0, 1]
    assert len(scene.facts) == 4
    panel = DevicesPanel()
    panel.show_scene(scene)
    assert "blocks" not in panel.accessibleDescription()


def test_the_number_of_a_block_is_inside_its_bar(view: TimelineView) -> None:
    span = next(s for s in view.state.trace if s.lane == 2 and s.kind is Kind.BACKWARD)
    view.navigator.fit_between(span.start, span.end)
    track = view.state.frame.layout.track_of(2)
    top = int(view.state.frame.top + track.top)
    image = view.grab().toImage()
    ratio = image.devicePixelRatio()
    start, end = (int(view.state.frame.x(time)) for time in (span.start, span.end))
    seen = {
        image.pixelColor(int(x * ratio), int(y * ratio)).name()
        for x in range(start + 3, end - 3)
        for y in range(top + 2, top + int(track.height) - 2)
    }
    assert len(seen) > 1  # colours of the bar and of its number
