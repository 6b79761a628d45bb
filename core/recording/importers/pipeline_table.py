"""A pipeline's events as a plain table, and the lanes on which they are shown."""

from __future__ import annotations

from collections import Counter as Counts
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.message import message
from core.order import groups, row_keys, turns
from core.plan.plan import Role
from core.plan.task import ABSENT, IS_COLLECTIVE, KIND_CODES, PASSES, Kind
from core.recording.importers.imported_events import (
    ImportedEvents,
    ImportedTrack,
    StepRanges,
)
from core.recording.importers.pipeline_places import PipelinePlaces, Transfer
from core.trace.import_issue import ImportIssue

MOST_PLACE = (1 << 15) - 1
"""Largest number of a rank, a chunk or a replica."""
_LIMIT = np.iinfo(np.int32).max
"""Exclusive limit of the numbers of steps and micro-batches."""


@dataclass(frozen=True, slots=True)
class PipelineTable:
    """The n events of a pipeline as arrays of shape (n,); numbers are ABSENT if they do not apply.

    `kind` is a position in KINDS and `name` a position in `names`; passes have no name. `start` and
    `end` are ns. `tensor` is the rank in tensor parallelism, 0 without it. The other columns have
    the same meaning as in PipelinePlaces, except that `replica` is the rank in data parallelism.
    """

    step: Ints
    replica: Ints
    rank: Ints
    kind: NDArray[np.int8]
    microbatch: Ints
    chunk: Ints
    start: Ints
    end: Ints
    transfer: NDArray[np.int8]
    name: NDArray[np.int32]
    tensor: Ints
    names: tuple[str, ...] = ()
    own_clocks: bool = False

    def picked(self, mask: Bools) -> PipelineTable:
        """Return some of the events."""
        return replace(
            self,
            step=self.step[mask],
            replica=self.replica[mask],
            rank=self.rank[mask],
            kind=self.kind[mask],
            microbatch=self.microbatch[mask],
            chunk=self.chunk[mask],
            start=self.start[mask],
            end=self.end[mask],
            transfer=self.transfer[mask],
            name=self.name[mask],
            tensor=self.tensor[mask],
        )


def numbered_microbatches(table: PipelineTable, ranks: int = 1, chunks: int = 1) -> PipelineTable:
    """Return the table with micro-batches and chunks for passes, if no pass has a micro-batch.

    Passes of a chunk run its micro-batches in order. If the chunks are unknown too, passes are in
    the order of interleaved 1F1B. Each round has as many micro-batches as there are `ranks`, and
    takes them through all `chunks` of a rank, in reverse order in the backward pass.
    """
    passes = np.flatnonzero(PASSES[table.kind])
    if not len(passes):
        return table
    has_microbatch = table.microbatch[passes] >= 0
    if has_microbatch.any():
        return table
    order = np.argsort(table.start[passes], kind="stable")
    passes = passes[order]
    keys = row_keys(
        table.step[passes],
        table.replica[passes],
        table.tensor[passes],
        table.rank[passes],
        table.kind[passes],
    )
    chunk = table.chunk[passes]
    if chunks == 1 or (chunk >= 0).all():
        turn = turns(row_keys(keys, chunk))
    else:
        turn, chunk = _interleaved(keys, ranks, chunks)
        is_backward = table.kind[passes] != KIND_CODES[Kind.FORWARD]
        chunk = np.where(is_backward, chunks - 1 - chunk, chunk)
    microbatches = table.microbatch.copy()
    all_chunks = table.chunk.copy()
    microbatches[passes] = turn
    all_chunks[passes] = chunk
    return replace(table, microbatch=microbatches, chunk=all_chunks)


def _interleaved(keys: Ints, ranks: int, chunks: int) -> tuple[Ints, Ints]:
    """Return micro-batch and chunk of passes; `keys` are equal for passes of one rank and step."""
    turn = turns(keys)
    _, code = np.unique(keys, return_inverse=True)
    passes_of_key = np.bincount(code)
    microbatches = passes_of_key[code] // chunks
    round_number, place = np.divmod(turn, ranks * chunks)
    first = round_number * ranks
    # The last round may have fewer micro-batches.
    remaining = microbatches - first
    size = np.clip(remaining, 1, ranks)
    chunk, place_in_chunk = np.divmod(place, size)
    chunk = np.minimum(chunk, chunks - 1)
    return first + place_in_chunk, chunk


