"""A small chart that is painted: its theme, its tooltips, and its words for screen readers."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gui.look.causes import Look, brush
from gui.look.label import plain_tip
from gui.look.text import duration_text, percent_text
from gui.look.theme import LIGHT, Theme
from gui.timeline.layout.frame import Fonts, text_width

PAD = 12.0
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
BOX = 11.0  # a legend's swatch
LINE = 18.0  # from one entry of a legend to the next
SHARE = 52.0  # width of a percentage


class Drawing(QWidget):
    """Subclasses draw in `draw`, and name there with `spot` what has a tooltip."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.theme = LIGHT
        self._spots: list[tuple[QRectF, str]] = []

    def draw(self, painter: QPainter, fonts: Fonts) -> None:
        """Draw the content."""
        raise NotImplementedError

    def content_height(self) -> float:
        """Pixels that the content takes."""
        raise NotImplementedError

    def words(self) -> str:
        """The content for screen readers."""
        raise NotImplementedError

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.theme = theme
        self.update()

    def refresh(self) -> None:
        """There is something else to draw."""
        self.setFixedHeight(int(self.content_height()))
        self.setAccessibleDescription(self.words())
        self.update()

    def spot(self, rect: QRectF, tip: str) -> None:
        """Say `tip` where the pointer rests on `rect`; of several, the first counts."""
        self._spots.append((rect, tip))

    def tip_at(self, at: QPointF) -> str:
        """What the pointer is told at a pixel, or nothing."""
        return next((tip for rect, tip in self._spots if rect.contains(at)), "")

    def fill(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Fill a rectangle with a colour and a pattern that begins at its corner."""
        painter.setBrushOrigin(rect.topLeft())
        painter.fillRect(rect, brush(look, self.theme, self.devicePixelRatioF()))

    def sizeHint(self) -> QSize:  # noqa: D102
        return QSize(300, self.height())

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(240, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        self._spots.clear()
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(self.theme.plot))
            self.draw(painter, Fonts.of(self.font()))

    def event(self, event: QEvent) -> bool:  # noqa: D102
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self.tip_at(QPointF(event.pos()))
            if words:
                QToolTip.showText(event.globalPos(), plain_tip(words), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def legend_line(
        self,
        painter: QPainter,
        fonts: Fonts,
        y: float,
        look: Look,
        name: str,
        ns: float,
        whole: float,
    ) -> None:
        """A swatch, what it stands for, its time, and its part of the `whole`."""
        box = QRectF(PAD, y + (LINE - BOX) / 2, BOX, BOX)
        self.fill(painter, box, look)
        painter.setFont(fonts.small)
        right = self.width() - PAD
        painter.setPen(QColor(self.theme.muted))
        share = percent_text(ns / whole) if whole else ""
        painter.drawText(QRectF(right - SHARE, y, SHARE, LINE), RIGHT, share)
        painter.setPen(QColor(self.theme.text))
        time = duration_text(ns)
        width = text_width(fonts.small, time) + 4
        painter.drawText(QRectF(right - SHARE - width, y, width, LINE), RIGHT, time)
        words = QRectF(box.right() + 7, y, right - SHARE - width - box.right() - 12, LINE)
        shown = painter.fontMetrics().elidedText(
            name, Qt.TextElideMode.ElideRight, int(words.width())
        )
        painter.drawText(words, LEFT, shown)
