"""Colours of bars, and the texts in them.

By default the colour shows the kind. Texts are laid out once for each task, and drawn many times.
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
from gui.timeline.reduce.reduction import Bars, PixelColumns, count_until

COLUMNS = (
    "kind",
    "microbatch",
    "bucket",
    "block",
    "replica",
    "paired_microbatch",
    "stage",
    "paired_stage",
    "rows",
    "bytes",
)
"""The columns of Spans that a bar's texts are made from."""
Choices = tuple[str, ...]
SHORTER = (24, 12, 6)  # lengths in letters to which a long name is cut, for narrow bars


@dataclass(frozen=True, slots=True)
class Colouring:
    """Maps spans to codes, and each code to a colour, or to several from top to bottom.

    This class colours by kind: codes are indices in FAMILIES. Others are in `colour_choices`.
    """

    def codes(self, spans: Spans) -> NDArray[np.int8]:
        """Return the code of each span, for any slice of a lane."""
        codes: NDArray[np.int8] = FAMILY_CODES[spans["kind"]]
        return codes

    def code_of(self, span: Span) -> int:
        """Return the code of a span or open task."""
        return FAMILIES.index(family_of(span.kind))

    def colours(self, theme: Theme) -> Colours:
        """Return the colours of each code."""
        return theme.families


def recoloured(
    colouring: Colouring, reduced: Bars | PixelColumns, trace: Trace, lane: int, view: Viewport
) -> Bars | PixelColumns:
    """Return a trace's reduced lane, with the codes of a colouring instead of families.

    A pixel has the colour of the span at its middle, or of the last span before it.
    """
    if type(colouring) is Colouring:  # codes of kinds are families already
        return reduced
    spans = trace.spans(lane)
    if isinstance(reduced, Bars):
        end = reduced.first + len(reduced.left)
        shown = spans[reduced.first : end]
    else:
        pixels = np.arange(len(reduced.family))
        middles = view.times(pixels + 0.5)
        # Number of spans that have begun at each middle; the last of them has the index before.
        begun = count_until(spans.start, middles)
        shown = spans[np.maximum(begun - 1, 0)]
    return replace(reduced, family=colouring.codes(shown))


@dataclass(frozen=True, slots=True)
class Label:
    """A text, laid out in a font, with its size in pixels."""

    text: str
    small: bool
    width: float
    height: float
    laid_out: QStaticText


@dataclass(frozen=True, slots=True)
class BarWords:
    """Texts for the parts of a bar: the possible labels of each, best first.

    `carried` is the payload of each part, written below its label, or None.
    """

    parts: tuple[tuple[Label, ...], ...]
    carried: tuple[Label | None, ...]


@dataclass(frozen=True, slots=True)
class TextLook:
    """Appearance of the texts in a lane's bars, in the fonts `bold` and `small` (QFont.toString).

    Bars of `staged` lanes name their stages; bars of `low` lanes have one line. On paper, which
    cannot be zoomed, a text that does not fit `shrinks` to the small font; otherwise all have one
    size.
    """

    bold: str
    small: str
    staged: bool
    low: bool
    shrinks: bool

    def laid_out(self, choices: Choices) -> tuple[Label, ...]:
        """Return the labels for some texts, best first: each in bold, then in the small font."""
        labels = []
        for text in choices:
            in_bold = label_of(text, self.bold, False)
            labels.append(in_bold)
            if self.shrinks:
                in_small = label_of(text, self.small, True)
                labels.append(in_small)
        return tuple(labels)


def words_of(table: TaskTable, place: int, look: TextLook) -> BarWords:
    """Return the texts for the bar of a table's task."""
    task = table.rows[place]
    kind, *numbers, stage, paired_stage, rows, size = (task[name].item() for name in COLUMNS)
    if task["name"] == ABSENT:
        # `numbers` are the five values of COLUMNS between the kind and the stages, in the order of
        # `bar_label`.
        parts = labels_of(kind, tuple(numbers), stage, paired_stage, look.staged)
    else:
        name = short_label(table.names[task["name"]])
        parts = (shortened(name),)
    if look.low:
        parts = on_one_line(parts)
    payload = ""
    if size:
        payload = bytes_text(size)
    elif rows:
        payload = rows_text(rows)
    carried = [payload] * len(parts)
    if rows and not size and kind == KINDS.index(Kind.OVERLAP):
        paired = table.paired_rows(place)
        if len(parts) > 1:
            carried[-1] = rows_text(paired)
        else:
            carried[-1] = carried_rows_text(rows, paired)
    labels = tuple(look.laid_out(choices) for choices in parts)
    payloads: list[Label | None] = []
    for text in carried:
        payloads.append(label_of(text, look.small, True) if text else None)
    return BarWords(labels, tuple(payloads))


def labels_of(
    code: int, numbers: tuple[int, ...], stage: int, paired_stage: int, staged: bool
) -> tuple[Choices, ...]:
    """Return the possible labels of a bar, or of each half of it, longest first.

    `code` indexes KINDS; `numbers` are the arguments of `bar_label`. A `staged` lane has several
    stages, and its bars name them if there is room: `2F1` rather than `F1`.
    """
    kind = KINDS[code]
    action = bar_label(kind, *numbers)
    stages = (stage, paired_stage)
    if kind is Kind.OVERLAP:
        halves: list[Choices] = []
        for number, half in zip(stages, action.split(), strict=False):
            halves.append(_with_stage(number, half, staged))
        return tuple(halves)
    labels = _with_stage(stage, action, staged)
    # In a narrow bar, transfers are told apart by their letter, passes by their colour.
    shortest = kind.letter if kind.is_communication else action.removeprefix(kind.letter)
    if shortest not in ("", action):
        labels = (*labels, shortest)
    return (labels,)


def _with_stage(stage: int, action: str, staged: bool) -> Choices:
    """Return the labels of one action, longest first."""
    if not staged or stage == ABSENT:
        return (action,)
    return f"{stage}{action}", action


def on_one_line(halves: tuple[Choices, ...]) -> tuple[Choices]:
    """Return the labels of both halves combined, for a low bar: `F3 B1`."""
    lines = []
    for labels in zip(*halves, strict=True):
        lines.append(" ".join(labels))
    return (tuple(lines),)


def shortened(name: str) -> Choices:
    """Return a name, its beginnings, and the number at its end, for bars too narrow for it."""
    choices = [name]
    for count in SHORTER:
        if count < len(name) - 1:
            choices.append(f"{name[:count]}…")
    _, space, end = name.rpartition(" ")
    if space and end.isdigit():
        choices.append(end)
    return tuple(choices)


@lru_cache(maxsize=8192)
def label_of(text: str, font: str, small: bool) -> Label:
    """Return a text laid out in a font (QFont.toString)."""
    made = QFont()
    made.fromString(font)
    metrics = QFontMetricsF(made)
    static = QStaticText(text)
    static.setTextFormat(Qt.TextFormat.PlainText)
    static.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
    return Label(text, small, metrics.horizontalAdvance(text), metrics.height(), static)
