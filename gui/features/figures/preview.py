"""Preview of a figure, and a text with its size."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.override import override
from gui.figures.animation import AnimationPicture
from gui.figures.picture import SCREEN, Picture, image_of
from gui.look.text import tr

MOST_FINE = 4  # oversampling factor of the preview, at most


class Preview(QWidget):
    """Shows a picture as large as fits into the widget."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Preview"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._picture: Picture | None = None
        self._image: QImage | None = None

    def show_picture(self, picture: Picture | None) -> None:
        """Show another picture, or none."""
        self._picture = picture
        self._image = None
        self.setAccessibleDescription(picture.title if picture is not None else "")
        self.update()

    @override
    def sizeHint(self) -> QSize:
        return QSize(620, 460)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(280, 200)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._image = None

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), self.palette().mid())
            if self._picture is None:
                return
            if self._image is None:
                self._image = self._fitted(self._picture)
            ratio = self._image.devicePixelRatio()
            wide = self._image.width() / ratio
            high = self._image.height() / ratio
            left = round((self.width() - wide) / 2)
            top = round((self.height() - high) / 2)
            shadow = QRectF(left + 2, top + 2, wide, high)
            painter.fillRect(shadow, QColor(0, 0, 0, 40))
            painter.drawImage(QPointF(left, top), self._image)

    def _fitted(self, picture: Picture) -> QImage:
        """Return the picture at the size of the preview, in device pixels.

        It is drawn about as finely as the file and then scaled down. Drawn at the small size, it
        would lack the bars that are narrower than a pixel.
        """
        ratio = self.devicePixelRatioF()
        wide = picture.width * SCREEN / picture.per_inch
        high = picture.height * SCREEN / picture.per_inch
        across = (self.width() - 24) / wide
        down = (self.height() - 24) / high
        scale = min(across, down) * ratio
        scale = max(scale, 0.05)
        fineness = min(MOST_FINE, max(1, math.ceil(picture.scale / scale)))
        image = image_of(picture, scale * fineness)
        if fineness > 1:
            width = max(1, round(image.width() / fineness))
            height = max(1, round(image.height() / fineness))
            smooth = Qt.TransformationMode.SmoothTransformation
            whole = Qt.AspectRatioMode.IgnoreAspectRatio
            image = image.scaled(width, height, whole, smooth)
        image.setDevicePixelRatio(ratio)
        return image


def size_text(picture: Picture | None) -> str:
    """Return the size of a picture: `85 × 62 mm, as PNG 2008 × 1465 pixels`.

    An animation also has a length: `900 × 331 pixels, 161 frames in 8 s`.
    """
    if picture is None:
        return ""
    if isinstance(picture, AnimationPicture):
        across, down = picture.animation.pixels
        return tr(
            "{across} × {down} pixels, {count} frames in {seconds} s",
            across=across,
            down=down,
            count=len(picture.animation.times),
            seconds=f"{picture.animation.seconds:.3g}",
        )
    wide, high = picture.millimetres
    factor = picture.scale * SCREEN / picture.per_inch
    return tr(
        "{wide} × {high} mm, as PNG {across} × {down} pixels",
        wide=f"{wide:.0f}",
        high=f"{high:.0f}",
        across=round(picture.width * factor),
        down=round(picture.height * factor),
    )
