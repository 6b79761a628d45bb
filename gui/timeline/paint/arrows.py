"""Arrows from what the selected span waited for, and to what waited for it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from core.trace.dependencies import LaneLinks, Neighbours
from core.trace.span import Span
from core.trace.step import StepColumns
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
TAG = 16.0  # height of what says how many there are


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line with a head, from the end of one bar to the beginning of another.

    `down` tells whether it arrives from above; `held` marks the one from what the span waited for
    last.
    """

    start: QPointF
    end: QPointF
    down: bool
    held: bool


def arrows_of(frame: Frame, span: Span, near: Neighbours) -> list[Arrow]:
    """The arrows that can be seen; that from what held the span up comes last, so on top."""
    shown = frame.layout.stands
    if span.lane not in shown:
        return []
    own = _rect_of(frame, span)
    arrows = [
        _between(_rect_of(frame, other), own, held=number == 0)
        for number, other in enumerate(near.needs)
        if other.lane in shown
    ]
    arrows += [
        _between(own, _rect_of(frame, other), held=False)
        for other in near.dependents
        if other.lane in shown
    ]
    return sorted((a for a in arrows if _is_seen(frame, a)), key=lambda arrow: arrow.held)


def draw_arrows(painter: QPainter, frame: Frame, span: Span, near: Neighbours) -> None:
    """Draw the arrows of a span over the lanes."""
    for arrow in arrows_of(frame, span, near):
        colour = frame.theme.text if arrow.held else frame.theme.muted
        width = THICK if arrow.held else THIN
        _draw(painter, arrow, (frame.theme.plot, width + HALO), (colour, width))


def draw_dependencies(painter: QPainter, scene: Scene, frame: Frame, fonts: Fonts) -> None:
    """All dependencies between lanes on screen; of very many, the first, and how many there are.

    Those within a lane are left out: a lane's tasks stand behind one another anyway.
    """
    if scene.trace.imported is not None:
        # Such a trace may have no step, or work outside of its steps.
        count, found = _pairs_of_links(scene.lane_links(), frame)
    else:
        steps = map(scene.explained.known, steps_to_explain(scene, frame.view))
        found = [
            pair
            for step in steps
            if step is not None
            for pair in _pairs(step.explanation.columns, frame)
        ]
        count = len(found)
    for source, target in found[:MOST]:
        _draw(painter, _between(source, target, held=False), (frame.theme.text, THIN))
    if count > MOST:
        words = tr("{n} of {count} arrows; zoom in", n=MOST, count=f"{count:,}")
        wide = text_width(fonts.small, words) + 10
        tag = QRectF(frame.left + frame.view.width - wide, frame.ceiling + 2, wide, TAG)
        painter.fillRect(tag, QColor(frame.theme.plot))
        write(painter, fonts.small, frame.theme.text, tag, words, CENTRE)


def _draw(painter: QPainter, arrow: Arrow, *lines: tuple[str, float]) -> None:
    """An arrow as lines over one another, of a colour and a width each; the head has the last's."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    path = _path(arrow)
    for colour, width in lines:
        painter.setPen(QPen(QColor(colour), width))
        painter.drawPath(path)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawPolygon(_head(arrow))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _pairs(columns: StepColumns, frame: Frame) -> list[tuple[QRectF, QRectF]]:
    """Where the tasks are, and what waits for them on another lane, as far as both can be seen."""
    # Task n waits for after[after_first[n]:after_first[n + 1]]. One entry for each such pair: who
    # waits (`waiter`), and for whom (`before`).
    waiter = np.repeat(np.arange(len(columns)), np.diff(columns.after_first))
    before = columns.after
    seen = (columns.lane[before] != columns.lane[waiter]) & (
        columns.start[waiter] >= frame.view.start
    )
    # An arrow runs from the end of `before` to the start of `waiter`: one that ends left of the
    # view or begins right of it cannot be seen.
    seen &= columns.end[before] <= frame.view.end
    shown = np.array(sorted(frame.layout.stands), np.int64)
    seen &= np.isin(columns.lane[before], shown) & np.isin(columns.lane[waiter], shown)
    places = np.stack([before[seen], waiter[seen]], axis=1)
    # By time, so that where there are more than MOST the earliest on screen are drawn.
    order = np.argsort(columns.start[places[:, 1]], kind="stable")

    def rect(task: int) -> QRectF:
        track = frame.layout.track_of(int(columns.lane[task]))
        return frame.rect(track, float(columns.start[task]), float(columns.end[task]))

    return [(rect(source), rect(target)) for source, target in places[order].tolist()]


def _pairs_of_links(links: LaneLinks, frame: Frame) -> tuple[int, list[tuple[QRectF, QRectF]]]:
    """Count the dependencies that can be seen, and return where the first MOST of them are."""
    shown = np.array(sorted(frame.layout.stands), np.int64)
    is_seen = (links.start >= frame.view.start) & (links.needed_end <= frame.view.end)
    is_seen &= np.isin(links.needed_lane, shown) & np.isin(links.lane, shown)
    seen = np.flatnonzero(is_seen)
    first = seen[:MOST]

    def rects(
        lane: NDArray[np.int32], start: NDArray[np.int64], end: NDArray[np.int64]
    ) -> list[QRectF]:
        columns = (column[first].tolist() for column in (lane, start, end))
        return [
            frame.rect(frame.layout.track_of(number), float(first), float(last))
            for number, first, last in zip(*columns, strict=True)
        ]

    needed = rects(links.needed_lane, links.needed_start, links.needed_end)
    waiting = rects(links.lane, links.start, links.end)
    return len(seen), list(zip(needed, waiting, strict=True))


def _rect_of(frame: Frame, span: Span) -> QRectF:
    end = (frame.now or span.start) if span.end is None else span.end
    return frame.rect(frame.layout.track_of(span.lane), span.start, end)


def _between(source: QRectF, target: QRectF, held: bool) -> Arrow:
    """From edge to edge of two bars, so that no word is crossed; within a lane over its top."""
    down = target.top() >= source.top()
    leaves = source.bottom() if target.top() > source.top() else source.top()
    start = QPointF(source.right(), leaves)
    end = QPointF(target.left(), target.top() if down else target.bottom())
    return Arrow(start, end, down, held)


def _is_seen(frame: Frame, arrow: Arrow) -> bool:
    """Whether an arrow has a length, and does not lie wholly beyond one side of the plot."""
    right = frame.left + frame.view.width
    beyond = arrow.end.x() < frame.left or arrow.start.x() > right
    return not beyond and math.dist(arrow.start.toTuple(), arrow.end.toTuple()) > 2


def _path(arrow: Arrow) -> QPainterPath:
    """A curve that leaves and arrives upright; between bars of a lane it bends over them."""
    # The curve ends at the head's foot: a line up to its tip would be wider there than the tip.
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
    x, y = arrow.end.x(), arrow.end.y()
    far = y + (-HEAD if arrow.down else HEAD)
    return QPolygonF([QPointF(x, y), QPointF(x - HALF_HEAD, far), QPointF(x + HALF_HEAD, far)])
