"""Why every idle nanosecond of a compute lane is idle.

The rule. A gap of a lane ends with a task that starts, or with the step. From there one walks back:
from a task to what it waited for last (of the tasks that it names and of the one before it on its
lane, that which ended last), and so on. A moment of the gap belongs to the task on this walk that
ran at that moment, its **blocking task**. If none did, everything that the next task of the walk
needed was there, and that task was late: it is the blocking task, and the cause is the host. A gap
at the end of the step is walked from the step's last task. So every moment of a gap has exactly one
blocking task, and the pieces of a gap add up to it.

A collective of ranks starts on each when that rank comes to it. Until the slowest has come, the
walk goes on with what delayed the slowest; only from then on is the collective itself the blocking
task.

Streams of which another program recorded what they did, not what they waited for, are explained by
the state of their device (core.explain.devices).

The cause follows from the blocking task's kind and place: `_causes` is the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from core.costs.waits import Positions, Waits, waits_of
from core.explain.devices import cut_by_device
from core.explain.walk import Gaps, Pieces, gaps_of, walk
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
    """Why a lane is idle. The order is that of tables and legends: append only.

    A cause has one id (its value, which files have), one `label` and one `sentence`, everywhere.
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
    NOT_TOLD = "not-told"

    @property
    def label(self) -> str:
        """What it is called on screen, in tables and in printed text; English."""
        return _WORDS[self][0]

    @property
    def sentence(self) -> str:
        """What it means, in a sentence; English."""
        return _WORDS[self][1]


_WORDS = {
    Cause.FILL: (
        "pipeline fills",
        "Before the lane's first pass, an earlier stage computes what that pass needs.",
    ),
    Cause.DRAIN: (
        "pipeline drains",
        "After the lane's last pass, other stages still compute.",
    ),
    Cause.COMPUTE: (
        "other lane computes",
        "Between the lane's passes, another lane computes what the next one needs.",
    ),
    Cause.TRANSFER: (
        "transfer",
        "A copy between lanes brings what the lane needs.",
    ),
    Cause.COLLECT: (
        "gather or reduce",
        "One device gathers the outputs or reduces the gradients of all replicas.",
    ),
    Cause.SLOWEST_RANK: (
        "slowest rank",
        "The lane is in a collective that its slowest rank has not reached.",
    ),
    Cause.COLLECTIVE: (
        "exposed collective",
        "A collective that every rank has reached moves data.",
    ),
    Cause.IMBALANCE: (
        "uneven split",
        "A replica with more rows computes; on a lane without work, any lane computes. All of the "
        "wait counts, also what equal rows would not have spared.",
    ),
    Cause.HOST: (
        "host",
        "Everything was ready, but the work was late: launch, Python, contention.",
    ),
    Cause.BETWEEN_STEPS: (
        "between steps",
        "The time is outside of every step, or after a job's update and before anything else of "
        "its next step.",
    ),
    Cause.NOTHING_TO_MOVE: (
        "nothing to move",
        "A copy or communication lane has nothing to carry: no loss in itself.",
    ),
    Cause.INCOMPLETE: (
        "spans missing",
        "The step lacks spans: what looks idle may be work that was not told.",
    ),
    Cause.NOT_KNOWN: (
        "not known yet",
        "The step is not over: nothing is told yet of what the lane does next.",
    ),
    Cause.DATA: (
        "waits for data",
        "The next batch is not there yet: the job waits for what loads its data.",
    ),
    Cause.SCATTER: (
        "scatter",
        "One device sends the replicas their inputs, or the gradients of their outputs.",
    ),
    Cause.REPLICATE: (
        "model copy",
        "One device copies the model's parameters to the replicas.",
    ),
    Cause.LOSS: (
        "loss for all",
        "One device computes the loss of all replicas.",
    ),
    Cause.UPDATE: (
        "update for all",
        "One device updates the parameters of all replicas.",
    ),
    Cause.OTHER_STREAM: (
        "other stream works",
        "Another stream of the same device computes: no loss in itself.",
    ),
    Cause.NOT_TOLD: (
        "not told",
        "The lane or device is idle though its next task had been launched, or neither a launch of "
        "it nor what it waits for is known: the trace does not tell why.",
    ),
}
ACTIONS = {
    Cause.SCATTER: "{lane} scatters",
    Cause.REPLICATE: "{lane} copies the model",
    Cause.COLLECT: "{lane} gathers or reduces",
    Cause.LOSS: "{lane} computes the loss",
    Cause.UPDATE: "{lane} updates the model",
}
"""The work of one lane for all replicas while others wait, by cause, for sentences; English."""


