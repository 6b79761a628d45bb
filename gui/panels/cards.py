"""A card: a choice among a few, with a title and below it, on one line or more, what it means."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from gui.look.theme import LIGHT, Theme

WIDTH = 200
GAP = 2
NO_BREAK_HYPHEN = "\u2011"
LEFT, TOP, RIGHT, BOTTOM = 11, 4, 8, 5
WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap


class Card(QAbstractButton):
    """A checkable card; put several into one QButtonGroup."""

    def __init__(self, title: str, line: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(title)
        self.setCheckable(True)
        self.setToolTip(line)
        self.setAccessibleName(title)
        self.setAccessibleDescription(line)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._line = line.replace("-", NO_BREAK_HYPHEN)
        self._theme = LIGHT

    def sizeHint(self) -> QSize:  # noqa: D102
        return QSize(WIDTH, self.heightForWidth(WIDTH))

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(WIDTH, self.heightForWidth(10 * WIDTH))

    def heightForWidth(self, width: int) -> int:  # noqa: D102
        inner = QRect(0, 0, width - LEFT - RIGHT, 10 * WIDTH)
        line = QFontMetrics(self._small()).boundingRect(inner, int(WRAPPED), self._line)
        return TOP + self.fontMetrics().height() + GAP + line.height() + BOTTOM

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
        title = QFont(self.font())
        title.setBold(self.isChecked())
        area = self.rect().adjusted(LEFT, TOP, -RIGHT, -BOTTOM)
        painter.setPen(QColor(theme.text if self.isEnabled() else theme.muted))
        painter.setFont(title)
        painter.drawText(area, int(WRAPPED), self.text())
        painter.setPen(QColor(theme.muted))
        painter.setFont(self._small())
        area.setTop(TOP + self.fontMetrics().height() + GAP)
        painter.drawText(area, int(WRAPPED), self._line)

    def _small(self) -> QFont:
        small = QFont(self.font())
        small.setPointSizeF(small.pointSizeF() * 0.86)
        return small
