"""Adds copies between the ranks of a pipeline to the events of a file, on separate tracks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.order import groups, row_keys
from core.plan.plan import Role
from core.plan.task import ABSENT, KIND_CODES, PAYLOAD_CODES, Kind, Payload
from core.recording.importers.imported_events import ImportedEvents, ImportedTrack, Number
from core.recording.importers.pipeline_edges import Edges

INFERRED = "inferred transfer"
"""Name of a copy that is not in the file."""
_COPY = np.int8(KIND_CODES[Kind.COPY])


@dataclass(frozen=True, slots=True)
class Copies:
    """The n copies of some dependencies: their times in ns, and whether they are inferred."""

    edges: Edges
    start: Ints
    end: Ints
    is_inferred: bool

    def inferred_mask(self) -> Bools:
        """Return a mask of shape (n,): true for inferred copies."""
        return np.full(len(self.start), self.is_inferred)


def with_added(imported: ImportedEvents, parts: Sequence[Copies]) -> ImportedEvents:
    """Return the events followed by copies, on a track for each receiver and direction."""
    places = imported.pipeline
    step = imported.step
    assert places is not None and step is not None
    edges = Edges.concatenated([part.edges for part in parts])
    after = edges.after
    count = len(after)
    if count == 0:
        return imported
    is_inferred = np.concatenate([part.inferred_mask() for part in parts])
    tracks, track = _copy_tracks(imported, edges)
    end = np.concatenate([part.end for part in parts])
    start = np.concatenate([part.start for part in parts])
    start = _after_each_other(track, start, end)
    direction = edges.is_backward.astype(np.int64)
    names = (*imported.names, "forward copy", "backward copy", INFERRED)
    name = len(imported.names) + np.where(is_inferred, 2, direction)
    kind = np.full(count, _COPY)
    numbers = len(imported) + np.arange(count)
    copy_waits = np.stack([edges.before, numbers], axis=1)
    copy_is_awaited = np.stack([numbers, after], axis=1)
    links = np.concatenate([imported.links, copy_waits, copy_is_awaited])
    launched = imported.launched
    if launched is not None:
        launched = _extended(launched, count)
    colours = imported.colours
    if colours is not None:
        colours = _extended(colours, count)
    arguments = imported.arguments
    if arguments is not None:
        arguments = arguments.extended(count)
    return replace(
        imported,
        tracks=tracks,
        names=names,
        track=np.concatenate([imported.track, track]),
        name=np.concatenate([imported.name, name.astype(np.int32)]),
        start=np.concatenate([imported.start, start]),
        end=np.concatenate([imported.end, end]),
        kind=np.concatenate([imported.kind, kind]),
        attributes=_extended_attributes(imported, edges),
        launched=launched,
        step=np.concatenate([step, step[after]]),
        links=links,
        colours=colours,
        arguments=arguments,
        pipeline=places.extended(after),
    )


def _extended_attributes(imported: ImportedEvents, edges: Edges) -> dict[str, NDArray[Any]]:
    """Return the attributes of all events followed by those of a copy for each dependency.

    A copy has the attributes of the event that waits for it, and a payload.
    """
    given = imported.attributes
    activation = PAYLOAD_CODES[Payload.ACTIVATION]
    gradient = PAYLOAD_CODES[Payload.GRADIENT]
    attributes = {}
    for key, column in given.items():
        added = column[edges.after]
        attributes[key] = np.concatenate([column, added])
    payload = given.get("payload")
    if payload is None:
        payload = np.zeros(len(imported), np.int64)
    added = np.where(edges.is_backward, gradient, activation)
    attributes["payload"] = np.concatenate([payload, added])
    return attributes


def _copy_tracks(
    imported: ImportedEvents, edges: Edges
) -> tuple[tuple[ImportedTrack, ...], NDArray[np.int32]]:
    """Return all tracks, including the tracks of the copies, and the track of each copy."""
    tracks = list(imported.tracks)
    receiving = imported.track[edges.after]
    track = np.empty(len(receiving), np.int32)
    for mine in groups(row_keys(receiving, edges.is_backward)):
        first = mine[0]
        served = int(receiving[first])
        receiver = imported.tracks[served]
        way = "backward" if edges.is_backward[first] else "forward"
        name = f"{receiver.name} receives {way}"
        added = ImportedTrack(
            name=name,
            place=receiver.place,
            role=Role.COPY,
            serves=served,
        )
        track[mine] = len(tracks)
        tracks.append(added)
    return tuple(tracks), track


def _after_each_other(track: NDArray[np.int32], start: Ints, end: Ints) -> Ints:
    """Return starts at which no copy of a track overlaps the previous copy."""
    order = np.lexsort((start, end, track))
    sorted_track = track[order]
    sorted_end = end[order]
    sorted_start = start[order]
    starts = sorted_start[1:]
    follows = sorted_track[1:] == sorted_track[:-1]
    previous_end = np.where(follows, sorted_end[:-1], starts)
    starts = np.maximum(starts, previous_end)
    sorted_start[1:] = np.minimum(starts, sorted_end[1:])
    found = np.empty_like(start)
    found[order] = sorted_start
    return found


def _extended(column: NDArray[Number], count: int) -> NDArray[Number]:
    """Return a column with `count` more entries, all ABSENT."""
    added = np.full(count, ABSENT, column.dtype)
    return np.concatenate([column, added])
