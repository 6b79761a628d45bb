"""The tasks of a pipeline's actions: passes, copies between lanes, losses, sums and steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.arrays import Ints
from core.order import stable_argsort
from core.plan.collectives import start_together
from core.plan.division import Part, Placement, Stage
from core.plan.pipeline.actions import OVERLAP, ActionColumns, Needs
from core.plan.plan import Job
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


class StagedTasks:
    """Creates the tasks of n actions, which run in the order of the positions in `merged`.

    Tasks are added in any order, each with a temporary number, which dependencies use, and a sort
    key; at the end they are sorted and renumbered.
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
        self._job = job
        self._stages = stages
        self._actions = actions
        self._merged = merged
        # The turn of each action: the inverse permutation of `merged`.
        self._turn = np.argsort(merged)
        self._overlap = job.copies_overlap
        # The replicas that hold each stage: shape (stages, holders).
        by_stage = sorted(placements, key=lambda placement: placement.stage)
        holders = np.array([placement.replica for placement in by_stage])
        self._holders = holders.reshape(len(stages), -1)
        self._several = self._holders.shape[1] > 1
        replicas = 1 + int(self._holders.max())
        self._lane_of = np.zeros((replicas, len(stages)), np.int64)
        for placement in placements:
            self._lane_of[placement.replica, placement.stage] = placement.lane
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
        actions = self._actions
        overlaps = actions.kind == OVERLAP
        # Tasks are sorted by turn * _PLACES + place: data is received just before its action and
        # sent just after it. The keys around the action with turn 7 are
        #     42 received, 43 received gradient, 44 itself, 45 sent, 46 sent gradient, 47 summed
        numbers = self._add(
            actions.kind,
            actions.replica,
            actions.stage,
            self._turn * _PLACES + _ACTION,
            microbatch=actions.microbatch,
            rows=self._rows[actions.replica, actions.microbatch],
            paired_stage=np.where(overlaps, actions.back_stage, ABSENT),
            paired_microbatch=np.where(overlaps, actions.back_microbatch, ABSENT),
        )
        output = self._received(
            needs.output, actions.replica, actions.stage, actions.microbatch, forward=True
        )
        gradient = self._received(
            needs.gradient,
            actions.back_replica,
            actions.back_stage,
            actions.back_microbatch,
            forward=False,
        )
        gradient = np.where(gradient == ABSENT, self._losses(whole_loss), gradient)
        self._wait(numbers, output)
        # The next overlap on the same lane may need both results of the previous one.
        self._wait(numbers, np.where(gradient == output, ABSENT, gradient))
        if whole_loss:
            self._wait_for_all_forwards()
        else:
            self._wait(numbers, needs.own)
        self._steps()
        return self._sorted()

    def _received(
        self, makers: Ints, replica: Ints, stage: Ints, microbatch: Ints, forward: bool
    ) -> Ints:
        """Return the task that delivers each action's input: the maker, or a copy between lanes."""
        delivery = makers.copy()
        # The modulo only keeps the index in range: in the last stage the loss makes the gradient.
        sender = stage - 1 if forward else (stage + 1) % len(self._stages)
        source = self._lane_of[replica, sender]
        target = self._lane_of[replica, stage]
        takers = np.flatnonzero((makers != ABSENT) & (source != target))
        replica = replica[takers]
        stage = stage[takers]
        microbatch = microbatch[takers]
        if self._overlap:
            # Just after the action that made the data, on the sender's copy lane.
            place = _SENT if forward else _SENT_GRADIENT
            lane = self._copy_lane(source[takers])
            turn = self._turn[makers[takers]]
        else:
            # Just before the action that needs the data, on its lane, which the copy blocks.
            place = _RECEIVED if forward else _RECEIVED_GRADIENT
            lane = target[takers]
            turn = self._turn[takers]
        row_bytes = [self._job.model.output_bytes(stage.last - 1) for stage in self._stages]
        sizes = np.array(row_bytes, np.int64)
        rows = self._rows[replica, microbatch]
        payload = Payload.ACTIVATION if forward else Payload.GRADIENT
        # Both are as large as the output of the stage before the border that they cross.
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
        actions = self._actions
        last = len(self._stages) - 1
        ends = np.flatnonzero(actions.enters & (actions.stage == last))
        ends = ends[np.argsort(actions.microbatch[ends], kind="stable")]
        place = (actions.replica[ends], np.where(whole, ABSENT, actions.microbatch[ends]))
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
        needs_loss = actions.returns & (actions.back_stage == last)
        return np.where(needs_loss, losses[actions.back_replica, actions.back_microbatch], ABSENT)

    def _wait_for_all_forwards(self) -> None:
        """Make each backward over all micro-batches wait for all forwards of its stage."""
        actions = self._actions
        forwards = np.flatnonzero(actions.enters)
        forwards = forwards[np.argsort(actions.microbatch[forwards], kind="stable")]
        for place in np.flatnonzero(actions.returns).tolist():
            same = (actions.stage == actions.back_stage[place]) & (
                actions.replica == actions.back_replica[place]
            )
            mine = forwards[same[forwards]]
            self._wait(np.full(len(mine), place), mine)

    def _steps(self) -> None:
        """Add a step for each holder of a stage, after an all-reduce of gradients if several.

        A stage without trained parameters has no all-reduce.
        """
        actions = self._actions
        (stages, holders) = self._holders.shape
        # The turn of the last pass that completes gradients, by replica and stage.
        ended = np.full(self._lane_of.shape, ABSENT)
        mine = actions.finishes
        np.maximum.at(
            ended, (actions.back_replica[mine], actions.back_stage[mine]), self._turn[mine]
        )
        stage = np.repeat(np.arange(stages), holders)
        replica = self._holders.ravel()
        ready = self._merged[ended[replica, stage]]  # the last action of each
        # Shape (stages,): the turn in which the last holder of each stage has its gradients. All
        # lanes reduce and step stages in this order; with different orders, members of collectives
        # would wait for each other's other collectives.
        stage_column = np.arange(stages)[:, None]
        stage_ended = ended[self._holders, stage_column].max(axis=1)
        turn_of_stage = np.argsort(np.argsort(stage_ended))
        turn = turn_of_stage[stage]
        end = len(actions) * _PLACES
        sizes = self._gradient_bytes()[stage]
        # The positions of the tasks of stages whose gradients are summed, and of the others.
        is_summed = self._several & (sizes > 0)
        summed = np.flatnonzero(is_summed)
        alone = np.flatnonzero(~is_summed)
        # For each summed task, the positions of all holders of its stage.
        by_stage = np.arange(stages * holders).reshape(stages, holders)
        members = by_stage[stage[summed]].ravel()
        lane = self._lane_of[replica, stage]
        key = end + 2 * turn
        if self._overlap:
            lane = self._copy_lane(lane)
            key = stage_ended[stage] * _PLACES + _SUMMED
        reduced = self._add(
            KIND_CODES[Kind.ALL_REDUCE],
            replica[summed],
            stage[summed],
            key[summed],
            lane=lane[summed],
            bytes=sizes[summed],
            payload=PAYLOAD_CODES[Payload.PARAMETER_GRADIENTS],
        )
        self._wait(np.repeat(reduced, holders), ready[members])
        steps = self._add(KIND_CODES[Kind.STEP], replica, stage, end + 2 * turn + 1)
        self._wait(steps[alone], ready[alone])
        # No holder may step before all of them have read its gradients.
        ready[summed] = reduced
        self._wait(np.repeat(steps[summed], holders), ready[members])

    def _gradient_bytes(self) -> Ints:
        """Return the bytes of each stage's gradients, shape (stages,)."""
        model = self._job.model
        sizes = [model.gradient_bytes(stage.first, stage.last) for stage in self._stages]
        return np.array(sizes, np.int64)

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
        """Make each of `waiters` wait for its entry in `needed`, or for no task if ABSENT."""
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
