"""A picture that any painter can draw, and its ways into files and onto the clipboard."""

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

SCREEN = 96.0  # pixels an inch for which a scale of 1 is meant
SVG = "image/svg+xml"


@dataclass(frozen=True, slots=True)
class Picture:
    """`width` by `height` units, `per_inch` of them to the inch, drawn by `draw` in these units.

    A PNG has `scale` pixels for each 1/96 inch.
    """

    title: str
    width: float
    height: float
    per_inch: float
    draw: Callable[[QPainter], None]
    scale: float = 2.0

    @property
    def millimetres(self) -> tuple[float, float]:
        """Width and height on paper."""
        per_mm = self.per_inch / MM_PER_INCH
        return self.width / per_mm, self.height / per_mm


def write_picture(picture: Picture, path: Path) -> None:
    """Write a picture whose format follows from the suffix: PNG, SVG or PDF.

    Raises ValueError, in one line, if the suffix is unknown or the file cannot be written; nothing
    half-written is left behind.
    """
    drawn = check_target(path)(picture)
    try:
        with whole_file(path) as place:
            place.write_bytes(drawn)
    except OSError as error:
        raise ValueError(str(error)) from error


def write_drawn(draw: Callable[[], Picture], path: Path) -> None:
    """Write a picture that is yet to be drawn, as `write_picture` does. Needs no display."""
    check_target(path)
    with application():
        write_picture(draw(), path)


def check_target(path: Path) -> Callable[[Picture], bytes]:
    """What draws files of this name. Raises ValueError if nothing does, or there is no folder."""
    draw = FORMATS.get(path.suffix.lower())
    if draw is None:
        raise ValueError(f"{path} cannot be written: its name must end in .png, .svg or .pdf")
    if not path.parent.is_dir():
        raise ValueError(f"{path} cannot be written: there is no folder {path.parent}")
    return draw


def image_of(picture: Picture, scale: float | None = None) -> QImage:
    """A picture in pixels: `scale` of them for each 1/96 inch (default: the picture's own)."""
    factor = (picture.scale if scale is None else scale) * SCREEN / picture.per_inch
    # Not cleared, and without alpha: every picture begins by painting its ground.
    image = QImage(
        max(1, round(picture.width * factor)), max(1, round(picture.height * factor)),
        QImage.Format.Format_RGB32,
    )  # fmt: skip
    # The ratio, not a scaled painter: text is then laid out as it is on paper.
    image.setDevicePixelRatio(factor)
    _paint(image, picture)
    per_metre = round(factor * picture.per_inch / MM_PER_INCH * 1000)
    # Only the painter needed the ratio; readers go by pixels and dots per metre.
    image.setDevicePixelRatio(1)
    image.setDotsPerMeterX(per_metre)
    image.setDotsPerMeterY(per_metre)
    return image


def png_of(picture: Picture) -> bytes:
    """A picture as a PNG."""
    image = image_of(picture)
    return _written(lambda device: _check(image.save(device, "PNG")))  # type: ignore[call-overload]


def svg_of(picture: Picture) -> bytes:
    """A picture as an SVG document of its own."""
    from PySide6.QtSvg import QSvgGenerator  # only here: the window must not wait for it

    def write(device: QIODevice) -> None:
        generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
        generator.setOutputDevice(device)
        generator.setSize(QSize(round(picture.width), round(picture.height)))
        generator.setViewBox(QRectF(0, 0, picture.width, picture.height))
        generator.setTitle(picture.title)
        # From size and resolution the file gets its width and height in millimetres.
        generator.setResolution(round(picture.per_inch))
        _paint(generator, picture)

    # A name may hold what no XML may, and what turns the text behind it round.
    return plain_markup(_written(write).decode()).encode()


def pdf_of(picture: Picture) -> bytes:
    """A picture as a PDF of one page."""

    def write(device: QIODevice) -> None:
        writer = QPdfWriter(device)
        points = QSizeF(picture.width, picture.height) * (72.0 / picture.per_inch)
        writer.setPageSize(
            # Else a size that is nearly A4, say, would become A4.
            QPageSize(points, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
        )
        # A writer has margins unless told otherwise, and the picture has its own.
        writer.setPageMargins(QMarginsF(0, 0, 0, 0))
        # A dot of the writer is then a unit of the picture.
        writer.setResolution(round(picture.per_inch))
        writer.setTitle(picture.title)
        _paint(writer, picture)

    return _written(write)


def copy_picture(picture: Picture) -> None:
    """Put a picture on the clipboard, in pixels and as SVG: who pastes takes what it can."""
    data = QMimeData()
    data.setImageData(image_of(picture))
    data.setData(SVG, svg_of(picture))
    QGuiApplication.clipboard().setMimeData(data)


@contextmanager
def application() -> Iterator[QGuiApplication]:
    """The application, or one without a display, whatever the environment says of displays."""
    there = QGuiApplication.instance()
    if not isinstance(there, QGuiApplication):
        there = QGuiApplication(["bubblescope", "-platform", "offscreen"])
    yield there


def _written(write: Callable[[QIODevice], None]) -> bytes:
    """What is written to a device in memory: on a full disk Qt does not say that it failed."""
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
        # In any case: a device that goes while a painter is active on it ends the process.
        painter.end()


FORMATS: dict[str, Callable[[Picture], bytes]] = {".png": png_of, ".svg": svg_of, ".pdf": pdf_of}
