"""Cache of the picture of the lanes' labels."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSizeF
from PySide6.QtGui import QColor, QPainter, QPixmap

from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.margins import draw_labels
from gui.timeline.state.scene import Scene

PARTS = 2  # scrolled tracks and pinned tracks


class LabelColumn:
    """Draws the labels from a cached picture, since panning and zooming do not change them.

    Drawing the text takes a tenth of a frame's time. Each part of a frame (Frame.layers) has its
    own picture, stored under the part's upper edge with everything that the picture depends on.
    """

    def __init__(self) -> None:
        self._kept: dict[float, tuple[tuple[object, ...], QPixmap]] = {}

    def draw(self, canvas: Canvas, scene: Scene) -> None:
        """Draw the visible labels."""
        frame = canvas.frame
        ratio = canvas.pixel_ratio
        device = canvas.painter.device()
        size = QSizeF(frame.left, device.height() / ratio)
        shown = [scene.facts[track.lane] for track in frame.visible_tracks]
        # Everything that the picture depends on. It is compared by value, because a frame's layout
        # and theme may be new objects with the same contents.
        looks = (
            frame.layout,
            frame.left,
            frame.top,
            frame.ceiling,
            frame.floor,
            frame.theme,
            canvas.fonts,
            ratio,
            size,
            shown,
            scene.prediction_texts,
        )
        known, picture = self._kept.get(frame.ceiling, ((), QPixmap()))
        if known != looks:
            picture = QPixmap((size * ratio).toSize())
            # The picture has the screen's device pixels, but is painted in logical pixels. With
            # one pixel per logical pixel, text would be blurred on a screen with a ratio of 2.
            picture.setDevicePixelRatio(ratio)
            picture.fill(QColor(frame.theme.plot))
            with QPainter(picture) as on_picture:
                draw_labels(replace(canvas, painter=on_picture), scene)
            # The upper edge moves with every pinned lane: remove pictures of earlier edges.
            if len(self._kept) >= PARTS:
                self._kept.clear()
            self._kept[frame.ceiling] = looks, picture
        canvas.painter.drawPixmap(0, 0, picture)
