"""Draws texts in the bars of nested tracks: names of blocks, or their numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt

from core.plan.plan import Role
from core.plan.task import ABSENT
from gui.timeline.layout.frame import Track
from gui.timeline.paint.canvas import Canvas
from gui.timeline.reduce.reduction import Bars, reduce_lane
from gui.timeline.state.scene import Scene

LEAST_HEIGHT = 12.0  # lower tracks have no room for a text
AIR = 6.0  # free pixels in a bar around its text
LETTER = 7.0  # approximate width of a letter or digit, in pixels


def draw_block_numbers(canvas: Canvas, scene: Scene) -> None:
    """Write a block's name, or its number if there is no room, in the bars of nested tracks."""
    frame = canvas.frame
    lanes = scene.trace.header.lanes
    canvas.painter.setFont(canvas.fonts.small)
    for track in frame.visible_tracks:
        nested = track.helper and lanes[track.lane].role is Role.NESTED
        if nested and track.height >= LEAST_HEIGHT:
            bars = reduce_lane(scene.columns[track.lane], frame.view)
            if isinstance(bars, Bars):
                _draw_row(canvas, scene, track, bars)


def _draw_row(canvas: Canvas, scene: Scene, track: Track, bars: Bars) -> None:
    painter = canvas.painter
    frame = canvas.frame
    left = np.maximum(bars.left, 0.0)
    right = np.minimum(bars.right, frame.view.width)
    room = right - left - AIR
    names, numbers = _texts(scene, track.lane, bars.first, len(left))
    # Widths are estimated for all bars at once; measuring each text would take longer than drawing.
    name_widths = LETTER * np.char.str_len(names)
    texts = np.where(room >= name_widths, names, numbers)
    widths = LETTER * np.char.str_len(texts)
    fits = (room >= widths) & (widths > 0)
    letters = frame.theme.letters(frame.theme.families)
    for place in np.flatnonzero(fits).tolist():
        x = frame.left + left[place]
        box = frame.between(track, x, x + room[place] + AIR - 1)
        pens = letters[bars.family[place]]
        painter.setPen(pens[0])
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(texts[place]))


def _texts(
    scene: Scene,
    lane: int,
    first: int,
    count: int,
) -> tuple[NDArray[np.str_], NDArray[np.str_]]:
    """Return the names and the numbers of the blocks of `count` bars of a lane."""
    spans = scene.trace.spans(lane)[first : first + count]
    blocks = scene.trace.header.model.blocks
    all_names = spans.table.names
    names = []
    numbers = []
    name_codes = spans["name"].tolist()
    block_numbers = spans["block"].tolist()
    for name, block in zip(name_codes, block_numbers, strict=True):
        number = "" if block == ABSENT else str(block)
        if name != ABSENT:
            names.append(all_names[name])
        elif 0 <= block < len(blocks):
            names.append(blocks[block].name)
        else:
            names.append(number)
        numbers.append(number)
    return np.array(names, np.str_), np.array(numbers, np.str_)
