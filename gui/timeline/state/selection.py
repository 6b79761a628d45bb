"""What one can point at in a timeline: a span, an open task, an idle gap, a range of time."""

from __future__ import annotations

from dataclasses import dataclass

from core.explain.lanes import Gap, gap_at
from core.explain.statistics import COUNTED
from core.plan.plan import Role
from core.trace.columns import sorted_positions
from core.trace.span import Span
from core.trace.trace import Trace
from gui.timeline.layout.frame import Frame
from gui.timeline.reduce.reduction import LaneColumns, count_until
from gui.timeline.state.scene import Scene

REACH = 1.5  # a span this many pixels away still counts as hit


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A range of time in ns since the run's start, over some `lanes` or (None) over all."""

    start: int
    end: int
    lanes: tuple[int, ...] | None = None


Selection = Span | Gap | TimeRange


def hit(scene: Scene, frame: Frame, x: float, y: float) -> Span | Gap | None:
    """The span, open task or idle gap at a pixel of the picture, or None."""
    track = frame.layout.track_at(y - frame.top)
    if track is None or x < frame.left:
        return None
    time = frame.view.time(x - frame.left)
    reach = REACH * frame.view.ns_per_pixel
    # First: an open task has no column yet, and lies at the end of its lane.
    for span in scene.trace.open_tasks:
        if span.lane == track.lane and span.start - reach <= time:
            end = open_end(scene.trace, span, frame.now)
            if time < max(end, span.start + reach):
                return span
    index = nearest(scene.columns[track.lane], time, reach)
    if index is not None:
        return scene.trace.span(track.lane, index)
    if scene.trace.header.lanes[track.lane].role is Role.NESTED:
        return None  # between blocks there is nothing to explain
    return gap_at(scene.trace, track.lane, int(time))


def lanes_between(scene: Scene, frame: Frame, y0: float, y1: float) -> tuple[int, ...] | None:
    """The lanes whose tracks lie between two heights or are cut by them, in the order of tracks.

    None, which means all lanes, where a drag begins on the axis or touches no track. A track that
    only tells more of another lane stands for that one, and a folded group for all its lanes.
    """
    top, bottom = sorted((y0, y1))
    if y0 < frame.ceiling:
        return None
    touched = (
        (track.lane,)
        for track in frame.visible(frame.layout.tracks)
        if frame.top + track.bottom > top and frame.top + track.top <= bottom
    )
    folded = (
        group.numbers
        for group in frame.layout.groups
        if group.folded and frame.top + group.bottom > top and frame.top + group.top <= bottom
    )
    lanes = scene.trace.header.lanes
    found = (lane for some in (*touched, *folded) for lane in some)
    counted = (lane if lanes[lane].role in COUNTED else lanes[lane].serves for lane in found)
    return tuple(dict.fromkeys(counted)) or None


def nearest(columns: LaneColumns, time: float, reach: float) -> int | None:
    """Index of a lane's span at a time, or of the closest one within `reach` ns."""
    # The last span that began by then; it or the next one is the closest, as spans do not overlap.
    index = int(count_until(columns.starts, time)) - 1
    candidates = [i for i in (index, index + 1) if 0 <= i < len(columns)]
    distances = [(max(columns.starts[i] - time, time - columns.ends[i], 0), i) for i in candidates]
    distance, best = min(distances, default=(None, 0))
    return best if distance is not None and distance <= reach else None


def bounds_of(trace: Trace, selection: Selection, now: float | None = None) -> tuple[float, float]:
    """Start and end of what is selected, which an open task has not (`open_end`)."""
    if isinstance(selection, Span) and selection.end is None:
        return float(selection.start), open_end(trace, selection, now)
    return float(selection.start), float(selection.end or selection.start)


def open_end(trace: Trace, span: Span, now: float | None) -> float:
    """Where an open task's bar ends: at the present, in a run that is over where it was last seen.

    If its lane did something else later, which can only be because its own end was lost, it ends
    there.
    """
    present = max(span.start, trace.last_heard) if now is None else now
    later = trace.spans(span.lane).start
    place = int(sorted_positions(later, span.start, "right"))
    return min(present, float(later[place])) if place < len(later) else present
