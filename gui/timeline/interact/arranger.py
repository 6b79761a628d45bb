"""Arranges the lanes as the user says: chooses one, folds groups, pins, moves, filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen

from gui.look.text import tr
from gui.timeline.layout.frame import Fonts, Frame
from gui.timeline.paint.margins import AXIS, LABELS, STEPS
from gui.timeline.reduce.summaries import Summaries
from gui.timeline.state.groups import Arrangement, Grouping, RowState, compute_lanes, moved
from gui.timeline.state.selection import Selection, TimeRange

if TYPE_CHECKING:
    from gui.timeline.interact.view import TimelineView

MARK = 3.0  # width of the mark beside the chosen lane
GROUPINGS = tuple(Grouping)
HIGHER = 1.2  # times as high are lanes after each step


class LaneArranger(QObject):
    """What mouse, keys and menus do with the lanes of a timeline.

    The chosen `lane` is a compute lane's number, None while there is none; actions act on it. It
    goes along with the selection. `changed` tells that other lanes are shown, or in other places.
    """

    changed = Signal()
    grouping_changed = Signal(object)

    def __init__(self, view: TimelineView) -> None:
        super().__init__(view)
        self._view = view
        self.lane: int | None = None
        self.summaries = Summaries()
        self._carried: tuple[int, int] | None = None  # a lane, and the place where it would go
        view.selection_changed.connect(self._go_along)

    @property
    def state(self) -> RowState:
        """How the rows are arranged."""
        return self._view.stack.state

    @property
    def arrangement(self) -> Arrangement:
        """The lanes as they are shown."""
        return self._view.stack.arrangement(self._view.scene)

    @property
    def counts(self) -> tuple[int, int]:
        """How many compute lanes are shown or folded away, and how many there are."""
        scene = self._view.scene
        lanes = () if scene is None else scene.trace.header.lanes
        return self.arrangement.shown, len(compute_lanes(lanes))

    def begin(self) -> None:
        """Another run is shown."""
        selection = self._view.selection
        self.lane = self._carried = None
        self._go_along(selection)
        self.changed.emit()

    # Choosing

    def choose(self, lane: int | None) -> None:
        """Let the actions act on a lane, and bring it into view."""
        self.lane = lane
        if lane is not None:
            self.reveal(lane)
        self._tell()
        self._view.viewport().update()

    def next_lane(self) -> None:
        """Choose the lane or folded group below."""
        self._step(1)

    def previous_lane(self) -> None:
        """Choose the lane or folded group above."""
        self._step(-1)

    def reveal(self, lane: int) -> None:
        """Scroll as little as is needed to see a lane."""
        layout, bar = self._view.stack.layout, self._view.verticalScrollBar()
        row = layout.stands.get(lane)
        if row is None or lane in layout.pins:
            return
        end = row.top + layout.rooms.get(lane, row.height)
        page = self._view.viewport().height() - AXIS - STEPS
        if row.top - layout.band < bar.value():
            bar.setValue(int(row.top - layout.band - 24))
        elif end > bar.value() + page:
            bar.setValue(int(end - page + 6))

    # Groups

    def group_by(self, grouping: Grouping) -> None:
        """Group the lanes otherwise."""
        self._arrange(self.state.grouped_by(grouping))

    def group_otherwise(self) -> None:
        """Group the lanes by the next thing that they can be grouped by."""
        self.group_by(GROUPINGS[(GROUPINGS.index(self.state.grouping) + 1) % len(GROUPINGS)])

    def set_node_devices(self, count: int) -> None:
        """Say how many devices a node has, and group by nodes."""
        state = self.state.grouped_by(Grouping.NODE)
        self._arrange(replace(state, node_devices=max(1, count)))

    def fold(self) -> None:
        """Fold the chosen lane's group, or open it; without a chosen lane, the first group."""
        sections = [section for section in self.arrangement.sections if section.headed]
        mine = [s for s in sections if any(lane.index == self.lane for lane in s.lanes)]
        for section in (mine or sections)[:1]:
            self.toggle(section.key)

    def toggle(self, key: str) -> None:
        """Fold a group, or open it."""
        self._arrange(self.state.toggled(key))

    def fold_all(self) -> None:
        """Fold every group."""
        keys = (section.key for section in self.arrangement.sections if section.headed)
        self._arrange(replace(self.state, folded=frozenset(keys)))
        if self.lane is not None:
            self.reveal(self.lane)

    def unfold_all(self) -> None:
        """Open every group."""
        self._arrange(replace(self.state, folded=frozenset()))
        if self.lane is not None:
            self.reveal(self.lane)

    # Height

    def higher(self) -> None:
        """Make the lanes higher."""
        self._scale(HIGHER)

    def lower(self) -> None:
        """Make the lanes lower."""
        self._scale(1 / HIGHER)

    # Order

    def pin(self) -> None:
        """Keep the chosen lane at the top, or put it back into its group."""
        if self.lane is not None:
            self._arrange(self.state.pin_toggled(self.lane))
            self.reveal(self.lane)

    def move_up(self) -> None:
        """Move the chosen lane up by one place."""
        self._move(-1)

    def move_down(self) -> None:
        """Move the chosen lane down by one place."""
        self._move(1)

    # Filter

    def filter(self, text: str) -> None:
        """Show only the lanes whose names match."""
        if text != self.state.filter:
            self._arrange(replace(self.state, filter=text), "filter")

    # The mouse on the names

    def click_at(self, y: float) -> None:
        """Choose the lane at a height, or fold and open the group whose heading is there."""
        frame = self._view.frame_of_rows
        place = y - frame.top
        row = self._lane_at(y)
        if row is not None:
            self.choose(row)
            return
        for group in frame.layout.groups:
            if group.key and group.top <= place < group.bottom:
                self.lane = group.lanes[0]
                self.toggle(group.key)
                return

    def drag_to(self, start: float, y: float) -> None:
        """Show where the lane at the height `start` would go."""
        lane = self._lane_at(start) if self._carried is None else self._carried[0]
        if lane is None:
            return
        frame = self._view.frame_of_rows
        others = [other for other in self.arrangement.neighbours(lane) if other != lane]
        middles = (self._span_of(other, frame) for other in others)
        self._carried = lane, sum((top + end) / 2 < y for top, end in middles)
        self.choose(lane)

    def drop(self) -> None:
        """Put the lane that was dragged where it was shown."""
        carried, self._carried = self._carried, None
        if carried is not None:
            self._put(*carried)

    # Drawing

    def draw_over(self, painter: QPainter, fonts: Fonts) -> None:
        """Mark the chosen lane, and the place where a lane would go that is dragged."""
        frame, area = self._view.frame_of_rows, QRectF(self._view.viewport().rect())
        painter.setClipRect(area.adjusted(0, AXIS + STEPS, 0, 0))
        if self._view.scene is not None and not frame.layout.stands and self.state.filter:
            self._draw_none(painter, frame, fonts, area)
        if frame.layout.band:
            y = AXIS + STEPS + frame.layout.band - 2
            painter.setPen(QPen(QColor(frame.theme.line), 1))
            painter.drawLine(0, int(y), int(area.width()), int(y))
        if self.lane is not None and self.lane in frame.layout.stands:
            self._draw_chosen(painter, frame, self.lane)
        if self._carried is not None:
            self._draw_place(painter, frame, *self._carried)
        painter.setClipping(False)

    # Inside

    def _draw_chosen(self, painter: QPainter, frame: Frame, lane: int) -> None:
        top, end = self._span_of(lane, frame)
        shade = QColor(frame.theme.accent)
        shade.setAlpha(28)
        painter.fillRect(QRectF(0, top, LABELS - 4, end - top), shade)
        painter.fillRect(QRectF(0, top, MARK, end - top), QColor(frame.theme.accent))

    def _draw_place(self, painter: QPainter, frame: Frame, lane: int, place: int) -> None:
        others = [other for other in self.arrangement.neighbours(lane) if other != lane]
        if not others:
            return
        if place < len(others):
            y = self._span_of(others[place], frame)[0] - 3
        else:
            y = self._span_of(others[-1], frame)[1] + 3
        painter.setPen(QPen(QColor(frame.theme.accent), 2))
        painter.drawLine(0, round(y), round(frame.left + frame.view.width), round(y))

    def _draw_none(self, painter: QPainter, frame: Frame, fonts: Fonts, area: QRectF) -> None:
        """What is said where no lane matches the filter."""
        name, theme = self.state.filter, frame.theme
        hint = tr("Esc in the field above the names shows all lanes.")
        lines = (
            (fonts.bold, theme.text, tr("No lane is called “{name}”.", name=name)),
            (fonts.base, theme.muted, hint),
        )
        y = area.center().y() - 26
        for font, colour, text in lines:
            painter.setFont(font)
            painter.setPen(QColor(colour))
            painter.drawText(QRectF(0, y, area.width(), 22), Qt.AlignmentFlag.AlignCenter, text)
            y += 26

    def _span_of(self, lane: int, frame: Frame) -> tuple[float, float]:
        """Where a lane begins and ends in the widget, with all that stands under it."""
        row = frame.layout.row_of(lane)
        room = frame.layout.rooms.get(lane, row.height) if row.lane == lane else row.height
        return frame.top + row.top, frame.top + row.top + room

    def _lane_at(self, y: float) -> int | None:
        """The compute lane at a height of the widget, with all that stands under it."""
        frame = self._view.frame_of_rows
        for row in frame.layout.rows:
            if not row.helper:
                top, end = self._span_of(row.lane, frame)
                if top <= y < end:
                    return row.lane
        return None

    def _stops(self) -> list[int]:
        """The lanes that one can choose from top to bottom: of a folded group the first."""
        arrangement = self.arrangement
        stops = [lane.index for lane in arrangement.pinned]
        for section in arrangement.sections:
            mine = section.lanes[:1] if section.folded else section.lanes
            stops += [lane.index for lane in mine]
        return stops

    def _step(self, by: int) -> None:
        stops = self._stops()
        if not stops:
            return
        section = None if self.lane is None else self.arrangement.section_of(self.lane)
        lane = section.lanes[0].index if section is not None and section.folded else self.lane
        if lane in stops:
            self.choose(stops[min(max(0, stops.index(lane) + by), len(stops) - 1)])
        else:
            self.choose(stops[0 if by > 0 else -1])

    def _move(self, by: int) -> None:
        if self.lane is None:
            return
        neighbours = self.arrangement.neighbours(self.lane)
        if self.lane in neighbours:
            self._put(self.lane, neighbours.index(self.lane) + by)

    def _arrange(self, state: RowState, gesture: str = "rows") -> None:
        """Arrange the lanes so; `gesture` is one step back however often it comes in a row."""
        regrouped = state.grouping is not self.state.grouping
        if gesture == "rows":
            self._view.end_gesture()
        self._view.arrange(state, gesture)
        self._tell()
        self.changed.emit()
        if regrouped:
            self.grouping_changed.emit(state.grouping)

    def _scale(self, factor: float) -> None:
        """Make the lanes higher by a factor; the chosen one stays where it is, or the middle."""
        frame = self._view.frame_of_rows
        y = AXIS + STEPS + (self._view.viewport().height() - AXIS - STEPS) / 2
        if self.lane is not None and self.lane in frame.layout.stands:
            y = self._span_of(self.lane, frame)[0]
        self._view.scale_lanes(factor, y)
        self._view.end_gesture()

    def _tell(self) -> None:
        """Say to screen readers which lane is chosen, and how many are shown."""
        scene, (shown, every) = self._view.scene, self.counts
        words = tr("{shown} of {n} lanes are shown.", shown=shown, n=every)
        if scene is not None and self.lane is not None:
            name = scene.trace.header.lanes[self.lane].name
            words = tr("{lane} is chosen. {more}", lane=name, more=words)
        self._view.setAccessibleDescription(words)

    def _put(self, lane: int, place: int) -> None:
        scene = self._view.scene
        if scene is not None:
            neighbours: Sequence[int] = self.arrangement.neighbours(lane)
            lanes = scene.trace.header.lanes
            self._arrange(moved(self.state, lanes, neighbours, lane, place))
            self.reveal(lane)

    def _go_along(self, selection: Selection | None) -> None:
        """Choose the lane of what is selected."""
        scene = self._view.scene
        if scene is None:
            self.lane = None
        elif selection is not None and not isinstance(selection, TimeRange):
            self.lane = scene.trace.header.lanes[selection.lane].serves
