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
"""Analyses store positions of events in the integer type of these numbers, so it needs 32 bits."""
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
    Kind.COLLECTIVE: "Generic",
}


def write_kineto(trace: Trace, folder: Path | str) -> Generator[float, None, None]:
    """Write the ranks of a trace; yield the share written so far.

    If the generator is closed before its end, no folder is left. Raises OSError in one line.
    """
    exported = ExportedSpans.of(trace)
    ranks = lanes_by_rank(trace)
    whole = max(1, len(exported))
    written = 0
    with whole_folder(folder) as place:
        for rank, lanes in enumerate(ranks):
            first_lane = trace.header.lanes[lanes[0]]
            head = _head(rank, len(ranks), first_lane.device)
            events = _events(exported, rank, lanes)
            with open_output(place / f"rank-{rank}.json.gz") as file:
                file.write(head)
                for count in write_event_list(file, events):
                    written += count
                    yield min(1.0, written / (3 * whole))
                file.write(b"}\n")
        yield 1.0


def kernel_name(kind: Kind, label: str) -> str:
    """Return the name of a task; for communication the name of an NCCL kernel."""
    if kind not in _NCCL:
        return label
    return f"ncclDevKernel_{_NCCL[kind]} {label}"


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
    is_of_rank = np.isin(exported.lane, lanes)
    positions = np.flatnonzero(is_of_rank)
    streams: dict[int, int] = {}
    for stream, lane in enumerate(lanes, _FIRST_STREAM):
        streams[lane] = stream
    yield list(_names(exported.trace, rank, streams))
    yield list(_steps(exported, positions, host))
    on_device = _on_device(exported, lanes)
    for first, last in chunks(len(positions)):
        events: list[Event] = []
        places = positions[first:last].tolist()
        first_correlation = _FIRST_CORRELATION + first
        for correlation, place in enumerate(places, first_correlation):
            stream = streams[int(exported.lane[place])]
            if on_device[place]:
                events += _launch_and_task(exported, place, correlation, rank, stream)
            else:
                events.append(_host_event(exported, place, host, stream))
        yield events


def _on_device(exported: ExportedSpans, lanes: list[int]) -> Bools:
    """Return a mask of the events that are a device's work: in a run, all but waits for data."""
    header = exported.trace.header
    every = header.lanes
    working = [lane for lane in lanes if every[lane].role is not Role.NESTED]
    if not header.source.has_plan:
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
    call_time = start if launched == ABSENT else launched
    kind = KINDS[span["kind"][0]]
    name = kernel_name(kind, exported.labels[place])
    [attributes] = exported.arguments(place, place + 1)
    attributes.pop("iteration", None)  # the range of the profiler's step has the number
    host = rank + _HOSTS
    call_times = call_time, call_time
    call = _complete_event("cuda_runtime", "cudaLaunchKernel", host, _HOST, call_times)
    call["args"] = {"correlation": correlation}
    task = _complete_event("kernel", name, rank, stream, (start, end))
    task["args"] = {
        "device": rank,
        "stream": stream,
        "correlation": correlation,
        **attributes,
    }
    return call, task


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
    name = exported.labels[place]
    return _complete_event(category, name, host, thread, (start, end))


def _steps(exported: ExportedSpans, positions: Ints, host: int) -> Iterator[Event]:
    """Yield the steps of a rank, each from its first start to its last end on this rank.

    A step ends at the latest when the rank's next step begins.
    """
    spans = exported.spans[positions]
    steps: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    for step in exported.trace.steps:
        own = spans[spans.step == step]
        if len(own):
            steps.append(step)
            starts.append(int(own.start.min()))
            ends.append(int(own.end.max()))
    following = [*starts[1:], *ends[-1:]]
    for step, start, end, next_start in zip(steps, starts, ends, following, strict=True):
        step_end = max(start, min(end, next_start))
        times = start, step_end
        name = f"ProfilerStep#{step + 1}"
        yield _complete_event("user_annotation", name, host, _HOST, times)


def _names(trace: Trace, rank: int, streams: dict[int, int]) -> Iterator[Event]:
    """Yield the names of a rank's processes and threads."""
    lanes = trace.header.lanes
    host = rank + _HOSTS
    device = lanes[min(streams)].device
    yield metadata_event("process_name", rank, 0, {"name": device})
    yield metadata_event("process_name", host, 0, {"name": "host"})
    for lane, stream in streams.items():
        name: Event = {"name": lanes[lane].name}
        yield metadata_event("thread_name", rank, stream, name)
        yield metadata_event("thread_name", host, stream, name)
