"""Steps: how long every step took, and how its loss went."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QWidget

from gui.features.steps.bars import StepBars, bars_words, step_bars
from gui.look.text import tr
from gui.look.theme import LIGHT, Theme
from gui.look.writing import write_wrapped
from gui.timeline.state.scene import Scene
from gui.widgets.layouts import column
from gui.widgets.sheet import PAD

if TYPE_CHECKING:
    from gui.features.steps.chart import StepChart


class StepsPanel(QWidget):
    """A bar for each whole step and a line for the loss.

    `chosen` carries start and end, in ns, of the step whose bar was clicked. The chart is made
    after the panel was first painted with steps to show: importing its library takes a while.
    """

    chosen = Signal(float, float)

    def __init__(self) -> None:
        super().__init__()
        self.empty = tr("How long every step takes appears here with the first whole step.")
        self.setAccessibleDescription(self.empty)
        self.bars: StepBars | None = None
        self.chart: StepChart | None = None
        self.theme = LIGHT
        self._scene: Scene | None = None
        self._live = False
        self.legend = QLabel()
        # A QLabel, unlike all others, for its colours: nothing from a file stands in it.
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.hide()
        self._column = column(self.legend, of=self, margins=(8, 4, 8, 4), spacing=2)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.theme = theme
        if self.chart is not None:
            self.chart.set_theme(theme)
        self._refresh()

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        """Show another run, or what has come of this one."""
        self._scene, self._live = scene, live
        if scene is None or self.isVisible():
            self._refresh()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: D102
        super().showEvent(event)
        self._refresh()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(self.theme.plot))
            if self.bars is not None:
                if self.chart is None:
                    # Not now: a widget gets no children while it is
                    # painted, and the import would hold the paint up.
                    QTimer.singleShot(0, self, self._build)
                return
            area = QRectF(self.rect()).adjusted(PAD, 8, -PAD, -8)
            write_wrapped(painter, self.theme.muted, area, self.empty)

    def _build(self) -> None:
        if self.chart is not None:
            return
        from gui.features.steps.chart import StepChart  # only here: the window must not wait for it

        self.chart = StepChart(self.theme)
        self.chart.clicked.connect(self._choose)
        self._column.addWidget(self.chart, 1)
        self._refresh()

    def _refresh(self) -> None:
        """Bring everything up to the scene; a panel that nobody sees waits until it is shown."""
        found = None if self._scene is None else step_bars(self._scene, self._live)
        self.bars = bars = found if found is not None and len(found.steps) else None
        self.setAccessibleDescription(self.empty if bars is None else bars_words(bars))
        if self.chart is not None:
            if bars is not None:
                self.chart.set_bars(bars)
                self.legend.setText(legend_text(bars, self.theme))
            self.chart.setVisible(bars is not None)
            self.legend.setVisible(bars is not None)
        self.update()

    def _choose(self, place: int) -> None:
        if self.bars is not None:
            self.chosen.emit(float(self.bars.starts[place]), float(self.bars.ends[place]))


def legend_text(bars: StepBars, theme: Theme) -> str:
    """What is drawn, each with its colour; only what there is."""
    parts = [("■", theme.accent, tr("makespan in ms"))]
    if not bars.measured.all():
        parts.append(("■", theme.idle, tr("warm-up")))
    if not np.isnan(bars.losses).all():
        parts.append(("━", theme.update, tr("loss (right axis)")))
    return "&nbsp;&nbsp; ".join(
        f'<span style="color:{colour}">{symbol}</span>'
        f'<span style="color:{theme.muted}">&nbsp;{words}</span>'
        for symbol, colour, words in parts
    )
