"""Why a bubble is there: a quiet word in it where there is room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from core.explain.causes import CAUSES, Cause
from core.explain.stretches import Stretches
from gui.look.text import tr
from gui.timeline.layout.fonts import Fonts, text_width
from gui.timeline.layout.frame import Frame, Track, Viewport
from gui.timeline.reduce.reduction import within
from gui.timeline.state.explained import ExplainedStep
from gui.timeline.state.scene import Scene

STEP_PIXELS = 100.0  # narrower steps have no bubble with room for a word
LEAST = 22.0  # pixels of the narrowest bubble with a word
LOW = 14.0  # lower tracks have no word
AIR = 2.0  # free pixels on both sides of a word, and of the ground under it
HEIGHT = 13.0
MORE = "…"  # after a word that does not tell all


def steps_to_explain(scene: Scene, view: Viewport, least: float = STEP_PIXELS) -> list[int]:
    """The steps on screen of `least` pixels or more whose explanation is at hand."""
    seen = within(scene.step_starts, scene.step_ends, view.start, view.end)
    lengths = scene.step_ends[seen] - scene.step_starts[seen]
    wide = np.flatnonzero(lengths >= least * view.ns_per_pixel) + seen.start
    # The open step is left out: it would have to be explained anew with each batch of spans.
    steps = [step for step in scene.step_numbers[wide].tolist() if step != scene.open_step]
    return [step for step in steps if scene.explained.at_hand(step)]


def draw_reasons(painter: QPainter, scene: Scene, frame: Frame, fonts: Fonts) -> None:
    """A word in each bubble with room for it, of the steps that have been explained."""
    tracks = {
        track.lane: track
        for track in frame.visible(frame.layout.tracks)
        if not track.helper and track.height >= LOW
    }
    painter.setFont(fonts.small)
    for step in steps_to_explain(scene, frame.view):
        if (known := scene.explained.known(step)) is not None:
            _draw_step(painter, frame, fonts, tracks, known)


def _draw_step(
    painter: QPainter, frame: Frame, fonts: Fonts, tracks: Mapping[int, Track], step: ExplainedStep
) -> None:
    """A word in every stretch of one cause; in a gap without such a word, its main cause."""
    # Two passes: a gap of several causes is cut into stretches, none of which may have room for a
    # word; then the gap as a whole may have it, for its main cause.
    named: set[int] = set()
    for gap, room, cause in _rooms(step.stretches, frame, tracks):
        if _draw_word(painter, frame, fonts, room, cause, ""):
            named.add(gap)
    for gap, room, cause in _rooms(step.gaps, frame, tracks):
        if gap not in named:
            _draw_word(painter, frame, fonts, room, cause, MORE)


def _rooms(
    found: Stretches, frame: Frame, tracks: Mapping[int, Track]
) -> Iterator[tuple[int, QRectF, Cause]]:
    """Gap, visible place and cause of a step's stretches that may have room for a word."""
    view = frame.view
    start, end = np.maximum(found.start, view.start), np.minimum(found.end, view.end)
    wide = np.flatnonzero(end - start >= LEAST * view.ns_per_pixel)
    # Stretches are sorted by lane, and lane n has those from lane_first[n] on.
    lanes = np.searchsorted(found.lane_first, wide, "right") - 1
    for i, lane in zip(wide.tolist(), lanes.tolist(), strict=True):
        track = tracks.get(lane)
        if track is not None:
            left, right = view.x(float(start[i])), view.x(float(end[i]))
            room = QRectF(frame.left + left, frame.top + track.top, right - left, track.height)
            yield int(found.gap[i]), room, CAUSES[found.cause[i]]


def _draw_word(
    painter: QPainter, frame: Frame, fonts: Fonts, room: QRectF, cause: Cause, more: str
) -> bool:
    """The label, in lines where it is wider than its room; False if it has no room.

    It stands on a ground without hatching, so that it can be read, and is never shortened.
    """
    lines = label_lines(tr(cause.label) + more, fonts, room.width() - 4 * AIR)
    height = HEIGHT * len(lines)
    if not lines or height > max(room.height(), HEIGHT):
        return False
    width = max(text_width(fonts.small, line) for line in lines)
    ground = QRectF(0, 0, round(width + 2 * AIR), min(room.height(), height))
    ground.moveCenter(room.center())
    painter.fillRect(ground, QColor(frame.theme.plot))
    painter.setPen(QColor(frame.theme.muted))
    painter.drawText(ground, Qt.AlignmentFlag.AlignCenter, "\n".join(lines))
    return True


def label_lines(text: str, fonts: Fonts, width: float) -> list[str]:
    """The text in lines of at most `width` pixels, broken at spaces alone; none if a word is wider.

    As few lines as there can be.
    """
    lines: list[str] = []
    for word in text.split(" "):
        if text_width(fonts.small, word) > width:
            return []
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(fonts.small, longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
