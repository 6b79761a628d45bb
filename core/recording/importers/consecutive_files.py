"""Joins the files of one rank that a profiler wrote one after the other.

A profiler that records several times, such as torch.profiler with `repeat`, writes a file each
time. The files have one clock.
"""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.plan.plan import Role
from core.plan.task import ABSENT
from core.recording.importers.concatenated_events import concatenate_events
from core.recording.importers.imported_events import (
    ImportedCounter,
    ImportedEvents,
    ImportedTrack,
)

_TrackKey = tuple[str, str, str, bool, int]


def continues(later: ImportedEvents, earlier: ImportedEvents) -> bool:
    """Return True if a file of a rank begins after another one, with a later step."""
    if later.start.min() < earlier.end.max():
        return False
    own = later.steps.number
    previous = earlier.steps.number
    if not len(own) or not len(previous):
        return not len(own) and not len(previous)
    return bool(own[0] > previous[-1])


def join_files(files: Sequence[ImportedEvents]) -> ImportedEvents:
    """Return the events of a rank's files, in order of time, on common tracks and counters."""
    if len(files) == 1:
        return files[0]
    new_tracks: list[ImportedTrack] = []
    # The new number of each track, in the order of the files.
    numbers: list[int] = []
    number_of_key: dict[_TrackKey, int] = {}
    for file in files:
        first = len(numbers)
        for key in _keys(file.tracks):
            numbers.append(number_of_key.setdefault(key, len(number_of_key)))
        for number, track in zip(numbers[first:], file.tracks, strict=True):
            if number < len(new_tracks):
                continue
            serves = ABSENT
            if track.serves >= 0:
                serves = numbers[first + track.serves]
            new_tracks.append(replace(track, serves=serves))
    joined = concatenate_events(files)
    new_number = np.array(numbers, np.int32)
    return replace(
        joined,
        tracks=tuple(new_tracks),
        track=new_number[joined.track],
        counters=_joined_counters(joined.counters),
    )


def _keys(tracks: Sequence[ImportedTrack]) -> list[_TrackKey]:
    """Return a key for each track of a file, which is the same in other files of the rank."""
    uses = Counts[tuple[str, str, str, bool]]()
    keys = []
    for track in tracks:
        is_nested = track.role is Role.NESTED
        looks = (track.name, track.place, track.stream_of, is_nested)
        keys.append((*looks, uses[looks]))
        uses[looks] += 1
    return keys


def _joined_counters(counters: Sequence[ImportedCounter]) -> tuple[ImportedCounter, ...]:
    """Return the counters; those of one name and place are one."""
    found: dict[tuple[str, str], ImportedCounter] = {}
    for counter in counters:
        key = counter.name, counter.place
        if key in found:
            times = np.concatenate([found[key].times, counter.times])
            values = np.concatenate([found[key].values, counter.values])
            counter = replace(counter, times=times, values=values)
        found[key] = counter
    return tuple(found.values())
