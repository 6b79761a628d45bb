"""Rectangles in the window for the subject of a lesson's step."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QPoint, QRectF
from PySide6.QtWidgets import QWidget

from core.explain.lanes import Gap, longest_gaps
from core.lessons.lesson import BUBBLE, PANELS, lane_pointed_at
from core.plan.task import KINDS, Kind
from core.trace.median_step import median_step, whole_steps
from core.trace.span import Span
from core.trace.trace import Trace
from gui.app.feature import Shell
from gui.features.lessons.spotlight import Place
from gui.timeline.state.lanes import reveal

AROUND = 5.0  # free pixels around a span or a gap


class Pointer:
    """Finds the subject of a step in the window and brings it into view; selects spans and gaps."""

    def __init__(self, shell: Shell, verdict: QWidget) -> None:
        self._shell = shell
        self._window = shell.main_window
        self._timeline = shell.timeline
        self._verdict = verdict

    def places(self, point: str) -> list[Place]:
        """Return functions that give the rectangles of a subject, else the timeline's."""
        if point in PANELS:
            return [partial(self.place_of, self._shell.bring(point))]
        if point == "verdict":
            return [partial(self.place_of, self._verdict)]
        lane = lane_pointed_at(point)
        trace = self._timeline.state.trace
        if trace is not None and lane is not None and lane < len(trace.header.lanes):
            reveal(self._timeline.state, lane)
            return [partial(self._place_of_lane, lane)]
        found = None if trace is None else _found(trace, point)
        if found is None:
            return [partial(self.place_of, self._timeline)]
        self._timeline.state.select(found)
        reveal(self._timeline.state, found.lane)
        return [partial(self._place_between, found)]

    def place_of(self, widget: QWidget) -> QRectF:
        """Return the rectangle of a widget in the window; empty if it is hidden or floats."""
        # A floating dock is another window, which the spotlight does not cover.
        if not widget.isVisible() or widget.window() is not self._window:
            return QRectF()
        corner = widget.mapTo(self._window, QPoint())
        return QRectF(widget.rect()).translated(corner)

    def _place_of_lane(self, lane: int) -> QRectF:
        frame = self._timeline.state.frame
        top, bottom = frame.layout.extent_of(lane)
        height = bottom - top
        width, _ = self._timeline.state.size
        row = QRectF(0, frame.top + top, width, height)
        return self._in_window(row)

    def _place_between(self, found: Span | Gap) -> QRectF:
        frame = self._timeline.state.frame
        end = found.start if found.end is None else found.end
        rect = frame.rect(frame.layout.track_of(found.lane), found.start, end)
        return self._in_window(rect.adjusted(-AROUND, -AROUND, AROUND, AROUND))

    def _in_window(self, rect: QRectF) -> QRectF:
        """Return the visible part of a rectangle of the timeline, in the window."""
        area = self._timeline.viewport()
        if self.place_of(area).isEmpty():
            return QRectF()
        moved = rect & QRectF(area.rect())
        return moved.translated(area.mapTo(self._window, QPoint()))


def _found(trace: Trace, point: str) -> Span | Gap | None:
    """Return the longest bubble, or the longest span of a kind, in the median step."""
    steps = whole_steps(trace)
    if not steps:
        return None
    # The window opens this step, and the figures of a lesson describe it.
    step = median_step(trace, steps)
    if point == BUBBLE:
        return next(iter(longest_gaps(trace, step, step, 1)), None)
    if point not in tuple(Kind):
        return None
    code = KINDS.index(Kind(point))
    longest: Span | None = None
    longest_ns = -1
    for lane in trace.header.lanes:
        spans = trace.spans(lane.index)
        where = spans.of_step(step)
        is_of_kind = spans["kind"][where] == code
        for place in np.flatnonzero(is_of_kind).tolist():
            # `place` counts from the first span of the step.
            index = where.start + place
            duration_ns = int(spans.end[index] - spans.start[index])
            if duration_ns > longest_ns:
                longest = trace.span(lane.index, index)
                longest_ns = duration_ns
    return longest
