"""Draws a run's lanes on any QPainter, for the screen and for exported figures alike."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen, QPixmap

from core.trace.trace import Span
from gui.families import FAMILIES, family_of
from gui.text import bytes_text, rows_text
from gui.theme import Theme
from gui.timeline.boxes import boxes_of, fill_boxes, stacked
from gui.timeline.labels import COLUMNS, Choices, labels_of, on_one_line
from gui.timeline.reduction import Bars, PixelColumns, reduce_lane
from gui.timeline.rows import Layout, Row
from gui.timeline.scene import Scene
from gui.timeline.viewport import Viewport

HATCH = 8
LABEL_PIXELS = 13.0  # narrower bars carry no text
PAIR_PIXELS = 30.0  # lower bars name both actions of an overlap on one line
MOST_HATCHES = 400  # more steps than this on screen are hatched as one


@dataclass(frozen=True, slots=True)
class Frame:
    """Where and how a scene is drawn.

    The plot begins at pixel `left`; the layout's zero stands at `top`. `now` is the present in ns
    while the run is live. `vector` asks for lines instead of textures. Rows above `ceiling` or
    below `floor` cannot be seen. `critical` asks for the critical path.
    """

    view: Viewport
    layout: Layout
    left: float
    top: float
    theme: Theme
    now: float | None = None
    vector: bool = False
    ceiling: float = -math.inf
    floor: float = math.inf
    critical: bool = False

    def visible(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Those of `rows` that can be seen."""
        above, below = self.ceiling - self.top, self.floor - self.top
        return (row for row in rows if row.bottom > above and row.top < below)

    def x(self, time_ns: float) -> float:
        """The pixel of a time, in the picture."""
        return self.left + self.view.x(time_ns)

    def row_rect(self, row: Row, start: float, end: float) -> QRectF:
        """The rectangle of a time range on a row, cut to the plot and at least one pixel wide."""
        right = self.left + self.view.width
        x0 = min(max(self.x(start), self.left - 2), right + 2)
        x1 = min(max(self.x(end), self.left - 2), right + 2)
        return QRectF(x0, self.top + row.top, max(1.0, x1 - x0), row.height)


@dataclass(frozen=True, slots=True)
class Fonts:
    """The sizes of text in a picture, made from one font."""

    base: QFont
    small: QFont
    bold: QFont

    @classmethod
    def of(cls, font: QFont) -> Fonts:
        """Sizes around `font`'s own."""
        small, bold = QFont(font), QFont(font)
        small.setPointSizeF(max(6.0, font.pointSizeF() * 0.86))
        bold.setBold(True)
        return cls(font, small, bold)


