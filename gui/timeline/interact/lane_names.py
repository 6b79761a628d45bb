"""The column of the lanes' names: clicks and drags in it, and the stripe of the chosen lane."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from gui.look.text import tr
from gui.timeline.layout.fonts import Fonts
from gui.timeline.layout.frame import AXIS, LABELS, STEPS, Frame, at_height
from gui.timeline.paint.overlay import write_lines
from gui.timeline.state.lanes import LaneArranger, LaneChoice, arrangement_of
from gui.timeline.state.timeline import TimelineState

STRIPE = 3.0  # width of the stripe beside the chosen lane


class LaneNames:
    """What the mouse does with the names, by heights in the widget, and what tells of it."""

    def __init__(self, state: TimelineState, lanes: LaneArranger, choice: LaneChoice) -> None:
        self._state, self._lanes, self._choice = state, lanes, choice
        self._carried: tuple[int, int] | None = None  # a lane, and the place where it would go
        state.scene_changed.connect(self._let_go)

    def click_at(self, y: float) -> None:
        """Choose the lane at a height, or fold and open the group whose heading is there."""
        frame = self._state.frame
        lane, group = _lane_at(frame, y), at_height(frame.layout.groups, y - frame.top)
        if lane is not None:
            self._choice.choose(lane)
        elif group is not None and group.key:
            self._state.lane = group.lanes[0].index
            self._lanes.toggle(group.key)

    def drag_to(self, start: float, y: float) -> None:
        """Show where the lane at the height `start` would go."""
        frame = self._state.frame
        lane = _lane_at(frame, start) if self._carried is None else self._carried[0]
        if lane is not None:
            extents = (frame.layout.extent_of(other) for other in self._others(lane))
            # The lanes whose middles are above the pointer: so many stand before the one that is
            # carried.
            place = sum((top + end) / 2 < y - frame.top for top, end in extents)
            self._carried = lane, place
            self._choice.choose(lane)

    def drop(self) -> None:
        """Put the lane that was dragged where it was shown."""
        carried, self._carried = self._carried, None
        if carried is not None:
            self._lanes.put(*carried)

    def draw(self, painter: QPainter, fonts: Fonts, area: QRectF) -> None:
        """Mark the chosen lane, and the place where a lane would go that is dragged."""
        frame, name, lane = self._state.frame, self._state.stack.state.filter, self._state.lane
        painter.setClipRect(area.adjusted(0, AXIS + STEPS, 0, 0))
        if not frame.layout.stands and name:
            _draw_none(painter, frame, fonts, area, name)
        if frame.layout.band:
            y = AXIS + STEPS + frame.layout.band - 2
            painter.setPen(QPen(QColor(frame.theme.line), 1))
            painter.drawLine(0, int(y), int(area.width()), int(y))
        if lane is not None and lane in frame.layout.stands:
            _draw_chosen(painter, frame, lane)
        if self._carried is not None:
            self._draw_place(painter, frame, *self._carried)
        painter.setClipping(False)

    def _let_go(self) -> None:
        self._carried = None

    def _others(self, lane: int) -> list[int]:
        """The lanes among which a lane can be put."""
        neighbours = arrangement_of(self._state).neighbours(lane)
        return [other for other in neighbours if other != lane]

    def _draw_place(self, painter: QPainter, frame: Frame, lane: int, place: int) -> None:
        others = self._others(lane)
        if not others:
            return
        if place < len(others):
            y = frame.top + frame.layout.extent_of(others[place])[0] - 3
        else:
            y = frame.top + frame.layout.extent_of(others[-1])[1] + 3
        painter.setPen(QPen(QColor(frame.theme.accent), 2))
        painter.drawLine(0, round(y), round(frame.left + frame.view.width), round(y))


def _lane_at(frame: Frame, y: float) -> int | None:
    """The compute lane at a height of the widget, with all that stands under it."""
    for track in frame.layout.tracks:
        if not track.helper:
            top, end = frame.layout.extent_of(track.lane)
            if top <= y - frame.top < end:
                return track.lane
    return None


def _draw_chosen(painter: QPainter, frame: Frame, lane: int) -> None:
    top, end = frame.layout.extent_of(lane)
    shade = QColor(frame.theme.accent)
    shade.setAlpha(28)
    painter.fillRect(QRectF(0, frame.top + top, LABELS - 4, end - top), shade)
    painter.fillRect(QRectF(0, frame.top + top, STRIPE, end - top), QColor(frame.theme.accent))


def _draw_none(painter: QPainter, frame: Frame, fonts: Fonts, area: QRectF, name: str) -> None:
    """What is said where no lane matches the filter."""
    hint = tr("Esc in the field above the names shows all lanes.")
    lines = (
        (fonts.bold, frame.theme.text, tr("No lane is called “{name}”.", name=name)),
        (fonts.base, frame.theme.muted, hint),
    )
    write_lines(painter, area, lines)
