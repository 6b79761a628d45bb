"""What a bar looks like: what its colour says, and the words in it.

Its colour says its kind, unless something else is chosen. Words are laid out once for each task,
and drawn many times.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF, QStaticText

from core.plan.task import ABSENT, KINDS, Kind
from core.trace.short_labels import short_label
from core.trace.span import Span, bar_label
from core.trace.spans import Spans, TaskTable
from core.trace.trace import Trace
from gui.look.families import FAMILIES, FAMILY_CODES, family_of
from gui.look.text import bytes_text, carried_rows_text, rows_text
from gui.look.theme import Colours, Theme
from gui.timeline.layout.frame import Viewport
from gui.timeline.reduce.reduction import Bars, PixelColumns

COLUMNS = (
    "kind", "microbatch", "bucket", "block", "replica", "paired_microbatch",
    "stage", "paired_stage", "rows", "bytes",
)  # fmt: skip
"""The columns of Spans that a bar's words are made from."""
Choices = tuple[str, ...]
SHORTER = (24, 12, 6)  # letters of a name that is too long for its bar


@dataclass(frozen=True, slots=True)
class Colouring:
    """Gives every span a code, and every code its colours: one, or from the top several.

    This one goes by kind: codes are indices in FAMILIES. For others see `colour_choices`.
    """

    def codes(self, spans: Spans) -> NDArray[np.int8]:
        """The code of each of some spans, for any slice of a lane."""
        codes: NDArray[np.int8] = FAMILY_CODES[spans["kind"]]
        return codes

    def code_of(self, span: Span) -> int:
        """The code of one span or open task."""
        return FAMILIES.index(family_of(span.kind))

    def colours(self, theme: Theme) -> Colours:
        """The colours of each code."""
        return theme.families


def recoloured(
    colouring: Colouring, reduced: Bars | PixelColumns, trace: Trace, lane: int, view: Viewport
) -> Bars | PixelColumns:
    """What is drawn of a trace's lane, with codes of a colouring instead of families.

    A pixel of a reduced lane has the colour of what ran at its middle, or began last before it.
    """
    if type(colouring) is Colouring:  # a family is what a kind's code is
        return reduced
    spans = trace.spans(lane)
    if isinstance(reduced, Bars):
        shown = spans[reduced.first : reduced.first + len(reduced.left)]
    else:
        middles = view.times(np.arange(len(reduced.family)) + 0.5)
        begun = np.searchsorted(spans.start, np.floor(middles).astype(np.int64), "right")
        # `searchsorted` gives how many have begun by then: the last of them is one before.
        shown = spans[np.maximum(begun - 1, 0)]
    return replace(reduced, family=colouring.codes(shown))


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

    `carried` tells what each part carries, or has None for it.
    """

    parts: tuple[tuple[Label, ...], ...]
    carried: tuple[Label | None, ...]


def words_of(
    table: TaskTable, place: int, bold: str, small: str, staged: bool, low: bool, shrinks: bool
) -> BarWords:
    """The words in the bar of a table's task, as they look in one kind of lanes.

    `bold` and `small` are their fonts (QFont.toString). Bars of lanes that are `staged` name their
    stages; those that are `low` have one line. On paper, which nobody can zoom, a word that does
    not fit `shrinks`; else all are of one size.
    """
    task = table.rows[place]
    kind, *numbers, stage, paired_stage, rows, size = (task[name].item() for name in COLUMNS)
    if task["name"] == ABSENT:
        # `numbers` are the five of COLUMNS between the
        # kind and the stages, as `bar_label` takes them.
        parts = labels_of(kind, tuple(numbers), stage, paired_stage, staged)
    else:
        parts = (shortened(short_label(table.names[task["name"]])),)
    if low:
        parts = on_one_line(parts)
    # Each word in the bold font first, then in the small one: the best comes first.
    fonts = ((bold, False), (small, True))[: 2 if shrinks else 1]
    carried = [bytes_text(size) if size else rows_text(rows) if rows else ""] * len(parts)
    if rows and not size and kind == KINDS.index(Kind.OVERLAP):
        paired = table.paired_rows(place)
        carried[-1] = rows_text(paired) if len(parts) > 1 else carried_rows_text(rows, paired)
    return BarWords(
        tuple(
            tuple(label_of(text, font, is_small) for text in choices for font, is_small in fonts)
            for choices in parts
        ),
        tuple(label_of(text, small, True) if text else None for text in carried),
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
