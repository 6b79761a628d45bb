"""What one can point at in a timeline: a span, an open task, an idle gap, a range of time."""

from __future__ import annotations

from dataclasses import dataclass

from core.explain.lanes import Gap, gap_at
from core.trace.trace import Span
from gui.timeline.painter import Frame
from gui.timeline.reduction import LaneColumns
from gui.timeline.scene import Scene

REACH = 1.5  # a span this many pixels away still counts as hit


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A range of time over all lanes, in ns since the run's start."""

    start: int
    end: int


Selection = Span | Gap | TimeRange


def hit(scene: Scene, frame: Frame, x: float, y: float) -> Span | Gap | None:
    """The span, open task or idle gap at a pixel of the picture, or None."""
    row = frame.layout.row_at(y - frame.top)
    if row is None or x < frame.left:
        return None
    time = frame.view.time(x - frame.left)
    reach = REACH * frame.view.ns_per_pixel
    for span in scene.trace.open_tasks:
        if (
            span.lane == row.lane
            and span.start - reach <= time <= (frame.now or span.start) + reach
        ):
            return span
    index = nearest(scene.columns[row.lane], time, reach)
    if index is not None:
        return scene.trace.span(row.lane, index)
    return gap_at(scene.trace, row.lane, int(time))


def nearest(columns: LaneColumns, time: float, reach: float) -> int | None:
    """Index of a lane's span at a time, or of the closest one within `reach` ns."""
    index = int(columns.starts.searchsorted(time, "right")) - 1
    candidates = [i for i in (index, index + 1) if 0 <= i < len(columns)]
    distances = [(max(columns.starts[i] - time, time - columns.ends[i], 0), i) for i in candidates]
    distance, best = min(distances, default=(None, 0))
    return best if distance is not None and distance <= reach else None


def bounds_of(selection: Selection, now: float | None = None) -> tuple[float, float]:
    """Start and end of what is selected; an open task reaches to `now`."""
    end = selection.end
    if end is None:
        end = int(now) if now is not None else selection.start
    return float(selection.start), float(end)
