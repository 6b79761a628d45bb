"""Draws bookmarks: a flag with its note on the axis, and a thin line over the lanes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPolygonF

from core.recording.bookmarks import Bookmark
from gui.look.painter import filling, smoothed
from gui.look.text import duration_text, tr
from gui.timeline.layout.axis import ticks
from gui.timeline.layout.fonts import Fonts, text_width
from gui.timeline.layout.frame import AXIS, Frame
from gui.timeline.layout.moments import OF_RUN, Origin, since_text
from gui.timeline.paint.canvas import Canvas

TOP = 2.0  # upper edge of a flag on the axis
HEIGHT = 16.0
BARE = 11.0  # width of a flag without a note
WIDEST = 150.0
AIR = 5.0
REACH = 4.0  # pixels left of its pole in which a flag can be clicked


@dataclass(frozen=True, slots=True)
class Flag:
    """Place of the flag of bookmark number `index`, and as much of the note as fits."""

    index: int
    rect: QRectF
    text: str


def flags(frame: Frame, fonts: Fonts, bookmarks: Sequence[Bookmark]) -> list[Flag]:
    """Return the flags of the bookmarks that begin in the visible time.

    `bookmarks` are in order of time. A flag ends where the next one begins, so that all can be seen
    and clicked.
    """
    right = frame.right
    poles = [frame.x(bookmark.start) for bookmark in bookmarks]
    found = []
    for index, (bookmark, x) in enumerate(zip(bookmarks, poles, strict=True)):
        if not frame.left - 1 <= x <= right:
            continue
        # A flag may extend up to the next pole, the last one up to the plot's edge.
        end = right
        if index + 1 < len(poles):
            end = min(end, poles[index + 1])
        room = end - x - 2
        text_room = min(room, WIDEST) - 2 * AIR
        text = _fitting(fonts, bookmark.note, text_room)
        width = min(BARE, max(2.0, room))
        if text:
            width = text_width(fonts.small, text) + 2 * AIR
        rect = QRectF(x, TOP, width, HEIGHT)
        found.append(Flag(index, rect, text))
    return found


def flag_at(shown: Sequence[Flag], x: float, y: float) -> int | None:
    """Return the index of the bookmark whose flag is at a pixel (the last of several), or None."""
    for flag in reversed(shown):
        reached = flag.rect.adjusted(-REACH, -TOP, 0, 4)
        if reached.contains(x, y):
            return flag.index
    return None


def bookmark_text(bookmark: Bookmark, origin: Origin = OF_RUN) -> str:
    """Return a bookmark's time, or its beginning and length."""
    start = since_text(bookmark.start, origin)
    if bookmark.end is None:
        return start
    length = duration_text(bookmark.end - bookmark.start)
    return tr("{start}, for {length}", start=start, length=length)


def draw_bookmarks(canvas: Canvas, bookmarks: Sequence[Bookmark], bottom: float) -> None:
    """Draw all bookmarks of the visible time."""
    frame = canvas.frame
    colour = frame.theme.warning
    left = frame.left
    right = frame.right
    for bookmark in bookmarks:
        start = frame.x(bookmark.start)
        end = start
        poles = [start]
        if bookmark.end is not None:
            end = frame.x(bookmark.end)
            poles.append(end)
        canvas.pen(colour)
        for pole in poles:
            if left - 1 <= pole <= right:
                x = round(pole)
                canvas.upright(x, TOP, bottom)
        if bookmark.end is not None and end > left and start < right:
            x0 = max(left, start)
            width = max(1.0, min(right, end) - x0)
            canvas.fill(QRectF(x0, AXIS - 4, width, 3), colour)
    for flag in flags(frame, canvas.fonts, bookmarks):
        _draw_flag(canvas, flag, colour)


def hide_ticks(canvas: Canvas, over: Sequence[QRectF]) -> None:
    """Erase the axis's labels that would overlap with what is drawn later at `over`."""
    frame = canvas.frame
    for label in tick_rects(frame, canvas.fonts) if over else ():
        if any(label.intersects(rect) for rect in over):
            canvas.fill(label, frame.theme.plot)


def tick_rects(frame: Frame, fonts: Fonts) -> list[QRectF]:
    """Return the rectangles of the axis's labels (see margins.draw_axis)."""
    found = []
    for tick in ticks(frame.view, frame.origin):
        width = text_width(fonts.small, tick.number)
        left = frame.centred(frame.left + tick.x, width)
        rect = QRectF(left - 1, 0, width + 3, AXIS - 4)
        found.append(rect)
    return found


def _draw_flag(canvas: Canvas, flag: Flag, colour: str) -> None:
    painter = canvas.painter
    rect = flag.rect
    if not flag.text:  # a pennant
        tip = QPointF(rect.right(), rect.top() + 5)
        foot = rect.topLeft() + QPointF(0, 10)
        with smoothed(painter), filling(painter, colour):
            painter.drawPolygon(QPolygonF([rect.topLeft(), tip, foot]))
        return
    canvas.write_tag(rect, flag.text, canvas.theme.plot, colour)


def _fitting(fonts: Fonts, note: str, room: float) -> str:
    """Return a note in one line, cut to `room` pixels; "" if no letter fits."""
    line = " ".join(note.split())
    metrics = QFontMetricsF(fonts.small)
    text = metrics.elidedText(line, Qt.TextElideMode.ElideRight, max(0.0, room))
    return "" if text in ("…", "...") else text
