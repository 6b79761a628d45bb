"""Steps panel: a thumbnail of each step, and a chart of the steps' durations and losses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QLayout, QWidget

from core.override import override
from gui.features.steps.bars import StepBars, bars_words, step_bars
from gui.features.steps.strip import StepStrip
from gui.look.painter import fill
from gui.look.text import tr
from gui.look.theme import LIGHT, Theme
from gui.look.writing import write_wrapped
from gui.timeline.state.scene import Scene
from gui.widgets.layouts import column
from gui.widgets.sheet import PAD

if TYPE_CHECKING:
    from gui.features.steps.chart import StepChart

LOW = 158  # pixels; lower panels have no strip
LEAST = 90


class StepsPanel(QWidget):
    """Thumbnails of the steps, and below them a bar for each whole step and a line for the loss.

    `chosen` carries start and end, in ns, of the step that was clicked. The chart is made after the
    first paint of the panel with steps, because importing its library takes a while.
    """

    chosen = Signal(float, float)

    def __init__(self) -> None:
        super().__init__()
        self.bars: StepBars | None = None
        self.chart: StepChart | None = None
        self.theme = LIGHT
        self._scene: Scene | None = None
        self._live = False
        self.setAccessibleDescription(self.empty)
        self.legend = QLabel()
        # A QLabel, unlike other labels, because it needs colours; it contains no text from a file.
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.hide()
        self.strip = StepStrip()
        self.strip.hide()
        self.strip.chosen.connect(self._choose)
        self._column = column(
            self.strip,
            self.legend,
            of=self,
            margins=(8, 4, 8, 4),
            spacing=2,
        )
        # The strip must not make the dock higher; it is hidden in a low dock.
        self._column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self.setMinimumHeight(LEAST)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.theme = theme
        self.strip.set_theme(theme)
        if self.chart is not None:
            self.chart.set_theme(theme)
        self._refresh()

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        """Show another run, or new data of the same run."""
        self._scene = scene
        self._live = live
        if scene is None or self.isVisible():
            self._refresh()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._show_strip()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            fill(painter, self.rect(), self.theme.plot)
            if self.bars is not None:
                if self.chart is None:
                    # Later, because a widget must not get children while it is painted, and the
                    # import would delay this paint.
                    QTimer.singleShot(0, self, self._build)
                return
            whole = QRectF(self.rect())
            area = whole.adjusted(PAD, 8, -PAD, -8)
            write_wrapped(painter, self.theme.muted, area, self.empty)

    @property
    def empty(self) -> str:
        """Text of the panel while there is no whole step."""
        if self._scene is not None and not self._live and self._scene.trace.span_count:
            return tr("This trace has no steps.")
        return tr("The duration of every step appears here with the first whole step.")

    def _build(self) -> None:
        if self.chart is not None:
            return
        from gui.features.steps.chart import StepChart  # slow to import

        self.chart = StepChart(self.theme)
        self.chart.clicked.connect(self._choose)
        self._column.addWidget(self.chart, 1)
        self._refresh()

    def _refresh(self) -> None:
        """Update everything from the scene."""
        bars = None if self._scene is None else step_bars(self._scene, self._live)
        if bars is not None and not len(bars.steps):
            bars = None
        self.bars = bars
        self.strip.show_steps(self._scene, bars)
        self._show_strip()
        self.setAccessibleDescription(self.empty if bars is None else bars_words(bars))
        if self.chart is not None:
            if bars is not None:
                self.chart.set_bars(bars)
                self.legend.setText(legend_text(bars, self.theme))
            self.chart.setVisible(bars is not None)
            self.legend.setVisible(bars is not None)
        self.update()

    def _show_strip(self) -> None:
        """Show the strip if there are steps and the chart has enough room below it."""
        self.strip.setVisible(self.bars is not None and self.height() >= LOW)

    def _choose(self, place: int) -> None:
        if self.bars is not None:
            start = float(self.bars.starts[place])
            end = float(self.bars.ends[place])
            self.chosen.emit(start, end)


def legend_text(bars: StepBars, theme: Theme) -> str:
    """Return the legend as HTML: the colours and symbols of the chart that are in use."""
    parts = [("■", theme.accent, tr("makespan in ms"))]
    if not bars.measured.all():
        parts.append(("■", theme.idle, tr("warm-up")))
    if not np.isnan(bars.losses).all():
        parts.append(("━", theme.update, tr("loss (right axis)")))
    entries = []
    for symbol, colour, words in parts:
        mark = f'<span style="color:{colour}">{symbol}</span>'
        entries.append(f'{mark}<span style="color:{theme.muted}">&nbsp;{words}</span>')
    return "&nbsp;&nbsp; ".join(entries)
