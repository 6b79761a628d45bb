"""Appearance of task families in print: colours, greys, and patterns."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF

from gui.look.causes import Pattern
from gui.look.families import FAMILIES, Family
from gui.look.theme import Theme, mixed
from gui.timeline.paint.hatch import hatch_lines

PATTERNS: dict[Family, Pattern | None] = {
    Family.FORWARD: Pattern.SOLID,
    Family.BACKWARD: Pattern.RISING,
    Family.BACKWARD_INPUT: Pattern.FALLING,
    Family.BACKWARD_WEIGHT: Pattern.CROSSED,
    Family.COMMUNICATION: Pattern.LEVEL,
    Family.UPDATE: Pattern.UPRIGHT,
    Family.OTHER: None,
}
"""Pattern of each family; None has no lines. The overlap shows the patterns of its two halves."""
PALE = 0.82  # share of the background's colour in the fill under a pattern
GREYS = {Pattern.SOLID: "#4d4d4d", Pattern.LEVEL: "#ffffff", Pattern.UPRIGHT: "#d4d4d4"}
GREY = "#f2f2f2"


@dataclass(frozen=True, slots=True)
class BoxLook:
    """Appearance of a box: `ground` fills it, `ink` is the colour of its outline and pattern."""

    ground: str
    ink: str
    text: str
    pattern: Pattern | None


@dataclass(frozen=True, slots=True)
class FigureLooks:
    """All colours of a figure; `families` has the looks of each of FAMILIES, from top to bottom.

    Idle time is plain if families have patterns, and hatched if not.
    """

    families: tuple[tuple[BoxLook, ...], ...]
    paper: str
    text: str
    muted: str
    line: str
    idle: BoxLook


def looks_of(theme: Theme, hatching: bool, greyscale: bool) -> FigureLooks:
    """Return the looks of a theme; with `greyscale` there are no colours, and always patterns."""
    families = tuple(_family_looks(theme, family, hatching, greyscale) for family in FAMILIES)
    if greyscale:
        return FigureLooks(
            families,
            paper="#ffffff",
            text="#000000",
            muted="#404040",
            line="#b0b0b0",
            idle=BoxLook("#e2e2e2", "#e2e2e2", "#000000", Pattern.SOLID),
        )
    if hatching:
        ground = mixed(theme.idle, theme.plot, 0.72)
        pattern = Pattern.SOLID
    else:
        ground = theme.plot
        pattern = Pattern.RISING
    return FigureLooks(
        families,
        paper=theme.plot,
        text=theme.text,
        muted=theme.muted,
        line=theme.line,
        idle=BoxLook(ground, theme.idle, theme.text, pattern),
    )


def _family_looks(
    theme: Theme, family: Family, hatching: bool, greyscale: bool
) -> tuple[BoxLook, ...]:
    """Return the looks of a family: one, or those of both halves of an overlap, from the top."""
    halves: tuple[Family, ...] = (family,)
    if family is Family.OVERLAP:
        halves = (Family.FORWARD, Family.BACKWARD)
    if greyscale:
        return tuple(_grey_look(half) for half in halves)
    return tuple(_coloured_look(theme, half, hatching) for half in halves)


def _grey_look(family: Family) -> BoxLook:
    """Return the look of a family in print without colours."""
    pattern = PATTERNS[family]
    if pattern is None:
        return BoxLook(GREY, "#262626", "#000000", pattern)
    ground = GREYS.get(pattern, GREY)
    if pattern is Pattern.SOLID:
        return BoxLook(ground, ground, "#ffffff", pattern)
    return BoxLook(ground, "#262626", "#000000", pattern)


def _coloured_look(theme: Theme, family: Family, hatching: bool) -> BoxLook:
    """Return the look of a family in its colour, with a pattern if `hatching`."""
    (colour,) = theme.colours_of(family)
    pattern = PATTERNS[family] if hatching else Pattern.SOLID
    if pattern is Pattern.SOLID:
        letters = theme.letters_on(colour)
        return BoxLook(colour, colour, letters, pattern)
    pale = mixed(colour, theme.plot, PALE)
    return BoxLook(pale, colour, theme.text, pattern)


def pattern_lines(pattern: Pattern | None, rects: Iterable[QRectF], pitch: float) -> list[QLineF]:
    """Return the lines of a pattern, `pitch` apart, clipped to each rectangle.

    Slanted lines of adjacent rectangles are aligned. A solid pattern, or none, has no lines.
    """
    # `hatch_lines` takes the distance along the axis; `pitch` is measured across the lines.
    step = pitch * math.sqrt(2)
    lines: list[QLineF] = []
    for rect in rects:
        left = rect.left()
        right = rect.right()
        top = rect.top()
        bottom = rect.bottom()
        if pattern in (Pattern.RISING, Pattern.CROSSED):
            lines += hatch_lines(rect, step)
        if pattern in (Pattern.FALLING, Pattern.CROSSED):
            # `hatch_lines` has one slant; the other one is the same in a rectangle upside down.
            mirrored = QRectF(left, -bottom, rect.width(), rect.height())
            for line in hatch_lines(mirrored, step):
                start = QPointF(line.x1(), -line.y1())
                end = QPointF(line.x2(), -line.y2())
                lines.append(QLineF(start, end))
        if pattern in (Pattern.LEVEL, Pattern.SQUARED):
            for y in _between(top, bottom, pitch):
                lines.append(QLineF(left, y, right, y))
        if pattern in (Pattern.UPRIGHT, Pattern.SQUARED):
            for x in _between(left, right, pitch):
                lines.append(QLineF(x, top, x, bottom))
    return lines


def _between(low: float, high: float, step: float) -> list[float]:
    """Return evenly spaced places, about `step` apart and half of that from both ends."""
    count = max(1, round((high - low) / step))
    distance = (high - low) / count
    return [low + (n + 0.5) * distance for n in range(count)]
