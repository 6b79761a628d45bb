"""Devices: time and memory of each lane, how even they are, and lane 0's work for the others."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from core.explain.balance import (
    FirstLaneShare,
    LaneBalance,
    first_lane_load,
    first_lane_shares,
    imbalance,
    moving_ns,
)
from core.override import override
from core.plan.plan import Lane, Role
from core.plan.task import Kind
from gui.look.painter import fill
from gui.look.text import NONE, bytes_text, duration_text, ntr, percent_text, tr
from gui.look.writing import RIGHT
from gui.timeline.layout.fonts import text_width
from gui.timeline.paint.hatch import hatch_brush
from gui.timeline.state.lane_facts import helper_name
from gui.timeline.state.scene import Scene, step_name
from gui.widgets.drawing import Ink
from gui.widgets.sheet import PAD, Sheet

HEAD = 24.0
LOAD = 20.0  # height of the sentence on lane 0
ROW = 42.0
BAR = 15.0
SHARE = 18.0
HELPER = 18.0  # height of the row of a copy or communication lane
THIN = 6.0  # height of the bar in it
MEMORY = 64.0
TABLE = 16.0  # free pixels around a table
AIR = 12.0  # free pixels left of the memory's figure

Row = tuple[str, ...]


class DevicesPanel(Sheet):
    """A bar of busy, communication and idle time for each lane; below them, how even they are.

    The figures are of the described step.
    """

    def __init__(self) -> None:
        empty = tr("How each lane spends its time and memory appears here with the first step.")
        super().__init__(tr("Devices"), empty)

    @property
    @override
    def stepped_scene(self) -> Scene | None:
        scene = super().stepped_scene
        return None if scene is None or scene.concealed else scene

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
        for balance in scene.balances:
            lane = scene.trace.header.lanes[balance.lane]
            lines.append(f"{lane.name}: {time_text(balance)}, {memory_text(balance)}")
        for row in balance_rows(scene):
            lines.append(", ".join(cell for cell in row if cell))
        for share in first_lane_shares(scene.trace, scene.balances):
            lines.append(share_text(share, scene.summed))
        return "; ".join(lines)

    @override
    def draw_scene(self, ink: Ink, scene: Scene) -> None:
        lanes = scene.trace.header.lanes
        names = self._names_width(ink, scene) + 12
        most = max((balance.peak_bytes for balance in scene.balances), default=0)
        top = self._draw_head(ink, scene)
        y = top + HEAD
        # Each lane is followed by the lanes that serve it.
        in_order = sorted(scene.balances, key=lambda one: (lanes[one.lane].serves, one.lane))
        for balance in in_order:
            height = _row_height(scene, balance)
            # Only the lanes in the visible part: there may be a thousand.
            is_visible = y + height > self.seen.top() and y < self.seen.bottom()
            lane = lanes[balance.lane]
            if is_visible and lane.role is Role.COMPUTE:
                at = QRectF(PAD, y, names, BAR)
                self._draw_lane(ink, lane.name, balance, at, most)
            elif is_visible:
                at = QRectF(PAD, y, names, HELPER - 4)
                self._draw_helper(ink, helper_text(lane, balance), balance, at, most)
            y += height
        for rows in (balance_rows(scene), share_rows(scene)):
            if rows:
                lower_edge = self._draw_table(ink, rows, y + TABLE / 2)
                y = lower_edge + TABLE / 2

    def _draw_head(self, ink: Ink, scene: Scene) -> float:
        """Draw lane 0's load, the legend and the step; return the upper edge of the legend."""
        top = 0.0
        load = load_text(scene)
        if load:
            ink.bold(QRectF(PAD, 4, self.width() - 2 * PAD, LOAD - 3), load)
            top = LOAD
        legend = self._draw_legend(ink, PAD, top)
        over = ntr("{n:,} step", "{n:,} steps", scene.summed)
        if scene.summed == 1:
            warmup = scene.trace.header.specification.warmup
            over = step_name(scene.summed_steps[0], warmup)
        rest = QRectF(legend, top + 4, self.width() - PAD - legend, 17)
        if text_width(ink.fonts.small, over) <= rest.width():
            ink.small(rest, over, RIGHT)
        return top

    def _names_width(self, ink: Ink, scene: Scene) -> float:
        """Return the width of the widest text left of the bars."""
        lanes = scene.trace.header.lanes
        widest = 0.0
        for balance in scene.balances:
            lane = lanes[balance.lane]
            if lane.role is Role.COMPUTE:
                width = text_width(ink.fonts.bold, lane.name)
            else:
                width = text_width(ink.fonts.small, helper_text(lane, balance))
            widest = max(widest, width)
        return widest

    def _draw_legend(self, ink: Ink, x: float, top: float) -> float:
        """Draw the meaning of the colours from `x` on, below `top`; return its right edge."""
        entries = (
            (QColor(self.theme.forward), tr("busy")),
            (QColor(self.theme.communication), tr("communication")),
            (hatch_brush(self.theme.idle, self.devicePixelRatioF()), tr("idle")),
        )
        for brush, name in entries:
            ink.painter.fillRect(QRectF(x, top + 8, 9, 9), brush)
            width = text_width(ink.fonts.small, name) + 4
            ink.small(QRectF(x + 14, top + 4, width, 17), name)
            x += width + 26
        return x

    def _draw_lane(self, ink: Ink, name: str, balance: LaneBalance, at: QRectF, most: int) -> None:
        """Draw a compute lane: its name, its bar and its memory, `most` bytes being full width."""
        ink.bold(at, name)
        left = at.right()
        width = self.width() - PAD - left
        if most:
            width -= MEMORY
        bar = QRectF(left, at.top(), width, BAR)
        self._draw_bar(ink.painter, bar, balance)
        below = QRectF(left, at.bottom() + 1, bar.width(), 15)
        if most:
            below.setWidth(bar.width() + AIR)
        ink.small(below, time_text(balance))
        if balance.peak_bytes:
            gauge = QRectF(bar.right() + 8, at.top() + 4, MEMORY - 8, 7)
            fill(ink.painter, gauge, self.theme.grid)
            gauge.setWidth(gauge.width() * balance.peak_bytes / most)
            fill(ink.painter, gauge, self.theme.muted)
            size = QRectF(bar.right(), below.top(), MEMORY, 15)
            ink.small(size, bytes_text(balance.peak_bytes), RIGHT)

    def _draw_helper(
        self, ink: Ink, name: str, balance: LaneBalance, at: QRectF, most: int
    ) -> None:
        """Draw a copy or communication lane in a low row, below the lane that it serves."""
        ink.small(at, name)
        left = at.right()
        width = self.width() - PAD - left
        if most:
            width -= MEMORY
        bar = QRectF(left, at.center().y() - THIN / 2, width, THIN)
        self._draw_bar(ink.painter, bar, balance)

    def _draw_bar(self, painter: QPainter, bar: QRectF, balance: LaneBalance) -> None:
        """Draw busy, communication and idle time from left to right; their sum is the makespan."""
        time = balance.time
        total = time.busy_ns + time.communication_ns + time.idle_ns
        fill(painter, bar, self.theme.grid)
        # The whole bar is hatched first: the part that is left free is idle time.
        painter.fillRect(bar, hatch_brush(self.theme.idle, self.devicePixelRatioF()))
        x = bar.left()
        parts = (
            (self.theme.forward, time.busy_ns),
            (self.theme.communication, time.communication_ns),
        )
        for colour, part in parts:
            width = bar.width() * part / total if total else 0.0
            fill(painter, QRectF(x, bar.top(), width, bar.height()), colour)
            x += width

    def _draw_table(self, ink: Ink, rows: list[Row], y: float) -> float:
        """Draw a small table whose first row is its header; return its lower edge."""
        width = self.width() - 2 * PAD
        ink.painter.setPen(QColor(self.theme.line))
        left = int(PAD)
        right = int(PAD + width)
        rule = int(y - 3)
        ink.painter.drawLine(left, rule, right, rule)
        names = max(text_width(ink.fonts.small, row[0]) for row in rows) + 4
        columns = len(rows[0]) - 1
        each = (width - names) / columns
        colour = ""  # of the header
        for name, *figures in rows:
            ink.small(QRectF(PAD, y, names, SHARE), name, colour=colour)
            cell = QRectF(PAD + names, y, each, SHARE)
            for text in figures:
                ink.small(cell, text, RIGHT, colour)
                cell.translate(each, 0)
            colour = self.theme.text
            y += SHARE
        return y


