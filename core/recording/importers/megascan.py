"""Traces of MegaScan's tracer for Megatron-LM: iteration, micro-batch and stage of each event.

Begin and end events have them as arguments. A process is a rank, which some files name as in
`DP0-PP1-TP0`; in files without these names, threads of a process are its ranks in tensor
parallelism. Ranks without names are named in the same way. Bubblescope's exports are read here too:
their categories are kinds of tasks, and their arrows are dependencies.
"""

from __future__ import annotations

import math
import re
from collections import Counter as Counts
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Floats, Ints
from core.plan.plan import Role
from core.plan.task import ABSENT, KIND_CODES, PASSES, Kind
from core.recording.importers.event_counters import counters_of_events
from core.recording.importers.event_flows import links_of_flows
from core.recording.importers.event_names import kind_from_name, kinds_from_categories, matches
from core.recording.importers.event_numbers import Scalar, event_times
from core.recording.importers.event_threads import (
    thread_names,
    thread_tracks,
    with_exported_roles,
)
from core.recording.importers.imported_events import (
    ImportedEvents,
    ImportedTrack,
    PipelinePlaces,
    StepRanges,
    Transfer,
)
from core.recording.importers.trace_events import TraceEvents
from core.recording.index import Progress

# The first match counts: `send_forward` is a copy, although it contains "forward".
_KINDS = (
    (re.compile(r"all[-_]?reduce", re.IGNORECASE), Kind.ALL_REDUCE),
    (re.compile(r"all[-_]?gather", re.IGNORECASE), Kind.ALL_GATHER),
    (re.compile(r"reduce[-_]?scatter", re.IGNORECASE), Kind.REDUCE_SCATTER),
    (re.compile(r"all[-_]?to[-_]?all", re.IGNORECASE), Kind.ALL_TO_ALL),
    (re.compile(r"send|recv|exchange", re.IGNORECASE), Kind.COPY),
    (re.compile(r"^(?:\w+[-_ ])?forward", re.IGNORECASE), Kind.FORWARD),
    (re.compile(r"^(?:\w+[-_ ])?backward", re.IGNORECASE), Kind.BACKWARD),
    (re.compile(r"optimizer", re.IGNORECASE), Kind.STEP),
)
_TRANSFERS = (
    (re.compile(r"^send[-_](?:forward|warmup)", re.IGNORECASE), Transfer.FORWARD_SEND),
    (re.compile(r"^recv[-_](?:forward|warmup)", re.IGNORECASE), Transfer.FORWARD_RECEIVE),
    (re.compile(r"^send[-_](?:backward|cooldown)", re.IGNORECASE), Transfer.BACKWARD_SEND),
    (re.compile(r"^recv[-_](?:backward|cooldown)", re.IGNORECASE), Transfer.BACKWARD_RECEIVE),
)
MOST_RANK = (1 << 15) - 1
"""Largest number of a rank or a chunk."""
_ITERATION = re.compile(r"^(?:train[-_ ]?)?(?:iteration|step)\b", re.IGNORECASE)
"""Name of an event that encloses an iteration, and so is no work itself."""
_RANK_NAME = re.compile(r"^DP\d{1,5}-PP(\d{1,5})-TP\d{1,5}$")
"""Name of a process that is a rank: its places in data, pipeline and tensor parallelism."""


def is_megascan(events: TraceEvents) -> bool:
    """Return True if any event has the argument `iteration`."""
    return any(not np.isnan(part).all() for part in events.columns["iteration"])


