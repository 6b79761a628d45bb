"""A panel that is painted from a scene, and scrolls where it is higher than its dock."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from gui.look.text import tr
from gui.look.theme import LIGHT, Theme
from gui.timeline.layout.frame import Fonts
from gui.timeline.state.scene import Scene

PAD = 14.0
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter


class Sheet(QWidget):
    """Subclasses draw in `draw`, measure in `content_height` and tell in words in `words`."""

    empty = ""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.scene: Scene | None = None
        self.theme = LIGHT
        self.seen = QRectF()  # what of it is drawn now

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.theme = theme
        self.update()

    def show_scene(self, scene: Scene | None) -> None:
        """Show another run, or what has come of this one."""
        self.scene = scene
        told = scene if scene is not None and scene.trace.steps else None
        self.setMinimumHeight(int(self.content_height(told)) if told is not None else 0)
        self.setAccessibleDescription(self.words(told) if told is not None else self._nothing())
        self.update()

    def _nothing(self) -> str:
        """Why there is nothing to show."""
        if self.scene is not None and self.scene.trace.header.foreign:
            return tr("This trace says nothing of training steps.")
        return self.empty

    def content_height(self, scene: Scene) -> float:
        """Pixels that the content takes."""
        raise NotImplementedError

    def words(self, scene: Scene) -> str:
        """The content for screen readers."""
        raise NotImplementedError

    def draw(self, painter: QPainter, scene: Scene, fonts: Fonts) -> None:
        """Draw the content."""
        raise NotImplementedError

    def sizeHint(self) -> QSize:  # noqa: D102
        return QSize(260, 150)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(self.theme.plot))
            self.seen = QRectF(event.rect())
            if self.scene is not None and self.scene.trace.steps:
                self.draw(painter, self.scene, Fonts.of(self.font()))
            else:
                painter.setPen(QColor(self.theme.muted))
                area = QRectF(self.rect()).adjusted(PAD, 8, -PAD, -8)
                painter.drawText(area, int(CENTRE | Qt.TextFlag.TextWordWrap), self._nothing())


def scrolled(*parts: QWidget) -> QScrollArea:
    """Parts below one another in a frame that scrolls them up and down, sheets filling it."""
    whole = QWidget()
    whole.setObjectName("plot")
    column = QVBoxLayout(whole)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for part in parts:
        column.addWidget(part, 1 if isinstance(part, Sheet) else 0)
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(whole)
    area.setAccessibleName(", ".join(part.accessibleName() for part in parts))
    return area
