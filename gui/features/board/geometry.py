"""Places of a board's bars and of its palette, in pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

from core.board.board import Board
from core.board.dropping import Extent, dropped_at
from core.board.timing import TimedBoard, timed_board
from core.plan.schedules.schedule import Action

LEFT = 104.0  # width of the names of lanes
RIGHT = 18.0
TOP = 26.0  # height of the time axis
BETWEEN_CHIPS = 3.0
WIDEST_UNIT = 44.0
SPARE = 3  # free time to the right of the last pass, in forward passes


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes in pixels: heights of a lane's parts, and the width of a chip of the palette.

    `strip` is the height of the memory strip, `above` the free height between it and the palette,
    and `between` the free height between two lanes.
    """

    bar: float
    strip: float
    chip: float
    chip_height: float
    above: float
    between: float

    @property
    def is_low(self) -> bool:
        """True if a bar is too low for two lines of text next to it."""
        return self.bar < 26

    @property
    def is_flat(self) -> bool:
        """True if the memory strip is too low for text next to it."""
        return self.strip < 10


SIZES = (
    Sizes(bar=30, strip=16, chip=30, chip_height=20, above=6, between=12),
    Sizes(bar=26, strip=13, chip=28, chip_height=18, above=6, between=8),
    Sizes(bar=22, strip=12, chip=26, chip_height=16, above=6, between=5),
    Sizes(bar=18, strip=11, chip=24, chip_height=14, above=6, between=3),
    Sizes(bar=16, strip=8, chip=24, chip_height=13, above=3, between=2),
    Sizes(bar=14, strip=6, chip=24, chip_height=11, above=1, between=0),
)
"""Sizes from large to small; a board uses the first with which all of it is visible.

With the last, letters fill their bars and chips; in lower ones they would be illegible.
"""


@dataclass(frozen=True, slots=True)
class Drop:
    """The target of a drop: a position in a lane's order, or a pass to exchange with."""

    lane: int
    position: int
    other: Action | None = None


class BoardGeometry:
    """The layout of a board, `width` pixels wide and at most `room` pixels high if possible.

    The time axis reaches at least to the time `longest`. A board that is too high with all sizes
    uses the smallest and has to be scrolled.
    """

    def __init__(self, board: Board, width: float, longest: float, room: float) -> None:
        self.board = board
        self.width = width
        self.room = room
        self.timed: TimedBoard = timed_board(board)
        self.end = max(self.timed.makespan, longest)
        self._axis = width - LEFT - RIGHT  # width of the time axis
        self._missing = set(board.missing())
        usual = board.rules.times.forward[0]
        shown = self.end + SPARE * usual
        self.scale = min(WIDEST_UNIT / usual, self._axis / shown)
        self.sizes = SIZES[0]
        for sizes in SIZES:
            self._lay_out(sizes)
            if self.height <= room:
                break

    def _lay_out(self, sizes: Sizes) -> None:
        """Place lanes, chips and bars at these sizes."""
        self.sizes = sizes
        self.chips: dict[Action, QRectF] = {}
        self.tops: list[float] = []
        top = TOP
        for lane in range(self.board.rules.lanes):
            self.tops.append(top)
            palette_top = top + sizes.bar + sizes.strip + sizes.above
            palette_height = self._place_chips(lane, palette_top)
            top = palette_top + palette_height + sizes.between
        self.height = top
        self.bars: dict[Action, QRectF] = {}
        for one in self.timed.passes:
            left = self.x(one.start)
            width = self.x(one.end) - left
            bar_top = self.tops[one.lane]
            self.bars[one.action] = QRectF(left, bar_top, width, sizes.bar)

    def _place_chips(self, lane: int, top: float) -> float:
        """Place the chips of a lane in lines below `top`; return the height of all lines."""
        sizes = self.sizes
        across = max(1, int(self._axis // sizes.chip))
        line_height = sizes.chip_height + BETWEEN_CHIPS
        width = sizes.chip - BETWEEN_CHIPS
        passes = self.board.rules.passes()
        mine = [one for one in passes if self.board.lane_of(one) == lane]
        # A pass keeps its place when others are placed, so that chips do not jump.
        for place, action in enumerate(mine):
            if action not in self._missing:
                continue
            line, column = divmod(place, across)
            x = LEFT + column * sizes.chip
            y = top + line * line_height
            self.chips[action] = QRectF(x, y, width, sizes.chip_height)
        lines = math.ceil(len(mine) / across)
        return lines * line_height

    def x(self, time: float) -> float:
        """Return the x of a time, in pixels."""
        return LEFT + time * self.scale

    def lane_at(self, y: float) -> int:
        """Return the lane at a y; above or below all lanes, the nearest one."""
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
        """Return the target of a dragged pass that is dropped at a point.

        A placed pass that is dropped on the middle of another bar is exchanged with it.
        """
        lane = self.lane_at(at.y())
        extents = []
        for action in self.board.orders[lane]:
            rect = self.bars[action]
            extents.append(Extent(action, rect.left(), rect.right()))
        found = dropped_at(extents, dragged, at.x(), exchanges=dragged in self.bars)
        return Drop(lane, found.position, found.other)

    def caret(self, drop: Drop, dragged: Action) -> float:
        """Return the x of the line that marks the position of a drop, in pixels."""
        order = [one for one in self.board.orders[drop.lane] if one != dragged]
        if drop.position < len(order):
            following = order[drop.position]
            return self.bars[following].left()
        if not order:
            return LEFT
        last = order[-1]
        return self.bars[last].right()
