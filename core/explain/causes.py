"""The cause of every idle nanosecond of a compute lane.

The rule. A gap of a lane ends when a task starts, or when the step ends. From there a walk goes
back: from a task to its last wait (of its dependencies and the previous task on its lane, the one
with the latest end), and so on. A moment of the gap belongs to the task on this walk that ran at
that moment, its **blocking task**. If no task ran, the next task of the walk had all that it needed
and started late: that task is the blocking task, and the cause is the host. For a gap at the end of
the step the walk starts from the step's last task. So every moment of a gap has exactly one
blocking task, and the pieces of a gap add up to the gap.

A collective of ranks starts on each rank when that rank arrives. Until the slowest rank has
arrived, the walk follows what delayed it. Only after that is the collective the blocking task. The
same holds for a send and its receive, if another program recorded both.

Streams recorded by another program have no dependencies. Their gaps are explained by the state of
the device (core.explain.devices).

The cause follows from the kind and place of the blocking task; see the table in `_causes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints, Positions
from core.costs.waits import Waits, waits_of
from core.explain.blocking import IdleGaps, IdlePieces, blocking_pieces, idle_gaps
from core.explain.devices import cut_by_device
from core.message import N_, Text
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


class Cause(StrEnum):
    """Cause of idle time. Tables and legends use this order: append only.

    The value is the id that files contain. There is one `label` and one `sentence` everywhere.
    """

    FILL = "pipeline-fill"
    DRAIN = "pipeline-drain"
    COMPUTE = "other-compute"
    TRANSFER = "transfer"
    COLLECT = "gather-or-reduce"
    SLOWEST_RANK = "slowest-rank"
    COLLECTIVE = "exposed-collective"
    IMBALANCE = "split-imbalance"
    HOST = "host"
    BETWEEN_STEPS = "between-steps"
    NOTHING_TO_MOVE = "nothing-to-move"
    INCOMPLETE = "incomplete"
    NOT_KNOWN = "not-known"
    DATA = "input-data"
    SCATTER = "scatter-rows"
    REPLICATE = "replicate-model"
    LOSS = "loss-for-all"
    UPDATE = "update-for-all"
    OTHER_STREAM = "other-stream"
    UNEXPLAINED = "not-told"

    @property
    def label(self) -> str:
        """English name for the screen, tables and printed text."""
        return _WORDS[self][0]

    @property
    def sentence(self) -> str:
        """Meaning in one English sentence."""
        return _WORDS[self][1]


_WORDS = {
    Cause.FILL: (
        N_("pipeline fills"),
        N_("Before the lane's first pass, an earlier stage computes what that pass needs."),
    ),
    Cause.DRAIN: (
        N_("pipeline drains"),
        N_("After the lane's last pass, other stages still compute."),
    ),
    Cause.COMPUTE: (
        N_("other lane computes"),
        N_("Between the lane's passes, another lane computes what the next one needs."),
    ),
    Cause.TRANSFER: (
        N_("transfer"),
        N_("A copy between lanes brings what the lane needs."),
    ),
    Cause.COLLECT: (
        N_("gather or reduce"),
        N_("One device gathers the outputs or reduces the gradients of all replicas."),
    ),
    Cause.SLOWEST_RANK: (
        N_("slowest rank"),
        N_("The lane is in a collective that its slowest rank has not reached."),
    ),
    Cause.COLLECTIVE: (
        N_("exposed collective"),
        N_("A collective that every rank has reached moves data."),
    ),
    Cause.IMBALANCE: (
        N_("uneven split"),
        N_(
            "A replica with more rows computes; on a lane without work, any lane "
            "computes. All of the wait counts, including the part that equal rows would "
            "not have avoided."
        ),
    ),
    Cause.HOST: (
        N_("host"),
        N_("Everything was ready, but the work was late: launch, Python, contention."),
    ),
    Cause.BETWEEN_STEPS: (
        N_("between steps"),
        N_(
            "The time is outside of every step, or between a job's update and the first "
            "work of its next step."
        ),
    ),
    Cause.NOTHING_TO_MOVE: (
        N_("nothing to move"),
        N_("A copy or communication lane has nothing to carry: no loss in itself."),
    ),
    Cause.INCOMPLETE: (
        N_("spans missing"),
        N_("The step lacks spans: apparently idle time may be work that was not recorded."),
    ),
    Cause.NOT_KNOWN: (
        N_("not known yet"),
        N_("The step is not over: the next task of the lane is not known yet."),
    ),
    Cause.DATA: (
        N_("waits for data"),
        N_("The next batch is not available yet: the job waits for its data loader."),
    ),
    Cause.SCATTER: (
        N_("scatter"),
        N_("One device sends the replicas their inputs, or the gradients of their outputs."),
    ),
    Cause.REPLICATE: (
        N_("model copy"),
        N_("One device copies the model's parameters to the replicas."),
    ),
    Cause.LOSS: (
        N_("loss for all"),
        N_("One device computes the loss of all replicas."),
    ),
    Cause.UPDATE: (
        N_("update for all"),
        N_("One device updates the parameters of all replicas."),
    ),
    Cause.OTHER_STREAM: (
        N_("other stream works"),
        N_("Another stream of the same device computes: no loss in itself."),
    ),
    Cause.UNEXPLAINED: (
        N_("unexplained"),
        N_(
            "The lane or device is idle although its next task had been launched, or "
            "neither its launch nor its dependencies are known: the trace does not show "
            "why."
        ),
    ),
}
ACTIONS = {
    Cause.SCATTER: N_("{lane} scatters"),
    Cause.REPLICATE: N_("{lane} copies the model"),
    Cause.COLLECT: N_("{lane} gathers or reduces"),
    Cause.LOSS: N_("{lane} computes the loss"),
    Cause.UPDATE: N_("{lane} updates the model"),
}
"""English phrases for the work of one lane for all replicas while others wait, by cause."""
_COLLECTING = {Kind.GATHER: N_("{lane} gathers"), Kind.REDUCE: N_("{lane} reduces")}


def action_template(cause: Cause, kind: Kind | None) -> str:
    """Return the phrase for a cause of ACTIONS, as exact as the blocking task's kind allows."""
    if cause is Cause.COLLECT and kind in _COLLECTING:
        return _COLLECTING[kind]
    return ACTIONS[cause]


