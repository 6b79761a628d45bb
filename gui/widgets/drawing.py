"""Base classes of small painted charts: theme, tooltips, description for screen readers."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.override import override
from gui.look.causes import Look, brush
from gui.look.painter import fill
from gui.look.text import duration_text, percent_text
from gui.look.theme import LIGHT, Theme
from gui.look.writing import LEFT, RIGHT, elided, write
from gui.timeline.layout.fonts import Fonts, text_width
from gui.widgets.label import plain_tip

PAD = 12.0
BOX = 11.0  # a legend's swatch
LINE = 18.0  # distance between two entries of a legend
SHARE = 52.0  # width of a percentage


@dataclass(frozen=True, slots=True)
class Ink:
    """A painter, the fonts and the colours that a chart is drawn with."""

    painter: QPainter
    fonts: Fonts
    theme: Theme

    def bold(self, rect: QRectF, text: str, where: Qt.AlignmentFlag = LEFT) -> None:
        """Write in bold and in the colour of text."""
        write(self.painter, self.fonts.bold, self.theme.text, rect, text, where)

    def small(
        self, rect: QRectF, text: str, where: Qt.AlignmentFlag = LEFT, colour: str = ""
    ) -> None:
        """Write in the small font; muted unless a colour is given."""
        write(self.painter, self.fonts.small, colour or self.theme.muted, rect, text, where)


class Painted(QWidget):
    """A widget that is painted in a theme's colours; subclasses define its tooltips in `tip_at`."""

    def __init__(self, name: str, height: QSizePolicy.Policy) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, height)
        self.theme = LIGHT

    def set_theme(self, theme: Theme) -> None:
        """Set the colours, and repaint."""
        self.theme = theme
        self.update()

    def tip_at(self, at: QPointF) -> str:
        """Return the tooltip for a pixel, or ""."""
        raise NotImplementedError

    @override
    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            # Also for an empty text, which hides the tooltip of the previous place.
            QToolTip.showText(event.globalPos(), plain_tip(self.tip_at(QPointF(event.pos()))), self)
            return True
        return super().event(event)


class Drawing(Painted):
    """A painted chart. Subclasses define `draw`, in which `spot` adds areas with tooltips."""

    def __init__(self, name: str) -> None:
        super().__init__(name, QSizePolicy.Policy.Fixed)
        self.seen = QRectF()  # the visible part
        self._spots: list[tuple[QRectF, str]] = []

    def draw(self, ink: Ink) -> None:
        """Draw the content."""
        raise NotImplementedError

    def content_height(self) -> float:
        """Return the content's height in pixels."""
        raise NotImplementedError

    def words(self) -> str:
        """Return a description of the content for screen readers."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Update height, description and picture to changed content."""
        self.setFixedHeight(int(self.content_height()))
        self.setAccessibleDescription(self.words())
        self.update()

    def spot(self, rect: QRectF, tip: str) -> None:
        """Show `tip` while the pointer is in `rect`; of several such areas, the first counts."""
        self._spots.append((rect, tip))

    @override
    def tip_at(self, at: QPointF) -> str:
        return next((tip for rect, tip in self._spots if rect.contains(at)), "")

    def fill(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Fill a rectangle with a colour and a pattern that begins at its corner."""
        # By default a texture begins at the widget's corner, and a swatch would show some part of
        # it.
        painter.setBrushOrigin(rect.topLeft())
        painter.fillRect(rect, brush(look, self.theme, self.devicePixelRatioF()))

    @override
    def sizeHint(self) -> QSize:
        return QSize(300, self.height())

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(240, self.height())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        # `draw` adds them again at their current places.
        self._spots.clear()
        self.seen = QRectF(event.rect())
        with QPainter(self) as painter:
            fill(painter, self.rect(), self.theme.plot)
            self.draw(Ink(painter, Fonts.of(self.font()), self.theme))

    def legend_line(
        self, ink: Ink, y: float, look: Look, name: str, ns: float, whole: float
    ) -> None:
        """Draw a swatch, a name, a time, and its share of the `whole` (both in ns)."""
        box = QRectF(PAD, y + (LINE - BOX) / 2, BOX, BOX)
        self.fill(ink.painter, box, look)
        right = self.width() - PAD - SHARE
        share = percent_text(ns / whole) if whole else ""
        ink.small(QRectF(right, y, SHARE, LINE), share, RIGHT)
        time = duration_text(ns)
        black = self.theme.text
        width = text_width(ink.fonts.small, time) + 4
        right -= width
        ink.small(QRectF(right, y, width, LINE), time, RIGHT, black)
        left = box.right() + 7
        room = QRectF(left, y, right - 5 - left, LINE)
        ink.small(room, elided(ink.painter, name, room.width()), LEFT, black)
