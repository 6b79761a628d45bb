"""Nsight's exports with other columns, types and values, with views, and with pages mixed up."""

from __future__ import annotations

import sqlite3
import struct
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.bombs import File

THREAD = (1 << 56) | (77 << 24) | 123
VALUES: tuple[Any, ...] = (
    None,
    0,
    1,
    -1,
    2**31,
    2**61,
    2**61 - 1,
    2**62,
    2**63 - 1,
    -(2**63),
    0.5,
    float("inf"),
    1e300,
    "",
    "x",
    "12",
    "-1",
    "step 1",
    "x" * 5000,
    "\0",
    b"",
    b"\xff\xfe",
    b"x" * 5000,
    THREAD,
    THREAD + 1,
)
COLUMNS = {
    "CUPTI_ACTIVITY_KIND_KERNEL": (
        "start",
        "end",
        "deviceId",
        "streamId",
        "correlationId",
        "globalPid",
        "demangledName",
        "shortName",
    ),
    "CUPTI_ACTIVITY_KIND_MEMCPY": (
        "start",
        "end",
        "deviceId",
        "streamId",
        "correlationId",
        "globalPid",
        "bytes",
    ),
    "CUPTI_ACTIVITY_KIND_MEMSET": ("start", "end", "deviceId", "streamId", "globalPid"),
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": (
        "start",
        "end",
        "deviceId",
        "streamId",
        "correlationId",
        "globalPid",
        "graphExecId",
    ),
    "CUPTI_ACTIVITY_KIND_RUNTIME": ("start", "end", "globalTid", "correlationId", "nameId"),
    "NVTX_EVENTS": ("start", "end", "text", "textId", "globalTid"),
    "StringIds": ("id", "value"),
}
TYPES = ("INT", "INTEGER PRIMARY KEY", "TEXT", "BLOB", "REAL", "NUMERIC", "", "INT UNIQUE")
_VIEWS = (
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT i AS {0} FROM r",
    "SELECT 1 AS start, 2 AS 'end', 'a' AS text, 1 AS id, 'a' AS value",
    "SELECT * FROM other_{1}",
    "SELECT hex(zeroblob(900000000)) AS text, 1 AS start, 2 AS 'end'",
)
_MORE = (
    "CREATE TRIGGER t1 AFTER INSERT ON NVTX_EVENTS BEGIN SELECT 1; END",
    'CREATE INDEX i1 ON NVTX_EVENTS(start, "end")',
    "CREATE INDEX i2 ON StringIds(length(value))",
    "CREATE VIRTUAL TABLE found USING fts5(a)",
    "CREATE TABLE empty(a)",
    "ALTER TABLE NVTX_EVENTS ADD COLUMN more TEXT AS (hex(zeroblob(50000000)))",
    "ALTER TABLE NVTX_EVENTS ADD COLUMN later TEXT DEFAULT 'x'",
    "ALTER TABLE NVTX_EVENTS RENAME TO nvtx_events",
    "PRAGMA user_version = 7",
)
_FORGED = (
    "UPDATE sqlite_master SET rootpage = 1 WHERE name = 'NVTX_EVENTS'",
    "UPDATE sqlite_master SET rootpage = 999 WHERE name = 'StringIds'",
    "UPDATE sqlite_master SET rootpage = 2",
    "UPDATE sqlite_master SET type = 'view' WHERE name = 'NVTX_EVENTS'",
    "UPDATE sqlite_master SET sql = 'CREATE TABLE' WHERE name = 'NVTX_EVENTS'",
    "UPDATE sqlite_master SET sql = 'CREATE VIEW NVTX_EVENTS AS SELECT 1 AS start, 2 AS \"end\"' "
    "WHERE name = 'NVTX_EVENTS'",
    "UPDATE sqlite_master SET sql = 'CREATE VIRTUAL TABLE NVTX_EVENTS USING fts5(start, \"end\")' "
    "WHERE name = 'NVTX_EVENTS'",
    "UPDATE sqlite_master SET sql = sql || printf('%.*c', 100000, ' ')",
    "UPDATE sqlite_master SET name = NULL WHERE name = 'StringIds'",
    "UPDATE sqlite_master SET sql = NULL WHERE name = 'StringIds'",
)


