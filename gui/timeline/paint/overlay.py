"""Draws over the lanes: selection, distances, dependency, tooltip; and the empty state."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath

from core.explain.lanes import Gap
from core.trace.dependencies import waited_for
from core.trace.span import Span
from core.trace.trace import Trace
from gui.look.painter import fill, pen, saved, smoothed
from gui.look.text import duration_text, tr
from gui.look.theme import Theme
from gui.look.writing import CENTRE, write
from gui.timeline.layout.fonts import Fonts, text_width
from gui.timeline.layout.frame import AXIS, LABELS, STEPS, Frame
from gui.timeline.paint.arrows import draw_arrows
from gui.timeline.state.measure import Measure, signed_text
from gui.timeline.state.scene import Scene
from gui.timeline.state.selection import Selection, TimeRange, bounds_of

CARD_WIDTH = 420.0
ROOM = 22.0  # from a lane to the first dimension line, and from there to the second
ARROW = 5.0
OUTSIDE = 14.0  # distance of arrows outside a dimension that is too narrow for them
TAG = 18.0  # height of the text with the length of a range

Hovered = tuple[QPointF, str, list[str]]


def draw_overlay(
    painter: QPainter,
    scene: Scene,
    frame: Frame,
    fonts: Fonts,
    area: QRectF,
    selection: Selection | None,
    hovered: Hovered | None,
) -> None:
    """Draw the selection, and the tooltip at the pointer."""
    bottom = min(area.bottom(), frame.bottom)
    if selection is not None:
        is_range = isinstance(selection, TimeRange)
        # Two pixels more than the plot on each side: half of an outline's four (draw_outline).
        # The length of a range is above the lanes.
        top = AXIS if is_range else AXIS + STEPS - 2
        plot = QRectF(LABELS - 2, top, frame.view.width + 4, area.height())
        painter.setClipRect(plot)
        if isinstance(selection, Span):
            draw_arrows(painter, frame, selection, scene.neighbours_of(selection))
        # Scrolled lanes pass below the pinned ones; the outline of a bar there must not cover them.
        if not isinstance(selection, TimeRange) and selection.lane not in frame.layout.pins:
            edge = frame.ceiling + frame.layout.band
            below = QRectF(0, edge - 2, area.width(), area.height())
            painter.setClipRect(below, Qt.ClipOperation.IntersectClip)
        draw_selection(painter, scene.trace, frame, fonts, selection, bottom)
        painter.setClipping(False)
    if hovered is not None:
        at, title, lines = hovered
        draw_card(painter, frame.theme, fonts, at, area, title, lines)


def draw_selection(
    painter: QPainter,
    trace: Trace,
    frame: Frame,
    fonts: Fonts,
    selection: Selection,
    bottom: float,
) -> None:
    """Outline a span or gap, with a line from the task that a gap waited for; shade a range."""
    if isinstance(selection, TimeRange):
        draw_range(painter, frame, fonts, selection, bottom)
        return
    rect = rect_of(trace, frame, selection)
    draw_outline(painter, frame, rect)
    prior = _prior(trace, selection) if isinstance(selection, Gap) else None
    if prior is not None and prior.lane != selection.lane:  # the end of that task ends the gap
        source = rect_of(trace, frame, prior)
        end = QRectF(rect.right(), rect.top(), 0, rect.height())
        with smoothed(painter):
            _draw_dependency(painter, frame, source, end)


def draw_outline(painter: QPainter, frame: Frame, rect: QRectF) -> None:
    """Outline a bar or a gap so that it has contrast to any colour."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    # A wide line in the ground's colour, and over it a thinner line in the text's: one of the two
    # has contrast to the colour below.
    under = pen(frame.theme.plot, 4)
    over = pen(frame.theme.text, 2)
    with smoothed(painter):
        for outline in (under, over):
            painter.setPen(outline)
            painter.drawRect(rect)


