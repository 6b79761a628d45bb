"""Why a bubble is there: a quiet word in it where there is room."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from core.explain.causes import CAUSES, Cause
from core.explain.stretches import Stretches
from gui.causes import CAUSE_WORDS
from gui.text import tr
from gui.timeline.painter import Fonts, Frame, text_width
from gui.timeline.rows import Row
from gui.timeline.scene import Scene
from gui.timeline.viewport import Viewport

STEP_PIXELS = 100.0  # narrower steps have no bubble with room for a word
LEAST = 22.0  # pixels of the narrowest bubble with a word
LOW = 14.0  # lower rows have no word
AIR = 2.0  # free pixels on both sides of a word, and of the ground under it
HEIGHT = 13.0
MORE = "…"  # after a word that does not tell all


def steps_to_explain(scene: Scene, view: Viewport) -> list[int]:
    """The steps on screen that are wide enough to be told of, and small enough to be explained."""
    first = int(np.searchsorted(scene.step_ends, view.start, "right"))
    last = int(np.searchsorted(scene.step_starts, view.end, "left"))
    lengths = scene.step_ends[first:last] - scene.step_starts[first:last]
    wide = np.flatnonzero(lengths >= STEP_PIXELS * view.ns_per_pixel) + first
    steps = [step for step in scene.step_numbers[wide].tolist() if step != scene.open_step]
    explained = scene.explained
    return [s for s in steps if explained.is_known(s) or not explained.is_large(s)]


def draw_reasons(painter: QPainter, scene: Scene, frame: Frame, fonts: Fonts) -> None:
    """A word in each bubble with room for it, of the steps that have been explained."""
    known = [s for s in steps_to_explain(scene, frame.view) if scene.explained.is_known(s)]
    painter.setFont(fonts.small)
    for row in frame.visible(frame.layout.rows):
        if not row.helper and row.height >= LOW:
            for step in known:
                _draw_row(painter, scene, frame, fonts, row, step)


def _draw_row(
    painter: QPainter, scene: Scene, frame: Frame, fonts: Fonts, row: Row, step: int
) -> None:
    """A word in every stretch of one cause; in a gap without such a word, its main cause."""
    told: set[int] = set()
    for gap, room, cause in _rooms(scene.explained.stretches(step), frame, row):
        if _draw_word(painter, frame, fonts, room, cause, ""):
            told.add(gap)
    for gap, room, cause in _rooms(scene.explained.gaps(step), frame, row):
        if gap not in told:
            _draw_word(painter, frame, fonts, room, cause, MORE)


def _rooms(found: Stretches, frame: Frame, row: Row) -> Iterator[tuple[int, QRectF, Cause]]:
    """Gap, visible place and cause of a lane's stretches that may have room for a word."""
    view, mine = frame.view, found.of_lane(row.lane)
    scale = view.width / view.span
    left = np.maximum((found.start[mine] - view.start) * scale, 0.0)
    right = np.minimum((found.end[mine] - view.start) * scale, view.width)
    for i in np.flatnonzero(right - left >= LEAST).tolist():
        room = QRectF(frame.left + left[i], frame.top + row.top, right[i] - left[i], row.height)
        yield int(found.gap[mine][i]), room, CAUSES[found.cause[mine][i]]


def _draw_word(
    painter: QPainter, frame: Frame, fonts: Fonts, room: QRectF, cause: Cause, more: str
) -> bool:
    """The word, on a ground without hatching so that it can be read; False if it has no room."""
    words = CAUSE_WORDS[cause]
    for text in (tr(words.mark) + more, tr(words.short) + more):
        width = text_width(fonts.small, text)
        if width + 4 * AIR > room.width():
            continue
        ground = QRectF(0, 0, round(width + 2 * AIR), min(room.height(), HEIGHT))
        ground.moveCenter(room.center())
        painter.fillRect(ground, QColor(frame.theme.plot))
        painter.setPen(QColor(frame.theme.muted))
        painter.drawText(ground, Qt.AlignmentFlag.AlignCenter, text)
        return True
    return False
