"""What the colour of a bar says: its kind, unless something else is chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from core.trace.span import Span
from core.trace.spans import Spans
from core.trace.trace import Trace
from gui.look.families import FAMILIES, FAMILY_CODES, family_of
from gui.look.theme import Theme
from gui.timeline.layout.viewport import Viewport
from gui.timeline.reduce.reduction import Bars, PixelColumns

Colours = tuple[tuple[QColor, ...], ...]


class ColourBy(StrEnum):
    """What one can colour by."""

    KIND = "kind"
    MICROBATCH = "microbatch"
    STAGE = "stage"
    DURATION = "duration"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Colouring:
    """Gives every span a code, and every code its colours: one, or from the top several.

    This one goes by kind: codes are indices in FAMILIES. For others see `colour_choices`.
    """

    @property
    def by(self) -> ColourBy:
        """What is coloured by."""
        return ColourBy.KIND

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


def letters_of(colours: Colours, theme: Theme) -> Colours:
    """The colours of text on bars in some colours."""
    return tuple(tuple(QColor(theme.letters_on(c.name())) for c in several) for several in colours)


def recoloured(
    colouring: Colouring, reduced: Bars | PixelColumns, trace: Trace, lane: int, view: Viewport
) -> Bars | PixelColumns:
    """What is drawn of a trace's lane, with codes of a colouring instead of families.

    A pixel of a reduced lane has the colour of what ran at its middle, or began last before it.
    """
    if colouring.by is ColourBy.KIND:
        return reduced
    spans = trace.spans(lane)
    if isinstance(reduced, Bars):
        shown = spans[reduced.first : reduced.first + len(reduced.left)]
    else:
        middles = view.times(np.arange(len(reduced.family)) + 0.5)
        begun = np.searchsorted(spans.start, np.floor(middles).astype(np.int64), "right")
        shown = spans[np.maximum(begun - 1, 0)]
    return replace(reduced, family=colouring.codes(shown))
