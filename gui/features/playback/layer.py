"""Layer over a timeline that shows a moment, and whose now-line the mouse can drag."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QWidget

from core.override import override
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.fonts import Fonts
from gui.timeline.layout.frame import AXIS, LABELS
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.playback import FLASH_S, SceneFilm, draw_moment, lane_texts, now_area
from gui.timeline.state.lane_facts import LaneFacts

NEAR = 5.0  # pixels; the now-line can be grabbed within this distance
BORDER = 2  # pixels around a changed area that are drawn again


class PlaybackLayer(QWidget):
    """Covers a timeline while a film is shown; `dragged` carries the now-line's new time in ns.

    The timeline below is not drawn again. A frame updates only the area between the old and the
    new now-line, the arrows, and the names of lanes whose texts have changed.
    """

    dragged = Signal(float)

    def __init__(self, view: TimelineView) -> None:
        super().__init__(view.viewport())
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._view = view
        self.film: SceneFilm | None = None
        self.time = 0.0
        self._speed = 1.0
        self._facts: Sequence[LaneFacts] = ()
        self._dragging = False
        view.viewport().installEventFilter(self)
        view.state.picture_changed.connect(self._follow_picture)
        self.hide()

    def show_film(self, film: SceneFilm | None) -> None:
        """Show the start of a film; None hides the layer."""
        self.film = film
        self._dragging = False
        self.setVisible(film is not None)
        if film is not None:
            self.setGeometry(self._view.viewport().rect())
            self.raise_()
            self.time = float(film.film.start)
            self._facts = lane_texts(film, self.time, self._fonts())
            self.update()

    def show_time(self, time: float, speed: float) -> None:
        """Show the moment `time`, in ns, or the film's end if that is earlier."""
        if self.film is None:
            return
        before = self.time
        self.time = min(time, float(self.film.film.end))
        self._speed = speed
        facts = lane_texts(self.film, self.time, self._fonts())
        changed = self._names_region(facts)
        self._facts = facts
        changed += self._moved_region(before, self.time)
        self.update(changed)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        if self.film is None or self._view.state.scene is not self.film.scene:
            return
        frame = self._view.state.frame
        with QPainter(self) as painter:
            canvas = Canvas.on(painter, frame, self._fonts())
            draw_moment(canvas, self.film, self.time, self._speed, self._facts)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind is QEvent.Type.Resize:
            self.setGeometry(self._view.viewport().rect())
        if self.film is None or not isinstance(event, QMouseEvent):
            return False
        at = event.position()
        if kind is QEvent.Type.MouseButtonPress:
            left = event.button() is Qt.MouseButton.LeftButton
            self._dragging = left and self._is_near(at)
            return self._dragging
        if kind is QEvent.Type.MouseButtonRelease and self._dragging:
            self._dragging = False
            return True
        if kind is QEvent.Type.MouseMove:
            self._point_at(at)
            if self._dragging:
                x = at.x() - LABELS
                self.dragged.emit(self._view.state.viewport.time(x))
            return self._dragging
        return False

    def _point_at(self, at: QPointF) -> None:
        grabs = self._dragging or self._is_near(at)
        shape = Qt.CursorShape.SizeHorCursor if grabs else Qt.CursorShape.ArrowCursor
        if self._view.viewport().cursor().shape() is not shape:
            self._view.viewport().setCursor(shape)

    def _is_near(self, at: QPointF) -> bool:
        """Return True if a pixel is near the now-line or on its tag."""
        line, tag = now_area(self._view.state.frame, self._fonts(), self.time)
        around = line.adjusted(-NEAR, 0, NEAR, 0)
        return tag.contains(at) or around.contains(at)

    def _follow_picture(self) -> None:
        if self.film is not None:
            self.update()

    def _names_region(self, facts: Sequence[LaneFacts]) -> QRegion:
        """Return the area of the names whose texts differ from those shown."""
        frame = self._view.state.frame
        region = QRegion()
        for lane, (old, new) in enumerate(zip(self._facts, facts, strict=True)):
            if old != new and frame.layout.shows(lane):
                top, bottom = frame.layout.extent_of(lane)
                row = QRectF(0, frame.top + top, LABELS, bottom - top)
                region += _grown(row)
        return region

    def _moved_region(self, before: float, after: float) -> QRegion:
        """Return the area in which two moments differ."""
        frame = self._view.state.frame
        fonts = self._fonts()
        region = QRegion()
        xs = []
        for time in (before, after):
            line, tag = now_area(frame, fonts, time)
            xs.append(line.center().x())
            region += _grown(line)
            region += _grown(tag)
        left = min(xs)
        right = max(xs)
        between = QRectF(left, AXIS, right - left, self.height())
        region += _grown(between)
        return region + self._arrows_region(before, after)

    def _arrows_region(self, before: float, after: float) -> QRegion:
        """Return the area of the arrows that are or were shown, as one rectangle around all."""
        assert self.film is not None
        flash = FLASH_S * self._speed * 1e9
        since = min(before, after) - flash
        arrivals = self.film.film.arrivals(since, max(before, after), 1_000)
        if not arrivals:
            return QRegion()
        frame = self._view.state.frame
        first = min(frame.x(arrival.source_end) for arrival in arrivals)
        last = max(frame.x(arrival.start) for arrival in arrivals)
        edges: list[float] = []
        for arrival in arrivals:
            for lane in (arrival.source_lane, arrival.lane):
                edges += frame.layout.extent_of(lane)
        top = frame.top + min(edges)
        height = max(edges) - min(edges)
        area = QRectF(first, top, last - first, height)
        return _grown(area.adjusted(-12, -16, 12, 16))

    def _fonts(self) -> Fonts:
        return Fonts.of(self._view.font())


def _grown(area: QRectF) -> QRegion:
    """Return an area enlarged to whole pixels, plus a border."""
    if not math.isfinite(area.height()):
        area = QRectF(area.left(), area.top(), area.width(), 1e5)
    rect: QRect = area.toAlignedRect()
    return QRegion(rect.adjusted(-BORDER, -BORDER, BORDER, BORDER))