def read_megascan(
    events: TraceEvents, path: Path, progress: Progress | None = None
) -> ImportedEvents:
    """Return the events of a file. Raises Cancelled if `progress` returns False."""
    columns = events.whole_columns()
    names = events.labels
    start, end = event_times(columns["begin"], columns["length"])
    # A process is a rank; its threads work at the same time, unless the file has their roles.
    columns["pp_rank"] = _ranks(events, columns)
    places = _places(events, columns, names)
    stream_of = "rank" if places is None else ""
    tracks = thread_tracks(events, stream_of=stream_of)
    if places is not None:
        tracks = _named_tracks(events, tracks, columns["thread"], places)
    tracks = with_exported_roles(events, tracks)
    annotations = []
    for thread, track in enumerate(tracks):
        name = f"{track.name} iterations"
        annotations.append(ImportedTrack(name, track.place, Role.NESTED, thread))
    # An event that encloses an iteration is on its thread's track of annotations.
    threads = columns["thread"]
    has_work = np.array([track.role is not Role.NESTED for track in tracks])
    is_work = has_work[threads]
    is_iteration = matches(names, _ITERATION)[columns["name"]] & is_work
    iteration = _counted(columns["iteration"])
    steps = _steps(iteration, start, end)
    # The event of an iteration has its number; events within it often do not.
    step = np.where(iteration >= 0, iteration, steps.at(start))
    shift = len(tracks) * is_iteration
    stage = np.minimum(_stage(columns), np.iinfo(np.int16).max)
    return ImportedEvents(
        tracks=(*tracks, *annotations),
        names=names,
        track=threads + shift.astype(np.int32),
        name=columns["name"],
        start=start,
        end=end,
        kind=_kinds(events, columns, names),
        attributes={
            "microbatch": _counted(columns["microbatch"]),
            "stage": stage,
            **_replicas(places),
        },
        step=step.astype(np.int32),
        links=links_of_flows(events, threads, start, end, progress),
        steps=steps,
        counters=counters_of_events(events),
        issues=events.issues,
        pipeline=places,
    )


def _places(
    events: TraceEvents, columns: dict[str, NDArray[Any]], names: tuple[str, ...]
) -> PipelinePlaces | None:
    """Return the places of the events in a pipeline; None if no pass has a rank and a micro-batch.

    A process is a rank: its events without `pp_rank` have the rank of the others. Processes with
    one rank belong to different replicas, in the order of their numbers, and so do threads of one
    process that have passes.
    """
    rank = _counted(columns["pp_rank"])
    microbatch = _counted(columns["microbatch"])
    has_place = (rank >= 0) & (rank <= MOST_RANK) & (microbatch >= 0)
    is_pass = PASSES[_kinds(events, columns, names)]
    if not (has_place & is_pass).any():
        return None
    rank_of: dict[Scalar, int] = {}
    replica_of: dict[Scalar, int] = {}
    replica_of_thread: dict[int, int] = {}
    uses = Counts[int]()
    threads = list(events.threads)
    processes = [pid for pid, _ in threads]
    found = _first_of_threads(columns["thread"], rank, has_place & is_pass)
    for thread, own in sorted(found, key=lambda one: _thread_order(*threads[one[0]])):
        pid = processes[thread]
        own = rank_of.setdefault(pid, own)
        replica_of_thread[thread] = min(uses[own], MOST_RANK)
        replica_of.setdefault(pid, replica_of_thread[thread])
        uses[own] += 1
    ranks = np.array([rank_of.get(pid, ABSENT) for pid in processes], np.int32)
    replicas = np.array([replica_of.get(pid, ABSENT) for pid in processes], np.int32)
    for thread, replica in replica_of_thread.items():
        replicas[thread] = replica
    transfers = np.array([_transfer(name) for name in names], np.int8)
    return replace(
        PipelinePlaces.unknown(len(rank)),
        rank=ranks[columns["thread"]],
        chunk=np.minimum(_counted(columns["model_chunk"]), MOST_RANK).astype(np.int32),
        replica=replicas[columns["thread"]],
        transfer=transfers[columns["name"]],
    )


def _thread_order(pid: Scalar, tid: Scalar) -> tuple[float, float]:
    """Return the sort key of a thread: the numbers of its process and its own; names are last."""
    process = pid if isinstance(pid, int | float) else math.inf
    thread = tid if isinstance(tid, int | float) else math.inf
    return process, thread


def _ranks(events: TraceEvents, columns: dict[str, NDArray[Any]]) -> Floats:
    """Return the rank of each event: its `pp_rank`, or else that in the name of its process."""
    named = []
    for _, process in thread_names(events):
        match = _RANK_NAME.match(process)
        named.append(np.nan if match is None else float(match[1]))
    given: Floats = columns["pp_rank"]
    of_process: Floats = np.array(named)[columns["thread"]]
    return np.where(np.isnan(given), of_process, given)