def draw_range(
    painter: QPainter,
    frame: Frame,
    fonts: Fonts,
    chosen: TimeRange,
    bottom: float,
) -> None:
    """Shade a time range over its lanes, and write its length."""
    left = frame.left
    right = frame.right
    x0 = max(left, frame.x(chosen.start))
    x1 = min(right, frame.x(chosen.end))
    if x1 < left or x0 > right:
        return
    theme = frame.theme
    shade = QColor(theme.accent)
    shade.setAlpha(38)
    if chosen.lanes is None:
        top = max(frame.top, frame.ceiling)
        areas = [QRectF(x0, top, x1 - x0, bottom - frame.top)]
    else:
        areas = areas_of(frame, chosen.lanes, x0, x1)
    with saved(painter):
        # Lanes that are scrolled out of sight must not shade the names of steps.
        lanes_area = QRectF(left, frame.ceiling, right - left, bottom)
        painter.setClipRect(lanes_area, Qt.ClipOperation.IntersectClip)
        for area in areas:
            painter.fillRect(area, shade)
            painter.setPen(pen(theme.accent))
            for x in (x0, x1):
                painter.drawLine(QLineF(x, area.top(), x, area.bottom()))
    text = duration_text(chosen.end - chosen.start)
    width = text_width(fonts.bold, text) + 12
    centred = (x0 + x1 - width) / 2
    tag_left = min(max(centred, left), right - width)
    # Above the lanes, where it covers no bar.
    tag = QRectF(tag_left, frame.ceiling - TAG, width, TAG)
    fill(painter, tag, theme.accent)
    write(painter, fonts.bold, theme.on_accent, tag, text, CENTRE)


def areas_of(frame: Frame, lanes: Sequence[int], x0: float, x1: float) -> list[QRectF]:
    """Return the areas of lanes between two pixels; adjacent lanes are one area."""
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


def draw_card(
    painter: QPainter,
    theme: Theme,
    fonts: Fonts,
    at: QPointF,
    area: QRectF,
    title: str,
    lines: list[str],
) -> None:
    """Draw a tooltip next to the pointer, inside `area`."""
    card = _card_rect(fonts, at, area, title, lines)
    with smoothed(painter):
        shadow = QColor(0, 0, 0, 28)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(shadow)
        painter.drawRoundedRect(card.translated(0, 2), 7, 7)
        painter.setBrush(QColor(theme.field))
        painter.setPen(pen(theme.line))
        painter.drawRoundedRect(card, 6, 6)
    inner = card.adjusted(12, 8, -8, 0)
    place = QRectF(inner.left(), inner.top(), inner.width(), 16)
    write(painter, fonts.bold, theme.text, place, title)
    place.translate(0, 2)
    for line in lines:
        place.translate(0, 16)
        write(painter, fonts.small, theme.muted, place, line)


def _card_rect(
    fonts: Fonts,
    at: QPointF,
    area: QRectF,
    title: str,
    lines: list[str],
) -> QRectF:
    """Return the rectangle of a tooltip below the pointer, or above it if there is no room."""
    widest = text_width(fonts.bold, title)
    for line in lines:
        widest = max(widest, text_width(fonts.small, line))
    most = max(CARD_WIDTH, area.width() - 20)
    width = min(widest + 26, most)
    height = 32.0 + 16 * len(lines)
    rightmost = area.right() - width - 6
    x = min(at.x() + 14, rightmost)
    y = at.y() + 18
    if y + height > area.bottom() - 4:
        y = at.y() - height - 10
    left = max(area.left() + 4, x)
    top = max(area.top() + 4, y)
    return QRectF(left, top, width, height)


def draw_empty(painter: QPainter, theme: Theme, fonts: Fonts, area: QRectF, waiting: str) -> None:
    """Draw the texts of an empty timeline; `waiting` is the text while a run is starting."""
    if waiting:
        write_lines(painter, area, [(fonts.bold, theme.text, waiting)])
        return
    hints = (
        tr("Choose a strategy on the left and press Run (F5)."),
        tr("Every lane gets a row: what it computes, what it moves, and why it waits."),
        tr("Or open a recording (Ctrl+O)."),
    )
    lines = [(fonts.bold, theme.text, tr("No run yet"))]
    for hint in hints:
        lines.append((fonts.base, theme.muted, hint))
    write_lines(painter, area, lines)


def write_lines(painter: QPainter, area: QRectF, lines: Sequence[tuple[QFont, str, str]]) -> None:
    """Write lines in the centre of an area, each in a font and a colour."""
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


