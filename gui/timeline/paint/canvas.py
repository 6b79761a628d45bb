"""The painter of a picture of a run, with everything that each part of the picture needs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.look.writing import CENTRE
from gui.timeline.layout.fonts import Fonts
from gui.timeline.layout.frame import Frame
from gui.timeline.paint.ink import Ink


@dataclass(frozen=True, slots=True)
class Canvas(Ink):
    """An ink in the colours of a frame, and the frame of the picture that it draws."""

    frame: Frame

    @classmethod
    def on(cls, painter: QPainter, frame: Frame, fonts: Fonts) -> Canvas:
        """Return a canvas for a frame, in the colours of that frame."""
        return cls(painter, fonts, frame.theme, frame)

    @property
    def pixel_ratio(self) -> float:
        """Device pixels per pixel."""
        return self.painter.device().devicePixelRatioF()

    def with_frame(self, frame: Frame) -> Canvas:
        """Return a canvas for another frame, with the same painter and fonts."""
        return replace(self, frame=frame, theme=frame.theme)

    def write_tag(self, rect: QRectF, text: str, letters: str, ground: str) -> None:
        """Write a line in the small font on a filled rectangle, in its centre."""
        self.fill(rect, ground)
        self.small(rect, text, CENTRE, letters)
