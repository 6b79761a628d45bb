"""Small files that would take all memory, or have no end, if a reader believed them.

Each is made in a moment, also those that unpack to gigabytes: a file packed by gzip may consist of
many packed parts, here of one part again and again.
"""

from __future__ import annotations

import gzip
import sqlite3
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path

File = tuple[str, bytes]
"""The suffix of a file's name, and what the file holds."""
_PART = 1 << 20


def packed(*parts: tuple[bytes, int]) -> bytes:
    """Each part as often as is said, packed by gzip."""
    return b"".join(_packed_part(part, count) for part, count in parts)


def _packed_part(part: bytes, count: int) -> bytes:
    each = max(1, _PART // max(1, len(part)))
    times, rest = divmod(count, each)
    many = gzip.compress(part * each, 9, mtime=0) * times if times else b""
    return many + gzip.compress(part * rest, 9, mtime=0)


def _texts_that_look_like_borders() -> File:
    names = b'[{"name":"' + b"},{" * 400_000 + b'"},'
    return ".json.gz", packed((names, 1), (b"{},", 350_000_000), (b"{}]", 1))


def _nested_objects() -> File:
    events = b'{"ph":"X","ts":1,"args":{"a":[{},{}]}},'
    return ".json.gz", packed((b"[", 1), (events, 3_000_000), (b"{}]", 1))


def _one_long_name() -> File:
    return ".json.gz", packed((b'[{"name":"', 1), (b"x" * 1000, 1_000_000), (b'"}]', 1))


def _lists_in_one_event(field: bytes) -> Callable[[], File]:
    def made() -> File:
        before = b'[{"ph":"C","ts":1,"args":{},"%s":[' % field
        return ".json.gz", packed((before, 1), (b"[],", 21_000_000), (b"[]]}]", 1))

    return made


def _events(event: bytes, count: int, around: tuple[bytes, bytes] = (b"[", b"{}]")) -> Callable:
    def made() -> File:
        return ".json.gz", packed((around[0], 1), (event, count), (around[1], 1))

    return made


def _dump(entry: bytes, count: int) -> Callable[[], File]:
    return _events(entry, count, (b'{"entries": [', b"{}]}"))


def _trace(*parts: tuple[bytes, int]) -> Callable[[], File]:
    return lambda: (".pftrace", packed(*parts))


def _message(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    made = b""
    while value > 127:
        made += bytes([value & 127 | 128])
        value >>= 7
    return made + bytes([value])


def _slice(name: bytes, track: int, more: bytes = b"") -> bytes:
    """A packet with a moment on a track."""
    event = b"\x48\x03" + b"\x58" + _varint(track) + _message(23, name) + more
    return _message(1, b"\x40\x05" + _message(11, event))


def _many_arrows() -> File:
    """A flow that 20 million slices, or one slice so often, are part of."""
    flows = b"\xa0\x02\x09" * 1_300_000
    return ".pftrace", packed((_slice(b"a", 1, flows), 15))


def _many_fields() -> File:
    """A packet of 60 MB whose fields have all numbers there are."""
    fields = b"".join(_varint(number << 3) + b"\0" for number in range(200, 200_000))
    begin = b"\x0a" + _varint(80 * len(fields))
    return ".pftrace", packed((begin, 1), (fields, 80))


def _database(script: str) -> Callable[[], File]:
    def made() -> File:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "made.sqlite"
            base = sqlite3.connect(path)
            base.executescript(script)
            base.commit()
            base.close()
            return ".sqlite", path.read_bytes()

    return made


_ENDLESS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r)"
_RANGES = 'CREATE TABLE NVTX_EVENTS(start INT, "end" INT, text TEXT, textId INT{});'


def _pages_in_a_circle() -> File:
    """Inner pages whose children are all the next inner page: 100 ** 12 rows."""
    suffix, data = _database(
        f"PRAGMA page_size = 512; {_RANGES.format('')}"
        "INSERT INTO NVTX_EVENTS VALUES (1, 2, 'a', NULL), (2, 3, 'b', NULL);"
    )()
    size = 512
    pages = [bytearray(data[at : at + size]) for at in range(0, len(data), size)]
    leaf = len(pages)  # pages count from 1; the table's only one is the last
    inner = 12
    pages[leaf - 1], last = bytearray(size), pages[leaf - 1]
    pages += [bytearray(size) for _ in range(inner - 1)] + [last]
    for number in range(inner):
        child = leaf + number + 1
        cells = 60
        content = size - 5 * cells
        page = pages[leaf - 1 + number]
        page[0:12] = struct.pack(">BHHHBI", 5, 0, cells, content, 0, child)
        for cell in range(cells):
            at = content + 5 * cell
            page[12 + 2 * cell : 14 + 2 * cell] = struct.pack(">H", at)
            page[at : at + 5] = struct.pack(">IB", child, min(cell + 1, 127))
    pages[0][28:32] = struct.pack(">I", len(pages))
    return suffix, b"".join(map(bytes, pages))


def _row_without_end() -> File:
    """A text of 900 MB on a page that is followed by itself."""
    size, length = 512, 900_000_000
    row = f"{_RANGES.format('')} INSERT INTO NVTX_EVENTS VALUES (1, 2, 'a', NULL);"
    suffix, data = _database(f"PRAGMA page_size = {size}; {row}")()
    pages = [bytearray(data[at : at + size]) for at in range(0, len(data), size)]
    kind = _big_endian_varint(2 * length + 13)
    header = bytes([1 + 1 + 1 + len(kind) + 1, 1, 1]) + kind + b"\0"
    payload = len(header) + 2 + length
    least = (size - 12) * 32 // 255 - 23
    local = least + (payload - least) % (size - 4)
    local = local if local <= size - 35 else least
    beyond = len(pages) + 1
    cell = _big_endian_varint(payload) + b"\1" + (header + b"\1\2").ljust(local, b"x")
    cell += struct.pack(">I", beyond)
    at = size - len(cell)
    pages[-1] = bytearray(struct.pack(">BHHHB", 13, 0, 1, at, 0) + struct.pack(">H", at))
    pages[-1] = pages[-1].ljust(at, b"\0") + cell
    pages.append(bytearray(struct.pack(">I", beyond).ljust(size, b"x")))
    pages[0][28:32] = struct.pack(">I", len(pages))
    return suffix, b"".join(map(bytes, pages))


def _big_endian_varint(value: int) -> bytes:
    parts = [value & 127]
    while value := value >> 7:
        parts.append(value & 127 | 128)
    return bytes(reversed(parts))


def _long_default() -> File:
    """Rows that lack a column, whose default is a text of a megabyte."""
    rows = ", ".join(f"({n}, {n + 1})" for n in range(5000))
    return _database(
        f'CREATE TABLE NVTX_EVENTS(start INT, "end" INT); INSERT INTO NVTX_EVENTS VALUES {rows};'
        f"ALTER TABLE NVTX_EVENTS ADD COLUMN text TEXT DEFAULT '{'x' * 900_000}';"
    )()


def _arrow(codec: str) -> Callable[[], File]:
    def made() -> File:
        from tests.core.recorder.made import two_ranks
        from tests.core.recording.test_unpack_limit import packed_by

        with tempfile.TemporaryDirectory() as folder:
            two_ranks(Path(folder))
            whole = (Path(folder) / "rank-0.arrow").read_bytes()
        return ".arrow", packed_by(codec, whole, 4_000_000)

    return made


QUICK: dict[str, Callable[[], File]] = {
    "json: a name that looks like borders of 350 million events": _texts_that_look_like_borders,
    "json: 20 million empty events": _events(b"{},", 20_000_000),
    "json: 10 million moments": _events(b'{"ph":"i","ts":1},', 10_000_000),
    "json: 10 million calls": _events(b'{"ph":"X","ts":1},', 10_000_000),
    "json: 10 million begins": _events(b'{"ph":"B","ts":1},', 10_000_000),
    "json: 10 million arrows": _events(b'{"ph":"s","ts":1},', 10_000_000),
    "json: 20 million lists": _events(b"[],", 20_000_000),
    "json: 3 million events with objects in them": _nested_objects,
    "flight: 170 million entries": _dump(b"{},", 170_000_000),
    "flight: 60 million numbers": _dump(b"1,", 60_000_000),
    "perfetto: 500 million empty packets": _trace((b"\x0a\x00", 500_000_000)),
    "perfetto: 30 million empty packets": _trace((b"\x0a\x00", 30_000_000)),
    "perfetto: 30 million other fields": _trace((b"\x0a\x00", 1), (b"\x10\x00", 30_000_000)),
    "perfetto: 30 million fields of a packet": _trace(
        (b"\x0a" + _varint(2 * 30_000_000), 1), (b"\x08\x00", 30_000_000)
    ),
    "perfetto: 20 million arrows": _many_arrows,
    "sqlite: a view without end": _database(
        f"CREATE VIEW NVTX_EVENTS AS {_ENDLESS} SELECT i AS start, i + 1 AS 'end' FROM r;"
    ),
    "sqlite: a view without end that has no rows": _database(
        f"CREATE VIEW NVTX_EVENTS AS {_ENDLESS} SELECT i AS start, i AS 'end' FROM r WHERE i < 0;"
    ),
    "sqlite: texts that are a view without end": _database(
        f"{_RANGES.format('')} INSERT INTO NVTX_EVENTS VALUES (1, 2, NULL, 7);"
        f"CREATE VIEW StringIds AS {_ENDLESS} SELECT i AS id, 'a' AS value FROM r;"
    ),
    "sqlite: a view of texts of 800 MB": _database(
        f"CREATE VIEW NVTX_EVENTS AS {_ENDLESS} SELECT i AS start, i AS 'end', "
        "hex(zeroblob(400000000)) AS text FROM r;"
    ),
    "sqlite: a column that computes 100 MB": _database(
        f"{_RANGES.format(', long TEXT AS (hex(zeroblob(50000000)))')}"
        "INSERT INTO NVTX_EVENTS VALUES (1, 2, NULL, 7), (2, 3, NULL, 8);"
    ),
    "sqlite: pages in a circle": _pages_in_a_circle,
    "sqlite: a row of 900 MB": _row_without_end,
    "sqlite: a long default": _long_default,
}
"""Bombs that are refused in less than a second, and are tests as well."""
BOMBS: dict[str, Callable[[], File]] = {
    **QUICK,
    "json: 10 million values": _events(b'{"ph":"C","ts":1,"args":{"a":1}},', 10_000_000),
    "json: 10 million events of other forms": _events(b'{"ph":1},', 10_000_000),
    "json: 20 million numbers": _events(b"1,", 20_000_000),
    "json: a name of a gigabyte": _one_long_name,
    "json: a name of 60 megabytes": _events(b"x" * 1000, 60_000, (b'[{"ph":"X","name":"', b'"}]')),
    "json: lists in an argument": _lists_in_one_event(b"x"),
    "json: lists as a time": _lists_in_one_event(b"ts"),
    "json: objects within each other": _events(b'{"a":', 10_000_000, (b"[", b"]")),
    "json: lists within each other": _events(b"[", 60_000_000, (b"[", b"]")),
    "json: white space": _events(b" ", 2_000_000_000),
    "json: white space between braces": _events(b"} ", 30_000_000),
    "json: a heading of many keys": _events(
        b'"a":1,', 10_000_000, (b'{"traceEvents":[{}],"distributedInfo":{', b'"b":1}}')
    ),
    "flight: 10 million groups of an entry": _events(
        b'"ab",', 10_000_000, (b'{"entries": [{"process_group":[', b'""]}]}')
    ),
    "perfetto: 5 million moments": _trace((_slice(b"a", 1), 5_000_000)),
    "perfetto: 1.5 million names": _trace(
        (_message(1, _message(12, _message(2, b"\x08\x05\x12\x02ab") * 100_000)), 15)
    ),
    "perfetto: fields of many numbers": _many_fields,
    "arrow: rows packed by zstd": _arrow("zstd"),
    "arrow: rows packed by lz4": _arrow("lz4"),
}