class LanePainter:
    """Draws the lanes of a scene inside the plot; labels and axes belong to others."""

    def __init__(self, painter: QPainter, scene: Scene, frame: Frame, fonts: Fonts) -> None:
        self.painter, self.scene, self.frame, self.fonts = painter, scene, frame, fonts
        self.colours = frame.theme.families
        self.letters = frame.theme.letters
        self.per_pixel = 0.0

    def draw(self) -> float:
        """Draw everything; returns the spans a pixel of the densest lane, 0 if all is exact."""
        for row in self.frame.visible(self.frame.layout.rows):
            self._idle(row)
            self._spans(row)
        for span in self.scene.trace.open_tasks:
            self._open(span)
        return self.per_pixel

    def draw_spans(self) -> None:
        """Only the spans, for an overview."""
        for row in self.frame.layout.rows:
            self._spans(row)

    def _idle(self, row: Row) -> None:
        """Hatch the steps; bars are drawn over it, so that what stays hatched is idle."""
        for start, end in self._step_ranges():
            rect = self.frame.row_rect(row, start, end)
            if row.helper:
                self.painter.fillRect(rect, QColor(self.frame.theme.grid))
            else:
                hatch(self.painter, rect, self.frame)

    def _step_ranges(self) -> list[tuple[float, float]]:
        """Time ranges of the visible steps; a live step reaches to the present."""
        scene, view = self.scene, self.frame.view
        first = int(np.searchsorted(scene.step_ends, view.start, "right"))
        last = int(np.searchsorted(scene.step_starts, view.end, "left"))
        starts, ends = scene.step_starts[first:last], scene.step_ends[first:last]
        ranges = list(zip(starts.tolist(), ends.tolist(), strict=True))
        if len(ranges) > MOST_HATCHES:
            ranges = [(ranges[0][0], ranges[-1][1])]
        live = [span.start for span in scene.trace.open_tasks]
        if live and self.frame.now is not None:
            ranges.append(
                (ends[-1] if len(ends) and ends[-1] > min(live) else min(live), self.frame.now)
            )
        return ranges

    def _spans(self, row: Row) -> None:
        view = self.frame.view
        reduced = reduce_lane(self.scene.columns[row.lane], view)
        boxes = boxes_of(reduced, view.width, row.height)
        bottom = self.frame.top + row.bottom
        fill_boxes(self.painter, boxes, self.frame.left, bottom, self.colours)
        if isinstance(reduced, PixelColumns):
            self.per_pixel = max(self.per_pixel, reduced.per_pixel)
        elif not row.helper:
            self._texts(row, reduced)

    def _texts(self, row: Row, bars: Bars) -> None:
        left = np.maximum(bars.left, 0.0)
        right = np.minimum(bars.right, self.frame.view.width)
        wide = np.flatnonzero(right - left >= LABEL_PIXELS)
        if not len(wide):
            return
        spans = self.scene.trace.spans(row.lane)[bars.first + wide]
        staged = len(self.scene.facts[row.lane].stages) > 1
        columns = [spans[name].tolist() for name in COLUMNS]
        for index, (kind, *numbers, stage, paired_stage, rows, size) in zip(
            wide, zip(*columns, strict=True), strict=True
        ):
            halves = labels_of(kind, tuple(numbers), stage, paired_stage, staged)
            if row.height < PAIR_PIXELS:
                halves = on_one_line(halves)
            second = bytes_text(size) if size else rows_text(rows) if rows else ""
            rect = QRectF(
                self.frame.left + left[index], self.frame.top + row.top,
                right[index] - left[index] - 1, row.height,
            )  # fmt: skip
            pens = self.letters[bars.family[index]]
            parts = zip(stacked(rect, len(halves)), halves, pens, strict=False)
            for part, choices, pen in parts:
                self._text(part, choices, second, pen)

    def _text(self, rect: QRectF, choices: Choices, second: str, pen: QColor) -> None:
        """The longest label that fits in a bar, with what the bar carries below if that fits."""
        fonts = (self.fonts.bold, self.fonts.small)
        fitting = (
            (label, font)
            for label in choices
            for font in fonts
            if text_width(font, label) <= rect.width() - 2
        )
        label, font = next(fitting, ("", None))
        if font is None:
            return
        self.painter.setPen(pen)
        self.painter.setFont(font)
        fits = (
            second
            and rect.height() >= 40
            and text_width(self.fonts.small, second) <= rect.width() - 4
        )
        if not fits:
            self.painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, label)
            return
        middle = rect.center().y()
        upper = QRectF(rect.left(), middle - 18, rect.width(), 18)
        lower = QRectF(rect.left(), middle + 1, rect.width(), 15)
        self.painter.drawText(upper, Qt.AlignmentFlag.AlignCenter, label)
        self.painter.setFont(self.fonts.small)
        self.painter.drawText(lower, Qt.AlignmentFlag.AlignCenter, second)

    def _open(self, span: Span) -> None:
        """A task that has not ended: it grows to the present, lighter, with a solid front."""
        row = self.frame.layout.row_of(span.lane)
        end = self.frame.now
        if end is None:
            end = max(span.start, self.scene.bounds[1])
        rect = self.frame.row_rect(row, span.start, end)
        self.painter.fillRect(rect, QColor(self.frame.theme.plot))
        self._open_parts(rect, self.colours[FAMILIES.index(family_of(span.kind))])
        if row.helper or rect.width() < LABEL_PIXELS:
            return
        self.painter.setFont(self.fonts.bold)
        self.painter.setPen(QColor(self.frame.theme.text))
        if text_width(self.fonts.bold, span.label) <= rect.width() - 2:
            self.painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, span.label)

    def _open_parts(self, rect: QRectF, colours: tuple[QColor, ...]) -> None:
        for part, colour in zip(stacked(rect, len(colours)), colours, strict=True):
            light = QColor(colour)
            light.setAlpha(90)
            self.painter.fillRect(part, light)
            self.painter.fillRect(QRectF(part.right() - 3, part.top(), 3, part.height()), colour)
        self.painter.fillRect(QRectF(rect.left(), rect.top(), rect.width(), 2), colours[0])


def hatch(painter: QPainter, rect: QRectF, frame: Frame) -> None:
    """Fill a rectangle with the lines that mean idle; they move with the time that they cover."""
    right = frame.left + frame.view.width
    rect = rect.intersected(QRectF(frame.left, rect.top(), right - frame.left, rect.height()))
    if rect.isEmpty():
        return
    if frame.vector:
        painter.setPen(QPen(QColor(frame.theme.idle), 0.6))
        painter.drawLines(hatch_lines(rect))
        return
    ratio = painter.device().devicePixelRatioF()
    painter.setBrushOrigin(QPointF(round(frame.x(0.0)) % HATCH, 0))
    painter.fillRect(rect, hatch_brush(frame.theme.idle, ratio))


def hatch_lines(rect: QRectF) -> list[QLineF]:
    """Diagonals through a rectangle, cut at its edges."""
    lines = []
    first = int((rect.left() + rect.top()) // HATCH) + 1
    last = int((rect.right() + rect.bottom()) // HATCH)
    for n in range(first, last + 1):
        total = n * HATCH  # on each diagonal x + y is constant
        x0, x1 = max(rect.left(), total - rect.bottom()), min(rect.right(), total - rect.top())
        lines.append(QLineF(x0, total - x0, x1, total - x1))
    return lines


@lru_cache(maxsize=8)
def hatch_brush(colour: str, ratio: float) -> QBrush:
    """One tile of the idle hatch as a texture."""
    tile = QPixmap(round(HATCH * ratio), round(HATCH * ratio))
    tile.setDevicePixelRatio(ratio)
    tile.fill(Qt.GlobalColor.transparent)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(colour), 0.8))
    for shift in (-HATCH, 0, HATCH):
        painter.drawLine(QPointF(shift - 1, HATCH + 1), QPointF(shift + HATCH + 1, -1))
    painter.end()
    return QBrush(tile)


@lru_cache(maxsize=4096)
def _text_width(key: str, label: str) -> float:
    font = QFont()
    font.fromString(key)
    return QFontMetricsF(font).horizontalAdvance(label)


def text_width(font: QFont, label: str) -> float:
    """Width of a label in pixels, remembered."""
    return _text_width(font.toString(), label)
