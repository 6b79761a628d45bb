"""Copies between the ranks of another program's pipeline, from recorded sends or inferred.

The n-th send of a rank in a direction, and the n-th receive of its neighbour, are one copy. It
lasts from the later start to the earlier end of the two: before that, one of the ranks waits for
the other. A send or a receive whose counterpart is not recorded is a copy by itself.

If neither is recorded, the time of a transfer is the 5 % quantile of the time between the end of
the producing pass and the start of the consuming one, for each pair of ranks and each direction. It
includes only cases in which the consumer's lane was free when the producer ended: in all others the
lane was busy while the data arrived. It is not the median, because usual delays of the host are not
the link's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.order import groups, row_keys, stable_argsort, turns
from core.plan.plan import Role
from core.plan.task import ABSENT, KIND_CODES, PAYLOAD_CODES, Kind, Payload, among
from core.recording.importers.imported_events import (
    ImportedEvents,
    ImportedTrack,
    Transfer,
)
from core.trace.import_issue import ImportIssue

Number = TypeVar("Number", bound=np.generic)
Mask = NDArray[np.bool_]

TRANSFER_QUANTILE = 0.05
INFERRED = "inferred transfer"
"""Name of a copy that is not in the file."""
TRANSFERRED = among(Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT)
"""Mask over KINDS: passes whose results another rank may need."""
_COPY = np.int8(KIND_CODES[Kind.COPY])
_FORWARD = KIND_CODES[Kind.FORWARD]


@dataclass(frozen=True, slots=True)
class Edges:
    """The n dependencies between passes: arrays of shape (n,).

    The event at position `after` waits for the one at `before`. `is_backward` is true for data of
    the backward pass.
    """

    before: Ints
    after: Ints
    is_backward: Mask

    @classmethod
    def empty(cls) -> Edges:
        """Return no dependencies."""
        none = np.empty(0, np.int64)
        return cls(none, none, none.astype(np.bool_))

    def picked(self, mask: Mask) -> Edges:
        """Return some of the dependencies."""
        return Edges(self.before[mask], self.after[mask], self.is_backward[mask])


@dataclass(frozen=True, slots=True)
class _Copies:
    """The n copies of some dependencies: their times in ns, and whether they are inferred."""

    edges: Edges
    start: Ints
    end: Ints
    is_inferred: bool


def with_copies(imported: ImportedEvents, edges: Edges, compute: list[Ints]) -> ImportedEvents:
    """Return the events with a copy for each dependency between ranks, and all dependencies.

    `compute` has the positions of the computing events of each rank, by start.
    """
    places = imported.pipeline
    assert places is not None
    crosses = places.rank[edges.before] != places.rank[edges.after]
    crossing = edges.picked(crosses)
    copies, used, is_recorded = _recorded_copies(imported, crossing)
    unrecorded = crossing.picked(~is_recorded)
    inferred, is_inferred = _inferred_copies(imported, unrecorded, compute)
    imported.issues[ImportIssue.INFERRED_TRANSFER] += len(inferred.start)
    is_transfer = places.transfer >= 0
    imported.issues[ImportIssue.UNMATCHED_TRANSFER] += int(is_transfer.sum()) - len(used)
    direct = [edges.picked(~crosses), unrecorded.picked(~is_inferred)]
    links = [imported.links]
    links += [np.stack([part.before, part.after], axis=1) for part in direct]
    imported = replace(imported, links=np.concatenate(links))
    imported = _with_added(imported, [copies, inferred])
    kept = np.ones(len(imported), np.bool_)
    kept[used] = False
    return imported.picked(kept)


def _recorded_copies(imported: ImportedEvents, edges: Edges) -> tuple[_Copies, Ints, Mask]:
    """Return the copies by sends and receives, the events that they replace, and a mask of edges.

    The mask is true for dependencies with a recorded send or receive.
    """
    sends = _matched(imported, edges, is_send=True)
    receives = _matched(imported, edges, is_send=False)
    is_recorded = (sends >= 0) | (receives >= 0)
    some, sent, received = edges.picked(is_recorded), sends[is_recorded], receives[is_recorded]
    start, end = imported.start, imported.end
    produced = end[some.before]
    # The last entry of each array is for transfers without a counterpart.
    starts, ends = np.append(start, np.iinfo(np.int64).min), np.append(end, np.iinfo(np.int64).max)
    begin = np.maximum(starts[sent], starts[received])
    finish = np.minimum(ends[sent], ends[received])
    is_half = (sent < 0) | (received < 0)
    begin[is_half] = np.maximum(begin[is_half], produced[is_half])
    begin = np.minimum(begin, finish)
    used = np.concatenate([sent[sent >= 0], received[received >= 0]])
    return _Copies(some, begin, finish, False), used, is_recorded


def _matched(imported: ImportedEvents, edges: Edges, is_send: bool) -> Ints:
    """Return the send or the receive of each dependency, ABSENT for none.

    The n-th transfer of a rank in a step and direction carries the data of its n-th dependency, in
    the order in which the data were produced. Some programs record a transfer for each pass, also
    for passes without a neighbour: then the n-th transfer belongs to the n-th pass. With any other
    number of transfers the pairs are unknown.
    """
    places, step = imported.pipeline, imported.step
    assert places is not None and step is not None
    kinds = (Transfer.FORWARD_SEND, Transfer.BACKWARD_SEND)
    if not is_send:
        kinds = (Transfer.FORWARD_RECEIVE, Transfer.BACKWARD_RECEIVE)
    found = np.full(len(edges.before), ABSENT, np.int64)
    events = _by_start(imported, np.flatnonzero(np.isin(places.transfer, kinds)))
    if not len(events) or not len(found):
        return found
    passes = _by_start(imported, np.flatnonzero(TRANSFERRED[imported.kind] & (places.rank >= 0)))
    order = np.argsort(imported.start[edges.before], kind="stable")
    own = (edges.before if is_send else edges.after)[order]
    every = np.concatenate([events, own, passes])
    is_backward = imported.kind[every] != _FORWARD
    is_backward[: len(events)] = places.transfer[events] == kinds[1]
    is_backward[len(events) : len(events) + len(own)] = edges.is_backward[order]
    rank = row_keys(step[every], places.replica[every], places.rank[every], is_backward)
    code = np.unique(rank, return_inverse=True)[1]
    of_event, of_edge, of_pass = np.split(code, [len(events), len(events) + len(own)])
    count = int(code.max()) + 1
    events_of_rank = np.bincount(of_event, minlength=count)[of_edge]
    edges_of_rank = np.bincount(of_edge, minlength=count)[of_edge]
    passes_of_rank = np.bincount(of_pass, minlength=count)[of_edge]
    turn_of_pass = np.zeros(len(imported), np.int64)
    turn_of_pass[passes] = turns(of_pass)
    turn = np.where(events_of_rank == edges_of_rank, turns(of_edge), turn_of_pass[own])
    is_known = (events_of_rank == edges_of_rank) | (events_of_rank == passes_of_rank)
    # Sorted by rank and turn, the first transfer of each rank is followed by its others.
    by_rank = stable_argsort(of_event)
    first = np.searchsorted(of_event[by_rank], of_edge)
    place = np.minimum(first + turn, len(events) - 1)
    found[order] = np.where(is_known, events[by_rank[place]], ABSENT)
    return found


def _by_start(imported: ImportedEvents, events: Ints) -> Ints:
    """Return events in the order of their starts."""
    return events[np.argsort(imported.start[events], kind="stable")]


def _inferred_copies(
    imported: ImportedEvents, edges: Edges, compute: list[Ints]
) -> tuple[_Copies, Mask]:
    """Return the copies that are not in the file, and a mask of the dependencies with one."""
    places = imported.pipeline
    assert places is not None
    gap = imported.start[edges.after] - imported.end[edges.before]
    free = _free_since(imported, compute)[edges.after]
    was_free = imported.end[edges.before] >= free
    keys = row_keys(
        places.replica[edges.before],
        places.rank[edges.before],
        places.rank[edges.after],
        edges.is_backward,
    )
    time = np.full(len(gap), ABSENT, np.int64)
    for mine in groups(keys):
        sample = gap[mine[was_free[mine]]]
        if len(sample):
            time[mine] = max(0, int(np.quantile(sample, TRANSFER_QUANTILE)))
    for is_backward in (False, True):
        # A pair of ranks without such a case has the median time of the others.
        mine = edges.is_backward == is_backward
        known = time[mine & (time >= 0)]
        time[mine & (time < 0)] = int(np.median(known)) if len(known) else 0
    has_time = time > 0
    some = edges.picked(has_time)
    start = imported.end[some.before]
    end = np.minimum(start + time[has_time], imported.start[some.after])
    return _Copies(some, np.minimum(start, end), end, True), has_time


def _free_since(imported: ImportedEvents, compute: list[Ints]) -> Ints:
    """Return the end of the task before each event on its rank, in ns."""
    free = np.full(len(imported), np.iinfo(np.int64).min)
    for tasks in compute:
        free[tasks[1:]] = np.maximum.accumulate(imported.end[tasks])[:-1]
    return free


def _with_added(imported: ImportedEvents, parts: list[_Copies]) -> ImportedEvents:
    """Return the events followed by copies, on a lane for each receiver and direction."""
    places, step = imported.pipeline, imported.step
    assert places is not None and step is not None
    before = np.concatenate([part.edges.before for part in parts])
    after = np.concatenate([part.edges.after for part in parts])
    if not len(before):
        return imported
    is_backward = np.concatenate([part.edges.is_backward for part in parts])
    is_inferred = np.concatenate([np.full(len(part.start), part.is_inferred) for part in parts])
    tracks, track = _copy_tracks(imported, after, is_backward)
    end = np.concatenate([part.end for part in parts])
    start = _after_each_other(track, np.concatenate([part.start for part in parts]), end)
    names = (*imported.names, "forward copy", "backward copy", INFERRED)
    name = len(imported.names) + np.where(is_inferred, 2, is_backward.astype(np.int64))
    payloads = (Payload.ACTIVATION, Payload.GRADIENT)
    payload = np.array([PAYLOAD_CODES[each] for each in payloads])[is_backward.astype(np.int64)]
    given = imported.attributes
    added = {key: column[after] for key, column in given.items()}
    added["payload"] = payload
    attributes = {}
    for key, column in added.items():
        own_column = given.get(key, np.zeros(len(imported), np.int64))
        attributes[key] = np.concatenate([own_column, column])
    count = len(before)
    numbers = len(imported) + np.arange(count)
    links = [imported.links]
    links += [np.stack([before, numbers], axis=1), np.stack([numbers, after], axis=1)]
    return replace(
        imported,
        tracks=tracks,
        names=names,
        track=np.concatenate([imported.track, track.astype(np.int32)]),
        name=np.concatenate([imported.name, name.astype(np.int32)]),
        start=np.concatenate([imported.start, start]),
        end=np.concatenate([imported.end, end]),
        kind=np.concatenate([imported.kind, np.full(count, _COPY)]),
        attributes=attributes,
        launched=None if imported.launched is None else _extended(imported.launched, count),
        step=np.concatenate([step, step[after]]),
        links=np.concatenate(links),
        colours=None if imported.colours is None else _extended(imported.colours, count),
        arguments=None if imported.arguments is None else imported.arguments.extended(count),
        pipeline=places.extended(after),
    )


def _copy_tracks(
    imported: ImportedEvents, after: Ints, is_backward: Mask
) -> tuple[tuple[ImportedTrack, ...], Ints]:
    """Return all tracks with those of the copies, and the track of each copy."""
    tracks = list(imported.tracks)
    track = np.empty(len(after), np.int64)
    for mine in groups(row_keys(imported.track[after], is_backward)):
        served = int(imported.track[after[mine[0]]])
        way = "backward" if is_backward[mine[0]] else "forward"
        name = f"{imported.tracks[served].name} receives {way}"
        track[mine] = len(tracks)
        tracks.append(ImportedTrack(name, imported.tracks[served].place, Role.COPY, served))
    return tuple(tracks), track


def _after_each_other(track: Ints, start: Ints, end: Ints) -> Ints:
    """Return starts at which no copy of a track overlaps the one that ends before it."""
    order = np.lexsort((start, end, track))
    sorted_track, sorted_end = track[order], end[order]
    earliest = start[order]
    follows = sorted_track[1:] == sorted_track[:-1]
    previous_end = np.where(follows, sorted_end[:-1], earliest[1:])
    earliest[1:] = np.minimum(np.maximum(earliest[1:], previous_end), sorted_end[1:])
    found = np.empty_like(start)
    found[order] = earliest
    return found


def _extended(column: NDArray[Number], count: int) -> NDArray[Number]:
    """Return a column with `count` more entries, all ABSENT."""
    return np.concatenate([column, np.full(count, ABSENT, column.dtype)])
