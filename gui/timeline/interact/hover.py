"""Tooltip contents for the item under the pointer: a span, gap, ghost, counter, or memory."""

from __future__ import annotations

from core.trace.span import Span
from gui.timeline.interact.describe import (
    Card,
    bar_name,
    counter_card,
    memory_card,
    predicted_card,
    span_card,
)
from gui.timeline.interact.gap_words import between_card, gap_card
from gui.timeline.interact.reduced_pixel import reduced_pixel_card
from gui.timeline.layout.frame import Frame, at_height
from gui.timeline.state.scene import Scene
from gui.timeline.state.selection import REACH, hit, nearest


def card_at(scene: Scene, frame: Frame, x: float, y: float) -> Card | None:
    """Return title and lines of the tooltip for a pixel of the picture, or None."""
    found = hit(scene, frame, x, y)
    # A span that still runs is not part of a reduced track: the pointer is on it alone.
    running = isinstance(found, Span) and found.end is None
    folded = None if running else reduced_pixel_card(scene, frame, x, y)
    if folded is not None:
        return folded
    if isinstance(found, Span):
        return span_card(scene.trace, found, frame.now)
    if found is not None:
        problem = scene.explained.problem(found.step)
        return gap_card(scene.trace, found, scene.explained.report_at_hand(found), problem)
    if not frame.left <= x <= frame.right:
        return None
    predicted = ghost_at(scene, frame, x, y)
    if predicted is not None:
        measured = scene.trace.find(predicted.step, predicted.task)
        name = bar_name(scene.trace, predicted)
        title, lines = predicted_card(name, predicted, measured)
        return title, [*lines, scene.doubt] if scene.doubt else lines
    held = _counter_at(scene, frame, x, y) or _memory_at(scene, frame, x, y)
    return held or _between_at(scene, frame, x, y)


def ghost_at(scene: Scene, frame: Frame, x: float, y: float) -> Span | None:
    """Return the predicted span at a pixel of the picture, or None."""
    track = at_height(frame.layout.ghosts, y - frame.top)
    if track is None or scene.prediction is None:
        return None
    time = frame.view.time(x - frame.left)
    reach = REACH * frame.view.ns_per_pixel
    index = nearest(scene.ghosts[track.lane], time, reach)
    return None if index is None else scene.prediction.span(track.lane, index)


def _between_at(scene: Scene, frame: Frame, x: float, y: float) -> Card | None:
    track = frame.layout.track_at(y - frame.top)
    time = int(frame.view.time(x - frame.left))
    if track is None or track.helper or scene.trace.step_table.at(time) is not None:
        return None
    report = scene.explained.report(track.lane, time)
    return None if report is None else between_card(report)


def _counter_at(scene: Scene, frame: Frame, x: float, y: float) -> Card | None:
    row = at_height(frame.layout.counters, y - frame.top)
    if row is None:
        return None
    line = scene.counters[row.name]
    start = frame.view.time(x - frame.left)
    return counter_card(line, start, start + frame.view.ns_per_pixel)


def _memory_at(scene: Scene, frame: Frame, x: float, y: float) -> Card | None:
    track = at_height(frame.layout.memory, y - frame.top)
    if track is None:
        return None
    memory = scene.memory[track.lane]
    start = frame.view.time(x - frame.left)
    if not len(memory) or not memory.times[0] <= start <= scene.bounds[1]:
        return None
    return memory_card(scene.trace, track.lane, memory, start, start + frame.view.ns_per_pixel)
