"""Tooltip contents for the item under the pointer: a span, gap, prediction, counter, or memory."""

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
    # A running span is not part of a reduced track, so the tooltip is the span's own.
    is_running = isinstance(found, Span) and found.end is None
    if not is_running:
        reduced = reduced_pixel_card(scene, frame, x, y)
        if reduced is not None:
            return reduced
    if isinstance(found, Span):
        return span_card(scene.trace, found, frame.now)
    if found is not None:
        problem = scene.explained.problem(found.step)
        report = scene.explained.report_at_hand(found)
        return gap_card(scene.trace, found, report, problem)
    if not frame.left <= x <= frame.right:
        return None
    predicted = predicted_at(scene, frame, x, y)
    if predicted is not None:
        return _prediction_card(scene, predicted)
    for card_of in (_counter_at, _memory_at, _between_at):
        card = card_of(scene, frame, x, y)
        if card is not None:
            return card
    return None


def _prediction_card(scene: Scene, predicted: Span) -> Card:
    """Return the tooltip of a predicted span, with any doubt about the prediction."""
    measured = scene.trace.find(predicted.step, predicted.task)
    name = bar_name(scene.trace, predicted)
    title, lines = predicted_card(name, predicted, measured)
    if scene.doubt:
        lines = [*lines, scene.doubt]
    return title, lines


def predicted_at(scene: Scene, frame: Frame, x: float, y: float) -> Span | None:
    """Return the predicted span at a pixel of the picture, or None."""
    track = at_height(frame.layout.predictions, y - frame.top)
    if track is None or scene.prediction is None:
        return None
    columns = scene.prediction_columns[track.lane]
    time = frame.view.time(x - frame.left)
    reach = REACH * frame.view.ns_per_pixel
    index = nearest(columns, time, reach)
    if index is None:
        return None
    return scene.prediction.span(track.lane, index)


def _between_at(scene: Scene, frame: Frame, x: float, y: float) -> Card | None:
    track = frame.layout.track_at(y - frame.top)
    if track is None or track.helper:
        return None
    time = int(frame.view.time(x - frame.left))
    if scene.trace.step_table.at(time) is not None:
        return None
    report = scene.explained.report(track.lane, time)
    if report is None:
        return None
    return between_card(report)


def _counter_at(scene: Scene, frame: Frame, x: float, y: float) -> Card | None:
    row = at_height(frame.layout.counters, y - frame.top)
    if row is None:
        return None
    line = scene.counters[row.name]
    start = frame.view.time(x - frame.left)
    end = start + frame.view.ns_per_pixel
    return counter_card(line, start, end)


def _memory_at(scene: Scene, frame: Frame, x: float, y: float) -> Card | None:
    track = at_height(frame.layout.memory, y - frame.top)
    if track is None:
        return None
    memory = scene.memory[track.lane]
    if not len(memory):
        return None
    first = memory.times[0]
    _, last = scene.bounds
    start = frame.view.time(x - frame.left)
    if not first <= start <= last:
        return None
    end = start + frame.view.ns_per_pixel
    return memory_card(scene.trace, track.lane, memory, start, end)
