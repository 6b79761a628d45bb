"""Strip of thumbnails of the steps: click or drag to show a step in the timeline."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from core.override import override
from gui.features.steps.bars import StepBars
from gui.look.painter import fill, pen, saved
from gui.look.text import duration_text, tr
from gui.look.theme import Theme
from gui.look.writing import RIGHT
from gui.timeline.layout.frame import Viewport
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.ink import Ink
from gui.timeline.paint.miniature import draw_miniature, miniature_frame
from gui.timeline.state.scene import Scene, step_name
from gui.widgets.drawing import Painted

NAME = 16.0  # height of the line with a step's name
PICTURE = 36.0
EDGE = 4.0  # free pixels around a picture
LEAST = 96.0  # width of a cell in pixels
MOST = 220.0


class StepStrip(Painted):
    """A thumbnail of each step, all on one time scale; `chosen` carries an index in StepBars.

    If there are too many steps for the width, the steps around the step on screen are shown.
    """

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__(tr("Thumbnails of the steps"), QSizePolicy.Policy.Fixed)
        self.setFixedHeight(round(NAME + PICTURE + 2 * EDGE))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._scene: Scene | None = None
        self._bars: StepBars | None = None
        self._first = 0
        self._dragged: int | None = None
        self._picture: QPixmap | None = None

    def show_steps(self, scene: Scene | None, bars: StepBars | None) -> None:
        """Show the steps of a scene; None for both if there are none."""
        self._scene = scene
        self._bars = bars
        self._picture = None
        self.mark()

    def mark(self) -> None:
        """Mark the step that figures describe, and move it into view."""
        place = self.marked
        count = self.count
        shown = range(self._first, self._first + count)
        if place is not None and place not in shown:
            self._first = place - count // 2
            self._picture = None
        steps = 0 if self._bars is None else len(self._bars.steps)
        last_first = max(0, steps - count)
        first = min(max(0, self._first), last_first)
        if first != self._first:
            self._first = first
            self._picture = None
        self.update()

    @property
    def marked(self) -> int | None:
        """The index of the step that figures describe; None if it is not in StepBars."""
        if self._scene is None or self._bars is None:
            return None
        step = self._scene.described
        if step is None:
            return None
        number = step - self._bars.warmup + 1
        return self._bars.at(number)

    @property
    def count(self) -> int:
        """Number of steps that the strip shows, at least 1."""
        steps = 0 if self._bars is None else len(self._bars.steps)
        most = int(self.width() / LEAST)
        return max(1, min(steps, most))

    def cell(self, place: int) -> QRectF:
        """Return the rectangle of the step with this place."""
        width = min(MOST, self.width() / self.count)
        x = (place - self._first) * width
        return QRectF(x, 0, width, self.height())

    def place_at(self, x: float) -> int | None:
        """Return the place of the step at a pixel, or None."""
        if self._bars is None:
            return None
        width = min(MOST, self.width() / self.count)
        place = self._first + int(x // width)
        return place if place in self._places(self._bars) else None

    def _places(self, bars: StepBars) -> range:
        """Return the places of the steps that are shown."""
        end = min(len(bars.steps), self._first + self.count)
        return range(self._first, end)

    @override
    def set_theme(self, theme: Theme) -> None:
        self._picture = None
        super().set_theme(theme)

    @override
    def tip_at(self, at: QPointF) -> str:
        place = self.place_at(at.x())
        if place is None or self._bars is None:
            return ""
        return tr("{step}\nClick or drag to see it.", step=self._bars.name(place))

    @override
    def sizeHint(self) -> QSize:
        return QSize(300, self.height())

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._picture = None
        self.mark()

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._dragged = None
            self._choose(event.position().x())

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._choose(event.position().x())

    def _choose(self, x: float) -> None:
        # A drag chooses each step once, not with every pixel.
        place = self.place_at(x)
        if place is not None and place != self._dragged:
            self._dragged = place
            self.chosen.emit(place)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            fill(painter, self.rect(), self.theme.plot)
            if self._scene is None or self._bars is None:
                return
            # Drawing the thumbnails takes longest, so they are kept while only the mark moves.
            if self._picture is None:
                self._picture = self._draw_cells(self._scene, self._bars)
            place = self.marked
            if place is not None:
                mark = self.cell(place).adjusted(1.5, 0.5, -1.5, -0.5)
                fill(painter, mark, self.theme.tint)
            painter.drawPixmap(0, 0, self._picture)
            if place is not None:
                painter.setPen(pen(self.theme.accent))
                painter.drawRect(mark)

    def _draw_cells(self, scene: Scene, bars: StepBars) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        places = self._places(bars)
        longest = 1.0
        for place in places:
            makespan = float(bars.ends[place] - bars.starts[place])
            longest = max(longest, makespan)
        with QPainter(picture) as painter:
            ink = Ink.of(painter, self.font(), self.theme)
            for place in places:
                self._draw_name(ink, bars, place)
                self._draw_step(ink, scene, bars, place, longest)
        return picture

    def _draw_name(self, ink: Ink, bars: StepBars, place: int) -> None:
        side = EDGE + 2
        line = self.cell(place).adjusted(side, 1, -side, 0)
        line.setHeight(NAME)
        name = step_name(int(bars.steps[place]), bars.warmup)
        colour = self.theme.text if bars.measured[place] else ""
        ink.small(line, name, colour=colour)
        makespan = float(bars.ends[place] - bars.starts[place])
        time = duration_text(makespan)
        width_of_both = ink.small_width(name + time) + 8
        if width_of_both <= line.width():
            ink.small(line, time, RIGHT)

    def _draw_step(
        self, ink: Ink, scene: Scene, bars: StepBars, place: int, longest: float
    ) -> None:
        """Draw the bars of one step; the width of the cell corresponds to `longest` ns."""
        side = EDGE + 2
        cell = self.cell(place).adjusted(side, NAME + EDGE, -side, -EDGE)
        start = float(bars.starts[place])
        length = float(bars.ends[place]) - start
        step_width = max(1.0, cell.width() * length / longest)
        own = QRectF(cell)
        own.setWidth(step_width)
        ink.fill(own, self.theme.grid)
        painter = ink.painter
        with saved(painter):
            # Clipped, because the view also covers the start of the next step.
            painter.setClipRect(own)
            view = Viewport(start, longest, cell.width())
            frame = miniature_frame(scene, view, cell, self.theme)
            canvas = Canvas.on(painter, frame, ink.fonts)
            draw_miniature(canvas, scene, cell)
