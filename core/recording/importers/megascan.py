"""Traces of MegaScan's tracer for Megatron-LM: what ran in which iteration, micro-batch and stage.

Its events are begins and ends whose arguments say so. So do those of Bubblescope's own export,
whose categories are the kinds of tasks, and whose arrows are what tasks waited for.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from core.plan.plan import Role
from core.plan.task import ABSENT, KIND_CODES, Kind
from core.recording.importers.calls import (
    arrows,
    counters_of,
    names_of,
    thread_tracks,
    times_of,
    with_file_roles,
)
from core.recording.importers.found import Found, Steps, Track
from core.recording.importers.json_events import Events
from core.recording.importers.words import kind_of, matching, own_kinds
from core.recording.index import Progress

# The first that fits counts: `send_forward` is a copy, though it ends like a forward.
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
_WHOLE = re.compile(r"^(?:train[-_ ]?)?(?:iteration|step)\b", re.IGNORECASE)
"""What encloses all of an iteration, and so is no work of its own."""


def is_megascan(events: Events) -> bool:
    """Whether a file is one: some of its events have an iteration."""
    return any(not np.isnan(part).all() for part in events.columns["iteration"])


def found_of_megascan(events: Events, progress: Progress | None = None) -> Found:
    """The rows, tasks and steps of a file."""
    columns, names = events.whole(), names_of(events)
    start, end = times_of(columns["begin"], columns["length"])
    # A process is a rank; its threads are what it does at once, unless the file says otherwise.
    tracks = with_file_roles(events, thread_tracks(events, stream_of="rank"))
    notes = (
        Track(f"{track.name} iterations", track.place, Role.NESTED, thread)
        for thread, track in enumerate(tracks)
    )
    works = np.array([track.role is not Role.NESTED for track in tracks])
    encloses = matching(names, _WHOLE)[columns["name"]] & works[columns["thread"]]
    # What encloses an iteration lies on its thread's row of notes, which stand behind all threads.
    track = columns["thread"] + (len(tracks) * encloses).astype(np.int32)
    kinds = np.array([KIND_CODES[_kind(name)] for name in names], np.int8)[columns["name"]]
    own_kind = own_kinds(events.categories)[columns["category"]]
    kinds = np.where(own_kind == ABSENT, kinds, own_kind)
    # An iteration's event tells its number; what lies within it, often not.
    iteration = _whole(columns["iteration"])
    has_step = iteration >= 0
    steps = Steps.spanning(iteration[has_step], start[has_step], end[has_step])
    more = {
        "microbatch": _whole(columns["microbatch"]),
        "stage": np.minimum(_stage(columns), np.iinfo(np.int16).max),
    }
    own = np.where(iteration >= 0, iteration, steps.at(start))
    return Found(
        (*tracks, *notes),
        names,
        track,
        columns["name"],
        start,
        end,
        kinds,
        more,
        step=own.astype(np.int32),
        links=arrows(events, columns["thread"], start, end, progress),
        steps=steps,
        counters=counters_of(events),
        issues=events.issues,
    )


def _kind(name: str) -> Kind:
    found = next((kind for words, kind in _KINDS if words.search(name)), Kind.OTHER)
    return found if found is not Kind.OTHER else kind_of(name)


def _whole(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Numbers that are counted from 0; ABSENT for others."""
    counted = (values >= 0) & (values < np.iinfo(np.int32).max)
    return np.where(counted, values, ABSENT).astype(np.int64)


def _stage(columns: dict[str, NDArray[np.float64]]) -> NDArray[np.int64]:
    """The stage of the model: chunks of a rank lie as many stages apart as there are ranks."""
    rank, chunk = _whole(columns["pp_rank"]), _whole(columns["model_chunk"])
    ranks = int(rank.max(initial=0)) + 1
    return np.where(rank >= 0, np.maximum(chunk, 0) * ranks + rank, ABSENT)
