"""Transparent overlay of two timelines: lines between matched tasks, and outlines of a row."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from core.compare.differences import Difference
from core.compare.matching import Matches
from core.compare.pieces import NO_PIECES, RowPieces, pieces_of
from core.compare.runs import TwoRuns
from core.override import override
from core.trace.span import Span
from gui.features.compare.joins import Joins, joins_of, outlines
from gui.look.painter import pen, saved
from gui.look.text import tr
from gui.look.writing import RIGHT
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.frame import AXIS, STEPS
from gui.timeline.paint.ink import Ink
from gui.timeline.paint.overlay import draw_curve
from gui.timeline.state.selection import bounds_of

FAINT = 70  # opacity of a join that is not selected, of 255
TINT = 28  # opacity of the fill of an outlined piece, of 255


class Overlay(QWidget):
    """Covers `parent`, which holds both timelines, and leaves mouse events to the timelines.

    It joins all `matches` if `joins` is true, otherwise only the selected spans. It outlines the
    pieces `of_a` and `of_b`.
    """

    def __init__(self, parent: QWidget, a: TimelineView, b: TimelineView) -> None:
        super().__init__(parent)
        # A separate widget, because joins cross from one timeline to the other, and a widget cannot
        # paint outside of itself. The timelines below keep mouse and focus.
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.a = a
        self.b = b
        self.matches: Matches | None = None
        self.joins = False
        self.of_a = NO_PIECES
        self.of_b = NO_PIECES
        self.joined: Joins | None = None
        for view in (a, b):
            view.state.picture_changed.connect(self.update)
            view.state.selection_changed.connect(self.update)

    def show_two(self, two: TwoRuns | None, row: Difference | None) -> None:
        """Draw the matches of two runs, and outline the spans of a row of their differences."""
        self.matches = None if two is None else two.matches
        self.of_a = NO_PIECES
        self.of_b = NO_PIECES
        if two is not None and row is not None:
            self.of_a = pieces_of(row, two.a.explanation)
            self.of_b = pieces_of(row, two.b.explanation)
        self.update()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            _draw(painter, self)


def _draw(painter: QPainter, over: Overlay) -> None:
    """Draw outlines, faint joins and the selected join, in the pixels of `over`."""
    a = over.a.state
    b = over.b.state
    if a.scene is not None and len(over.of_a):
        _draw_outlines(painter, over, over.a, over.of_a)
    if b.scene is not None and len(over.of_b):
        _draw_outlines(painter, over, over.b, over.of_b)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    over.joined = None
    both_shown = a.scene is not None and b.scene is not None
    if over.joins and over.matches is not None and both_shown:
        # Computed at each paint, for the joins on screen only: either view may have moved.
        over.joined = joins_of(over.matches, a.frame, b.frame)
        _draw_joins(painter, over, over.joined)
    if isinstance(a.selection, Span) and isinstance(b.selection, Span):
        _draw_selected(painter, over, a.selection, b.selection)


def _draw_outlines(painter: QPainter, over: Overlay, view: TimelineView, pieces: RowPieces) -> None:
    accent = view.state.theme.accent
    with saved(painter):
        painter.translate(_offset(over, view))
        painter.setClipRect(_plot(view))
        fill = QColor(accent)
        fill.setAlpha(TINT)
        painter.setBrush(fill)
        painter.setPen(pen(accent, 2))
        rects = outlines(view.state.frame, pieces)
        # Half of the pen's two pixels are outside of a rectangle; one pixel less keeps them inside.
        inner = [rect.adjusted(1, 1, -1, -1) for rect in rects]
        painter.drawRects(inner)


def _draw_joins(painter: QPainter, over: Overlay, joins: Joins) -> None:
    """Draw thin lines between matched bars of A and B, and their number if not all are drawn."""
    above = _offset(over, over.a)
    below = _offset(over, over.b)
    colour = QColor(over.a.state.theme.text)
    colour.setAlpha(FAINT)
    painter.setPen(QPen(colour, 1))
    lines = []
    for x_a, y_a, x_b, y_b in joins.lines.T.tolist():
        start = QPointF(x_a, _within(over.a, y_a))
        end = QPointF(x_b, _within(over.b, y_b))
        lines.append(QLineF(start + above, end + below))
    painter.drawLines(lines)
    if len(joins.pairs) < joins.of:
        _draw_count(painter, over, joins)


def _draw_count(painter: QPainter, over: Overlay, joins: Joins) -> None:
    """Write how many of the joins are drawn."""
    shown = len(joins.pairs)
    text = tr("{shown} of {count} joins", shown=shown, count=f"{joins.of:,}")
    ink = Ink.of(painter, over.font(), over.a.state.theme)
    place = _offset(over, over.b)
    right = place.x() + over.b.viewport().width() - 16
    top = place.y() - 42
    rect = QRectF(right - 220, top, 220, 16)
    ink.small(rect, text, RIGHT)


def _draw_selected(painter: QPainter, over: Overlay, one: Span, other: Span) -> None:
    """Draw a curve from the selected bar of A to the selected bar of B, if both are on screen."""
    begin = _anchor(over, over.a, one, below=True)
    end = _anchor(over, over.b, other, below=False)
    if begin is None or end is None:
        return
    theme = over.a.state.theme
    # A wider line in the background colour separates the curve from the bars it crosses.
    draw_curve(painter, begin, end, (theme.plot, 5.0), (theme.accent, 2.0))
    painter.setBrush(QColor(theme.accent))
    for point in (begin, end):
        painter.drawEllipse(point, 3.5, 3.5)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _anchor(over: Overlay, view: TimelineView, span: Span, below: bool) -> QPointF | None:
    """Return the point where a curve meets a bar: its middle, at the lower or upper edge."""
    state = view.state
    frame = state.frame
    tracks = [track for track in frame.layout.tracks if track.lane == span.lane]
    if not tracks or state.trace is None:
        return None
    track = tracks[0]
    start, end = bounds_of(state.trace, span, state.now)
    if end < frame.view.start or start > frame.view.end:
        return None
    bar = frame.rect(track, start, end)
    edge = track.bottom if below else track.top
    y = _within(view, frame.top + edge)
    point = QPointF(bar.center().x(), y)
    return point + _offset(over, view)


def _within(view: TimelineView, y: float) -> float:
    """Return a y position in a timeline, limited to the area of the lanes."""
    top = AXIS + STEPS
    bottom = float(view.viewport().height())
    return min(max(y, top), bottom)


def _plot(view: TimelineView) -> QRectF:
    frame = view.state.frame
    top = AXIS + STEPS
    height = view.viewport().height() - top
    return QRectF(frame.left, top, frame.view.width, height)


def _offset(over: QWidget, view: TimelineView) -> QPointF:
    # Through screen coordinates: `mapTo` works only if one widget is a parent of the other.
    on_screen = view.viewport().mapToGlobal(QPointF(0, 0))
    return over.mapFromGlobal(on_screen)
