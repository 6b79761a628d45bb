"""Base classes of small painted charts: theme, tooltips, description for screen readers."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.override import override
from gui.look.causes import Look, brush
from gui.look.text import duration_text, percent_text
from gui.look.theme import LIGHT, Theme
from gui.look.writing import LEFT, RIGHT
from gui.timeline.paint.ink import Ink
from gui.widgets.label import plain_tip

PAD = 12.0
BOX = 11.0  # a legend's swatch
LINE = 18.0  # distance between two entries of a legend
SHARE = 52.0  # width of a percentage


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
            at = QPointF(event.pos())
            tip = plain_tip(self.tip_at(at))
            QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().event(event)


class Drawing(Painted):
    """A painted chart. Subclasses define `draw`, in which `spot` adds areas with tooltips.

    It has a `margin` of free pixels at its left and right sides.
    """

    margin = PAD

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
        """Show `tip` while the pointer is in `rect`; where areas overlap, the first one wins."""
        self._spots.append((rect, tip))

    @override
    def tip_at(self, at: QPointF) -> str:
        for rect, tip in self._spots:
            if rect.contains(at):
                return tip
        return ""

    def fill(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Fill a rectangle with a colour and a pattern that begins at its corner."""
        # By default a texture begins at the widget's corner, and a swatch would begin at an
        # arbitrary place of the pattern.
        painter.setBrushOrigin(rect.topLeft())
        filling = brush(look, self.theme, self.devicePixelRatioF())
        painter.fillRect(rect, filling)

    def across(self, top: float, height: float) -> QRectF:
        """Return a rectangle between the margins at the sides."""
        width = self.width() - 2 * self.margin
        return QRectF(self.margin, top, width, height)

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
            ink = Ink.of(painter, self.font(), self.theme)
            ink.fill(self.rect(), self.theme.plot)
            self.draw(ink)

    def legend_line(
        self, ink: Ink, y: float, look: Look, name: str, ns: float, whole: float
    ) -> None:
        """Draw a swatch, a name, a time, and its share of the `whole` (both in ns)."""
        black = self.theme.text
        swatch = QRectF(PAD, y + (LINE - BOX) / 2, BOX, BOX)
        self.fill(ink.painter, swatch, look)
        share_left = self.width() - PAD - SHARE
        share = percent_text(ns / whole) if whole else ""
        share_column = QRectF(share_left, y, SHARE, LINE)
        ink.small(share_column, share, RIGHT)
        time = duration_text(ns)
        time_width = ink.small_width(time) + 4
        time_left = share_left - time_width
        time_column = QRectF(time_left, y, time_width, LINE)
        ink.small(time_column, time, RIGHT, black)
        left = swatch.right() + 7
        room = time_left - 5 - left
        shown = ink.small_elided(name, room)
        name_column = QRectF(left, y, room, LINE)
        ink.small(name_column, shown, LEFT, black)
