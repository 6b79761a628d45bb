"""Draws texts in the bars of nested tracks: numbers of blocks, or names."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from core.plan.plan import Role
from core.plan.task import ABSENT
from gui.timeline.layout.fonts import Fonts
from gui.timeline.layout.frame import Frame, Track
from gui.timeline.reduce.reduction import Bars, reduce_lane
from gui.timeline.state.scene import Scene

LEAST_HEIGHT = 12.0  # lower tracks have no room for a number
AIR = 6.0  # free pixels in a bar around its number
DIGIT = 7.0  # approximate width of a digit, in pixels


def draw_block_numbers(painter: QPainter, scene: Scene, frame: Frame, fonts: Fonts) -> None:
    """Write a block's number or name in each bar of a nested track that has room for it."""
    lanes = scene.trace.header.lanes
    painter.setFont(fonts.small)
    for track in frame.visible(frame.layout.tracks):
        nested = track.helper and lanes[track.lane].role is Role.NESTED
        if nested and track.height >= LEAST_HEIGHT:
            bars = reduce_lane(scene.columns[track.lane], frame.view)
            if isinstance(bars, Bars):
                _draw_row(painter, scene, frame, track, bars)


def _draw_row(painter: QPainter, scene: Scene, frame: Frame, track: Track, bars: Bars) -> None:
    left = np.maximum(bars.left, 0.0)
    room = np.minimum(bars.right, frame.view.width) - left - AIR
    texts = _texts(scene, track.lane, bars.first, len(left))
    # Widths are estimated for all bars at once; measuring each text would take longer than drawing.
    fits = room >= DIGIT * np.char.str_len(texts)
    fits &= np.char.str_len(texts) > 0
    letters = frame.theme.letters(frame.theme.families)
    for place in np.flatnonzero(fits).tolist():
        x = frame.left + left[place]
        wide = room[place] + AIR - 1
        painter.setPen(letters[bars.family[place]][0])
        painter.drawText(
            QRectF(x, frame.top + track.top, wide, track.height),
            Qt.AlignmentFlag.AlignCenter,
            str(texts[place]),
        )


def _texts(scene: Scene, lane: int, first: int, count: int) -> NDArray[np.str_]:
    """Return the texts of `count` bars of a lane."""
    spans = scene.trace.spans(lane)[first : first + count]
    blocks = spans["block"]
    names = spans["name"]
    all_names = spans.table.names
    texts = []
    for name, block in zip(names.tolist(), blocks.tolist(), strict=True):
        if name != ABSENT:
            texts.append(all_names[name])
        else:
            texts.append("" if block == ABSENT else str(block))
    return np.array(texts, np.str_)
