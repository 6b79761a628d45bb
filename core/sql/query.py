"""Answers SQL queries over runs with DuckDB, an optional library; they can read nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from core.counts import rows_text
from core.message import Text, message
from core.sql.tables import TABLES, table_of
from core.trace.trace import Trace

MOST_ROWS = 100_000
MOST_COLUMNS = 500
MOST_IN_A_VALUE = 1_000_000
"""Limit of characters, bytes or elements of one value of an answer."""
MOST_IN_AN_ANSWER = 100_000_000
"""The same limit for all values of an answer together."""
MEMORY = "2GB"
FETCHED_AT_ONCE = 16


class SqlError(ValueError):
    """A query cannot be answered; the message is one line."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a query; `cut` says why rows are missing, "" if none are."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    cut: Text = ""


def answer(query: str, runs: Mapping[int, Trace]) -> Answer:
    """Answer a query over the TABLES of `runs`, which maps numbers to runs, in this process.

    Raises SqlError. `core.sql.query_process` also limits the query's memory, and can stop it.
    """
    check_query(query)
    return answer_from(query, tables_for(query, runs))


def check_query(query: str) -> None:
    """Raise SqlError unless the query is one statement that returns rows.

    DuckDB may take very long to parse a query, and blocks all other Python threads meanwhile.
    """
    duckdb = _duckdb()
    # Python uses surrogates for bytes of command-line arguments that are not UTF-8.
    if any("\ud800" <= letter <= "\udfff" for letter in query):
        raise SqlError(message("the query is not text: it has bytes that are not UTF-8"))
    with closing(duckdb.connect(":memory:")) as connection:
        try:
            _check([one.type.name for one in connection.extract_statements(query)])
        except duckdb.Error as error:
            raise SqlError(_line(str(error))) from error


def tables_for(query: str, runs: Mapping[int, Trace]) -> dict[str, pa.Table]:
    """Return the tables that a query names; `runs` maps numbers to runs."""
    return {name: table_of(name, runs) for name in _named(query)}


def answer_from(query: str, tables: Mapping[str, pa.Table]) -> Answer:
    """Answer a query from tables. Raises SqlError.

    The query cannot read anything else: no files, no network, no extensions.
    """
    duckdb = _duckdb()
    with closing(duckdb.connect(":memory:")) as connection:
        for name, rows in tables.items():
            connection.register("rows_of_runs", rows)
            connection.execute(f"CREATE TABLE {name} AS FROM rows_of_runs")
            connection.unregister("rows_of_runs")
        # The last setting locks them all, so that the query cannot change them.
        for setting in _LIMITS:
            connection.execute(setting)
        try:
            connection.execute(query)
            columns = tuple(str(column[0]) for column in connection.description or ())
            if len(columns) > MOST_COLUMNS:
                raise SqlError(
                    message(
                        "{columns:,} columns; use at most {most:,}",
                        columns=len(columns),
                        most=MOST_COLUMNS,
                    )
                )
            rows, cut = _rows_of(connection, columns)
        except duckdb.Error as error:
            raise SqlError(_line(str(error))) from error
    return Answer(
        columns=columns,
        rows=tuple(rows),
        cut=cut,
    )


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError as error:
        raise SqlError(message("SQL needs DuckDB: pip install 'bubblescope[sql]'")) from error
    return duckdb


def _rows_of(connection: Any, columns: Sequence[str]) -> tuple[list[tuple[object, ...]], Text]:
    """Return the rows of an answer up to the limits, and why rows are missing or ""."""
    rows: list[tuple[object, ...]] = []
    size = 0
    while columns and (fetched := connection.fetchmany(FETCHED_AT_ONCE)):
        for row in fetched:
            if len(rows) == MOST_ROWS:
                return rows, message(
                    "only the first {most:,} rows; add LIMIT or GROUP BY", most=MOST_ROWS
                )
            for name, value in zip(columns, row, strict=True):
                length = _length(value)
                if length > MOST_IN_A_VALUE:
                    raise SqlError(
                        message(
                            "a value of {name} is longer than {most:,}; use a part of "
                            "it, as in left(text, 1000)",
                            name=name,
                            most=MOST_IN_A_VALUE,
                        )
                    )
                size += length
            if size > MOST_IN_AN_ANSWER:
                return rows, message(
                    "only the first {rows}: their values are too long", rows=rows_text(len(rows))
                )
            rows.append(row)
    return rows, ""


def _length(value: object) -> int:
    """Return the number of characters, bytes and elements of a value, including nested ones."""
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, dict):
        return sum(_length(one) for one in value.values()) + len(value)
    if isinstance(value, list | tuple):
        if len(value) > MOST_IN_A_VALUE:
            return len(value)
        return sum(map(_length, value)) + len(value)
    return 1


def _check(statements: Sequence[str]) -> None:
    """Raise SqlError unless there is one statement, given by its kind, and it returns rows."""
    if not statements:
        raise SqlError(message("there is no query; use one that returns rows, such as FROM steps"))
    if len(statements) > 1:
        raise SqlError(
            message(
                "the query has {statements} statements; use one at a time",
                statements=len(statements),
            )
        )
    if statements[0] not in _QUERY_KINDS:
        raise SqlError(
            message(
                "{statements} returns no rows; use a query that does, such as FROM steps",
                statements=statements[0],
            )
        )


_QUERY_KINDS = ("SELECT", "EXPLAIN", "PRAGMA", "CALL", "MULTI")
"""Kinds of statements that return rows, by DuckDB's names; PIVOT is a MULTI."""
_LIMITS = (
    # Limits only DuckDB's buffers, and not the texts of a running query.
    f"SET memory_limit = '{MEMORY}'",
    "SET threads = 2",
    # Otherwise DuckDB would look up unknown tables among the variables of our functions.
    "SET python_enable_replacements = false",
    # Even without external access DuckDB uses a folder for data that does not fit in memory, by
    # default `.tmp` in the current folder, which may be a link to anywhere.
    "SET temp_directory = ''",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)
"""Settings that restrict a query to its tables; the last one makes them final."""
_CATALOGUES = r"\b(show|information_schema|sqlite_master|duckdb_(tables|columns))\b"


def _named(query: str) -> list[str]:
    """Return the names of the tables that a query uses."""
    # Only tables that are named are built, because some take long (`idle` explains every step).
    # A query of DuckDB's catalogue needs all of them, although it may name none.
    if re.search(_CATALOGUES, query, re.IGNORECASE):
        return list(TABLES)
    return [name for name in TABLES if re.search(rf"\b{name}\b", query, re.IGNORECASE)]


def _line(text: str) -> Text:
    """Return DuckDB's message as one line, without the excerpt of the query."""
    if "pytz" in text:  # DuckDB needs this library to convert such times
        return message(
            "times with a time zone are not supported: cast them, as in now()::TIMESTAMP"
        )
    said, _, rest = text.partition("\n")
    where = re.search(r"^LINE (\d+)", rest, re.MULTILINE)
    tables = ", ".join(TABLES)
    if where is None or where[1] == "1":
        return message("{error}; tables are {tables}", error=said.strip(), tables=tables)
    return message(
        "{error} (line {line}); tables are {tables}",
        error=said.strip(),
        line=where[1],
        tables=tables,
    )
