"""Colours and patterns of the causes of idle time, of bars and of shares of the critical path."""

from __future__ import annotations

from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QLineF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPixmap

from core.explain.causes import Cause
from core.explain.critical import PathShare
from gui.look.theme import Theme

TILE = 6.0  # pixels between the lines of a pattern


class Pattern(Enum):
    """Fill of an area: the second cue next to its colour."""

    SOLID = auto()
    RISING = auto()
    FALLING = auto()
    CROSSED = auto()
    LEVEL = auto()
    UPRIGHT = auto()
    SQUARED = auto()


class Look(NamedTuple):
    """A pattern, and the field of `Theme` that holds its colour."""

    colour: str
    pattern: Pattern


CAUSE_LOOKS: dict[Cause, Look] = {
    Cause.FILL: Look("idle", Pattern.RISING),
    Cause.DRAIN: Look("idle", Pattern.FALLING),
    Cause.COMPUTE: Look("idle", Pattern.CROSSED),
    Cause.TRANSFER: Look("communication", Pattern.SOLID),
    Cause.COLLECT: Look("communication", Pattern.RISING),
    Cause.SLOWEST_RANK: Look("communication", Pattern.LEVEL),
    Cause.COLLECTIVE: Look("communication", Pattern.CROSSED),
    Cause.IMBALANCE: Look("forward", Pattern.FALLING),
    Cause.HOST: Look("muted", Pattern.SOLID),
    Cause.BETWEEN_STEPS: Look("muted", Pattern.LEVEL),
    Cause.NOTHING_TO_MOVE: Look("grid", Pattern.SOLID),
    Cause.INCOMPLETE: Look("idle", Pattern.LEVEL),
    Cause.NOT_KNOWN: Look("grid", Pattern.LEVEL),
    Cause.DATA: Look("communication", Pattern.UPRIGHT),
    Cause.SCATTER: Look("communication", Pattern.FALLING),
    Cause.REPLICATE: Look("communication", Pattern.SQUARED),
    Cause.LOSS: Look("update", Pattern.CROSSED),
    Cause.UPDATE: Look("update", Pattern.UPRIGHT),
    Cause.OTHER_STREAM: Look("grid", Pattern.RISING),
    Cause.UNEXPLAINED: Look("muted", Pattern.UPRIGHT),
}
SHARE_LOOKS: dict[PathShare, Look] = {
    PathShare.COMPUTE: Look("forward", Pattern.SOLID),
    PathShare.TRANSFER: CAUSE_LOOKS[Cause.TRANSFER],
    PathShare.COLLECTIVE: CAUSE_LOOKS[Cause.COLLECTIVE],
    PathShare.WAITING: Look("muted", Pattern.UPRIGHT),
    PathShare.HOST: CAUSE_LOOKS[Cause.HOST],
    PathShare.INCOMPLETE: CAUSE_LOOKS[Cause.INCOMPLETE],
}
BAR_LOOKS: dict[str, Look] = {
    "ideal": Look("forward", Pattern.SOLID),
    "imbalance": CAUSE_LOOKS[Cause.IMBALANCE],
    "bubble": CAUSE_LOOKS[Cause.FILL],
    "communication": CAUSE_LOOKS[Cause.TRANSFER],
    "data": CAUSE_LOOKS[Cause.DATA],
    "between": CAUSE_LOOKS[Cause.BETWEEN_STEPS],
    "contention": Look("muted", Pattern.CROSSED),
    "host": CAUSE_LOOKS[Cause.HOST],
    "incomplete": CAUSE_LOOKS[Cause.INCOMPLETE],
}
"""Looks of the bars of core.report.waterfall.BAR_WORDS, by the same names."""


def brush(look: Look, theme: Theme, ratio: float) -> QBrush:
    """Return the brush for a look; `ratio` is device pixels per logical pixel."""
    colour = str(getattr(theme, look.colour))
    if look.pattern is Pattern.SOLID:
        return QBrush(QColor(colour))
    return _tile(colour, look.pattern, theme.plot, ratio)


@lru_cache(maxsize=64)
def _tile(colour: str, pattern: Pattern, ground: str, ratio: float) -> QBrush:
    """Return a texture of lines in `colour` on a tint of it over `ground`."""
    # Drawn at the resolution of the device: at a ratio of 2 Qt would scale a smaller tile up and
    # blur it.
    tile = QPixmap(round(TILE * ratio), round(TILE * ratio))
    tile.setDevicePixelRatio(ratio)
    tile.fill(QColor(ground))
    tint = QColor(colour)
    tint.setAlpha(46)
    with QPainter(tile) as painter:
        painter.fillRect(0, 0, int(TILE), int(TILE), tint)
        slanted = pattern in (Pattern.RISING, Pattern.FALLING, Pattern.CROSSED)
        # Horizontal and vertical lines are sharp without antialiasing; slanted ones are jagged.
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, slanted)
        painter.setPen(QPen(QColor(colour), 1.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLines(_lines(pattern))
    return QBrush(tile)


def _lines(pattern: Pattern) -> list[QLineF]:
    """Return the lines of a tile; slanted ones extend over its edges, so that none is cut off."""
    half = TILE / 2
    low = -1.0
    high = TILE + 1
    rising: list[QLineF] = []
    falling: list[QLineF] = []
    for x in (-TILE, 0.0, TILE):
        rising.append(QLineF(x + low, high, x + high, low))
        falling.append(QLineF(x + low, low, x + high, high))
    level = [QLineF(0, half, TILE, half)]
    upright = [QLineF(half, 0, half, TILE)]
    return {
        Pattern.SOLID: [],
        Pattern.RISING: rising,
        Pattern.FALLING: falling,
        Pattern.CROSSED: rising + falling,
        Pattern.LEVEL: level,
        Pattern.UPRIGHT: upright,
        Pattern.SQUARED: level + upright,
    }[pattern]
