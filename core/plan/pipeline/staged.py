"""Plans of models that are cut into stages: a pipeline's actions become tasks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from core.arrays import Ints
from core.counts import blocks_text, lanes_text, replicas_text, stages_text
from core.errors import PlanError
from core.gc_paused import gc_paused
from core.message import counted, message
from core.order import stable_argsort
from core.plan.collectives import start_together
from core.plan.division import Part, Pipeline, Placement, Stage
from core.plan.lanes import with_helpers
from core.plan.pipeline.actions import FORWARD, OVERLAP, ActionColumns, Needs
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

# Sort order of the tasks of one action. A loss sorts as a sent activation.
_RECEIVED, _RECEIVED_GRADIENT, _ACTION, _SENT, _SENT_GRADIENT, _SUMMED = range(6)
_PLACES = 6


def cut_stages(job: Job, count: int) -> tuple[Stage, ...]:
    """Cut the model's blocks into `count` stages at the job's borders.

    Without borders, stages have nearly equal parameter counts. Raises PlanError if there are fewer
    blocks than stages, or if the number of borders is wrong.
    """
    blocks = job.model.blocks
    if count > len(blocks):
        raise PlanError(
            message(
                "{stages} need at least {blocks}, but {name} has {held}: use at most {most}",
                stages=stages_text(count),
                blocks=blocks_text(count),
                name=job.model.name,
                held=len(blocks),
                most=stages_text(len(blocks)),
            )
        )
    if (text := job[BORDERS]) is None:
        runs = balanced_runs([block.parameter_count for block in blocks], count)
    else:
        runs = list(pairwise([0, *_borders(text, count, len(blocks)), len(blocks)]))
    return tuple(Stage(index, first, last) for index, (first, last) in enumerate(runs))


def _borders(text: str, stages: int, blocks: int) -> list[int]:
    """Return the first block of each stage after the first. Raises PlanError."""
    borders = read_borders(text)
    if len(borders) != stages - 1 or borders[-1] >= blocks:
        raise PlanError(
            message(
                "--borders {text}: {stages} of {blocks} need {numbers}",
                text=text,
                stages=stages_text(stages),
                blocks=blocks_text(blocks),
                numbers=counted(
                    "{n} number from 1 to {last}",
                    "{n} numbers from 1 to {last}",
                    stages - 1,
                    last=blocks - 1,
                ),
            )
        )
    return borders


def ranks_of(job: Job, schedule: Schedule, pipelines: int = 1) -> tuple[int, int]:
    """Return (ranks, chunks) of each of the `pipelines`: a rank holds `chunks` stages.

    Without `--stages` every lane is a rank, unless the schedule fixes the number of ranks. Raises
    PlanError if the numbers do not fit together.
    """
    if job[CHUNKS] is not None and not schedule.settable_chunks:
        raise PlanError(
            message(
                "--chunks {chunks} is not for {name}, which says itself how many stages a "
                "lane holds",
                chunks=job[CHUNKS],
                name=schedule.name,
            )
        )
    chunks = job[CHUNKS] or schedule.chunks
    if len(job.lanes) % pipelines:
        raise PlanError(
            message(
                "{replicas} do not divide {lanes}; use a number that does",
                replicas=replicas_text(pipelines),
                lanes=lanes_text(len(job.lanes)),
            )
        )
    if schedule.ranks is not None:
        count = schedule.stage_count(schedule.ranks, chunks)
        if job[STAGES] not in (None, count):
            raise PlanError(
                message(
                    "--stages {given}: {name} is for {stages}",
                    given=job[STAGES],
                    name=schedule.name,
                    stages=stages_text(count),
                )
            )
        return schedule.ranks, chunks
    borders = job[BORDERS]
    asked = job[STAGES] if borders is None else 1 + len(read_borders(borders))
    stages = asked or chunks * (len(job.lanes) // pipelines)
    if stages % chunks:
        raise PlanError(
            message(
                "{stages} cannot be shared in lanes of {chunks} chunks: use a multiple of {chunks}",
                stages=stages_text(stages),
                chunks=chunks,
            )
        )
    return stages // chunks, chunks


@gc_paused()
def staged_plan(job: Job, sizes: Sequence[Sequence[int]], schedule: Schedule) -> Plan:
    """Return a plan of one or more parallel pipelines, each in the order of `schedule`.

    `sizes[k]` holds the rows of each micro-batch of pipeline k. Pipelines have equal shares of the
    lanes; rank r of a pipeline is on lane r of its share, modulo the size of the share.

    A copy task moves each activation or gradient that changes lanes. If copies overlap compute, it
    runs on the sender's copy lane, otherwise on the receiving lane just before the data is needed.
    If several replicas hold a stage, an all-reduce sums their gradients before the optimizer's
    step; its members start together. Steps, and all-reduces on compute lanes, follow the lane's
    last pass, so that passes of other lanes never wait for them.

    Raises PlanError for numbers that do not fit together, and for a schedule that cannot run.
    """
    ranks, chunks = ranks_of(job, schedule, len(sizes))
    held = schedule.stage_placement(ranks, chunks)
    stages = cut_stages(job, schedule.stage_count(ranks, chunks))
    copies = 1 + max(one.replica for one in held)
    share = len(job.lanes) // len(sizes)
    # Pipelines with equally many micro-batches run the same orders.
    counts = dict.fromkeys(len(rows) for rows in sizes)
    orders = {count: _orders(schedule, ranks, count, chunks) for count in counts}
    # An entry for each rank of each pipeline; the arrays of ranks below have the same order.
    every: list[Sequence[Action]] = []
    for rows in sizes:
        every += orders[len(rows)]
    pipeline, rank = np.divmod(np.arange(len(every)), ranks)
    actions = ActionColumns.of(every, pipeline * copies)
    needs = Needs.of(actions, len(stages), max(orders))
    placements: list[Placement] = []
    for k in range(len(sizes)):
        for one in held:
            replica = k * copies + one.replica
            lane = k * share + one.rank % share
            placements.append(Placement(replica, one.stage, lane))
    parts = _parts(sizes, actions, copies)
    merged = merge(actions, needs, pipeline * share + rank % share)
    # Sort by pipeline.
    merged = merged[stable_argsort((actions.replica // copies)[merged])]
    lanes = list(job.lanes)
    if job.copies_overlap:
        lanes = with_helpers(lanes, Role.COPY, "copy")
    tasks = _StagedTasks(job, stages, placements, parts, actions, merged)
    return Plan(
        tuple(lanes),
        stages,
        tuple(placements),
        parts,
        tasks.columns(needs, schedule.whole_loss),
        replicas=len(sizes) * copies,
        pipeline=_numbers(schedule, ranks, chunks, share, sizes),
    )


def _orders(schedule: Schedule, ranks: int, microbatches: int, chunks: int) -> list[list[Action]]:
    """Return every rank's actions. Raises ScheduleError if they are not a complete step."""
    orders = schedule.orders(ranks, microbatches, chunks)
    actions = ActionColumns.of(orders)
    check_complete(actions, schedule.stage_placement(ranks, chunks), microbatches)
    over_all = actions.back_microbatch == ABSENT
    mismatched = (actions.kind != FORWARD) & (over_all != schedule.whole_loss)
    for place in np.flatnonzero(mismatched).tolist():
        raise ScheduleError(
            message(
                "{name} runs {actions}: a backward is over all micro-batches where there is "
                "one loss for all of them, and only there",
                name=schedule.name,
                actions=actions[place],
            )
        )
    return orders


