"""A card of the first page: a button with a thumbnail, a title and a line of text."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from core.override import override
from gui.features.first_page.thumbnail import PARTS, Bar, Thumbnail
from gui.look.families import family_of
from gui.look.painter import fill, pen, smoothed
from gui.look.theme import LIGHT, Theme
from gui.timeline.paint.hatch import hatch_brush

WIDTH = 170
GAP = 2
NO_BREAK_HYPHEN = "\u2011"
LEFT = 10
TOP = 7
RIGHT = 8
BOTTOM = 7
PICTURE = 54  # height of a thumbnail in pixels
BELOW = 6  # pixels between the thumbnail and the title
TRANSFERS = 0.28  # share of a lane's row for its copies and communication
SEAM = 0.6
WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap


class Card(QAbstractButton):
    """A button that fits its texts. With `picture` it has room for a thumbnail, set later."""

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
        # Qt also breaks lines at hyphens, as in "all-reduced".
        self._line = line.replace("-", NO_BREAK_HYPHEN)
        self._above = PICTURE + BELOW if picture else 0
        self.thumbnail: Thumbnail | None = None
        self._theme = LIGHT
        self._heights: dict[int, int] = {}
        """Cache of heights by width, in pixels: a layout asks for each many times."""

    @override
    def sizeHint(self) -> QSize:
        return QSize(WIDTH, self.heightForWidth(WIDTH))

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(WIDTH, self.heightForWidth(10 * WIDTH))

    @override
    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:
            self._heights[width] = self._measure(width)
        return self._heights[width]

    @override
    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._heights.clear()
        super().changeEvent(event)

    def _measure(self, width: int) -> int:
        title = self._height(self._bold(), self.text(), width)
        line = self._height(self._small(), self._line, width)
        return TOP + self._above + title + GAP + line + BOTTOM

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):  # Qt's buttons react only to Space
            self.click()
        else:
            super().keyPressEvent(event)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self.update()

    def show_thumbnail(self, thumbnail: Thumbnail | None) -> None:
        """Draw a thumbnail; None leaves its place empty."""
        self.thumbnail = thumbnail
        self.update()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self._draw(painter)

    def _draw(self, painter: QPainter) -> None:
        theme = self._theme
        marked = self.hasFocus() or self.underMouse()
        # Half a pixel inwards, so that an antialiased line of one pixel covers one row of pixels.
        whole = QRectF(self.rect())
        outline = whole.adjusted(0.5, 0.5, -0.5, -0.5)
        edge = theme.accent if marked else theme.line
        with smoothed(painter):
            painter.setPen(pen(edge))
            painter.setBrush(QColor(theme.field))
            painter.drawRoundedRect(outline, 6, 6)
        area = self.rect().adjusted(LEFT, TOP, -RIGHT, -BOTTOM)
        if self.thumbnail is not None and self._above:
            place = QRectF(area.left(), area.top(), area.width(), PICTURE)
            draw_thumbnail(painter, self.thumbnail, place, theme)
        area.setTop(area.top() + self._above)
        bold = self._bold()
        colour = theme.text if self.isEnabled() else theme.muted
        painter.setPen(QColor(colour))
        painter.setFont(bold)
        painter.drawText(area, int(WRAPPED), self.text())
        title = self._height(bold, self.text(), self.width())
        area.setTop(area.top() + title + GAP)
        painter.setPen(QColor(theme.muted))
        painter.setFont(self._small())
        painter.drawText(area, int(WRAPPED), self._line)

    def _height(self, font: QFont, text: str, width: int) -> int:
        inner = QRect(0, 0, width - LEFT - RIGHT, 10 * WIDTH)
        metrics = QFontMetrics(font)
        return metrics.boundingRect(inner, int(WRAPPED), text).height()

    def _bold(self) -> QFont:
        bold = QFont(self.font())
        bold.setBold(bool(self._above))
        return bold

    def _small(self) -> QFont:
        small = QFont(self.font())
        small.setPointSizeF(small.pointSizeF() * 0.86)
        return small


def draw_thumbnail(painter: QPainter, thumbnail: Thumbnail, place: QRectF, theme: Theme) -> None:
    """Draw a thumbnail: a row for each lane, with idle time hatched."""
    row = place.height() / max(1, thumbnail.lanes)
    gap = 2.0 if row >= 6 else 1.0
    high = max(1.0, row - gap)
    ratio = painter.device().devicePixelRatioF()
    hatch = hatch_brush(theme.idle, ratio)
    for lane in range(thumbnail.lanes):
        top = place.top() + lane * row
        strip = QRectF(place.left(), top, place.width(), high)
        painter.fillRect(strip, hatch)
    # Only rows of lanes with copies or communication are divided.
    shared = {bar.lane for bar in thumbnail.bars if bar.is_transfer}
    kinds = {bar.kind for bar in thumbnail.bars}
    colours = {}
    for kind in kinds:
        first, *_ = theme.colours_of(family_of(kind))
        colours[kind] = first
    for bar in thumbnail.bars:
        top = place.top() + bar.lane * row
        height = high
        if bar.is_transfer:
            height = high * TRANSFERS
            top += high - height
        elif bar.lane in shared:
            height = high * (1 - TRANSFERS)
        rect = _bar(bar, place, top, height)
        fill(painter, rect, colours[bar.kind])


def _bar(bar: Bar, place: QRectF, top: float, height: float) -> QRectF:
    """Return the rectangle of a bar; a wide one leaves a seam to the next bar."""
    scale = place.width() / PARTS
    width = (bar.end - bar.start) * scale
    if width > 5 * SEAM:
        width -= SEAM
    left = place.left() + bar.start * scale
    return QRectF(left, top, width, height)
