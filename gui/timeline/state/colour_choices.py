"""Colours of bars by micro-batch, stage, name or duration, instead of kind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from core.arrays import Ints
from core.plan.plan import Role
from core.plan.task import ABSENT
from core.trace.own_colours import OWN_COLOURS
from core.trace.short_labels import short_label
from core.trace.span import Span
from core.trace.spans import Spans, TaskTable
from core.trace.trace import Trace
from gui.look.colours import seen_on
from gui.look.theme import RAMP, SERIES, Colours, Theme
from gui.timeline.state.bar_looks import Colouring

SAMPLE = 4096  # spans of a lane from which the range of durations is taken
MOST_COUNTED = 1_000_000  # spans whose labels are counted
RANGE = (5, 95)  # percentiles of the durations that the ramp covers


class ColourBy(StrEnum):
    """The meaning of the bars' colours."""

    KIND = "kind"
    MICROBATCH = "microbatch"
    STAGE = "stage"
    DURATION = "duration"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class ByNumber(Colouring):
    """Colours by micro-batch or stage; after SERIES numbers they repeat.

    The last code is for spans without such a number.
    """

    number: ColourBy

    def codes(self, spans: Spans) -> NDArray[np.int8]:
        """Return the place of each span's number in the series."""
        numbers = spans[self.number.value]
        places = np.where(numbers == ABSENT, SERIES, numbers % SERIES)
        return places.astype(np.int8)

    def code_of(self, span: Span) -> int:
        """Return the place of a span's number in the series."""
        number = span.microbatch
        if self.number is ColourBy.STAGE:
            number = span.stage
        return SERIES if number is None else number % SERIES

    def colours(self, theme: Theme) -> Colours:
        """Return the series, and the colour for spans without a number."""
        return _single((*theme.series, theme.other))


@dataclass(frozen=True, slots=True)
class ByName(Colouring):
    """Colours for the most frequent labels of an imported trace; grey for the others.

    `labels`, at most SERIES, have the colours of the series in order. A label is the short form of
    a span's name, as on its bar; names with the same label have the same colour. Spans with a
    colour in the file keep that colour: see OWN_COLOURS.
    """

    table: TaskTable
    labels: tuple[str, ...]
    own: NDArray[np.int8] | None = field(default=None, compare=False)

    @classmethod
    def of(cls, trace: Trace, before: ByName | None = None) -> ByName:
        """Return colours for a trace's labels; labels in `before` keep their colours."""
        kept = () if before is None else before.labels
        free = SERIES - len(kept)
        if free > 0:
            more = [label for label in frequent_labels(trace) if label not in kept]
            kept = (*kept, *more[:free])
        own = None if trace.imported is None else trace.imported.colours
        return cls(trace.table, kept, own)

    def codes(self, spans: Spans) -> NDArray[np.int8]:
        """Return the place of each span's label in the series, or the code of the file's colour."""
        return self.codes_of(spans.row)

    def codes_of(self, rows: NDArray[np.int32]) -> NDArray[np.int8]:
        """Return the codes of rows of the table."""
        # Each name is looked up once, for all rows that have it.
        numbers = self.table.rows["name"][rows]
        names, which = np.unique(numbers, return_inverse=True)
        places = self._places()
        codes = []
        for name in names.tolist():
            code = SERIES
            if name != ABSENT:
                label = short_label(self.table.names[name])
                code = places.get(label, SERIES)
            codes.append(code)
        named = np.array(codes, np.int8)[which]
        if self.own is None:
            return named
        own = self.own[rows]
        chosen = np.where(own == ABSENT, named, own + SERIES + 1)
        return chosen.astype(np.int8)

    def code_of(self, span: Span) -> int:
        """Return the code of a span's label, or of the file's colour."""
        if self.own is None:
            if not span.name:
                return SERIES
            return self._places().get(span.label, SERIES)
        is_row = self.table.rows["task"] == span.task
        rows = np.flatnonzero(is_row)[:1].astype(np.int32)
        code = self.codes_of(rows)[0]
        return int(code)

    def colours(self, theme: Theme) -> Colours:
        """Return the series, the colour of other labels, and the file's colours, made visible."""
        own = [seen_on(colour, theme.plot) for colour in OWN_COLOURS.values()]
        return _single((*theme.series, theme.other, *own))

    def _places(self) -> dict[str, int]:
        return {label: place for place, label in enumerate(self.labels)}


