"""Arrows between the selected span and its dependencies and dependents."""

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
from gui.look.painter import fill, filling, pen, smoothed
from gui.look.text import tr
from gui.look.writing import CENTRE, write
from gui.timeline.layout.fonts import Fonts, text_width
from gui.timeline.layout.frame import Frame
from gui.timeline.paint.gap_labels import steps_to_explain
from gui.timeline.state.scene import Scene

HEAD = 7.0
HALF_HEAD = 3.2
LIFT = 13.0  # pixels that an arrow within a lane rises above its bars
THIN, THICK = 1.0, 2.0
HALO = 2.5
MOST = 400  # arrows of all dependencies; more would hide the bars
TAG = 16.0  # height of the text with their number


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line with a head, from the end of one bar to the beginning of another.

    `down` is true if it arrives from above, `held` if it is from the last task that the span waited
    for.
    """

    start: QPointF
    end: QPointF
    down: bool
    held: bool


def arrows_of(frame: Frame, span: Span, near: Neighbours) -> list[Arrow]:
    """Return the visible arrows; the one from the last dependency is last, so on top."""
    shown = frame.layout.track_by_lane
    if span.lane not in shown:
        return []
    own = _rect_of(frame, span)
    arrows = []
    for number, other in enumerate(near.needs):
        if other.lane in shown:
            arrows.append(arrow_between(_rect_of(frame, other), own, held=number == 0))
    for other in near.dependents:
        if other.lane in shown:
            arrows.append(arrow_between(own, _rect_of(frame, other), held=False))
    visible = [arrow for arrow in arrows if _is_seen(frame, arrow)]
    return sorted(visible, key=lambda arrow: arrow.held)


def draw_arrows(painter: QPainter, frame: Frame, span: Span, near: Neighbours) -> None:
    """Draw the arrows of a span over the lanes."""
    for arrow in arrows_of(frame, span, near):
        colour = frame.theme.text if arrow.held else frame.theme.muted
        width = THICK if arrow.held else THIN
        draw_arrow(painter, arrow, (frame.theme.plot, width + HALO), (colour, width))


def draw_dependencies(painter: QPainter, scene: Scene, frame: Frame, fonts: Fonts) -> None:
    """Draw the visible dependencies between lanes; of very many the first ones, and the number.

    Dependencies within a lane are left out, because a lane's tasks are in order anyway.
    """
    if scene.trace.imported is not None:
        # An imported trace may have no steps, or tasks outside its steps.
        count, found = _pairs_of_links(scene.lane_links(), frame)
    else:
        found = []
        for step in steps_to_explain(scene, frame.view):
            known = scene.explained.known(step)
            if known is not None:
                found += _pairs(known.explanation.columns, frame)
        count = len(found)
    for source, target in found[:MOST]:
        draw_arrow(painter, arrow_between(source, target, held=False), (frame.theme.text, THIN))
    if count > MOST:
        words = tr("{n} of {count} arrows; zoom in", n=MOST, count=f"{count:,}")
        wide = text_width(fonts.small, words) + 10
        tag = QRectF(frame.right - wide, frame.ceiling + 2, wide, TAG)
        fill(painter, tag, frame.theme.plot)
        write(painter, fonts.small, frame.theme.text, tag, words, CENTRE)


def draw_arrow(painter: QPainter, arrow: Arrow, *lines: tuple[str, float]) -> None:
    """Draw an arrow as several lines, each with colour and width; the head has the last colour."""
    path = _path(arrow)
    with smoothed(painter):
        for colour, width in lines:
            painter.setPen(pen(colour, width))
            painter.drawPath(path)
        with filling(painter, colour):
            painter.drawPolygon(_head(arrow))


def _pairs(columns: StepColumns, frame: Frame) -> list[tuple[QRectF, QRectF]]:
    """Return the rectangles of tasks and of those on other lanes that wait for them, if visible."""
    # Task n waits for after[after_first[n]:after_first[n + 1]]. One entry for each such pair: the
    # waiting task (`waiter`), and its dependency (`before`).
    waiter = np.repeat(np.arange(len(columns)), np.diff(columns.after_first))
    before = columns.after
    seen = columns.lane[before] != columns.lane[waiter]
    seen &= columns.start[waiter] >= frame.view.start
    # An arrow extends from the end of `before` to the start of `waiter`: it is not visible if it
    # ends left of the view or begins right of it.
    seen &= columns.end[before] <= frame.view.end
    shown = np.array(sorted(frame.layout.track_by_lane), np.int64)
    seen &= np.isin(columns.lane[before], shown)
    seen &= np.isin(columns.lane[waiter], shown)
    places = np.stack([before[seen], waiter[seen]], axis=1)
    # By time, so that if there are more than MOST the earliest ones are drawn.
    order = np.argsort(columns.start[places[:, 1]], kind="stable")

    def rect(task: int) -> QRectF:
        track = frame.layout.track_of(int(columns.lane[task]))
        return frame.rect(track, float(columns.start[task]), float(columns.end[task]))

    return [(rect(source), rect(target)) for source, target in places[order].tolist()]


def _pairs_of_links(links: LaneLinks, frame: Frame) -> tuple[int, list[tuple[QRectF, QRectF]]]:
    """Return the number of visible dependencies, and the rectangles of the first MOST of them."""
    shown = np.array(sorted(frame.layout.track_by_lane), np.int64)
    is_seen = (links.start >= frame.view.start) & (links.needed_end <= frame.view.end)
    is_seen &= np.isin(links.needed_lane, shown) & np.isin(links.lane, shown)
    seen = np.flatnonzero(is_seen)
    first = seen[:MOST]

    def rects(lane: NDArray[np.int32], start: Ints, end: Ints) -> list[QRectF]:
        lanes = lane[first].tolist()
        starts = start[first].tolist()
        ends = end[first].tolist()
        found = []
        for number, begin, last in zip(lanes, starts, ends, strict=True):
            track = frame.layout.track_of(number)
            found.append(frame.rect(track, float(begin), float(last)))
        return found

    needed = rects(links.needed_lane, links.needed_start, links.needed_end)
    waiting = rects(links.lane, links.start, links.end)
    return len(seen), list(zip(needed, waiting, strict=True))


def _rect_of(frame: Frame, span: Span) -> QRectF:
    end = (frame.now or span.start) if span.end is None else span.end
    return frame.rect(frame.layout.track_of(span.lane), span.start, end)


def arrow_between(source: QRectF, target: QRectF, held: bool) -> Arrow:
    """Return an arrow between the edges of two bars, which crosses no text."""
    down = target.top() >= source.top()
    leaves = source.bottom() if target.top() > source.top() else source.top()
    start = QPointF(source.right(), leaves)
    end = QPointF(target.left(), target.top() if down else target.bottom())
    return Arrow(start, end, down, held)


def _is_seen(frame: Frame, arrow: Arrow) -> bool:
    """Return whether an arrow has a length and is not completely left or right of the plot."""
    right = frame.right
    beyond = arrow.end.x() < frame.left or arrow.start.x() > right
    return not beyond and math.dist(arrow.start.toTuple(), arrow.end.toTuple()) > 2


def _path(arrow: Arrow) -> QPainterPath:
    """Return a curve that starts and ends vertically; between bars of a lane it bends over them."""
    # The curve ends at the head's base: at its tip the line would be wider than the tip.
    back = -1 if arrow.down else 1
    neck = arrow.end + QPointF(0, back * (HEAD - 1))
    path = QPainterPath(arrow.start)
    if abs(arrow.start.y() - arrow.end.y()) < LIFT / 2:
        lift = QPointF(0, -LIFT)
        path.cubicTo(arrow.start + lift, neck + lift, neck)
    else:
        middle = (arrow.start.y() + neck.y()) / 2
        path.cubicTo(QPointF(arrow.start.x(), middle), QPointF(neck.x(), middle), neck)
    return path


def _head(arrow: Arrow) -> QPolygonF:
    x = arrow.end.x()
    y = arrow.end.y()
    far = y + (-HEAD if arrow.down else HEAD)
    left = QPointF(x - HALF_HEAD, far)
    right = QPointF(x + HALF_HEAD, far)
    return QPolygonF([arrow.end, left, right])