def _named_tracks(
    events: TraceEvents,
    tracks: Sequence[ImportedTrack],
    thread: NDArray[np.int32],
    places: PipelinePlaces,
) -> tuple[ImportedTrack, ...]:
    """Return the tracks with names of ranks, as in `DP0-PP1-TP0`, where the file has no names.

    The only thread of a rank has the rank's name alone.
    """
    threads, first = np.unique(thread, return_index=True)
    rank_of = dict(zip(threads.tolist(), places.rank[first].tolist(), strict=True))
    replica_of = dict(zip(threads.tolist(), places.replica[first].tolist(), strict=True))
    ids = list(events.threads)
    working: dict[Scalar, list[int]] = {}
    for number, (pid, _) in enumerate(ids):
        if tracks[number].role is not Role.NESTED and number in rank_of:
            working.setdefault(pid, []).append(number)
    named = list(tracks)
    for pid, numbers in working.items():
        replicas = [replica_of[number] for number in numbers]
        tensors = len(set(replicas))
        for number, replica in zip(numbers, replicas, strict=True):
            if rank_of[number] == ABSENT:
                continue
            track = tracks[number]
            place = track.place
            if place == f"process {pid}":
                place = f"DP{replica // tensors}-PP{rank_of[number]}"
                if tensors > 1:
                    place = f"{place}-TP{replica % tensors}"
            name = track.name
            if name == f"thread {ids[number][1]}":
                name = place if replicas.count(replica) == 1 else f"{place} {name}"
            named[number] = replace(track, name=name, place=place)
    for number, track in enumerate(tracks):
        if track.role is Role.NESTED and track.serves != ABSENT:
            served = named[track.serves]
            name = track.name.replace(tracks[track.serves].name, served.name)
            named[number] = replace(track, name=name, place=served.place)
    return tuple(named)


def _first_of_threads(
    thread: NDArray[np.int32], rank: Ints, has_place: Bools
) -> list[tuple[int, int]]:
    """Return each thread that has an event with a place, and the rank of the first of these."""
    placed = np.flatnonzero(has_place)
    threads, first = np.unique(thread[placed], return_index=True)
    first_ranks = rank[placed[first]]
    return list(zip(threads.tolist(), first_ranks.tolist(), strict=True))


def _transfer(name: str) -> int:
    """Return the transfer that a name means, as a value of Transfer; ABSENT for other names."""
    for pattern, transfer in _TRANSFERS:
        if pattern.search(name):
            return transfer
    return ABSENT


def _replicas(places: PipelinePlaces | None) -> dict[str, NDArray[Any]]:
    """Return the attribute of tasks with their replica, if they are parts of a pipeline."""
    return {} if places is None else {"replica": places.replica}


def _steps(iteration: Ints, start: Ints, end: Ints) -> StepRanges:
    """Return the steps of the events that have an iteration."""
    has_step = iteration >= 0
    return StepRanges.spanning(iteration[has_step], start[has_step], end[has_step])


def _kinds(
    events: TraceEvents, columns: dict[str, NDArray[np.int32]], names: tuple[str, ...]
) -> NDArray[np.int8]:
    """Return the kind of each event by its category, or else by its name."""
    codes = np.array([KIND_CODES[_kind(name)] for name in names], np.int8)
    by_name = codes[columns["name"]]
    by_category = kinds_from_categories(events.categories)[columns["category"]]
    return np.where(by_category == ABSENT, by_name, by_category)


def _kind(name: str) -> Kind:
    for pattern, kind in _KINDS:
        if pattern.search(name):
            return kind
    return kind_from_name(name)


def _counted(values: Floats) -> Ints:
    """Return numbers from 0 on, with ABSENT for other values."""
    is_valid = (values >= 0) & (values < np.iinfo(np.int32).max)
    return np.where(is_valid, values, ABSENT).astype(np.int64)


def _stage(columns: dict[str, Floats]) -> Ints:
    """Return the stage of each event: the chunks of a rank are as many stages apart as ranks."""
    rank = _counted(columns["pp_rank"])
    chunk = _counted(columns["model_chunk"])
    ranks = int(rank.max(initial=0)) + 1
    return np.where(rank >= 0, np.maximum(chunk, 0) * ranks + rank, ABSENT)