CAUSES: tuple[Cause, ...] = tuple(Cause)
_CODE = {cause: code for code, cause in enumerate(CAUSES)}
_SCATTER = KIND_CODES[Kind.SCATTER]
_REPLICATE = KIND_CODES[Kind.REPLICATE]
_LOSS = KIND_CODES[Kind.LOSS]
_STEP = KIND_CODES[Kind.STEP]
_COPY = KIND_CODES[Kind.COPY]
_DATA = KIND_CODES[Kind.DATA]
_OTHER = KIND_CODES[Kind.OTHER]
_PARAMETERS = PAYLOAD_CODES[Payload.PARAMETERS]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The idle time of a step's compute lanes in k pieces, by lane and then by time.

    In the piece from `start` to `end` (ns) a `lane` is idle for one `cause` (index into CAUSES) and
    because of one `blocking` task (position in `columns`). Pieces of the same `gap` are parts of
    one idle interval. `lane_first[l] : lane_first[l + 1]` are lane l's pieces. The step lasts from
    `begin` to `finish`, and on each lane from `begins` to `finishes`. A step with a `fault` is not
    explained: all its idle time is INCOMPLETE. `follows` is true for the steps of a job.
    """

    columns: StepColumns
    lanes: tuple[Lane, ...]
    waits: Waits
    begin: int
    finish: int
    lane: NDArray[np.int32]
    start: Ints
    end: Ints
    cause: NDArray[np.int8]
    blocking: Positions
    gap: Ints
    lane_first: Ints
    begins: Ints
    finishes: Ints
    fault: Text = ""
    follows: bool = False

    @property
    def makespan(self) -> int:
        """Length of the step in ns: from `begin` to `finish`."""
        return self.finish - self.begin

    @property
    def lengths(self) -> Ints:
        """Length of the step on each lane, in ns."""
        return self.finishes - self.begins

    def find(self, lane: int, time_ns: int) -> int | None:
        """Return the idle piece of a lane at a time, None if it is busy or outside the step."""
        first = int(self.lane_first[lane])
        last = int(self.lane_first[lane + 1])
        begun = int(np.searchsorted(self.start[first:last], time_ns, "right"))
        if not begun:
            return None
        piece = first + begun - 1
        return piece if time_ns < self.end[piece] else None

    def pieces(self, gap: int) -> range:
        """Return the pieces of a gap in order of time."""
        first, last = np.searchsorted(self.gap, [gap, gap + 1]).tolist()
        return range(first, last)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Begin and finish of a step, overall and on each lane, in ns.

    `follow` is true for steps of a job, which follow each other without a pause
    (core.trace.step_bounds).
    """

    begin: int
    finish: int
    begins: Ints
    finishes: Ints
    follow: bool = False

    @classmethod
    def of_tasks(cls, columns: StepColumns, lanes: int) -> Bounds:
        """Return bounds from the first start to the last end, the same on all lanes."""
        begin = int(columns.start.min()) if len(columns) else 0
        finish = int(columns.end.max()) if len(columns) else 0
        return cls(begin, finish, np.full(lanes, begin), np.full(lanes, finish))


