"""A trace in Chrome's format, which Perfetto and chrome://tracing show, packed or not.

A lane is a thread of its device's process; calls below a thread's are on that thread again. What a
task waited for are arrows, from the last moment of one event to the first of another.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import msgspec
import numpy as np

from core.files import whole_file
from core.plan.task import ABSENT
from core.recording.exporters.events import PIECE, Events, counter_name, pieces
from core.recording.role_words import role_words
from core.trace.own_colours import OWN_COLOURS
from core.trace.trace import Trace

Event = dict[str, object]
_DEPTH = re.compile(r" depth \d+$")
_NAMES = list(OWN_COLOURS)


def write_chrome(trace: Trace, path: Path | str) -> Generator[float, None, None]:
    """Write a trace; yields the share that is written. Packed where the name ends in .gz.

    A generator that is closed before its end leaves no file. Raises OSError in one line.
    """
    events = Events.of(trace)
    with opened(path) as file:
        file.write(b'{"displayTimeUnit": "ns",\n"otherData": {"source": "Bubblescope"},\n')
        whole, written = max(1, len(events)), 0
        for some in listed(file, _events(events)):
            written += some
            # Names, arrows and counters are written too, but not counted in `whole`.
            yield min(1.0, written / whole)
        file.write(b"}\n")


@contextmanager
def opened(path: Path | str) -> Iterator[BinaryIO]:
    """A file that is there whole or not at all, packed by gzip where its name ends in .gz."""
    with whole_file(path) as place, place.open("wb") as file:
        if str(path).lower().endswith(".gz"):
            # No name and a time of 0 in gzip's header: the same trace gives the same bytes.
            with gzip.GzipFile("", "wb", 5, file, 0) as packed:
                yield cast(BinaryIO, packed)
        else:
            yield file


def listed(file: BinaryIO, parts: Iterable[list[Event]]) -> Iterator[int]:
    """Write lists of events as the one of a file; yields how many each one had."""
    before = b'"traceEvents": [\n'
    for part in parts:
        if part:
            file.write(before + b",\n".join(map(msgspec.json.encode, part)))
            before = b",\n"
        yield len(part)
    # Where there was no event at all the list has not been opened yet.
    file.write(b"\n]\n" if before == b",\n" else before + b"]\n")


def micros(ns: int) -> float:
    """Microseconds of ns, told apart as long as doubles do: for 100 days."""
    return ns / 1000


def _events(events: Events) -> Iterator[list[Event]]:
    threads = _threads(events.trace)
    yield list(_named(events.trace, threads))
    start, length = events.spans.start.tolist(), (events.spans.end - events.spans.start).tolist()
    lane, colours = events.lane.tolist(), _colours(events)
    for first, last in pieces(len(events)):
        arguments = events.arguments(first, last)
        yield [
            {
                "ph": "X", "name": events.labels[n], "cat": events.kinds[n],
                "ts": micros(start[n]), "dur": micros(length[n]),
                "pid": threads[lane[n]][0], "tid": threads[lane[n]][1], **colours.get(n, {}),
                "args": arguments[n - first],
            }
            for n in range(first, last)
        ]  # fmt: skip
    yield from _arrows(events, threads)
    yield from _counted(events.trace, threads)


def _threads(trace: Trace) -> list[tuple[int, int]]:
    """Process and thread of each lane; a lane of nested calls has those of its own lane."""
    pids: dict[str, int] = {}
    tids: dict[tuple[str, str], int] = {}
    found = []
    for lane in trace.header.lanes:
        # These viewers nest events of one thread by their times, so each depth needs no thread.
        # Lanes of a plan stay apart even where two have one name.
        has_plan = trace.header.source.has_plan
        name = str(lane.index) if has_plan else _DEPTH.sub("", lane.name)
        pid = pids.setdefault(lane.device, len(pids) + 1)
        found.append((pid, tids.setdefault((lane.device, name), len(tids) + 1)))
    return found


def _named(trace: Trace, threads: list[tuple[int, int]]) -> Iterator[Event]:
    seen = set[tuple[int, int]]()
    for lane, (pid, tid) in zip(trace.header.lanes, threads, strict=True):
        if (pid, tid) not in seen:
            seen.add((pid, tid))
            yield metadata("process_name", pid, tid, {"name": lane.device})
            role = role_words(lane, threads[lane.serves][1])
            yield metadata("thread_name", pid, tid, {"name": lane.name, "lane role": role})
            yield metadata("thread_sort_index", pid, tid, {"sort_index": lane.index})


def metadata(name: str, pid: int, tid: int, arguments: Event) -> Event:
    """An event that says something of a process or a thread."""
    return {"ph": "M", "name": name, "pid": pid, "tid": tid, "args": arguments}


def _colours(events: Events) -> dict[int, Event]:
    """The own colours of those events of another program that have one."""
    imported = events.trace.imported
    if imported is None or imported.colours is None:
        return {}
    codes = imported.colours[events.spans.row]
    return {n: {"cname": _NAMES[codes[n]]} for n in np.flatnonzero(codes != ABSENT).tolist()}


def _arrows(events: Events, threads: list[tuple[int, int]]) -> Iterator[list[Event]]:
    spans, lane = events.spans, events.lane.tolist()
    # Within the event, at its last ns: at its end the next one of its thread may begin.
    leaves = np.maximum(spans.start, spans.end - 1).tolist()
    start = spans.start.tolist()
    links = events.links.tolist()
    for first in range(0, len(links), PIECE):
        some: list[Event] = []
        for number, (before, behind) in enumerate(links[first : first + PIECE], first + 1):
            for ph, at, times in (("s", before, leaves), ("f", behind, start)):
                pid, tid = threads[lane[at]]
                some.append(
                    {
                        # Without "bp": "e" an arrow would end at the next event that begins.
                        "ph": ph, "bp": "e", "id": number, "cat": "waits", "name": "waits",
                        "ts": micros(times[at]), "pid": pid, "tid": tid,
                    }
                )  # fmt: skip
        yield some


def _counted(trace: Trace, threads: list[tuple[int, int]]) -> Iterator[list[Event]]:
    """Yield the counters' values, each on its lane's process; on 0 those of the whole run."""
    processes = {
        lane.device: pid for lane, (pid, _) in zip(trace.header.lanes, threads, strict=True)
    }
    places = {} if trace.imported is None else trace.imported.counter_places
    for counter in trace.counters.values():
        if counter.lane is None:
            pid = processes.get(places.get(counter.name, ""), 0)
        else:
            pid = threads[counter.lane][0]
        times, values = counter.times.tolist(), counter.values.tolist()
        yield [
            {
                "ph": "C", "name": counter_name(trace, counter), "ts": micros(time), "pid": pid,
                "args": {"value": value},
            }
            for time, value in zip(times, values, strict=True)
            # JSON has no way to write NaN or infinity.
            if np.isfinite(value)
        ]  # fmt: skip
