"""Writes a trace in Chrome's format, for Perfetto and chrome://tracing, packed or not.

A lane is a thread of its device's process; nested calls of a thread are on the same thread again.
Dependencies are arrows, from the last moment of one event to the first of another.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import msgspec
import numpy as np

from core.files import whole_file
from core.plan.task import ABSENT
from core.recording.exporters.exported_spans import ExportedSpans, chunks, counter_name
from core.recording.role_text import role_text
from core.trace.own_colours import OWN_COLOURS
from core.trace.trace import Trace

Event = dict[str, object]
_DEPTH = re.compile(r" depth \d+$")
_COLOUR_NAMES = list(OWN_COLOURS)


def write_chrome(trace: Trace, path: Path | str) -> Generator[float, None, None]:
    """Write a trace; yields the share that is written. It is packed if the name ends in .gz.

    A generator that is closed before its end leaves no file. Raises OSError in one line.
    """
    exported = ExportedSpans.of(trace)
    with open_output(path) as file:
        file.write(b'{"displayTimeUnit": "ns",\n"otherData": {"source": "Bubblescope"},\n')
        whole = max(1, len(exported))
        written = 0
        for count in write_event_list(file, _events(exported)):
            written += count
            # Names, arrows and counters are written too, but not counted in `whole`.
            yield min(1.0, written / whole)
        file.write(b"}\n")


@contextmanager
def open_output(path: Path | str) -> Iterator[BinaryIO]:
    """Open a file that appears only when it is whole, packed by gzip if its name ends in .gz."""
    with whole_file(path) as place, place.open("wb") as file:
        if str(path).lower().endswith(".gz"):
            # No name and a time of 0 in gzip's header: the same trace gives the same bytes.
            with gzip.GzipFile("", "wb", 5, file, 0) as packed:
                yield cast(BinaryIO, packed)
        else:
            yield file


def write_event_list(file: BinaryIO, parts: Iterable[list[Event]]) -> Iterator[int]:
    """Write parts of a file's list of events; yields the number of events of each part."""
    before = b'"traceEvents": [\n'
    for part in parts:
        if part:
            encoded = map(msgspec.json.encode, part)
            file.write(before)
            file.write(b",\n".join(encoded))
            before = b",\n"
        yield len(part)
    if before == b",\n":
        file.write(b"\n]\n")
    else:
        # Without any event, the list has not been opened yet.
        file.write(before + b"]\n")


def microseconds(ns: int) -> float:
    """Convert nanoseconds to microseconds; doubles distinguish nanoseconds for 100 days."""
    return ns / 1000


def _events(exported: ExportedSpans) -> Iterator[list[Event]]:
    threads = _threads(exported.trace)
    yield list(_names(exported.trace, threads))
    spans = exported.spans
    colours = _colours(exported)
    start = spans.start.tolist()
    length = (spans.end - spans.start).tolist()
    lane = exported.lane.tolist()
    for first, last in chunks(len(exported)):
        arguments = exported.arguments(first, last)
        events: list[Event] = []
        for place in range(first, last):
            pid, tid = threads[lane[place]]
            event: Event = {
                "ph": "X",
                "name": exported.labels[place],
                "cat": exported.kinds[place],
                "ts": microseconds(start[place]),
                "dur": microseconds(length[place]),
                "pid": pid,
                "tid": tid,
            }
            if place in colours:
                event["cname"] = colours[place]
            event["args"] = arguments[place - first]
            events.append(event)
        yield events
    yield from _arrows(exported, threads)
    yield from _counter_events(exported.trace, threads)


def _threads(trace: Trace) -> list[tuple[int, int]]:
    """Return process and thread of each lane; a nested lane has the same as its outer lane."""
    pids: dict[str, int] = {}
    tids: dict[tuple[str, str], int] = {}
    threads = []
    has_plan = trace.header.source.has_plan
    for lane in trace.header.lanes:
        # These viewers nest events of one thread by their times, so nested lanes need no thread.
        # Lanes of a plan stay separate even if two have the same name.
        name = str(lane.index) if has_plan else _DEPTH.sub("", lane.name)
        next_pid = len(pids) + 1
        next_tid = len(tids) + 1
        pid = pids.setdefault(lane.device, next_pid)
        tid = tids.setdefault((lane.device, name), next_tid)
        threads.append((pid, tid))
    return threads


