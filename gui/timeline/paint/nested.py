"""The numbers of blocks inside the bars of nested rows."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from core.plan.task import Role
from gui.timeline.layout.frame import Fonts, Frame
from gui.timeline.layout.rows import Row
from gui.timeline.reduce.reduction import Bars, reduce_lane
from gui.timeline.state.scene import Scene

LEAST_HEIGHT = 12.0  # lower rows have no room for a number
AIR = 6.0  # pixels of a bar that its number leaves free
DIGIT = 7.0  # about the width of one, in pixels


def draw_block_numbers(painter: QPainter, scene: Scene, frame: Frame, fonts: Fonts) -> None:
    """The block's number in each bar of a nested row with room for it."""
    lanes = scene.trace.header.lanes
    painter.setFont(fonts.small)
    for row in frame.visible(frame.layout.rows):
        nested = row.helper and lanes[row.lane].role is Role.NESTED
        if nested and row.height >= LEAST_HEIGHT:
            bars = reduce_lane(scene.columns[row.lane], frame.view)
            if isinstance(bars, Bars):
                _draw_row(painter, scene, frame, row, bars)


def _draw_row(painter: QPainter, scene: Scene, frame: Frame, row: Row, bars: Bars) -> None:
    left = np.maximum(bars.left, 0.0)
    room = np.minimum(bars.right, frame.view.width) - left - AIR
    blocks = scene.trace.spans(row.lane)[bars.first : bars.first + len(left)]["block"]
    fits = room >= DIGIT * np.char.str_len(blocks.astype(str))
    letters = frame.theme.letters
    for place in np.flatnonzero(fits).tolist():
        x, wide = frame.left + left[place], room[place] + AIR - 1
        painter.setPen(letters[bars.family[place]][0])
        painter.drawText(
            QRectF(x, frame.top + row.top, wide, row.height),
            Qt.AlignmentFlag.AlignCenter,
            str(blocks[place]),
        )
