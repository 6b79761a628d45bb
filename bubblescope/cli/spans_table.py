"""The options that write a recording's spans as a table, and the table."""

from __future__ import annotations

import argparse

from core.errors import PlanError
from core.recording.exporters.span_files import SUFFIXES, write_spans
from core.trace.listing import COLUMNS, Listing
from core.trace.query import Query, parse_query
from core.trace.search import Search
from core.trace.trace import Trace

TABLE = ("where", "sort")
"""The names of the options that say what a table has."""


def add_table(parser: argparse.ArgumentParser) -> None:
    """Add the options of a table of spans."""
    add = parser.add_argument
    add("--table", metavar="FILE", help="all spans, a row each: *.csv or *.parquet")
    meaning = "only some of them: --where='kind:forward mb:2-5 >5ms'"
    add("--where", metavar="QUERY", default="", help=meaning)
    # Help shows it with `=`: behind a blank, `-duration` would pass for an option.
    add("--sort", metavar="COLUMN", help=f"{', '.join(COLUMNS)}; largest first: --sort=-duration")


def table_query(arguments: argparse.Namespace) -> Query:
    """What the options of a table ask for. Raises PlanError or SearchError in one line."""
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
    """Write the spans of a trace that the query asks for. Raises OSError in one line."""
    listing = Listing.of(trace)
    if query.terms:
        search = Search(trace, query)
        # In parts for the window's sake, which draws between them.
        while not search.advance():
            pass
        listing = Listing.of(trace, search.hits)
    if arguments.sort is not None:
        column = arguments.sort
        listing = listing.sorted_by(column.removeprefix("-"), column.startswith("-"))
    for _ in write_spans(listing, arguments.table):
        pass
