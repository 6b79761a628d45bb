"""The column of the lanes' names: clicks and drags, and the mark of the chosen lane."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor

from gui.look.text import tr
from gui.timeline.layout.frame import AXIS, LABELS, STEPS, Frame, at_height
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.overlay import write_lines
from gui.timeline.state.lanes import LaneArranger, LaneChoice, arrangement_of
from gui.timeline.state.timeline import TimelineState

STRIPE = 3.0  # width of the stripe next to the chosen lane


class LaneNames:
    """Handles clicks and drags on the names, and draws the result; `y` is a pixel of the widget."""

    def __init__(self, state: TimelineState, lanes: LaneArranger, choice: LaneChoice) -> None:
        self._state = state
        self._lanes = lanes
        self._choice = choice
        # The lane that is dragged, and the place to which it would move.
        self._dragged: tuple[int, int] | None = None
        state.scene_changed.connect(self._cancel_drag)

    def click_at(self, y: float) -> None:
        """Choose the lane at a height, or fold or open the group whose heading is there."""
        frame = self._state.frame
        lane = _lane_at(frame, y)
        group = at_height(frame.layout.groups, y - frame.top)
        # Groups first: the heading of a call stack is within the area of its lane.
        if group is not None and group.key:
            self._state.lane = group.lanes[0].serves
            self._lanes.toggle(group.key)
        elif lane is not None:
            self._choice.choose(lane)

    def drag_to(self, start: float, y: float) -> None:
        """Show where the lane at the height `start` would move to."""
        frame = self._state.frame
        if self._dragged is None:
            lane = _lane_at(frame, start)
        else:
            lane, _ = self._dragged
        if lane is None:
            return
        # The place is the number of other lanes whose middles are above the pointer.
        place = 0
        for other in self._others(lane):
            top, end = frame.layout.extent_of(other)
            middle = (top + end) / 2
            if middle < y - frame.top:
                place += 1
        self._dragged = (lane, place)
        self._choice.choose(lane)

    def drop(self) -> None:
        """Move the dragged lane to the marked place."""
        dragged = self._dragged
        self._dragged = None
        if dragged is not None:
            lane, place = dragged
            self._lanes.put(lane, place)

    def draw(self, canvas: Canvas, area: QRectF) -> None:
        """Mark the chosen lane, and the place of a dragged lane."""
        painter = canvas.painter
        layout = canvas.frame.layout
        top = AXIS + STEPS
        body = area.adjusted(0, top, 0, 0)
        painter.setClipRect(body)
        searched = self._state.stack.state.filter
        if searched and not layout.track_by_lane:
            _draw_none(canvas, area, searched)
        if layout.band:
            y = int(top + layout.band - 2)
            canvas.pen(canvas.theme.line)
            painter.drawLine(0, y, int(area.width()), y)
        lane = self._state.lane
        if lane is not None and lane in layout.track_by_lane:
            _draw_chosen(canvas, lane)
        if self._dragged is not None:
            lane, place = self._dragged
            self._draw_place(canvas, lane, place)
        painter.setClipping(False)

    def _cancel_drag(self) -> None:
        self._dragged = None

    def _others(self, lane: int) -> list[int]:
        """Return the other lanes that a lane can be moved past."""
        neighbours = arrangement_of(self._state).neighbours(lane)
        return [other for other in neighbours if other != lane]

    def _draw_place(self, canvas: Canvas, lane: int, place: int) -> None:
        """Draw a line where a dragged lane would be put: above the next lane, or below the last."""
        others = self._others(lane)
        if not others:
            return
        frame = canvas.frame
        if place < len(others):
            top, _ = frame.layout.extent_of(others[place])
            y = round(frame.top + top - 3)
        else:
            _, end = frame.layout.extent_of(others[-1])
            y = round(frame.top + end + 3)
        right = round(frame.right)
        canvas.pen(canvas.theme.accent, 2)
        canvas.painter.drawLine(0, y, right, y)


def _lane_at(frame: Frame, y: float) -> int | None:
    """Return the compute lane at a height of the widget, including everything under it."""
    height = y - frame.top
    for track in frame.layout.tracks:
        if track.helper:
            continue
        top, end = frame.layout.extent_of(track.lane)
        if top <= height < end:
            return track.lane
    return None


def _draw_chosen(canvas: Canvas, lane: int) -> None:
    """Shade the names of the chosen lane, with a stripe at the left edge."""
    frame = canvas.frame
    accent = canvas.theme.accent
    top, end = frame.layout.extent_of(lane)
    y = frame.top + top
    height = end - top
    shade = QColor(accent)
    shade.setAlpha(28)
    names = QRectF(0, y, LABELS - 4, height)
    stripe = QRectF(0, y, STRIPE, height)
    canvas.painter.fillRect(names, shade)
    canvas.fill(stripe, accent)


def _draw_none(canvas: Canvas, area: QRectF, name: str) -> None:
    """Draw the text shown when no lane matches the filter."""
    fonts = canvas.fonts
    theme = canvas.theme
    hint = tr("Esc in the field above the names shows all lanes.")
    problem = tr("No lane matches “{name}”.", name=name)
    lines = (
        (fonts.bold, theme.text, problem),
        (fonts.base, theme.muted, hint),
    )
    write_lines(canvas.painter, area, lines)
