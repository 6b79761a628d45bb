"""Search for the spans that match a query, slice by slice, and navigation among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.plan.plan import Lane
from core.plan.task import ABSENT, KINDS, Kind
from core.trace.columns import GrowingArray
from core.trace.query import (
    BarText,
    Numbers,
    Query,
    Term,
    TextPattern,
    Value,
    is_like,
    kinds_like,
    pattern_matcher,
)
from core.trace.spans import Spans, TaskTable
from core.trace.trace import Trace

SLICE = 1 << 18
"""Spans that are searched at once, in a few milliseconds."""
Hits = Mapping[int, NDArray[np.int64]]
"""Sorted indices of the spans that were found, by lane."""

_OF_A_ROW = {"mb": "microbatch"}
_OF_A_SPAN = ("step", "duration")
_OVERLAP = KINDS.index(Kind.OVERLAP)


@dataclass(frozen=True, slots=True, order=True)
class SpanPosition:
    """Sort key of a span among those of all lanes: start (ns), lane and index."""

    start: int
    lane: int
    index: int


class Search:
    """An incremental search for the spans that match a query: call `advance` repeatedly.

    Conditions that do not depend on a span's times are evaluated once for each row of the task
    table. In a growing trace further calls find new spans.
    """

    def __init__(self, trace: Trace, query: Query) -> None:
        self.trace, self.query = trace, query
        self._of_rows = [term for term in query.terms if term.key not in ("lane", *_OF_A_SPAN)]
        self._of_spans = [term for term in query.terms if term.key in _OF_A_SPAN]
        lanes = [term for term in query.terms if term.key == "lane"]
        self._lanes = [
            lane.index
            for lane in trace.header.lanes
            if all(_holds(term, partial(_is_lane, lane)) for term in lanes)
        ]
        self._done = {lane.index: 0 for lane in trace.header.lanes}
        self._found = {lane: GrowingArray(np.int64) for lane in self._lanes}
        self._held = GrowingArray(
            np.bool_
        )  # for each evaluated row, True if it fulfils all conditions

    @property
    def hits(self) -> dict[int, NDArray[np.int64]]:
        """Spans found so far, for the lanes that have any."""
        return {lane: found.view for lane, found in self._found.items() if len(found)}

    @property
    def count(self) -> int:
        """Number of spans found so far."""
        return sum(map(len, self._found.values()))

    @property
    def searched(self) -> tuple[int, int]:
        """Numbers of spans that were searched and of all spans."""
        lanes = [len(self.trace.spans(lane)) for lane in self._lanes]
        return sum(self._done[lane] for lane in self._lanes), sum(lanes)

    def advance(self, most: int = SLICE) -> bool:
        """Search up to `most` more spans; returns True if all have been searched.

        New rows of the table are evaluated first, up to `most` of them, in separate calls.
        """
        table, known = self.trace.table, len(self._held)
        rows = table.rows[known : known + most]
        self._held.extend(
            _all(self._of_rows, len(rows), lambda key, value: _of_row(rows, table, key, value))
        )
        if len(self._held) < len(table):
            return False
        for lane in self._lanes:
            spans, done = self.trace.spans(lane), self._done[lane]
            part = spans[done : done + most]
            if len(part):
                self._found[lane].extend(np.flatnonzero(self._among(part)) + done)
                self._done[lane] = done + len(part)
                most -= len(part)
            if self._done[lane] < len(spans):
                return False
        return True

    def _among(self, spans: Spans) -> NDArray[np.bool_]:
        numbers = {"step": spans.step, "duration": spans.end - spans.start}
        found = _all(self._of_spans, len(spans), lambda key, value: _within(numbers[key], value))
        found &= self._held.view[spans.row]
        return found


def position_of(trace: Trace, lane: int, index: int) -> SpanPosition:
    """Return the sort key of a lane's span."""
    return SpanPosition(int(trace.spans(lane).start[index]), lane, index)


def rank(trace: Trace, hits: Hits, place: SpanPosition) -> int:
    """Return the number of hits before a position."""
    return sum(_before(trace, hits, lane, place) for lane in hits)


def next_hit(trace: Trace, hits: Hits, place: SpanPosition, by: int = 1) -> SpanPosition | None:
    """Return the hit after a position (`by` 1) or before it (-1), wrapping around; else None."""
    near = []
    for lane, found in hits.items():
        # Backwards: the last hit before the position. Forwards: the first hit at or after it, but
        # not the position itself.
        at = _before(trace, hits, lane, place) + min(by, 0)
        if by > 0 and lane == place.lane and at < len(found):
            at += found[at] == place.index
        if 0 <= at < len(found):
            near.append(position_of(trace, lane, int(found[at])))
    if not near:
        ends = ((lane, found[0 if by > 0 else -1]) for lane, found in hits.items() if len(found))
        near = [position_of(trace, lane, int(index)) for lane, index in ends]
    return (min if by > 0 else max)(near, default=None)


