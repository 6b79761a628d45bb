"""Widget with the chart of a sweep, which grows with every run; its results can be opened."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from core.override import override
from core.sweep.results import Result, Results
from gui.features.sweep.chart import draw_chart
from gui.features.sweep.layout import Chart, Place, lay_out
from gui.features.sweep.words import fastest_text, result_text
from gui.look.painter import fill
from gui.look.text import tr
from gui.look.writing import write_wrapped
from gui.timeline.layout.fonts import Fonts
from gui.widgets.drawing import Painted

LEAST_PLOT = 110
"""Least height of the plot in pixels, without the words above and below it."""
ROOMY = 1000.0
"""A height in pixels that is sufficient for all words of a chart."""
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class SweepView(Painted):
    """Widget of the chart. `chosen` carries the Result that was clicked or opened with Enter."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__(tr("Results of the sweep"), QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.results: Results | None = None
        self.current: Result | None = None
        self.empty = tr(
            "Each value that you try becomes a point here, as soon as it has been run. "
            "Click a point to open its run."
        )
        self.show_results(None)

    def show_results(self, results: Results | None) -> None:
        """Show the results so far."""
        self.results = results
        self.setAccessibleDescription(self._words())
        self.updateGeometry()
        self.update()

    @property
    def chart(self) -> Chart | None:
        """The layout of the chart; None without a result."""
        return self._laid_out(self.height())

    @override
    def sizeHint(self) -> QSize:
        return QSize(420, 220)

    @override
    def minimumSizeHint(self) -> QSize:
        least = QSize(180, 140)
        roomy = self._laid_out(ROOMY)
        if roomy is None:
            return least
        height_of_words = ROOMY - roomy.plot.height()
        return least.expandedTo(QSize(0, round(height_of_words) + LEAST_PLOT))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()  # the number of lines of text may have changed

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        chart = self.chart
        with QPainter(self) as painter:
            fill(painter, self.rect(), self.theme.plot)
            if chart is None:
                whole = QRectF(self.rect())
                area = whole.adjusted(14, 8, -14, -8)
                write_wrapped(painter, self.theme.muted, area, self.empty)
                return
            draw_chart(painter, chart)
            place = self._current_place(chart)
            if place is not None and self.hasFocus():
                outline = chart.spot(place).adjusted(-2, -2, 2, 2)
                painter.setPen(QColor(self.theme.accent))
                painter.drawRoundedRect(outline, 4, 4)

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        cursor = Qt.CursorShape.ArrowCursor
        if self._at(event.position()) is not None:
            cursor = Qt.CursorShape.PointingHandCursor
        self.setCursor(cursor)

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        result = self._at(event.position())
        if result is not None and event.button() is Qt.MouseButton.LeftButton:
            self._choose(result)
            self.chosen.emit(result)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        chart = self.chart
        if chart is None:
            super().keyPressEvent(event)
        elif event.key() in _STEPS:
            self._step(chart, _STEPS[Qt.Key(event.key())])
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            place = self._current_place(chart)
            if place is not None:
                self.chosen.emit(place.result)
        else:
            super().keyPressEvent(event)

    @override
    def tip_at(self, at: QPointF) -> str:
        result = self._at(at)
        if result is None or self.results is None:
            return ""
        words = result_text(self.results, result)
        return tr("{result}\nClick to open its run.", result=words)

    def _laid_out(self, height: float) -> Chart | None:
        """Return the layout in the widget's width and a height in pixels; None without a result."""
        if self.results is None or not self.results.by_setting:
            return None
        whole = QRectF(0, 0, self.width(), height)
        area = whole.adjusted(4, 6, -4, -4)
        fonts = Fonts.of(self.font())
        return lay_out(self.results, area, self.theme, fonts)

    def _at(self, point: QPointF) -> Result | None:
        chart = self.chart
        return None if chart is None else chart.at(point)

    def _step(self, chart: Chart, by: int) -> None:
        """Choose the next or the previous result, for the keyboard."""
        # The chart lists its places curve by curve; the keys go from left to right over all curves.
        places = sorted(chart.places, key=lambda place: place.x)
        now = self._current_place(chart)
        at = -1 if now is None else places.index(now)
        following = max(0, at + by) % len(places)
        self._choose(places[following].result)

    def _choose(self, result: Result) -> None:
        """Make a result the current one, which has an outline and is described."""
        self.current = result
        self.setAccessibleDescription(self._words())
        self.update()

    def _current_place(self, chart: Chart) -> Place | None:
        """Return the place of the current result."""
        if self.current is None:
            return None
        # Found by its setting, because all results are new objects after every run.
        setting = self.current.setting
        for place in chart.places:
            if place.result.setting == setting:
                return place
        return None

    def _words(self) -> str:
        """Return a text for screen readers: the current result, or the fastest."""
        if self.results is None or not self.results.by_setting:
            return self.empty
        current = None
        if self.current is not None:
            # Found by its setting, because all results are new objects after every run.
            current = self.results.by_setting.get(self.current.setting)
        if current is None:
            return fastest_text(self.results)
        return result_text(self.results, current)
