"""Devices: what every lane did with its time and memory, and what lane 0 does for all."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from core.explain.balance import LaneBalance, Share, first_lane_shares
from core.plan.task import Kind, Role
from gui.panels.sheet import LEFT, PAD, RIGHT, Sheet
from gui.text import bytes_text, duration_text, percent_text, tr
from gui.timeline.painter import Fonts, hatch_brush, text_width
from gui.timeline.scene import Scene

HEAD = 24.0
ROW = 42.0
BAR = 15.0
SHARE = 18.0
MEMORY = 64.0


class DevicesPanel(Sheet):
    """A bar of busy, communication and idle time for each lane; below it, its memory's peak."""

    def __init__(self) -> None:
        super().__init__()
        self.empty = tr(
            "How each lane spends its time and memory appears here with the first step."
        )
        self.setAccessibleName(tr("Devices"))

    def content_height(self, scene: Scene) -> float:  # noqa: D102
        shares = len(first_lane_shares(scene.trace, scene.balances))
        lanes = sum(_height(scene, balance) for balance in scene.balances)
        return HEAD + lanes + (SHARE * (shares + 1) + 10 if shares else 0) + 6

    def words(self, scene: Scene) -> str:  # noqa: D102
        lanes = scene.trace.header.lanes
        lines = [
            f"{lanes[b.lane].name}: {time_words(b)}, {memory_words(b)}" for b in scene.balances
        ]
        return "; ".join(
            [*lines, *map(share_words, first_lane_shares(scene.trace, scene.balances))]
        )

    def draw(self, painter: QPainter, scene: Scene, fonts: Fonts) -> None:  # noqa: D102
        lanes = scene.trace.header.lanes
        names = max(text_width(fonts.bold, lane.name) for lane in lanes) + 12
        most = max((balance.peak_bytes for balance in scene.balances), default=0)
        self._legend(painter, fonts, PAD + names)
        over = tr("1 step") if scene.summed == 1 else tr("over {n} steps", n=scene.summed)
        painter.drawText(QRectF(self.width() - PAD - 90, 4, 90, 17), RIGHT, over)
        y = HEAD
        for balance in scene.balances:
            self._lane(
                painter, fonts, lanes[balance.lane].name, balance, QRectF(PAD, y, names, BAR), most
            )
            y += _height(scene, balance)
        shares = first_lane_shares(scene.trace, scene.balances)
        if shares:
            self._shares(painter, fonts, shares, lanes[0].name, y + 4)

    def _legend(self, painter: QPainter, fonts: Fonts, x: float) -> None:
        painter.setFont(fonts.small)
        for colour, name in (
            (self.theme.forward, tr("busy")),
            (self.theme.communication, tr("communication")),
            ("", tr("idle")),
        ):
            box = QRectF(x, 8, 9, 9)
            painter.fillRect(
                box,
                QColor(colour)
                if colour
                else hatch_brush(self.theme.idle, self.devicePixelRatioF()),
            )
            painter.setPen(QColor(self.theme.muted))
            width = text_width(fonts.small, name) + 4
            painter.drawText(QRectF(x + 14, 4, width, 17), LEFT, name)
            x += width + 26

    def _lane(
        self,
        painter: QPainter,
        fonts: Fonts,
        name: str,
        balance: LaneBalance,
        at: QRectF,
        most: int,
    ) -> None:
        painter.setFont(fonts.bold)
        painter.setPen(QColor(self.theme.text))
        painter.drawText(at, LEFT, name)
        left = at.right()
        bar = QRectF(left, at.top(), self.width() - PAD - left - (MEMORY if most else 0), BAR)
        self._bar(painter, bar, balance)
        painter.setFont(fonts.small)
        painter.setPen(QColor(self.theme.muted))
        painter.drawText(QRectF(left, at.bottom() + 1, bar.width(), 15), LEFT, time_words(balance))
        if balance.peak_bytes:
            gauge = QRectF(bar.right() + 8, at.top() + 4, MEMORY - 8, 7)
            painter.fillRect(gauge, QColor(self.theme.grid))
            full = gauge.width() * balance.peak_bytes / most
            painter.fillRect(QRectF(gauge.left(), gauge.top(), full, 7), QColor(self.theme.muted))
            below = QRectF(bar.right(), at.bottom() + 1, MEMORY, 15)
            painter.drawText(below, RIGHT, bytes_text(balance.peak_bytes))

    def _bar(self, painter: QPainter, bar: QRectF, balance: LaneBalance) -> None:
        """Busy, communication, idle from left to right; together the whole makespan."""
        time = balance.time
        total = time.busy_ns + time.communication_ns + time.idle_ns
        painter.fillRect(bar, QColor(self.theme.grid))
        painter.fillRect(bar, hatch_brush(self.theme.idle, self.devicePixelRatioF()))
        x = bar.left()
        for colour, part in (
            (self.theme.forward, time.busy_ns),
            (self.theme.communication, time.communication_ns),
        ):
            width = bar.width() * part / total if total else 0.0
            painter.fillRect(QRectF(x, bar.top(), width, bar.height()), QColor(colour))
            x += width

    def _shares(
        self, painter: QPainter, fonts: Fonts, shares: list[Share], name: str, y: float
    ) -> None:
        """A small table: lane 0 against the mean of the others."""
        wide = self.width() - 2 * PAD
        columns = [
            QRectF(PAD + wide * share, y, wide * 0.24, SHARE) for share in (0.28, 0.52, 0.76)
        ]
        painter.setFont(fonts.small)
        painter.setPen(QColor(self.theme.line))
        painter.drawLine(int(PAD), int(y - 3), int(PAD + wide), int(y - 3))
        painter.setPen(QColor(self.theme.muted))
        heads = (name, tr("others' mean"), tr("ratio"))
        for rect, text in zip(columns, heads, strict=True):
            painter.drawText(rect, RIGHT, text)
        for number, share in enumerate(shares, 1):
            down = SHARE * number
            painter.setPen(QColor(self.theme.text))
            painter.drawText(QRectF(PAD, y + down, wide * 0.3, SHARE), LEFT, share_name(share))
            for rect, text in zip(columns, share_figures(share), strict=True):
                painter.drawText(rect.translated(0, down), RIGHT, text)


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


def share_name(share: Share) -> str:
    """What a share is of."""
    if share.kind is None:
        return tr("peak memory")
    return {Kind.GATHER: tr("gather"), Kind.REDUCE: tr("reduce")}.get(
        share.kind, tr(str(share.kind))
    )


def share_figures(share: Share) -> tuple[str, str, str]:
    """Lane 0's figure, the others' mean, and their ratio."""
    text = bytes_text if share.kind is None else duration_text
    others = text(share.others) if share.others else tr("none")
    ratio = f"{share.ratio:.1f}×" if share.ratio is not None else "–"
    return text(share.first), others, ratio


def share_words(share: Share) -> str:
    """A share for screen readers."""
    first, others, _ = share_figures(share)
    return tr(
        "{what}: {first} against {others}", what=share_name(share), first=first, others=others
    )


def _height(scene: Scene, balance: LaneBalance) -> float:
    compute = scene.trace.header.lanes[balance.lane].role is Role.COMPUTE
    return ROW if compute else ROW - 2
