"""Reads tables of a database of SQLite, without running anything that the database defines."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from core.message import message
from core.reading import open_regular
from core.recording.importers.imported_events import MOST_NAME_LENGTH
from core.recording.index import Progress, report_progress
from core.recording.limits import TOO_MANY_CHARACTERS, TOO_MANY_TEXTS, TooMuch, check_count

MOST_CHARACTERS = 1 << 28
"""Largest number of characters of all names; a small file may repeat one name in many rows."""
WORK_BETWEEN = 100_000
"""Number of instructions of SQLite's virtual machine between two reports of progress."""
FREE_WORK = 20_000_000
"""Number of instructions that reading a file of any size may take."""
WORK_PER_BYTE = 10
"""Additional instructions allowed for each byte of the file; reading needs 2 or 3."""


@contextmanager
def open_database(path: Path, progress: Progress | None = None) -> Iterator[sqlite3.Connection]:
    """Open a database; its views, functions and triggers are never run.

    Reading is stopped after more work than tables of a file of this size need, because pages may
    refer to each other in a cycle. Raises TooMuch in this case, OSError or sqlite3.Error if the
    database cannot be read, and Cancelled if `progress` returns False.
    """
    open_regular(path).close()
    # Immutable: SQLite takes no lock and creates no file next to it; the disk may be read-only.
    uri = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
    most_work = FREE_WORK + WORK_PER_BYTE * path.stat().st_size
    stopped: list[BaseException] = []
    work = 0

    def should_stop() -> bool:
        nonlocal work
        work += WORK_BETWEEN
        try:
            if work > most_work:
                raise TooMuch(
                    message("its tables refer to more rows than a file of its size can have")
                )
            report_progress(progress, min(work, most_work), most_work)
        except BaseException as error:  # SQLite would drop it; Ctrl+C is raised here too
            stopped.append(error)
        return bool(stopped)

    with closing(sqlite3.connect(uri, uri=True)) as database:
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("PRAGMA cell_size_check = ON")
        database.set_authorizer(_authorize)
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_NAME_LENGTH)
        database.set_progress_handler(should_stop, WORK_BETWEEN)
        try:
            _read_schema(database)
            yield database
        except sqlite3.Error as error:
            if stopped:
                raise stopped[0] from error
            raise


def _read_schema(database: sqlite3.Connection) -> None:
    """Read the definitions of the tables. Raises ValueError if they are damaged."""
    try:
        database.execute("SELECT name FROM sqlite_master").fetchone()
        return
    except MemoryError:  # SQLite reports this for a damaged schema
        pass
    raise ValueError(message("the description of its tables is damaged"))


def _authorize(
    action: int, argument: str | None, _: str | None, __: str | None, view: str | None
) -> int:
    """Allow reading columns of tables; deny views, functions and recursive queries of the file."""
    is_reading = action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)
    is_describing = action == sqlite3.SQLITE_PRAGMA and argument == "table_info"
    if view is None and (is_reading or is_describing):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def stored_columns(database: sqlite3.Connection, table: str) -> list[str]:
    """Return the stored columns of a table; [] if it does not exist or is a view.

    Virtual tables, which have no page in the file, and generated columns are left out, because both
    are computed.
    """
    is_stored = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND rootpage > 0"
    if database.execute(is_stored, (table,)).fetchone() is None:
        return []
    return [row[1] for row in database.execute(f"PRAGMA table_info({table})")]


def read_strings(database: sqlite3.Connection, most: int) -> dict[object, str]:
    """Return the texts of the table StringIds by their ids. Raises TooMuch for too many."""
    strings: dict[object, str] = {}
    characters = 0
    if not {"id", "value"} <= set(stored_columns(database, "StringIds")):
        return strings
    for number, text in database.execute("SELECT id, value FROM StringIds"):
        if isinstance(number, int) and isinstance(text, str):
            strings.setdefault(number, text)
            characters += len(text)
            check_count(strings, most, TOO_MANY_TEXTS)
            check_count(characters, MOST_CHARACTERS, TOO_MANY_CHARACTERS)
    return strings