def _draw_dependency(painter: QPainter, frame: Frame, source: QRectF, target: QRectF) -> None:
    """Draw a curve from the end of one rectangle to the beginning of another."""
    if target.top() > source.top():
        begin = source.bottomRight()
        end = target.topLeft()
    else:
        begin = source.topRight()
        end = target.bottomLeft()
    text = frame.theme.text
    draw_curve(painter, begin, end, (frame.theme.plot, 4.0), (text, 1.6))
    painter.setBrush(QColor(text))
    painter.drawEllipse(end, 3, 3)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def draw_curve(painter: QPainter, begin: QPointF, end: QPointF, *lines: tuple[str, float]) -> None:
    """Draw a curve that starts and ends vertically, in each colour and width in turn."""
    middle = (begin.y() + end.y()) / 2
    below_begin = QPointF(begin.x(), middle)
    above_end = QPointF(end.x(), middle)
    path = QPainterPath(begin)
    path.cubicTo(below_begin, above_end, end)
    for colour, width in lines:
        painter.setPen(pen(colour, width))
        painter.drawPath(path)


def draw_measure(
    painter: QPainter,
    frame: Frame,
    fonts: Fonts,
    measure: Measure,
    floor: float,
) -> None:
    """Draw the first span's outline, and dimension lines below the lower of the two lanes.

    If there is no room above the pixel `floor`, they are above the upper lane.
    """
    first = measure.first
    second = measure.second
    assert first.end is not None
    # Folded lanes have no track.
    lanes = (first.lane, second.lane)
    tracks = [track for track in frame.layout.tracks if track.lane in lanes]
    if not tracks:
        return
    below = frame.top + max(track.bottom for track in tracks)
    above = frame.top + min(track.top for track in tracks)
    # Both dimension lines are below the lower lane, or both above the upper one.
    lowest = below + 2 * ROOM + 6
    if lowest <= floor:
        direction = 1
        origin = below
        edge = above
    else:
        direction = -1
        origin = above
        edge = below
    end_to_start = tr("end to start {time}", time=signed_text(measure.end_to_start))
    start_to_start = tr("start to start {time}", time=signed_text(measure.start_to_start))
    x1 = frame.x(second.start)
    near = (0.8, first.end, end_to_start)
    far = (1.8, first.start, start_to_start)
    with smoothed(painter):
        for place, begin, text in (near, far):
            y = origin + direction * ROOM * place
            ends = (frame.x(begin), x1)
            _draw_poles(painter, frame, ends, edge, y)
            _draw_dimension(painter, frame, fonts, ends, y, text)


def _draw_poles(
    painter: QPainter,
    frame: Frame,
    ends: tuple[float, float],
    edge: float,
    y: float,
) -> None:
    painter.setPen(pen(frame.theme.text, 1, Qt.PenStyle.DotLine))
    beyond = 4 if y > edge else -4
    for x in ends:
        if frame.left <= x <= frame.right:
            painter.drawLine(QLineF(x, edge, x, y + beyond))


def _draw_dimension(
    painter: QPainter,
    frame: Frame,
    fonts: Fonts,
    ends: tuple[float, float],
    y: float,
    text: str,
) -> None:
    """Draw a line with an arrow head at both ends, and a text in its middle or next to it."""
    left = frame.left
    right = frame.right
    x0 = min(ends)
    x1 = max(ends)
    if x1 < left or x0 > right:
        return
    painter.setPen(pen(frame.theme.text, 1.4))
    # As in technical drawings: if there is too little room, the arrows are outside and point
    # inwards.
    tight = x1 - x0 < 4 * ARROW
    reach = OUTSIDE if tight else 0.0
    from_x = max(left, x0 - reach)
    to_x = min(right, x1 + reach)
    painter.drawLine(QPointF(from_x, y), QPointF(to_x, y))
    inwards = -ARROW if tight else ARROW
    half_head = 0.6 * ARROW
    for x, back in ((x0, inwards), (x1, -inwards)):
        if left <= x <= right:
            head_x = x + back
            painter.drawLine(QLineF(x, y, head_x, y - half_head))
            painter.drawLine(QLineF(x, y, head_x, y + half_head))
    visible_left = max(left, x0)
    visible_right = min(right, x1)
    width = text_width(fonts.small, text) + 10
    if width + 4 * ARROW <= visible_right - visible_left:
        middle = (visible_left + visible_right) / 2
        tag_left = middle - width / 2
    else:
        tag_left = to_x + 4
    if tag_left + width > right:
        tag_left = from_x - 4 - width
    tag = QRectF(max(left, tag_left), y - 8, width, 16)
    fill(painter, tag, frame.theme.plot)
    write(painter, fonts.small, frame.theme.text, tag, text, CENTRE)
