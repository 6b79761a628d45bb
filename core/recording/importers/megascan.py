"""Traces of MegaScan's tracer for Megatron-LM: iteration, micro-batch and stage of each event.

Begin and end events have these as arguments. A process is a rank, which some files name as in
`DP0-PP1-TP0`. In files without such names, the threads of a process are ranks in tensor
parallelism. Ranks without names are named in the same way. Bubblescope's exports are read here too:
their categories are kinds of tasks, and their arrows are dependencies.
"""

from __future__ import annotations

import math
import re
from collections import Counter as Counts
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
    StepRanges,
)
from core.recording.importers.pipeline_places import PipelinePlaces, Transfer
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
"""Name of an event that encloses an iteration, and so is not work itself."""
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
    name = columns["name"]
    threads = columns["thread"]
    start, end = event_times(columns["begin"], columns["length"])
    # A process is a rank; its threads work at the same time, unless the file has their roles.
    columns["pp_rank"] = _ranks(events, columns)
    places = _places(events, columns, names)
    stream_of = "rank" if places is None else ""
    tracks = thread_tracks(events, stream_of=stream_of)
    if places is not None:
        tracks = _named_tracks(events, tracks, threads, places)
    tracks = with_exported_roles(events, tracks)
    annotations = []
    has_work = []
    for thread, track in enumerate(tracks):
        annotation = f"{track.name} iterations"
        annotations.append(
            ImportedTrack(
                name=annotation,
                place=track.place,
                role=Role.NESTED,
                serves=thread,
            )
        )
        has_work.append(track.role is not Role.NESTED)
    # An event that encloses an iteration is on its thread's track of annotations.
    is_work = np.array(has_work)[threads]
    names_iteration = matches(names, _ITERATION)
    is_iteration = names_iteration[name] & is_work
    iteration = _counted(columns["iteration"])
    steps = _steps(iteration, start, end)
    # The event of an iteration has its number; events within it often do not.
    step = np.where(iteration >= 0, iteration, steps.at(start))
    shift = len(tracks) * is_iteration
    track_of_event = threads + shift.astype(np.int32)
    most_stage = np.iinfo(np.int16).max
    attributes = {
        "microbatch": _counted(columns["microbatch"]),
        "stage": np.minimum(_stage(columns), most_stage),
    }
    if places is not None:
        attributes["replica"] = places.replica
    return ImportedEvents(
        tracks=(*tracks, *annotations),
        names=names,
        track=track_of_event,
        name=name,
        start=start,
        end=end,
        kind=_kinds(events, columns, names),
        attributes=attributes,
        step=step.astype(np.int32),
        links=links_of_flows(
            events=events,
            thread=threads,
            start=start,
            end=end,
            progress=progress,
        ),
        steps=steps,
        counters=counters_of_events(events),
        issues=events.issues,
        pipeline=places,
    )


def _places(
    events: TraceEvents, columns: dict[str, NDArray[Any]], names: tuple[str, ...]
) -> PipelinePlaces | None:
    """Return the places of the events in a pipeline; None if no pass has a rank and a micro-batch.

    A process is a rank: its events without `pp_rank` have the rank of its other events. Processes
    of the same rank belong to different replicas, in the order of their numbers, and so do the
    threads of one process that have passes.
    """
    rank = _counted(columns["pp_rank"])
    microbatch = _counted(columns["microbatch"])
    kind = _kinds(events, columns, names)
    has_place = PASSES[kind]
    has_place &= rank >= 0
    has_place &= rank <= MOST_RANK
    has_place &= microbatch >= 0
    if not has_place.any():
        return None
    rank_of: dict[Scalar, int] = {}
    replica_of: dict[Scalar, int] = {}
    replica_of_thread: dict[int, int] = {}
    uses = Counts[int]()
    threads = list(events.threads)
    thread_of_event = columns["thread"]
    first_ranks = _first_of_threads(thread_of_event, rank, has_place)

    def thread_order(thread: int) -> tuple[float, float]:
        pid, tid = threads[thread]
        return _number_or_last(pid), _number_or_last(tid)

    for thread in sorted(first_ranks, key=thread_order):
        pid, _ = threads[thread]
        own_rank = rank_of.setdefault(pid, first_ranks[thread])
        replica = min(uses[own_rank], MOST_RANK)
        replica_of_thread[thread] = replica
        replica_of.setdefault(pid, replica)
        uses[own_rank] += 1
    ranks = []
    replicas = []
    for thread, (pid, _) in enumerate(threads):
        replica_of_process = replica_of.get(pid, ABSENT)
        replica = replica_of_thread.get(thread, replica_of_process)
        ranks.append(rank_of.get(pid, ABSENT))
        replicas.append(replica)
    chunk = _counted(columns["model_chunk"])
    limited_chunk = np.minimum(chunk, MOST_RANK)
    rank_of_thread = np.array(ranks, np.int32)
    replica_of_each = np.array(replicas, np.int32)
    transfers = [_transfer(name) for name in names]
    transfer_of_name = np.array(transfers, np.int8)
    return replace(
        PipelinePlaces.unknown(len(rank)),
        rank=rank_of_thread[thread_of_event],
        chunk=limited_chunk.astype(np.int32),
        replica=replica_of_each[thread_of_event],
        transfer=transfer_of_name[columns["name"]],
    )


