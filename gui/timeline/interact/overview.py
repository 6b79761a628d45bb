"""A strip with the whole run, and the visible part marked; click or drag to move the view."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.override import override
from core.trace.trace import Trace
from core.trace.warmup import first_measured
from gui.look.painter import fill, pen
from gui.look.text import tr
from gui.look.writing import write
from gui.timeline.layout.folds import Folds, folds_of
from gui.timeline.layout.fonts import Fonts
from gui.timeline.layout.frame import LABELS, RIGHT, Frame, Layout, Viewport
from gui.timeline.paint.folds import draw_folds
from gui.timeline.paint.legend import LINE, LegendEntry, draw_legend, legend_entries, legend_lines
from gui.timeline.paint.margins import INDENT
from gui.timeline.paint.miniature import draw_miniature, miniature_frame
from gui.timeline.paint.search_hits import draw_hit_ticks, hit_ticks
from gui.timeline.state.navigator import Navigator
from gui.timeline.state.scene import Scene
from gui.timeline.state.timeline import TimelineState

HEIGHT = 34  # height of the strip; the legend is below it
LEGEND = 24
EDGE = 5.0
HITS_TOP = 0.5  # upper edge of the ticks of search hits


class Overview(QWidget):
    """A strip below a timeline, which shows and moves the timeline's `state`."""

    def __init__(self, state: TimelineState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._navigator = Navigator(state)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Overview of the whole run"))
        self.setToolTip(tr("The whole run; click or drag to move the view."))
        self._theme = state.theme
        self._picture: QPixmap | None = None
        self._drawn = Viewport()
        self._hit_ticks: list[QRectF] = []
        self._legend: list[list[LegendEntry]] = []
        self._has_legend = True
        self._folds: tuple[Trace, int, Folds] | None = None
        state.scene_changed.connect(self.refresh)
        state.strips_changed.connect(self._explain)
        state.view_changed.connect(self._show_visible)
        state.picture_changed.connect(self._take_theme)
        self._explain()

    def refresh(self) -> None:
        """Redraw the lanes with new data."""
        self._picture = None
        self._explain()

    def show_legend(self, shown: bool) -> None:
        """Show or hide the legend below the strip."""
        self._has_legend = shown
        self._explain()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        whole = self._whole()
        fonts = Fonts.of(self.font())
        scene = self._state.scene
        if scene is not None and scene.bounds == (0, 0):
            scene = None
        # The lanes of the whole run take longest to draw, so they are not redrawn when the view
        # moves: veil and window are drawn over their picture.
        if scene is not None and (self._picture is None or self._drawn != whole):
            self._picture = self._draw_lanes(scene, whole)
            self._drawn = whole
        with QPainter(self) as painter:
            fill(painter, self.rect(), self._theme.plot)
            if scene is not None and self._picture is not None:
                painter.drawPixmap(0, 0, self._picture)
                self._draw_veil(painter, whole)
                frame = Frame(whole, Layout(), LABELS, 0, self._theme)
                draw_folds(painter, scene, frame, fonts, EDGE, HEIGHT - EDGE)
                self._draw_window(painter, whole)
                draw_hit_ticks(painter, self._theme, self._hit_ticks)
                name = QRectF(INDENT, 0, LABELS - INDENT, HEIGHT)
                write(painter, fonts.small, self._theme.muted, name, tr("whole run"))
            if event.rect().bottom() >= HEIGHT:
                at = QPointF(LABELS, HEIGHT + 5)
                draw_legend(painter, self._theme, fonts, at, self._legend)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        self.refresh()

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event)

    def _take_theme(self) -> None:
        # The signal is emitted for every frame of the timeline; only a changed theme matters here.
        if self._state.theme is not self._theme:
            self._theme = self._state.theme
            self.refresh()

    def _show_visible(self) -> None:
        self.update(0, 0, self.width(), HEIGHT)  # the legend does not change

    def _go(self, event: QMouseEvent) -> None:
        if self._state.scene is not None:
            self._navigator.centre_on(self._whole().time(event.position().x() - LABELS))

    def _whole(self) -> Viewport:
        """Return a view of the whole run; a live run's end is rounded up, in steps of an eighth."""
        if self._state.scene is None:
            return Viewport(width=max(1.0, self.width() - LABELS - RIGHT))
        start, end = map(float, self._state.scene.bounds)
        if self._state.now is not None:
            end = max(end, self._state.now)
            # In ns: at least 0.1 s, and then by factors of 1.125. With the exact length, every
            # batch of spans would move all bars.
            length = max(1.0, (end - start) / 1e8)
            steps = math.ceil(math.log(length, 1.125))
            end = start + 1e8 * 1.125**steps
        folds = self._folds_of(self._state.scene)
        span = folds.drawn(end) - folds.drawn(start)
        width = max(1.0, self.width() - LABELS - RIGHT)
        return Viewport(start, max(1.0, span), width, folds)

    def _folds_of(self, scene: Scene) -> Folds:
        """Return the folds of a scene: long times between steps, and long steps of the warm-up."""
        trace = scene.trace
        known = self._folds
        if known is None or known[0] is not trace or known[1] != trace.version:
            warmup = int(scene.step_numbers.searchsorted(first_measured(trace)))
            folds = folds_of(scene.step_starts, scene.step_ends, warmup)
            known = self._folds = (trace, trace.version, folds)
        return known[2]

    def _draw_lanes(self, scene: Scene, whole: Viewport) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        # paintEvent paints the ground below it
        picture.fill(Qt.GlobalColor.transparent)
        strip = QRectF(LABELS, EDGE, whole.width, HEIGHT - 2 * EDGE)
        frame = miniature_frame(scene, whole, strip, self._theme)
        with QPainter(picture) as painter:
            draw_miniature(painter, scene, frame, strip, Fonts.of(self.font()))
        self._hit_ticks = hit_ticks(scene.trace, scene.hits, frame, HITS_TOP)
        return picture

    def _explain(self) -> None:
        """Update the legend, with as many lines as it needs."""
        entries = []
        if self._state.scene is not None and self._has_legend:
            entries = legend_entries(self._state.scene, self._theme, self._state.strips)
        width = self.width() - LABELS - RIGHT
        self._legend = legend_lines(entries, Fonts.of(self.font()), width)
        legend = 0.0
        if self._has_legend:
            legend = LEGEND + LINE * max(0, len(self._legend) - 1)
        self.setFixedHeight(round(HEIGHT + legend))
        self.update()

    def _visible(self, whole: Viewport) -> tuple[float, float]:
        """Return the left and right pixel of the visible part."""
        seen = self._state.viewport
        right = LABELS + whole.width
        x0 = min(max(LABELS + whole.x(seen.start), LABELS), right)
        x1 = min(max(LABELS + whole.x(seen.end), LABELS), right)
        return x0, x1

    def _draw_veil(self, painter: QPainter, whole: Viewport) -> None:
        x0, x1 = self._visible(whole)
        veil = QColor(self._theme.plot)
        veil.setAlpha(150)
        painter.fillRect(QRectF(LABELS, 0, x0 - LABELS, HEIGHT), veil)
        painter.fillRect(QRectF(x1, 0, LABELS + whole.width - x1, HEIGHT), veil)

    def _draw_window(self, painter: QPainter, whole: Viewport) -> None:
        x0, x1 = self._visible(whole)
        painter.setPen(pen(self._theme.accent))
        painter.drawRect(QRectF(x0, 1.5, max(2.0, x1 - x0), HEIGHT - 4))
