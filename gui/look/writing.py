"""Text in pictures: where in its place it stands, in which font and colour, and cut to its room."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter
Part = TypeVar("Part")
PIECES = re.compile("[（“《]*[\u3400-\u9fff][，。；：！？、）”》…]* ?|[^ \u3400-\u9fff]+ ?")
"""What stays on one line: a word, or one character of Chinese with its punctuation."""


def write(
    painter: QPainter,
    font: QFont,
    colour: str,
    rect: QRectF,
    text: str,
    where: Qt.AlignmentFlag = LEFT,
) -> None:
    """Write a line in a rectangle; the font and the colour stay the painter's."""
    painter.setFont(font)
    painter.setPen(QColor(colour))
    painter.drawText(rect, where, text)


def write_wrapped(painter: QPainter, colour: str, rect: QRectF, text: str) -> None:
    """Write as many lines as it takes in the middle of a rectangle, in the painter's font."""
    painter.setPen(QColor(colour))
    painter.drawText(rect, int(CENTRE | Qt.TextFlag.TextWordWrap), text)


def elided(painter: QPainter, text: str, room: float) -> str:
    """A text in the painter's font, cut with an ellipsis where it takes more than `room` pixels."""
    end = Qt.TextElideMode.ElideRight
    return painter.fontMetrics().elidedText(text, end, int(max(0, room)))


def wrapped(text: str, room: float, width: Callable[[str], float]) -> list[str]:
    """A text in lines of at most `room` by their `width`; a word that is longer stands alone.

    A line may end at spaces, and between the characters of Chinese.
    """
    lines: list[str] = []
    # Greedy, which gives the fewest lines. A piece keeps the space behind it, which does not count
    # at a line's end.
    for word in PIECES.findall(" ".join(text.split())):
        if lines and width((lines[-1] + word).rstrip()) <= room:
            lines[-1] += word
        else:
            lines.append(word)
    return [line.rstrip() for line in lines]


def in_lines(parts: Iterable[tuple[Part, float]], space: float, room: float) -> list[list[Part]]:
    """Parts and their widths, `space` apart, in as many lines as they need within `room`."""
    lines: list[list[Part]] = []
    free = 0.0
    for part, width in parts:
        if not lines or width > free:
            lines.append([])
            free = room
        lines[-1].append(part)
        free -= width + space
    return lines
