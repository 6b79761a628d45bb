"""From the actions of pipelines to tasks: copies, losses, all-reduces and steps between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.order import stable_argsort
from core.plan.pipeline.actions import OVERLAP, ActionColumns, Ints, Needs
from core.plan.strategy import Job
from core.plan.task import (
    ABSENT,
    COLUMN_TYPES,
    KIND_CODES,
    PAYLOAD_CODES,
    Kind,
    Part,
    Payload,
    Placement,
    Stage,
    TaskColumns,
)

# Where a task stands beside the action that it belongs to; a loss stands as a sent activation.
_RECEIVED, _RECEIVED_GRADIENT, _ACTION, _SENT, _SENT_GRADIENT, _SUMMED = range(6)
_PLACES = 6


class StagedTasks:
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
        sender = stage - 1 if forward else (stage + 1) % len(self._stages)
        source, target = self._lane_of[replica, sender], self._lane_of[replica, stage]
        takers = np.flatnonzero((makers != ABSENT) & (source != target))
        replica, stage, microbatch = replica[takers], stage[takers], microbatch[takers]
        if self._overlap:
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
        ended = np.full(self._lane_of.shape, ABSENT)
        mine = a.finishes
        np.maximum.at(ended, (a.back_replica[mine], a.back_stage[mine]), self._turn[mine])
        stage = np.repeat(np.arange(stages), holders)
        replica = self._holders.ravel()
        ready = self._merged[ended[replica, stage]]  # the last action of each
        stage_ended = ended[self._holders, np.arange(stages)[:, None]].max(axis=1)
        turn = np.argsort(np.argsort(stage_ended))[stage]
        end = len(a) * _PLACES
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
        told = {
            "lane": self._lane_of[replica, stage], "kind": kind, "stage": stage, "key": key,
            "replica": replica if self._several else ABSENT, "rows": 0, "bytes": 0, "payload": 0,
            **columns,
        }  # fmt: skip
        for name, noted in self._noted.items():
            noted.append(np.broadcast_to(told.get(name, ABSENT), count))
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
        waiter, needed = (place[np.concatenate(one)] for one in zip(*self._waits, strict=True))
        counts = np.bincount(waiter, minlength=self._count)
        return TaskColumns(
            **{name: noted[name][sorted_by].astype(dtype) for name, dtype in COLUMN_TYPES.items()},
            after_first=np.concatenate([[0], np.cumsum(counts)]),
            after=needed[stable_argsort(waiter)],
        )
