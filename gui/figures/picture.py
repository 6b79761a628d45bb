"""Pictures that any painter can draw, and their export to files and the clipboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QIODevice,
    QMarginsF,
    QMimeData,
    QRectF,
    QSize,
    QSizeF,
)
from PySide6.QtGui import QGuiApplication, QImage, QPageSize, QPaintDevice, QPainter, QPdfWriter

from core.files import whole_file
from core.plain import plain_markup
from gui.app.figure_options import MM_PER_INCH

SCREEN = 96.0  # pixels per inch at a scale of 1
SVG = "image/svg+xml"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of `width` by `height` units, `per_inch` units per inch; `draw` paints in units.

    A PNG has `scale` pixels per 1/96 inch.
    """

    title: str
    width: float
    height: float
    per_inch: float
    draw: Callable[[QPainter], None]
    scale: float = 2.0

    @property
    def millimetres(self) -> tuple[float, float]:
        """Width and height on paper, in millimetres."""
        per_mm = self.per_inch / MM_PER_INCH
        return self.width / per_mm, self.height / per_mm


def write_picture(picture: Picture, path: Path) -> None:
    """Write a picture as PNG, SVG or PDF, by the path's suffix.

    Raises a one-line ValueError, and leaves no file, if the suffix is unknown or the file cannot
    be written.
    """
    drawn = check_target(path)(picture)
    try:
        with whole_file(path) as place:
            place.write_bytes(drawn)
    except OSError as error:
        raise ValueError(str(error)) from error


def write_drawn(draw: Callable[[], Picture], path: Path) -> None:
    """Check the path, draw a picture, and write it as `write_picture` does. Needs no display."""
    check_target(path)
    with application():
        write_picture(draw(), path)


def check_target(path: Path) -> Callable[[Picture], bytes]:
    """Return the function that encodes pictures for a path, by its suffix.

    Raises ValueError if the suffix is unknown or the folder does not exist.
    """
    draw = FORMATS.get(path.suffix.lower())
    if draw is None:
        raise ValueError(f"{path} cannot be written: its name must end in .png, .svg or .pdf")
    if not path.parent.is_dir():
        raise ValueError(f"{path} cannot be written: there is no folder {path.parent}")
    return draw


def image_of(picture: Picture, scale: float | None = None) -> QImage:
    """Return a picture's image with `scale` pixels per 1/96 inch (default: the picture's)."""
    factor = (picture.scale if scale is None else scale) * SCREEN / picture.per_inch
    # Not cleared, and without alpha: every picture first paints its background.
    width = max(1, round(picture.width * factor))
    height = max(1, round(picture.height * factor))
    image = QImage(width, height, QImage.Format.Format_RGB32)
    # A device ratio rather than a scaled painter, so that text has the same layout as on paper.
    image.setDevicePixelRatio(factor)
    _paint(image, picture)
    per_metre = round(factor * picture.per_inch / MM_PER_INCH * 1000)
    # Only the painter needed the ratio; readers use pixels and dots per metre.
    image.setDevicePixelRatio(1)
    image.setDotsPerMeterX(per_metre)
    image.setDotsPerMeterY(per_metre)
    return image


def png_of(picture: Picture) -> bytes:
    """Return a picture as a PNG."""
    image = image_of(picture)
    return _written(lambda device: _check(image.save(device, "PNG")))  # type: ignore[call-overload]


def svg_of(picture: Picture) -> bytes:
    """Return a picture as an SVG document."""
    # Imported here, because QtSvg would slow the start of the window.
    from PySide6.QtSvg import QSvgGenerator

    def write(device: QIODevice) -> None:
        generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
        generator.setOutputDevice(device)
        generator.setSize(QSize(round(picture.width), round(picture.height)))
        generator.setViewBox(QRectF(0, 0, picture.width, picture.height))
        generator.setTitle(picture.title)
        # The file's width and height in millimetres follow from size and resolution.
        generator.setResolution(round(picture.per_inch))
        _paint(generator, picture)

    # A name may contain characters that XML forbids or that reverse the direction of text.
    document = _written(write).decode()
    return plain_markup(document).encode()


def pdf_of(picture: Picture) -> bytes:
    """Return a picture as a PDF of one page."""

    def write(device: QIODevice) -> None:
        writer = QPdfWriter(device)
        points = QSizeF(picture.width, picture.height) * (72.0 / picture.per_inch)
        # Without an exact match, a size that is nearly A4, for example, becomes A4.
        exact = QPageSize.SizeMatchPolicy.ExactMatch
        writer.setPageSize(QPageSize(points, QPageSize.Unit.Point, "", exact))
        # The picture has margins already.
        writer.setPageMargins(QMarginsF(0, 0, 0, 0))
        # This makes a dot of the writer equal to a unit of the picture.
        writer.setResolution(round(picture.per_inch))
        writer.setTitle(picture.title)
        _paint(writer, picture)

    return _written(write)


def copy_picture(picture: Picture) -> None:
    """Put a picture on the clipboard as an image and as SVG; the receiver chooses."""
    data = QMimeData()
    data.setImageData(image_of(picture))
    data.setData(SVG, svg_of(picture))
    QGuiApplication.clipboard().setMimeData(data)


@contextmanager
def application() -> Iterator[QGuiApplication]:
    """Yield the application; if there is none, create one without a display."""
    existing = QGuiApplication.instance()
    if isinstance(existing, QGuiApplication):
        yield existing
    else:
        yield QGuiApplication(["bubblescope", "-platform", "offscreen"])


def _written(write: Callable[[QIODevice], None]) -> bytes:
    """Return the bytes that `write` writes to a device in memory.

    It does not write to a file directly, because Qt does not report a full disk.
    """
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    write(buffer)
    buffer.close()
    return bytes(data.data())


def _check(done: bool) -> None:
    if not done:
        raise ValueError("the picture is too large to be drawn: use a smaller scale")


def _paint(device: QPaintDevice, picture: Picture) -> None:
    painter = QPainter()
    _check(painter.begin(device))
    try:
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        picture.draw(painter)
    finally:
        # Always: destroying a device while a painter is active on it ends the process.
        painter.end()


FORMATS: dict[str, Callable[[Picture], bytes]] = {".png": png_of, ".svg": svg_of, ".pdf": pdf_of}
