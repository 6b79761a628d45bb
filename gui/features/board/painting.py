"""Painting of a board."""

from __future__ import annotations

from itertools import cycle

from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from core.board.board import pass_text
from core.plan.schedules.schedule import Action
from gui.features.board.game import BoardGame, time_text
from gui.features.board.geometry import LEFT, TOP, BoardGeometry, Drop
from gui.look.families import family_of
from gui.look.text import tr
from gui.look.theme import Theme
from gui.look.writing import LEFT as AT_LEFT
from gui.look.writing import RIGHT as AT_RIGHT
from gui.look.writing import write
from gui.timeline.layout.fonts import Fonts
from gui.timeline.paint.hatch import hatch_brush

CENTRE = Qt.AlignmentFlag.AlignCenter
TICK_GAP = 34.0  # least distance of two ticks of the time axis
TIME_GAP = 72.0  # the same for times with a unit
SEAM = 1.0


class BoardPainter:
    """Paints a game's board with a painter."""

    def __init__(
        self, painter: QPainter, places: BoardGeometry, game: BoardGame, theme: Theme, font: QFont
    ) -> None:
        self._painter, self._places, self._game = painter, places, game
        self._theme, self._fonts = theme, Fonts.of(font)
        self._ready = set(game.board.ready())

    def draw(self, rect: QRect, focus: bool, ratio: float) -> None:
        """Paint the whole board; `focus` shows the lane that keys are for."""
        self._painter.fillRect(rect, QColor(self._theme.plot))
        self._draw_axis()
        for lane in range(self._game.board.rules.lanes):
            self._draw_lane(lane, focus and lane == self._game.lane, ratio)
        self._draw_goal()
        for action, place in self._places.bars.items():
            self._draw_pass(action, place.adjusted(0, 0, -SEAM, 0), 1.0)
        for action, place in self._places.chips.items():
            self._draw_pass(action, place, 1.0 if action in self._ready else 0.0)
        for action in self._game.selected:
            self._outline(self._places.bars[action], self._theme.accent, Qt.PenStyle.SolidLine)
        if self._game.hinted in self._places.chips:
            place = self._places.chips[self._game.hinted]
            self._outline(place, self._theme.path, Qt.PenStyle.SolidLine)

    def draw_dragged(self, action: Action, at: QPointF, drop: Drop) -> None:
        """Paint a pass that is dragged, and where it would be dropped."""
        top = self._places.tops[drop.lane]
        bar = self._places.sizes.bar
        if drop.lane != self._game.board.lane_of(action):
            pass
        elif drop.other is not None:
            place = self._places.bars[drop.other]
            self._outline(place, self._theme.path, Qt.PenStyle.DashLine)
        else:
            x = self._places.caret(drop, action)
            self._painter.setPen(QPen(QColor(self._theme.path), 2))
            self._painter.drawLine(QLineF(x, top - 3, x, top + bar + 3))
        width = self._game.board.rules.times.of(action) * self._places.scale
        place = QRectF(at.x() - width / 2, at.y() - bar / 2, width, bar)
        self._painter.setOpacity(0.75)
        self._draw_pass(action, place, 1.0)
        self._painter.setOpacity(1.0)

    def _draw_axis(self) -> None:
        times = self._game.board.rules.times
        step: float = 1
        gap = TIME_GAP if times.measured else TICK_GAP
        # 1, 2, 5, 10, 20, 50, …
        factors = cycle((2, 2.5, 2))
        while step * self._places.scale < gap:
            step *= next(factors)
        time = 0.0
        self._painter.setPen(QPen(QColor(self._theme.grid), 1))
        bottom = self._places.height
        right = self._places.width
        while self._places.x(time) < right - 20:
            x = self._places.x(time)
            self._painter.setPen(QPen(QColor(self._theme.grid), 1))
            self._painter.drawLine(QLineF(x, TOP - 4, x, bottom))
            place = QRectF(x - 40, 2, 80, TOP - 8)
            self._write(place, time_text(self._game.board.rules, time), self._theme.muted, CENTRE)
            time += step

    def _draw_lane(self, lane: int, current: bool, ratio: float) -> None:
        places, theme = self._places, self._theme
        rules = self._game.board.rules
        top = places.tops[lane]
        sizes = places.sizes
        figures = places.timed.lanes[lane]
        if current:
            mark = QRectF(0, top - 2, 4, sizes.bar + 4)
            self._painter.fillRect(mark, QColor(theme.accent))
        # A low bar has room for one line: its passes say which stage they are of.
        line = sizes.bar if sizes.is_low else sizes.bar / 2
        name = tr("lane {n}", n=lane)
        write(
            self._painter,
            self._fonts.bold,
            theme.text,
            QRectF(14, top, LEFT - 18, line + 2),
            name,
            AT_LEFT,
        )
        if not sizes.is_low:
            stages = ", ".join(map(str, rules.stages_of(lane)))
            text = tr("stage {stages}", stages=stages)
            self._write(QRectF(14, top + line, LEFT - 18, line), text, theme.muted)
        end = places.timed.makespan
        idle = QRectF(places.x(0), top, end * places.scale, sizes.bar)
        self._painter.setBrushOrigin(idle.topLeft())
        self._painter.fillRect(idle, hatch_brush(theme.idle, ratio))
        limit = rules.limit
        over = limit is not None and figures.peak > limit
        held = tr("holds {n}", n=figures.peak)
        if limit is not None:
            held = tr("holds {n} of {limit}", n=figures.peak, limit=limit)
        colour = theme.error if over else theme.muted
        if sizes.is_flat:
            count = str(figures.peak) if limit is None else f"{figures.peak} / {limit}"
            self._write(QRectF(14, top, LEFT - 24, line + 2), count, colour, AT_RIGHT)
        else:
            self._write(QRectF(14, top + sizes.bar + 1, LEFT - 18, sizes.strip), held, colour)
        self._draw_memory(lane, top + sizes.bar + 3)

    def _draw_memory(self, lane: int, top: float) -> None:
        """Paint the number of activations over time, with the limit as a dashed line."""
        places, theme = self._places, self._theme
        limit = self._game.board.rules.limit
        most = max(limit or 0, places.timed.peak, 1) + 0.5
        high = places.sizes.strip - 3
        for step in places.timed.memory_steps(lane):
            height = high * step.count / most
            is_over = limit is not None and step.count > limit
            width = (step.end - step.start) * places.scale
            area = QRectF(places.x(step.start), top + high - height, width, height)
            self._painter.fillRect(area, QColor(theme.error if is_over else theme.memory))
        if limit is not None:
            y = top + high - high * limit / most
            right = places.x(max(places.end, places.timed.makespan))
            self._painter.setPen(QPen(QColor(theme.warning), 1.4, Qt.PenStyle.DashLine))
            self._painter.drawLine(QLineF(places.x(0), y, right, y))

    def _draw_pass(self, action: Action, place: QRectF, filled: float) -> None:
        """Paint a pass as a bar; one that is not ready as an outline."""
        theme = self._theme
        colour = theme.colours_of(family_of(action.kind))[0]
        text = str(action) if self._game.board.rules.chunks > 1 else pass_text(action)
        if filled:
            self._painter.fillRect(place, QColor(colour))
            self._write(place, text, theme.letters_on(colour), CENTRE)
            return
        self._painter.setPen(QPen(QColor(theme.line), 1))
        self._painter.setBrush(QColor(theme.plot))
        self._painter.drawRect(place.adjusted(0.5, 0.5, -0.5, -0.5))
        self._write(place, text, theme.muted, CENTRE)

    def _draw_goal(self) -> None:
        puzzle = self._game.puzzle
        if puzzle is None or puzzle.goal.step is None:
            return
        x = self._places.x(puzzle.goal.step)
        self._painter.setPen(QPen(QColor(self._theme.path), 1.4, Qt.PenStyle.DashLine))
        self._painter.drawLine(QLineF(x, TOP - 4, x, self._places.height - 8))

    def _outline(self, place: QRectF, colour: str, style: Qt.PenStyle) -> None:
        self._painter.setPen(QPen(QColor(colour), 2, style))
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.drawRect(place.adjusted(1, 1, -2, -1))

    def _write(
        self, place: QRectF, text: str, colour: str, where: Qt.AlignmentFlag = AT_LEFT
    ) -> None:
        write(self._painter, self._fonts.small, colour, place, text, where)
