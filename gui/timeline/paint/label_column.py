"""The lanes' labels on screen, drawn anew only when they have changed."""

from __future__ import annotations

from PySide6.QtCore import QSizeF
from PySide6.QtGui import QColor, QPainter, QPixmap

from gui.timeline.layout.fonts import Fonts
from gui.timeline.layout.frame import Frame
from gui.timeline.paint.margins import draw_headings, draw_labels
from gui.timeline.state.scene import Scene

PARTS = 2  # tracks that scroll, and pinned ones


class LabelColumn:
    """Keeps a picture of the labels, since panning and zooming leave them as they are.

    Text takes a tenth of a frame's time. There is a picture for each of the parts that a frame is
    drawn in (Frame.layers), by its upper edge, with what it was drawn from.
    """

    def __init__(self) -> None:
        self._kept: dict[float, tuple[tuple[object, ...], QPixmap]] = {}

    def draw(self, painter: QPainter, scene: Scene, frame: Frame, fonts: Fonts) -> None:
        """Draw the labels that can be seen, and the headings of groups over them."""
        device = painter.device()
        ratio = device.devicePixelRatioF()
        size = QSizeF(frame.left, device.height() / ratio)
        shown = [scene.facts[track.lane] for track in frame.visible(frame.layout.tracks)]
        # All that the picture depends on. Compared by value, since layout and theme of a frame may
        # be other objects though nothing has changed.
        looks = (
            frame.layout, frame.left, frame.top, frame.ceiling, frame.floor, frame.theme, fonts,
            ratio, size, shown, scene.beside_ghosts,
        )  # fmt: skip
        known, picture = self._kept.get(frame.ceiling, ((), QPixmap()))
        if known != looks:
            picture = QPixmap((size * ratio).toSize())
            # As many device pixels as the screen has; painted in logical pixels once the ratio is
            # set. Without it the text would be blurred on a screen of ratio 2.
            picture.setDevicePixelRatio(ratio)
            picture.fill(QColor(frame.theme.plot))
            with QPainter(picture) as on_picture:
                draw_labels(on_picture, scene, frame, fonts)
            # The upper edge is the key, and moves with every pinned lane: pictures of earlier edges
            # go.
            if len(self._kept) >= PARTS:
                self._kept.clear()
            self._kept[frame.ceiling] = looks, picture
        painter.drawPixmap(0, 0, picture)
        # Not in the picture: a heading reaches over the plot, where panning changes what is below
        # it.
        draw_headings(painter, scene, frame, fonts)
