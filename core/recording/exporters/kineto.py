"""Writes a run as a folder of traces in the form of PyTorch's profiler, one file for each rank.

Holistic Trace Analysis reads such files. A rank is a compute lane with the lanes that serve it;
each lane is a stream. Communication has the names of NCCL's kernels. A task is launched by a call
on the host, at the recorded time of its launch or else at its start.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from pathlib import Path

import numpy as np

from core.arrays import Bools, Ints
from core.files import whole_folder
from core.plan.devices import CUDA
from core.plan.plan import Role
from core.plan.task import ABSENT, KINDS, Kind
from core.recording.exporters.chrome import (
    Event,
    metadata_event,
    microseconds,
    open_output,
    write_event_list,
)
from core.recording.exporters.exported_spans import ExportedSpans, chunks, lanes_by_rank
from core.trace.trace import Trace

_HOST = 1
"""The thread of the host."""
# The host process of rank n is n + _HOSTS; smaller numbers are devices, numbered as the ranks.
_HOSTS = 10_000
_FIRST_STREAM = 7  # CUDA's number of the stream on which PyTorch computes
_FIRST_CORRELATION = 1 << 16
"""Analyses store positions of events in the type of these numbers, which has to have 32 bits."""
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
    Kind.BROADCAST: "Broadcast",
    Kind.BARRIER: "Barrier",
}


def write_kineto(trace: Trace, folder: Path | str) -> Generator[float, None, None]:
    """Write the ranks of a trace; yields the share that is written.

    A generator that is closed before its end leaves no folder. Raises OSError in one line.
    """
    exported = ExportedSpans.of(trace)
    ranks = lanes_by_rank(trace)
    whole = max(1, len(exported))
    written = 0
    with whole_folder(folder) as place:
        for rank, lanes in enumerate(ranks):
            with open_output(place / f"rank-{rank}.json.gz") as file:
                file.write(_head(rank, len(ranks), trace.header.lanes[lanes[0]].device))
                for count in write_event_list(file, _events(exported, rank, lanes)):
                    written += count
                    yield min(1.0, written / (3 * whole))
                file.write(b"}\n")
        yield 1.0


def kernel_name(kind: Kind, label: str) -> str:
    """Return the name of a task; for communication the name of an NCCL kernel."""
    return f"ncclDevKernel_{_NCCL[kind]} {label}" if kind in _NCCL else label


def _head(rank: int, ranks: int, device: str) -> bytes:
    """Return the beginning of a rank's file."""
    head: dict[str, object] = {
        "schemaVersion": 1,
        "deviceProperties": [{"id": rank, "name": device}],
        "distributedInfo": {"backend": CUDA.group, "rank": rank, "world_size": ranks},
        "displayTimeUnit": "ms",
    }
    # Analyses search for the rank line by line, with a space after each colon.
    text = "{\n"
    for name, value in head.items():
        text += f'"{name}": {json.dumps(value)},\n'
    return text.encode()


def _events(exported: ExportedSpans, rank: int, lanes: list[int]) -> Iterator[list[Event]]:
    """Yield the events of a rank."""
    host = rank + _HOSTS
    positions = np.flatnonzero(np.isin(exported.lane, lanes))
    streams = {lane: _FIRST_STREAM + place for place, lane in enumerate(lanes)}
    yield list(_names(exported.trace, rank, streams))
    yield list(_steps(exported, positions, host))
    on_device = _on_device(exported, lanes)
    for first, last in chunks(len(positions)):
        events: list[Event] = []
        numbered = enumerate(positions[first:last].tolist(), _FIRST_CORRELATION + first)
        for correlation, place in numbered:
            stream = streams[int(exported.lane[place])]
            if on_device[place]:
                events += _launch_and_task(exported, place, correlation, rank, stream)
            else:
                events.append(_host_event(exported, place, host, stream))
        yield events


def _on_device(exported: ExportedSpans, lanes: list[int]) -> Bools:
    """Return a mask of the events that are a device's work: in a run, all but waits for data."""
    every = exported.trace.header.lanes
    working = [lane for lane in lanes if every[lane].role is not Role.NESTED]
    if not exported.trace.header.source.has_plan:
        # Lanes with cores are threads of a host; they count only in a trace without other lanes.
        of_devices = [lane for lane in working if not every[lane].cores]
        working = of_devices or working
    waits = exported.spans["kind"] == KINDS.index(Kind.DATA)
    mask: Bools = np.isin(exported.lane, working) & ~waits
    return mask


def _launch_and_task(
    exported: ExportedSpans, place: int, correlation: int, rank: int, stream: int
) -> tuple[Event, Event]:
    """Return the call that launched a task, and the task on its stream."""
    span = exported.spans[place : place + 1]
    start = int(span.start[0])
    end = int(span.end[0])
    launched = int(span["launched"][0])
    # Analyses require the call of each kernel: an unknown launch is at the kernel's start.
    at = start if launched == ABSENT else launched
    name = kernel_name(KINDS[span["kind"][0]], exported.labels[place])
    attributes = exported.arguments(place, place + 1)[0]
    attributes.pop("iteration", None)  # the range of the profiler's step has the number
    arguments = {"device": rank, "stream": stream, "correlation": correlation, **attributes}
    call = _complete_event("cuda_runtime", "cudaLaunchKernel", rank + _HOSTS, _HOST, (at, at))
    task = _complete_event("kernel", name, rank, stream, (start, end))
    return {**call, "args": {"correlation": correlation}}, {**task, "args": arguments}


def _complete_event(category: str, name: str, pid: int, tid: int, times: tuple[int, int]) -> Event:
    """Return an event with start and end, given in ns."""
    start, end = times
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        "pid": pid,
        "tid": tid,
        "ts": microseconds(start),
        "dur": microseconds(end - start),
    }


def _host_event(exported: ExportedSpans, place: int, host: int, thread: int) -> Event:
    """Return an event of the host, or an annotation of other work."""
    start = int(exported.spans.start[place])
    end = int(exported.spans.end[place])
    lane = exported.trace.header.lanes[int(exported.lane[place])]
    category = "user_annotation" if lane.role is Role.NESTED else "cpu_op"
    return _complete_event(category, exported.labels[place], host, thread, (start, end))


def _steps(exported: ExportedSpans, positions: Ints, host: int) -> Iterator[Event]:
    """Yield the steps of a rank, each from its first start to its last end on this rank.

    A step ends at the latest when the rank's next step begins.
    """
    spans = exported.spans[positions]
    steps: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    for step in exported.trace.steps:
        own = spans.step == step
        if own.any():
            steps.append(step)
            starts.append(int(spans.start[own].min()))
            ends.append(int(spans.end[own].max()))
    following = [*starts[1:], *ends[-1:]]
    for step, start, end, next_start in zip(steps, starts, ends, following, strict=True):
        times = start, max(start, min(end, next_start))
        name = f"ProfilerStep#{step + 1}"
        yield _complete_event("user_annotation", name, host, _HOST, times)


def _names(trace: Trace, rank: int, streams: dict[int, int]) -> Iterator[Event]:
    """Yield the names of a rank's processes and threads."""
    device = trace.header.lanes[min(streams)].device
    yield metadata_event("process_name", rank, 0, {"name": device})
    yield metadata_event("process_name", rank + _HOSTS, 0, {"name": "host"})
    for lane, stream in streams.items():
        name: Event = {"name": trace.header.lanes[lane].name}
        yield metadata_event("thread_name", rank, stream, name)
        yield metadata_event("thread_name", rank + _HOSTS, stream, name)
