"""Writes a trace in Chrome's format, for Perfetto and chrome://tracing, compressed or not.

A device becomes a process and a lane one of its threads; lanes of nested calls join the thread of
their outer lane. A dependency becomes an arrow from the last moment of one event to the start of
another.
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
    """Write a trace, compressed if the name ends in .gz; yield the share written so far.

    If the generator is closed before its end, no file is left. Raises OSError in one line.
    """
    exported = ExportedSpans.of(trace)
    with open_output(path) as file:
        file.write(b'{"displayTimeUnit": "ns",\n"otherData": {"source": "Bubblescope"},\n')
        total = max(1, len(exported))
        written = 0
        for count in write_event_list(file, _events(exported)):
            written += count
            # Names, arrows and counters are events too, but `total` only counts spans.
            yield min(1.0, written / total)
        file.write(b"}\n")


@contextmanager
def open_output(path: Path | str) -> Iterator[BinaryIO]:
    """Open a file that appears only when it is whole, compressed if its name ends in .gz."""
    with whole_file(path) as place, place.open("wb") as file:
        if str(path).lower().endswith(".gz"):
            # Without a name and a time in gzip's header, the same trace gives the same bytes.
            with gzip.GzipFile(
                "",
                "wb",
                compresslevel=5,
                fileobj=file,
                mtime=0,
            ) as compressed:
                yield cast(BinaryIO, compressed)
        else:
            yield file


def write_event_list(file: BinaryIO, parts: Iterable[list[Event]]) -> Iterator[int]:
    """Write the events of all parts as one list; yield the number of events of each part."""
    file.write(b'"traceEvents": [\n')
    is_first = True
    for part in parts:
        if part:
            if not is_first:
                file.write(b",\n")
            is_first = False
            encoded = map(msgspec.json.encode, part)
            file.write(b",\n".join(encoded))
        yield len(part)
    if not is_first:
        file.write(b"\n")
    file.write(b"]\n")


def microseconds(ns: int) -> float:
    """Convert ns to microseconds; in doubles, times up to 100 days stay exact to the ns."""
    return ns / 1000


def _events(exported: ExportedSpans) -> Iterator[list[Event]]:
    """Yield all events in parts: names of threads, spans, arrows, counters."""
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
    """Return the process and thread of each lane; a nested lane shares those of its outer lane."""
    pids: dict[str, int] = {}
    tids: dict[tuple[str, str], int] = {}
    threads: list[tuple[int, int]] = []
    has_plan = trace.header.source.has_plan
    for lane in trace.header.lanes:
        # These viewers nest the events of a thread by their times, so a nested lane needs no
        # separate thread. Lanes of a plan stay separate even if two have the same name.
        name = str(lane.index) if has_plan else _DEPTH.sub("", lane.name)
        next_pid = len(pids) + 1
        next_tid = len(tids) + 1
        pid = pids.setdefault(lane.device, next_pid)
        tid = tids.setdefault((lane.device, name), next_tid)
        threads.append((pid, tid))
    return threads


def _names(trace: Trace, threads: list[tuple[int, int]]) -> Iterator[Event]:
    """Yield the names of processes, and the names and positions of threads."""
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
    """Return the names of the colours that a file gave to events, by the positions of spans."""
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
    """Yield the two ends of an arrow for each dependency."""
    spans = exported.spans
    lane = exported.lane.tolist()
    # An arrow leaves in the last ns of its event: at the event's end, the next one of the thread
    # may already begin.
    last_ns = np.maximum(spans.start, spans.end - 1).tolist()
    start = spans.start.tolist()
    links = exported.links.tolist()
    for first, last in chunks(len(links)):
        events: list[Event] = []
        for number, (before, after) in enumerate(links[first:last], first + 1):
            from_thread = threads[lane[before]]
            to_thread = threads[lane[after]]
            events.append(_arrow_event("s", number, last_ns[before], from_thread))
            events.append(_arrow_event("f", number, start[after], to_thread))
        yield events


def _arrow_event(phase: str, number: int, time: int, thread: tuple[int, int]) -> Event:
    """Return one end of an arrow: phase "s" for its tail, "f" for its head. `time` is in ns."""
    pid, tid = thread
    return {
        "ph": phase,
        # Without "bp": "e" an arrow would go to the next event that begins after `time`.
        "bp": "e",
        "id": number,
        "cat": "waits",
        "name": "waits",
        "ts": microseconds(time),
        "pid": pid,
        "tid": tid,
    }


def _counter_events(trace: Trace, threads: list[tuple[int, int]]) -> Iterator[list[Event]]:
    """Yield the values of each counter, in the process of its lane or place, or process 0."""
    pids: dict[str, int] = {}
    for lane, (pid, _) in zip(trace.header.lanes, threads, strict=True):
        pids[lane.device] = pid
    places: Mapping[str, str] = {}
    if trace.imported is not None:
        places = trace.imported.counter_places
    for counter in trace.counters.values():
        if counter.lane is None:
            place = places.get(counter.name, "")
            pid = pids.get(place, 0)
        else:
            pid, _ = threads[counter.lane]
        name = counter_name(trace, counter)
        # JSON cannot express NaN and infinity.
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
