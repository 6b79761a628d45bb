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

from core.arrays import Bools, Ints
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
Mask = Bools

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

    @property
    def links(self) -> Ints:
        """Pairs of events of which the second waits for the first, shape (n, 2)."""
        return np.stack([self.before, self.after], axis=1)

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
    transfers = np.flatnonzero(places.transfer >= 0)
    imported.issues[ImportIssue.UNMATCHED_TRANSFER] += len(transfers) - len(np.unique(used))
    within = edges.picked(~crosses)
    immediate = unrecorded.picked(~is_inferred)
    links = np.concatenate([imported.links, within.links, immediate.links])
    imported = replace(imported, links=links)
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
    some = edges.picked(is_recorded)
    sent = sends[is_recorded]
    received = receives[is_recorded]
    has_send = sent >= 0
    has_receive = received >= 0
    # The last entry of each array is for transfers without a counterpart.
    limits = np.iinfo(np.int64)
    starts = np.append(imported.start, limits.min)
    ends = np.append(imported.end, limits.max)
    begin = np.maximum(starts[sent], starts[received])
    finish = np.minimum(ends[sent], ends[received])
    # A half alone does not begin before its data exist.
    is_half = ~(has_send & has_receive)
    produced = imported.end[some.before]
    begin = np.where(is_half, np.maximum(begin, produced), begin)
    begin = np.minimum(begin, finish)
    used = np.concatenate([sent[has_send], received[has_receive]])
    copies = _Copies(some, begin, finish, is_inferred=False)
    return copies, used, is_recorded


def _matched(imported: ImportedEvents, edges: Edges, is_send: bool) -> Ints:
    """Return the send or the receive of each dependency, ABSENT for none.

    The n-th transfer of a rank in a step and direction carries the data of its n-th dependency, in
    the order in which the data were produced. Some programs record a transfer for each pass, also
    for passes without a neighbour: then the n-th transfer belongs to the n-th pass. With any other
    number of transfers the pairs are unknown.
    """
    places = imported.pipeline
    step = imported.step
    assert places is not None and step is not None
    kinds = (Transfer.FORWARD_SEND, Transfer.BACKWARD_SEND)
    if not is_send:
        kinds = (Transfer.FORWARD_RECEIVE, Transfer.BACKWARD_RECEIVE)
    found = np.full(len(edges.before), ABSENT, np.int64)
    is_transfer = np.isin(places.transfer, kinds)
    events = _by_start(imported, np.flatnonzero(is_transfer))
    if not len(events) or not len(found):
        return found
    is_pass = TRANSFERRED[imported.kind] & (places.rank >= 0)
    passes = _by_start(imported, np.flatnonzero(is_pass))
    order = np.argsort(imported.start[edges.before], kind="stable")
    own = edges.before if is_send else edges.after
    own = own[order]
    # Ranks in a step and direction are numbered in common for transfers, dependencies and passes.
    every = np.concatenate([events, own, passes])
    bounds = [len(events), len(events) + len(own)]
    transfer_is_backward = places.transfer[events] == kinds[1]
    pass_is_backward = imported.kind[passes] != _FORWARD
    is_backward = np.concatenate([transfer_is_backward, edges.is_backward[order], pass_is_backward])
    rank = row_keys(step[every], places.replica[every], places.rank[every], is_backward)
    _, code = np.unique(rank, return_inverse=True)
    of_event, of_edge, of_pass = np.split(code, bounds)
    count = int(code.max()) + 1
    events_of_rank = np.bincount(of_event, minlength=count)[of_edge]
    edges_of_rank = np.bincount(of_edge, minlength=count)[of_edge]
    passes_of_rank = np.bincount(of_pass, minlength=count)[of_edge]
    turn_of_pass = np.zeros(len(imported), np.int64)
    turn_of_pass[passes] = turns(of_pass)
    is_for_edges = events_of_rank == edges_of_rank
    is_for_passes = events_of_rank == passes_of_rank
    turn = np.where(is_for_edges, turns(of_edge), turn_of_pass[own])
    is_known = is_for_edges | is_for_passes
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
    produced = imported.end[edges.before]
    gap = imported.start[edges.after] - produced
    free = _free_since(imported, compute)
    was_free = produced >= free[edges.after]
    keys = row_keys(
        places.replica[edges.before],
        places.rank[edges.before],
        places.rank[edges.after],
        edges.is_backward,
    )
    time = np.full(len(gap), ABSENT, np.int64)
    for mine in groups(keys):
        sample = gap[mine][was_free[mine]]
        if len(sample):
            usual = np.quantile(sample, TRANSFER_QUANTILE)
            time[mine] = max(0, int(usual))
    for is_backward in (False, True):
        # A pair of ranks without such a case has the median time of the others.
        is_mine = edges.is_backward == is_backward
        has_time = time >= 0
        known = time[is_mine & has_time]
        time[is_mine & ~has_time] = int(np.median(known)) if len(known) else 0
    takes_time = time > 0
    some = edges.picked(takes_time)
    start = imported.end[some.before]
    end = np.minimum(start + time[takes_time], imported.start[some.after])
    copies = _Copies(some, np.minimum(start, end), end, is_inferred=True)
    return copies, takes_time