CAUSES: tuple[Cause, ...] = tuple(Cause)
Ints = NDArray[np.int64]
_CODE = {cause: code for code, cause in enumerate(CAUSES)}
_SCATTER, _REPLICATE, _LOSS, _STEP, _COPY, _DATA, _OTHER = (
    KIND_CODES[kind]
    for kind in (
        Kind.SCATTER,
        Kind.REPLICATE,
        Kind.LOSS,
        Kind.STEP,
        Kind.COPY,
        Kind.DATA,
        Kind.OTHER,
    )
)
_PARAMETERS = PAYLOAD_CODES[Payload.PARAMETERS]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The idle time of a step's compute lanes in pieces, by lane and then by time.

    Columns of k entries: the idle piece `start` to `end` (ns) of `lane` has one `cause` (index into
    CAUSES) and one `blocking` (position in `columns`). Pieces of the same `gap` are parts of one
    idle interval. `lane_first[l] : lane_first[l + 1]` are lane l's pieces. The step lasts from
    `begin` to `finish`. Where it has a `fault`, nothing of it is explained: all idle time is
    INCOMPLETE.
    """

    columns: StepColumns
    lanes: tuple[Lane, ...]
    waits: Waits
    begin: int
    finish: int
    lane: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    cause: NDArray[np.int8]
    blocking: Positions
    gap: NDArray[np.int64]
    lane_first: NDArray[np.int64]
    begins: NDArray[np.int64]
    finishes: NDArray[np.int64]
    fault: str = ""
    follows: bool = False

    @property
    def makespan(self) -> int:
        """Length of the step in ns: from `begin` to `finish`."""
        return self.finish - self.begin

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Length of the step on each lane, in ns."""
        return self.finishes - self.begins

    def find(self, lane: int, time_ns: int) -> int | None:
        """The piece of a lane's idle time at a moment; None if it is busy or outside the step."""
        first, last = int(self.lane_first[lane]), int(self.lane_first[lane + 1])
        at = first + int(np.searchsorted(self.start[first:last], time_ns, "right")) - 1
        return at if at >= first and time_ns < self.end[at] else None

    def pieces(self, gap: int) -> range:
        """The pieces of a gap, in order of time."""
        return range(*(int(i) for i in np.searchsorted(self.gap, [gap, gap + 1])))


@dataclass(frozen=True, slots=True)
class Bounds:
    """When a step begins and finishes, and when it does on each lane, in ns.

    Steps of a job `follow` each other (core.trace.step_bounds).
    """

    begin: int
    finish: int
    begins: NDArray[np.int64]
    finishes: NDArray[np.int64]
    follow: bool = False

    @classmethod
    def of_tasks(cls, columns: StepColumns, lanes: int) -> Bounds:
        """From the first start to the last end, on all lanes."""
        begin = int(columns.start.min()) if len(columns) else 0
        finish = int(columns.end.max()) if len(columns) else 0
        return cls(begin, finish, np.full(lanes, begin), np.full(lanes, finish))


def explain_step(
    columns: StepColumns, lanes: Sequence[Lane], bounds: Bounds | None = None
) -> Explanation:
    """Explain the idle time of the compute lanes among `lanes` within a step, run or predicted.

    Without `bounds` the step lasts from the first start to the last end.
    """
    waits = waits_of(columns, lanes)
    bounds = bounds or Bounds.of_tasks(columns, len(lanes))
    every = gaps_of(columns, waits, lanes, bounds.begins, bounds.finishes)
    gaps = cut_by_device(columns, lanes, every)
    pieces = walk(columns, waits, gaps)
    lane = gaps.lane[pieces.gap]
    return Explanation(
        columns,
        tuple(lanes),
        waits,
        bounds.begin,
        bounds.finish,
        lane,
        pieces.start,
        pieces.end,
        _causes(columns, lanes, gaps, pieces),
        pieces.blocking,
        gaps.whole[pieces.gap],
        np.searchsorted(lane, np.arange(len(lanes) + 1)),
        bounds.begins,
        bounds.finishes,
        follows=bounds.follow,
    )


