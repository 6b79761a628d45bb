"""The words inside bars, laid out once for each row of the task table and drawn many times."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF, QStaticText

from core.plan.task import ABSENT, KINDS, Kind
from core.trace.span import bar_label
from core.trace.spans import TaskTable
from gui.look.text import bytes_text, rows_text

COLUMNS = (
    "kind", "microbatch", "bucket", "block", "replica", "paired_microbatch",
    "stage", "paired_stage", "rows", "bytes",
)  # fmt: skip
"""The columns of Spans that a bar's words are made from."""
Choices = tuple[str, ...]
KEPT = 20_000  # rows whose words are kept; with more, all are laid out anew
SHORTER = (24, 12, 6)  # letters of a name that is too long for its bar


@dataclass(frozen=True, slots=True)
class Label:
    """A text in a font, as large as it is drawn."""

    text: str
    small: bool
    width: float
    height: float
    laid_out: QStaticText


@dataclass(frozen=True, slots=True)
class BarWords:
    """What may stand in a bar: for each of its parts the labels, the best first; and below them.

    `second` tells what the bar carries, or is None.
    """

    parts: tuple[tuple[Label, ...], ...]
    second: Label | None


@dataclass(frozen=True, slots=True)
class Style:
    """What words look like: their fonts, whether they name stages, and whether on one line.

    On paper, which nobody can zoom, a word that does not fit `shrinks`; else all are of one size.
    """

    bold: str
    small: str
    staged: bool
    low: bool
    shrinks: bool


class WordsOfRows:
    """The words of the bars of each row of a task table."""

    def __init__(self, table: TaskTable) -> None:
        self._table = table
        self._known: dict[Style, dict[int, BarWords]] = defaultdict(dict)
        self._count = 0

    def shelf(self, style: Style) -> dict[int, BarWords]:
        """The words that are known in a style, by row; `find` adds to them."""
        if self._count > KEPT:
            self._known.clear()
            self._count = 0
        return self._known[style]

    def find(self, style: Style, row: int) -> BarWords:
        """The words of a row, which is laid out if it is not known."""
        known = self._known[style]
        words = known.get(row)
        if words is None:
            words = known[row] = self._laid_out(style, row)
            self._count += 1
        return words

    def _laid_out(self, style: Style, row: int) -> BarWords:
        task = self._table.rows[row]
        kind, *numbers, stage, paired_stage, rows, size = (task[name].item() for name in COLUMNS)
        if task["name"] == ABSENT:
            parts = labels_of(kind, tuple(numbers), stage, paired_stage, style.staged)
        else:
            parts = (shortened(self._table.names[task["name"]]),)
        if style.low:
            parts = on_one_line(parts)
        second = bytes_text(size) if size else rows_text(rows) if rows else ""
        return BarWords(
            tuple(_labels(style, choices) for choices in parts),
            label_of(second, style.small, True) if second else None,
        )


def labels_of(
    code: int, numbers: tuple[int, ...], stage: int, paired_stage: int, staged: bool
) -> tuple[Choices, ...]:
    """For each half of a bar, or for all of it, the labels that may stand there, longest first.

    `code` indexes KINDS; `numbers` are those of `bar_label`. A lane that is `staged` holds several
    stages, so that its bars say which: `2F1` rather than `F1`, where that fits.
    """
    actions: tuple[str, ...] = (bar_label(KINDS[code], *numbers),)
    stages = (stage, paired_stage)
    if KINDS[code] is Kind.OVERLAP:
        actions = tuple(actions[0].split())
    return tuple(
        (f"{number}{action}", action) if staged and number != ABSENT else (action,)
        for number, action in zip(stages, actions, strict=False)
    )


def on_one_line(halves: tuple[Choices, ...]) -> tuple[Choices]:
    """The same for a bar that is too low for halves: `F3 B1`."""
    return (tuple(map(" ".join, zip(*halves, strict=True))),)


def shortened(name: str) -> Choices:
    """A name, and its beginnings for bars that are too narrow for it."""
    return (name, *(f"{name[:count]}…" for count in SHORTER if count < len(name) - 1))


@lru_cache(maxsize=8192)
def label_of(text: str, font: str, small: bool) -> Label:
    """A text laid out in a font (QFont.toString)."""
    made = QFont()
    made.fromString(font)
    metrics = QFontMetricsF(made)
    static = QStaticText(text)
    static.setTextFormat(Qt.TextFormat.PlainText)
    static.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
    return Label(text, small, metrics.horizontalAdvance(text), metrics.height(), static)


def _labels(style: Style, choices: Choices) -> tuple[Label, ...]:
    """Each choice, as they are tried."""
    fonts = ((style.bold, False), (style.small, True))[: 2 if style.shrinks else 1]
    return tuple(label_of(text, font, small) for text in choices for font, small in fonts)
