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

_CODE = {cause: np.int8(code) for code, cause in enumerate(CAUSES)}
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
    # A peer does the same work as this lane on other rows: this lane works for some replicas, and
    # the blocking task belongs to another one.
    has_replica = replica >= 0
    own_replica = work.holds[lane, replica]
    peer = work.replicated[lane] & has_replica & ~own_replica
    peer |= _is_other_shard(columns, lane, pieces)
    # A task of no replica (-1) takes the last entry, which has no rows.
    more_rows = work.rows[replica] > work.lane_rows[lane]
    peer_with_more_rows = has_rows & peer & more_rows
    # A lane without passes has no rows; other lanes compute rows that it could have.
    has_no_passes = ~work.works[lane]
    without_rows = computes & has_no_passes & is_planned
    has_replicas = len(work.rows) > 1
    loss_for_all = is_loss & ~has_replica & has_replicas
    # If this lane has no update, one lane updates all replicas, as in dp.
    is_update = kind == _STEP
    has_no_update = ~work.steps[lane]
    update_for_all = is_update & has_no_update
    # Older recordings of other programs' traces have broadcasts as this kind, without payload.
    payload = columns.payload[pieces.blocking]
    copies_model = is_broadcast & (payload == _PARAMETERS)
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
    conditions = [condition for condition, _ in table]
    codes = [_CODE[cause] for _, cause in table]
    return np.select(conditions, codes, _CODE[Cause.COMPUTE])


def _is_other_shard(columns: StepColumns, lane: NDArray[np.int32], pieces: IdlePieces) -> Bools:
    """Return True for pieces with a blocking task of another shard of a stage of the lane.

    Then both lanes have passes of the same stage and replica.
    """
    blocking = pieces.blocking
    has_stage = columns.stage >= 0
    has_replica = columns.replica >= 0
    passes = PASSES[columns.kind] & has_stage & has_replica
    if not passes.any():
        return np.zeros(len(lane), np.bool_)
    # The + 1 is for ABSENT (-1).
    stage = columns.stage + 1
    replica = columns.replica.astype(np.int64) + 1
    stages = int(stage.max(initial=1)) + 1
    replicas = int(replica.max(initial=1)) + 1
    # One number for each (replica, stage).
    place = replica * stages + stage
    places = np.int64(stages * replicas)
    # The set of all (lane, replica, stage) that have passes.
    place_of_lane = columns.lane * places + place
    held = np.unique(place_of_lane[passes])
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
            index = lane.index
            is_copy_stream[index] = lane.role is Role.COPY
            is_stream = device[index] != ABSENT
            has_streams = lane.device in places
            is_host_thread[index] = lane.cores and has_streams and not is_stream
        lane_of_piece = gaps.lane[pieces.gap]
        blocker = columns.lane[pieces.blocking]
        own = device[lane_of_piece]
        other = device[blocker]
        of_stream = own != ABSENT
        same_device = of_stream & (other == own)
        elsewhere = of_stream & (other != own) & (other != ABSENT)
        # A rank that is late for a collective is the slowest, for whatever reason.
        elsewhere_alone = elsewhere & ~pieces.met
        is_idle = pieces.late & (same_device | elsewhere_alone)
        launched = columns.launched[pieces.blocking]
        idle_since = gaps.start[pieces.gap]
        # An unknown launch (-1) is before everything.
        had_launched = launched < idle_since
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
        highest = int(columns.replica.max(initial=ABSENT))
        replicas = highest + 1
        lane = columns.lane
        is_pass = PASSES[columns.kind]
        is_other = columns.kind == _OTHER
        # Other work counts only on lanes that have no passes.
        has_passes = np.zeros(lanes, np.bool_)
        has_passes[lane[is_pass]] = True
        instead_of_passes = is_other & ~has_passes[lane]
        bounding = is_pass | instead_of_passes
        bounded_lane = lane[bounding]
        limits = np.iinfo(np.int64)
        first = np.full(lanes, limits.max)
        last = np.full(lanes, limits.min)
        np.minimum.at(first, bounded_lane, columns.start[bounding])
        np.maximum.at(last, bounded_lane, columns.end[bounding])
        # The last column is for tasks of no replica (-1).
        holds = np.zeros((lanes, replicas + 1), np.bool_)
        works = is_pass | is_other
        holds[lane[works], columns.replica[works]] = True
        in_first_stage = columns.stage <= 0
        in_first_block = columns.block <= 0
        enters = ENTERS[columns.kind] & in_first_stage & in_first_block
        rows = np.zeros(replicas + 1, np.int64)
        np.add.at(rows, columns.replica[enters], columns.rows[enters])
        is_update = columns.kind == _STEP
        steps = np.zeros(lanes, np.bool_)
        steps[lane[is_update]] = True
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
