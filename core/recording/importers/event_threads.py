"""Threads of a file in the Trace Event Format: their names, and the tracks for them."""

from __future__ import annotations

from collections.abc import Sequence

from core.plan.plan import Role
from core.plan.task import ABSENT
from core.recording.importers.complete_events import ASYNC, INSTANTS
from core.recording.importers.event_numbers import Scalar
from core.recording.importers.imported_events import ImportedTrack
from core.recording.importers.roles import with_roles
from core.recording.importers.trace_events import TraceEvent, TraceEvents
from core.recording.role_text import TrackRole, parse_role
from core.trace.import_issue import ImportIssue

ASCEND_DEVICE = "Ascend Hardware"
_OF_INSTANTS = f"{INSTANTS} of "


def thread_names(events: TraceEvents) -> list[tuple[str, str]]:
    """Return the names of each thread and its process, from metadata or from their numbers."""
    processes: dict[Scalar, str] = {}
    # Keyed by text, because the row of a thread's instants has the thread's number as text.
    threads: dict[tuple[Scalar, str], str] = {}
    for event in events.rest:
        if event.ph != "M" or event.name not in ("process_name", "thread_name"):
            continue
        name = None
        if event.args is not None:
            name = event.args.name
        if not isinstance(name, str):
            events.issues[ImportIssue.NO_METADATA] += 1
        elif not name.strip():
            continue  # A blank name cannot be read: the number names it.
        elif event.name == "process_name":
            processes[event.pid] = name
        elif event.tid is not None:
            threads[event.pid, str(event.tid)] = name
    found = []
    for pid, tid in events.threads:
        process = processes.get(pid) or f"process {pid}"
        thread = _thread_name(threads, pid, str(tid))
        found.append((thread, process))
    return found


def _thread_name(threads: dict[tuple[Scalar, str], str], pid: Scalar, tid: str) -> str:
    if tid.startswith(INSTANTS):
        thread = tid.removeprefix(_OF_INSTANTS)
        thread_name = _thread_name(threads, pid, thread)
        return f"{_OF_INSTANTS}{thread_name}"
    name = threads.get((pid, tid))
    if name:
        return name
    if tid.startswith(ASYNC):
        return tid
    return f"thread {tid}"


def process_names(events: TraceEvents) -> dict[Scalar, str]:
    """Return the names of processes in the metadata, by process number."""
    names: dict[Scalar, str] = {}
    for event in events.rest:
        name = _metadata_name(event)
        if event.name == "process_name" and name is not None:
            names[event.pid] = name
    return names


def has_ascend_device(events: TraceEvents) -> bool:
    """Return True if a process has the name that Ascend's profiler gives to the device."""
    return ASCEND_DEVICE in process_names(events).values()


def _metadata_name(event: TraceEvent) -> str | None:
    """Return the name in an event of metadata; None for other events."""
    if event.ph != "M" or event.args is None:
        return None
    name = event.args.name
    if not isinstance(name, str):
        return None
    return name


def thread_tracks(events: TraceEvents, stream_of: str = "") -> tuple[ImportedTrack, ...]:
    """Return a track for each thread; instants of a thread are annotations on a separate track.

    If a file has only instants, their tracks count as work; otherwise nothing would be shown.
    """
    places = _places(events)
    names = thread_names(events)
    tracks = []
    for (name, process), (pid, tid) in zip(names, events.threads, strict=True):
        row = str(tid)
        if not row.startswith(INSTANTS):
            tracks.append(ImportedTrack(name, process, stream_of=stream_of))
            continue
        thread = row.removeprefix(_OF_INSTANTS)
        serves = places.get((pid, thread), ABSENT)
        tracks.append(
            ImportedTrack(
                name=name,
                place=process,
                role=Role.NESTED,
                serves=serves,
            )
        )
    has_work = any(track.role is not Role.NESTED for track in tracks)
    if not has_work:
        tracks = [ImportedTrack(each.name, each.place, stream_of=stream_of) for each in tracks]
    return tuple(tracks)


def _places(events: TraceEvents) -> dict[tuple[Scalar, str], int]:
    """Return the position of each thread by its process and the text of its number."""
    places = {}
    for place, (pid, tid) in enumerate(events.threads):
        places[pid, str(tid)] = place
    return places


def with_exported_roles(
    events: TraceEvents, tracks: Sequence[ImportedTrack]
) -> tuple[ImportedTrack, ...]:
    """Return the tracks of threads with the roles that Bubblescope's exports have in metadata."""
    places = _places(events)
    # Bubblescope's thread numbers are unique across processes, so they are enough here.
    places_by_thread = {tid: place for (_, tid), place in places.items()}
    roles: dict[int, TrackRole] = {}
    for event in events.rest:
        if event.ph != "M" or event.args is None:
            continue
        parsed = parse_role(event.args.role)
        place = places.get((event.pid, str(event.tid)))
        if parsed is None or place is None:
            continue
        role, served_thread = parsed
        serves = places_by_thread.get(str(served_thread), ABSENT)
        roles[place] = role, serves
    return with_roles(tracks, range(len(tracks)), roles)
