"""Collectives beside the gradients that they wait for: ready, launched, begun, done, exposed."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPolygonF

from core.explain.buckets import BucketTimes, GradientReady, bucket_times, gradient_wave
from core.explain.causes import Cause
from core.plan.task import Kind
from gui.look.causes import CAUSE_LOOKS
from gui.look.text import bytes_text, duration_text, tr
from gui.look.writing import LEFT, RIGHT
from gui.timeline.interact.describe import TITLES
from gui.timeline.layout.fonts import text_width
from gui.timeline.state.scene import Scene, step_name
from gui.widgets.drawing import PAD, Drawing, Ink

HEAD = 40.0
ROW = 14.0
BAR = 8.0
BETWEEN = 8.0
MOST_RANKS = 4  # the others are like these, and are counted
MOVES = CAUSE_LOOKS[Cause.TRANSFER]
WAITS = CAUSE_LOOKS[Cause.SLOWEST_RANK]


class BucketsChart(Drawing):
    """For each rank a row of its gradients as they became ready, and one for each collective.

    Shows the step that the window's figures are of; hidden without collectives and where the step
    is not explained.
    """

    def __init__(self) -> None:
        super().__init__(tr("Collectives beside the gradients that they wait for"))
        self.ranks: dict[int, list[BucketTimes]] = {}
        self._wave: list[GradientReady] = []
        self._scene: Scene | None = None
        self._title = ""
        self.hide()

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        """Show another run, or what has come of this one."""
        self._scene = scene
        self.ranks, self._wave = {}, []
        if scene is not None and any(kind.is_collective for kind in scene.kinds):
            step = scene.described
            if step is not None and scene.explained.at_hand(step):
                self._explain(scene, step)
        self.setVisible(bool(self.ranks))
        if self.ranks:
            self.refresh()

    def _explain(self, scene: Scene, step: int) -> None:
        explanation = scene.explained.explanation(step)
        for bucket in bucket_times(explanation, scene.trace):
            self.ranks.setdefault(bucket.lane, []).append(bucket)
        self._wave = gradient_wave(explanation)
        self._title = step_name(step, scene.trace.header.specification.warmup)

    @property
    def shown(self) -> list[int]:
        """The ranks' compute lanes that are drawn."""
        return sorted(self.ranks)[:MOST_RANKS]

    def content_height(self) -> float:  # noqa: D102
        rows = sum(len(self.ranks[lane]) + 2 for lane in self.shown)
        left = ROW if len(self.ranks) > MOST_RANKS else 0
        return HEAD + ROW * rows + BETWEEN * len(self.shown) + left

    def words(self) -> str:  # noqa: D102
        return "; ".join(
            f"{self._lane(lane)}: " + ", ".join(bucket_words(b) for b in self.ranks[lane])
            for lane in sorted(self.ranks)
        )

    def draw(self, ink: Ink) -> None:  # noqa: D102
        wide = self.width() - 2 * PAD
        ink.bold(QRectF(PAD, 2, wide, 16), tr("Collectives"))
        ink.small(QRectF(PAD, 2, wide, 16), self._title, RIGHT)
        self._legend(ink)
        y = HEAD
        for lane in self.shown:
            y = self._rank(ink, lane, y) + BETWEEN
        if len(self.ranks) > MOST_RANKS:
            more = tr("and {n} more ranks", n=len(self.ranks) - MOST_RANKS)
            ink.small(QRectF(PAD, y - BETWEEN, wide, ROW), more)

    def _legend(self, ink: Ink) -> None:
        x, y = PAD, 20.0
        for look, name in (
            (None, tr("gradients ready")), (WAITS, tr("waits for ranks")), (MOVES, tr("moves")),
        ):  # fmt: skip
            if look is None:
                self._draw_marker(ink.painter, x + 5, y + 3, self.theme.backward)
            else:
                self.fill(ink.painter, QRectF(x, y + 4, 11, BAR), look)
            width = text_width(ink.fonts.small, name) + 4
            ink.small(QRectF(x + 15, y, width, 16), name)
            x += width + 27

    def _rank(self, ink: Ink, lane: int, y: float) -> float:
        """One rank's rows; returns where they end."""
        names = 34.0
        figures = text_width(ink.fonts.small, tr("exposed")) + 14
        plot = QRectF(PAD + names, y, self.width() - 2 * PAD - names - figures, ROW)
        ink.bold(QRectF(PAD, y, plot.width(), ROW), self._lane(lane))
        ink.small(QRectF(plot.right(), y, figures, ROW), tr("exposed"), RIGHT)
        plot.translate(0, ROW)
        self._gradients(ink.painter, lane, plot)
        for bucket in self.ranks[lane]:
            plot.translate(0, ROW)
            self._bucket(ink, bucket, plot, QRectF(PAD, plot.top(), names, ROW))
            exposed = bucket.exposed_ns
            text = duration_text(exposed) if exposed else tr("hidden")
            at = QRectF(plot.right(), plot.top(), figures, ROW)
            ink.small(at, text, RIGHT, self.theme.text if exposed else "")
        return plot.bottom()

    def _gradients(self, painter: QPainter, lane: int, plot: QRectF) -> None:
        """The wave: a marker where each block's gradients were there."""
        painter.setPen(QColor(self.theme.line))
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())
        for ready in self._wave:
            if ready.lane == lane:
                x = self._x(ready.time, plot)
                self._draw_marker(painter, x, plot.top() + 3, self.theme.backward)
                tip = tr("The gradients of block {n} were there.", n=ready.block)
                self.spot(QRectF(x - 5, plot.top(), 10, ROW), tip)

    def _bucket(self, ink: Ink, bucket: BucketTimes, plot: QRectF, name: QRectF) -> None:
        ink.small(name, bucket_name(bucket), LEFT, self.theme.text)
        started, begun, done = (
            self._x(time, plot) for time in (bucket.started, bucket.begun, bucket.done)
        )
        top = plot.top() + (ROW - BAR) / 2
        if begun > started:
            self.fill(ink.painter, QRectF(started, top, begun - started, BAR), WAITS)
        self.fill(ink.painter, QRectF(begun, top, max(1.0, done - begun), BAR), MOVES)
        if bucket.ready is not None:
            x = self._x(bucket.ready, plot)
            self._draw_marker(ink.painter, x, plot.top() + 3, self.theme.backward)
        self.spot(plot.united(name), bucket_words(bucket))

    def _draw_marker(self, painter: QPainter, x: float, y: float, colour: str) -> None:
        """A small triangle that points down at a moment."""
        painter.setPen(QColor(self.theme.plot))
        painter.setBrush(QColor(colour))
        painter.drawPolygon(QPolygonF([QPointF(x - 4, y), QPointF(x + 4, y), QPointF(x, y + 8)]))

    def _x(self, time: int, plot: QRectF) -> float:
        first, last = self._bounds()
        return plot.left() + (time - first) / max(1, last - first) * plot.width()

    def _bounds(self) -> tuple[int, int]:
        """From the first gradient or launch to the last end, for all ranks alike."""
        buckets = [bucket for rank in self.ranks.values() for bucket in rank]
        begins = [b.launched if b.ready is None else min(b.ready, b.launched) for b in buckets]
        ready = [wave.time for wave in self._wave]
        return min([*begins, *ready]), max([*(b.done for b in buckets), *ready])

    def _lane(self, lane: int) -> str:
        return "" if self._scene is None else self._scene.trace.header.lanes[lane].name


def bucket_name(bucket: BucketTimes) -> str:
    """A collective in short: its letter and its bucket or block."""
    number = bucket.bucket if bucket.bucket is not None else bucket.block
    return bucket.kind.letter + ("" if number is None else str(number))


def bucket_words(bucket: BucketTimes) -> str:
    """A collective in a sentence."""
    kind = tr(TITLES[Kind(bucket.kind)])
    number = bucket.bucket if bucket.bucket is not None else bucket.block
    parts = [f"{kind} {'' if number is None else number}".strip(), bytes_text(bucket.bytes)]
    if bucket.ready is not None:
        late = duration_text(max(0, bucket.launched - bucket.ready))
        parts.append(tr("launched {time} after it was ready", time=late))
    parts.append(tr("waited {time} for ranks", time=duration_text(bucket.begun - bucket.started)))
    parts.append(tr("moved for {time}", time=duration_text(bucket.done - bucket.begun)))
    parts.append(tr("{time} exposed", time=duration_text(bucket.exposed_ns)))
    return " · ".join(parts)
