"""Number of lanes that are busy at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.plan.task import KINDS, Kind
from core.trace.spans import Spans, TaskTable, blank_rows
from gui.look.families import FAMILIES, Family, family_of
from gui.look.theme import LIGHT
from gui.timeline.layout.frame import Viewport
from gui.timeline.paint.summaries import area_pixels
from gui.timeline.reduce import aggregate
from gui.timeline.reduce.aggregate import Aggregate, Lanewise
from gui.timeline.reduce.reduction import LaneColumns

VIEW = Viewport(0.0, 120.0, 40.0)

TOLD = (Kind.FORWARD, Kind.BACKWARD, Kind.COPY, Kind.OVERLAP)
LANE = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from(TOLD)), max_size=12)


def table() -> TaskTable:
    """Return a table with a row for each kind."""
    made, rows = TaskTable(), blank_rows(len(KINDS))
    rows["kind"] = np.arange(len(KINDS))
    made.add(rows, np.empty(0, np.int32))
    return made


def spans_of(pieces: list[tuple[int, int, Kind]]) -> Spans:
    """Return consecutive spans, given the time before each, its length, and its kind."""
    lengths = np.array([(before, length) for before, length, _ in pieces], np.int64).reshape(-1, 2)
    edges = np.cumsum(lengths.ravel())
    row = np.array([KINDS.index(kind) for *_, kind in pieces], np.int32)
    return Spans(table(), edges[::2], edges[1::2], np.zeros(len(row), np.int32), row)


def brute_force_shares(lanes: list[Spans], start: int, pixels: int, wide: int) -> np.ndarray:
    """Return the shares, computed nanosecond by nanosecond."""
    found = np.zeros((pixels, len(FAMILIES)))
    for spans in lanes:
        for begin, end, code in zip(spans.start, spans.end, spans["kind"], strict=True):
            for ns in range(begin, end):
                pixel = (ns - start) // wide
                if 0 <= pixel < pixels:
                    found[pixel, FAMILIES.index(family_of(KINDS[code]))] += 1
    return found / (wide * len(lanes))


@settings(deadline=None)
@given(st.lists(LANE, min_size=1, max_size=4), st.integers(-5, 40), st.integers(1, 7))
def test_shares_match_a_count_nanosecond_by_nanosecond(
    pieces: list[list[tuple[int, int, Kind]]], start: int, wide: int
) -> None:
    lanes = [spans_of(one) for one in pieces]
    made = Aggregate()
    made.update(lanes)
    shares = made.shares(Viewport(start, 20 * wide, 20))
    assert shares == pytest.approx(brute_force_shares(lanes, start, 20, wide))


@settings(deadline=None)
@given(st.lists(LANE, min_size=1, max_size=4), st.integers(-5, 40), st.integers(1, 7))
def test_lanes_reduced_one_by_one_have_the_same_shares(
    pieces: list[list[tuple[int, int, Kind]]], start: int, wide: int
) -> None:
    lanes = [spans_of(one) for one in pieces]
    columns = [LaneColumns() for _ in lanes]
    for one, spans in zip(columns, lanes, strict=True):
        one.update(spans)
    shares = Lanewise(columns).shares(Viewport(start, 20 * wide, 20))
    assert shares == pytest.approx(brute_force_shares(lanes, start, 20, wide))


def test_spans_that_arrive_while_a_run_grows_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aggregate, "TAIL", 5)
    whole = [spans_of([(1, 3, Kind.FORWARD)] * 30), spans_of([(2, 2, Kind.BACKWARD)] * 30)]
    made = Aggregate()
    for count in range(0, 31, 3):
        made.update([spans[:count] for spans in whole])
        fresh = Aggregate()
        fresh.update([spans[:count] for spans in whole])
        assert made.shares(VIEW) == pytest.approx(fresh.shares(VIEW))


def test_areas_are_stacked_and_as_high_as_their_shares() -> None:
    shares = np.zeros((3, len(FAMILIES)))
    shares[0, FAMILIES.index(Family.FORWARD)] = 0.5
    shares[1, [FAMILIES.index(f) for f in (Family.FORWARD, Family.BACKWARD)]] = 0.25, 0.75
    pixels = area_pixels(shares, LIGHT, 8)
    colours = [
        LIGHT.families[FAMILIES.index(f)][0].rgba() for f in (Family.FORWARD, Family.BACKWARD)
    ]
    assert pixels[:, 0].tolist() == [0] * 4 + [colours[0]] * 4
    assert pixels[:, 1].tolist() == [colours[1]] * 6 + [colours[0]] * 2
    assert pixels[:, 2].tolist() == [0] * 8
