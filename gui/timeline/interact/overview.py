"""A strip with the whole run, and the visible part marked; click or drag to move the view."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.override import override
from core.trace.warmup import first_measured
from gui.look.painter import fill, pen
from gui.look.text import tr
from gui.timeline.layout.folds import Folds, folds_of
from gui.timeline.layout.fonts import Fonts
from gui.timeline.layout.frame import LABELS, RIGHT, Frame, Layout, Viewport
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.folds import draw_folds
from gui.timeline.paint.legend import LINE, LegendEntry, draw_legend, legend_entries, legend_lines
from gui.timeline.paint.margins import INDENT
from gui.timeline.paint.miniature import draw_miniature, miniature_frame
from gui.timeline.paint.search_hits import draw_hit_ticks, hit_ticks
from gui.timeline.state.latest import Latest
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
        self._folds: Latest[Folds] = Latest()
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
        scene = self._state.scene
        if scene is not None and scene.bounds == (0, 0):
            scene = None
        # The lanes of the whole run take longest to draw, so they are not redrawn when the view
        # moves: the veil and the visible part's outline are drawn over their picture.
        is_stale = self._picture is None or self._drawn != whole
        if scene is not None and is_stale:
            self._picture = self._draw_lanes(scene, whole)
            self._drawn = whole
        with QPainter(self) as painter:
            fill(painter, self.rect(), self._theme.plot)
            if scene is not None and self._picture is not None:
                painter.drawPixmap(0, 0, self._picture)
                self._draw_over(painter, scene, whole)
            if event.rect().bottom() >= HEIGHT:
                fonts = Fonts.of(self.font())
                at = QPointF(LABELS, HEIGHT + 5)
                draw_legend(painter, self._theme, fonts, at, self._legend)

    def _draw_over(self, painter: QPainter, scene: Scene, whole: Viewport) -> None:
        """Draw everything on top of the picture of the lanes."""
        theme = self._theme
        fonts = Fonts.of(self.font())
        self._draw_veil(painter, whole)
        frame = Frame(whole, Layout(), LABELS, 0, theme)
        canvas = Canvas.on(painter, frame, fonts)
        draw_folds(canvas, scene, EDGE, HEIGHT - EDGE)
        self._draw_window(painter, whole)
        draw_hit_ticks(painter, theme, self._hit_ticks)
        name = QRectF(INDENT, 0, LABELS - INDENT, HEIGHT)
        canvas.small(name, tr("whole run"))

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
        if self._state.scene is None:
            return
        x = event.position().x() - LABELS
        time = self._whole().time(x)
        self._navigator.centre_on(time)

    def _whole(self) -> Viewport:
        """Return a view of the whole run; a live run's end is rounded up, so bars seldom move."""
        scene = self._state.scene
        now = self._state.now
        width = max(1.0, self.width() - LABELS - RIGHT)
        if scene is None:
            return Viewport(width=width)
        start, end = map(float, scene.bounds)
        if now is not None:
            end = max(end, now)
            # In ns: at least 0.1 s, and then by factors of 1.125. With the exact length, every
            # batch of spans would move all bars.
            length = max(1.0, (end - start) / 1e8)
            steps = math.ceil(math.log(length, 1.125))
            end = start + 1e8 * 1.125**steps
        folds = self._folds_of(scene)
        span = folds.drawn(end) - folds.drawn(start)
        return Viewport(start, max(1.0, span), width, folds)

    def _folds_of(self, scene: Scene) -> Folds:
        """Return the folds of a scene: long times between steps, and long warm-up steps."""
        trace = scene.trace

        def compute() -> Folds:
            warmup = int(scene.step_numbers.searchsorted(first_measured(trace)))
            return folds_of(scene.step_starts, scene.step_ends, warmup)

        return self._folds.get((trace, trace.version), compute)

    def _draw_lanes(self, scene: Scene, whole: Viewport) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        # paintEvent fills the background
        picture.fill(Qt.GlobalColor.transparent)
        fonts = Fonts.of(self.font())
        strip = QRectF(LABELS, EDGE, whole.width, HEIGHT - 2 * EDGE)
        frame = miniature_frame(scene, whole, strip, self._theme)
        with QPainter(picture) as painter:
            canvas = Canvas.on(painter, frame, fonts)
            draw_miniature(canvas, scene, strip)
        self._hit_ticks = hit_ticks(scene.trace, scene.hits, frame, HITS_TOP)
        return picture

    def _explain(self) -> None:
        """Update the legend, with as many lines as it needs."""
        scene = self._state.scene
        entries = []
        if scene is not None and self._has_legend:
            entries = legend_entries(scene, self._theme, self._state.strips)
        fonts = Fonts.of(self.font())
        width = self.width() - LABELS - RIGHT
        self._legend = legend_lines(entries, fonts, width)
        height: float = HEIGHT
        if self._has_legend:
            more_lines = max(0, len(self._legend) - 1)
            height += LEGEND + LINE * more_lines
        self.setFixedHeight(round(height))
        self.update()

    def _visible(self, whole: Viewport) -> tuple[float, float]:
        """Return the left and right pixel of the visible part."""
        seen = self._state.viewport
        left = LABELS
        right = LABELS + whole.width
        start = left + whole.x(seen.start)
        end = left + whole.x(seen.end)
        x0 = min(max(start, left), right)
        x1 = min(max(end, left), right)
        return x0, x1

    def _draw_veil(self, painter: QPainter, whole: Viewport) -> None:
        x0, x1 = self._visible(whole)
        right = LABELS + whole.width
        before = QRectF(LABELS, 0, x0 - LABELS, HEIGHT)
        after = QRectF(x1, 0, right - x1, HEIGHT)
        veil = QColor(self._theme.plot)
        veil.setAlpha(150)
        painter.fillRect(before, veil)
        painter.fillRect(after, veil)

    def _draw_window(self, painter: QPainter, whole: Viewport) -> None:
        x0, x1 = self._visible(whole)
        width = max(2.0, x1 - x0)
        window = QRectF(x0, 1.5, width, HEIGHT - 4)
        painter.setPen(pen(self._theme.accent))
        painter.drawRect(window)
