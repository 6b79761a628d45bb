"""The boxes of a figure's lanes: spans that are too close together are summed up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.plan.plan import Lane
from gui.figures.parts import FigureRun, LaneBoxes
from gui.figures.style import PT
from gui.timeline.layout.frame import Viewport
from gui.timeline.paint.boxes import boxes_of
from gui.timeline.reduce.reduction import PixelColumns, reduce_lane
from gui.timeline.state.scene import Scene

CELL = 0.25 * PT  # width within which spans that are close together are summed up
MOST_CELLS = 400_000  # in all lanes together


def boxes_of_runs(
    runs: Sequence[FigureRun], lanes: Sequence[Sequence[Lane]], views: Sequence[Viewport]
) -> list[list[LaneBoxes]]:
    """Return the boxes of each run's lanes, in the run's view."""
    widest = max(view.width for view in views)
    # With many lanes cells get wider, so that a file has at most MOST_CELLS of them.
    all_lanes = sum(map(len, lanes))
    cell = max(CELL, widest * all_lanes / MOST_CELLS)
    found = []
    for run, view, mine in zip(runs, views, lanes, strict=True):
        of_run = [_boxes_of_lane(run.scene, lane.index, view, cell) for lane in mine]
        found.append(of_run)
    return found


def _boxes_of_lane(scene: Scene, lane: int, view: Viewport, cell: float) -> LaneBoxes:
    """Return a lane's boxes in a view; more than two spans in `cell` units are summed up."""
    # Reduced as if a cell were a pixel: the figure's units are finer than print can show.
    cells = Viewport(view.start, view.span, max(1.0, view.width / cell))
    reduced = reduce_lane(scene.columns[lane], cells)
    size = view.width / cells.width
    if isinstance(reduced, PixelColumns):
        # Any height is possible here, because heights are converted to shares of it.
        found = boxes_of(reduced, cells.width, 1000.0)
        left = found.left * size
        right = (found.left + found.width) * size
        right = np.minimum(right, view.width)
        share = found.height / 1000.0
        return LaneBoxes(left, right, share, found.family, None, reduced.per_pixel)
    left = np.maximum(reduced.left, 0.0)
    right = np.minimum(reduced.right, cells.width)
    # Boxes are at least as wide as a cell.
    left = np.minimum(left, cells.width - 1.0)
    right = np.maximum(right, left + 1.0)
    full = np.ones(len(left))
    return LaneBoxes(left * size, right * size, full, reduced.family, reduced.first, 0.0)
