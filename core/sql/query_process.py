"""Runs a query in a separate process with a memory limit, where it can be stopped.

DuckDB's own limit does not include the texts and lists that a running query creates, and the
conversion of a long list to Python objects cannot be interrupted. The system's limit for a process
covers both.
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from core.message import message
from core.process.worker import Worker
from core.sql.query import Answer, SqlError, answer_from, check_query, tables_for
from core.trace.trace import Trace

MEMORY = 2 << 30
"""Bytes that a query may use in addition to the process and the tables."""
TOO_MUCH = message(
    "the query needs more than {memory} GB; add WHERE, LIMIT or GROUP BY", memory=MEMORY >> 30
)
STOPPED = message("the query was stopped")


def answer_in_process(
    query: str, runs: Mapping[int, Trace], begun: Callable[[Callable[[], None]], None] | None = None
) -> Answer:
    """Answer a query over the tables of `runs`, which maps numbers to runs.

    `begun` is called with a function that stops the query, also from another thread; it may raise
    SqlError. Raises SqlError in one line, and OSError if no process can start.
    """
    with TemporaryDirectory(prefix="bubblescope-sql-") as folder, closing(Worker()) as worker:
        stopped = []

        def stop() -> None:
            stopped.append(True)
            worker.terminate()

        if begun is not None:
            begun(stop)
        try:
            # The parser cannot be interrupted either, so it runs in the worker too.
            worker.submit(check_query, query).result()
            for name, table in tables_for(query, runs).items():
                path = str(Path(folder) / name)
                with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
                    writer.write_table(table)
            return worker.submit(_answer_files, query, folder).result()
        except BrokenExecutor as error:
            # DuckDB aborts if memory runs out while it reports another error.
            raise SqlError(STOPPED if stopped else TOO_MUCH) from error
        except MemoryError as error:
            raise SqlError(TOO_MUCH) from error


def _answer_files(query: str, folder: str) -> Answer:
    """Answer a query from the tables in a folder; runs in the worker."""
    files = sorted(Path(folder).iterdir())
    tables: dict[str, pa.Table] = {}
    for file in files:
        mapped = pa.memory_map(str(file))
        tables[file.name] = pa.ipc.open_file(mapped).read_all()
    table_bytes = sum(table.nbytes for table in tables.values())
    _limit_memory(MEMORY + table_bytes)  # DuckDB copies the tables
    return answer_from(query, tables)


def _limit_memory(more: int) -> None:
    """Limit the memory of this process to its current size plus `more` bytes."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:  # not on Linux, where DuckDB's own limit remains
        return
    most = pages * resource.getpagesize() + more
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    # A process may not exceed a limit that it was given, such as one of `ulimit -v`.
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
