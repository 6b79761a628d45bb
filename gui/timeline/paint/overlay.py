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
        # Two pixels more than the plot on each side: half of an outline's four (draw_outline).
        # The length of a range is above the lanes.
        top = AXIS if isinstance(selection, TimeRange) else AXIS + STEPS - 2
        plot = QRectF(LABELS - 2, top, frame.view.width + 4, area.height())
        painter.setClipRect(plot)
        if isinstance(selection, Span):
            draw_arrows(painter, frame, selection, scene.neighbours_of(selection))
        # Scrolled lanes pass below the pinned ones; the outline of a bar there must not cover them.
        if not isinstance(selection, TimeRange) and selection.lane not in frame.layout.pins:
            below = QRectF(0, frame.ceiling + frame.layout.band - 2, area.width(), area.height())
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
        end = QRectF(rect.right(), rect.top(), 0, rect.height())
        with smoothed(painter):
            _draw_dependency(painter, frame, rect_of(trace, frame, prior), end)


def draw_outline(painter: QPainter, frame: Frame, rect: QRectF) -> None:
    """Outline a bar or a gap so that it has contrast to any colour."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    # A wide line in the ground's colour, and over it a thinner line in the text's: one of the two
    # has contrast to the colour below.
    with smoothed(painter):
        for colour, width in ((frame.theme.plot, 4), (frame.theme.text, 2)):
            painter.setPen(pen(colour, width))
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
    shade = QColor(frame.theme.accent)
    shade.setAlpha(38)
    whole = QRectF(x0, max(frame.top, frame.ceiling), x1 - x0, bottom - frame.top)
    areas = [whole] if chosen.lanes is None else areas_of(frame, chosen.lanes, x0, x1)
    with saved(painter):
        # Lanes that are scrolled out of sight must not shade the names of steps.
        lanes_area = QRectF(left, frame.ceiling, right - left, bottom)
        painter.setClipRect(lanes_area, Qt.ClipOperation.IntersectClip)
        for area in areas:
            painter.fillRect(area, shade)
            painter.setPen(pen(frame.theme.accent))
            for x in (x0, x1):
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
    text = duration_text(chosen.end - chosen.start)
    width = text_width(fonts.bold, text) + 12
    at = min(max((x0 + x1 - width) / 2, left), right - width)
    # Above the lanes, where it covers no bar.
    tag = QRectF(at, frame.ceiling - TAG, width, TAG)
    fill(painter, tag, frame.theme.accent)
    write(painter, fonts.bold, frame.theme.on_accent, tag, text, CENTRE)


def areas_of(frame: Frame, lanes: Sequence[int], x0: float, x1: float) -> list[QRectF]:
    """Return the areas of lanes between two pixels; adjacent lanes are one area."""
    chosen = frozenset(lanes)
    beside = False
    areas: list[QRectF] = []
    # A helper's track (copies, nested blocks) between two chosen lanes does not divide their areas.
    for track in sorted(frame.layout.tracks, key=lambda track: track.top):
        if track.lane in chosen and beside:
            areas[-1].setBottom(frame.top + track.bottom)
        elif track.lane in chosen:
            areas.append(frame.between(track, x0, x1))
        beside = track.lane in chosen or (beside and track.helper)
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
    wide = text_width(fonts.bold, title)
    for line in lines:
        wide = max(wide, text_width(fonts.small, line))
    width = min(wide + 26, max(CARD_WIDTH, area.width() - 20))
    height = 32.0 + 16 * len(lines)
    x = min(at.x() + 14, area.right() - width - 6)
    y = at.y() + 18
    if y + height > area.bottom() - 4:
        y = at.y() - height - 10
    left = max(area.left() + 4, x)
    top = max(area.top() + 4, y)
    card = QRectF(left, top, width, height)
    with smoothed(painter):
        shadow = QColor(0, 0, 0, 28)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(shadow)
        painter.drawRoundedRect(card.translated(0, 2), 7, 7)
        painter.setBrush(QColor(theme.field))
        painter.setPen(pen(theme.line))
        painter.drawRoundedRect(card, 6, 6)
    place = QRectF(card.left() + 12, card.top() + 8, width - 20, 16)
    write(painter, fonts.bold, theme.text, place, title)
    place.translate(0, 2)
    for line in lines:
        place.translate(0, 16)
        write(painter, fonts.small, theme.muted, place, line)


def draw_empty(painter: QPainter, theme: Theme, fonts: Fonts, area: QRectF, waiting: str) -> None:
    """Draw the texts of an empty timeline; `waiting` is the text while a run is starting."""
    hints = (
        tr("Choose a strategy on the left and press Run (F5)."),
        tr("Every lane gets a row: what it computes, what it moves, and why it waits."),
        tr("Or open a recording (Ctrl+O)."),
    )
    lines = [(fonts.bold, theme.text, waiting or tr("No run yet"))]
    lines += [] if waiting else [(fonts.base, theme.muted, hint) for hint in hints]
    write_lines(painter, area, lines)


def write_lines(painter: QPainter, area: QRectF, lines: Sequence[tuple[QFont, str, str]]) -> None:
    """Write lines in the centre of an area, each in a font and a colour."""
    y = area.center().y() - 13 * len(lines)
    for font, colour, text in lines:
        write(painter, font, colour, QRectF(area.left(), y, area.width(), 22), text, CENTRE)
        y += 26


def rect_of(trace: Trace, frame: Frame, what: Span | Gap) -> QRectF:
    """Return the rectangle of a span or gap in the picture."""
    track = frame.layout.track_of(what.lane)
    start, end = bounds_of(trace, what, frame.now)
    return frame.rect(track, start, end)


def _prior(trace: Trace, gap: Gap) -> Span | None:
    return None if gap.before is None else waited_for(trace, trace.span(gap.lane, gap.before))


def _draw_dependency(painter: QPainter, frame: Frame, source: QRectF, target: QRectF) -> None:
    """Draw a curve from the end of one rectangle to the beginning of another."""
    down = target.top() > source.top()
    begin = QPointF(source.right(), source.bottom() if down else source.top())
    end = QPointF(target.left(), target.top() if down else target.bottom())
    text = frame.theme.text
    draw_curve(painter, begin, end, (frame.theme.plot, 4.0), (text, 1.6))
    painter.setBrush(QColor(text))
    painter.drawEllipse(end, 3, 3)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def draw_curve(painter: QPainter, begin: QPointF, end: QPointF, *lines: tuple[str, float]) -> None:
    """Draw a curve that starts and ends vertically, in each colour and width in turn."""
    middle = (begin.y() + end.y()) / 2
    path = QPainterPath(begin)
    path.cubicTo(QPointF(begin.x(), middle), QPointF(end.x(), middle), end)
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
    tracks = [track for track in frame.layout.tracks if track.lane in (first.lane, second.lane)]
    if not tracks:
        return
    below = frame.top + max(track.bottom for track in tracks)
    above = frame.top + min(track.top for track in tracks)
    # Both dimension lines are below the lower lane, or both above the upper one.
    down = below + 2 * ROOM + 6 <= floor
    direction, origin = (1, below) if down else (-1, above)
    edge = above if down else below
    end_to_start = tr("end to start {time}").format(time=signed_text(measure.end_to_start))
    start_to_start = tr("start to start {time}").format(time=signed_text(measure.start_to_start))
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
    for x in ends:
        if frame.left <= x <= frame.right:
            beyond = 4 if y > edge else -4
            painter.drawLine(QPointF(x, edge), QPointF(x, y + beyond))


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
    for x, back in ((x0, inwards), (x1, -inwards)):
        if left <= x <= right:
            painter.drawLine(QLineF(x, y, x + back, y - 0.6 * ARROW))
            painter.drawLine(QLineF(x, y, x + back, y + 0.6 * ARROW))
    width = text_width(fonts.small, text) + 10
    middle = (max(left, x0) + min(right, x1)) / 2
    room = min(right, x1) - max(left, x0)
    fits = width + 4 * ARROW <= room
    at = middle - width / 2 if fits else to_x + 4
    if at + width > right:
        at = from_x - 4 - width
    tag = QRectF(max(left, at), y - 8, width, 16)
    fill(painter, tag, frame.theme.plot)
    write(painter, fonts.small, frame.theme.text, tag, text, CENTRE)