def _parts(sizes: Sequence[Sequence[int]], actions: ActionColumns, copies: int) -> tuple[Part, ...]:
    """Return the pieces of the batch; each micro-batch belongs to the replica that runs it."""
    enters = actions.enters & (actions.stage == 0)
    replicas = actions.replica[enters]
    pipelines, microbatches = (replicas // copies).tolist(), actions.microbatch[enters].tolist()
    keys = zip(pipelines, microbatches, strict=True)
    replica_of = dict(zip(keys, replicas.tolist(), strict=True))
    parts, start = list[Part](), 0
    for k, rows in enumerate(sizes):
        for microbatch, count in enumerate(rows):
            parts.append(Part(replica_of[k, microbatch], microbatch, start, count))
            start += count
    return tuple(parts)


def _numbers(
    schedule: Schedule, ranks: int, chunks: int, share: int, sizes: Sequence[Sequence[int]]
) -> Pipeline | None:
    """Return the inputs of the schedule's formulas; None where no formula holds."""
    counts = {len(rows) for rows in sizes}
    if ranks > share or len(counts) > 1:
        return None
    return Pipeline(schedule.name, ranks, counts.pop(), chunks)


class _StagedTasks:
    """Makes the tasks of n actions, which run in the order of the positions in `merged`.

    Tasks are added in any order, with temporary numbers that dependencies use, and with a sort key;
    at the end they are sorted and renumbered.
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
        # The turn of each action: the inverse permutation of `merged`.
        self._turn = np.argsort(merged)
        self._overlap = job.copies_overlap
        # The replicas that hold each stage: shape (stages, holders).
        by_stage = sorted(placements, key=lambda placement: placement.stage)
        self._holders = np.array([p.replica for p in by_stage]).reshape(len(stages), -1)
        self._several = self._holders.shape[1] > 1
        replicas = 1 + int(self._holders.max())
        self._lane_of = np.zeros((replicas, len(stages)), np.int64)
        for p in placements:
            self._lane_of[p.replica, p.stage] = p.lane
        # Shape (replicas, micro-batches + 1); the last column is for all micro-batches at once.
        microbatches = 1 + max(part.microbatch for part in parts)
        self._rows = np.zeros((replicas, microbatches + 1), np.int64)
        for part in parts:
            self._rows[part.replica, part.microbatch] = part.rows
        self._rows[:, -1] = self._rows.sum(axis=1)
        self._added: dict[str, list[Ints]] = {name: [] for name in ("key", *COLUMN_TYPES)}
        self._count = 0
        self._waits: list[tuple[Ints, Ints]] = []

    def columns(self, needs: Needs, whole_loss: bool) -> TaskColumns:
        """Return all tasks; with `whole_loss` a replica has one loss over all micro-batches."""
        a, overlaps = self._actions, self._actions.kind == OVERLAP
        # Tasks are sorted by turn * _PLACES + place: data is received just before its action and
        # sent just after it. The keys around the action with turn 7 are
        #     42 received, 43 received gradient, 44 itself, 45 sent, 46 sent gradient, 47 summed
        actions = self._add(
            a.kind,
            a.replica,
            a.stage,
            self._turn * _PLACES + _ACTION,
            microbatch=a.microbatch,
            rows=self._rows[a.replica, a.microbatch],
            paired_stage=np.where(overlaps, a.back_stage, ABSENT),
            paired_microbatch=np.where(overlaps, a.back_microbatch, ABSENT),
        )
        output = self._received(needs.output, a.replica, a.stage, a.microbatch, forward=True)
        gradient = self._received(
            needs.gradient, a.back_replica, a.back_stage, a.back_microbatch, forward=False
        )
        gradient = np.where(gradient == ABSENT, self._losses(whole_loss), gradient)
        self._wait(actions, output)
        # The next overlap on the same lane may need both results of the one before.
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
        """Return the task that delivers each action's input: the maker, or a copy between lanes."""
        delivery = makers.copy()
        # The modulo only keeps the index in range: in the last stage the loss makes the gradient.
        sender = stage - 1 if forward else (stage + 1) % len(self._stages)
        source, target = self._lane_of[replica, sender], self._lane_of[replica, stage]
        takers = np.flatnonzero((makers != ABSENT) & (source != target))
        replica, stage, microbatch = replica[takers], stage[takers], microbatch[takers]
        if self._overlap:
            # Just after the action that made the data, on the sender's copy lane.
            place = _SENT if forward else _SENT_GRADIENT
            lane, turn = self._copy_lane(source[takers]), self._turn[makers[takers]]
        else:
            # Just before the action that needs the data, on its lane, which the copy blocks.
            place = _RECEIVED if forward else _RECEIVED_GRADIENT
            lane, turn = target[takers], self._turn[takers]
        row_bytes = [self._job.model.output_bytes(stage.last - 1) for stage in self._stages]
        sizes = np.array(row_bytes, np.int64)
        rows = self._rows[replica, microbatch]
        payload = Payload.ACTIVATION if forward else Payload.GRADIENT
        # Both have the size of the output of the stage in front of the border that they cross.
        before_border = stage - 1 if forward else stage
        delivery[takers] = self._add(
            KIND_CODES[Kind.COPY],
            replica,
            stage,
            turn * _PLACES + place,
            lane=lane,
            microbatch=microbatch,
            rows=rows,
            bytes=rows * sizes[before_border],
            payload=PAYLOAD_CODES[payload],
        )
        self._wait(delivery[takers], makers[takers])
        return delivery

    def _losses(self, whole: bool) -> Ints:
        """Add a loss for each micro-batch, or for each replica if `whole`.

        Returns the loss that each action waits for, ABSENT for none; shape (n,).
        """
        a, last = self._actions, len(self._stages) - 1
        ends = np.flatnonzero(a.enters & (a.stage == last))
        ends = ends[np.argsort(a.microbatch[ends], kind="stable")]
        place = (a.replica[ends], np.where(whole, ABSENT, a.microbatch[ends]))
        # For each loss, the turn of the last forward that it needs: its micro-batch's. If `whole`,
        # it is the replica's last forward, kept in the last column.
        ended = np.full(self._rows.shape, ABSENT)
        np.maximum.at(ended, place, self._turn[ends])
        replica, microbatch = np.nonzero(ended != ABSENT)
        losses = np.full(self._rows.shape, ABSENT)
        losses[replica, microbatch] = self._add(
            KIND_CODES[Kind.LOSS],
            replica,
            np.full(len(replica), last),
            ended[replica, microbatch] * _PLACES + _SENT,
            microbatch=np.where(whole, ABSENT, microbatch),
            rows=self._rows[replica, microbatch],
        )
        self._wait(losses[place], ends)
        needs_loss = a.returns & (a.back_stage == last)
        return np.where(needs_loss, losses[a.back_replica, a.back_microbatch], ABSENT)

    def _wait_for_all_forwards(self) -> None:
        """Make each backward over all micro-batches wait for all forwards of its stage."""
        a = self._actions
        forwards = np.flatnonzero(a.enters)
        forwards = forwards[np.argsort(a.microbatch[forwards], kind="stable")]
        for place in np.flatnonzero(a.returns).tolist():
            same = (a.stage == a.back_stage[place]) & (a.replica == a.back_replica[place])
            mine = forwards[same[forwards]]
            self._wait(np.full(len(mine), place), mine)

    def _steps(self) -> None:
        """Add a step for each holder of a stage, after an all-reduce if there are several."""
        a, (stages, holders) = self._actions, self._holders.shape
        # The turn of the last pass that leaves gradients, by replica and stage.
        ended = np.full(self._lane_of.shape, ABSENT)
        mine = a.finishes
        np.maximum.at(ended, (a.back_replica[mine], a.back_stage[mine]), self._turn[mine])
        stage = np.repeat(np.arange(stages), holders)
        replica = self._holders.ravel()
        ready = self._merged[ended[replica, stage]]  # the last action of each
        # Shape (stages,): the turn in which the last holder of each stage has its gradients. All
        # lanes reduce and step stages in this order; with different orders, members of collectives
        # would wait for each other's other collectives.
        stage_ended = ended[self._holders, np.arange(stages)[:, None]].max(axis=1)
        turn = np.argsort(np.argsort(stage_ended))[stage]
        end = len(a) * _PLACES
        # For each of the stages * holders tasks, the numbers of all holders of its stage.
        by_stage = np.arange(stages * holders).reshape(stages, holders)
        members = by_stage[stage].ravel()
        if self._several:
            lane = self._lane_of[replica, stage]
            if self._overlap:
                lane, key = self._copy_lane(lane), stage_ended[stage] * _PLACES + _SUMMED
            else:
                key = end + 2 * turn
            sizes = [self._job.model.run_bytes(stage.first, stage.last) for stage in self._stages]
            reduced = self._add(
                KIND_CODES[Kind.ALL_REDUCE],
                replica,
                stage,
                key,
                lane=lane,
                bytes=np.array(sizes, np.int64)[stage],
                payload=PAYLOAD_CODES[Payload.PARAMETER_GRADIENTS],
            )
            self._wait(np.repeat(reduced, holders), ready[members])
            ready = reduced
        steps = self._add(KIND_CODES[Kind.STEP], replica, stage, end + 2 * turn + 1)
        self._wait(np.repeat(steps, holders), ready[members])

    def _copy_lane(self, lane: Ints) -> Ints:
        """Return the copy lane of each lane."""
        return len(self._job.lanes) + lane

    def _add(
        self, kind: Ints | int, replica: Ints, stage: Ints, key: Ints, **columns: Ints | int
    ) -> Ints:
        """Add tasks, by default on their stages' lanes; returns their temporary numbers."""
        count = len(stage)
        known = {
            "lane": self._lane_of[replica, stage],
            "kind": kind,
            "stage": stage,
            "key": key,
            "replica": replica if self._several else ABSENT,
            "rows": 0,
            "bytes": 0,
            "payload": 0,
            **columns,
        }
        for name, added in self._added.items():
            added.append(np.broadcast_to(known.get(name, ABSENT), count))
        self._count += count
        return np.arange(self._count - count, self._count)

    def _wait(self, waiters: Ints, needed: Ints) -> None:
        """Make each of the `waiters` wait for the task in `needed`, or for none if ABSENT."""
        there = needed != ABSENT
        self._waits.append((waiters[there], needed[there]))

    def _sorted(self) -> TaskColumns:
        """Return all tasks sorted by key, with dependencies by final numbers."""
        added = {name: np.concatenate(columns) for name, columns in self._added.items()}
        order = stable_argsort(added["key"])
        number = np.argsort(order)
        waiters, needed = zip(*self._waits, strict=True)
        waiter = number[np.concatenate(waiters)]
        after = number[np.concatenate(needed)]
        counts = np.bincount(waiter, minlength=self._count)
        plain = {name: added[name][order].astype(dtype) for name, dtype in COLUMN_TYPES.items()}
        columns = TaskColumns(
            **plain,
            after_first=np.concatenate([[0], np.cumsum(counts)]),
            after=after[stable_argsort(waiter)],
        )
        return start_together(columns)
