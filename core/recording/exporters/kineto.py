"""A run as a folder of traces as PyTorch's profiler writes them, one file for each rank.

Holistic Trace Analysis reads such files. A rank is a compute lane with those that serve it, each
of them a stream; communication is called as NCCL's kernels are. A task is launched by a call on the
host at the time at which the recording says so, else as it starts.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.files import whole_folder
from core.plan.devices import CUDA
from core.plan.plan import Role
from core.plan.task import ABSENT, KINDS, Kind
from core.recording.exporters.chrome import Event, listed, metadata, micros, opened
from core.recording.exporters.events import Events, pieces, ranks_of
from core.trace.trace import Trace

_HOST = 1
"""The thread of the host, of a process that no device has the number of."""
# Processes below are devices, whose numbers are those of the ranks.
_HOSTS = 10_000
_FIRST_STREAM = 7  # as CUDA numbers the one that PyTorch computes on
_FIRST_CORRELATION = 1 << 16
"""Analyses keep places of events in the narrowest type that holds these numbers: in 32 bits."""
_NCCL = {
    Kind.ALL_REDUCE: "AllReduce",
    Kind.ALL_GATHER: "AllGather",
    Kind.REDUCE_SCATTER: "ReduceScatter",
    Kind.REPLICATE: "Broadcast",
    Kind.SCATTER: "Scatter",
    Kind.GATHER: "Gather",
    Kind.REDUCE: "Reduce",
    Kind.COPY: "SendRecv",
    Kind.ALL_TO_ALL: "AllToAll",
}


def write_kineto(trace: Trace, folder: Path | str) -> Generator[float, None, None]:
    """Write the ranks of a trace; yields the share that is written.

    A generator that is closed before its end leaves no folder. Raises OSError in one line.
    """
    events, ranks = Events.of(trace), ranks_of(trace)
    whole, written = max(1, len(events)), 0
    with whole_folder(folder) as place:
        for rank, lanes in enumerate(ranks):
            with opened(place / f"rank-{rank}.json.gz") as file:
                file.write(_head(rank, len(ranks), trace.header.lanes[lanes[0]].device))
                for count in listed(file, _of_rank(events, rank, lanes)):
                    written += count
                    yield min(1.0, written / (3 * whole))
                file.write(b"}\n")
        yield 1.0


def kernel(kind: Kind, label: str) -> str:
    """What a task is called: communication as a kernel of NCCL."""
    return f"ncclDevKernel_{_NCCL[kind]} {label}" if kind in _NCCL else label


def _head(rank: int, ranks: int, device: str) -> bytes:
    head: dict[str, object] = {
        "schemaVersion": 1,
        "deviceProperties": [{"id": rank, "name": device}],
        "distributedInfo": {"backend": CUDA.group, "rank": rank, "world_size": ranks},
        "displayTimeUnit": "ms",
    }
    # Analyses look for the rank in lines, with a blank behind each colon, as json writes them.
    lines = (f'"{name}": {json.dumps(value)},\n' for name, value in head.items())
    return ("{\n" + "".join(lines)).encode()


def _of_rank(events: Events, rank: int, lanes: list[int]) -> Iterator[list[Event]]:
    host = rank + _HOSTS
    mine = np.flatnonzero(np.isin(events.lane, lanes))
    streams = {lane: _FIRST_STREAM + place for place, lane in enumerate(lanes)}
    yield list(_named(events.trace, rank, streams))
    yield list(_steps(events, mine, host))
    on_device = _on_device(events, lanes)
    for first, last in pieces(len(mine)):
        some: list[Event] = []
        for number, place in enumerate(mine[first:last].tolist(), _FIRST_CORRELATION + first):
            stream = streams[int(events.lane[place])]
            if on_device[place]:
                some += _launched(events, place, number, rank, stream)
            else:
                some.append(_call(events, place, host, stream))
        yield some


def _on_device(events: Events, lanes: list[int]) -> NDArray[np.bool_]:
    """Whether each event is a device's work: all of a run but waiting for data."""
    every = events.trace.header.lanes
    working = [lane for lane in lanes if every[lane].role is not Role.NESTED]
    if not events.trace.header.source.has_plan:
        # Lanes with cores are threads of a host; a trace that has nothing else is shown by these.
        working = [lane for lane in working if not every[lane].cores] or working
    waits = events.spans["kind"] == KINDS.index(Kind.DATA)
    found: NDArray[np.bool_] = np.isin(events.lane, working) & ~waits
    return found


def _launched(
    events: Events, place: int, correlation: int, rank: int, stream: int
) -> tuple[Event, Event]:
    """The call that launched a task, and the task on its stream."""
    one = events.spans[place : place + 1]
    start, end, launched = int(one.start[0]), int(one.end[0]), int(one["launched"][0])
    # Analyses look for the call of each kernel: where none was recorded, it was just in time.
    at = start if launched == ABSENT else launched
    kind = KINDS[one["kind"][0]]
    own = events.arguments(place, place + 1)[0]
    own.pop("iteration", None)  # a step is told by the profiler's own range
    arguments = {"device": rank, "stream": stream, "correlation": correlation, **own}
    call = _complete("cuda_runtime", "cudaLaunchKernel", rank + _HOSTS, _HOST, (at, at))
    task = _complete("kernel", kernel(kind, events.labels[place]), rank, stream, (start, end))
    return {**call, "args": {"correlation": correlation}}, {**task, "args": arguments}


def _complete(category: str, name: str, pid: int, tid: int, times: tuple[int, int]) -> Event:
    """What lasts from its start to its end, in ns."""
    start, end = times
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        "pid": pid,
        "tid": tid,
        "ts": micros(start),
        "dur": micros(end - start),
    }


def _call(events: Events, place: int, host: int, thread: int) -> Event:
    """An event of the host, or an annotation of other work."""
    times = int(events.spans.start[place]), int(events.spans.end[place])
    nested = events.trace.header.lanes[int(events.lane[place])].role is Role.NESTED
    category = "user_annotation" if nested else "cpu_op"
    return _complete(category, events.labels[place], host, thread, times)


def _steps(events: Events, mine: NDArray[np.int64], host: int) -> Iterator[Event]:
    """The steps as this rank had them, from its first start to its last end of each.

    A step ends where the rank's next one begins, if not before.
    """
    trace, spans = events.trace, events.spans[mine]
    bounds = [
        (step, int(spans.start[some].min()), int(spans.end[some].max()))
        for step in trace.steps
        if (some := spans.step == step).any()
    ]
    for place, (step, start, end) in enumerate(bounds):
        end = min([end, *(then for _, then, _ in bounds[place + 1 : place + 2])])
        times = start, max(start, end)
        yield _complete("user_annotation", f"ProfilerStep#{step + 1}", host, _HOST, times)


def _named(trace: Trace, rank: int, streams: dict[int, int]) -> Iterator[Event]:
    yield metadata("process_name", rank, 0, {"name": trace.header.lanes[min(streams)].device})
    yield metadata("process_name", rank + _HOSTS, 0, {"name": "host"})
    for lane, stream in streams.items():
        named: Event = {"name": trace.header.lanes[lane].name}
        yield metadata("thread_name", rank, stream, named)
        yield metadata("thread_name", rank + _HOSTS, stream, named)
