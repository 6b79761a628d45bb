"""Effects of workers, stages and micro-batches on the durations of passes.

The logarithm of a pass's duration is the sum of four parts: the usual duration of its work, the
length of its micro-batch in this step, the effect of its stage, and the effect of its worker. A
worker is a lane that computes. The parts are found by medians, one after the other, as in Tukey's
median polish, so that a few slow passes do not move them:

1. a micro-batch's length is the lower median of the workers of its replica: if one of two
   workers is slow, the worker is slow and not the micro-batch long;
2. a stage's effect is the lower median of its workers: if one of two workers is slow, the
   worker is slow and not the stage;
3. a worker's effect is the median over the steps of the rest of its passes.

A worker that is the only one of its stages has the part of its effect that all its stages share.
If it has only one stage, the worker and the stage cannot be distinguished.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.arrays import Bools, Floats, Ints
from core.explain.noise import ALWAYS, FEWEST, median_error
from core.order import groups, row_keys, row_numbers
from core.plan.task import PASSES
from core.report.measured import MeasuredSteps

LEAST_FACTOR = 1.02
"""A worker counts as equal to its peers unless it takes this many times as long as they do."""


@dataclass(frozen=True, slots=True)
class WorkEffects:
    """Effects on the n passes of S steps, as factors of durations.

    `passes` (n) are places in the run's columns, and `taken` (S, n) their durations in ns. `lane`
    and `stage` (n) are theirs, and `work` (n) numbers passes of one kind. `of_stage` (n) is the
    stage's effect relative to the median stage. `of_worker` (n) is the worker's effect; it is 1
    for workers that are not certainly slower than their peers. `alone` (n) is True if the pass's
    worker is the only one of its only stage.
    """

    passes: Ints
    taken: Floats
    lane: Ints
    stage: Ints
    work: Ints
    of_stage: Floats
    of_worker: Floats
    alone: Bools

    @classmethod
    def of(cls, run: MeasuredSteps) -> WorkEffects | None:
        """Find the effects in a run; None unless a replica has passes on two lanes.

        In a replica of one lane a slow worker cannot be distinguished from long micro-batches.
        """
        columns = run.columns
        is_pass = PASSES[columns.kind] & run.computes
        passes = np.flatnonzero(is_pass)
        cell = row_keys(columns.replica[passes], columns.microbatch[passes])
        lane = columns.lane[passes].astype(np.int64)
        if not _has_peers(cell, lane):
            return None
        stage = columns.stage[passes].astype(np.int64)
        work = row_numbers(columns.kind[passes], columns.block[passes])
        measured = run.taken[:, passes]
        taken = np.maximum(measured, 1).astype(np.float64)
        logs = np.log(taken)
        left = logs - _medians_by(work, logs)
        left -= _lengths(cell, lane, left)
        work_of_stage = row_numbers(stage, work)
        of_stage = _stage_effects(work_of_stage, lane, left)
        left -= of_stage
        (median_of_work,) = _medians_by(work, of_stage[np.newaxis])
        of_stage -= median_of_work
        workers_of_stage = _distinct_by(stage, lane)
        shared = _shared_excess(lane, stage, of_stage, workers_of_stage)
        of_worker = _worker_effects(lane, left + shared)
        shared = np.where(of_worker > 0, shared, 0.0)
        is_only_worker = workers_of_stage == 1
        stages_of_lane = _distinct_by(lane, stage)
        return cls(
            passes=passes,
            taken=taken,
            lane=lane,
            stage=stage,
            work=work,
            of_stage=np.exp(of_stage - shared),
            of_worker=np.exp(of_worker),
            alone=is_only_worker & (stages_of_lane == 1),
        )


def _medians_by(keys: Ints, values: Floats) -> Floats:
    """Return for each of n columns the median of all values with its key; `values` is (S, n)."""
    medians = np.empty(len(keys))
    for mine in groups(keys):
        medians[mine] = np.median(values[:, mine])
    return medians[np.newaxis]


def _has_peers(cell: Ints, lane: Ints) -> bool:
    """Return True if two lanes have passes of the same micro-batch of the same replica."""
    for mine in groups(cell):
        lanes = np.unique(lane[mine])
        if len(lanes) > 1:
            return True
    return False


def _lengths(cell: Ints, lane: Ints, left: Floats) -> Floats:
    """Return the length of each pass's micro-batch in its own step, shape (S, n).

    It is the lower median of the lanes, of the means of their passes.
    """
    lengths = np.empty_like(left)
    for mine in groups(cell):
        by_lane = np.argsort(lane[mine], kind="stable")
        order = mine[by_lane]
        _, first, counts = np.unique(lane[order], return_index=True, return_counts=True)
        sums = np.add.reduceat(left[:, order], first, axis=1)
        means = sums / counts
        middle = (len(first) - 1) // 2
        partitioned = np.partition(means, middle, axis=1)
        lower_medians = partitioned[:, middle]
        lengths[:, mine] = lower_medians[:, np.newaxis]
    return lengths


def _stage_effects(place: Ints, lane: Ints, left: Floats) -> Floats:
    """Return the effect of each pass's stage: the lower median of its workers."""
    effects = np.empty(len(place))
    for mine in groups(place):
        of_lanes: list[float] = []
        for of_lane in groups(lane, mine):
            median = np.median(left[:, of_lane])
            of_lanes.append(float(median))
        of_lanes.sort()
        lower_median = (len(of_lanes) - 1) // 2
        effects[mine] = of_lanes[lower_median]
    return effects


def _distinct_by(keys: Ints, values: Ints) -> Ints:
    """Return for each of n entries how many distinct values the entries with its key have."""
    counts = np.empty(len(keys), np.int64)
    for mine in groups(keys):
        counts[mine] = len(np.unique(values[mine]))
    return counts


def _shared_excess(lane: Ints, stage: Ints, of_stage: Floats, counts: Ints) -> Floats:
    """Return the effect that all stages of a lane share, if it has several that no other lane has.

    It is the lane's effect then, and not its stages'.
    """
    shared = np.zeros(len(lane))
    for mine in groups(lane):
        own: list[float] = []
        for passes_of_stage in groups(stage, mine):
            mean = of_stage[passes_of_stage].mean()
            own.append(float(mean))
        is_only_lane = counts[mine] == 1
        if len(own) > 1 and is_only_lane.all():
            shared[mine] = max(0.0, min(own))
    return shared


def _worker_effects(lane: Ints, left: Floats) -> Floats:
    """Return the effect of each pass's worker; 0 unless it is certainly slower than its peers."""
    effects = np.zeros(len(lane))
    for mine in groups(lane):
        of_steps = np.median(left[:, mine], axis=1)
        usual = float(np.median(of_steps))
        is_steady = (of_steps > 0).mean() >= ALWAYS
        has_few_steps = len(of_steps) < FEWEST
        least = max(np.log(LEAST_FACTOR), median_error(of_steps))
        if usual > least and (is_steady or has_few_steps):
            effects[mine] = usual
    return effects
