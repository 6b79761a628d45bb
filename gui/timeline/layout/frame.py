"""Where and how a picture of a run is drawn: the frame of its rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from PySide6.QtCore import QRectF

from gui.look.theme import Theme
from gui.timeline.layout.axis import OF_RUN, Origin
from gui.timeline.layout.rows import Layout, Row
from gui.timeline.layout.viewport import Viewport

AXIS = 24.0  # height of the time axis
STEPS = 18.0  # height of the strip that names the steps
LABELS = 156.0  # width of the column that names the lanes
RIGHT = 12.0  # free pixels at the plot's right edge


@dataclass(frozen=True, slots=True)
class Frame:
    """Where and how a scene is drawn.

    The plot begins at pixel `left`; the layout's zero stands at `top`. `now` is the present in ns
    while the run is live. `vector` asks for lines instead of textures. Rows above `ceiling` or
    below `floor` cannot be seen. `path` asks for the critical path, `arrows` for all
    dependencies. Times count from the `origin`.
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
    path: bool = False
    arrows: bool = False
    origin: Origin = OF_RUN

    def layers(self) -> list[Frame]:
        """The frame of the rows that scroll, and that of the pinned ones if there are any.

        Each can be seen from its ceiling to its floor, where the other one ends.
        """
        if not self.layout.pins:
            return [self]
        scrolled, pinned = self.layout.layers()
        edge = self.ceiling + self.layout.band
        return [
            replace(self, layout=scrolled, ceiling=edge),
            replace(self, layout=pinned, floor=edge),
        ]

    def visible(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Those of `rows` that can be seen."""
        above, below = self.ceiling - self.top, self.floor - self.top
        return (row for row in rows if row.bottom > above and row.top < below)

    def x(self, time_ns: float) -> float:
        """The pixel of a time, in the picture."""
        return self.left + self.view.x(time_ns)

    def place(self, row: Row) -> QRectF:
        """A row over the whole width of the plot, in the picture."""
        return QRectF(self.left, self.top + row.top, self.view.width, row.height)

    def row_rect(self, row: Row, start: float, end: float) -> QRectF:
        """The rectangle of a time range on a row, cut to the plot and at least one pixel wide."""
        right = self.left + self.view.width
        x0 = min(max(self.x(start), self.left - 2), right + 2)
        x1 = min(max(self.x(end), self.left - 2), right + 2)
        return QRectF(x0, self.top + row.top, max(1.0, x1 - x0), row.height)
