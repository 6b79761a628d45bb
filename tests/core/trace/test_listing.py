"""Rows of a table of spans, in any order, and their way into a CSV file."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.recording.exporters.span_files import SCHEMA, write_spans
from core.trace.listing import COLUMNS, Listing
from core.trace.query import parse_query
from core.trace.search import Search
from tests.core.trace.invented import named, pipeline, random

LEAST = -1


def rows_of(listing):
    lanes, index = listing.places(0, len(listing))
    return [
        listing.trace.span(*place) for place in zip(lanes.tolist(), index.tolist(), strict=True)
    ]


def chosen(trace, text):
    search = Search(trace, parse_query(text))
    search.advance()
    return Listing.of(trace, search.hits)


def told(span, column):
    value = span.end - span.start if column == "duration" else getattr(span, column)
    return LEAST if value is None else value


def test_all_spans_stand_lane_by_lane():
    listing = Listing.of(pipeline())
    assert rows_of(listing) == list(pipeline())
    assert len(listing) == pipeline().span_count


@given(st.integers(0, 80), st.integers(0, 80))
def test_any_stretch_of_rows_is_that_part_of_all(first, count):
    for listing in (Listing.of(pipeline()), chosen(pipeline(), "mb:1").sorted_by("duration")):
        lanes, index = listing.places(first, first + count)
        expected = [(s.lane, s.index) for s in rows_of(listing)[first : first + count]]
        assert list(zip(lanes.tolist(), index.tolist(), strict=True)) == expected


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("text", ["", "kind:forward|copy|other >0.1ms"])
def test_rows_sort_by_any_column_and_keep_their_order_where_they_are_alike(
    column, text, descending
):
    for trace in (pipeline(), named()):
        listing = chosen(trace, text) if text else Listing.of(trace)
        before = rows_of(listing)
        after = rows_of(listing.sorted_by(column, descending))
        assert after == sorted(before, key=lambda s: told(s, column), reverse=descending)


def test_a_column_that_is_not_there_is_refused():
    with pytest.raises(KeyError):
        Listing.of(pipeline()).sorted_by("colour")


@given(st.lists(st.integers(0, 9), min_size=1, max_size=4), st.integers(0, 99), st.booleans())
def test_every_span_knows_its_row_and_what_is_left_out_has_none(counts, seed, ordered):
    trace = random(counts, seed)
    listing = chosen(trace, "mb:0-1")
    listing = listing.sorted_by("start", True) if ordered else listing
    places = [(span.lane, span.index) for span in rows_of(listing)]
    for span in trace:
        place = (span.lane, span.index)
        row = listing.row_of(*place)
        assert row == (places.index(place) if place in places else None)


def test_a_listing_grows_at_the_ends_of_its_lanes():
    listing = Listing.of(pipeline())
    fewer = Listing(pipeline(), tuple(max(0, count - 2) for count in listing.counts))
    for lane, count in enumerate(listing.counts):
        fewer = fewer.grown(lane, count)
    assert rows_of(fewer) == rows_of(listing)


@pytest.mark.parametrize("text", ["", "mb:1-2", "kind:other"])
@pytest.mark.parametrize("column", [None, "duration"])
def test_a_csv_file_has_a_line_for_each_row(tmp_path, monkeypatch, column, text):
    monkeypatch.setattr("core.recording.exporters.span_files.SPANS_AT_ONCE", 7)
    trace = named()
    listing = chosen(trace, text) if text else Listing.of(trace)
    listing = listing if column is None else listing.sorted_by(column, True)
    path = tmp_path / "spans.csv"
    written = list(write_spans(listing, path))
    assert written == [*range(7, len(listing), 7), len(listing)]
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert list(lines[0]) == SCHEMA.names
    for line, span in zip(lines, rows_of(listing), strict=True):
        assert line["lane"] == trace.header.lanes[span.lane].name
        assert line["kind"] == span.kind
        assert line["name"] == span.name
        for name in ("step", "task", "rows", "bytes"):
            assert int(line[name]) == getattr(span, name)
        for name in ("stage", "replica", "microbatch", "block", "bucket"):
            assert line[name] == ("" if getattr(span, name) is None else str(getattr(span, name)))
        assert int(line["start_ns"]) == span.start
        assert int(line["end_ns"]) - int(line["start_ns"]) == int(line["duration_ns"])


def test_a_table_of_no_spans_is_its_head(tmp_path):
    path = tmp_path / "none.csv"
    assert list(write_spans(chosen(pipeline(), "mb:99"), path)) == []
    assert path.read_text().replace('"', "").strip() == ",".join(SCHEMA.names)


def test_a_csv_file_that_is_given_up_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setattr("core.recording.exporters.span_files.SPANS_AT_ONCE", 5)
    writing = write_spans(Listing.of(pipeline()), tmp_path / "spans.csv")
    assert next(writing) == 5
    writing.close()
    assert list(tmp_path.iterdir()) == []


def test_where_no_file_can_be_made_one_line_names_it(tmp_path):
    path = tmp_path / "missing" / "spans.csv"
    with pytest.raises(OSError, match=r"spans\.csv cannot be written"):
        list(write_spans(Listing.of(pipeline()), path))


def test_names_with_commas_and_quotes_come_back(tmp_path):
    trace = random([3], 1)
    trace.table.rows["name"][:] = trace.table.names.place('a "b", c\nd')
    path = tmp_path / "spans.csv"
    list(write_spans(Listing.of(trace), path))
    with path.open(newline="") as file:
        assert {line["name"] for line in csv.DictReader(file)} == {'a "b", c\nd'}
    assert np.all(trace.table.rows["name"] == 0)
