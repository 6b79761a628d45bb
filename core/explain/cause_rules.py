"""The cause of each idle piece, by a table of rules of which the first that applies wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.explain.blocking import IdleGaps, IdlePieces
from core.explain.causes import CAUSES, Cause
from core.plan.plan import Lane, Role, device_streams
from core.plan.task import (
    ABSENT,
    ENTERS,
    IS_COLLECTIVE,
    IS_COMMUNICATION,
    KIND_CODES,
    PASSES,
    PAYLOAD_CODES,
    Kind,
    Payload,
)
from core.trace.step import StepColumns

_CODE = {cause: code for code, cause in enumerate(CAUSES)}
_SCATTER = KIND_CODES[Kind.SCATTER]
_REPLICATE = KIND_CODES[Kind.REPLICATE]
_LOSS = KIND_CODES[Kind.LOSS]
_STEP = KIND_CODES[Kind.STEP]
_COPY = KIND_CODES[Kind.COPY]
_DATA = KIND_CODES[Kind.DATA]
_OTHER = KIND_CODES[Kind.OTHER]
_PARAMETERS = PAYLOAD_CODES[Payload.PARAMETERS]


def causes_of(
    columns: StepColumns, lanes: Sequence[Lane], gaps: IdleGaps, pieces: IdlePieces
) -> NDArray[np.int8]:
    """Return the cause of each piece: the first row of the table that applies."""
    lane = gaps.lane[pieces.gap]
    streams = _Streams.of(columns, lanes, gaps, pieces)
    work = _Work.of(columns, len(lanes))
    kind = columns.kind[pieces.blocking]
    replica = columns.replica[pieces.blocking]
    on_time = ~pieces.late
    computes = ~IS_COMMUNICATION[kind]
    collective = IS_COLLECTIVE[kind]
    is_loss = kind == _LOSS
    is_broadcast = kind == _REPLICATE
    # The work of other programs has no place in a pipeline.
    is_planned = kind != _OTHER
    has_rows = PASSES[kind] | is_loss
    # A peer does the same work as this lane on other rows. This lane works for some replicas, and
    # the blocking task is of another replica.
    other_replica = (replica >= 0) & ~work.holds[lane, replica]
    peer = work.replicated[lane] & other_replica
    peer |= _is_other_shard(columns, lane, pieces)
    # A task of no replica (-1) takes the last entry, which has no rows.
    more_rows = work.rows[replica] > work.lane_rows[lane]
    peer_with_more_rows = has_rows & peer & more_rows
    # A lane without passes has no rows; other lanes compute rows that it could have.
    without_rows = computes & ~work.works[lane] & is_planned
    has_replicas = len(work.rows) > 1
    loss_for_all = is_loss & (replica < 0) & has_replicas
    # If this lane has no update, one lane updates all replicas, as in dp.
    update_for_all = (kind == _STEP) & ~work.steps[lane]
    # Older recordings of other programs' traces have broadcasts as this kind, without payload.
    copies_model = is_broadcast & (columns.payload[pieces.blocking] == _PARAMETERS)
    before_passes = pieces.end <= work.first[lane]
    after_passes = pieces.start >= work.last[lane]
    table = (
        # If several rows apply, the first wins. Rows that are certain from the kinds of tasks are
        # first; the last rows (fill, drain, compute) are for what remains.
        (streams.other & streams.copies, Cause.TRANSFER),
        (streams.other & computes, Cause.OTHER_STREAM),
        (streams.unexplained, Cause.UNEXPLAINED),
        (streams.host, Cause.HOST),
        (on_time & collective, Cause.COLLECTIVE),
        (on_time & without_rows, Cause.IMBALANCE),
        (on_time & peer_with_more_rows, Cause.IMBALANCE),
        # The walk passed through a collective that the peer has not reached yet.
        (pieces.met & (peer | streams.elsewhere), Cause.SLOWEST_RANK),
        (pieces.late, Cause.HOST),
        (kind == _DATA, Cause.DATA),
        (copies_model, Cause.REPLICATE),
        (is_broadcast, Cause.TRANSFER),
        (kind == _COPY, Cause.TRANSFER),
        (kind == _SCATTER, Cause.SCATTER),
        (~computes, Cause.COLLECT),
        (loss_for_all, Cause.LOSS),
        (update_for_all, Cause.UPDATE),
        (peer, Cause.COMPUTE),
        (is_planned & before_passes, Cause.FILL),
        (is_planned & after_passes, Cause.DRAIN),
    )
    conditions = [applies for applies, _ in table]
    codes = [np.int8(_CODE[cause]) for _, cause in table]
    return np.select(conditions, codes, np.int8(_CODE[Cause.COMPUTE]))


def _is_other_shard(columns: StepColumns, lane: NDArray[np.int32], pieces: IdlePieces) -> Bools:
    """Return True for pieces with a blocking task of another shard of a stage of the lane.

    Then both lanes have passes of the same stage and replica.
    """
    blocking = pieces.blocking
    has_place = (columns.stage >= 0) & (columns.replica >= 0)
    passes = PASSES[columns.kind] & has_place
    if not passes.any():
        return np.zeros(len(lane), np.bool_)
    stages = int(columns.stage.max(initial=0)) + 2
    replicas = int(columns.replica.max(initial=0)) + 2
    # One number for each (replica, stage); the + 1 is for ABSENT (-1).
    replica = columns.replica.astype(np.int64) + 1
    stage = columns.stage + 1
    place = replica * stages + stage
    places = np.int64(stages * replicas)
    # The set of all (lane, replica, stage) that have passes.
    held = np.unique(columns.lane[passes] * places + place[passes])
    mine = lane * places + place[blocking]
    computes = ~IS_COMMUNICATION[columns.kind[blocking]]
    on_other_lane = columns.lane[blocking] != lane
    found: Bools = computes & on_other_lane & np.isin(mine, held)
    return found


@dataclass(frozen=True, slots=True)
class _Streams:
    """The state of the device for each piece of a device's stream; all False for other lanes.

    `other`: another stream of the device works. `elsewhere`: the blocking task is on another
    device. `copies`: the blocking task is on a copy stream. `unexplained`: a device is idle
    although its next task (the blocking task) was launched before, or the launch is unknown.
    `host`: the blocking task runs on the host.
    """

    other: Bools
    elsewhere: Bools
    copies: Bools
    unexplained: Bools
    host: Bools

    @classmethod
    def of(
        cls, columns: StepColumns, lanes: Sequence[Lane], gaps: IdleGaps, pieces: IdlePieces
    ) -> _Streams:
        device = np.full(len(lanes), ABSENT)
        places: set[str] = set()
        for main, streams in device_streams(lanes).items():
            for stream in streams:
                device[stream.index] = main
            places.add(streams[0].device)
        is_copy_stream = np.zeros(len(lanes), np.bool_)
        is_host_thread = np.zeros(len(lanes), np.bool_)
        for lane in lanes:
            is_copy_stream[lane.index] = lane.role is Role.COPY
            is_stream = device[lane.index] != ABSENT
            is_host_thread[lane.index] = lane.cores and lane.device in places and not is_stream
        own = device[gaps.lane[pieces.gap]]
        blocker = columns.lane[pieces.blocking]
        of_stream = own != ABSENT
        same_device = of_stream & (device[blocker] == own)
        elsewhere = of_stream & (device[blocker] != own) & (device[blocker] != ABSENT)
        # A rank that is late for a collective is the slowest, for whatever reason.
        is_idle = pieces.late & (same_device | (elsewhere & ~pieces.met))
        # An unknown launch (-1) is before everything.
        had_launched = columns.launched[pieces.blocking] < gaps.start[pieces.gap]
        return cls(
            other=same_device & ~pieces.late,
            elsewhere=elsewhere,
            copies=is_copy_stream[blocker],
            unexplained=is_idle & had_launched,
            host=of_stream & is_host_thread[blocker],
        )


@dataclass(frozen=True, slots=True)
class _Work:
    """The work of each lane and replica in a step.

    By lane: `works` (it has passes), `steps` (it has an update), `replicated` (it has passes of
    some replica), `holds` (lanes, replicas + 1; the replicas that it has passes of), `first` start
    and `last` end of its passes, and `lane_rows` (rows of its replicas). By replica, with a last
    entry for tasks of none: the `rows` that enter it.
    """

    works: Bools
    steps: Bools
    replicated: Bools
    holds: Bools
    first: Ints
    last: Ints
    rows: Ints
    lane_rows: Ints

    @classmethod
    def of(cls, columns: StepColumns, lanes: int) -> _Work:
        replicas = int(columns.replica.max(initial=ABSENT)) + 1
        passes = PASSES[columns.kind] | (columns.kind == _OTHER)
        lane_of_pass = columns.lane[passes]
        limits = np.iinfo(np.int64)
        first = np.full(lanes, limits.max)
        last = np.full(lanes, limits.min)
        # Other work counts only on lanes for which it is not known what passes are.
        has_passes = np.zeros(lanes, np.bool_)
        has_passes[columns.lane[PASSES[columns.kind]]] = True
        bounding = PASSES[columns.kind] | (passes & ~has_passes[columns.lane])
        np.minimum.at(first, columns.lane[bounding], columns.start[bounding])
        np.maximum.at(last, columns.lane[bounding], columns.end[bounding])
        # The last column is for tasks of no replica (-1).
        holds = np.zeros((lanes, replicas + 1), np.bool_)
        holds[lane_of_pass, columns.replica[passes]] = True
        enters = ENTERS[columns.kind] & (columns.stage <= 0) & (columns.block <= 0)
        rows = np.zeros(replicas + 1, np.int64)
        np.add.at(rows, columns.replica[enters], columns.rows[enters])
        steps = np.zeros(lanes, np.bool_)
        steps[columns.lane[columns.kind == _STEP]] = True
        of_replicas = holds[:, :replicas]
        return cls(
            # Lanes without passes keep the reversed initial values.
            works=last >= first,
            steps=steps,
            replicated=np.any(of_replicas, axis=1, keepdims=True)[:, 0],
            holds=holds,
            first=first,
            last=last,
            rows=rows,
            lane_rows=of_replicas @ rows[:replicas],
        )
