"""Devices: what every lane did with its time and memory, how even, and what lane 0 does for all."""

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
from core.plan.plan import Lane, Role
from core.plan.task import Kind
from gui.look.text import NONE, bytes_text, duration_text, ntr, percent_text, tr
from gui.look.writing import RIGHT
from gui.timeline.layout.fonts import text_width
from gui.timeline.paint.hatch import hatch_brush
from gui.timeline.state.lane_facts import helper_name
from gui.timeline.state.scene import Scene, step_name
from gui.widgets.drawing import Ink
from gui.widgets.sheet import PAD, Sheet

HEAD = 24.0
LOAD = 20.0  # of the sentence on lane 0
ROW = 42.0
BAR = 15.0
SHARE = 18.0
HELPER = 18.0  # of a copy or communication lane
THIN = 6.0  # of its bar
MEMORY = 64.0
TABLE = 16.0  # free pixels around a table
AIR = 12.0  # free pixels left of the memory's figure


class DevicesPanel(Sheet):
    """A bar of busy, communication and idle time for each lane; below them, how even they are.

    They are of the step that the window's figures are of.
    """

    def __init__(self) -> None:
        empty = tr("How each lane spends its time and memory appears here with the first step.")
        super().__init__(tr("Devices"), empty)

    def height_of(self, scene: Scene) -> float:  # noqa: D102
        lanes = sum(_height(scene, balance) for balance in scene.balances)
        tables = [len(rows) for rows in (balance_rows(scene), share_rows(scene)) if rows]
        top = HEAD + LOAD * bool(load_words(scene))
        return top + lanes + sum(SHARE * rows + TABLE for rows in tables)

    def words_of(self, scene: Scene) -> str:  # noqa: D102
        lanes = scene.trace.header.lanes
        lines = [
            f"{lanes[b.lane].name}: {time_words(b)}, {memory_words(b)}" for b in scene.balances
        ]
        even = [", ".join(filter(None, row)) for row in balance_rows(scene)]
        shares = first_lane_shares(scene.trace, scene.balances)
        load = filter(None, [load_words(scene)])
        shared = (share_words(share, scene.summed) for share in shares)
        return "; ".join([*load, *lines, *even, *shared])

    def draw_scene(self, ink: Ink, scene: Scene) -> None:  # noqa: D102
        lanes = scene.trace.header.lanes
        names = self._names_width(ink, scene) + 12
        most = max((balance.peak_bytes for balance in scene.balances), default=0)
        load = load_words(scene)
        top = LOAD * bool(load)
        if load:
            ink.bold(QRectF(PAD, 4, self.width() - 2 * PAD, LOAD - 3), load)
        legend = self._legend(ink, PAD, top)
        over = ntr("{n:,} step", "{n:,} steps", scene.summed)
        if scene.summed == 1:
            over = step_name(scene.summed_steps[0], scene.trace.header.specification.warmup)
        beside = QRectF(legend, top + 4, self.width() - PAD - legend, 17)
        if text_width(ink.fonts.small, over) <= beside.width():
            ink.small(beside, over, RIGHT)
        y = top + HEAD
        for balance in sorted(scene.balances, key=lambda b: (lanes[b.lane].serves, b.lane)):
            high = _height(scene, balance)
            # Only the lanes in what is painted now: there may be a thousand.
            if y + high > self.seen.top() and y < self.seen.bottom():
                lane = lanes[balance.lane]
                if lane.role is Role.COMPUTE:
                    self._lane(ink, lane.name, balance, QRectF(PAD, y, names, BAR), most)
                else:
                    at = QRectF(PAD, y, names, HELPER - 4)
                    self._helper(ink, helper_words(lane, balance), balance, at, most)
            y += high
        for rows in (balance_rows(scene), share_rows(scene)):
            if rows:
                y = self._table(ink, rows, y + TABLE / 2) + TABLE / 2

    def _names_width(self, ink: Ink, scene: Scene) -> float:
        """Return the width of the widest text left of the bars."""
        lanes = scene.trace.header.lanes
        widths = []
        for balance in scene.balances:
            lane = lanes[balance.lane]
            if lane.role is Role.COMPUTE:
                widths.append(text_width(ink.fonts.bold, lane.name))
            else:
                widths.append(text_width(ink.fonts.small, helper_words(lane, balance)))
        return max(widths, default=0.0)

    def _legend(self, ink: Ink, x: float, top: float) -> float:
        """Draw what the colours mean from `x` on, below `top`; returns where that ends."""
        for brush, name in (
            (QColor(self.theme.forward), tr("busy")),
            (QColor(self.theme.communication), tr("communication")),
            (hatch_brush(self.theme.idle, self.devicePixelRatioF()), tr("idle")),
        ):
            ink.painter.fillRect(QRectF(x, top + 8, 9, 9), brush)
            width = text_width(ink.fonts.small, name) + 4
            ink.small(QRectF(x + 14, top + 4, width, 17), name)
            x += width + 26
        return x

    def _lane(self, ink: Ink, name: str, balance: LaneBalance, at: QRectF, most: int) -> None:
        ink.bold(at, name)
        left = at.right()
        bar = QRectF(left, at.top(), self.width() - PAD - left - (MEMORY if most else 0), BAR)
        self._bar(ink.painter, bar, balance)
        below = QRectF(left, at.bottom() + 1, bar.width() + (AIR if most else 0), 15)
        ink.small(below, time_words(balance))
        if balance.peak_bytes:
            gauge = QRectF(bar.right() + 8, at.top() + 4, MEMORY - 8, 7)
            ink.painter.fillRect(gauge, QColor(self.theme.grid))
            gauge.setWidth(gauge.width() * balance.peak_bytes / most)
            ink.painter.fillRect(gauge, QColor(self.theme.muted))
            below = QRectF(bar.right(), at.bottom() + 1, MEMORY, 15)
            ink.small(below, bytes_text(balance.peak_bytes), RIGHT)

    def _helper(self, ink: Ink, name: str, balance: LaneBalance, at: QRectF, most: int) -> None:
        """Draw a copy or communication lane in one low line, below the lane that it serves."""
        ink.small(at, name)
        wide = self.width() - PAD - at.right() - (MEMORY if most else 0)
        bar = QRectF(at.right(), at.center().y() - THIN / 2, wide, THIN)
        self._bar(ink.painter, bar, balance)

    def _bar(self, painter: QPainter, bar: QRectF, balance: LaneBalance) -> None:
        """Busy, communication, idle from left to right; together the whole makespan."""
        time = balance.time
        total = time.busy_ns + time.communication_ns + time.idle_ns
        painter.fillRect(bar, QColor(self.theme.grid))
        # All of it at first: what busy time and communication leave free of it is idle.
        painter.fillRect(bar, hatch_brush(self.theme.idle, self.devicePixelRatioF()))
        x = bar.left()
        for colour, part in (
            (self.theme.forward, time.busy_ns),
            (self.theme.communication, time.communication_ns),
        ):
            width = bar.width() * part / total if total else 0.0
            painter.fillRect(QRectF(x, bar.top(), width, bar.height()), QColor(colour))
            x += width

    def _table(self, ink: Ink, rows: list[tuple[str, ...]], y: float) -> float:
        """A small table, its heads first; returns where it ends."""
        wide = self.width() - 2 * PAD
        ink.painter.setPen(QColor(self.theme.line))
        ink.painter.drawLine(int(PAD), int(y - 3), int(PAD + wide), int(y - 3))
        first = max(text_width(ink.fonts.small, row[0]) for row in rows) + 4
        each = (wide - first) / (len(rows[0]) - 1)
        for number, (name, *figures) in enumerate(rows):
            top, colour = y + SHARE * number, self.theme.text if number else ""
            ink.small(QRectF(PAD, top, first, SHARE), name, colour=colour)
            for column, text in enumerate(figures):
                at = QRectF(PAD + first + column * each, top, each, SHARE)
                ink.small(at, text, RIGHT, colour)
        return y + SHARE * len(rows)


