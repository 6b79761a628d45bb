"""Draws all compute lanes over a time range in a few pixels of height, without texts."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF

from gui.look.theme import Theme
from gui.timeline.layout.frame import Frame, Layout, Track, Viewport
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.picture import LanePainter
from gui.timeline.paint.summaries import draw_shades
from gui.timeline.state.scene import Scene

BANDS = 24  # number of bands into which very many lanes are combined


def miniature_frame(scene: Scene, view: Viewport, rect: QRectF, theme: Theme) -> Frame:
    """Return a frame with a track for each compute lane; together they fill the rectangle."""
    lanes = scene.trace.header.compute_lanes
    # A file may have annotations but no compute lane.
    height = rect.height() / max(1, len(lanes))
    gap = 1 if height > 2 else 0
    tracks = []
    for place, lane in enumerate(lanes):
        top = rect.top() + place * height
        tracks.append(Track(lane.index, top, max(1.0, height - gap), True))
    layout = Layout(tuple(tracks), height=rect.bottom())
    return Frame(view, layout, rect.left(), 0, theme)


def draw_miniature(canvas: Canvas, scene: Scene, rect: QRectF) -> None:
    """Draw the bars of a frame that `miniature_frame` returned for the same rectangle."""
    tracks = canvas.frame.layout.tracks
    if rect.height() >= len(tracks):
        LanePainter(canvas, scene).draw_spans(tracks)
        return
    # Tracks lower than a pixel would cover one another: bands of lanes are blended instead.
    lanes = np.array([track.lane for track in tracks])
    bands = np.array_split(lanes, BANDS)
    together = [scene.together(band.tolist()) for band in bands]
    draw_shades(canvas, together, rect)
