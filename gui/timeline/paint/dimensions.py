"""Draws the dimension lines of a measured distance, as in technical drawings."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF, Qt

from gui.look.painter import smoothed
from gui.look.text import tr
from gui.timeline.paint.canvas import Canvas
from gui.timeline.state.measure import Measure, signed_text

ROOM = 22.0  # pixels between the two dimension lines
ARROW = 5.0  # length of an arrow head
OUTSIDE = 14.0  # overhang of a dimension line that is too short to have arrows inside


@dataclass(frozen=True, slots=True)
class Dimension:
    """A dimension line at the height `y` between two pixels, with its text."""

    begin: float
    end: float
    y: float
    text: str


def draw_measure(canvas: Canvas, measure: Measure, floor: float) -> None:
    """Draw two dimension lines: from the first span's end and start to the second span's start.

    They are below the lower of the two lanes, or above the upper one if there is no room above the
    pixel `floor`.
    """
    frame = canvas.frame
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
    lowest = below + 2 * ROOM + 6
    if lowest <= floor:
        direction = 1
        origin = below
        edge = above
    else:
        direction = -1
        origin = above
        edge = below
    from_end = signed_text(measure.end_to_start)
    from_start = signed_text(measure.start_to_start)
    end_to_start = tr("end to start {time}", time=from_end)
    start_to_start = tr("start to start {time}", time=from_start)
    x1 = frame.x(second.start)
    near_y = origin + direction * ROOM * 0.8
    far_y = origin + direction * ROOM * 1.8
    near = Dimension(frame.x(first.end), x1, near_y, end_to_start)
    far = Dimension(frame.x(first.start), x1, far_y, start_to_start)
    with smoothed(canvas.painter):
        for dimension in (near, far):
            _draw_poles(canvas, dimension, edge)
            _draw_dimension(canvas, dimension)


def _draw_poles(canvas: Canvas, dimension: Dimension, edge: float) -> None:
    """Draw a dotted line at both ends, from the far `edge` of the lanes to the dimension line."""
    frame = canvas.frame
    canvas.pen(frame.theme.text, 1, Qt.PenStyle.DotLine)
    y = dimension.y
    beyond = 4 if y > edge else -4
    for x in (dimension.begin, dimension.end):
        if frame.left <= x <= frame.right:
            canvas.upright(x, edge, y + beyond)


def _draw_dimension(canvas: Canvas, dimension: Dimension) -> None:
    """Draw a line with an arrow head at each end, and its text at the middle or next to it."""
    painter = canvas.painter
    theme = canvas.theme
    left = canvas.frame.left
    right = canvas.frame.right
    x0 = min(dimension.begin, dimension.end)
    x1 = max(dimension.begin, dimension.end)
    if x1 < left or x0 > right:
        return
    y = dimension.y
    canvas.pen(theme.text, 1.4)
    # If there is too little room, the arrows are outside and point inwards, as in technical
    # drawings.
    tight = x1 - x0 < 4 * ARROW
    reach = OUTSIDE if tight else 0.0
    from_x = max(left, x0 - reach)
    to_x = min(right, x1 + reach)
    canvas.level(from_x, to_x, y)
    inwards = -ARROW if tight else ARROW
    half_head = 0.6 * ARROW
    for x, back in ((x0, inwards), (x1, -inwards)):
        if left <= x <= right:
            head_x = x + back
            painter.drawLine(QLineF(x, y, head_x, y - half_head))
            painter.drawLine(QLineF(x, y, head_x, y + half_head))
    visible_left = max(left, x0)
    visible_right = min(right, x1)
    width = canvas.small_width(dimension.text) + 10
    if width + 4 * ARROW <= visible_right - visible_left:
        middle = (visible_left + visible_right) / 2
        tag_left = middle - width / 2
    else:
        tag_left = to_x + 4
    if tag_left + width > right:
        tag_left = from_x - 4 - width
    tag = QRectF(max(left, tag_left), y - 8, width, 16)
    canvas.write_tag(tag, dimension.text, theme.text, theme.plot)
