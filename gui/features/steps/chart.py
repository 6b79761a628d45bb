"""Chart of the steps. Import this only when it is drawn, because pyqtgraph is slow to import."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtWidgets import QFrame, QToolTip

from core.override import override
from gui.features.steps.bars import StepBars
from gui.look.text import tr
from gui.look.theme import Theme
from gui.widgets.label import plain_tip

BAR = 0.78  # width of a bar, as a share of the distance between two bars
CLOSE = 3.0  # pixels; bars closer than this have no gaps, which would only make them paler
HEADROOM = 1.08
TICK = 46  # pixels for the label of a step
STEPS_OF_TEN = (1, 2, 5)


class StepAxis(pyqtgraph.AxisItem):
    """Axis of whole numbers: 1 is the first measured step, `w1` the first warm-up step."""

    def __init__(self) -> None:
        super().__init__("bottom")
        self.warmup = 0

    @override
    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[int, int]]:
        steps_per_pixel = (maxVal - minVal) / max(1.0, size)
        spacing = whole_spacing(steps_per_pixel * TICK)
        # Only one level of ticks, because pyqtgraph's finer ticks would be between whole steps.
        return [(spacing, 0)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return the labels of ticks; warm-up steps are labelled only if every step is."""
        labels = []
        for value in values:
            is_labelled = value > 0 or spacing == 1
            labels.append(self.label_of(round(value)) if is_labelled else "")
        return labels

    def label_of(self, number: int) -> str:
        """Return the label of the step with this number."""
        if number > 0:
            return str(number)
        return tr("w{number}", number=number + self.warmup)


class ValueAxis(pyqtgraph.AxisItem):
    """Axis of numbers with enough decimals to distinguish two ticks."""

    @override
    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        # The logarithm of 0.001 is -3 up to a rounding error, which must not add a digit.
        digits = max(0, math.ceil(-math.log10(spacing) - 1e-9))
        return [f"{value:.{digits}f}" for value in values]


class StepChart(pyqtgraph.PlotWidget):
    """Makespans as bars and losses as a line; `clicked` carries a bar's index in StepBars."""

    clicked = Signal(int)

    def __init__(self, theme: Theme) -> None:
        self._steps = StepAxis()
        axes = {"bottom": self._steps, "left": ValueAxis("left"), "right": ValueAxis("right")}
        super().__init__(axisItems=axes, enableMenu=False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(tr("Chart of the steps"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setMinimumHeight(60)
        self._bars: StepBars | None = None
        self._dragged: int | None = None
        self.warm = pyqtgraph.BarGraphItem(x=[], height=[], width=BAR, pen=None)
        self.measured = pyqtgraph.BarGraphItem(x=[], height=[], width=BAR, pen=None)
        self.losses = pyqtgraph.PlotCurveItem(connect="finite", antialias=True)
        self._build_losses()
        plot = self.getPlotItem()
        plot.hideButtons()
        plot.setMouseEnabled(False, False)
        plot.addItem(self.warm)
        plot.addItem(self.measured)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.setBackground(theme.plot)
        for name in ("left", "bottom", "right"):
            axis = self.getAxis(name)
            axis.setPen(theme.line)
            axis.setTextPen(theme.muted)
            axis.setStyle(tickLength=-4, maxTickLevel=0)
        self.warm.setOpts(brush=QColor(theme.idle))
        self.measured.setOpts(brush=QColor(theme.accent))
        self.losses.setPen(pyqtgraph.mkPen(theme.update, width=2))

    def set_bars(self, bars: StepBars) -> None:
        """Show these steps; there must be at least one."""
        self._bars = bars
        self._steps.warmup = bars.warmup
        numbers = bars.numbers
        makespans = bars.makespans_ms
        measured = bars.measured
        distance = self.width() / len(numbers)
        width = BAR if distance > CLOSE else 1.0
        for bar, chosen in ((self.warm, ~measured), (self.measured, measured)):
            bar.setOpts(x=numbers[chosen], height=makespans[chosen], width=width)
        known = bool(np.isfinite(bars.losses).any())
        self.getPlotItem().showAxis("right", known)
        # A job may tell its loss only in some steps; the line joins these.
        has_loss = ~np.isnan(bars.losses)
        self.losses.setData(numbers[has_loss], bars.losses[has_loss])
        # Bars are centred on their numbers, so half of each outer bar is beyond its number.
        sides = (numbers[0] - 0.6, numbers[-1] + 0.6)
        highest = float(makespans.max()) * HEADROOM or 1.0
        self.getViewBox().setRange(xRange=sides, yRange=(0.0, highest), padding=0)
        if known:
            least = float(np.nanmin(bars.losses))
            most = float(np.nanmax(bars.losses))
            # The range must not be empty, even if all losses are equal.
            difference = most - least
            edge = difference * 0.1 or abs(most) * 0.1 or 1.0
            self._second.setYRange(least - edge, most + edge, padding=0)

    def place_at(self, point: QPointF) -> int | None:
        """Return the place of the bar at a pixel of the chart, or None."""
        view = self.getViewBox()
        at = self.mapToScene(point.toPoint())
        if self._bars is None or not view.sceneBoundingRect().contains(at):
            return None
        number = round(view.mapSceneToView(at).x())
        return self._bars.at(number)

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = self.place_at(event.position())
        text = ""  # hides the tooltip
        if place is not None and self._bars is not None:
            text = tr("{step}\nClick or drag to see it.", step=self._bars.name(place))
            if event.buttons() & Qt.MouseButton.LeftButton and place != self._dragged:
                self._dragged = place
                self.clicked.emit(place)
        QToolTip.showText(event.globalPosition().toPoint(), plain_tip(text), self)

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self.place_at(event.position())
        if place is not None and event.button() is Qt.MouseButton.LeftButton:
            self._dragged = place
            self.clicked.emit(place)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def _build_losses(self) -> None:
        """Put the line of losses into a second view, which shares only the steps with the bars."""
        # A ViewBox has one vertical scale: two scales need two boxes, one over the other.
        self._second = pyqtgraph.ViewBox(enableMenu=False, enableMouse=False)
        self._second.setZValue(10)
        self._second.addItem(self.losses)
        self.scene().addItem(self._second)
        self.getAxis("right").linkToView(self._second)
        self._second.setXLink(self.getViewBox())
        self.getViewBox().sigResized.connect(self._follow_geometry)

    def _follow_geometry(self) -> None:
        rect: QRectF = self.getViewBox().sceneBoundingRect()
        self._second.setGeometry(rect)
        # Repeated, because setXLink copied the range while the boxes had different sizes.
        self._second.linkedViewChanged(self.getViewBox(), self._second.XAxis)


def whole_spacing(least: float) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, … that is at least `least`."""
    digits = math.floor(math.log10(max(least, 1.0)))
    ten: int = 10**digits
    for step in STEPS_OF_TEN:
        spacing = step * ten
        if spacing >= least:
            return spacing
    return ten * 10
