"""The lanes' labels on screen, drawn anew only when they have changed."""

from __future__ import annotations

from copy import copy

from PySide6.QtCore import QSizeF
from PySide6.QtGui import QColor, QPainter, QPixmap

from gui.timeline.frame import Fonts, Frame
from gui.timeline.margins import draw_headings, draw_labels
from gui.timeline.scene import Scene

PARTS = 2  # rows that scroll, and pinned ones


class LabelColumn:
    """Keeps a picture of the labels, since panning and zooming leave them as they are.

    Text takes a tenth of a frame's time. There is a picture for each of the parts that a frame is
    drawn in (gui.timeline.layers), by its upper edge.
    """

    def __init__(self) -> None:
        self._kept: dict[float, tuple[tuple[object, ...], QPixmap]] = {}

    def draw(self, painter: QPainter, scene: Scene, frame: Frame, fonts: Fonts) -> None:
        """Draw the labels that can be seen, and the headings of groups over them."""
        device = painter.device()
        ratio = device.devicePixelRatioF()
        size = QSizeF(frame.left, device.height() / ratio)
        looks = (
            frame.layout, frame.left, frame.top, frame.ceiling, frame.floor, frame.theme, fonts,
            ratio, size, dict(scene.beside_ghosts),
            [copy(scene.facts[row.lane]) for row in frame.visible(frame.layout.rows)],
        )  # fmt: skip
        known, picture = self._kept.get(frame.ceiling, ((), QPixmap()))
        if known != looks:
            picture = QPixmap((size * ratio).toSize())
            picture.setDevicePixelRatio(ratio)
            picture.fill(QColor(frame.theme.plot))
            with QPainter(picture) as on_picture:
                draw_labels(on_picture, scene, frame, fonts)
            if len(self._kept) >= PARTS:
                self._kept.clear()
            self._kept[frame.ceiling] = looks, picture
        painter.drawPixmap(0, 0, picture)
        draw_headings(painter, scene, frame, fonts)
