"""Tooltip for a pixel of a reduced track: number of spans, and shares of time by kind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.plan.task import KINDS, Kind
from gui.look.text import about_text, duration_text, percent_text, tr
from gui.timeline.interact.describe import Card, kind_title
from gui.timeline.layout.frame import Frame, Track
from gui.timeline.reduce.reduction import is_reduced, visible
from gui.timeline.state.scene import Scene

MOST_KINDS = 4  # kinds in the tooltip; the others are added up
LEAST_IDLE = 0.0005  # a smaller share of idle time would be shown as 0 %, so it is left out


@dataclass(frozen=True, slots=True)
class ReducedPixel:
    """`count` spans in `length` ns of a lane.

    `shares` are fractions of that time by kind, largest first; the remainder to 1 is idle time.
    """

    count: int
    length: float
    shares: tuple[tuple[Kind, float], ...]


def reduced_pixel_at(scene: Scene, track: Track, start: float, end: float) -> ReducedPixel:
    """Return the spans and shares of a lane from `start` to `end` ns."""
    trace = scene.trace
    seen = visible(scene.columns[track.lane], start, end)
    spans = trace.spans(track.lane)[seen]
    visible_start = np.maximum(spans.start, start)
    visible_end = np.minimum(spans.end, end)
    length = visible_end - visible_start
    # ns by kind: bincount adds up the lengths as weights, in one pass.
    kinds = trace.table.rows["kind"][spans.row]
    spent = np.bincount(kinds, length, len(KINDS))
    longest_first = np.argsort(-spent, kind="stable")
    shares = []
    for code in longest_first.tolist():
        if spent[code]:
            share = float(spent[code]) / (end - start)
            shares.append((KINDS[code], share))
    return ReducedPixel(len(spans), end - start, tuple(shares))


def reduced_pixel_card(scene: Scene, frame: Frame, x: float, y: float) -> Card | None:
    """Return the tooltip for a pixel with several spans of a reduced track, or None."""
    track = frame.layout.track_at(y - frame.top)
    view = frame.view
    if track is None or not frame.left <= x <= frame.right:
        return None
    seen = visible(scene.columns[track.lane], view.start, view.end)
    if not is_reduced(seen.stop - seen.start, view):
        return None
    # From one edge of the pixel to the other, like the track itself.
    pixel = float(int(x - frame.left))
    start = view.time(pixel)
    end = view.time(pixel + 1)
    found = reduced_pixel_at(scene, track, start, end)
    if found.count < 2:
        return None
    lane = scene.trace.header.lanes[track.lane]
    title = tr(
        "{count} spans in {time} on {lane}",
        count=about_text(found.count),
        time=duration_text(found.length),
        lane=lane.name,
    )
    lines = share_lines(found)
    lines.append(tr("Zoom in to see each of them."))
    return title, lines


def share_lines(found: ReducedPixel) -> list[str]:
    """Return a line for the share of each kind and of idle time."""
    lines = []
    rest = 0.0
    busy = 0.0
    for place, (kind, share) in enumerate(found.shares):
        busy += share
        if place < MOST_KINDS:
            lines.append(_share_line(kind_title(kind), share))
        else:
            rest += share
    if rest:
        lines.append(_share_line(tr("Other kinds"), rest))
    idle = 1.0 - busy
    if idle > LEAST_IDLE:
        lines.append(_share_line(tr("Idle"), idle))
    return lines


def _share_line(name: str, share: float) -> str:
    percent = percent_text(share)
    return f"{name} {percent}"
