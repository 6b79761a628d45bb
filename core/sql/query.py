"""Questions about runs in SQL. DuckDB answers them, an optional library; they read nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from core.sql.tables import TABLES, table_of
from core.trace.trace import Trace

MOST_ROWS = 100_000
MOST_COLUMNS = 500
MOST_IN_A_VALUE = 1_000_000
"""Characters, bytes or elements of one value of an answer."""
MOST_IN_AN_ANSWER = 100_000_000
"""The same of all its values together."""
MEMORY = "2GB"
FETCHED_AT_ONCE = 16


class QueryError(ValueError):
    """A query that cannot be answered; the message is one line."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows that a query found; `cut` is why there are no more of them, "" if these are all."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    cut: str = ""


def answer(query: str, runs: Mapping[int, Trace]) -> Answer:
    """Return what a query finds in the TABLES of runs, by their numbers, within this process.

    Raises QueryError. `core.sql.apart` bounds the query's memory too, and can stop it.
    """
    return answer_from(query, tables_for(query, runs))


def tables_for(query: str, runs: Mapping[int, Trace]) -> dict[str, pa.Table]:
    """Return the tables that a query names, over runs by their numbers.

    Raises QueryError if the query is not one that gives rows.
    """
    duckdb = _duckdb()
    # Python has such halves for bytes of an argument that are not UTF-8; DuckDB takes none.
    if any("\ud800" <= letter <= "\udfff" for letter in query):
        raise QueryError("the query is not text: it has bytes that are not UTF-8")
    with closing(duckdb.connect(":memory:")) as connection:
        try:
            _check([one.type.name for one in connection.extract_statements(query)])
        except duckdb.Error as error:
            raise QueryError(_line(str(error))) from error
    return {name: table_of(name, runs) for name in _named(query)}


def answer_from(query: str, tables: Mapping[str, pa.Table]) -> Answer:
    """Return what a query finds in tables.

    It can read nothing but these: no files, no network, no extensions. Raises QueryError.
    """
    duckdb = _duckdb()
    with closing(duckdb.connect(":memory:")) as connection:
        for name, rows in tables.items():
            connection.register("rows_of_runs", rows)
            connection.execute(f"CREATE TABLE {name} AS FROM rows_of_runs")
            connection.unregister("rows_of_runs")
        # Before the query, which cannot undo them: the last one locks them all.
        for setting in _LIMITS:
            connection.execute(setting)
        try:
            connection.execute(query)
            columns = tuple(str(column[0]) for column in connection.description or ())
            if len(columns) > MOST_COLUMNS:
                raise QueryError(f"{len(columns):,} columns; use at most {MOST_COLUMNS:,}")
            rows, cut = _rows_of(connection, columns)
        except duckdb.Error as error:
            raise QueryError(_line(str(error))) from error
    return Answer(columns, tuple(rows), cut)


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError as error:
        raise QueryError("SQL needs DuckDB: pip install 'bubblescope[sql]'") from error
    return duckdb


def _rows_of(connection: Any, columns: Sequence[str]) -> tuple[list[tuple[object, ...]], str]:
    """Fetch the rows of an answer up to its limits, and say why there are no more."""
    rows: list[tuple[object, ...]] = []
    size = 0
    while columns and (fetched := connection.fetchmany(FETCHED_AT_ONCE)):
        for row in fetched:
            if len(rows) == MOST_ROWS:
                return rows, f"only the first {MOST_ROWS:,} rows; add LIMIT or GROUP BY"
            for name, value in zip(columns, row, strict=True):
                length = _length(value)
                if length > MOST_IN_A_VALUE:
                    raise QueryError(
                        f"a value of {name} is longer than {MOST_IN_A_VALUE:,}; "
                        "use a part of it, as in left(text, 1000)"
                    )
                size += length
            if size > MOST_IN_AN_ANSWER:
                return rows, f"only the first {len(rows):,} rows: their values are too long"
            rows.append(row)
    return rows, ""


def _length(value: object) -> int:
    """Return how many characters, bytes and elements a value has, with all that is within it."""
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
    """Raise QueryError, given the kinds of a query's statements, unless it is one for rows."""
    if not statements:
        raise QueryError("there is no query; use one that gives rows, such as FROM steps")
    if len(statements) > 1:
        raise QueryError(f"the query has {len(statements)} statements; use one at a time")
    if statements[0] not in _ASKING:
        raise QueryError(
            f"{statements[0]} gives no rows; use a query that does, such as FROM steps"
        )


_ASKING = ("SELECT", "EXPLAIN", "PRAGMA", "CALL", "MULTI")
"""Kinds of statements that give rows, by DuckDB's names; PIVOT is one of its MULTI."""
_LIMITS = (
    f"SET memory_limit = '{MEMORY}'",  # of its own buffers; texts of a running query do not count
    "SET threads = 2",
    # Else a name that is no table would be looked up among the variables of our own functions.
    "SET python_enable_replacements = false",
    # Without external access DuckDB still reads and writes in the folder for what does not fit in
    # memory, by default `.tmp` in the current one, which may be a link to any other. It has none.
    "SET temp_directory = ''",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)
"""What keeps a query to its tables; the last makes that final."""


_CATALOGUES = r"\b(show|information_schema|sqlite_master|duckdb_(tables|columns))\b"


def _named(query: str) -> list[str]:
    """The tables that a query is about: all where it asks which there are."""
    # Only named tables are made, for some take long (`idle` explains every step); a query of the
    # catalogue names none, and is to see all.
    if re.search(_CATALOGUES, query, re.IGNORECASE):
        return list(TABLES)
    return [name for name in TABLES if re.search(rf"\b{name}\b", query, re.IGNORECASE)]


def _line(text: str) -> str:
    """DuckDB's message in one line, without the picture of the place."""
    if "pytz" in text:  # a library that DuckDB would hand such times over with
        return "times with a time zone cannot be told here: cast them, as in now()::TIMESTAMP"
    said, _, rest = text.partition("\n")
    where = re.search(r"^LINE (\d+)", rest, re.MULTILINE)
    line = f" (line {where[1]})" if where and where[1] != "1" else ""
    return f"{said.strip()}{line}; tables are {', '.join(TABLES)}"