def _before(trace: Trace, hits: Hits, lane: int, place: SpanPosition) -> int:
    """Return the number of a lane's hits before a position."""
    if lane == place.lane:
        first = place.index
    else:
        after = place.start + (lane < place.lane)  # at equal starts lower lanes are before
        first = int(np.searchsorted(trace.spans(lane).start, after))
    return int(np.searchsorted(hits[lane], first))


def _holds(term: Term, is_so: Callable[[str, Value], Any]) -> Any:
    """Return True if a term holds, or a mask for n items, given a test of its values."""
    held = np.logical_or.reduce([is_so(term.key, value) for value in term.values])
    return ~held if term.negated else held


def _all(
    terms: Sequence[Term], count: int, is_so: Callable[[str, Value], Any]
) -> NDArray[np.bool_]:
    """Return a mask of shape (count,): items for which all terms hold."""
    held = np.ones(count, np.bool_)
    for term in terms:
        held &= _holds(term, is_so)
    return held


def _is_lane(lane: Lane, key: str, value: Value) -> bool:
    if isinstance(value, Numbers):
        return bool(_within(np.array([lane.index]), value)[0])
    return isinstance(value, TextPattern) and is_like(lane.name, value)


def _of_row(rows: NDArray[Any], table: TaskTable, key: str, value: Value) -> NDArray[np.bool_]:
    if isinstance(value, Numbers):
        column = rows[_OF_A_ROW.get(key, key)]
        there: NDArray[np.bool_] = column != ABSENT
        return _within(column, value) & there
    if isinstance(value, BarText):
        return _does(rows, value) | _named(rows, table, TextPattern(_text_of(value)))
    if key == "kind":
        return np.isin(rows["kind"], kinds_like(value))
    named = _named(rows, table, value)
    return named if key == "name" else named | np.isin(rows["kind"], _kinds_from(value))


def _kinds_from(pattern: TextPattern) -> list[int]:
    """Return the kinds that a plain word matches: by group, name or beginning of the name."""
    return kinds_like(pattern) or kinds_like(TextPattern(f"{pattern.text}*"))


def _named(rows: NDArray[Any], table: TaskTable, pattern: TextPattern) -> NDArray[np.bool_]:
    """Return a mask of rows whose names contain the pattern, or match it if it is wild."""
    # Each distinct name is compared once.
    codes, which = np.unique(rows["name"], return_inverse=True)
    whole = pattern if pattern.is_wild else TextPattern(f"*{pattern.text}*")
    is_like_it = pattern_matcher(whole)
    like = [code != ABSENT and is_like_it(table.names[code]) for code in codes.tolist()]
    return np.array(like, np.bool_)[which]


def _does(rows: NDArray[Any], text: BarText) -> NDArray[np.bool_]:
    """Return a mask of rows that match the text of a bar: `2F1`, `F1`, `2F` or `F`."""
    kinds = [code for code, kind in enumerate(KINDS) if kind.letter.lower() == text.letters]
    stage_or_block = np.where(rows["block"] == ABSENT, rows["stage"], rows["block"])
    found = np.isin(rows["kind"], kinds) & _acts_on(text, stage_or_block, _last_number(rows))
    for letters, half in (("f", ""), ("b", "paired_")):
        if text.letters == letters:
            mine = _acts_on(text, rows[f"{half}stage"], rows[f"{half}microbatch"])
            found |= (rows["kind"] == _OVERLAP) & mine
    return found


def _acts_on(text: BarText, before: NDArray[Any], behind: NDArray[Any]) -> NDArray[np.bool_]:
    found = np.ones(len(before), np.bool_)
    if text.before is not None:
        found &= before == text.before
    if text.behind is not None:
        found &= behind == text.behind
    return found


def _last_number(rows: NDArray[Any]) -> NDArray[Any]:
    """Return the number after the letters of each row's bar, as `bar_label` chooses it."""
    moves = np.isin(rows["kind"], kinds_like(TextPattern("communication")))
    number = np.where(moves, rows["replica"], ABSENT)
    # In reverse order of `bar_label`, because the last number that applies wins here.
    for name in ("block", "bucket", "microbatch"):
        number = np.where(rows[name] == ABSENT, number, rows[name])
    return number


def _text_of(text: BarText) -> str:
    before, behind = ("" if n is None else str(n) for n in (text.before, text.behind))
    return f"{before}{text.letters}{behind}"


def _within(numbers: NDArray[Any], value: Value) -> NDArray[np.bool_]:
    found = np.ones(len(numbers), np.bool_)
    if isinstance(value, Numbers) and value.least is not None:
        found &= numbers >= value.least
    if isinstance(value, Numbers) and value.most is not None:
        found &= numbers <= value.most
    return found
