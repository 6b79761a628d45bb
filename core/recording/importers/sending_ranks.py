"""Ranks of a folder that send to each other: pipelines, and transfers without a counterpart.

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


def with_pipelines(imported: ImportedEvents) -> ImportedEvents:
    """Return the events with one replica for all ranks that send to each other, in pairs or chains.

    Such ranks are stages of one pipeline, and not replicas. The replicas of events are numbers of
    their ranks.
    """
    rank = imported.attributes.get("replica")
    bucket = imported.attributes.get("bucket")
    if rank is None or bucket is None:
        return imported
    is_transfer = imported.kind == KIND_CODES[Kind.COPY]
    is_transfer &= (bucket != ABSENT) & (rank != ABSENT)
    if not is_transfer.any():
        return imported
    pipeline = np.arange(int(rank.max(initial=0)) + 1)
    for low, high in sorted(_sending_pairs(imported, np.flatnonzero(is_transfer))):
        joined = pipeline == pipeline[high]
        pipeline[joined] = pipeline[low]
    _, number = np.unique(pipeline, return_inverse=True)
    replica = np.where(rank == ABSENT, ABSENT, number[rank])
    return replace(imported, attributes={**imported.attributes, "replica": replica})


def _sending_pairs(imported: ImportedEvents, transfers: Ints) -> set[tuple[int, int]]:
    """Return the pairs of ranks, the lower one first, of which one sends to the other."""
    rank = imported.attributes["replica"]
    bucket = imported.attributes["bucket"]
    exchanges = imported.exchanges_of_buckets
    found = set()
    for direction, _ in _directions(imported, transfers):
        found.add((min(direction), max(direction)))
    for mine in groups(bucket, transfers):
        if int(bucket[mine[0]]) not in exchanges:
            ranks = np.unique(rank[mine])
            found.add((int(ranks[0]), int(ranks[-1])))
    return found


def _directions(imported: ImportedEvents, transfers: Ints) -> list[tuple[Direction, Ints]]:
    """Return the transfers between ranks with a file, each with events that take part in it."""
    rank = imported.attributes["replica"]
    bucket = imported.attributes["bucket"]
    exchanges = imported.exchanges_of_buckets
    present = set(np.unique(rank).tolist())
    found: list[tuple[Direction, Ints]] = []
    for mine in groups(bucket, transfers):
        for direction in exchanges.get(int(bucket[mine[0]]), ()):
            if present.issuperset(direction):
                found.append((direction, mine))
    return found


def unpaired_transfers(imported: ImportedEvents) -> int:
    """Return the number of tasks with a transfer that sender and receiver have differently often.

    They are counted in each step; ranks without a file do not count.
    """
    rank = imported.attributes.get("replica")
    bucket = imported.attributes.get("bucket")
    if rank is None or bucket is None:
        return 0
    step = imported.step
    is_transfer = (imported.kind == KIND_CODES[Kind.COPY]) & (bucket != ABSENT)
    if step is None:
        step = np.zeros(len(imported), np.int32)
    else:
        is_transfer &= np.isin(step, imported.steps.number)
    senders = [np.empty(0, np.int64)]
    receivers = [np.empty(0, np.int64)]
    events = [np.empty(0, np.int64)]
    for (sender, receiver), mine in _directions(imported, np.flatnonzero(is_transfer)):
        senders.append(np.full(len(mine), sender))
        receivers.append(np.full(len(mine), receiver))
        events.append(mine)
    event = np.concatenate(events)
    sender_of = np.concatenate(senders)
    keys = row_keys(step[event], sender_of, np.concatenate(receivers))
    number = np.unique(keys, return_inverse=True)[1]
    sends = rank[event] == sender_of
    difference = np.bincount(number, np.where(sends, 1, -1))
    is_unpaired = difference[number] != 0
    return len(np.unique(event[is_unpaired]))
