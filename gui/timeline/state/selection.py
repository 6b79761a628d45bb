"""Selectable items of a timeline: a span, an open task, an idle gap, a time range."""

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

REACH = 1.5  # pixels around a span in which it is hit


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A range of time in ns since the run's start, over some `lanes` or (None) over all."""

    start: int
    end: int
    lanes: tuple[int, ...] | None = None


Selection = Span | Gap | TimeRange


def hit(scene: Scene, frame: Frame, x: float, y: float) -> Span | Gap | None:
    """Return the span, open task or idle gap at a pixel of the picture, or None."""
    track = frame.layout.track_at(y - frame.top)
    if track is None or x < frame.left:
        return None
    time = frame.view.time(x - frame.left)
    reach = REACH * frame.view.ns_per_pixel
    # Open tasks first: they are not in the columns yet, and are at the end of their lanes.
    for span in scene.trace.open_tasks:
        if span.lane == track.lane and span.start - reach <= time:
            end = open_end(scene.trace, span, frame.now)
            if time < max(end, span.start + reach):
                return span
    index = nearest(scene.columns[track.lane], time, reach)
    if index is not None:
        return scene.trace.span(track.lane, index)
    if scene.trace.header.lanes[track.lane].role is Role.NESTED:
        return None  # nothing to explain between blocks
    return gap_at(scene.trace, track.lane, int(time))


def lanes_between(scene: Scene, frame: Frame, y0: float, y1: float) -> tuple[int, ...] | None:
    """Return the lanes whose tracks are at least partly between two heights, in track order.

    None, which means all lanes, if the range begins on the axis or contains no track. A track with
    details of another lane counts as that lane, and a folded group as all its lanes.
    """
    top, bottom = sorted((y0, y1))
    if y0 < frame.ceiling:
        return None
    found: list[int] = []
    for track in frame.visible(frame.layout.tracks):
        if frame.top + track.bottom > top and frame.top + track.top <= bottom:
            found.append(track.lane)
    for group in frame.layout.groups:
        begins_above = frame.top + group.top <= bottom
        touched = begins_above and frame.top + group.bottom > top
        if group.has_summary and touched:
            found += group.numbers
    lanes = scene.trace.header.lanes
    counted = [lane if lanes[lane].role in COUNTED else lanes[lane].serves for lane in found]
    return tuple(dict.fromkeys(counted)) or None


def nearest(columns: LaneColumns, time: float, reach: float) -> int | None:
    """Return the index of a lane's span at a time, or of the closest one within `reach` ns."""
    # The last span that began by then, or the next one, is the closest, as spans do not overlap.
    index = int(count_until(columns.starts, time)) - 1
    best: int | None = None
    shortest = reach
    for candidate in (index, index + 1):
        if 0 <= candidate < len(columns):
            before = columns.starts[candidate] - time
            after = time - columns.ends[candidate]
            distance = max(before, after, 0)
            if distance <= reach and (best is None or distance < shortest):
                best, shortest = candidate, distance
    return best


def bounds_of(trace: Trace, selection: Selection, now: float | None = None) -> tuple[float, float]:
    """Return start and end of a selection; for the end of an open task see `open_end`."""
    if isinstance(selection, Span) and selection.end is None:
        return float(selection.start), open_end(trace, selection, now)
    return float(selection.start), float(selection.end or selection.start)


def open_end(trace: Trace, span: Span, now: float | None) -> float:
    """Return the end of an open task's bar: the present, or after the run the last sign of life.

    If its lane has a later span, so that its end must have been lost, the bar ends there.
    """
    present = max(span.start, trace.last_alive) if now is None else now
    later = trace.spans(span.lane).start
    place = int(sorted_positions(later, span.start, "right"))
    return min(present, float(later[place])) if place < len(later) else present
