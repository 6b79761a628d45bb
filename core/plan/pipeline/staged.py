"""Plans of models cut into stages, and the tasks that the actions of their pipelines become."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from core.errors import PlanError
from core.gc_paused import gc_paused
from core.order import stable_argsort
from core.plan.collectives import start_together
from core.plan.division import Part, Pipeline, Placement, Stage
from core.plan.lanes import with_helpers
from core.plan.pipeline.actions import FORWARD, OVERLAP, ActionColumns, Ints, Needs
from core.plan.pipeline.complete import check_complete
from core.plan.pipeline.merge import merge
from core.plan.pipeline.options import BORDERS, CHUNKS, STAGES, read_borders
from core.plan.plan import Job, Plan, Role
from core.plan.schedules.schedule import Action, Schedule, ScheduleError
from core.plan.splits import balanced_runs
from core.plan.task import (
    ABSENT,
    COLUMN_TYPES,
    KIND_CODES,
    PAYLOAD_CODES,
    Kind,
    Payload,
    TaskColumns,
)

# Where a task stands beside the action that it belongs to; a loss stands as a sent activation.
_RECEIVED, _RECEIVED_GRADIENT, _ACTION, _SENT, _SENT_GRADIENT, _SUMMED = range(6)
_PLACES = 6


def cut_stages(job: Job, count: int) -> tuple[Stage, ...]:
    """Cut the model's blocks into `count` stages at the job's borders.

    Where it has none, of nearly equal parameter counts. Raises PlanError if there are fewer blocks
    than stages, or another number of borders.
    """
    blocks = job.model.blocks
    if count > len(blocks):
        raise PlanError(
            f"{count} stages need at least {count} blocks, but {job.model.name} has {len(blocks)}: "
            f"use at most {len(blocks)} stages"
        )
    if (text := job[BORDERS]) is None:
        runs = balanced_runs([block.parameter_count for block in blocks], count)
    else:
        runs = list(pairwise([0, *_borders(text, count, len(blocks)), len(blocks)]))
    return tuple(Stage(index, first, last) for index, (first, last) in enumerate(runs))


def _borders(text: str, stages: int, blocks: int) -> list[int]:
    """Where the stages after the first begin. Raises PlanError if the model has no such ones."""
    borders = read_borders(text)
    if len(borders) != stages - 1 or borders[-1] >= blocks:
        raise PlanError(
            f"--borders {text}: {stages} stages of {blocks} blocks need {stages - 1} numbers "
            f"from 1 to {blocks - 1}"
        )
    return borders


def ranks_of(job: Job, schedule: Schedule, pipelines: int = 1) -> tuple[int, int]:
    """Ranks of each of `pipelines` pipelines, and how many stages (chunks) each of them holds.

    Without `--stages` every lane is a rank, unless the schedule is written for a number of ranks.
    Raises PlanError if the numbers do not go together.
    """
    if job[CHUNKS] is not None and not schedule.settable_chunks:
        raise PlanError(
            f"--chunks {job[CHUNKS]} is not for {schedule.name}, "
            "which says itself how many stages a lane holds"
        )
    chunks = job[CHUNKS] or schedule.chunks
    if len(job.lanes) % pipelines:
        raise PlanError(
            f"{pipelines} replicas do not divide {len(job.lanes)} lanes; use a number that does"
        )
    if schedule.ranks is not None:
        count = schedule.stage_count(schedule.ranks, chunks)
        if job[STAGES] not in (None, count):
            raise PlanError(f"--stages {job[STAGES]}: {schedule.name} is for {count} stages")
        return schedule.ranks, chunks
    borders = job[BORDERS]
    asked = job[STAGES] if borders is None else 1 + len(read_borders(borders))
    stages = asked or chunks * (len(job.lanes) // pipelines)
    if stages % chunks:
        raise PlanError(
            f"{stages} stages cannot be shared in lanes of {chunks} chunks: "
            f"use a multiple of {chunks}"
        )
    return stages // chunks, chunks


@gc_paused()
def staged_plan(job: Job, sizes: Sequence[Sequence[int]], schedule: Schedule) -> Plan:
    """A plan of one or more pipelines side by side, each in the order of `schedule`.

    `sizes[k]` holds the rows of each micro-batch of pipeline k, which has an equal share of the
    lanes; rank r of it lives on the share's lane r, or r modulo the share. An activation or
    gradient that changes lanes is a copy task: on the sending lane's copy lane where copies
    overlap compute, else on the receiving lane just before it is needed. Stages that several
    replicas hold sum their gradients by all-reduce before the optimizer's step; members of one
    all-reduce start together. Steps, and all-reduces on compute lanes, come after a lane's last
    pass, so that no pass of another lane waits for them. Raises PlanError for numbers that do not
    go together and for a schedule that cannot run.
    """
    ranks, chunks = ranks_of(job, schedule, len(sizes))
    held = schedule.stage_placement(ranks, chunks)
    stages = cut_stages(job, schedule.stage_count(ranks, chunks))
    copies = 1 + max(one.replica for one in held)
    share = len(job.lanes) // len(sizes)
    # By number of micro-batches: pipelines with equal shares of the batch run the same orders.
    orders = {
        count: _orders(schedule, ranks, count, chunks) for count in dict.fromkeys(map(len, sizes))
    }
    # One entry for each rank of each pipeline; the arrays of ranks below have the same order.
    every = [order for rows in sizes for order in orders[len(rows)]]
    pipeline, rank = np.divmod(np.arange(len(every)), ranks)
    actions = ActionColumns.of(every, pipeline * copies)
    needs = Needs.of(actions, len(stages), max(orders))
    placements = tuple(
        Placement(k * copies + one.replica, one.stage, k * share + one.rank % share)
        for k in range(len(sizes))
        for one in held
    )
    parts = _parts(sizes, actions, copies)
    merged = merge(actions, needs, pipeline * share + rank % share)
    # One pipeline behind the other.
    merged = merged[stable_argsort((actions.replica // copies)[merged])]
    compute = list(job.lanes)
    return Plan(
        tuple(with_helpers(compute, Role.COPY, "copy") if job.copies_overlap else compute),
        stages,
        placements,
        parts,
        _StagedTasks(job, stages, placements, parts, actions, merged).columns(
            needs, schedule.whole_loss
        ),
        replicas=len(sizes) * copies,
        pipeline=_numbers(schedule, ranks, chunks, share, sizes),
    )


def _orders(schedule: Schedule, ranks: int, microbatches: int, chunks: int) -> list[list[Action]]:
    """Every rank's actions. Raises ScheduleError if they are not a whole step."""
    orders = schedule.orders(ranks, microbatches, chunks)
    actions = ActionColumns.of(orders)
    check_complete(actions, schedule.stage_placement(ranks, chunks), microbatches)
    over_all = actions.back_microbatch == ABSENT
    odd = (actions.kind != FORWARD) & (over_all != schedule.whole_loss)
    for place in np.flatnonzero(odd).tolist():
        raise ScheduleError(
            f"{schedule.name} runs {actions[place]}: a backward is over all micro-batches where "
            "there is one loss for all of them, and only there"
        )
    return orders


