"""Draws a run on any QPainter, for the screen and for exported figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import cycle

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from core.trace.span import Span
from gui.look.theme import Colours, Theme
from gui.look.writing import CENTRE
from gui.timeline.layout.frame import AXIS, Frame, Track
from gui.timeline.paint.arrows import draw_dependencies
from gui.timeline.paint.boxes import boxes_of, draw_boxes, fill_boxes, stacked
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.critical import draw_critical
from gui.timeline.paint.folds import draw_folds
from gui.timeline.paint.gap_labels import draw_gap_labels
from gui.timeline.paint.idle import idle_ground
from gui.timeline.paint.label_column import LabelColumn
from gui.timeline.paint.margins import draw_axis, draw_headings, draw_steps
from gui.timeline.paint.nested import draw_block_numbers
from gui.timeline.paint.pixels import Palette, draw_tracks, is_halved, palette_of
from gui.timeline.paint.search_hits import draw_count, draw_hits
from gui.timeline.paint.strips import draw_strips
from gui.timeline.paint.summaries import draw_groups
from gui.timeline.reduce.reduction import Bars, PixelColumns, reduce_lane
from gui.timeline.state.bar_looks import BarWords, Colouring, Label, TextLook, recoloured
from gui.timeline.state.scene import Scene
from gui.timeline.state.selection import bounds_of

LABEL_PIXELS = 13.0  # pixels; narrower bars have no text
PAIR_PIXELS = 30.0  # pixels; lower bars have both labels of an overlap on one line
_PlacedLabel = tuple[float, float, Label]
"""Left and upper edge of a label in the picture, and the label."""


def draw_scene(canvas: Canvas, scene: Scene, area: QRectF, labels: LabelColumn) -> float:
    """Draw axis, labels, lanes and strips; return the spans per pixel of the densest lane."""
    frame = canvas.frame
    bottom = min(area.bottom(), frame.bottom)
    # The order matters: grid and steps are below the bars, folds of time over them.
    draw_axis(canvas, bottom)
    draw_steps(canvas, scene, AXIS, bottom)
    per_pixel = 0.0
    parts = frame.layers()
    for part in parts:
        densest = _draw_tracks(canvas.with_frame(part), scene, area, labels)
        per_pixel = max(per_pixel, densest)
    draw_groups(canvas, scene)
    canvas.painter.setClipping(False)
    draw_folds(canvas, scene, AXIS, bottom)
    # A heading may be wider than the column of labels; a fold at the plot's edge would cover it.
    scrolled = parts[0]
    canvas.painter.setClipRect(_body(scrolled, area))
    draw_headings(canvas.with_frame(scrolled), scene)
    canvas.painter.setClipping(False)
    return per_pixel


def _body(frame: Frame, area: QRectF) -> QRectF:
    """Return the visible part of a frame, labels and lanes, over the whole width."""
    bottom = min(area.bottom(), frame.floor)
    return QRectF(0, frame.ceiling, area.width(), bottom - frame.ceiling)


def _draw_tracks(canvas: Canvas, scene: Scene, area: QRectF, labels: LabelColumn) -> float:
    painter = canvas.painter
    frame = canvas.frame
    body = _body(frame, area)
    painter.setClipRect(body)
    # The column of labels is left of LABELS and the lanes are right of it: with two clips neither
    # extends into the other.
    labels.draw(canvas, scene)
    plot = frame.plot(frame.ceiling, body.bottom())
    painter.setClipRect(plot)
    draw_strips(canvas, scene)
    per_pixel = LanePainter(canvas, scene).draw()
    draw_block_numbers(canvas, scene)
    if frame.path:
        draw_critical(canvas, scene)
    draw_gap_labels(canvas, scene)
    if frame.arrows:
        draw_dependencies(canvas, scene)
    return per_pixel


class LanePainter:
    """Draws the lanes of a scene inside the plot, without labels and axes."""

    def __init__(self, canvas: Canvas, scene: Scene) -> None:
        self.canvas = canvas
        self.painter = canvas.painter
        self.frame = canvas.frame
        self.fonts = canvas.fonts
        self.scene = scene
        self.colours, self.letters, self.palette = _colours_of(scene.colouring, canvas.theme)
        # Labels are collected and drawn at the end, so that pen and font change only once for all
        # labels of the same look.
        self._words: defaultdict[tuple[bool, int], list[_PlacedLabel]] = defaultdict(list)

    def draw(self) -> float:
        """Draw all lanes; return the spans per pixel of the densest one, 0 if none is reduced."""
        canvas = self.canvas
        idle = idle_ground(canvas, self.scene)
        tracks = self.frame.visible_tracks
        for track in tracks:
            idle(self.frame.place(track), track.helper)
        folded: list[tuple[Track, PixelColumns]] = []
        for track, reduced in zip(tracks, self.draw_spans(tracks), strict=True):
            draw_hits(canvas, self.scene, track)
            if isinstance(reduced, PixelColumns):
                folded.append((track, reduced))
            elif not track.helper:
                self._texts(track, reduced)
        self._write()
        for span in self.scene.trace.open_tasks:
            self._open(span)
        for track, columns in folded:
            draw_count(canvas, track, columns.count)
        per_pixel = max((columns.per_pixel for _, columns in folded), default=0.0)
        # Two digits, because more would change too often to be read.
        return float(f"{per_pixel:.2g}")

    def draw_spans(self, tracks: Sequence[Track]) -> list[Bars | PixelColumns]:
        """Draw only the spans of some tracks; return the bars or pixel columns of each."""
        scene = self.scene
        view = self.frame.view
        found = []
        for track in tracks:
            reduced = reduce_lane(scene.columns[track.lane], view)
            found.append(recoloured(scene.colouring, reduced, scene.trace, track.lane, view))
        places = [self.frame.place(track) for track in tracks]
        if not self.frame.vector:
            draw_reduced(self.painter, found, places, self.palette)
            return found
        for reduced, place in zip(found, places, strict=True):
            boxes = boxes_of(reduced, place.width(), place.height())
            fill_boxes(self.painter, boxes, place.left(), place.bottom(), self.colours)
        return found

    def _texts(self, track: Track, bars: Bars) -> None:
        left = np.maximum(bars.left, 0.0)
        right = np.minimum(bars.right, self.frame.view.width)
        wide = np.flatnonzero(right - left >= LABEL_PIXELS)
        if not len(wide):
            return
        facts = self.scene.facts[track.lane]
        columns = self.scene.columns[track.lane]
        look = TextLook(
            bold=self.fonts.bold.toString(),
            small=self.fonts.small.toString(),
            staged=len(facts.stages) > 1,
            low=track.height < PAIR_PIXELS,
            shrinks=self.frame.vector,
        )
        rows = columns.rows[bars.first + wide].tolist()
        words = self.scene.words(rows, look)
        # Minus a pixel, because wide bars have a free pixel at their end (SEAM_PIXELS).
        widths = right[wide] - left[wide] - 1
        middles = left[wide] + self.frame.left + widths / 2
        xs = middles.tolist()
        rooms = widths.tolist()
        families = bars.family[wide].tolist()
        for one, x, room, family in zip(words, xs, rooms, families, strict=True):
            self._put(one, track, x, room, self.letters[family])

    def _put(
        self,
        words: BarWords,
        track: Track,
        x: float,
        room: float,
        pens: tuple[int, ...],
    ) -> None:
        """Collect the best label that fits into each part of a bar, with the payload below it."""
        part = track.height / len(words.parts)
        y = self.frame.top + track.top + part / 2
        # There may be more parts than pens, or fewer: two halves in one colour, or a low bar with
        # both labels on one line.
        for choices, payload, pen in zip(words.parts, words.carried, cycle(pens), strict=False):
            if payload is not None and (part < 40 or payload.width > room - 4):
                payload = None
            for label in choices:
                if label.width > room - 2:
                    continue
                if payload is None:
                    self._collect(label, x, y, pen)
                else:
                    self._collect(label, x, y - 9, pen)
                    self._collect(payload, x, y + 8.5, pen)
                break
            y += part

    def _collect(self, label: Label, x: float, y: float, colour: int) -> None:
        """Collect a label centred at `x` and `y`; `colour` is 0xAARRGGBB."""
        left = x - label.width / 2
        top = y - label.height / 2
        words = self._words[label.small, colour]
        words.append((left, top, label))

    def _write(self) -> None:
        """Draw the collected labels by colour and font; in figures as searchable text."""
        painter = self.painter
        for (small, colour), words in self._words.items():
            painter.setFont(self.fonts.small if small else self.fonts.bold)
            painter.setPen(QColor.fromRgba(colour))
            for x, y, label in words:
                if self.frame.vector:
                    place = QRectF(x - 1, y, label.width + 2, label.height)
                    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, label.text)
                else:
                    # QStaticText keeps its layout between frames.
                    painter.drawStaticText(QPointF(x, y), label.laid_out)

    def _open(self, span: Span) -> None:
        """Draw an open task: a lighter bar up to the present, with a solid front edge.

        In a finished run the task's end is unknown: its bar has no front edge, and its label ends
        with an ellipsis.
        """
        start, end = bounds_of(self.scene.trace, span, self.frame.now)
        view = self.frame.view
        layout = self.frame.layout
        if end < view.start or start > view.end:
            return
        if not layout.shows(span.lane):
            return  # in a folded group, or filtered out
        track = layout.track_of(span.lane)
        rect = self.frame.rect(track, start, end)
        # Erase the hatch of idle time, which would be visible through the translucent bar.
        self.canvas.fill(rect, self.canvas.theme.plot)
        code = self.scene.colouring.code_of(span)
        self._open_parts(rect, self.colours[code])
        if track.helper or rect.width() < LABEL_PIXELS:
            return
        label = span.label
        if self.frame.now is None:
            label = f"{label}…"
        if self.canvas.bold_width(label) <= rect.width() - 2:
            self.canvas.bold(rect, label, CENTRE)

    def _open_parts(self, rect: QRectF, colours: tuple[QColor, ...]) -> None:
        parts = stacked(rect, len(colours))
        for part, colour in zip(parts, colours, strict=True):
            light = QColor(colour)
            light.setAlpha(90)
            self.painter.fillRect(part, light)
            if self.frame.now is not None:
                left = part.right() - 3
                front = QRectF(left, part.top(), 3, part.height())
                self.painter.fillRect(front, colour)
        edge = QRectF(rect)
        edge.setHeight(2)
        self.painter.fillRect(edge, colours[0])


def draw_reduced(
    painter: QPainter,
    reduced: Sequence[Bars | PixelColumns],
    places: Sequence[QRectF],
    palette: Palette,
) -> None:
    """Draw the reduced spans of some tracks, each at its place, all as wide as the plot."""
    if not any(is_halved(one.family, palette) for one in reduced):
        draw_tracks(painter, reduced, places, palette)
        return
    for one, place in zip(reduced, places, strict=True):
        boxes = boxes_of(one, place.width(), place.height())
        draw_boxes(painter, boxes, place, palette)


@lru_cache(maxsize=4)
def _colours_of(
    colouring: Colouring,
    theme: Theme,
) -> tuple[Colours, tuple[tuple[int, ...], ...], Palette]:
    """Return the colours of codes, the colours of text on them as 0xAARRGGBB, and a palette."""
    colours = colouring.colours(theme)
    letters = []
    for pens in theme.letters(colours):
        codes = tuple(pen.rgba() for pen in pens)
        letters.append(codes)
    palette = palette_of(colours)
    return colours, tuple(letters), palette
