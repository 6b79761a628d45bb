"""Export of a recording's spans as a table: the options and the writer."""

from __future__ import annotations

import argparse

from core.errors import PlanError
from core.recording.exporters.span_files import SUFFIXES, write_spans
from core.trace.listing import COLUMNS, Listing
from core.trace.query import Query, parse_query
from core.trace.search import Search
from core.trace.trace import Trace

TABLE = ("where", "sort")
"""Names of the options that select and sort the rows of a table."""


def add_table(parser: argparse.ArgumentParser) -> None:
    """Add the options of a table of spans."""
    add = parser.add_argument
    add("--table", metavar="FILE", help="table with a row for each span, *.csv or *.parquet")
    meaning = "only matching spans: --where='kind:forward mb:2-5 >5ms'"
    add("--where", metavar="QUERY", default="", help=meaning)
    # The help shows `=`, because `-duration` after a blank would be taken for an option.
    meaning = f"{', '.join(COLUMNS)}; largest first: --sort=-duration"
    add("--sort", metavar="COLUMN", help=meaning)


def table_query(arguments: argparse.Namespace) -> Query:
    """Return the query of the table's options. Raises PlanError or SearchError in one line."""
    if arguments.table is None:
        return Query()
    if not arguments.table.lower().endswith(SUFFIXES) and not arguments.table.startswith("/dev/"):
        raise PlanError(
            f"--table {arguments.table}: use a name that ends in {' or '.join(SUFFIXES)}"
        )
    if arguments.sort is not None and arguments.sort.removeprefix("-") not in COLUMNS:
        raise PlanError(f"--sort {arguments.sort}: use one of {', '.join(COLUMNS)}")
    return parse_query(arguments.where)


def write_table(trace: Trace, arguments: argparse.Namespace, query: Query) -> None:
    """Write the spans of a trace that match the query. Raises OSError in one line."""
    listing = Listing.of(trace)
    if query.terms:
        search = Search(trace, query)
        # The search advances in parts, because the window draws between them.
        while not search.advance():
            pass
        listing = Listing.of(trace, search.hits)
    if arguments.sort is not None:
        column = arguments.sort
        listing = listing.sorted_by(column.removeprefix("-"), column.startswith("-"))
    for _ in write_spans(listing, arguments.table):
        pass
