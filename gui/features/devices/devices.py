"""Devices panel: time and memory of each lane, their balance, and lane 0's extra work."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from core.explain.balance import LaneBalance, first_lane_shares
from core.override import override
from core.plan.plan import Role
from gui.features.devices.texts import (
    Row,
    balance_rows,
    helper_text,
    load_text,
    memory_text,
    share_rows,
    share_text,
    time_text,
)
from gui.look.painter import fill
from gui.look.text import bytes_text, join_clauses, ntr, tr
from gui.look.writing import RIGHT
from gui.timeline.paint.hatch import hatch_brush
from gui.timeline.paint.ink import Ink
from gui.timeline.state.scene import Scene, name_of_step
from gui.widgets.sheet import PAD, Sheet

HEAD = 24.0
LOAD = 20.0  # height of the sentence on lane 0
ROW = 42.0
BAR = 15.0
SHARE = 18.0
HELPER = 18.0  # height of the row of a copy or communication lane
THIN = 6.0  # height of the bar in that row
MEMORY = 64.0
TABLE = 16.0  # free pixels around a table
AIR = 12.0  # free pixels left of the size of the memory


class DevicesPanel(Sheet):
    """A bar of busy, communication and idle time for each lane; below them, their balance.

    The figures are of the scene's summed steps, usually the described one.
    """

    def __init__(self) -> None:
        empty = tr("The time and memory of each lane appear here with the first step.")
        super().__init__(tr("Devices"), empty)

    @property
    @override
    def stepped_scene(self) -> Scene | None:
        scene = super().stepped_scene
        if scene is None or scene.concealed:
            return None
        return scene

    @override
    def height_of(self, scene: Scene) -> float:
        height = HEAD
        if load_text(scene):
            height += LOAD
        for balance in scene.balances:
            height += _row_height(scene, balance)
        for rows in (balance_rows(scene), share_rows(scene)):
            if rows:
                height += SHARE * len(rows) + TABLE
        return height

    @override
    def words_of(self, scene: Scene) -> str:
        lines = []
        load = load_text(scene)
        if load:
            lines.append(load)
        lanes = scene.trace.header.lanes
        for balance in scene.balances:
            name = lanes[balance.lane].name
            time = time_text(balance)
            memory = memory_text(balance)
            lines.append(f"{name}: {time}, {memory}")
        for row in balance_rows(scene):
            cells = [cell for cell in row if cell]
            lines.append(", ".join(cells))
        for share in first_lane_shares(scene.trace, scene.balances):
            lines.append(share_text(share, scene.summed))
        return join_clauses(lines)

    @override
    def draw_scene(self, ink: Ink, scene: Scene) -> None:
        top = self._draw_head(ink, scene)
        lower_edge = self._draw_rows(ink, scene, top + HEAD)
        for rows in (balance_rows(scene), share_rows(scene)):
            if rows:
                table_top = lower_edge + TABLE / 2
                lower_edge = self._draw_table(ink, rows, table_top) + TABLE / 2

    def _draw_rows(self, ink: Ink, scene: Scene, y: float) -> float:
        """Draw the visible lanes from `y` on; return the lower edge of all lanes."""
        lanes = scene.trace.header.lanes
        names = self._names_width(ink, scene) + 12
        most = max((balance.peak_bytes for balance in scene.balances), default=0)
        # Each lane is followed by the lanes that serve it.
        in_order = sorted(scene.balances, key=lambda one: (lanes[one.lane].serves, one.lane))
        for balance in in_order:
            height = _row_height(scene, balance)
            lower_edge = y + height
            # Only the lanes in the visible part: there may be a thousand.
            is_visible = lower_edge > self.seen.top() and y < self.seen.bottom()
            lane = lanes[balance.lane]
            if is_visible and lane.role is Role.COMPUTE:
                at = QRectF(PAD, y, names, BAR)
                self._draw_lane(ink, lane.name, balance, at, most)
            elif is_visible:
                at = QRectF(PAD, y, names, HELPER - 4)
                name = helper_text(lane, balance)
                self._draw_helper(ink, name, balance, at, most)
            y = lower_edge
        return y

    def _draw_head(self, ink: Ink, scene: Scene) -> float:
        """Draw lane 0's load, the legend and the step; return the upper edge of the legend."""
        top = 0.0
        right = self.width() - PAD
        load = load_text(scene)
        if load:
            line = QRectF(PAD, 4, right - PAD, LOAD - 3)
            ink.bold(line, load)
            top = LOAD
        legend = self._draw_legend(ink, PAD, top)
        over = ntr("{n:,} step", "{n:,} steps", scene.summed)
        if scene.summed == 1:
            over = name_of_step(scene.trace, scene.summed_steps[0])
        rest = QRectF(legend, top + 4, right - legend, 17)
        if ink.small_width(over) <= rest.width():
            ink.small(rest, over, RIGHT)
        return top

    def _names_width(self, ink: Ink, scene: Scene) -> float:
        """Return the width of the widest text left of the bars."""
        lanes = scene.trace.header.lanes
        widest = 0.0
        for balance in scene.balances:
            lane = lanes[balance.lane]
            if lane.role is Role.COMPUTE:
                width = ink.bold_width(lane.name)
            else:
                width = ink.small_width(helper_text(lane, balance))
            widest = max(widest, width)
        return widest

    def _draw_legend(self, ink: Ink, x: float, top: float) -> float:
        """Draw the legend of the colours from `x` on, below `top`; return its right edge."""
        theme = self.theme
        hatching = hatch_brush(theme.idle, self.devicePixelRatioF())
        entries = (
            (QColor(theme.forward), tr("busy")),
            (QColor(theme.communication), tr("communication")),
            (hatching, tr("idle")),
        )
        for brush, name in entries:
            swatch = QRectF(x, top + 8, 9, 9)
            ink.painter.fillRect(swatch, brush)
            width = ink.small_width(name) + 4
            words = QRectF(x + 14, top + 4, width, 17)
            ink.small(words, name)
            x += width + 26
        return x

    def _draw_lane(self, ink: Ink, name: str, balance: LaneBalance, at: QRectF, most: int) -> None:
        """Draw a compute lane: its name, its bar and its memory; `most` bytes fill the gauge."""
        ink.bold(at, name)
        left = at.right()
        width = self._bar_width(left, most)
        bar = QRectF(left, at.top(), width, BAR)
        self._draw_bar(ink.painter, bar, balance)
        below = QRectF(left, at.bottom() + 1, width, 15)
        if most:
            below.setWidth(width + AIR)
        ink.small(below, time_text(balance))
        peak = balance.peak_bytes
        if peak:
            left_of_memory = bar.right()
            gauge = QRectF(left_of_memory + 8, at.top() + 4, MEMORY - 8, 7)
            ink.fill(gauge, self.theme.grid)
            filled = gauge.width() * peak / most
            gauge.setWidth(filled)
            ink.fill(gauge, self.theme.muted)
            size = QRectF(left_of_memory, below.top(), MEMORY, 15)
            ink.small(size, bytes_text(peak), RIGHT)

    def _bar_width(self, left: float, most: int) -> float:
        """Return the width of the bars, which leave room for memory if any was recorded."""
        width = self.width() - PAD - left
        if most:
            width -= MEMORY
        return width

    def _draw_helper(
        self, ink: Ink, name: str, balance: LaneBalance, at: QRectF, most: int
    ) -> None:
        """Draw a copy or communication lane in a low row, below the lane that it serves."""
        ink.small(at, name)
        left = at.right()
        top = at.center().y() - THIN / 2
        width = self._bar_width(left, most)
        bar = QRectF(left, top, width, THIN)
        self._draw_bar(ink.painter, bar, balance)

    def _draw_bar(self, painter: QPainter, bar: QRectF, balance: LaneBalance) -> None:
        """Draw busy, communication and idle time from left to right; their sum is the makespan."""
        theme = self.theme
        time = balance.time
        total = time.busy_ns + time.communication_ns + time.idle_ns
        fill(painter, bar, theme.grid)
        # The whole bar is hatched first: the part that is not painted over is idle time.
        hatching = hatch_brush(theme.idle, self.devicePixelRatioF())
        painter.fillRect(bar, hatching)
        x = bar.left()
        parts = (
            (theme.forward, time.busy_ns),
            (theme.communication, time.communication_ns),
        )
        for colour, part in parts:
            width = bar.width() * part / total if total else 0.0
            area = QRectF(x, bar.top(), width, bar.height())
            fill(painter, area, colour)
            x += width

    def _draw_table(self, ink: Ink, rows: list[Row], y: float) -> float:
        """Draw a small table whose first row is its header; return its lower edge."""
        theme = self.theme
        width = self.width() - 2 * PAD
        left = int(PAD)
        right = int(PAD + width)
        rule = int(y - 3)
        ink.painter.setPen(QColor(theme.line))
        ink.painter.drawLine(left, rule, right, rule)
        names = max(ink.small_width(row[0]) for row in rows) + 4
        columns = len(rows[0]) - 1
        each = (width - names) / columns
        colour = ""  # of the header
        for name, *figures in rows:
            heading = QRectF(PAD, y, names, SHARE)
            ink.small(heading, name, colour=colour)
            cell = QRectF(PAD + names, y, each, SHARE)
            for text in figures:
                ink.small(cell, text, RIGHT, colour)
                cell.translate(each, 0)
            colour = theme.text
            y += SHARE
        return y


def _row_height(scene: Scene, balance: LaneBalance) -> float:
    lane = scene.trace.header.lanes[balance.lane]
    return ROW if lane.role is Role.COMPUTE else HELPER
