"""Finds pipelines, and transfers without a counterpart, among the ranks of a folder.

The groups of their tasks name the transfers (core.recording.importers.rank_transfers).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.arrays import Ints
from core.order import groups, row_keys
from core.plan.task import ABSENT, KIND_CODES, Kind
from core.recording.importers.imported_events import ImportedEvents
from core.trace.imported import Direction

_COPY = KIND_CODES[Kind.COPY]


def with_pipelines(imported: ImportedEvents) -> ImportedEvents:
    """Return the events with one replica for all ranks that send to each other, in pairs or chains.

    Such ranks are stages of one pipeline, not replicas. In `imported`, the replica of an event is
    its rank.
    """
    rank = imported.attributes.get("replica")
    bucket = imported.attributes.get("bucket")
    if rank is None or bucket is None:
        return imported
    is_transfer = imported.kind == _COPY
    is_transfer &= bucket != ABSENT
    is_transfer &= rank != ABSENT
    transfers = np.flatnonzero(is_transfer)
    if not len(transfers):
        return imported
    last_rank = int(rank.max(initial=0))
    pipeline = np.arange(last_rank + 1)
    pairs = _sending_pairs(imported, transfers)
    for low, high in sorted(pairs):
        joined = pipeline == pipeline[high]
        pipeline[joined] = pipeline[low]
    _, number = np.unique(pipeline, return_inverse=True)
    has_no_rank = rank == ABSENT
    replica = np.where(has_no_rank, ABSENT, number[rank])
    attributes = {**imported.attributes, "replica": replica}
    return replace(imported, attributes=attributes)


def _sending_pairs(imported: ImportedEvents, transfers: Ints) -> set[tuple[int, int]]:
    """Return the pairs of ranks between which data is sent, the lower rank first."""
    rank = imported.attributes["replica"]
    bucket = imported.attributes["bucket"]
    exchanges = imported.exchanges_of_buckets
    found = set()
    for direction, _ in _directions(imported, transfers):
        low = min(direction)
        high = max(direction)
        found.add((low, high))
    for mine in groups(bucket, transfers):
        number = int(bucket[mine[0]])
        if number in exchanges:
            continue
        ranks = rank[mine]
        low = int(ranks.min())
        high = int(ranks.max())
        found.add((low, high))
    return found


def _directions(imported: ImportedEvents, transfers: Ints) -> list[tuple[Direction, Ints]]:
    """Return the transfers between ranks that have a file, each with the events of it."""
    rank = imported.attributes["replica"]
    bucket = imported.attributes["bucket"]
    exchanges = imported.exchanges_of_buckets
    present = set(np.unique(rank).tolist())
    found: list[tuple[Direction, Ints]] = []
    for mine in groups(bucket, transfers):
        number = int(bucket[mine[0]])
        for direction in exchanges.get(number, ()):
            if present.issuperset(direction):
                found.append((direction, mine))
    return found


def unpaired_transfers(imported: ImportedEvents) -> int:
    """Return the number of tasks whose sends and receives differ in number.

    Sends and receives are compared for each step and pair of ranks that both have a file.
    """
    rank = imported.attributes.get("replica")
    bucket = imported.attributes.get("bucket")
    if rank is None or bucket is None:
        return 0
    step = imported.step
    is_transfer = imported.kind == _COPY
    is_transfer &= bucket != ABSENT
    if step is None:
        step = np.zeros(len(imported), np.int32)
    else:
        is_transfer &= np.isin(step, imported.steps.number)
    transfers = np.flatnonzero(is_transfer)
    no_events = np.empty(0, np.int64)
    senders = [no_events]
    receivers = [no_events]
    events = [no_events]
    for (sender, receiver), mine in _directions(imported, transfers):
        senders.append(np.full(len(mine), sender))
        receivers.append(np.full(len(mine), receiver))
        events.append(mine)
    event = np.concatenate(events)
    sender_of = np.concatenate(senders)
    receiver_of = np.concatenate(receivers)
    keys = row_keys(step[event], sender_of, receiver_of)
    _, number = np.unique(keys, return_inverse=True)
    is_sender = rank[event] == sender_of
    sends_or_receives = np.where(is_sender, 1, -1)
    difference = np.bincount(number, sends_or_receives)
    is_unpaired = difference[number] != 0
    unpaired = np.unique(event[is_unpaired])
    return len(unpaired)