def cause_totals(explanation: Explanation) -> NDArray[np.int64]:
    """Idle ns of every lane by cause, (lanes, causes): a row adds up to the lane's idle time.

    The idle time of copy and communication lanes is `NOTHING_TO_MOVE`.
    """
    columns, lanes = explanation.columns, explanation.lanes
    totals = np.zeros((len(lanes), len(CAUSES)), np.int64)
    length = explanation.end - explanation.start
    np.add.at(totals, (explanation.lane, explanation.cause.astype(np.int64)), length)
    worked = np.zeros(len(lanes), np.int64)
    np.add.at(worked, columns.lane, columns.duration)
    for lane in lanes:
        if lane.role is not Role.COMPUTE:
            idle = explanation.lengths[lane.index] - worked[lane.index]
            totals[lane.index, _CODE[Cause.NOTHING_TO_MOVE]] = idle
    return totals


def _causes(
    columns: StepColumns, lanes: Sequence[Lane], gaps: Gaps, pieces: Pieces
) -> NDArray[np.int8]:
    """The cause of each piece: the first line of the table that applies."""
    lane = gaps.lane[pieces.gap]
    streams = _Streams.of(columns, lanes, gaps, pieces)
    work = _Work.of(columns, len(lanes))
    kind, replica = columns.kind[pieces.blocking], columns.replica[pieces.blocking]
    computes, by_rows = ~IS_COMMUNICATION[kind], PASSES[kind] | (kind == _LOSS)
    # A peer does the same as this lane with other rows: it works for a replica that this lane,
    # which works for some, does not hold.
    peer = (replica >= 0) & work.replicated[lane] & ~work.holds[lane, replica]
    peer |= _does_another_shard(columns, lane, pieces)
    # A task of no replica (-1) finds the last entry, which has no rows.
    more_rows = work.rows[replica] > work.lane_rows[lane]
    loss_for_all = (kind == _LOSS) & (replica < 0) & (len(work.rows) > 1)
    # An update that this lane has none of is one lane's for all replicas, as in dp.
    update_for_all = (kind == _STEP) & ~work.steps[lane]
    # Broadcasts in other programs' traces are of this kind too, and may carry anything.
    copies_model = columns.payload[pieces.blocking] == _PARAMETERS
    table = (
        # The order decides where several lines apply: what is certain from the kinds involved comes
        # first, what is left over (filling, draining, another lane's computing) last.
        (streams.other & streams.copies, Cause.TRANSFER),
        (streams.other & computes, Cause.OTHER_STREAM),
        (streams.not_told, Cause.NOT_TOLD),
        (streams.host, Cause.HOST),
        (~pieces.late & IS_COLLECTIVE[kind], Cause.COLLECTIVE),
        # A lane without any pass has got no rows: whoever computes meanwhile has what it lacks.
        (~pieces.late & computes & ~work.works[lane] & (kind != _OTHER), Cause.IMBALANCE),
        # A peer with more rows than this lane is at work.
        (~pieces.late & by_rows & peer & more_rows, Cause.IMBALANCE),
        # The walk came here through a collective: the peer has not reached that yet.
        (pieces.met & peer, Cause.SLOWEST_RANK),
        (pieces.late, Cause.HOST),
        (kind == _DATA, Cause.DATA),
        ((kind == _REPLICATE) & copies_model, Cause.REPLICATE),
        ((kind == _COPY) | (kind == _REPLICATE), Cause.TRANSFER),
        (kind == _SCATTER, Cause.SCATTER),
        (~computes, Cause.COLLECT),
        (loss_for_all, Cause.LOSS),
        (update_for_all, Cause.UPDATE),
        (peer, Cause.COMPUTE),
        ((kind != _OTHER) & (pieces.end <= work.first[lane]), Cause.FILL),
        ((kind != _OTHER) & (pieces.start >= work.last[lane]), Cause.DRAIN),
    )
    codes = [np.int8(_CODE[cause]) for _, cause in table]
    return np.select([applies for applies, _ in table], codes, np.int8(_CODE[Cause.COMPUTE]))