def load_text(scene: Scene) -> str:
    """Return lane 0's work and memory relative to the mean of all lanes.

    "" for a single lane, and if the lanes have different stages.
    """
    stages: set[int] = set()
    for facts in scene.facts:
        stages.update(facts.stages)
    if len(stages) > 1:
        return ""
    load = first_lane_load(scene.trace, scene.balances)
    if load is None or load.work is None:
        return ""
    lane = scene.trace.header.lanes[0].name
    work = _marked(f"{load.work:.2f}", scene.unevenness.first_lane)
    if load.memory is None:
        return tr("{lane}: {work} × the mean work", lane=lane, work=work)
    memory = f"{load.memory:.2f}"
    return tr(
        "{lane}: {work} × the mean work, {memory} × the mean memory",
        lane=lane,
        work=work,
        memory=memory,
    )


def _marked(ratio: str, is_sure: bool) -> str:
    """Mark a ratio as noise unless it `is_sure`, which means: larger than the scatter of steps."""
    if is_sure or ratio == NONE:
        return ratio
    return tr("{ratio} (noise)", ratio=ratio)


def balance_rows(scene: Scene) -> list[Row]:
    """Return a table of each compute lane's work in a mean step; empty for a single lane.

    The first row is the header, and the last one has the largest value over the mean. The columns
    are the time of computing, the time of moving data, rows of the batch, and peak memory.
    """
    lanes = scene.trace.header.lanes
    compute = [one for one in scene.balances if lanes[one.lane].role is Role.COMPUTE]
    if len(compute) < 2 or not scene.summed:
        return []
    moving = moving_ns(scene.trace, scene.balances)
    rows: list[Row] = [("", tr("compute"), tr("moves"), tr("rows"), tr("peak"))]
    steps = scene.summed
    for balance in compute:
        name = lanes[balance.lane].name
        busy = duration_text(balance.time.busy_ns / steps)
        moving_time = moving[balance.lane]
        moves = duration_text(moving_time / steps) if moving_time else NONE
        batch_rows = f"{balance.rows / steps:.4g}"
        peak = bytes_text(balance.peak_bytes) if balance.peak_bytes else NONE
        rows.append((name, busy, moves, batch_rows, peak))
    even = imbalance(scene.trace, scene.balances)
    computing = _marked(_ratio_text(even.compute), scene.unevenness.computing)
    others = (even.communication, even.rows, even.memory)
    rows.append((tr("max / mean"), computing, *map(_ratio_text, others)))
    return rows


