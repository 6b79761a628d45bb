"""Arrows between the selected span and its dependencies and dependents, or between all lanes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPainterPath, QPolygonF

from core.arrays import Ints
from core.trace.dependencies import LaneLinks, Neighbours
from core.trace.span import Span
from core.trace.step import StepColumns
from gui.look.painter import filling, pen, smoothed
from gui.look.text import tr
from gui.timeline.layout.frame import Frame
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.gap_labels import steps_to_explain
from gui.timeline.state.scene import Scene

HEAD = 7.0
HALF_HEAD = 3.2
LIFT = 13.0  # pixels that an arrow within a lane rises above its bars
THIN = 1.0
THICK = 2.0
HALO = 2.5
MOST = 400  # arrows of all dependencies; more would hide the bars
TAG = 16.0  # height of the text with the number of arrows
Pair = tuple[QRectF, QRectF]
"""Rectangles of the bar of a task and of the bar of a task that waits for it."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line with a head, from the end of one bar to the beginning of another.

    `down` is true if the arrow arrives from above, `held` if it starts at the last task that the
    selected span waited for.
    """

    start: QPointF
    end: QPointF
    down: bool
    held: bool


def arrows_of(frame: Frame, span: Span, near: Neighbours) -> list[Arrow]:
    """Return the visible arrows; the one from the last dependency is last, to be drawn on top."""
    shown = frame.layout.track_by_lane
    if span.lane not in shown:
        return []
    own = _rect_of(frame, span)
    arrows = []
    for number, other in enumerate(near.needs):
        if other.lane in shown:
            source = _rect_of(frame, other)
            is_last = number == 0
            arrows.append(arrow_between(source, own, held=is_last))
    for other in near.dependents:
        if other.lane in shown:
            target = _rect_of(frame, other)
            arrows.append(arrow_between(own, target, held=False))
    visible = [arrow for arrow in arrows if _is_seen(frame, arrow)]
    return sorted(visible, key=lambda arrow: arrow.held)


def draw_arrows(canvas: Canvas, span: Span, near: Neighbours) -> None:
    """Draw the arrows of a span over the lanes."""
    theme = canvas.theme
    for arrow in arrows_of(canvas.frame, span, near):
        colour = theme.text if arrow.held else theme.muted
        width = THICK if arrow.held else THIN
        halo = (theme.plot, width + HALO)
        line = (colour, width)
        draw_arrow(canvas.painter, arrow, halo, line)


def draw_dependencies(canvas: Canvas, scene: Scene) -> None:
    """Draw the first MOST visible dependencies between lanes; if there are more, write how many.

    Dependencies within a lane are left out, because a lane's tasks are in order anyway.
    """
    frame = canvas.frame
    count, pairs = _visible_pairs(scene, frame)
    theme = canvas.theme
    line = (theme.text, THIN)
    for source, target in pairs:
        arrow = arrow_between(source, target, held=False)
        draw_arrow(canvas.painter, arrow, line)
    if count > MOST:
        words = tr("{n} of {count} arrows shown; zoom in for more", n=MOST, count=f"{count:,}")
        width = canvas.small_width(words) + 10
        left = frame.right - width
        tag = QRectF(left, frame.ceiling + 2, width, TAG)
        canvas.write_tag(tag, words, theme.text, theme.plot)


def draw_arrow(painter: QPainter, arrow: Arrow, *lines: tuple[str, float]) -> None:
    """Draw an arrow's line once for each colour and width; the head has the last colour."""
    path = _path(arrow)
    with smoothed(painter):
        for colour, width in lines:
            painter.setPen(pen(colour, width))
            painter.drawPath(path)
        with filling(painter, colour):
            painter.drawPolygon(_head(arrow))


def _visible_pairs(scene: Scene, frame: Frame) -> tuple[int, list[Pair]]:
    """Return the number of visible dependencies, and the first MOST of them."""
    if scene.trace.imported is not None:
        # An imported trace may have no steps, or tasks outside its steps.
        return _pairs_of_links(scene.lane_links(), frame)
    found = []
    for step in steps_to_explain(scene, frame.view):
        known = scene.explained.known(step)
        if known is not None:
            found += _pairs(known.explanation.columns, frame)
    return len(found), found[:MOST]


