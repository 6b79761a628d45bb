"""A card: a choice among a few, with a title and a line that says what it means."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from gui.theme import LIGHT, Theme

HEIGHT = 41


class Card(QAbstractButton):
    """A checkable card; put several into one QButtonGroup."""

    def __init__(self, title: str, line: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(title)
        self.setCheckable(True)
        self.setToolTip(line)
        self.setAccessibleName(title)
        self.setAccessibleDescription(line)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._line = line
        self._theme = LIGHT

    def sizeHint(self) -> QSize:  # noqa: D102
        return QSize(200, HEIGHT)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self.update()

    def event(self, event: QEvent) -> bool:  # noqa: D102
        if event.type() in (QEvent.Type.HoverEnter, QEvent.Type.HoverLeave):
            self.update()
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        with QPainter(self) as painter:
            self._draw(painter)

    def _draw(self, painter: QPainter) -> None:
        theme = self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        marked = self.isChecked() or self.hasFocus() or self.underMouse()
        painter.setPen(QPen(QColor(theme.accent if marked else theme.line), 1))
        painter.setBrush(QColor(theme.tint if self.isChecked() else theme.field))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        title, small = QFont(self.font()), QFont(self.font())
        title.setBold(self.isChecked())
        small.setPointSizeF(self.font().pointSizeF() * 0.86)
        area = self.rect().adjusted(11, 4, -6, -4)
        top = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        painter.setPen(QColor(theme.text if self.isEnabled() else theme.muted))
        painter.setFont(title)
        painter.drawText(area, top, self.text())
        painter.setPen(QColor(theme.muted))
        painter.setFont(small)
        line = QFontMetrics(small).elidedText(self._line, Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, line)