def events_of_table(table: PipelineTable, issues: Counts[ImportIssue]) -> ImportedEvents:
    """Return the events of a pipeline on lanes of their ranks.

    Each rank of each replica has a lane for its computation, one for its collectives, and lanes
    for sends and receives. Events with invalid numbers or times are counted among `issues` and left
    out.
    """
    is_valid = table.end >= table.start
    is_valid &= table.step >= 0
    is_valid &= table.step < _LIMIT
    is_valid &= table.microbatch < _LIMIT
    is_valid &= table.chunk >= ABSENT
    is_valid &= table.chunk <= MOST_PLACE
    for column in (table.rank, table.replica, table.tensor):
        is_valid &= column >= 0
        is_valid &= column <= MOST_PLACE
    invalid_count = len(is_valid) - int(is_valid.sum())
    if invalid_count:
        issues[ImportIssue.NO_TIME] += invalid_count
        table = table.picked(is_valid)
    if not len(table.start):
        return ImportedEvents.empty()
    pipeline = _pipelines(table)
    tracks, track = _tracks(table, pipeline)
    microbatch = np.maximum(table.microbatch, ABSENT)
    bucket, groups_of_ranks, spans_stages = _collective_groups(table)
    return ImportedEvents(
        tracks=tracks,
        names=table.names,
        track=track,
        name=table.name.astype(np.int32),
        start=table.start,
        end=table.end,
        kind=table.kind,
        attributes={
            "replica": pipeline.astype(np.int16),
            "microbatch": microbatch.astype(np.int32),
            "bucket": bucket,
        },
        step=table.step.astype(np.int32),
        steps=StepRanges.spanning(table.step, table.start, table.end),
        issues=issues,
        groups=groups_of_ranks,
        pipeline=PipelinePlaces(
            rank=table.rank.astype(np.int32),
            chunk=table.chunk.astype(np.int32),
            replica=pipeline.astype(np.int32),
            transfer=table.transfer.astype(np.int8),
            spans_stages=spans_stages,
            own_clocks=table.own_clocks,
        ),
    )


def _pipelines(table: PipelineTable) -> Ints:
    """Return the number of each event's pipeline: one for each data and tensor rank.

    Raises ValueError for too many.
    """
    keys = row_keys(table.replica, table.tensor)
    found, number = np.unique(keys, return_inverse=True)
    if len(found) > MOST_PLACE:
        raise ValueError(message("it has more than {most:,} pipelines", most=MOST_PLACE))
    return number


def _tracks(
    table: PipelineTable, pipeline: Ints
) -> tuple[tuple[ImportedTrack, ...], NDArray[np.int32]]:
    """Return the tracks, computing ones first, and the track of each event."""
    is_collective = IS_COLLECTIVE[table.kind]
    is_transfer = table.transfer >= 0
    part = is_collective.astype(np.int64)
    part = np.where(is_transfer, 2 + table.transfer, part)
    keys = row_keys(part, pipeline, table.rank)
    tracks: list[ImportedTrack] = []
    track = np.empty(len(table.start), np.int32)
    main_of: dict[str, int] = {}
    places = _PlaceNames.of(table)
    for mine in groups(keys):
        first = mine[0]
        place = places.at(first)
        track[mine] = len(tracks)
        number = int(part[first])
        if number == 0:
            main_of[place] = len(tracks)
            tracks.append(ImportedTrack(place, place))
            continue
        serves = main_of.get(place, ABSENT)
        if number == 1:
            name = f"{place} collectives"
            role = Role.COMMUNICATION
        else:
            transfer = Transfer(number - 2)
            way = transfer.name.lower().replace("_", " ")
            name = f"{place} {way}"
            role = Role.COPY
        tracks.append(
            ImportedTrack(
                name=name,
                place=place,
                role=role,
                serves=serves,
            )
        )
    return tuple(tracks), track


@dataclass(frozen=True, slots=True)
class _PlaceNames:
    """Names of the places of a table's events: the rank, with tensor and replica if they vary."""

    table: PipelineTable
    has_replicas: bool
    has_tensors: bool

    @classmethod
    def of(cls, table: PipelineTable) -> _PlaceNames:
        has_replicas = table.replica.any()
        has_tensors = table.tensor.any()
        return cls(table, bool(has_replicas), bool(has_tensors))

    def at(self, event: int) -> str:
        """Return the name of the place of an event."""
        place = f"rank {self.table.rank[event]}"
        if self.has_tensors:
            place = f"tensor {self.table.tensor[event]} {place}"
        if self.has_replicas:
            place = f"replica {self.table.replica[event]} {place}"
        return place


def _collective_groups(
    table: PipelineTable,
) -> tuple[NDArray[np.int16], tuple[str, ...], Bools]:
    """Return the process group of each collective, the groups' names, and a mask.

    The mask is true for collectives of ranks of several stages: those of embeddings, between the
    first and the last stage of a replica. Collectives of tensor parallelism are between the ranks
    of a stage of one replica, and all others between the ranks of a stage in all replicas.
    """
    count = len(table.start)
    bucket = np.full(count, ABSENT, np.int16)
    spans_stages = np.zeros(count, np.bool_)
    numbers: dict[str, int] = {}
    is_collective = IS_COLLECTIVE[table.kind]
    collectives = np.flatnonzero(is_collective)
    places = row_keys(table.name, table.replica, table.tensor, table.rank)
    for mine in groups(places, collectives):
        first = mine[0]
        code = table.name[first]
        name = ""
        if code >= 0:
            name = table.names[code]
        replica = table.replica[first]
        tensor = table.tensor[first]
        rank = table.rank[first]
        group = f"{name} tensor {tensor}"
        if name.startswith("embedding"):
            spans_stages[mine] = True
            group = f"{name} replica {replica} tensor {tensor}"
        elif name.startswith(("layernorm", "tp-")):
            group = f"{name} replica {replica} rank {rank}"
        next_number = len(numbers)
        number = numbers.setdefault(group, next_number)
        bucket[mine] = min(number, MOST_PLACE)
    return bucket, tuple(numbers), spans_stages