def made_database(random: Random) -> File:
    """Return a database that is wrong in one to three ways."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.sqlite"
        base = sqlite3.connect(path)
        with suppress(sqlite3.Error):
            _fill(base, random)
        base.close()
        data = path.read_bytes()
    for _ in range(random.choice((0, 0, 1, 1, 3))):
        data = random.choice(PAGES)(data, random)
    return ".sqlite", data


def _fill(base: sqlite3.Connection, random: Random) -> None:
    base.execute("PRAGMA synchronous = OFF")
    base.execute(f"PRAGMA page_size = {random.choice((512, 1024, 4096, 65536))}")
    base.execute(f"PRAGMA encoding = '{random.choice(('UTF-8', 'UTF-8', 'UTF-16le', 'UTF-16be'))}'")
    base.execute(f"PRAGMA auto_vacuum = {random.choice((0, 0, 1))}")
    odd = random.choice((0.0, 0.0, 0.003, 0.02, 0.2))
    for name, columns in COLUMNS.items():
        if random.random() < 0.1:
            continue
        if random.random() < 0.08:
            view = random.choice(_VIEWS).format('start, i AS "end"', name)
            base.execute(f"CREATE VIEW {name} AS {view}")
            continue
        kept = [column for column in columns if random.random() > odd / 2]
        _table(base, name, kept or ["a"], odd, random)
    if random.random() < 0.03:
        with suppress(sqlite3.Error):
            base.execute("INSERT INTO NVTX_EVENTS (start, text) VALUES (7, ?)", ("x" * 2_000_000,))
    for more in random.sample(_MORE, random.choice((0, 0, 1, 2))):
        with suppress(sqlite3.Error):
            base.execute(more)
    base.commit()
    if random.random() < 0.1:
        base.execute("PRAGMA writable_schema = ON")
        base.execute(random.choice(_FORGED))
        base.commit()


def _table(
    base: sqlite3.Connection, name: str, columns: list[str], odd: float, random: Random
) -> None:
    typed = [
        f'"{column}" {random.choice(TYPES) if random.random() < odd else "INT"}'
        for column in columns
    ]
    key = ', PRIMARY KEY (start, "end")' if {"start", "end"} <= set(columns) else ""
    rowid = random.random() < 0.9 or not key
    base.execute(
        f"CREATE TABLE {name} ({', '.join(typed)}{'' if rowid else key})"
        f"{'' if rowid else ' WITHOUT ROWID'}"
    )
    marks = ", ".join("?" * len(columns))
    with suppress(sqlite3.Error, OverflowError):
        for row in range(random.choice((0, 1, 30, 30, 30, 300))):
            values = [_value(column, row, odd, random) for column in columns]
            base.execute(f"INSERT OR IGNORE INTO {name} VALUES ({marks})", values)


def _value(column: str, row: int, odd: float, random: Random) -> Any:
    if random.random() < odd:
        return random.choice(VALUES)
    usual = {
        "start": 100 * row,
        "end": 100 * row + random.choice((0, 50, 90, 150)),
        "id": row,
        "deviceId": row % 2,
        "streamId": 7 + row % 3,
        "correlationId": row // 2,
        "globalPid": THREAD & ~0xFFFFFF,
        "globalTid": THREAD + row % 2,
        "bytes": 64,
        "value": random.choice(("gemm", "ncclDevKernel_AllReduce_Sum", f"step {row}")),
        "text": random.choice((None, f"step {row}", "mark")),
    }
    return usual.get(column, row % 5)


def _pages(data: bytes) -> tuple[int, list[bytes]]:
    size = struct.unpack(">H", data[16:18])[0] if len(data) > 100 else 512
    size = 65536 if size == 1 else size if size >= 512 else 512
    return size, [data[at : at + size] for at in range(0, len(data), size)]


def _cut(data: bytes, random: Random) -> bytes:
    size, pages = _pages(data)
    return data[: size * random.randrange(len(pages) + 1) + random.choice((0, 0, 1, 100))]


def _moved(data: bytes, random: Random) -> bytes:
    """A page stands where another one was."""
    _, pages = _pages(data)
    if len(pages) < 3:
        return data
    a, b = random.sample(range(1, len(pages)), 2)
    pages[a] = pages[b]
    return b"".join(pages)


def _headed(data: bytes, random: Random) -> bytes:
    """A field of the file's header is another number."""
    fields = (
        (16, 2),
        (18, 1),
        (19, 1),
        (20, 1),
        (21, 1),
        (28, 4),
        (32, 4),
        (36, 4),
        (44, 4),
        (52, 4),
        (56, 4),
        (92, 4),
    )
    at, width = random.choice(fields)
    return (
        data[:at]
        + random.choice((bytes(width), b"\xff" * width, random.randbytes(width)))
        + data[at + width :]
    )


def _page_headed(data: bytes, random: Random) -> bytes:
    """A page has another type, more cells, or cells elsewhere."""
    size, pages = _pages(data)
    if not pages:
        return data
    number = random.randrange(len(pages))
    page = bytearray(pages[number])
    begin = 100 if number == 0 else 0
    if len(page) < begin + 40:
        return data
    way = random.randrange(5)
    if way == 0:
        page[begin] = random.choice((2, 5, 10, 13, 0, 255))
    if way == 1:
        page[begin + 3 : begin + 5] = struct.pack(">H", random.choice((0, 1, 1000, 65535)))
    if way == 2:
        at = begin + random.choice((8, 12)) + 2 * random.randrange(8)
        page[at : at + 2] = struct.pack(">H", random.randrange(size & 0xFFFF or 65535))
    if way == 3:  # an inner page whose children are any pages
        cells = min(20, (size - begin - 12) // 7)
        content = size - 5 * cells
        page[begin : begin + 12] = struct.pack(
            ">BHHHBI", 5, 0, cells, content & 0xFFFF, 0, random.randrange(len(pages) + 2)
        )
        for cell in range(cells):
            at = content + 5 * cell
            page[begin + 12 + 2 * cell : begin + 14 + 2 * cell] = struct.pack(">H", at & 0xFFFF)
            child = random.choice((number + 1, random.randrange(len(pages) + 2)))
            page[at : at + 5] = struct.pack(">IB", child, cell + 1)
    if way == 4:  # the length of a cell's row, and what its values are
        (at,) = struct.unpack(">H", page[begin + 8 : begin + 10])
        if begin < at < len(page) - 8:
            page[at : at + 4] = random.choice((b"\xff\xff\xff\xff", b"\x83\xff\xff\x7f", bytes(4)))
    pages[number] = bytes(page)
    return b"".join(pages)


PAGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    _cut,
    _moved,
    _headed,
    _page_headed,
    _page_headed,
)