def _free_since(imported: ImportedEvents, compute: list[Ints]) -> Ints:
    """Return the end of the task before each event on its rank, in ns."""
    free = np.full(len(imported), np.iinfo(np.int64).min)
    for tasks in compute:
        latest_ends = np.maximum.accumulate(imported.end[tasks])
        free[tasks[1:]] = latest_ends[:-1]
    return free


def _with_added(imported: ImportedEvents, parts: list[_Copies]) -> ImportedEvents:
    """Return the events followed by copies, on a lane for each receiver and direction."""
    places = imported.pipeline
    step = imported.step
    assert places is not None and step is not None
    before = np.concatenate([part.edges.before for part in parts])
    after = np.concatenate([part.edges.after for part in parts])
    if not len(before):
        return imported
    is_backward = np.concatenate([part.edges.is_backward for part in parts])
    is_inferred = np.concatenate([np.full(len(part.start), part.is_inferred) for part in parts])
    tracks, track = _copy_tracks(imported, after, is_backward)
    end = np.concatenate([part.end for part in parts])
    start = np.concatenate([part.start for part in parts])
    start = _after_each_other(track, start, end)
    direction = is_backward.astype(np.int64)
    names = (*imported.names, "forward copy", "backward copy", INFERRED)
    name = len(imported.names) + np.where(is_inferred, 2, direction)
    activation = PAYLOAD_CODES[Payload.ACTIVATION]
    gradient = PAYLOAD_CODES[Payload.GRADIENT]
    payload = np.where(is_backward, gradient, activation)
    given = imported.attributes
    added = {key: column[after] for key, column in given.items()}
    added["payload"] = payload
    attributes = {}
    for key, column in added.items():
        own_column = given.get(key, np.zeros(len(imported), np.int64))
        attributes[key] = np.concatenate([own_column, column])
    count = len(before)
    numbers = len(imported) + np.arange(count)
    copy_waits = np.stack([before, numbers], axis=1)
    copy_is_awaited = np.stack([numbers, after], axis=1)
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
        track=np.concatenate([imported.track, track.astype(np.int32)]),
        name=np.concatenate([imported.name, name.astype(np.int32)]),
        start=np.concatenate([imported.start, start]),
        end=np.concatenate([imported.end, end]),
        kind=np.concatenate([imported.kind, np.full(count, _COPY)]),
        attributes=attributes,
        launched=launched,
        step=np.concatenate([step, step[after]]),
        links=np.concatenate([imported.links, copy_waits, copy_is_awaited]),
        colours=colours,
        arguments=arguments,
        pipeline=places.extended(after),
    )


def _copy_tracks(
    imported: ImportedEvents, after: Ints, is_backward: Mask
) -> tuple[tuple[ImportedTrack, ...], Ints]:
    """Return all tracks, including the tracks of the copies, and the track of each copy."""
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
    """Return starts at which no copy of a track overlaps the previous copy."""
    order = np.lexsort((start, end, track))
    sorted_track = track[order]
    sorted_end = end[order]
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
