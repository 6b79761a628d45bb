"""Turns begins and ends, asynchronous events and instants into complete events."""

from __future__ import annotations

from collections import Counter as Counts
from collections import defaultdict
from collections.abc import Iterable

import msgspec
import numpy as np

from core.recording.importers.event_numbers import Scalar, to_float
from core.recording.importers.trace_events import KnownArguments, TraceEvent, TraceEvents
from core.recording.index import Progress, watched
from core.trace.import_issue import ImportIssue

# First words of the names of the rows of such events.
ASYNC = "async"
INSTANTS = "instants"
# Asynchronous events of the present format (b, e) and of an older one (S, F). The value is the
# phase of the begin, so that a begin and its end have the same key.
_BEGINS = {"b": "b", "S": "S"}
_ENDS = {"e": "b", "F": "S"}
_INSTANT = frozenset("iIRnTp")
_KNOWN_PHASES = frozenset("XMBECstfbeSF") | _INSTANT


def complete_events(events: TraceEvents, progress: Progress | None = None) -> None:
    """Add complete events for calls with begin and end, asynchronous events and instants.

    All other events are counted as issues. Raises Cancelled if `progress` returns False.
    """
    rest = events.rest
    issues = events.issues
    calls, ends = _calls(watched(rest, progress), issues)
    _add_pairs(events, calls, ends)
    tasks, ends = _asynchronous(watched(rest, progress), issues)
    _add_pairs(events, tasks, ends)
    instants = []
    times = []
    for event in watched(rest, progress):
        if event.ph in _INSTANT:
            row = f"{INSTANTS} of {event.tid}"
            instants.append(_on_row(event, row))
            times.append(to_float(event.ts))
    if instants:
        events.add_complete(instants, np.array(times))
    unknown = sum(event.ph not in _KNOWN_PHASES for event in rest)
    issues[ImportIssue.UNKNOWN] += unknown


def _on_row(event: TraceEvent, row: str) -> TraceEvent:
    """Return an event on another row of its process."""
    return msgspec.structs.replace(event, tid=row, dur=None)


def _add_pairs(events: TraceEvents, begun: list[TraceEvent], ends: list[float]) -> None:
    if begun:
        events.add_complete(begun, np.array(ends))


def _calls(
    rest: Iterable[TraceEvent], issues: Counts[ImportIssue]
) -> tuple[list[TraceEvent], list[float]]:
    """Return begins (B) and the times of their ends (E), which match because calls nest."""
    by_thread: dict[tuple[Scalar, Scalar], list[TraceEvent]] = defaultdict(list)
    for event in rest:
        if event.ph in ("B", "E"):
            by_thread[event.pid, event.tid].append(event)
    begun: list[TraceEvent] = []
    ends: list[float] = []
    for events in by_thread.values():
        # Files need not be in order of time. Events of one time stay in the order of the file.
        events.sort(key=lambda event: to_float(event.ts))
        open_calls: list[TraceEvent] = []
        for event in events:
            if event.ph == "B":
                open_calls.append(event)
            elif open_calls:
                begin = open_calls.pop()
                begun.append(_with_arguments_of_end(begin, event))
                ends.append(to_float(event.ts))
            else:
                issues[ImportIssue.NO_BEGIN] += 1
        issues[ImportIssue.NO_END] += len(open_calls)
    return begun, ends


def _with_arguments_of_end(begin: TraceEvent, end: TraceEvent) -> TraceEvent:
    """Return the begin with the arguments of both events; its own values take precedence.

    Details show the arguments of only one of the two: the end, if it has all known arguments.
    """
    if end.args is None:
        return begin
    if begin.args is None:
        return msgspec.structs.replace(begin, args=end.args, place=end.place)
    of_begin = _given(begin.args)
    of_end = _given(end.args)
    if of_end.keys() <= of_begin.keys():
        return begin
    end_has_all = of_begin.keys() <= of_end.keys()
    place = end.place if end_has_all else begin.place
    both = of_end | of_begin
    arguments = KnownArguments(**both)
    return msgspec.structs.replace(begin, args=arguments, place=place)


def _given(arguments: KnownArguments) -> dict[str, Scalar]:
    """Return the arguments that an event has, by field name."""
    values = msgspec.structs.asdict(arguments)
    return {name: value for name, value in values.items() if value is not None}


def _asynchronous(
    rest: Iterable[TraceEvent], issues: Counts[ImportIssue]
) -> tuple[list[TraceEvent], list[float]]:
    """Return begins of asynchronous events with the times of their ends.

    A begin and its end have the same id, category and name, and without an id the same process.
    """
    open_events: dict[tuple[Scalar, ...], list[TraceEvent]] = defaultdict(list)
    begun: list[TraceEvent] = []
    ends: list[float] = []
    for event in rest:
        phase = _BEGINS.get(event.ph) or _ENDS.get(event.ph)
        if phase is None:
            continue
        # Another process may end an event that has an id.
        process = event.pid if event.id is None else None
        key = (phase, event.cat, event.id, event.name, process)
        if event.ph in _BEGINS:
            open_events[key].append(event)
        elif open_events[key]:
            begin = open_events[key].pop()
            title = begin.cat or begin.name or ""
            row = f"{ASYNC} {title}".strip()
            begun.append(_on_row(begin, row))
            ends.append(to_float(event.ts))
        else:
            issues[ImportIssue.NO_BEGIN] += 1
    for unended in open_events.values():
        issues[ImportIssue.NO_END] += len(unended)
    return begun, ends