def load_words(scene: Scene) -> str:
    """Return how much lane 0 is loaded compared with the mean; "" where lanes do different work.

    That is so with a single lane, and where each lane has stages of its own.
    """
    stages = {number for facts in scene.facts for number in facts.stages}
    if len(stages) > 1:
        return ""
    load = first_lane_load(scene.trace, scene.balances)
    if load is None or load.work is None:
        return ""
    lane = scene.trace.header.lanes[0].name
    work = _noted(f"{load.work:.2f}", scene.unevenness.first_lane)
    if load.memory is None:
        return tr("{lane}: {work} × the mean work", lane=lane, work=work)
    memory = f"{load.memory:.2f}"
    return tr(
        "{lane}: {work} × the mean work, {memory} × the mean memory",
        lane=lane,
        work=work,
        memory=memory,
    )


def _noted(ratio: str, is_sure: bool) -> str:
    """Mark a ratio as noise, unless it `is_sure`: the lanes differ by less than steps scatter."""
    return ratio if is_sure or ratio == NONE else tr("{ratio} (noise)", ratio=ratio)


def balance_rows(scene: Scene) -> list[tuple[str, ...]]:
    """Computing, moving, rows and peak memory of each compute lane in a mean step, heads first.

    Last the largest over the mean of each. Nothing for a single lane.
    """
    lanes = scene.trace.header.lanes
    compute = [b for b in scene.balances if lanes[b.lane].role is Role.COMPUTE]
    if len(compute) < 2 or not scene.summed:
        return []
    moving = moving_ns(scene.trace, scene.balances)
    rows = [
        (
            lanes[b.lane].name,
            duration_text(b.time.busy_ns / scene.summed),
            duration_text(moving[b.lane] / scene.summed) if moving[b.lane] else NONE,
            f"{b.rows / scene.summed:.4g}",
            bytes_text(b.peak_bytes) if b.peak_bytes else NONE,
        )
        for b in compute
    ]
    even = imbalance(scene.trace, scene.balances)
    ratios = (even.compute, even.communication, even.rows, even.memory)
    computing, *others = [NONE if ratio is None else f"{ratio:.2f}×" for ratio in ratios]
    last = (tr("max / mean"), _noted(computing, scene.unevenness.computing), *others)
    return [("", tr("compute"), tr("moves"), tr("rows"), tr("peak")), *rows, last]


