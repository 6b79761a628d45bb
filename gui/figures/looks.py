"""How families look in print: colours, greys, and patterns that do without either."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF

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
"""The pattern of each family but the overlap, which has its two halves'; None is a bare ground."""
PALE = 0.82  # of the ground's colour in a family's, behind its pattern
GREYS = {Pattern.SOLID: "#4d4d4d", Pattern.LEVEL: "#ffffff", Pattern.UPRIGHT: "#d4d4d4"}
GREY = "#f2f2f2"


@dataclass(frozen=True, slots=True)
class Look:
    """A box: its ground, the ink of outline and pattern, its text, and the pattern."""

    ground: str
    ink: str
    text: str
    pattern: Pattern | None


@dataclass(frozen=True, slots=True)
class Looks:
    """All that a figure is coloured with; `families` has the looks of FAMILIES, from the top.

    Idle time is flat where families have patterns, else hatched.
    """

    families: tuple[tuple[Look, ...], ...]
    paper: str
    text: str
    muted: str
    line: str
    idle: Look


def looks_of(theme: Theme, hatching: bool, greyscale: bool) -> Looks:
    """The looks of a theme; `greyscale` has no colour at all, and patterns always."""
    halves = {Family.OVERLAP: (Family.FORWARD, Family.BACKWARD)}
    families = tuple(
        tuple(_look(theme, half, hatching or greyscale, greyscale) for half in mine)
        for mine in (halves.get(family, (family,)) for family in FAMILIES)
    )
    if greyscale:
        idle = Look("#e2e2e2", "#e2e2e2", "#000000", Pattern.SOLID)
        return Looks(families, "#ffffff", "#000000", "#404040", "#b0b0b0", idle)
    if hatching:
        idle = Look(mixed(theme.idle, theme.plot, 0.72), theme.idle, theme.text, Pattern.SOLID)
    else:
        idle = Look(theme.plot, theme.idle, theme.text, Pattern.RISING)
    return Looks(families, theme.plot, theme.text, theme.muted, theme.line, idle)


def _look(theme: Theme, family: Family, hatching: bool, greyscale: bool) -> Look:
    pattern = PATTERNS[family]
    (colour,) = theme.colours_of(family)
    if not hatching:
        return Look(colour, colour, theme.letters_on(colour), Pattern.SOLID)
    if greyscale:
        ground = GREYS.get(pattern, GREY) if pattern is not None else GREY
        dark = pattern is Pattern.SOLID
        return Look(ground, ground if dark else "#262626", "#ffffff" if dark else "#000000",
                    pattern)  # fmt: skip
    if pattern is Pattern.SOLID:
        return Look(colour, colour, theme.letters_on(colour), pattern)
    return Look(mixed(colour, theme.plot, PALE), colour, theme.text, pattern)


def pattern_lines(pattern: Pattern | None, rects: Iterable[QRectF], pitch: float) -> list[QLineF]:
    """The lines of a pattern through each rectangle, cut at its edges, `pitch` apart.

    They run on from one rectangle to the next. No lines for a solid or a bare ground.
    """
    lines: list[QLineF] = []
    for rect in rects:
        if pattern in (Pattern.RISING, Pattern.CROSSED):
            lines += hatch_lines(rect, pitch * math.sqrt(2))
        if pattern in (Pattern.FALLING, Pattern.CROSSED):
            # hatch_lines has one slant, and `step` along the axis, where `pitch` is across the
            # lines: times the root of 2. The other slant is the same in a rectangle upside down.
            mirrored = QRectF(rect.left(), -rect.bottom(), rect.width(), rect.height())
            lines += [QLineF(line.x1(), -line.y1(), line.x2(), -line.y2())
                      for line in hatch_lines(mirrored, pitch * math.sqrt(2))]  # fmt: skip
        if pattern in (Pattern.LEVEL, Pattern.SQUARED):
            lines += [QLineF(rect.left(), y, rect.right(), y)
                      for y in _between(rect.top(), rect.bottom(), pitch)]  # fmt: skip
        if pattern in (Pattern.UPRIGHT, Pattern.SQUARED):
            lines += [QLineF(x, rect.top(), x, rect.bottom())
                      for x in _between(rect.left(), rect.right(), pitch)]  # fmt: skip
    return lines


def _between(low: float, high: float, step: float) -> list[float]:
    """Places within, evenly spread, at most `step` apart and half of that from the ends."""
    count = max(1, round((high - low) / step))
    return [low + (n + 0.5) * (high - low) / count for n in range(count)]
