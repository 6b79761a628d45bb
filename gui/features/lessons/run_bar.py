"""A bar for each run of a lesson's step: how long a step takes, and how much of it is idle."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor

from core.lessons.figures import StepBar
from gui.look.text import duration_text, percent_text, tr
from gui.timeline.paint.hatch import hatch_brush
from gui.widgets.drawing import Drawing, Ink

HEIGHT = 12.0
THICK = 9.0


class RunBar(Drawing):
    """As long as a run's median step, on one scale with the other runs; the idle part is hatched.

    So two runs are compared at a glance, and a larger idle share can be seen in a shorter step.
    """

    def __init__(self) -> None:
        super().__init__(tr("Step of a run"))
        self.shown: StepBar | None = None
        self._longest_ns = 1
        self.refresh()

    def show_step(self, shown: StepBar, longest_ns: int) -> None:
        """Show a run's step; the longest step of all runs fills the width."""
        self.shown, self._longest_ns = shown, max(1, longest_ns)
        self.refresh()

    def content_height(self) -> float:  # noqa: D102
        return HEIGHT

    def words(self) -> str:  # noqa: D102
        if self.shown is None:
            return ""
        idle = tr("idle {share}", share=percent_text(self.shown.idle))
        return f"{duration_text(self.shown.step_ns)}, {idle}"

    def draw(self, ink: Ink) -> None:  # noqa: D102
        ink.painter.fillRect(self.rect(), QColor(self.theme.window))
        if self.shown is None:
            return
        wide = self.width() * self.shown.step_ns / self._longest_ns
        busy = wide * (1 - self.shown.idle)
        ink.painter.fillRect(QRectF(0, 0, busy, THICK), QColor(self.theme.forward))
        idle = QRectF(busy, 0, wide - busy, THICK)
        ink.painter.fillRect(idle, QColor(self.theme.plot))
        ink.painter.fillRect(idle, hatch_brush(self.theme.idle, self.devicePixelRatioF()))
        self.spot(QRectF(0, 0, wide, HEIGHT), self.words())
