"""Finding spans: which of a trace's spans a query asks for, slice by slice, and their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.plan.plan import Lane
from core.plan.task import ABSENT, KINDS, Kind
from core.trace.columns import Column
from core.trace.query import (
    BarText,
    Numbers,
    Pattern,
    Query,
    Term,
    Value,
    is_like,
    kinds_like,
    matcher,
)
from core.trace.spans import Spans, TaskTable
from core.trace.trace import Trace

SLICE = 1 << 18
"""Spans that are searched at once: a few milliseconds."""
Hits = Mapping[int, NDArray[np.int64]]
"""Of lanes, the indices of the spans that were found, sorted."""

_OF_A_ROW = {"mb": "microbatch"}
_OF_A_SPAN = ("step", "duration")
_OVERLAP = KINDS.index(Kind.OVERLAP)


@dataclass(frozen=True, slots=True, order=True)
class SpanPosition:
    """Where a span stands in the order of all lanes' spans: by start (ns), lane and index."""

    start: int
    lane: int
    index: int


class Search:
    """The spans that a query asks for, found by repeated `advance`.

    What does not depend on a span's times is looked at once for each row of the task table. In a
    trace that grows, further calls find what has come since.
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
        self._found = {lane: Column(np.int64) for lane in self._lanes}
        self._held = Column(np.bool_)  # of each row that was looked at, whether it fulfils all

    @property
    def hits(self) -> dict[int, NDArray[np.int64]]:
        """What was found so far, of the lanes that have something."""
        return {lane: found.view for lane, found in self._found.items() if len(found)}

    @property
    def count(self) -> int:
        """How many spans were found so far."""
        return sum(map(len, self._found.values()))

    @property
    def searched(self) -> tuple[int, int]:
        """How many spans were looked at, and how many there are."""
        lanes = [len(self.trace.spans(lane)) for lane in self._lanes]
        return sum(self._done[lane] for lane in self._lanes), sum(lanes)

    def advance(self, most: int = SLICE) -> bool:
        """Look at up to `most` more spans; returns whether all there are have been looked at.

        Rows of the table that are new come first, up to `most` of them in a call of their own.
        """
        table, known = self.trace.table, len(self._held)
        # Of a million spans thousands are of one task: what does not depend on their times is asked
        # of each task once, and looked up by its row.
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
    """The place of a lane's span among all spans."""
    return SpanPosition(int(trace.spans(lane).start[index]), lane, index)


def rank(trace: Trace, hits: Hits, place: SpanPosition) -> int:
    """How many hits come before a place."""
    return sum(_before(trace, hits, lane, place) for lane in hits)


def next_hit(trace: Trace, hits: Hits, place: SpanPosition, by: int = 1) -> SpanPosition | None:
    """The hit behind a place (`by` 1) or before it (-1), round the ends; None if there are none."""
    near = []
    for lane, found in hits.items():
        # Going back, the hit before the place; going on, the one at it, or behind it where that is
        # the place itself.
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
    """How many of a lane's hits come before a place."""
    if lane == place.lane:
        first = place.index
    else:
        after = place.start + (lane < place.lane)  # of lanes before, what begins then counts too
        first = int(np.searchsorted(trace.spans(lane).start, after))
    return int(np.searchsorted(hits[lane], first))


def _holds(term: Term, is_so: Callable[[str, Value], Any]) -> Any:
    """Whether a term holds of something, or of each of n things, by what holds of its values."""
    held = np.logical_or.reduce([is_so(term.key, value) for value in term.values])
    return ~held if term.negated else held


def _all(
    terms: Sequence[Term], count: int, is_so: Callable[[str, Value], Any]
) -> NDArray[np.bool_]:
    """Whether all terms hold of each of `count` things."""
    held = np.ones(count, np.bool_)
    for term in terms:
        held &= _holds(term, is_so)
    return held


def _is_lane(lane: Lane, key: str, value: Value) -> bool:
    if isinstance(value, Numbers):
        return bool(_within(np.array([lane.index]), value)[0])
    return isinstance(value, Pattern) and is_like(lane.name, value)


def _of_row(rows: NDArray[Any], table: TaskTable, key: str, value: Value) -> NDArray[np.bool_]:
    if isinstance(value, Numbers):
        column = rows[_OF_A_ROW.get(key, key)]
        there: NDArray[np.bool_] = column != ABSENT
        return _within(column, value) & there
    if isinstance(value, BarText):
        return _does(rows, value) | _named(rows, table, Pattern(_text_of(value)))
    if key == "kind":
        return np.isin(rows["kind"], kinds_like(value))
    named = _named(rows, table, value)
    return named if key == "name" else named | np.isin(rows["kind"], _kinds_from(value))


def _kinds_from(pattern: Pattern) -> list[int]:
    """The kinds that a plain word means: those whose names begin with it, or a group."""
    return kinds_like(pattern) or kinds_like(Pattern(f"{pattern.text}*"))


def _named(rows: NDArray[Any], table: TaskTable, pattern: Pattern) -> NDArray[np.bool_]:
    """Rows whose name has the pattern in it, or is wholly like it if the pattern is wild."""
    # Each distinct name is compared once.
    codes, which = np.unique(rows["name"], return_inverse=True)
    whole = pattern if pattern.is_wild else Pattern(f"*{pattern.text}*")
    is_like_it = matcher(whole)
    like = [code != ABSENT and is_like_it(table.names[code]) for code in codes.tolist()]
    return np.array(like, np.bool_)[which]


def _does(rows: NDArray[Any], text: BarText) -> NDArray[np.bool_]:
    """Rows that do what a bar's words say: `2F1`, `F1`, `2F` or `F`."""
    kinds = [code for code, kind in enumerate(KINDS) if kind.letter.lower() == text.letters]
    found = np.isin(rows["kind"], kinds) & _acts_on(
        text, np.where(rows["block"] == ABSENT, rows["stage"], rows["block"]), _behind(rows)
    )
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


def _behind(rows: NDArray[Any]) -> NDArray[Any]:
    """The number behind the letters of each row's bar, as `bar_label` chooses it."""
    moves = np.isin(rows["kind"], kinds_like(Pattern("communication")))
    number = np.where(moves, rows["replica"], ABSENT)
    # From the weakest to the strongest: the last one that a task has stays, as `bar_label` takes
    # the first from the other end.
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