def _names(trace: Trace, threads: list[tuple[int, int]]) -> Iterator[Event]:
    """Yield the names and the order of processes and threads."""
    seen = set[tuple[int, int]]()
    for lane, thread in zip(trace.header.lanes, threads, strict=True):
        if thread in seen:
            continue
        seen.add(thread)
        pid, tid = thread
        _, served_tid = threads[lane.serves]
        role = role_text(lane, served_tid)
        yield metadata_event("process_name", pid, tid, {"name": lane.device})
        yield metadata_event("thread_name", pid, tid, {"name": lane.name, "lane role": role})
        yield metadata_event("thread_sort_index", pid, tid, {"sort_index": lane.index})


def metadata_event(name: str, pid: int, tid: int, arguments: Event) -> Event:
    """Return an event about a process or a thread."""
    return {"ph": "M", "name": name, "pid": pid, "tid": tid, "args": arguments}


def _colours(exported: ExportedSpans) -> dict[int, str]:
    """Return the names of colours of imported events, by their positions."""
    imported = exported.trace.imported
    if imported is None or imported.colours is None:
        return {}
    codes = imported.colours[exported.spans.row]
    has_colour = codes != ABSENT
    names: dict[int, str] = {}
    for place in np.flatnonzero(has_colour).tolist():
        code = codes[place]
        names[place] = _COLOUR_NAMES[code]
    return names


def _arrows(exported: ExportedSpans, threads: list[tuple[int, int]]) -> Iterator[list[Event]]:
    spans = exported.spans
    lane = exported.lane.tolist()
    # Within the event, at its last ns: the next event of its thread may begin at its end.
    leaves = np.maximum(spans.start, spans.end - 1).tolist()
    start = spans.start.tolist()
    links = exported.links.tolist()
    for first, last in chunks(len(links)):
        events: list[Event] = []
        for number, (before, after) in enumerate(links[first:last], first + 1):
            from_thread = threads[lane[before]]
            to_thread = threads[lane[after]]
            events.append(_arrow_event("s", number, leaves[before], from_thread))
            events.append(_arrow_event("f", number, start[after], to_thread))
        yield events


def _arrow_event(phase: str, number: int, time: int, thread: tuple[int, int]) -> Event:
    """Return an end of an arrow: phase "s" for its start, and "f" for its head."""
    pid, tid = thread
    return {
        "ph": phase,
        # Without "bp": "e" an arrow would end at the next event that begins.
        "bp": "e",
        "id": number,
        "cat": "waits",
        "name": "waits",
        "ts": microseconds(time),
        "pid": pid,
        "tid": tid,
    }


def _counter_events(trace: Trace, threads: list[tuple[int, int]]) -> Iterator[list[Event]]:
    """Yield the counters' values, each on its lane's process, or on 0 for the whole run."""
    processes = {}
    for lane, (pid, _) in zip(trace.header.lanes, threads, strict=True):
        processes[lane.device] = pid
    places: Mapping[str, str] = {}
    if trace.imported is not None:
        places = trace.imported.counter_places
    for counter in trace.counters.values():
        if counter.lane is None:
            place = places.get(counter.name, "")
            pid = processes.get(place, 0)
        else:
            pid, _ = threads[counter.lane]
        name = counter_name(trace, counter)
        # JSON has no form of NaN or infinity.
        is_finite = np.isfinite(counter.values)
        times = counter.times[is_finite].tolist()
        values = counter.values[is_finite].tolist()
        events: list[Event] = []
        for time, value in zip(times, values, strict=True):
            event: Event = {
                "ph": "C",
                "name": name,
                "ts": microseconds(time),
                "pid": pid,
                "args": {"value": value},
            }
            events.append(event)
        yield events
