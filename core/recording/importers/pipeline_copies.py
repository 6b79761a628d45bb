"""Copies between the ranks of another program's pipeline, from recorded sends or inferred.

The n-th send of a rank in a direction, and the n-th receive of its neighbour, are one copy. It
lasts from the later start to the earlier end of the two: before that, one of the ranks waits for
the other. A send or a receive without a recorded counterpart is a separate copy.

If neither is recorded, the time of a transfer is estimated for each pair of ranks and each
direction: the 5 % quantile of the time between the end of the producing pass and the start of the
consuming one. Only cases count in which the consumer's lane was free when the producer ended: in
all others the lane was busy while the data arrived. The median would include usual delays of the
host, which are not delays of the link.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.arrays import Bools, Ints
from core.order import groups, row_keys, stable_argsort, turns
from core.plan.task import ABSENT, KIND_CODES, Kind, among
from core.recording.importers.imported_events import ImportedEvents
from core.recording.importers.pipeline_copy_events import Copies, with_added
from core.recording.importers.pipeline_edges import Edges
from core.recording.importers.pipeline_places import Transfer
from core.trace.import_issue import ImportIssue

TRANSFER_QUANTILE = 0.05
TRANSFERRED = among(Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT)
"""Mask over KINDS: passes whose results another rank may need."""
_FORWARD = KIND_CODES[Kind.FORWARD]


def with_copies(imported: ImportedEvents, edges: Edges, compute: list[Ints]) -> ImportedEvents:
    """Return the events with a copy for each dependency between ranks, and all dependencies.

    `compute` has the positions of the computing events of each rank, by start.
    """
    places = imported.pipeline
    assert places is not None
    producer = places.rank[edges.before]
    consumer = places.rank[edges.after]
    crosses = producer != consumer
    crossing = edges.picked(crosses)
    copies, used, is_recorded = _recorded_copies(imported, crossing)
    unrecorded = crossing.picked(~is_recorded)
    inferred, is_inferred = _inferred_copies(imported, unrecorded, compute)
    issues = imported.issues
    issues[ImportIssue.INFERRED_TRANSFER] += len(inferred.start)
    transfers = np.flatnonzero(places.transfer >= 0)
    matched = np.unique(used)
    issues[ImportIssue.UNMATCHED_TRANSFER] += len(transfers) - len(matched)
    within = edges.picked(~crosses)
    immediate = unrecorded.picked(~is_inferred)
    all_links = [imported.links, within.links, immediate.links]
    links = np.concatenate(all_links)
    imported = replace(imported, links=links)
    imported = with_added(imported, [copies, inferred])
    kept = np.ones(len(imported), np.bool_)
    kept[used] = False
    return imported.picked(kept)


def _recorded_copies(imported: ImportedEvents, edges: Edges) -> tuple[Copies, Ints, Bools]:
    """Return the copies made from sends and receives, the events they replace, and a mask of edges.

    The mask is true for dependencies with a recorded send or receive.
    """
    sends = _matched(imported, edges, is_send=True)
    receives = _matched(imported, edges, is_send=False)
    is_sent = sends >= 0
    is_received = receives >= 0
    is_recorded = is_sent | is_received
    some = edges.picked(is_recorded)
    sent = sends[is_recorded]
    received = receives[is_recorded]
    has_send = is_sent[is_recorded]
    has_receive = is_received[is_recorded]
    # The last entry of each array is for transfers without a counterpart.
    limits = np.iinfo(np.int64)
    starts = np.append(imported.start, limits.min)
    ends = np.append(imported.end, limits.max)
    begin = np.maximum(starts[sent], starts[received])
    finish = np.minimum(ends[sent], ends[received])
    # A send or receive without a counterpart does not begin before its data exist.
    is_half = ~(has_send & has_receive)
    produced = imported.end[some.before]
    begin_of_half = np.maximum(begin, produced)
    begin = np.where(is_half, begin_of_half, begin)
    begin = np.minimum(begin, finish)
    used_sends = sent[has_send]
    used_receives = received[has_receive]
    used = np.concatenate([used_sends, used_receives])
    copies = Copies(
        edges=some,
        start=begin,
        end=finish,
        is_inferred=False,
    )
    return copies, used, is_recorded


def _matched(imported: ImportedEvents, edges: Edges, is_send: bool) -> Ints:
    """Return the position of each dependency's send or receive, ABSENT for none.

    The n-th transfer of a rank in a step and direction carries the data of its n-th dependency, in
    the order in which the data were produced. Some programs record a transfer for each pass, even
    for passes without a neighbour; then the n-th transfer belongs to the n-th pass. With any other
    number of transfers, the pairs are unknown.
    """
    places = imported.pipeline
    assert places is not None
    if is_send:
        forward_kind = Transfer.FORWARD_SEND
        backward_kind = Transfer.BACKWARD_SEND
        own = edges.before
    else:
        forward_kind = Transfer.FORWARD_RECEIVE
        backward_kind = Transfer.BACKWARD_RECEIVE
        own = edges.after
    edge_count = len(edges.before)
    found = np.full(edge_count, ABSENT, np.int64)
    is_transfer = np.isin(places.transfer, (forward_kind, backward_kind))
    transfers = np.flatnonzero(is_transfer)
    transfer_count = len(transfers)
    if transfer_count == 0 or edge_count == 0:
        return found
    transfers = imported.by_start(transfers)
    passes = _transferred_passes(imported)
    start_of_producer = imported.start[edges.before]
    order = np.argsort(start_of_producer, kind="stable")
    own = own[order]
    # Transfers, dependencies and passes share one numbering of ranks by step and direction.
    every = np.concatenate([transfers, own, passes])
    transfer_is_backward = places.transfer[transfers] == backward_kind
    edge_is_backward = edges.is_backward[order]
    pass_is_backward = imported.kind[passes] != _FORWARD
    is_backward = np.concatenate([transfer_is_backward, edge_is_backward, pass_is_backward])
    code = _codes_of_ranks(imported, every, is_backward)
    first_pass = transfer_count + edge_count
    of_transfer, of_edge, of_pass = np.split(code, [transfer_count, first_pass])
    count = int(code.max()) + 1
    transfers_of_rank = np.bincount(of_transfer, minlength=count)
    edges_of_rank = np.bincount(of_edge, minlength=count)
    passes_of_rank = np.bincount(of_pass, minlength=count)
    is_for_edges = transfers_of_rank == edges_of_rank
    is_for_passes = transfers_of_rank == passes_of_rank
    is_known = is_for_edges | is_for_passes
    turn_of_pass = np.zeros(len(imported), np.int64)
    turn_of_pass[passes] = turns(of_pass)
    turn_of_edge = turns(of_edge)
    turn = np.where(is_for_edges[of_edge], turn_of_edge, turn_of_pass[own])
    # Sorted by rank and turn, the first transfer of each rank is followed by its others.
    by_rank = stable_argsort(of_transfer)
    sorted_ranks = of_transfer[by_rank]
    sorted_transfers = transfers[by_rank]
    first = np.searchsorted(sorted_ranks, of_edge)
    last_place = transfer_count - 1
    place = np.minimum(first + turn, last_place)
    found[order] = np.where(is_known[of_edge], sorted_transfers[place], ABSENT)
    return found


def _transferred_passes(imported: ImportedEvents) -> Ints:
    """Return the positions of passes whose results another rank may need, by start."""
    places = imported.pipeline
    assert places is not None
    is_pass = TRANSFERRED[imported.kind]
    is_pass &= places.rank >= 0
    passes = np.flatnonzero(is_pass)
    return imported.by_start(passes)


def _codes_of_ranks(imported: ImportedEvents, events: Ints, is_backward: Bools) -> Ints:
    """Return a number for each of n events, equal for events of one rank, step and direction."""
    places = imported.pipeline
    step = imported.step
    assert places is not None and step is not None
    replica = places.replica[events]
    rank = places.rank[events]
    keys = row_keys(step[events], replica, rank, is_backward)
    _, code = np.unique(keys, return_inverse=True)
    return code


def _inferred_copies(
    imported: ImportedEvents, edges: Edges, compute: list[Ints]
) -> tuple[Copies, Bools]:
    """Return the copies that are not in the file, and a mask of the dependencies with one."""
    time = _transfer_times(imported, edges, compute)
    takes_time = time > 0
    some = edges.picked(takes_time)
    start = imported.end[some.before]
    needed = imported.start[some.after]
    end = start + time[takes_time]
    end = np.minimum(end, needed)
    start = np.minimum(start, end)
    copies = Copies(
        edges=some,
        start=start,
        end=end,
        is_inferred=True,
    )
    return copies, takes_time


def _transfer_times(imported: ImportedEvents, edges: Edges, compute: list[Ints]) -> Ints:
    """Return the time in ns that the data of each dependency presumably took to arrive."""
    places = imported.pipeline
    assert places is not None
    produced = imported.end[edges.before]
    consumed = imported.start[edges.after]
    gap = consumed - produced
    free = _free_since(imported, compute)
    was_free = produced >= free[edges.after]
    replica = places.replica[edges.before]
    sender = places.rank[edges.before]
    receiver = places.rank[edges.after]
    keys = row_keys(replica, sender, receiver, edges.is_backward)
    time = np.full(len(gap), ABSENT, np.int64)
    for mine in groups(keys):
        is_sampled = was_free[mine]
        sample = gap[mine[is_sampled]]
        if len(sample):
            usual = np.quantile(sample, TRANSFER_QUANTILE)
            time[mine] = max(0, int(usual))
    for is_backward in (False, True):
        # A pair of ranks without such a case gets the median time of the others.
        is_mine = edges.is_backward == is_backward
        has_time = time >= 0
        known = time[is_mine & has_time]
        usual_time = 0
        if len(known):
            usual_time = int(np.median(known))
        is_missing = is_mine & ~has_time
        time[is_missing] = usual_time
    return time


def _free_since(imported: ImportedEvents, compute: list[Ints]) -> Ints:
    """Return the time in ns at which all earlier tasks on each event's rank had ended."""
    always = np.iinfo(np.int64).min
    free = np.full(len(imported), always)
    for tasks in compute:
        ends = imported.end[tasks]
        latest_ends = np.maximum.accumulate(ends)
        followers = tasks[1:]
        free[followers] = latest_ends[:-1]
    return free