def share_rows(scene: Scene) -> list[tuple[str, ...]]:
    """Lane 0 against the mean of the others in a mean step, heads first; empty without a gather."""
    shares = first_lane_shares(scene.trace, scene.balances)
    if not shares or not scene.summed:
        return []
    heads = ("", scene.trace.header.lanes[0].name, tr("bytes"), tr("others"), tr("ratio"))
    return [heads, *((share_name(s), *share_figures(s, scene.summed)) for s in shares)]


def time_words(balance: LaneBalance) -> str:
    """Busy, communication and idle time of a lane in per cent of the makespan."""
    time = balance.time
    total = time.busy_ns + time.communication_ns + time.idle_ns or 1
    return tr(
        "busy {busy} · comm {communication} · idle {idle}",
        busy=percent_text(time.busy_ns / total),
        communication=percent_text(time.communication_ns / total),
        idle=percent_text(time.idle_ns / total),
    )


def memory_words(balance: LaneBalance) -> str:
    """Most memory that a lane held."""
    return tr("peak {size}", size=bytes_text(balance.peak_bytes)) if balance.peak_bytes else ""


def share_name(share: FirstLaneShare) -> str:
    """What a share is of."""
    if share.kind is None:
        return tr("peak memory")
    return {Kind.GATHER: tr("gather"), Kind.REDUCE: tr("reduce")}.get(
        share.kind, tr(str(share.kind))
    )


def share_figures(share: FirstLaneShare, steps: int) -> tuple[str, str, str, str]:
    """Lane 0's figure in a mean step, its bytes, the others' mean, and lane 0's over that."""
    text = bytes_text if share.kind is None else duration_text
    count = 1 if share.kind is None else steps
    moved = bytes_text(share.first_bytes / steps) if share.first_bytes else NONE
    others = text(share.others / count) if share.others else tr("none")
    ratio = f"{share.ratio:.1f}×" if share.ratio is not None else NONE
    return text(share.first / count), moved, others, ratio


def share_words(share: FirstLaneShare, steps: int) -> str:
    """A share for screen readers."""
    first, moved, others, _ = share_figures(share, steps)
    return tr(
        "{what}: {first} ({moved}) against {others}",
        what=share_name(share), first=first, moved=moved, others=others,
    )  # fmt: skip


def helper_words(lane: Lane, balance: LaneBalance) -> str:
    """Return what a lane below the one that it serves does, and for how much of the step."""
    time = balance.time
    total = time.busy_ns + time.communication_ns + time.idle_ns or 1
    return f"{helper_name(lane)} {percent_text(1 - time.idle_ns / total)}"


def _height(scene: Scene, balance: LaneBalance) -> float:
    return ROW if scene.trace.header.lanes[balance.lane].role is Role.COMPUTE else HELPER
