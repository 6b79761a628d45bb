"""A painter of a run's picture, with the fonts, colours and frame that all drawing needs."""

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
    """An Ink that also has the frame of the picture; its colours are the frame's."""

    frame: Frame

    @classmethod
    def on(cls, painter: QPainter, frame: Frame, fonts: Fonts) -> Canvas:
        """Return a canvas for a frame, in the frame's colours."""
        return cls(painter, fonts, frame.theme, frame)

    @property
    def pixel_ratio(self) -> float:
        """Device pixels per pixel."""
        return self.painter.device().devicePixelRatioF()

    def with_frame(self, frame: Frame) -> Canvas:
        """Return a canvas for another frame, with the same painter and fonts."""
        return replace(self, frame=frame, theme=frame.theme)

    def write_tag(self, rect: QRectF, text: str, letters: str, ground: str) -> None:
        """Fill a rectangle, and write a line in the small font at its centre."""
        self.fill(rect, ground)
        self.small(rect, text, CENTRE, letters)
