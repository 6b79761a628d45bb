"""Files of other programs, made small: a dump of the flight recorder, an export of Nsight Systems,
a trace of Perfetto, one of MegaScan."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from struct import pack
from typing import Any


def _megascan_rank(rank: int) -> list[dict[str, Any]]:
    """The events of a rank. Rank 0 tells arguments at begins, rank 1 most of them at ends.

    Rank 0 sends its forward in 4 us; rank 1 is the last stage, whose backward reaches rank 0 at
    once, because both are chunk 0.
    """
    place = {"iteration": 5, "microbatch": 1, "pp_rank": rank}
    forward = {**place, "model_chunk": 0}
    calls = [
        ("iteration", 0, 100, {"iteration": 5}),
        ("forward", 25 * rank + 1, 25 * rank + 20, forward),
        ("backward", 70 - 22 * rank, 90 - 22 * rank, place),
        ("optimizer", 92, 98, {}),
    ]
    if rank == 0:
        calls.insert(2, ("send_forward", 21, 25, {}))
    own = {"pid": rank, "tid": rank}
    events: list[dict[str, Any]] = []
    for name, first, last, args in calls:
        at_begin = {key: value for key, value in args.items() if not rank or key == "iteration"}
        at_end = args if rank else {}
        events.append({**own, "ph": "B", "name": name, "ts": first, "args": at_begin})
        events.append({**own, "ph": "E", "name": name, "ts": last, "args": at_end})
    for name, ts in (("iteration begin", 0), ("reduce", 91), ("iteration end", 100)):
        events.append({**own, "ph": "i", "name": name, "ts": ts, "args": {"iteration": 5}})
    return events


MEGASCAN: list[dict[str, Any]] = [*_megascan_rank(0), *_megascan_rank(1)]


def flight_dump() -> bytes:
    """Three collectives of two process groups; the last has not ended."""
    entries = [
        {"record_id": n, "process_group": [str(group), "default_pg"], "op_id": n,
         "profiling_name": name, "time_created_ns": 10**18 + at, "state": "completed",
         "time_discovered_started_ns": started and 10**18 + started,
         "time_discovered_completed_ns": ended and 10**18 + ended, "input_sizes": [[10]]}
        for n, (group, name, at, started, ended) in enumerate([
            (0, "nccl:all_reduce", 100, 200, 900), (1, "nccl:all_gather", 1000, 0, 1500),
            (0, "nccl:send 0->1", 2000, 0, 0),
        ])
    ]  # fmt: skip
    return json.dumps({"version": "2.10", "pg_config": {}, "entries": entries}).encode()


def nsight_export(path: Path) -> None:
    """Two kernels on two streams, with the calls that launched them, a copy and NVTX ranges."""
    thread = (1 << 56) | (77 << 24) | 123
    base = sqlite3.connect(path)
    base.executescript(
        """
        CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, "end" INT, deviceId INT, streamId INT,
            correlationId INT, globalPid INT, demangledName INT, shortName INT);
        CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, "end" INT, deviceId INT, streamId INT,
            correlationId INT, globalPid INT, bytes INT);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, "end" INT, globalTid INT,
            correlationId INT, nameId INT);
        CREATE TABLE NVTX_EVENTS (start INT, "end" INT, text TEXT, textId INT, globalTid INT);
        INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'ncclDevKernel_AllReduce_Sum'),
            (3, 'cudaLaunchKernel'), (4, 'step 2');
        """
    )
    process = thread & ~0xFFFFFF
    base.executemany(
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, ?, ?, ?, ?, ?)",
        [(2000, 3000, 7, 1, process, 1, 1), (2500, 4000, 9, 2, process, 2, 2)],
    )
    base.execute(
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (4100, 4200, 0, 7, 9, ?, 64)", (process,)
    )
    base.executemany(
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, 3)",
        [(1100, 1200, thread, 1), (1300, 1400, thread, 2), ("odd", 5, thread, 3)],
    )
    base.executemany(
        "INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, ?, ?)",
        [(1000, 2400, "step 1", None, thread), (2400, 5000, None, 4, thread),
         (1500, None, "mark", None, thread)],
    )  # fmt: skip
    base.commit()
    base.close()


def perfetto_trace() -> bytes:
    """Two threads with slices, one of them named by reference; a counter, a flow, a lone end."""
    process = _bytes(60, _number(1, 1) + _bytes(3, _number(1, 42) + _bytes(6, b"trainer")))
    threads = [
        _bytes(60, _number(1, uuid) + _number(5, 1)
               + _bytes(4, _number(1, 42) + _number(2, uuid) + _bytes(5, name)))
        for uuid, name in ((2, b"main"), (3, b"io"))
    ]  # fmt: skip
    counter = _bytes(60, _number(1, 4) + _bytes(2, b"held") + _number(5, 1))
    interned = (
        _bytes(2, _number(1, 5) + _bytes(2, b"read")),
        _bytes(3, _number(1, 7) + _bytes(2, b"loss")),
    )
    named = _bytes(12, b"".join(interned))
    events = [
        (1000, 2, 1, _bytes(23, b"step") + _fixed(47, 9) + _NOTES),
        (1200, 2, 1, _bytes(23, b"gemm")),
        (1500, 2, 2, b""), (1600, 3, 1, _number(10, 5) + _fixed(48, 9)), (1700, 3, 2, b""),
        (1800, 3, 3, _bytes(23, b"mark")), (2000, 2, 2, b""), (2100, 3, 2, b""),
        (1900, 4, 4, _number(30, 12)),
    ]  # fmt: skip
    # A sequence whose clock is incremental: its second packet is 5 us after the first.
    boot_time = _bytes(1, _number(1, 6) + _number(2, 1000))
    incremental = _bytes(1, _number(1, 64) + _number(2, 1) + _number(3, 1) + _number(4, 1000))
    clocks = _number(10, 2) + _bytes(6, boot_time + incremental) + _bytes(59, _number(58, 64))
    packets = [process, *threads, counter, _number(10, 1) + named]
    packets += [clocks, _number(8, 5) + _number(10, 2)]
    packets += [
        _number(8, time) + _number(10, 1) + _bytes(11, _number(9, kind) + _number(11, track) + more)
        for time, track, kind, more in events
    ]
    return b"".join(_bytes(1, packet) for packet in packets)


def _varint(value: int) -> bytes:
    made = b""
    while value > 127:
        made += bytes([value & 127 | 128])
        value >>= 7
    return made + bytes([value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _fixed(field: int, value: int) -> bytes:
    return _varint(field << 3 | 1) + pack("<Q", value)


_NOTES = b"".join(
    _bytes(4, note)
    for note in (
        _number(1, 7) + _varint(5 << 3 | 1) + pack("<d", 0.5),
        _bytes(10, b"shape") + _bytes(12, _number(4, 8)) + _bytes(12, _number(4, (1 << 64) - 1)),
        _bytes(10, b"deep") + _bytes(11, _bytes(10, b"on") + _number(2, 1)),
        _bytes(10, b"text") + _bytes(6, b"words"),
    )
)
