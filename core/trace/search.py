"""Search for the spans that match a query, slice by slice, and navigation among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.plan.plan import Lane
from core.plan.task import ABSENT, KINDS, Kind
from core.trace.columns import GrowingArray
from core.trace.query import (
    BarText,
    NumberRange,
    Query,
    Term,
    TermValue,
    TextPattern,
    is_like,
    kinds_like,
    pattern_matcher,
)
from core.trace.spans import Spans, TaskTable
from core.trace.trace import Trace

SLICE = 1 << 18
"""Spans that are searched at once, in a few milliseconds."""
Hits = Mapping[int, Ints]
"""Sorted indices of the spans that were found, by lane."""

_OF_A_ROW = {"mb": "microbatch"}
_OF_A_SPAN = ("step", "duration")
_OVERLAP = KINDS.index(Kind.OVERLAP)


@dataclass(frozen=True, slots=True, order=True)
class SpanPosition:
    """Sort key of a span among the spans of all lanes: start (ns), lane and index."""

    start: int
    lane: int
    index: int


class Search:
    """An incremental search for the spans that match a query: call `advance` repeatedly.

    Conditions that do not depend on a span's times are evaluated once for each row of the task
    table. In a growing trace further calls find new spans.
    """

    def __init__(self, trace: Trace, query: Query) -> None:
        self.trace = trace
        self.query = query
        self._of_rows: list[Term] = []
        self._of_spans: list[Term] = []
        of_lanes: list[Term] = []
        for term in query.terms:
            if term.key == "lane":
                of_lanes.append(term)
            elif term.key in _OF_A_SPAN:
                self._of_spans.append(term)
            else:
                self._of_rows.append(term)
        self._lanes: list[int] = []
        for lane in trace.header.lanes:
            is_lane = partial(_is_lane, lane)
            if all(_holds(term, is_lane) for term in of_lanes):
                self._lanes.append(lane.index)
        self._done = {lane.index: 0 for lane in trace.header.lanes}
        self._found = {lane: GrowingArray(np.int64) for lane in self._lanes}
        # For each evaluated row, True if it fulfils all conditions.
        self._held = GrowingArray(np.bool_)

    @property
    def hits(self) -> dict[int, Ints]:
        """Spans found so far, for the lanes that have any."""
        hits = {}
        for lane, found in self._found.items():
            if len(found):
                hits[lane] = found.view
        return hits

    @property
    def count(self) -> int:
        """Number of spans found so far."""
        return sum(map(len, self._found.values()))

    @property
    def searched(self) -> tuple[int, int]:
        """Numbers of spans that were searched and of all spans."""
        done = 0
        total = 0
        for lane in self._lanes:
            done += self._done[lane]
            total += len(self.trace.spans(lane))
        return done, total

    def advance(self, most: int = SLICE) -> bool:
        """Search up to `most` more spans; returns True if all have been searched.

        New rows of the table are evaluated first, up to `most` of them, in separate calls.
        """
        table = self.trace.table
        known = len(self._held)
        rows = table.rows[known : known + most]
        is_row = partial(_of_row, rows, table)
        held = _all(self._of_rows, len(rows), is_row)
        self._held.extend(held)
        if len(self._held) < len(table):
            return False
        for lane in self._lanes:
            spans = self.trace.spans(lane)
            done = self._done[lane]
            part = spans[done : done + most]
            if len(part):
                is_match = self._matches(part)
                matches = np.flatnonzero(is_match)
                self._found[lane].extend(matches + done)
                done += len(part)
                most -= len(part)
                self._done[lane] = done
            if done < len(spans):
                return False
        return True

    def _matches(self, spans: Spans) -> Bools:
        """Return a mask of the spans that fulfil all conditions."""
        numbers = {"step": spans.step, "duration": spans.end - spans.start}

        def is_within(key: str, value: TermValue) -> Bools:
            return _within(numbers[key], value)

        found = _all(self._of_spans, len(spans), is_within)
        found &= self._held.view[spans.row]
        return found


def position_of(trace: Trace, lane: int, index: int) -> SpanPosition:
    """Return the sort key of a lane's span."""
    spans = trace.spans(lane)
    start = int(spans.start[index])
    return SpanPosition(start, lane, index)


def hits_before(trace: Trace, hits: Hits, place: SpanPosition) -> int:
    """Return the number of hits before a position."""
    return sum(_before(trace, hits, lane, place) for lane in hits)


def next_hit(trace: Trace, hits: Hits, place: SpanPosition, by: int = 1) -> SpanPosition | None:
    """Return the hit after a position (`by` 1) or before it (-1), wrapping around; else None."""
    is_forward = by > 0
    near = []
    for lane, found in hits.items():
        before = _before(trace, hits, lane, place)
        # Backwards: the last hit before the position. Forwards: the first hit at or after it, but
        # not the position itself.
        at = before - 1
        if is_forward:
            at = before
            is_own_lane = lane == place.lane
            if is_own_lane and at < len(found) and found[at] == place.index:
                at += 1
        if 0 <= at < len(found):
            index = int(found[at])
            near.append(position_of(trace, lane, index))
    if not near:
        end = 0 if is_forward else -1
        for lane, found in hits.items():
            if len(found):
                index = int(found[end])
                near.append(position_of(trace, lane, index))
    if is_forward:
        return min(near, default=None)
    return max(near, default=None)