def explain_step(
    columns: StepColumns, lanes: Sequence[Lane], bounds: Bounds | None = None
) -> Explanation:
    """Explain the idle time of the compute lanes in a step, run or predicted.

    Without `bounds` the step lasts from the first start to the last end.
    """
    waits = waits_of(columns, lanes)
    bounds = bounds or Bounds.of_tasks(columns, len(lanes))
    whole_gaps = idle_gaps(columns, waits, lanes, bounds.begins, bounds.finishes)
    gaps = cut_by_device(columns, waits, lanes, whole_gaps)
    pieces = blocking_pieces(columns, waits, gaps)
    lane = gaps.lane[pieces.gap]
    lane_first = np.searchsorted(lane, np.arange(len(lanes) + 1))
    return Explanation(
        columns=columns,
        lanes=tuple(lanes),
        waits=waits,
        begin=bounds.begin,
        finish=bounds.finish,
        lane=lane,
        start=pieces.start,
        end=pieces.end,
        cause=_causes(columns, lanes, gaps, pieces),
        blocking=pieces.blocking,
        gap=gaps.whole[pieces.gap],
        lane_first=lane_first,
        begins=bounds.begins,
        finishes=bounds.finishes,
        follows=bounds.follow,
    )


def cause_totals(explanation: Explanation) -> Ints:
    """Return idle ns by lane and cause, (lanes, CAUSES). A row adds up to the lane's idle time.

    The cause on copy and communication lanes is always NOTHING_TO_MOVE.
    """
    columns = explanation.columns
    lanes = explanation.lanes
    totals = np.zeros((len(lanes), len(CAUSES)), np.int64)
    length = explanation.end - explanation.start
    cause = explanation.cause.astype(np.int64)
    np.add.at(totals, (explanation.lane, cause), length)
    worked = np.zeros(len(lanes), np.int64)
    np.add.at(worked, columns.lane, columns.duration)
    for lane in lanes:
        if lane.role is not Role.COMPUTE:
            idle = explanation.lengths[lane.index] - worked[lane.index]
            totals[lane.index, _CODE[Cause.NOTHING_TO_MOVE]] = idle
    return totals


def _causes(
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
