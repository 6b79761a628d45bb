"""Text in pictures: drawn with a font, a colour and an alignment, and cut or wrapped to fit."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter
Piece = TypeVar("Piece")
PIECES = re.compile("[（“《]*[\u3400-\u9fff][，。；：！？、）”》…]* ?|[^ \u3400-\u9fff]+ ?")
"""Pieces that a line break does not split: a word, or a Chinese character with its punctuation."""


MOST_LETTERS = 200
"""Maximum number of letters that are kept at each end of a long name."""


def write(
    painter: QPainter,
    font: QFont,
    colour: str,
    rect: QRectF,
    text: str,
    where: Qt.AlignmentFlag = LEFT,
) -> None:
    """Write a line in a rectangle; the painter keeps the font and the colour."""
    painter.setFont(font)
    painter.setPen(QColor(colour))
    painter.drawText(rect, where, text)


def write_wrapped(
    painter: QPainter,
    colour: str,
    rect: QRectF,
    text: str,
    where: Qt.AlignmentFlag = CENTRE,
) -> None:
    """Write wrapped lines in a rectangle, by default in its centre, in the painter's font."""
    painter.setPen(QColor(colour))
    painter.drawText(rect, int(where | Qt.TextFlag.TextWordWrap), text)


def elided(painter: QPainter, text: str, room: float) -> str:
    """Return a text, cut with an ellipsis to `room` pixels in the painter's font."""
    end = Qt.TextElideMode.ElideRight
    return painter.fontMetrics().elidedText(text, end, int(max(0, room)))


def shared_start(names: Sequence[str]) -> int:
    """Return the length of the whole words that all names begin with: 7 for `thread 1`, `thread 2`.

    0 for a single name, and if the names share no whole word.
    """
    if len(names) < 2:
        return 0
    # All others begin with the letters that these two share.
    first = min(names)
    last = max(names)
    letters = 0
    for one, other in zip(first, last, strict=False):
        if one != other:
            break
        letters += 1
    while letters and names[0][letters - 1].isalnum():
        letters -= 1
    return letters


def elided_name(name: str, shared: int, room: float, width: Callable[[str], float]) -> str:
    """Shorten a name to `room`, measured by `width`, so that it still differs from the others.

    All names begin with the same `shared` letters. The last of these are left out first; if the
    rest of the name is still too long, its middle is left out.
    """
    if width(name) <= room:
        return name
    head = name[:shared]
    own = name[shared:]
    if own and width(f"…{own}") <= room:
        most = min(len(head), MOST_LETTERS)
        return _longest(lambda kept: f"{head[:kept]}…{own}", most, room, width)
    rest = own or name
    start = rest[:MOST_LETTERS]
    end = rest[-MOST_LETTERS:]

    def without_middle(kept: int) -> str:
        at_end = kept // 2
        left = start[: kept - at_end]
        right = end[len(end) - at_end :]
        return f"{left}…{right}"

    return _longest(without_middle, min(len(rest), MOST_LETTERS), room, width)


def _longest(
    cut: Callable[[int], str], most: int, room: float, width: Callable[[str], float]
) -> str:
    """Return `cut(kept)` for the largest `kept` up to `most` that fits `room`, else `cut(0)`."""

    def is_too_wide(kept: int) -> bool:
        return width(cut(kept)) > room

    too_many = bisect_left(range(most + 1), True, key=is_too_wide)
    return cut(max(0, too_many - 1))


def wrapped(text: str, room: float, width: Callable[[str], float]) -> list[str]:
    """Return a text in lines of at most `room`, measured by `width`.

    Lines break at spaces and between Chinese characters. A word that is too long has its own line.
    """
    lines: list[str] = []
    # Greedy, which gives the fewest lines. A piece keeps the space after it, which does not count
    # at a line's end.
    for word in PIECES.findall(" ".join(text.split())):
        if lines:
            longer = lines[-1] + word
            if width(longer.rstrip()) <= room:
                lines[-1] = longer
                continue
        lines.append(word)
    return [line.rstrip() for line in lines]


def in_lines(parts: Iterable[tuple[Piece, float]], space: float, room: float) -> list[list[Piece]]:
    """Break parts, given with their widths and `space` apart, into lines of at most `room`."""
    lines: list[list[Piece]] = []
    free = 0.0
    for part, width in parts:
        if not lines or width > free:
            lines.append([])
            free = room
        lines[-1].append(part)
        free -= width + space
    return lines