def _parts(sizes: Sequence[Sequence[int]], actions: ActionColumns, copies: int) -> tuple[Part, ...]:
    """The pieces of the batch: a micro-batch goes to the replica that takes it first."""
    enters = actions.enters & (actions.stage == 0)
    takers = actions.replica[enters]
    places = zip((takers // copies).tolist(), actions.microbatch[enters].tolist(), strict=True)
    replica_of = dict(zip(places, takers.tolist(), strict=True))
    parts, start = list[Part](), 0
    for k, rows in enumerate(sizes):
        for microbatch, count in enumerate(rows):
            parts.append(Part(replica_of[k, microbatch], microbatch, start, count))
            start += count
    return tuple(parts)


def _numbers(
    schedule: Schedule, ranks: int, chunks: int, share: int, sizes: Sequence[Sequence[int]]
) -> Pipeline | None:
    """What the schedule's formulas need to know; None where none of them holds."""
    counts = {len(rows) for rows in sizes}
    if ranks > share or len(counts) > 1:
        return None
    return Pipeline(schedule.name, ranks, counts.pop(), chunks)


class _StagedTasks:
    """The tasks of n actions, which come one after the other as `merged` lists their places.

    Tasks are noted in any order, each with a key by which they are sorted in the end, and with
    what they wait for by the numbers that they have until then.
    """

    def __init__(
        self,
        job: Job,
        stages: Sequence[Stage],
        placements: Sequence[Placement],
        parts: Sequence[Part],
        actions: ActionColumns,
        merged: Ints,
    ) -> None:
        self._job, self._stages, self._actions, self._merged = job, stages, actions, merged
        # When each action comes: the inverse of `merged`, which says which action comes when.
        self._turn = np.argsort(merged)
        self._overlap = job.copies_overlap
        # By stage, in the order of the placements: shape (stages, replicas that hold each).
        by_stage = sorted(placements, key=lambda placement: placement.stage)
        self._holders = np.array([p.replica for p in by_stage]).reshape(len(stages), -1)
        self._several = self._holders.shape[1] > 1
        replicas = 1 + int(self._holders.max())
        self._lane_of = np.zeros((replicas, len(stages)), np.int64)
        for p in placements:
            self._lane_of[p.replica, p.stage] = p.lane
        # The last column is for all of a replica's micro-batches at once.
        self._rows = np.zeros((replicas, 1 + max(part.microbatch for part in parts) + 1), np.int64)
        for part in parts:
            self._rows[part.replica, part.microbatch] = part.rows
        self._rows[:, -1] = self._rows.sum(axis=1)
        self._noted: dict[str, list[Ints]] = {name: [] for name in ("key", *COLUMN_TYPES)}
        self._count = 0
        self._waits: list[tuple[Ints, Ints]] = []

    def columns(self, needs: Needs, whole_loss: bool) -> TaskColumns:
        """All tasks; with `whole_loss` there is one loss over all micro-batches of a replica."""
        a, overlaps = self._actions, self._actions.kind == OVERLAP
        # In the end tasks are sorted by turn * _PLACES + place: what is received for an action
        # comes right before it, what it sends right behind. Around the action with turn 7 keys are
        #     42 received, 43 received gradient, 44 itself, 45 sent, 46 sent gradient, 47 summed
        actions = self._note(
            a.kind, a.replica, a.stage, self._turn * _PLACES + _ACTION, microbatch=a.microbatch,
            rows=self._rows[a.replica, a.microbatch],
            paired_stage=np.where(overlaps, a.back_stage, ABSENT),
            paired_microbatch=np.where(overlaps, a.back_microbatch, ABSENT),
        )  # fmt: skip
        output = self._received(needs.output, a.replica, a.stage, a.microbatch, forward=True)
        gradient = self._received(
            needs.gradient, a.back_replica, a.back_stage, a.back_microbatch, forward=False
        )
        gradient = np.where(gradient == ABSENT, self._losses(whole_loss), gradient)
        self._wait(actions, output)
        # Two overlaps on one lane may hand each other both results.
        self._wait(actions, np.where(gradient == output, ABSENT, gradient))
        if whole_loss:
            self._wait_for_all_forwards()
        else:
            self._wait(actions, needs.own)
        self._steps()
        return self._sorted()

    def _received(
        self, makers: Ints, replica: Ints, stage: Ints, microbatch: Ints, forward: bool
    ) -> Ints:
        """What brings each action the result of its maker: that itself, or a copy between lanes."""
        brings = makers.copy()
        # Modulo the stages only to stay within the array: the last stage's
        # gradient comes from the loss.
        sender = stage - 1 if forward else (stage + 1) % len(self._stages)
        source, target = self._lane_of[replica, sender], self._lane_of[replica, stage]
        takers = np.flatnonzero((makers != ABSENT) & (source != target))
        replica, stage, microbatch = replica[takers], stage[takers], microbatch[takers]
        if self._overlap:
            # Copies that overlap stand behind the action that made the data, on the
            # sender's copy lane; others right before the one that takes it, on its lane, as
            # they keep that lane from computing.
            place = _SENT if forward else _SENT_GRADIENT
            lane, key = self._moving_lane(source[takers]), self._turn[makers[takers]]
        else:
            place = _RECEIVED if forward else _RECEIVED_GRADIENT
            lane, key = target[takers], self._turn[takers]
        sizes = np.array(
            [self._job.model.output_bytes(stage.last - 1) for stage in self._stages], np.int64
        )
        rows = self._rows[replica, microbatch]
        brings[takers] = self._note(
            KIND_CODES[Kind.COPY], replica, stage, key * _PLACES + place, lane=lane,
            microbatch=microbatch, rows=rows, bytes=rows * sizes[stage - 1 if forward else stage],
            payload=PAYLOAD_CODES[Payload.ACTIVATION if forward else Payload.GRADIENT],
        )  # fmt: skip
        self._wait(brings[takers], makers[takers])
        return brings

    def _losses(self, whole: bool) -> Ints:
        """A loss of each micro-batch, or of each replica; what each action needs of them."""
        a, last = self._actions, len(self._stages) - 1
        ends = np.flatnonzero(a.enters & (a.stage == last))
        ends = ends[np.argsort(a.microbatch[ends], kind="stable")]
        place = (a.replica[ends], np.where(whole, ABSENT, a.microbatch[ends]))
        # The loss stands behind the last forward that it needs: its own micro-batch's, or with
        # `whole` the last one of the replica (entries of column -1).
        ended = np.full(self._rows.shape, ABSENT)
        np.maximum.at(ended, place, self._turn[ends])
        replica, microbatch = np.nonzero(ended != ABSENT)
        losses = np.full(self._rows.shape, ABSENT)
        losses[replica, microbatch] = self._note(
            KIND_CODES[Kind.LOSS], replica, np.full(len(replica), last),
            ended[replica, microbatch] * _PLACES + _SENT,
            microbatch=np.where(whole, ABSENT, microbatch), rows=self._rows[replica, microbatch],
        )  # fmt: skip
        self._wait(losses[place], ends)
        judged = a.returns & (a.back_stage == last)
        return np.where(judged, losses[a.back_replica, a.back_microbatch], ABSENT)

    def _wait_for_all_forwards(self) -> None:
        """Each backward over all micro-batches waits for its stage's forward of each of them."""
        a = self._actions
        forwards = np.flatnonzero(a.enters)
        forwards = forwards[np.argsort(a.microbatch[forwards], kind="stable")]
        for place in np.flatnonzero(a.returns).tolist():
            same = (a.stage == a.back_stage[place]) & (a.replica == a.back_replica[place])
            mine = forwards[same[forwards]]
            self._wait(np.full(len(mine), place), mine)

    def _steps(self) -> None:
        """A step of each stage and holder, behind an all-reduce where several hold a stage."""
        a, (stages, holders) = self._actions, self._holders.shape
        # The turn of the last pass that leaves gradients, by replica and stage.
        ended = np.full(self._lane_of.shape, ABSENT)
        mine = a.finishes
        np.maximum.at(ended, (a.back_replica[mine], a.back_stage[mine]), self._turn[mine])
        stage = np.repeat(np.arange(stages), holders)
        replica = self._holders.ravel()
        ready = self._merged[ended[replica, stage]]  # the last action of each
        # Shape (stages,): when the last holder of each stage has its gradients. Stages are reduced
        # and stepped in that order, the same on all lanes: members of one collective must not wait
        # for each other's other collectives.
        stage_ended = ended[self._holders, np.arange(stages)[:, None]].max(axis=1)
        turn = np.argsort(np.argsort(stage_ended))[stage]
        end = len(a) * _PLACES
        # For each of the stages * holders tasks the numbers of its stage's
        # holders, one row behind the other.
        members = np.arange(stages * holders).reshape(stages, holders)[stage].ravel()
        if self._several:
            summed = (stage_ended[stage] * _PLACES + _SUMMED) if self._overlap else end + 2 * turn
            lane = self._lane_of[replica, stage]
            sizes = [self._job.model.run_bytes(stage.first, stage.last) for stage in self._stages]
            reduced = self._note(
                KIND_CODES[Kind.ALL_REDUCE], replica, stage, summed,
                lane=self._moving_lane(lane) if self._overlap else lane,
                bytes=np.array(sizes, np.int64)[stage],
                payload=PAYLOAD_CODES[Payload.PARAMETER_GRADIENTS],
            )  # fmt: skip
            self._wait(np.repeat(reduced, holders), ready[members])
            ready = reduced
        steps = self._note(KIND_CODES[Kind.STEP], replica, stage, end + 2 * turn + 1)
        self._wait(np.repeat(steps, holders), ready[members])

    def _moving_lane(self, lane: Ints) -> Ints:
        """The copy lane of each lane."""
        return len(self._job.lanes) + lane

    def _note(
        self, kind: Ints | int, replica: Ints, stage: Ints, key: Ints, **columns: Ints | int
    ) -> Ints:
        """Note tasks, on their stages' lanes unless `lane` is given; their numbers for now."""
        count = len(stage)
        known = {
            "lane": self._lane_of[replica, stage], "kind": kind, "stage": stage, "key": key,
            "replica": replica if self._several else ABSENT, "rows": 0, "bytes": 0, "payload": 0,
            **columns,
        }  # fmt: skip
        for name, noted in self._noted.items():
            noted.append(np.broadcast_to(known.get(name, ABSENT), count))
        self._count += count
        return np.arange(self._count - count, self._count)

    def _wait(self, waiters: Ints, needed: Ints) -> None:
        """Let tasks wait for others, -1 for none; who waits for several is given them in turn."""
        there = needed != ABSENT
        self._waits.append((waiters[there], needed[there]))

    def _sorted(self) -> TaskColumns:
        """All tasks by their keys, and what they wait for by its places."""
        noted = {name: np.concatenate(columns) for name, columns in self._noted.items()}
        sorted_by = stable_argsort(noted["key"])
        place = np.argsort(sorted_by)
        # From here on tasks have their final numbers.
        waiter, needed = (place[np.concatenate(one)] for one in zip(*self._waits, strict=True))
        counts = np.bincount(waiter, minlength=self._count)
        columns = TaskColumns(
            **{name: noted[name][sorted_by].astype(dtype) for name, dtype in COLUMN_TYPES.items()},
            after_first=np.concatenate([[0], np.cumsum(counts)]),
            after=needed[stable_argsort(waiter)],
        )
        return start_together(columns)
