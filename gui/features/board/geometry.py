"""Places of a board's bars and of its palette, in pixels."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

from core.board.board import Board
from core.board.timing import TimedBoard, timed_board
from core.plan.schedules.schedule import Action

LEFT = 104.0  # width of the names of lanes
RIGHT = 18.0
TOP = 26.0  # height of the time axis
BAR = 30.0
STRIP = 16.0  # height of the memory strip
CHIP, CHIP_HEIGHT = 30.0, 20.0
WIDEST_UNIT = 44.0
SPARE = 3  # units of time to the right of the last pass


@dataclass(frozen=True, slots=True)
class Drop:
    """The target of a drop: a position in a lane's order, or a pass to exchange with."""

    lane: int
    position: int
    other: Action | None = None


class BoardGeometry:
    """The layout of a board in a width in pixels; `longest` is a time that stays in view."""

    def __init__(self, board: Board, width: float, longest: float) -> None:
        self.board, self.width = board, width
        self.timed: TimedBoard = timed_board(board)
        self.end = max(self.timed.makespan, longest)
        room = width - LEFT - RIGHT
        usual = board.rules.times.forward[0]
        self.scale = min(WIDEST_UNIT / usual, room / (self.end + SPARE * usual))
        self._lay_out()

    def _lay_out(self) -> None:
        rules = self.board.rules
        placed = self.board.placed
        missing = set(self.board.missing())
        self.chips: dict[Action, QRectF] = {}
        self.tops: list[float] = []
        across = max(1, int((self.width - LEFT - RIGHT) // CHIP))
        top = TOP
        for lane in range(rules.lanes):
            self.tops.append(top)
            mine = [one for one in rules.passes() if self.board.lane_of(one) == lane]
            # A pass keeps its place when others are placed, so that chips do not jump.
            for place, action in enumerate(mine):
                if action in missing and action not in placed:
                    down, column = divmod(place, across)
                    x = LEFT + column * CHIP
                    y = top + BAR + STRIP + 6 + down * (CHIP_HEIGHT + 3)
                    self.chips[action] = QRectF(x, y, CHIP - 3, CHIP_HEIGHT)
            lines = -(-len(mine) // across)
            top += BAR + STRIP + 6 + lines * (CHIP_HEIGHT + 3) + 12
        self.height = top
        self.bars: dict[Action, QRectF] = {}
        for one in self.timed.passes:
            left, right = self.x(one.start), self.x(one.end)
            self.bars[one.action] = QRectF(left, self.tops[one.lane], right - left, BAR)

    def x(self, time: float) -> float:
        """Return the x of a time."""
        return LEFT + time * self.scale

    def lane_at(self, y: float) -> int:
        """Return the lane at a y; the nearest one above or below all."""
        found = 0
        for lane, top in enumerate(self.tops):
            if y >= top:
                found = lane
        return found

    def action_at(self, at: QPointF) -> Action | None:
        """Return the bar or the chip of the palette at a point."""
        for places in (self.bars, self.chips):
            for action, rect in places.items():
                if rect.contains(at):
                    return action
        return None

    def drop_at(self, at: QPointF, dragged: Action) -> Drop:
        """Return where a pass that is dragged to a point would be dropped.

        On the middle of another bar of its lane a placed pass is exchanged with it.
        """
        lane = self.lane_at(at.y())
        order = [one for one in self.board.orders[lane] if one != dragged]
        position = 0
        for action in order:
            rect = self.bars[action]
            is_middle = abs(at.x() - rect.center().x()) < rect.width() / 4
            if is_middle and dragged in self.bars:
                return Drop(lane, position, action)
            if at.x() > rect.center().x():
                position += 1
        return Drop(lane, position)

    def caret(self, drop: Drop, dragged: Action) -> float:
        """Return the x of a position in a lane's order."""
        order = [one for one in self.board.orders[drop.lane] if one != dragged]
        if drop.position < len(order):
            return self.bars[order[drop.position]].left()
        return self.bars[order[-1]].right() if order else LEFT
