"""Draws search hits, on tracks and in the overview; and counts of spans."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from core.arrays import Bools, Floats, Ints
from core.trace.search import Hits
from core.trace.trace import Trace
from gui.look.painter import fill
from gui.look.text import about_text, tr
from gui.look.theme import Theme
from gui.timeline.layout.frame import Frame, Track
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.pixels import CLEAR, colour_code, draw_slices, owners, pixels_of
from gui.timeline.reduce.reduction import pixel_edges, visible
from gui.timeline.state.scene import Scene

HIT = 4.0  # height of the tick over a hit, and of the tick in the overview
WIDTH = 2.0  # width of a tick in the overview
LEAST = 3.0  # least width of a tick on a track
RIM = 1.0  # width of the rim around a tick, in the plot's colour
LOW = 13.0  # lower tracks have no count
AIR = 3.0


def draw_hits(canvas: Canvas, scene: Scene, track: Track) -> None:
    """Draw a tick at the top of each hit on a track, even if the span is very short."""
    painter = canvas.painter
    frame = canvas.frame
    left, right = hit_pixels(scene, frame, track.lane)
    if not len(left):
        return
    theme = frame.theme
    place = frame.place(track)
    height = min(HIT, track.height / 2)
    if frame.vector:
        ticks = list(zip(left.tolist(), right.tolist(), strict=True))
        _fill_ticks(painter, ticks, place, height, RIM, theme.plot)
        _fill_ticks(painter, ticks, place, height, 0.0, theme.text)
        return
    ratio = canvas.pixel_ratio
    pixels = pixels_of(place.width(), ratio)
    rims = _lit(left - RIM, right + RIM, pixels, ratio, theme.plot)
    tick = _lit(left, right, pixels, ratio, theme.text)
    # Two lines of pixels, stretched: ticks with rims on both sides, and below them only rims.
    with_rims = np.where(tick > 0, tick, rims)
    lines = np.stack([with_rims, rims])
    draw_slices(painter, lines, (0.0, height, height + RIM), place, ratio)


def _fill_ticks(
    painter: QPainter,
    ticks: Sequence[tuple[float, float]],
    place: QRectF,
    height: float,
    rim: float,
    colour: str,
) -> None:
    """Fill ticks at the top of a track, extended by a rim; their edges are in the plot's pixels."""
    for left, right in ticks:
        x = place.left() + left - rim
        width = right - left + 2 * rim
        tick = QRectF(x, place.top(), width, height + rim)
        fill(painter, tick, colour)


def _lit(
    left: Floats,
    right: Floats,
    pixels: int,
    ratio: float,
    colour: str,
) -> NDArray[np.uint32]:
    """Return a line of device pixels, coloured from each `left` to its `right`, clear elsewhere."""
    tick = owners(left * ratio, right * ratio, pixels)
    is_covered = tick < len(left)
    return np.where(is_covered, colour_code(colour), CLEAR)


def hit_pixels(scene: Scene, frame: Frame, lane: int) -> tuple[Floats, Floats]:
    """Return the left and right edges of a lane's visible ticks, in pixels of the plot."""
    hits = scene.hits.get(lane)
    if hits is None or not len(hits):
        return np.empty(0), np.empty(0)
    columns = scene.columns[lane]
    view = frame.view
    seen = visible(columns, view.start, view.end)
    first, last = np.searchsorted(hits, [seen.start, seen.stop])
    chosen = hits[first:last]
    # With more hits than pixels, each pixel in which a hit begins gets one tick.
    if len(chosen) > view.width:
        edges, _ = pixel_edges(view)
        has_hit = hit_columns(columns.starts, hits, edges)
        begun = np.flatnonzero(has_hit).astype(np.float64)
        return begun, np.minimum(begun + LEAST, view.width)
    starts = view.xs(columns.starts[chosen])
    ends = view.xs(columns.ends[chosen])
    left = np.maximum(starts, 0.0)
    right = np.minimum(ends, view.width)
    missing = np.maximum(LEAST - (right - left), 0.0)
    margin = missing / 2
    return left - margin, right + margin


def draw_count(canvas: Canvas, track: Track, count: int) -> None:
    """Write the number of spans of a reduced track at its right end."""
    frame = canvas.frame
    if track.helper or track.height < LOW:
        return
    words = tr("{count} spans", count=about_text(count))
    width = canvas.small_width(words) + 2 * AIR
    place = frame.place(track)
    left = place.right() - width - AIR
    top = place.center().y() - LOW / 2
    tag = QRectF(left, top, width, LOW)
    canvas.write_tag(tag, words, frame.theme.muted, frame.theme.plot)


def hit_columns(starts: Ints, hits: Ints, edges: NDArray[np.floating]) -> Bools:
    """Return whether a hit begins in each pixel; `edges` are the n + 1 edges of pixels in ns.

    `starts` are the sorted starts of a lane's spans, `hits` sorted indices of spans. The cost
    depends on the number of pixels, not of hits.
    """
    # Count the spans, and the hits among them, before each edge: a pixel has a hit if the latter
    # count increases. The edges are converted to integers, because NumPy would otherwise convert
    # all of `starts`, perhaps millions, to floats. No start is between an edge and its ceiling.
    whole = np.ceil(edges).astype(np.int64)
    spans_before = np.searchsorted(starts, whole)
    hits_before = np.searchsorted(hits, spans_before)
    found: Bools = np.diff(hits_before) > 0
    return found


def hit_ticks(trace: Trace, hits: Hits, frame: Frame, top: float) -> list[QRectF]:
    """Return a tick at the height `top` for each pixel of the plot in which a hit begins."""
    view = frame.view
    pixels = max(1, int(view.width))
    xs = np.linspace(0.0, view.width, pixels + 1)
    edges = view.times(xs)
    edges[-1] += 1  # includes hits that begin at the very end
    has_hit = np.zeros(pixels, np.bool_)
    for lane, indices in hits.items():
        starts = trace.spans(lane).start
        has_hit |= hit_columns(starts, indices, edges)
    ticks = []
    for pixel in np.flatnonzero(has_hit).tolist():
        ticks.append(QRectF(frame.left + pixel, top, WIDTH, HIT))
    return ticks


def draw_hit_ticks(painter: QPainter, theme: Theme, ticks: list[QRectF]) -> None:
    """Draw the ticks that `hit_ticks` returned."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.text))
    painter.drawRects(ticks)
    painter.setBrush(Qt.BrushStyle.NoBrush)