def frequent_labels(trace: Trace) -> list[str]:
    """Return the labels of a trace's spans without a colour in the file, most frequent first.

    Spans of nested lanes only break ties between labels that are equally frequent on the other
    lanes. If there are more than MOST_COUNTED spans, an evenly spaced sample is counted.
    """
    table = trace.table
    colours = None if trace.imported is None else trace.imported.colours
    every_nth = max(1, trace.span_count // MOST_COUNTED)
    # Number of spans by the index of their name, on nested lanes and on the others.
    outer = np.zeros(len(table.names), np.int64)
    inner = np.zeros(len(table.names), np.int64)
    for lane in trace.header.lanes:
        rows = trace.spans(lane.index).row[::every_nth]
        if colours is not None:
            rows = rows[colours[rows] == ABSENT]
        names = table.rows["name"][rows]
        named = names[names != ABSENT]
        if lane.role is Role.NESTED:
            np.add.at(inner, named, 1)
        else:
            np.add.at(outer, named, 1)
    counts: dict[str, tuple[int, int]] = {}
    counted = np.flatnonzero(outer + inner)
    for name in counted.tolist():
        label = short_label(table.names[name])
        on_outer, on_inner = counts.get(label, (0, 0))
        on_outer += int(outer[name])
        on_inner += int(inner[name])
        counts[label] = (on_outer, on_inner)
    return sorted(counts, key=counts.__getitem__, reverse=True)


@dataclass(frozen=True, slots=True)
class ByDuration(Colouring):
    """A logarithmic ramp from durations up to `shortest` ns to durations from `longest` ns."""

    shortest: float
    longest: float

    @classmethod
    def of(cls, trace: Trace) -> ByDuration:
        """Return the ramp from the 5th to the 95th percentile of a trace's durations."""
        parts = []
        for lane in range(len(trace.header.lanes)):
            spans = trace.spans(lane)
            every_nth = max(1, len(spans) // SAMPLE)
            some = spans[::every_nth]
            if len(some):
                parts.append(some.end - some.start)
        if not parts:
            parts = [np.ones(1, np.int64)]
        lengths = np.maximum(np.concatenate(parts), 1)
        shortest, longest = np.percentile(lengths, RANGE).tolist()
        return cls(shortest, longest)

    def codes(self, spans: Spans) -> NDArray[np.int8]:
        """Return the place of each span's duration on the ramp."""
        lengths = spans.end - spans.start
        return self._places(lengths)

    def code_of(self, span: Span) -> int:
        """Return the place of a span's duration on the ramp; the first place for an open task."""
        length = 0
        if span.end is not None:
            length = span.end - span.start
        place = self._places(np.array([length]))[0]
        return int(place)

    def colours(self, theme: Theme) -> Colours:
        """Return the ramp."""
        return _single(theme.ramp)

    def _places(self, lengths: Ints) -> NDArray[np.int8]:
        ratio = np.log(np.maximum(lengths, 1) / self.shortest)
        # At least a little longer: if all durations were equal, the division below would be by 0.
        longest = max(self.longest, 1.001 * self.shortest)
        whole = np.log(longest / self.shortest)
        on_ramp = np.clip(ratio / whole * RAMP, 0, RAMP - 1)
        places: NDArray[np.int8] = on_ramp.astype(np.int8)
        return places


def _single(colours: Iterable[str]) -> Colours:
    """Return one-part colours: bars in these colourings are not divided as overlaps are."""
    return tuple((QColor(colour),) for colour in colours)


def colouring_of(by: ColourBy, trace: Trace, before: Colouring | None = None) -> Colouring:
    """Return the colouring `by` of a trace.

    A trace with a plan is coloured by kind instead of name; a trace without kinds, by name instead
    of kind.
    Names keep their colours in `before`, which is the colouring of the same run before it grew, or
    of another run next to this one.
    """
    if by is ColourBy.NAME and trace.header.source.has_plan:
        by = ColourBy.KIND
    if by is ColourBy.KIND and not trace.table.has_kinds:
        by = ColourBy.NAME
    match by:
        case ColourBy.NAME:
            named_before = before if isinstance(before, ByName) else None
            return ByName.of(trace, named_before)
        case ColourBy.KIND:
            return Colouring()
        case ColourBy.DURATION:
            return ByDuration.of(trace)
    return ByNumber(by)


def choice_of(colouring: Colouring) -> ColourBy:
    """Return the `by` for which `colouring_of` returns a colouring."""
    match colouring:
        case ByNumber(number=number):
            return number
        case ByName():
            return ColourBy.NAME
        case ByDuration():
            return ColourBy.DURATION
    return ColourBy.KIND
