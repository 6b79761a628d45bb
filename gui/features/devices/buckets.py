"""Chart of the times of collectives, and of the gradients that they wait for."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPolygonF

from core.explain.buckets import BucketTimes, GradientReady, bucket_times, gradient_wave
from core.explain.causes import Cause
from core.override import override
from core.plan.task import Kind
from gui.look.causes import CAUSE_LOOKS
from gui.look.text import bytes_text, duration_text, join_clauses, tr
from gui.look.writing import LEFT, RIGHT
from gui.timeline.interact.describe import kind_title
from gui.timeline.paint.ink import Ink
from gui.timeline.state.scene import Scene, name_of_step
from gui.widgets.drawing import PAD, Drawing

HEAD = 40.0
ROW = 14.0
BAR = 8.0
BETWEEN = 8.0
NAMES = 34.0  # width of the names of collectives
MOST_RANKS = 4  # ranks that are drawn; the others are similar, and are only counted
MOVES = CAUSE_LOOKS[Cause.TRANSFER]
WAITS = CAUSE_LOOKS[Cause.SLOWEST_RANK]


class BucketsChart(Drawing):
    """Shows when each rank's gradients were ready, and below that a row for each collective.

    The times are of the described step. The chart is hidden until that step is explained, and if
    it has no collectives.
    """

    def __init__(self) -> None:
        super().__init__(tr("Collectives and the gradients that they wait for"))
        self.ranks: dict[int, list[BucketTimes]] = {}
        self._wave: list[GradientReady] = []
        self._scene: Scene | None = None
        self._title = ""
        self.hide()

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        """Show another run, or new data of the same run."""
        self._scene = scene
        self.ranks = {}
        self._wave = []
        if scene is not None and any(kind.is_collective for kind in scene.kinds):
            step = scene.described
            if step is not None and scene.explained.at_hand(step):
                self._explain(scene, step)
        has_collectives = bool(self.ranks)
        self.setVisible(has_collectives)
        if has_collectives:
            self.refresh()

    def _explain(self, scene: Scene, step: int) -> None:
        explanation = scene.explained.explanation(step)
        for bucket in bucket_times(explanation, scene.trace):
            buckets = self.ranks.setdefault(bucket.lane, [])
            buckets.append(bucket)
        self._wave = gradient_wave(explanation)
        self._title = name_of_step(scene.trace, step)

    @property
    def shown(self) -> list[int]:
        """The compute lanes of the ranks that are drawn."""
        return sorted(self.ranks)[:MOST_RANKS]

    @override
    def content_height(self) -> float:
        height = HEAD
        for lane in self.shown:
            rows = len(self.ranks[lane]) + 2  # plus the rank's name and the gradients
            height += ROW * rows + BETWEEN
        if len(self.ranks) > MOST_RANKS:
            height += ROW
        return height

    @override
    def words(self) -> str:
        lines = []
        for lane in sorted(self.ranks):
            name = self._lane(lane)
            buckets = map(bucket_words, self.ranks[lane])
            listed = ", ".join(buckets)
            lines.append(f"{name}: {listed}")
        return join_clauses(lines)

    @override
    def draw(self, ink: Ink) -> None:
        wide = self.width() - 2 * PAD
        heading = QRectF(PAD, 2, wide, 16)
        ink.bold(heading, tr("Collectives"))
        ink.small(heading, self._title, RIGHT)
        self._draw_legend(ink)
        y = HEAD
        for lane in self.shown:
            lower_edge = self._draw_rank(ink, lane, y)
            y = lower_edge + BETWEEN
        left_out = len(self.ranks) - MOST_RANKS
        if left_out > 0:
            line = QRectF(PAD, y - BETWEEN, wide, ROW)
            ink.small(line, tr("and {n} more ranks", n=left_out))

    def _draw_legend(self, ink: Ink) -> None:
        entries = (
            (None, tr("gradients ready")),
            (WAITS, tr("waits for ranks")),
            (MOVES, tr("moves")),
        )
        x = PAD
        y = 20.0
        for look, name in entries:
            if look is None:
                self._draw_marker(ink.painter, x + 5, y + 3)
            else:
                swatch = QRectF(x, y + 4, 11, BAR)
                self.fill(ink.painter, swatch, look)
            width = ink.small_width(name) + 4
            words = QRectF(x + 15, y, width, 16)
            ink.small(words, name)
            x += width + 27

    def _draw_rank(self, ink: Ink, lane: int, y: float) -> float:
        """Draw one rank's rows; return their lower edge."""
        header = tr("exposed")
        figures = ink.small_width(header) + 14
        left = PAD + NAMES
        right = self.width() - PAD - figures
        plot = QRectF(left, y, right - left, ROW)
        name = QRectF(PAD, y, plot.width(), ROW)
        column = QRectF(right, y, figures, ROW)
        ink.bold(name, self._lane(lane))
        ink.small(column, header, RIGHT)
        plot.translate(0, ROW)
        column.translate(0, ROW)
        self._draw_gradients(ink.painter, lane, plot)
        for bucket in self.ranks[lane]:
            plot.translate(0, ROW)
            column.translate(0, ROW)
            self._draw_bucket(ink, bucket, plot)
            if bucket.exposed_ns:
                exposed = duration_text(bucket.exposed_ns)
                ink.small(column, exposed, RIGHT, self.theme.text)
            else:
                ink.small(column, tr("hidden"), RIGHT)
        return plot.bottom()

    def _draw_gradients(self, painter: QPainter, lane: int, plot: QRectF) -> None:
        """Draw a marker at the time at which each block's gradients were ready."""
        painter.setPen(QColor(self.theme.line))
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())
        top = plot.top()
        for ready in self._wave:
            if ready.lane != lane:
                continue
            x = self._x(ready.time, plot)
            self._draw_marker(painter, x, top + 3)
            around = QRectF(x - 5, top, 10, ROW)
            tip = tr("The gradients of block {n} were ready.", n=ready.block)
            self.spot(around, tip)

    def _draw_bucket(self, ink: Ink, bucket: BucketTimes, plot: QRectF) -> None:
        """Draw a collective's name, left of the `plot`, and its times."""
        name = QRectF(PAD, plot.top(), NAMES, ROW)
        ink.small(name, bucket_name(bucket), LEFT, self.theme.text)
        started = self._x(bucket.started, plot)
        begun = self._x(bucket.begun, plot)
        done = self._x(bucket.done, plot)
        top = plot.top() + (ROW - BAR) / 2
        if begun > started:
            waiting = QRectF(started, top, begun - started, BAR)
            self.fill(ink.painter, waiting, WAITS)
        width = max(1.0, done - begun)
        moving = QRectF(begun, top, width, BAR)
        self.fill(ink.painter, moving, MOVES)
        if bucket.ready is not None:
            x = self._x(bucket.ready, plot)
            self._draw_marker(ink.painter, x, plot.top() + 3)
        row = plot.united(name)
        self.spot(row, bucket_words(bucket))

    def _draw_marker(self, painter: QPainter, x: float, y: float) -> None:
        """Draw a small triangle that points down at the moment when gradients were ready."""
        painter.setPen(QColor(self.theme.plot))
        painter.setBrush(QColor(self.theme.backward))
        corners = [
            QPointF(x - 4, y),
            QPointF(x + 4, y),
            QPointF(x, y + 8),
        ]
        painter.drawPolygon(QPolygonF(corners))

    def _x(self, time: int, plot: QRectF) -> float:
        first, last = self._bounds()
        share = (time - first) / max(1, last - first)
        return plot.left() + share * plot.width()

    def _bounds(self) -> tuple[int, int]:
        """Return the time of the first gradient or launch, and of the last end, in ns."""
        times = [wave.time for wave in self._wave]
        for buckets in self.ranks.values():
            for bucket in buckets:
                times += [bucket.launched, bucket.done]
                if bucket.ready is not None:
                    times.append(bucket.ready)
        return min(times), max(times)

    def _lane(self, lane: int) -> str:
        if self._scene is None:
            return ""
        return self._scene.trace.header.lanes[lane].name


def bucket_name(bucket: BucketTimes) -> str:
    """Return the letter of a collective and its bucket or block: `A0`."""
    return f"{bucket.kind.letter}{_number(bucket)}"


def bucket_words(bucket: BucketTimes) -> str:
    """Return the size and the times of a collective, for tooltips and screen readers."""
    kind = kind_title(Kind(bucket.kind))
    title = f"{kind} {_number(bucket)}".strip()
    parts = [title, bytes_text(bucket.bytes)]
    if bucket.ready is not None:
        late_ns = max(0, bucket.launched - bucket.ready)
        late = duration_text(late_ns)
        parts.append(tr("launched {time} after it was ready", time=late))
    waited = duration_text(bucket.begun - bucket.started)
    parts.append(tr("waited {time} for ranks", time=waited))
    moved = duration_text(bucket.done - bucket.begun)
    parts.append(tr("moved for {time}", time=moved))
    exposed = duration_text(bucket.exposed_ns)
    parts.append(tr("{time} exposed", time=exposed))
    return " · ".join(parts)


def _number(bucket: BucketTimes) -> str:
    """Return the number of a collective's bucket or, without one, of its block; "" without both."""
    number = bucket.bucket
    if number is None:
        number = bucket.block
    return "" if number is None else str(number)
