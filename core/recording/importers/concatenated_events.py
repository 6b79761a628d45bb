"""Combines the events of several files: common tracks, names, process groups and steps."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.plan.task import ABSENT
from core.recording.importers.imported_events import (
    MOST_GROUP_NUMBER,
    ImportedCounter,
    ImportedEvents,
    ImportedTrack,
    StepRanges,
)
from core.recording.importers.pipeline_places import PipelinePlaces
from core.trace.event_arguments import concatenated
from core.trace.import_issue import ImportIssue
from core.trace.imported import Direction


def concatenate_events(parts: Sequence[ImportedEvents]) -> ImportedEvents:
    """Return the events of several files one after another, on the tracks of all files."""
    parts, groups = _with_common_groups(parts)
    tracks: list[ImportedTrack] = []
    counters: list[ImportedCounter] = []
    names: dict[str, int] = {}
    name_columns = []
    track_columns = []
    link_columns = []
    arguments = []
    issues = Counts[ImportIssue]()
    exchanges: dict[str, Sequence[Direction]] = {}
    first = 0
    for part in parts:
        exchanges.update(part.exchanges)
        code_of_name = _codes(part.names, names)
        # The additional entry at the end is for events without a name, which are -1.
        codes = np.array([*code_of_name, 0], np.int32)
        first_track = np.int32(len(tracks))
        name_columns.append(codes[part.name])
        track_columns.append(part.track + first_track)
        link_columns.append(part.links + first)
        tracks += _renumbered(part.tracks, len(tracks))
        counters += part.counters
        issues += part.issues
        count = len(part)
        arguments.append((count, part.arguments))
        first += count
    return ImportedEvents(
        tracks=tuple(tracks),
        names=tuple(names),
        track=np.concatenate(track_columns),
        name=np.concatenate(name_columns),
        start=np.concatenate([part.start for part in parts]),
        end=np.concatenate([part.end for part in parts]),
        kind=np.concatenate([part.kind for part in parts]),
        attributes=_all_attributes(parts),
        launched=_optional_column(parts, "launched"),
        step=_optional_column(parts, "step"),
        links=np.concatenate(link_columns),
        steps=StepRanges.joined([part.steps for part in parts]),
        counters=tuple(counters),
        issues=issues,
        arguments=concatenated(arguments),
        colours=_optional_column(parts, "colours"),
        world_size=max(part.world_size for part in parts),
        groups=groups,
        exchanges=exchanges,
        sequence=_optional_column(parts, "sequence"),
        recorded=tuple(chain.from_iterable(part.recorded for part in parts)),
        pipeline=_all_places(parts),
    )


def _codes(texts: Sequence[str], numbers: dict[str, int]) -> list[int]:
    """Return the number of each text in `numbers`; new texts are added with the next numbers."""
    codes = []
    for text in texts:
        next_number = len(numbers)
        codes.append(numbers.setdefault(text, next_number))
    return codes


def _all_places(parts: Sequence[ImportedEvents]) -> PipelinePlaces | None:
    """Return the places of the events of all parts; None if no part has any."""
    has_places = False
    all_places = []
    for part in parts:
        places = part.pipeline
        if places is None:
            places = PipelinePlaces.unknown(len(part))
        else:
            has_places = True
        all_places.append(places)
    if not has_places:
        return None
    first, *others = all_places
    return first.followed_by(others)


def _renumbered(tracks: Sequence[ImportedTrack], first: int) -> list[ImportedTrack]:
    """Return the tracks with positions in `serves` shifted by `first`, for tracks before them."""
    found = []
    for track in tracks:
        serves = ABSENT
        if track.serves >= 0:
            serves = track.serves + first
        found.append(replace(track, serves=serves))
    return found


def _with_common_groups(
    parts: Sequence[ImportedEvents],
) -> tuple[list[ImportedEvents], tuple[str, ...]]:
    """Return the parts with one number for each process group's name, and these names."""
    groups: dict[str, int] = {}
    changed = []
    for part in parts:
        if not part.groups:
            changed.append(part)
            continue
        numbers = _codes(part.groups, groups)
        limited = [min(number, MOST_GROUP_NUMBER) for number in numbers]
        # The last entry is for events without a group, which are -1.
        codes = np.array([*limited, ABSENT], np.int16)
        attributes = dict(part.attributes)
        own_bucket = attributes["bucket"]
        attributes["bucket"] = codes[own_bucket]
        changed.append(replace(part, attributes=attributes))
    return changed, tuple(groups)


def _all_attributes(parts: Sequence[ImportedEvents]) -> dict[str, NDArray[Any]]:
    """Return the attributes that any part has; ABSENT for events of other parts."""
    names: dict[str, None] = {}
    for part in parts:
        names.update(dict.fromkeys(part.attributes))
    found: dict[str, NDArray[Any]] = {}
    for name in names:
        columns: list[NDArray[Any]] = []
        for part in parts:
            absent = np.full(len(part), ABSENT)
            columns.append(part.attributes.get(name, absent))
        found[name] = np.concatenate(columns)
    return found


def _optional_column(parts: Sequence[ImportedEvents], name: str) -> NDArray[Any] | None:
    """Return a column that only some parts may have; None if no part has it."""
    columns = [getattr(part, name) for part in parts]
    if all(column is None for column in columns):
        return None
    filled = []
    for part, column in zip(parts, columns, strict=True):
        if column is None:
            column = np.full(len(part), ABSENT)
        filled.append(column)
    return np.concatenate(filled)
