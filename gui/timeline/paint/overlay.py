"""Draws the selection with its dependencies and the tooltip over the lanes, and the empty state."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath

from core.explain.lanes import Gap
from core.trace.dependencies import waited_for
from core.trace.span import Span
from core.trace.trace import Trace
from gui.look.painter import pen, saved, smoothed
from gui.look.text import duration_text, tr
from gui.look.writing import CENTRE, write
from gui.timeline.layout.frame import AXIS, LABELS, STEPS, Frame
from gui.timeline.paint.arrows import draw_arrows
from gui.timeline.paint.canvas import Canvas
from gui.timeline.state.scene import Scene
from gui.timeline.state.selection import Selection, TimeRange, bounds_of

CARD_WIDTH = 420.0
TAG = 18.0  # height of the text with the length of a range

Hovered = tuple[QPointF, str, list[str]]


def draw_overlay(
    canvas: Canvas,
    scene: Scene,
    area: QRectF,
    selection: Selection | None,
    hovered: Hovered | None,
) -> None:
    """Draw the selection, and the tooltip at the pointer."""
    painter = canvas.painter
    frame = canvas.frame
    bottom = min(area.bottom(), frame.bottom)
    if selection is not None:
        is_range = isinstance(selection, TimeRange)
        # The clip is 2 pixels wider than the plot on each side, for the outer half of an outline
        # (draw_outline). For a range it includes the text above the lanes.
        top = AXIS if is_range else AXIS + STEPS - 2
        width = frame.view.width + 4
        plot = QRectF(LABELS - 2, top, width, area.height())
        painter.setClipRect(plot)
        if isinstance(selection, Span):
            neighbours = scene.neighbours_of(selection)
            draw_arrows(canvas, selection, neighbours)
        # Scrolled lanes pass below the pinned ones; the outline of a bar there must not cover them.
        if not isinstance(selection, TimeRange) and selection.lane not in frame.layout.pins:
            edge = frame.ceiling + frame.layout.band
            below = QRectF(0, edge - 2, area.width(), area.height())
            painter.setClipRect(below, Qt.ClipOperation.IntersectClip)
        draw_selection(canvas, scene.trace, selection, bottom)
        painter.setClipping(False)
    if hovered is not None:
        at, title, lines = hovered
        draw_card(canvas, at, area, title, lines)


def draw_selection(canvas: Canvas, trace: Trace, selection: Selection, bottom: float) -> None:
    """Outline a span or gap, or shade a range; draw a line from the task that a gap waited for."""
    if isinstance(selection, TimeRange):
        draw_range(canvas, selection, bottom)
        return
    frame = canvas.frame
    rect = rect_of(trace, frame, selection)
    draw_outline(canvas, rect)
    if not isinstance(selection, Gap):
        return
    prior = _prior(trace, selection)
    if prior is not None and prior.lane != selection.lane:  # the end of that task ends the gap
        source = rect_of(trace, frame, prior)
        end = QRectF(rect)
        end.setLeft(rect.right())
        with smoothed(canvas.painter):
            _draw_dependency(canvas, source, end)


def draw_outline(canvas: Canvas, rect: QRectF) -> None:
    """Outline a bar or a gap so that the outline is visible on any colour."""
    # A thin line in the text's colour over a wide one in the background's colour: at least one of
    # them contrasts with the colour below.
    with smoothed(canvas.painter):
        canvas.outline(rect, canvas.theme.plot, 4)
        canvas.outline(rect, canvas.theme.text, 2)


def draw_range(canvas: Canvas, chosen: TimeRange, bottom: float) -> None:
    """Shade a time range over its lanes, and write its length."""
    painter = canvas.painter
    frame = canvas.frame
    theme = frame.theme
    left = frame.left
    right = frame.right
    x0 = max(left, frame.x(chosen.start))
    x1 = min(right, frame.x(chosen.end))
    if x1 < left or x0 > right:
        return
    shade = QColor(theme.accent)
    shade.setAlpha(38)
    if chosen.lanes is None:
        top = max(frame.top, frame.ceiling)
        whole = QRectF(x0, top, x1 - x0, bottom - frame.top)
        areas = [whole]
    else:
        areas = areas_of(frame, chosen.lanes, x0, x1)
    with saved(painter):
        # Lanes that are scrolled out of sight must not shade the names of steps.
        lanes_area = QRectF(left, frame.ceiling, right - left, bottom)
        painter.setClipRect(lanes_area, Qt.ClipOperation.IntersectClip)
        for area in areas:
            painter.fillRect(area, shade)
            canvas.pen(theme.accent)
            for x in (x0, x1):
                canvas.upright(x, area.top(), area.bottom())
    text = duration_text(chosen.end - chosen.start)
    width = canvas.bold_width(text) + 12
    middle = (x0 + x1) / 2
    tag_left = frame.centred(middle, width)
    # The tag is above the lanes, where it covers no bar.
    tag = QRectF(tag_left, frame.ceiling - TAG, width, TAG)
    canvas.fill(tag, theme.accent)
    canvas.bold(tag, text, CENTRE, theme.on_accent)


def areas_of(frame: Frame, lanes: Sequence[int], x0: float, x1: float) -> list[QRectF]:
    """Return the areas of lanes between two pixels; adjacent lanes are one area.

    A folded group is included if it has only lanes of `lanes`.
    """
    chosen = frozenset(lanes)
    continues = False
    areas: list[QRectF] = []
    for track in sorted(frame.layout.tracks, key=lambda track: track.top):
        if track.lane in chosen:
            if continues:
                areas[-1].setBottom(frame.top + track.bottom)
            else:
                areas.append(frame.between(track, x0, x1))
            continues = True
        elif not track.helper:
            # A helper's track (copies, nested blocks) between two chosen lanes does not divide
            # their areas.
            continues = False
    for group in frame.layout.groups:
        if group.has_summary and chosen.issuperset(group.numbers):
            areas.append(frame.between(group, x0, x1))
    return areas


def draw_card(canvas: Canvas, at: QPointF, area: QRectF, title: str, lines: list[str]) -> None:
    """Draw a tooltip next to the pointer, inside `area`."""
    painter = canvas.painter
    theme = canvas.theme
    card = _card_rect(canvas, at, area, title, lines)
    with smoothed(painter):
        shadow = QColor(0, 0, 0, 28)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(shadow)
        painter.drawRoundedRect(card.translated(0, 2), 7, 7)
        painter.setBrush(QColor(theme.field))
        canvas.pen(theme.line)
        painter.drawRoundedRect(card, 6, 6)
    place = card.adjusted(12, 8, -8, 0)
    place.setHeight(16)
    canvas.bold(place, title)
    place.translate(0, 2)
    for line in lines:
        place.translate(0, 16)
        canvas.small(place, line)


def _card_rect(
    canvas: Canvas,
    at: QPointF,
    area: QRectF,
    title: str,
    lines: list[str],
) -> QRectF:
    """Return the rectangle of a tooltip below the pointer, or above it if there is no room."""
    widest = canvas.bold_width(title)
    for line in lines:
        widest = max(widest, canvas.small_width(line))
    most_width = max(CARD_WIDTH, area.width() - 20)
    width = min(widest + 26, most_width)
    height = 32.0 + 16 * len(lines)
    rightmost = area.right() - width - 6
    x = min(at.x() + 14, rightmost)
    y = at.y() + 18
    if y + height > area.bottom() - 4:
        y = at.y() - height - 10
    left = max(area.left() + 4, x)
    top = max(area.top() + 4, y)
    return QRectF(left, top, width, height)


def draw_empty(canvas: Canvas, area: QRectF, waiting: str) -> None:
    """Draw the texts of an empty timeline; `waiting` is the text while a run is starting, or ""."""
    painter = canvas.painter
    fonts = canvas.fonts
    theme = canvas.theme
    if waiting:
        write_lines(painter, area, [(fonts.bold, theme.text, waiting)])
        return
    hints = (
        tr("Choose a strategy on the left and press Run (F5)."),
        tr("Each lane has a row that shows what it computes, what it transfers and why it waits."),
        tr("Or open a recording (Ctrl+O)."),
    )
    lines = [(fonts.bold, theme.text, tr("No run yet"))]
    for hint in hints:
        lines.append((fonts.base, theme.muted, hint))
    write_lines(painter, area, lines)


def write_lines(painter: QPainter, area: QRectF, lines: Sequence[tuple[QFont, str, str]]) -> None:
    """Write lines at the centre of an area; each has a font, a colour and a text."""
    y = area.center().y() - 13 * len(lines)
    for font, colour, text in lines:
        place = QRectF(area.left(), y, area.width(), 22)
        write(painter, font, colour, place, text, CENTRE)
        y += 26


def rect_of(trace: Trace, frame: Frame, what: Span | Gap) -> QRectF:
    """Return the rectangle of a span or gap in the picture."""
    track = frame.layout.track_of(what.lane)
    start, end = bounds_of(trace, what, frame.now)
    return frame.rect(track, start, end)


def _prior(trace: Trace, gap: Gap) -> Span | None:
    """Return the task that a gap waited for, or None."""
    if gap.before is None:
        return None
    waiting = trace.span(gap.lane, gap.before)
    return waited_for(trace, waiting)


def _draw_dependency(canvas: Canvas, source: QRectF, target: QRectF) -> None:
    """Draw a curve from the end of one rectangle to the beginning of another."""
    painter = canvas.painter
    theme = canvas.theme
    if target.top() > source.top():
        begin = source.bottomRight()
        end = target.topLeft()
    else:
        begin = source.topRight()
        end = target.bottomLeft()
    halo = (theme.plot, 4.0)
    line = (theme.text, 1.6)
    draw_curve(painter, begin, end, halo, line)
    painter.setBrush(QColor(theme.text))
    painter.drawEllipse(end, 3, 3)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def draw_curve(painter: QPainter, begin: QPointF, end: QPointF, *lines: tuple[str, float]) -> None:
    """Draw a curve that starts and ends vertically, once for each colour and width."""
    middle = (begin.y() + end.y()) / 2
    below_begin = QPointF(begin.x(), middle)
    above_end = QPointF(end.x(), middle)
    path = QPainterPath(begin)
    path.cubicTo(below_begin, above_end, end)
    for colour, width in lines:
        painter.setPen(pen(colour, width))
        painter.drawPath(path)
