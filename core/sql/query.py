"""Questions about runs in SQL. DuckDB answers them, an optional library; they read nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from core.sql.tables import TABLES, table_of
from core.trace.trace import Trace

MOST_ROWS = 100_000  # of an answer
MEMORY = "2GB"


class Interruptible(Protocol):
    """A connection whose query can be ended from another thread."""

    def interrupt(self) -> None:
        """End it."""


class QueryError(ValueError):
    """A query that cannot be answered; the message is one line."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows that a query found; `cut` says that there were more than MOST_ROWS."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    cut: bool = False


def answer(
    query: str, runs: Mapping[int, Trace], begun: Callable[[Callable[[], None]], None] | None = None
) -> Answer:
    """What a query finds in the TABLES of runs, by their numbers.

    It can read nothing but these: no files, no network, no extensions. `begun` is handed what
    interrupts the query from another thread, and may itself raise QueryError. Raises QueryError.
    """
    # Python has such halves for bytes of an argument that are not UTF-8; DuckDB takes none.
    if any("\ud800" <= letter <= "\udfff" for letter in query):
        raise QueryError("the query is not text: it has bytes that are not UTF-8")
    try:
        import duckdb
    except ImportError as error:
        raise QueryError("SQL needs DuckDB: pip install 'bubblescope[sql]'") from error
    with closing(duckdb.connect(":memory:")) as connection:
        try:
            _check([one.type.name for one in connection.extract_statements(query)])
        except duckdb.Error as error:
            raise QueryError(_line(str(error))) from error
        for name in _named(query):
            connection.register("rows_of_runs", table_of(name, runs))
            connection.execute(f"CREATE TABLE {name} AS FROM rows_of_runs")
            connection.unregister("rows_of_runs")
        # Before the query, which cannot undo them: the last one locks them all.
        for setting in _LIMITS:
            connection.execute(setting)
        if begun is not None:
            begun(partial(_interrupt, connection))
        try:
            connection.execute(query)
            columns = tuple(str(column[0]) for column in connection.description or ())
            # One more than is shown tells whether something was cut.
            rows = connection.fetchmany(MOST_ROWS + 1) if columns else []
        except duckdb.Error as error:
            raise QueryError(_line(str(error))) from error
    return Answer(columns, tuple(rows[:MOST_ROWS]), len(rows) > MOST_ROWS)


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
    f"SET memory_limit = '{MEMORY}'",
    "SET threads = 2",
    # Else a name that is no table would be looked up among the variables of our own functions.
    "SET python_enable_replacements = false",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)
"""What keeps a query to its tables; the last makes that final."""


def _interrupt(connection: Interruptible) -> None:
    with suppress(Exception):  # it may be closed by now, which is as well
        connection.interrupt()


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
