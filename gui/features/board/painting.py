"""Painting of a board."""

from __future__ import annotations

from itertools import cycle

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor

from core.board.board import pass_text
from core.plan.schedules.schedule import Action
from gui.features.board.game import BoardGame, time_text
from gui.features.board.geometry import LEFT, TOP, BoardGeometry, Drop
from gui.look.families import family_of
from gui.look.text import tr
from gui.look.writing import CENTRE, RIGHT
from gui.timeline.paint.hatch import hatch_brush
from gui.timeline.paint.ink import Ink

NAMES = 14.0  # left edge of the names of lanes
TICK_GAP = 34.0  # least distance between two ticks of the time axis
TIME_GAP = 72.0  # the same for times with a unit
SEAM = 1.0


class BoardPainter:
    """Paints a game's board."""

    def __init__(self, ink: Ink, places: BoardGeometry, game: BoardGame) -> None:
        self._ink = ink
        self._theme = ink.theme
        self._places = places
        self._game = game
        self._ready = set(game.board.ready())

    def draw(self, rect: QRect, focus: bool, ratio: float) -> None:
        """Paint the whole board; `focus` marks the lane to which keys apply."""
        theme = self._theme
        game = self._game
        places = self._places
        self._ink.fill(rect, theme.plot)
        self._draw_axis()
        for lane in range(game.board.rules.lanes):
            is_current = focus and lane == game.lane
            self._draw_lane(lane, is_current, ratio)
        self._draw_goal()
        for action, place in places.bars.items():
            bar = place.adjusted(0, 0, -SEAM, 0)
            self._draw_pass(action, bar)
        for action, place in places.chips.items():
            if action in self._ready:
                self._draw_pass(action, place)
            else:
                self._draw_unready(action, place)
        for action in game.selected:
            self._outline(places.bars[action], theme.accent)
        if game.hinted in places.chips:
            place = places.chips[game.hinted]
            self._outline(place, theme.path)

    def draw_dragged(self, action: Action, at: QPointF, drop: Drop) -> None:
        """Paint a dragged pass at the pointer, and mark its target."""
        board = self._game.board
        if drop.lane == board.lane_of(action):
            self._draw_target(action, drop)
        duration = board.rules.times.of(action)
        width = duration * self._places.scale
        bar = QRectF(0, 0, width, self._places.sizes.bar)
        bar.moveCenter(at)
        painter = self._ink.painter
        painter.setOpacity(0.75)
        self._draw_pass(action, bar)
        painter.setOpacity(1.0)

    def _draw_target(self, action: Action, drop: Drop) -> None:
        """Paint an outline around the pass to exchange with, or a line between two passes."""
        places = self._places
        colour = self._theme.path
        if drop.other is not None:
            place = places.bars[drop.other]
            self._outline(place, colour, Qt.PenStyle.DashLine)
            return
        x = places.caret(drop, action)
        top = places.tops[drop.lane]
        bottom = top + places.sizes.bar
        self._ink.pen(colour, 2)
        self._ink.upright(x, top - 3, bottom + 3)

    def _draw_axis(self) -> None:
        ink = self._ink
        places = self._places
        rules = self._game.board.rules
        step = self._tick_step()
        time = 0.0
        last_x = places.width - 20
        x = places.x(time)
        while x < last_x:
            ink.pen(self._theme.grid)
            ink.upright(x, TOP - 4, places.height)
            label = QRectF(x - 40, 2, 80, TOP - 8)
            ink.small(label, time_text(rules, time), CENTRE)
            time += step
            x = places.x(time)

    def _tick_step(self) -> float:
        """Return the time between two ticks: the least of 1, 2, 5, 10, 20, … with enough room."""
        gap = TIME_GAP if self._game.board.rules.times.measured else TICK_GAP
        factors = cycle((2, 2.5, 2))
        step = 1.0
        while step * self._places.scale < gap:
            step *= next(factors)
        return step

    def _draw_lane(self, lane: int, current: bool, ratio: float) -> None:
        places = self._places
        theme = self._theme
        top = places.tops[lane]
        bar = places.sizes.bar
        if current:
            mark = QRectF(0, top - 2, 4, bar + 4)
            self._ink.fill(mark, theme.accent)
        self._draw_names(lane)
        length = places.timed.makespan * places.scale
        idle = QRectF(places.x(0), top, length, bar)
        hatching = hatch_brush(theme.idle, ratio)
        painter = self._ink.painter
        painter.setBrushOrigin(idle.topLeft())
        painter.fillRect(idle, hatching)
        self._draw_held(lane)
        self._draw_memory(lane, top + bar + 3)

    def _name_line(self) -> float:
        """Return the height of the line with a lane's name."""
        sizes = self._places.sizes
        # A low bar has room for one line only, so the stages are left out.
        return sizes.bar if sizes.is_low else sizes.bar / 2

    def _draw_names(self, lane: int) -> None:
        """Write the lane's name and, if there is room, its stages below it."""
        top = self._places.tops[lane]
        width = LEFT - NAMES - 4
        line = self._name_line()
        name = tr("lane {n}", n=lane)
        name_rect = QRectF(NAMES, top, width, line + 2)
        self._ink.bold(name_rect, name)
        if self._places.sizes.is_low:
            return
        numbers = self._game.board.rules.stages_of(lane)
        stages = ", ".join(map(str, numbers))
        text = tr("stage {stages}", stages=stages)
        below = QRectF(NAMES, top + line, width, line)
        self._ink.small(below, text)

    def _draw_held(self, lane: int) -> None:
        """Write the most activations that the lane holds, and the limit."""
        theme = self._theme
        sizes = self._places.sizes
        top = self._places.tops[lane]
        limit = self._game.board.rules.limit
        peak = self._places.timed.lanes[lane].peak
        is_over = limit is not None and peak > limit
        colour = theme.error if is_over else theme.muted
        if sizes.is_flat:
            # Right of the name, because there is no room below the bar.
            count = str(peak) if limit is None else f"{peak} / {limit}"
            name_line = QRectF(NAMES, top, LEFT - 24, self._name_line() + 2)
            self._ink.small(name_line, count, RIGHT, colour)
            return
        held = tr("holds {n}", n=peak)
        if limit is not None:
            held = tr("holds {n} of {limit}", n=peak, limit=limit)
        width = LEFT - NAMES - 4
        below = QRectF(NAMES, top + sizes.bar + 1, width, sizes.strip)
        self._ink.small(below, held, colour=colour)

    def _draw_memory(self, lane: int, top: float) -> None:
        """Paint the number of activations over time, with the limit as a dashed line."""
        places = self._places
        theme = self._theme
        timed = places.timed
        limit = self._game.board.rules.limit
        most = max(limit or 0, timed.peak, 1) + 0.5
        high = places.sizes.strip - 3
        bottom = top + high
        for step in timed.memory_steps(lane):
            left = places.x(step.start)
            width = (step.end - step.start) * places.scale
            height = high * step.count / most
            area = QRectF(left, bottom - height, width, height)
            is_over = limit is not None and step.count > limit
            self._ink.fill(area, theme.error if is_over else theme.memory)
        if limit is not None:
            y = bottom - high * limit / most
            end = max(places.end, timed.makespan)
            self._ink.pen(theme.warning, 1.4, Qt.PenStyle.DashLine)
            self._ink.level(places.x(0), places.x(end), y)

    def _draw_pass(self, action: Action, place: QRectF) -> None:
        """Paint a pass as a bar."""
        theme = self._theme
        ground, *_ = theme.colours_of(family_of(action.kind))
        letters = theme.letters_on(ground)
        self._ink.fill(place, ground)
        self._ink.small(place, self._pass_name(action), CENTRE, letters)

    def _draw_unready(self, action: Action, place: QRectF) -> None:
        """Paint a pass that is not ready as an outline."""
        ink = self._ink
        edge = place.adjusted(0.5, 0.5, -0.5, -0.5)
        ink.pen(self._theme.line)
        ink.painter.setBrush(QColor(self._theme.plot))
        ink.painter.drawRect(edge)
        ink.small(place, self._pass_name(action), CENTRE)

    def _pass_name(self, action: Action) -> str:
        """Return a pass with its stage if lanes have several: `2F1`, else `F1`."""
        if self._game.board.rules.chunks > 1:
            return str(action)
        return pass_text(action)

    def _draw_goal(self) -> None:
        puzzle = self._game.puzzle
        if puzzle is None or puzzle.goal.step is None:
            return
        x = self._places.x(puzzle.goal.step)
        bottom = self._places.height - 8
        self._ink.pen(self._theme.path, 1.4, Qt.PenStyle.DashLine)
        self._ink.upright(x, TOP - 4, bottom)

    def _outline(
        self, place: QRectF, colour: str, style: Qt.PenStyle = Qt.PenStyle.SolidLine
    ) -> None:
        edge = place.adjusted(1, 1, -2, -1)
        self._ink.outline(edge, colour, 2, style)