def _pairs(columns: StepColumns, frame: Frame) -> list[Pair]:
    """Return the visible dependencies of a step between lanes, in order of the waiting tasks."""
    # Task n waits for after[after_first[n]:after_first[n + 1]]. `waiter` and `before` have an entry
    # for each such pair: the waiting task, and its dependency.
    counts = np.diff(columns.after_first)
    waiter = np.repeat(np.arange(len(columns)), counts)
    before = columns.after
    source_lane = columns.lane[before]
    target_lane = columns.lane[waiter]
    shown = np.array(sorted(frame.layout.track_by_lane), np.int64)
    seen = source_lane != target_lane
    seen &= columns.start[waiter] >= frame.view.start
    # An arrow extends from the end of `before` to the start of `waiter`: it is not visible if it
    # ends left of the view or begins right of it.
    seen &= columns.end[before] <= frame.view.end
    seen &= np.isin(source_lane, shown)
    seen &= np.isin(target_lane, shown)
    sources = before[seen]
    targets = waiter[seen]
    # Sorted by time, so that the earliest are drawn if there are more than MOST.
    order = np.argsort(columns.start[targets], kind="stable")

    def rect(task: int) -> QRectF:
        lane = int(columns.lane[task])
        start = float(columns.start[task])
        end = float(columns.end[task])
        return frame.rect(frame.layout.track_of(lane), start, end)

    pairs = []
    ordered_sources = sources[order].tolist()
    ordered_targets = targets[order].tolist()
    for source, target in zip(ordered_sources, ordered_targets, strict=True):
        pairs.append((rect(source), rect(target)))
    return pairs


def _pairs_of_links(links: LaneLinks, frame: Frame) -> tuple[int, list[Pair]]:
    """Return the number of visible dependencies, and the first MOST of them."""
    shown = np.array(sorted(frame.layout.track_by_lane), np.int64)
    is_seen = links.start >= frame.view.start
    is_seen &= links.needed_end <= frame.view.end
    is_seen &= np.isin(links.needed_lane, shown)
    is_seen &= np.isin(links.lane, shown)
    seen = np.flatnonzero(is_seen)
    first = seen[:MOST]

    def rects(lane: NDArray[np.int32], start: Ints, end: Ints) -> list[QRectF]:
        lanes = lane[first].tolist()
        starts = start[first].tolist()
        ends = end[first].tolist()
        found = []
        for number, begin, last in zip(lanes, starts, ends, strict=True):
            track = frame.layout.track_of(number)
            rect = frame.rect(track, float(begin), float(last))
            found.append(rect)
        return found

    needed = rects(links.needed_lane, links.needed_start, links.needed_end)
    waiting = rects(links.lane, links.start, links.end)
    return len(seen), list(zip(needed, waiting, strict=True))


def _rect_of(frame: Frame, span: Span) -> QRectF:
    track = frame.layout.track_of(span.lane)
    if span.end is None:
        return frame.rect(track, span.start, frame.now or span.start)
    return frame.rect(track, span.start, span.end)


def arrow_between(source: QRectF, target: QRectF, held: bool) -> Arrow:
    """Return an arrow from a corner of one bar to a corner of another, clear of their texts."""
    down = target.top() >= source.top()
    is_below = target.top() > source.top()
    start = source.bottomRight() if is_below else source.topRight()
    end = target.topLeft() if down else target.bottomLeft()
    return Arrow(start, end, down, held)


def _is_seen(frame: Frame, arrow: Arrow) -> bool:
    """Return whether an arrow is over 2 pixels long, and not entirely left or right of the plot."""
    is_left = arrow.end.x() < frame.left
    is_right = arrow.start.x() > frame.right
    if is_left or is_right:
        return False
    start = arrow.start.toTuple()
    end = arrow.end.toTuple()
    return math.dist(start, end) > 2


def _path(arrow: Arrow) -> QPainterPath:
    """Return a curve that starts and ends vertically; within a lane it rises above the bars."""
    # The curve ends at the base of the head, because the line is wider than the head's tip.
    back = -1 if arrow.down else 1
    start = arrow.start
    neck = arrow.end + QPointF(0, back * (HEAD - 1))
    rise = abs(start.y() - arrow.end.y())
    if rise < LIFT / 2:
        lift = QPointF(0, -LIFT)
        after_start = start + lift
        before_neck = neck + lift
    else:
        middle = (start.y() + neck.y()) / 2
        after_start = QPointF(start.x(), middle)
        before_neck = QPointF(neck.x(), middle)
    path = QPainterPath(start)
    path.cubicTo(after_start, before_neck, neck)
    return path


def _head(arrow: Arrow) -> QPolygonF:
    tip = arrow.end
    length = -HEAD if arrow.down else HEAD
    left = tip + QPointF(-HALF_HEAD, length)
    right = tip + QPointF(HALF_HEAD, length)
    return QPolygonF([tip, left, right])
