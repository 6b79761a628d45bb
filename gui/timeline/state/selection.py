"""Selectable items of a timeline: a span, an open task, an idle gap, a time range."""

from __future__ import annotations

from dataclasses import dataclass

from core.explain.lanes import Gap, gap_at
from core.explain.statistics import COUNTED
from core.plan.plan import Role
from core.trace.columns import sorted_positions
from core.trace.span import Span
from core.trace.trace import Trace
from gui.timeline.layout.frame import Frame, Track
from gui.timeline.layout.groups import Section
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
    trace = scene.trace
    lane = track.lane
    time = frame.view.time(x - frame.left)
    reach = REACH * frame.view.ns_per_pixel
    # Open tasks first: they are not in the columns yet, and are at the end of their lanes.
    for span in trace.open_tasks:
        if span.lane == lane and span.start - reach <= time:
            end = open_end(trace, span, frame.now)
            if time < max(end, span.start + reach):
                return span
    index = nearest(scene.columns[lane], time, reach)
    if index is not None:
        return trace.span(lane, index)
    if trace.header.lanes[lane].role is Role.NESTED:
        return None  # nothing to explain between blocks
    return gap_at(trace, lane, int(time))


def lanes_between(scene: Scene, frame: Frame, y0: float, y1: float) -> tuple[int, ...] | None:
    """Return the lanes whose tracks are at least partly between two heights, in track order.

    None, which means all lanes, if the range begins on the axis or contains no track. A track with
    details of another lane counts as that lane, and a folded group as all its lanes.
    """
    if y0 < frame.ceiling:
        return None
    top = min(y0, y1)
    bottom = max(y0, y1)

    def is_touched(part: Track | Section) -> bool:
        return frame.top + part.bottom > top and frame.top + part.top <= bottom

    found: list[int] = []
    for track in frame.visible_tracks:
        if is_touched(track):
            found.append(track.lane)
    for group in frame.layout.groups:
        if group.has_summary and is_touched(group):
            found += group.numbers
    lanes = scene.trace.header.lanes
    counted: list[int] = []
    for number in found:
        lane = lanes[number]
        counted.append(number if lane.role in COUNTED else lane.serves)
    return tuple(dict.fromkeys(counted)) or None


def nearest(columns: LaneColumns, time: float, reach: float) -> int | None:
    """Return the index of a lane's span at a time, or of the closest one within `reach` ns."""
    # The last span that began by then, or the next one, is the closest, as spans do not overlap.
    index = int(count_until(columns.starts, time)) - 1
    best: int | None = None
    shortest = reach
    for candidate in (index, index + 1):
        if not 0 <= candidate < len(columns):
            continue
        before = columns.starts[candidate] - time
        after = time - columns.ends[candidate]
        distance = max(before, after, 0)
        if distance <= reach and (best is None or distance < shortest):
            best = candidate
            shortest = distance
    return best


def bounds_of(trace: Trace, selection: Selection, now: float | None = None) -> tuple[float, float]:
    """Return start and end of a selection in ns; for the end of an open task see `open_end`."""
    start = float(selection.start)
    if isinstance(selection, Span) and selection.end is None:
        return start, open_end(trace, selection, now)
    end = float(selection.end or selection.start)
    return start, end


def open_end(trace: Trace, span: Span, now: float | None) -> float:
    """Return the end of an open task's bar in ns: the present, or the end of a finished run.

    A finished run ends at its last sign of life. If the lane has a later span, the task's end was
    lost, and the bar ends where that span starts.
    """
    present = max(span.start, trace.last_alive) if now is None else now
    later = trace.spans(span.lane).start
    place = int(sorted_positions(later, span.start, "right"))
    if place == len(later):
        return present
    next_start = float(later[place])
    return min(present, next_start)