def _before(trace: Trace, hits: Hits, lane: int, place: SpanPosition) -> int:
    """Return the number of a lane's hits before a position."""
    if lane == place.lane:
        first = place.index
    else:
        spans = trace.spans(lane)
        after = place.start
        if lane < place.lane:
            after += 1  # of equal starts, those on lower lanes are first
        first = int(np.searchsorted(spans.start, after))
    return int(np.searchsorted(hits[lane], first))


def _holds(term: Term, is_so: Callable[[str, TermValue], Any]) -> Any:
    """Return True if a term holds, or a mask for n items, given a test of its values."""
    each = [is_so(term.key, value) for value in term.values]
    held = np.logical_or.reduce(each)
    if term.negated:
        return ~held
    return held


def _all(terms: Sequence[Term], count: int, is_so: Callable[[str, TermValue], Any]) -> Bools:
    """Return a mask of shape (count,): items for which all terms hold."""
    held = np.ones(count, np.bool_)
    for term in terms:
        held &= _holds(term, is_so)
    return held


def _is_lane(lane: Lane, key: str, value: TermValue) -> bool:
    if isinstance(value, NumberRange):
        [is_within] = _within(np.array([lane.index]), value)
        return bool(is_within)
    return isinstance(value, TextPattern) and is_like(lane.name, value)


def _of_row(rows: NDArray[Any], table: TaskTable, key: str, value: TermValue) -> Bools:
    if isinstance(value, NumberRange):
        name = _OF_A_ROW.get(key, key)
        column = rows[name]
        is_known: Bools = column != ABSENT
        return _within(column, value) & is_known
    if isinstance(value, BarText):
        pattern = TextPattern(_text_of(value))
        in_name = _named(rows, table, pattern)
        return in_name | _has_text(rows, value)
    if key == "kind":
        return np.isin(rows["kind"], kinds_like(value))
    in_name = _named(rows, table, value)
    if key == "name":
        return in_name
    is_kind = np.isin(rows["kind"], _kinds_from(value))
    return in_name | is_kind


def _kinds_from(pattern: TextPattern) -> list[int]:
    """Return the kinds that a plain word matches: by group, name or beginning of the name."""
    beginning = TextPattern(f"{pattern.text}*")
    return kinds_like(pattern) or kinds_like(beginning)


def _named(rows: NDArray[Any], table: TaskTable, pattern: TextPattern) -> Bools:
    """Return a mask of rows whose names contain the pattern, or match it if it is wild."""
    # Each distinct name is compared once.
    codes, which = np.unique(rows["name"], return_inverse=True)
    if not pattern.is_wild:
        pattern = TextPattern(f"*{pattern.text}*")
    matches = pattern_matcher(pattern)
    is_match = np.zeros(len(codes), np.bool_)
    for place, code in enumerate(codes.tolist()):
        if code != ABSENT:
            is_match[place] = matches(table.names[code])
    return is_match[which]


def _has_text(rows: NDArray[Any], text: BarText) -> Bools:
    """Return a mask of rows that match the text of a bar: `2F1`, `F1`, `2F` or `F`."""
    kinds = []
    for code, kind in enumerate(KINDS):
        if kind.letter.lower() == text.letters:
            kinds.append(code)
    block = rows["block"]
    has_no_block = block == ABSENT
    stage_or_block = np.where(has_no_block, rows["stage"], block)
    last_number = _last_number(rows)
    found = _has_numbers(text, stage_or_block, last_number)
    found &= np.isin(rows["kind"], kinds)
    # The bar of an overlap has the texts of both its halves.
    is_overlap = rows["kind"] == _OVERLAP
    if text.letters == "f":
        is_half = _has_numbers(text, rows["stage"], rows["microbatch"])
        found |= is_overlap & is_half
    elif text.letters == "b":
        is_half = _has_numbers(text, rows["paired_stage"], rows["paired_microbatch"])
        found |= is_overlap & is_half
    return found


def _has_numbers(text: BarText, before: NDArray[Any], after: NDArray[Any]) -> Bools:
    """Return a mask of rows with the numbers of a text before and after its letters."""
    found = np.ones(len(before), np.bool_)
    if text.before is not None:
        found &= before == text.before
    if text.after is not None:
        found &= after == text.after
    return found


def _last_number(rows: NDArray[Any]) -> NDArray[Any]:
    """Return the number after the letters of each row's bar, as `bar_label` chooses it."""
    communication = kinds_like(TextPattern("communication"))
    is_communication = np.isin(rows["kind"], communication)
    number = np.where(is_communication, rows["replica"], ABSENT)
    # In reverse order of `bar_label`, because the last number that applies wins here.
    for name in ("block", "bucket", "microbatch"):
        column = rows[name]
        number = np.where(column == ABSENT, number, column)
    return number


def _text_of(text: BarText) -> str:
    before = "" if text.before is None else str(text.before)
    after = "" if text.after is None else str(text.after)
    return f"{before}{text.letters}{after}"


def _within(numbers: NDArray[Any], value: TermValue) -> Bools:
    found = np.ones(len(numbers), np.bool_)
    if not isinstance(value, NumberRange):
        return found
    if value.least is not None:
        found &= numbers >= value.least
    if value.most is not None:
        found &= numbers <= value.most
    return found
