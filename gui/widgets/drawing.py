"""A small chart that is painted: its theme, its tooltips, and its words for screen readers."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gui.look.causes import Look, brush
from gui.look.text import duration_text, percent_text
from gui.look.theme import LIGHT, Theme
from gui.look.writing import LEFT, RIGHT, elided, write
from gui.timeline.layout.fonts import Fonts, text_width
from gui.widgets.label import plain_tip

PAD = 12.0
BOX = 11.0  # a legend's swatch
LINE = 18.0  # from one entry of a legend to the next
SHARE = 52.0  # width of a percentage


@dataclass(frozen=True, slots=True)
class Ink:
    """What a chart is drawn with: a painter, the sizes of its text, and the colours."""

    painter: QPainter
    fonts: Fonts
    theme: Theme

    def bold(self, rect: QRectF, text: str, where: Qt.AlignmentFlag = LEFT) -> None:
        """Write what is read first."""
        write(self.painter, self.fonts.bold, self.theme.text, rect, text, where)

    def small(
        self, rect: QRectF, text: str, where: Qt.AlignmentFlag = LEFT, colour: str = ""
    ) -> None:
        """Write what is read next, and pale unless a colour is given."""
        write(self.painter, self.fonts.small, colour or self.theme.muted, rect, text, where)


class Painted(QWidget):
    """A widget that is painted in a theme's colours; subclasses say in `tip_at` what is where."""

    def __init__(self, name: str, height: QSizePolicy.Policy) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, height)
        self.theme = LIGHT

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.theme = theme
        self.update()

    def tip_at(self, at: QPointF) -> str:
        """What the pointer is told at a pixel, or nothing."""
        raise NotImplementedError

    def event(self, event: QEvent) -> bool:  # noqa: D102
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            # Also where there is nothing to say: an empty text hides the tip of the place before.
            QToolTip.showText(event.globalPos(), plain_tip(self.tip_at(QPointF(event.pos()))), self)
            return True
        return super().event(event)


class Drawing(Painted):
    """Subclasses draw in `draw`, and name there with `spot` what has a tooltip."""

    def __init__(self, name: str) -> None:
        super().__init__(name, QSizePolicy.Policy.Fixed)
        self.seen = QRectF()  # what of it is drawn now
        self._spots: list[tuple[QRectF, str]] = []

    def draw(self, ink: Ink) -> None:
        """Draw the content."""
        raise NotImplementedError

    def content_height(self) -> float:
        """Pixels that the content takes."""
        raise NotImplementedError

    def words(self) -> str:
        """The content for screen readers."""
        raise NotImplementedError

    def refresh(self) -> None:
        """There is something else to draw."""
        self.setFixedHeight(int(self.content_height()))
        self.setAccessibleDescription(self.words())
        self.update()

    def spot(self, rect: QRectF, tip: str) -> None:
        """Say `tip` where the pointer rests on `rect`; of several, the first counts."""
        self._spots.append((rect, tip))

    def tip_at(self, at: QPointF) -> str:  # noqa: D102
        return next((tip for rect, tip in self._spots if rect.contains(at)), "")

    def fill(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Fill a rectangle with a colour and a pattern that begins at its corner."""
        # Else a texture is laid out from the widget's corner, and a swatch would show any piece of
        # it.
        painter.setBrushOrigin(rect.topLeft())
        painter.fillRect(rect, brush(look, self.theme, self.devicePixelRatioF()))

    def sizeHint(self) -> QSize:  # noqa: D102
        return QSize(300, self.height())

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(240, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        # Noted anew by `draw`, which knows where things stand.
        self._spots.clear()
        self.seen = QRectF(event.rect())
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(self.theme.plot))
            self.draw(Ink(painter, Fonts.of(self.font()), self.theme))

    def legend_line(
        self, ink: Ink, y: float, look: Look, name: str, ns: float, whole: float
    ) -> None:
        """A swatch, what it stands for, its time, and its part of the `whole`."""
        box = QRectF(PAD, y + (LINE - BOX) / 2, BOX, BOX)
        self.fill(ink.painter, box, look)
        right = self.width() - PAD
        share = percent_text(ns / whole) if whole else ""
        ink.small(QRectF(right - SHARE, y, SHARE, LINE), share, RIGHT)
        time, black = duration_text(ns), self.theme.text
        width = text_width(ink.fonts.small, time) + 4
        ink.small(QRectF(right - SHARE - width, y, width, LINE), time, RIGHT, black)
        words = QRectF(box.right() + 7, y, right - SHARE - width - box.right() - 12, LINE)
        ink.small(words, elided(ink.painter, name, words.width()), LEFT, black)
