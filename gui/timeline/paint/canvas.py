"""The painter of a picture, with everything that each part of the picture needs to be drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QPainter

from gui.look.painter import fill
from gui.look.theme import Theme
from gui.look.writing import CENTRE, LEFT, write
from gui.timeline.layout.fonts import Fonts, text_width
from gui.timeline.layout.frame import Frame


@dataclass(frozen=True, slots=True)
class Canvas:
    """A painter, the frame of the picture that it paints, and the fonts of the picture's texts."""

    painter: QPainter
    frame: Frame
    fonts: Fonts

    @property
    def theme(self) -> Theme:
        """The colours of the picture."""
        return self.frame.theme

    @property
    def pixel_ratio(self) -> float:
        """Device pixels per pixel."""
        return self.painter.device().devicePixelRatioF()

    def of(self, frame: Frame) -> Canvas:
        """Return a canvas for another frame, with the same painter and fonts."""
        return replace(self, frame=frame)

    def width_of(self, text: str) -> float:
        """Return the width of a text in the small font, in pixels."""
        return text_width(self.fonts.small, text)

    def fill(self, rect: QRectF, colour: str) -> None:
        """Fill a rectangle with a `#rrggbb` colour."""
        fill(self.painter, rect, colour)

    def draw_vertical(self, x: float, top: float, bottom: float) -> None:
        """Draw a vertical line with the painter's pen."""
        self.painter.drawLine(QLineF(x, top, x, bottom))

    def write(
        self,
        rect: QRectF,
        text: str,
        colour: str,
        where: Qt.AlignmentFlag = LEFT,
    ) -> None:
        """Write a line in the small font in a rectangle."""
        write(self.painter, self.fonts.small, colour, rect, text, where)

    def write_tag(self, rect: QRectF, text: str, letters: str, ground: str) -> None:
        """Write a line in the small font on a filled rectangle, in its centre."""
        self.fill(rect, ground)
        self.write(rect, text, letters, CENTRE)