def _ratio_text(ratio: float | None) -> str:
    return NONE if ratio is None else f"{ratio:.2f}×"


def share_rows(scene: Scene) -> list[Row]:
    """Return a table of lane 0 and the mean of the other lanes, in a mean step.

    Empty if nothing is gathered on lane 0.
    """
    shares = first_lane_shares(scene.trace, scene.balances)
    if not shares or not scene.summed:
        return []
    first_lane = scene.trace.header.lanes[0].name
    rows: list[Row] = [("", first_lane, tr("bytes"), tr("others"), tr("ratio"))]
    for share in shares:
        figures = share_figures(share, scene.summed)
        rows.append((share_name(share), *figures))
    return rows


def time_text(balance: LaneBalance) -> str:
    """Return busy, communication and idle time of a lane in per cent of the makespan."""
    time = balance.time
    total = time.busy_ns + time.communication_ns + time.idle_ns or 1
    return tr(
        "busy {busy} · comm {communication} · idle {idle}",
        busy=percent_text(time.busy_ns / total),
        communication=percent_text(time.communication_ns / total),
        idle=percent_text(time.idle_ns / total),
    )


def memory_text(balance: LaneBalance) -> str:
    """Return the most memory that a lane held; "" if it is not known."""
    if not balance.peak_bytes:
        return ""
    return tr("peak {size}", size=bytes_text(balance.peak_bytes))


def share_name(share: FirstLaneShare) -> str:
    """Return the name of lane 0's share: a kind of task, or peak memory."""
    if share.kind is None:
        return tr("peak memory")
    names = {Kind.GATHER: tr("gather"), Kind.REDUCE: tr("reduce")}
    return names.get(share.kind, tr(str(share.kind)))


def share_figures(share: FirstLaneShare, steps: int) -> tuple[str, str, str, str]:
    """Return lane 0's figure in a mean step, its bytes, the others' mean, and the ratio."""
    # Peak memory is in bytes and not summed over steps; a kind of task has times, which are.
    is_memory = share.kind is None
    text = bytes_text if is_memory else duration_text
    count = 1 if is_memory else steps
    first = text(share.first / count)
    moved = bytes_text(share.first_bytes / steps) if share.first_bytes else NONE
    others = text(share.others / count) if share.others else tr("none")
    ratio = f"{share.ratio:.1f}×" if share.ratio is not None else NONE
    return first, moved, others, ratio


def share_text(share: FirstLaneShare, steps: int) -> str:
    """Return lane 0's share in words, for screen readers."""
    first, moved, others, _ = share_figures(share, steps)
    return tr(
        "{what}: {first} ({moved}) against {others}",
        what=share_name(share),
        first=first,
        moved=moved,
        others=others,
    )


def helper_text(lane: Lane, balance: LaneBalance) -> str:
    """Return a serving lane's name, and the share of the step in which it works: `copy 0.3 %`."""
    time = balance.time
    total = time.busy_ns + time.communication_ns + time.idle_ns or 1
    return f"{helper_name(lane)} {percent_text(1 - time.idle_ns / total)}"


def _row_height(scene: Scene, balance: LaneBalance) -> float:
    lane = scene.trace.header.lanes[balance.lane]
    return ROW if lane.role is Role.COMPUTE else HELPER
