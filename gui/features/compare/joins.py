"""Geometry of the overlay: lines between matched tasks, and outlines of spans. Pure.

Pixels are relative to the widget of each timeline.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF

from core.arrays import Bools, Floats, Ints
from core.compare.matching import Matches, StepTasks
from core.compare.pieces import RowPieces
from gui.timeline.layout.frame import Frame, Track
from gui.timeline.reduce.reduction import within

MOST_JOINS = 400
"""If there are more, an even selection of this many is drawn."""
LEAST_GAP = 1.0  # pixels; closer pieces are outlined as one


@dataclass(frozen=True, slots=True)
class Joins:
    """The n joins to draw; `of` is the number of joins on screen, which may be larger.

    `pairs` has the positions of the n joins among the matches. `lines` has pixels, shape (4, n):
    the middle and the bottom of A's bars, the middle and the top of B's.
    """

    pairs: Ints
    lines: Floats
    of: int


def ends_of(frame: Frame, tasks: StepTasks, positions: Ints) -> tuple[Floats, Bools]:
    """Return the pixels of n bars, shape (3, n), and a mask of the visible ones.

    The rows are the middle of the visible part, the top and the bottom.
    """
    # By lane, so that one index expression gives the edges of all n tasks.
    highest = int(tasks.lane.max(initial=0))
    tops, bottoms = _row_edges(frame, highest + 1)
    lanes = tasks.lane[positions]
    view = frame.view
    start = view.xs(tasks.start[positions])
    end = view.xs(tasks.end[positions])
    x0 = frame.left + np.clip(start, 0.0, view.width)
    x1 = frame.left + np.clip(end, 0.0, view.width)
    top = tops[lanes]
    bottom = bottoms[lanes]
    # A lane without a track has NaN, for which each comparison is false.
    is_on_screen = (bottom > frame.ceiling) & (top < frame.floor)
    is_visible = is_on_screen & (x1 > x0)
    middle = (x0 + x1) / 2
    bars = np.stack([middle, top, bottom])
    return bars, is_visible


def joins_of(matches: Matches, a: Frame, b: Frame) -> Joins:
    """Return joins of the matched tasks that are visible in both timelines, at most MOST_JOINS."""
    (x_a, _, bottom_a), seen_a = ends_of(a, matches.a, matches.of_a)
    (x_b, top_b, _), seen_b = ends_of(b, matches.b, matches.of_b)
    pairs = np.flatnonzero(seen_a & seen_b)
    count = len(pairs)
    if count > MOST_JOINS:
        # Evenly, so that the joins cover the whole step.
        chosen = np.linspace(0, count - 1, MOST_JOINS).astype(np.int64)
        pairs = pairs[chosen]
    lines = np.stack([x_a, bottom_a, x_b, top_b])
    return Joins(pairs, lines[:, pairs], count)


def outlines(frame: Frame, pieces: RowPieces) -> list[QRectF]:
    """Return the visible pieces as rectangles; pieces that touch on screen become one.

    The number of rectangles is limited by the pixels, not by the pieces.
    """
    rects: list[QRectF] = []
    for track in frame.visible_tracks:
        # Pieces are sorted by lane, so the pieces of a track are one slice.
        first, last = np.searchsorted(pieces.lane, [track.lane, track.lane + 1])
        starts = pieces.start[first:last]
        ends = pieces.end[first:last]
        rects += _outlines_of(frame, track, starts, ends)
    return rects


def _outlines_of(frame: Frame, track: Track, starts: Ints, ends: Ints) -> list[QRectF]:
    view = frame.view
    # Pieces of a lane are sorted by start and do not overlap, so their ends are sorted too.
    seen = within(starts, ends, view.start, view.end)
    if seen.start == seen.stop:
        return []
    x0 = np.maximum(view.xs(starts[seen]), 0.0)
    x1 = np.minimum(view.xs(ends[seen]), view.width)
    # Pieces that touch on screen share an outline. An outline begins at a piece whose left edge is
    # beyond the right edges of all pieces before it (`reach`), and ends at the reach of its last
    # piece.
    reach = np.maximum.accumulate(x1)
    is_apart = x0[1:] > reach[:-1] + LEAST_GAP
    is_first = np.append(True, is_apart)
    firsts = np.flatnonzero(is_first)
    nexts = np.append(firsts[1:], len(x0))
    lasts = nexts - 1
    lefts = x0[firsts]
    rights = np.maximum(lefts + 1, reach[lasts])
    top = frame.top + track.top
    rects = []
    for left, right in zip(lefts.tolist(), rights.tolist(), strict=True):
        x = frame.left + left
        rects.append(QRectF(x, top, right - left, track.height))
    return rects


def _row_edges(frame: Frame, lanes: int) -> tuple[Floats, Floats]:
    """Return the top and bottom pixels of each lane's track; NaN for a lane without one."""
    count = lanes
    for track in frame.layout.tracks:
        count = max(count, track.lane + 1)
    tops = np.full(count, np.nan)
    bottoms = np.full(count, np.nan)
    for track in frame.layout.tracks:
        tops[track.lane] = frame.top + track.top
        bottoms[track.lane] = frame.top + track.bottom
    return tops, bottoms