def _does_another_shard(
    columns: StepColumns, lane: NDArray[np.int32], pieces: Pieces
) -> NDArray[np.bool_]:
    """Whether each piece's task is of a stage of which the piece's lane has another shard.

    Then both lanes have passes of one stage of one replica.
    """
    stages, replicas = (int(n.max(initial=0)) + 2 for n in (columns.stage, columns.replica))
    # One number for each (replica, stage); + 1, so that ABSENT (-1) has a place of its own.
    name = (columns.replica.astype(np.int64) + 1) * stages + columns.stage + 1
    passes = PASSES[columns.kind] & (columns.stage >= 0) & (columns.replica >= 0)
    # Which (lane, replica, stage) has passes: a set, looked up by `isin`.
    held = np.unique(columns.lane[passes] * np.int64(stages * replicas) + name[passes])
    mine = lane * np.int64(stages * replicas) + name[pieces.blocking]
    computes = ~IS_COMMUNICATION[columns.kind[pieces.blocking]]
    on_another: NDArray[np.bool_] = computes & (columns.lane[pieces.blocking] != lane)
    return on_another & np.isin(mine, held)


@dataclass(frozen=True, slots=True)
class _Streams:
    """Of each piece of a device's stream, where its blocking task is; False for other lanes.

    `other`: another stream of the device is at work, a stream of `copies` or not. `not_told`: the
    device is idle though the blocking task, its next one, had been launched before, or no launch
    of it is known. `host`: the blocking task is one of the host's.
    """

    other: NDArray[np.bool_]
    copies: NDArray[np.bool_]
    not_told: NDArray[np.bool_]
    host: NDArray[np.bool_]

    @classmethod
    def of(
        cls, columns: StepColumns, lanes: Sequence[Lane], gaps: Gaps, pieces: Pieces
    ) -> _Streams:
        device = np.full(len(lanes), ABSENT)
        places: set[str] = set()
        for main, streams in device_streams(lanes).items():
            device[[stream.index for stream in streams]] = main
            places.add(streams[0].device)
        copies = np.array([lane.role is Role.COPY for lane in lanes])
        hosts = np.array([bool(lane.cores) and lane.device in places for lane in lanes])
        hosts &= device == ABSENT
        own, blocker = device[gaps.lane[pieces.gap]], columns.lane[pieces.blocking]
        same = (own != ABSENT) & (device[blocker] == own)
        launched, idle_since = columns.launched[pieces.blocking], gaps.start[pieces.gap]
        # An unknown launch (-1) is before everything.
        return cls(
            same & ~pieces.late,
            copies[blocker],
            same & pieces.late & (launched < idle_since),
            (own != ABSENT) & hosts[blocker],
        )


@dataclass(frozen=True, slots=True)
class _Work:
    """What each lane and replica has to do in a step.

    By lane: whether it `works` (has a pass), `steps`, is `replicated` (has passes of some replica),
    which replicas it `holds` (lanes, replicas + 1), the `first` start and the `last` end of its
    passes, and the `lane_rows` of its replicas. By replica, and one entry for none: the `rows` that
    enter it.
    """

    works: NDArray[np.bool_]
    steps: NDArray[np.bool_]
    replicated: NDArray[np.bool_]
    holds: NDArray[np.bool_]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    rows: NDArray[np.int64]
    lane_rows: NDArray[np.int64]

    @classmethod
    def of(cls, columns: StepColumns, lanes: int) -> _Work:
        replicas = int(columns.replica.max(initial=ABSENT)) + 1
        passes = PASSES[columns.kind] | (columns.kind == _OTHER)
        first = np.full(lanes, np.iinfo(np.int64).max)
        last = np.full(lanes, np.iinfo(np.int64).min)
        np.minimum.at(first, columns.lane[passes], columns.start[passes])
        np.maximum.at(last, columns.lane[passes], columns.end[passes])
        # The column behind the last replica takes the tasks of none (-1).
        holds = np.zeros((lanes, replicas + 1), np.bool_)
        holds[columns.lane[passes], columns.replica[passes]] = True
        enters = ENTERS[columns.kind] & (columns.stage <= 0) & (columns.block <= 0)
        rows = np.zeros(replicas + 1, np.int64)
        np.add.at(rows, columns.replica[enters], columns.rows[enters])
        steps = np.zeros(lanes, np.bool_)
        steps[columns.lane[columns.kind == _STEP]] = True
        return cls(
            # Lanes without passes still have the limits that they began with, the wrong way round.
            last >= first,
            steps,
            np.any(holds[:, :replicas], axis=1, keepdims=True)[:, 0],
            holds,
            first,
            last,
            rows,
            holds[:, :replicas] @ rows[:replicas],
        )
