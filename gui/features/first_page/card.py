"""A card: something to open, with its picture in small, its title, and what one sees in it."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from gui.features.first_page.thumbnail import PARTS, Bar, Thumbnail
from gui.look.families import family_of
from gui.look.theme import LIGHT, Theme
from gui.timeline.paint.hatch import hatch_brush

WIDTH = 170
GAP = 2
NO_BREAK_HYPHEN = "\u2011"
LEFT, TOP, RIGHT, BOTTOM = 10, 7, 8, 7
PICTURE = 54  # pixels of a thumbnail, and of the free line below it
BELOW = 6
BESIDE = 0.28  # of a row is for what runs beside its lane
SEAM = 0.6
WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap


class Card(QAbstractButton):
    """A button as large as what it says; one with room for a `picture` may be given it later."""

    def __init__(self, title: str, line: str, picture: bool = False) -> None:
        super().__init__()
        self.setText(title)
        self.setToolTip(line)
        self.setAccessibleName(title)
        self.setAccessibleDescription(line)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        # Qt ends lines at hyphens too, as in all-reduced.
        self._line = line.replace("-", NO_BREAK_HYPHEN)
        self._above = PICTURE + BELOW if picture else 0
        self.thumbnail: Thumbnail | None = None
        self._theme = LIGHT

    def sizeHint(self) -> QSize:  # noqa: D102
        return QSize(WIDTH, self.heightForWidth(WIDTH))

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(WIDTH, self.heightForWidth(10 * WIDTH))

    def heightForWidth(self, width: int) -> int:  # noqa: D102
        title = self._height(self._bold(), self.text(), width)
        line = self._height(self._small(), self._line, width)
        return TOP + self._above + title + GAP + line + BOTTOM

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: D102
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):  # Space alone, for Qt's buttons
            self.click()
        else:
            super().keyPressEvent(event)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self.update()

    def show_thumbnail(self, thumbnail: Thumbnail | None) -> None:
        """Draw what it opens; without one its place stays empty."""
        self.thumbnail = thumbnail
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        with QPainter(self) as painter:
            self._draw(painter)

    def _draw(self, painter: QPainter) -> None:
        theme = self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        marked = self.hasFocus() or self.underMouse()
        painter.setPen(QPen(QColor(theme.accent if marked else theme.line), 1))
        painter.setBrush(QColor(theme.field))
        # Half a pixel inwards: an antialiased line of one pixel then lies on one row of them.
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        area = self.rect().adjusted(LEFT, TOP, -RIGHT, -BOTTOM)
        if self.thumbnail is not None and self._above:
            place = QRectF(area.left(), area.top(), area.width(), PICTURE)
            draw_thumbnail(painter, self.thumbnail, place, theme)
        area.setTop(area.top() + self._above)
        painter.setPen(QColor(theme.text if self.isEnabled() else theme.muted))
        painter.setFont(self._bold())
        painter.drawText(area, int(WRAPPED), self.text())
        painter.setPen(QColor(theme.muted))
        painter.setFont(self._small())
        area.setTop(area.top() + self._height(self._bold(), self.text(), self.width()) + GAP)
        painter.drawText(area, int(WRAPPED), self._line)

    def _height(self, font: QFont, text: str, width: int) -> int:
        inner = QRect(0, 0, width - LEFT - RIGHT, 10 * WIDTH)
        return QFontMetrics(font).boundingRect(inner, int(WRAPPED), text).height()

    def _bold(self) -> QFont:
        bold = QFont(self.font())
        bold.setBold(bool(self._above))
        return bold

    def _small(self) -> QFont:
        small = QFont(self.font())
        small.setPointSizeF(small.pointSizeF() * 0.86)
        return small


def draw_thumbnail(painter: QPainter, thumbnail: Thumbnail, place: QRectF, theme: Theme) -> None:
    """Draw a step in small: a row for each lane, idle time hatched."""
    row = place.height() / max(1, thumbnail.lanes)
    high = max(1.0, row - (2.0 if row >= 6 else 1.0))
    hatch = hatch_brush(theme.idle, painter.device().devicePixelRatioF())
    for lane in range(thumbnail.lanes):
        strip = QRectF(place.left(), place.top() + lane * row, place.width(), high)
        painter.fillRect(strip, hatch)
    # Only lanes that have something beside them give up a part of their row.
    own = {bar.lane for bar in thumbnail.bars if bar.beside}
    for bar in thumbnail.bars:
        top, height = place.top() + bar.lane * row, high
        if bar.lane in own:
            height *= BESIDE if bar.beside else 1 - BESIDE
            top += high * (1 - BESIDE) if bar.beside else 0
        painter.fillRect(_bar(bar, place, top, height), QColor(_colour(bar, theme)))


def _bar(bar: Bar, place: QRectF, top: float, height: float) -> QRectF:
    """Where a bar stands, with a seam behind it where it is wide enough."""
    scale = place.width() / PARTS
    width = (bar.end - bar.start) * scale
    left = place.left() + bar.start * scale
    return QRectF(left, top, width - SEAM if width > 5 * SEAM else width, height)


def _colour(bar: Bar, theme: Theme) -> str:
    return theme.colours_of(family_of(bar.kind))[0]
