"""Bar of a run of a lesson's step: the duration of its median step, and the idle part."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from core.lessons.figures import StepBar
from core.override import override
from gui.look.text import duration_text, percent_text, tr
from gui.timeline.paint.hatch import hatch_brush
from gui.timeline.paint.ink import Ink
from gui.widgets.drawing import Drawing

HEIGHT = 12.0
THICK = 9.0


class RunBar(Drawing):
    """A bar as long as a run's median step, on one scale with the other runs; idle is hatched.

    This shows that a step can be shorter although a larger share of it is idle.
    """

    def __init__(self) -> None:
        super().__init__(tr("Step of a run"))
        self.shown: StepBar | None = None
        self._longest_ns = 1
        self.refresh()

    def show_step(self, shown: StepBar, longest_ns: int) -> None:
        """Show a run's step; the longest step of all runs fills the width."""
        self.shown = shown
        self._longest_ns = max(1, longest_ns)
        self.refresh()

    @override
    def content_height(self) -> float:
        return HEIGHT

    @override
    def words(self) -> str:
        if self.shown is None:
            return ""
        idle = tr("idle {share}", share=percent_text(self.shown.idle))
        return f"{duration_text(self.shown.step_ns)}, {idle}"

    @override
    def draw(self, ink: Ink) -> None:
        ink.fill(self.rect(), self.theme.window)
        if self.shown is None:
            return
        wide = self.width() * self.shown.step_ns / self._longest_ns
        busy = wide * (1 - self.shown.idle)
        computing = QRectF(0, 0, busy, THICK)
        ink.fill(computing, self.theme.forward)
        idle = QRectF(busy, 0, wide - busy, THICK)
        ink.fill(idle, self.theme.plot)
        hatching = hatch_brush(self.theme.idle, self.devicePixelRatioF())
        ink.painter.fillRect(idle, hatching)
        whole = QRectF(0, 0, wide, HEIGHT)
        self.spot(whole, self.words())
