"""Where the spans that a search found lie in the strip that shows the whole run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from core.trace.search import Hits
from core.trace.trace import Trace
from gui.look.theme import Theme
from gui.timeline.layout.frame import Frame

HEIGHT = 4.0  # pixels of a mark
WIDTH = 2.0


def hit_columns(
    starts: NDArray[np.int64], hits: NDArray[np.int64], edges: NDArray[np.floating]
) -> NDArray[np.bool_]:
    """Whether a hit begins in each pixel, given by n + 1 edges in ns: n entries.

    `starts` are the sorted starts of a lane's spans, `hits` sorted indices of some. Costs what the
    pixels cost, however many hits there are.
    """
    before = np.searchsorted(starts, np.ceil(edges).astype(np.int64))
    found: NDArray[np.bool_] = np.diff(np.searchsorted(hits, before)) > 0
    return found


def hit_marks(trace: Trace, hits: Hits, frame: Frame, top: float) -> list[QRectF]:
    """A mark at the height `top` for each pixel of the plot in which a hit of any lane begins."""
    pixels = max(1, int(frame.view.width))
    edges = frame.view.start + np.arange(pixels + 1) * (frame.view.span / pixels)
    edges[-1] += 1  # what begins at the very end counts too
    found = np.zeros(pixels, np.bool_)
    for lane, indices in hits.items():
        found |= hit_columns(trace.spans(lane).start, indices, edges)
    return [QRectF(frame.left + x, top, WIDTH, HEIGHT) for x in np.flatnonzero(found).tolist()]


def draw_hit_marks(painter: QPainter, theme: Theme, marks: list[QRectF]) -> None:
    """Draw the marks of `hit_marks`."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.text))
    painter.drawRects(marks)
    painter.setBrush(Qt.BrushStyle.NoBrush)
