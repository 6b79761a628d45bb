"""The crosshair: the time under the pointer, over all lanes and on the axis."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor

from core.trace.spans import Spans
from gui.look.painter import smoothed
from gui.timeline.layout.frame import AXIS, Frame, at_height
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.margins import time_tag
from gui.timeline.state.scene import Scene

SNAP = 6.0  # pixels; the crosshair snaps to an edge of a span within this distance
DOT = 3.0


@dataclass(frozen=True, slots=True)
class Crosshair:
    """A time in ns; if the crosshair snapped to an edge of a span, `lane` is the span's lane."""

    time: float
    lane: int | None = None


def crosshair_at(scene: Scene, frame: Frame, x: float, y: float) -> Crosshair | None:
    """Return the crosshair for a pixel of the picture, or None outside the plot and its axis.

    It snaps to the nearest edge of a span on the lane under the pointer; between lanes and on the
    axis to the nearest one on any visible lane.
    """
    if not frame.left <= x <= frame.right:
        return None
    trace = scene.trace
    time = frame.view.time(x - frame.left)
    reach = SNAP * frame.view.ns_per_pixel
    count = len(trace.header.lanes)
    tracks = frame.visible_tracks
    searched = [track for track in tracks if 0 <= track.lane < count]
    if y >= frame.ceiling:
        under = at_height(searched, y - frame.top)
        if under is not None:
            searched = [under]
    best = Crosshair(time)
    shortest = math.inf
    for track in searched:
        edge = nearest_edge(trace.spans(track.lane), time)
        if edge is None:
            continue
        distance = abs(edge - time)
        if distance < shortest:
            best = Crosshair(float(edge), track.lane)
            shortest = distance
    return best if shortest <= reach else Crosshair(time)


def nearest_edge(spans: Spans, time: float) -> int | None:
    """Return the start or end of a span that is closest to a time, in ns; None without spans."""
    edges = []
    for column in (spans.start, spans.end):
        # A lane's spans do not overlap, so its ends are sorted like its starts: only the last edge
        # before the time and the first one after it can be the nearest. Searched as an integer: for
        # a float NumPy would convert the whole column to floats.
        index = int(column.searchsorted(math.ceil(time)))
        nearby = column[max(0, index - 1) : index + 1]
        edges += nearby.tolist()
    return min(edges, key=lambda edge: abs(edge - time), default=None)


def draw_crosshair(canvas: Canvas, shown: Crosshair, bottom: float) -> None:
    """Draw a line over all lanes, its time on the axis, and a dot at the edge it snapped to."""
    frame = canvas.frame
    x = frame.x(shown.time)
    if not frame.left <= x <= frame.right:
        return
    theme = frame.theme
    pixel = round(x)
    canvas.pen(theme.muted, 1, Qt.PenStyle.DashLine)
    canvas.upright(pixel, AXIS, bottom)
    ground = theme.text
    letters = theme.plot
    if shown.lane is not None:
        ground = theme.accent
        letters = theme.on_accent
        _draw_dot(canvas, shown.lane, x)
    text, tag = time_tag(frame, canvas.fonts, shown.time)
    canvas.write_tag(tag, text, letters, ground)


def _draw_dot(canvas: Canvas, lane: int, x: float) -> None:
    painter = canvas.painter
    frame = canvas.frame
    for track in frame.visible_tracks:
        if track.lane == lane:
            break
    else:
        return
    middle = frame.top + track.top + track.height / 2
    if middle < frame.ceiling:
        return
    with smoothed(painter):
        canvas.pen(frame.theme.plot, 1.5)
        painter.setBrush(QColor(frame.theme.accent))
        painter.drawEllipse(QPointF(x, middle), DOT + 1, DOT + 1)
        painter.setBrush(Qt.BrushStyle.NoBrush)