def _number_or_last(number: Scalar) -> float:
    """Return the number of a process or a thread as a sort key that puts names last."""
    if isinstance(number, int | float):
        return number
    return math.inf


def _ranks(events: TraceEvents, columns: dict[str, NDArray[Any]]) -> Floats:
    """Return the rank of each event: its `pp_rank`, or the rank in the name of its process."""
    named = []
    for _, process in thread_names(events):
        match = _RANK_NAME.match(process)
        rank = np.nan
        if match is not None:
            rank = float(match[1])
        named.append(rank)
    given: Floats = columns["pp_rank"]
    of_process: Floats = np.array(named)[columns["thread"]]
    return np.where(np.isnan(given), of_process, given)


@dataclass(frozen=True, slots=True)
class _ThreadPlace:
    """The rank of a thread in the pipeline, and its replica."""

    rank: int
    replica: int

    def text(self, tensors: int) -> str:
        """Return the place as in `DP0-PP1-TP0`, given the number of ranks in tensor parallelism."""
        data = self.replica // tensors
        text = f"DP{data}-PP{self.rank}"
        if tensors > 1:
            tensor = self.replica % tensors
            text = f"{text}-TP{tensor}"
        return text


def _named_tracks(
    events: TraceEvents,
    tracks: Sequence[ImportedTrack],
    thread: NDArray[np.int32],
    places: PipelinePlaces,
) -> tuple[ImportedTrack, ...]:
    """Return the tracks with names of ranks, as in `DP0-PP1-TP0`, where the file has no names.

    If a rank has only one thread, the track is named after the rank.
    """
    threads, first = np.unique(thread, return_index=True)
    numbers = threads.tolist()
    ranks = places.rank[first].tolist()
    replicas = places.replica[first].tolist()
    place_of = {}
    for number, rank, replica in zip(numbers, ranks, replicas, strict=True):
        place_of[number] = _ThreadPlace(rank, replica)
    ids = list(events.threads)
    working: dict[Scalar, list[int]] = {}
    for number, (pid, _) in enumerate(ids):
        is_working = tracks[number].role is not Role.NESTED
        if is_working and number in place_of:
            of_process = working.setdefault(pid, [])
            of_process.append(number)
    named = list(tracks)
    for pid, numbers in working.items():
        replicas = [place_of[number].replica for number in numbers]
        tensors = len(set(replicas))
        for number in numbers:
            own = place_of[number]
            if own.rank == ABSENT:
                continue
            track = tracks[number]
            place = track.place
            if place == f"process {pid}":
                place = own.text(tensors)
            name = track.name
            _, tid = ids[number]
            if name == f"thread {tid}":
                is_only = replicas.count(own.replica) == 1
                name = place if is_only else f"{place} {name}"
            named[number] = replace(track, name=name, place=place)
    for number, track in enumerate(tracks):
        if track.role is Role.NESTED and track.serves != ABSENT:
            former_name = tracks[track.serves].name
            served = named[track.serves]
            name = track.name.replace(former_name, served.name)
            named[number] = replace(track, name=name, place=served.place)
    return tuple(named)


def _first_of_threads(thread: NDArray[np.int32], rank: Ints, has_place: Bools) -> dict[int, int]:
    """Return the rank of the first event with a place of each thread that has one."""
    placed = np.flatnonzero(has_place)
    threads, first = np.unique(thread[placed], return_index=True)
    first_events = placed[first]
    first_ranks = rank[first_events]
    return dict(zip(threads.tolist(), first_ranks.tolist(), strict=True))


def _transfer(name: str) -> int:
    """Return the transfer that a name describes, as a value of Transfer, or ABSENT."""
    for pattern, transfer in _TRANSFERS:
        if pattern.search(name):
            return transfer
    return ABSENT


def _steps(iteration: Ints, start: Ints, end: Ints) -> StepRanges:
    """Return the steps of the events that have an iteration."""
    has_step = iteration >= 0
    return StepRanges.spanning(iteration[has_step], start[has_step], end[has_step])


def _kinds(
    events: TraceEvents, columns: dict[str, NDArray[np.int32]], names: tuple[str, ...]
) -> NDArray[np.int8]:
    """Return the kind of each event by its category, or else by its name."""
    codes = [KIND_CODES[_kind(name)] for name in names]
    code_of_name = np.array(codes, np.int8)
    by_name = code_of_name[columns["name"]]
    code_of_category = kinds_from_categories(events.categories)
    by_category = code_of_category[columns["category"]]
    return np.where(by_category == ABSENT, by_name, by_category)


def _kind(name: str) -> Kind:
    for pattern, kind in _KINDS:
        if pattern.search(name):
            return kind
    return kind_from_name(name)


def _counted(values: Floats) -> Ints:
    """Return the values as integers, with ABSENT for negative, too large and NaN values."""
    limit = np.iinfo(np.int32).max
    is_valid = (values >= 0) & (values < limit)
    counted = np.where(is_valid, values, ABSENT)
    return counted.astype(np.int64)


def _stage(columns: dict[str, Floats]) -> Ints:
    """Return the stage of each event: chunk times the number of ranks, plus the rank."""
    rank = _counted(columns["pp_rank"])
    chunk = _counted(columns["model_chunk"])
    ranks = int(rank.max(initial=0)) + 1
    stage = np.maximum(chunk, 0) * ranks + rank
    return np.where(rank >= 0, stage, ABSENT)
