"""Replays of steps in which groups of workers, or kinds of work, are like their peers.

The work of a group is scaled such that its pieces of one sort take, on average over all steps, as
long as in the other groups. Sorts of work are kinds of tasks of one stage or block; work that no
other group has of this stage is compared with the work of all stages. A kind of work is like its
peers if its pieces take equally long within a step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from core.arrays import Floats, Ints
from core.costs.replay import MOST_TIMES, Replay
from core.explain.run_step import explain_run_step
from core.order import evenly, groups, row_numbers
from core.plan.plan import lane_indices, lane_ranks
from core.plan.task import ABSENT, KINDS
from core.report.job_graph import StepPart
from core.report.job_step import JobStep
from core.report.measured import MeasuredSteps
from core.report.mesh import MeshWorker
from core.trace.trace import Trace

MOST_WORK = 40_000_000
"""Largest number of replayed tasks; with many tasks or workers, fewer steps are replayed."""
MOST_JOB_STEPS = 15
"""Number of a job's steps to replay."""
FEWEST_REPLAYED = 2


class Replays(Protocol):
    """Replayed steps of a job; all lengths are the mean over the replayed steps, in ns."""

    @property
    def usual_ns(self) -> float:
        """Length as measured."""

    @property
    def replayed(self) -> int:
        """Number of replayed steps."""

    def with_peers(self, places: Ints, count: int) -> Floats:
        """Return the length with each of `count` groups like its peers.

        `places` has the group of each worker.
        """

    def with_even_kinds(self) -> dict[str, float]:
        """Return the length with each kind of work even, by the kind's name."""


def peer_factors(sums: Floats, counts: Floats) -> Floats:
    """Return the factors that scale groups to the mean of the others; NaN for groups without peers.

    `sums` and `counts`, (keys, groups), are the ns and the number of pieces of each sort of work.
    """
    others = counts.sum(axis=1, keepdims=True) - counts
    others_ns = sums.sum(axis=1, keepdims=True) - sums
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = sums / counts
        mean_of_others = others_ns / others
        factors = mean_of_others / mean
    has_peers = (others > 0) & np.isfinite(factors)
    known: Floats = np.where(has_peers, factors, np.nan)
    return known


@dataclass(frozen=True, slots=True)
class StepReplays:
    """Replays of steps whose tasks are known to wait for each other.

    `taken` (S, n) are the durations in all steps, of which `chosen` are replayed. `worker` (n) is
    the place of each task's worker, or -1; `work` (n) numbers tasks of the same kind and block, and
    `staged` (n) tasks that have the same stage, too.
    """

    run: MeasuredSteps
    replay: Replay
    taken: Floats
    chosen: Ints
    usual_ns: float
    worker: Ints
    work: Ints
    staged: Ints

    @classmethod
    def of(cls, run: MeasuredSteps, workers: Sequence[MeshWorker]) -> StepReplays:
        """Choose the steps that are replayed. Raises PlanError if collectives deadlock."""
        columns = run.columns
        worker_of_lane = _workers_of(lane_ranks(run.lanes), workers)
        work = row_numbers(columns.kind, columns.block)
        staged = row_numbers(work, columns.stage)
        replay = Replay.of(columns, run.meets)
        # One replay for each worker and kind, and at most one row and one column for each worker.
        variants = 3 * len(workers) + len(KINDS)
        tasks_a_step = variants * max(1, len(columns))
        steps = len(run.steps)
        most = max(FEWEST_REPLAYED, MOST_WORK // tasks_a_step)
        places = evenly(range(steps), min(steps, most))
        chosen = np.array(places, np.int64)
        taken = run.taken.astype(np.float64)
        makespans = replay.makespans(taken[chosen])
        return cls(
            run=run,
            replay=replay,
            taken=taken,
            chosen=chosen,
            usual_ns=float(makespans.mean()),
            worker=worker_of_lane[columns.lane],
            work=work,
            staged=staged,
        )

    @property
    def replayed(self) -> int:
        """Number of replayed steps."""
        return len(self.chosen)

    def with_peers(self, places: Ints, count: int) -> Floats:
        """Return the mean length with each group of workers like its peers; see Replays."""
        group_of_worker = places[self.worker]
        group = np.where(self.worker >= 0, group_of_worker, ABSENT)
        factor = self._factors(self.staged, group, count)
        of_all_stages = self._factors(self.work, group, count)
        factor = np.where(np.isnan(factor), of_all_stages, factor)
        factor = np.where(np.isnan(factor), 1.0, factor)
        measured = self.taken[self.chosen]

        def changed(number: int) -> Floats:
            own_factor = np.where(group == number, factor, 1.0)
            return measured * own_factor

        return self._lengths(count, changed)

    def with_even_kinds(self) -> dict[str, float]:
        """Return the mean length with each kind of task even, by name; see Replays."""
        kind = self.run.columns.kind
        codes = np.unique(kind).tolist()
        measured = self.taken[self.chosen]
        even = np.empty_like(measured)
        for mine in groups(self.work):
            of_work = measured[:, mine]
            even[:, mine] = of_work.mean(axis=1, keepdims=True)

        def changed(number: int) -> Floats:
            return np.where(kind == codes[number], even, measured)

        lengths = self._lengths(len(codes), changed).tolist()
        names = [str(KINDS[code]) for code in codes]
        return dict(zip(names, lengths, strict=True))

    def _factors(self, keys: Ints, group: Ints, count: int) -> Floats:
        """Return the factor that scales each task to its group's peers; NaN without any.

        Peers are tasks of other groups with the same key.
        """
        known = group >= 0
        highest_key = int(keys.max(initial=0))
        shape = (highest_key + 1, count)
        place = (keys[known], group[known])
        taken = self.taken.sum(axis=0)
        sums = np.zeros(shape)
        counts = np.zeros(shape)
        np.add.at(sums, place, taken[known])
        np.add.at(counts, place, 1)
        factors = np.full(len(keys), np.nan)
        of_groups = peer_factors(sums, counts)
        factors[known] = of_groups[place]
        return factors

    def _lengths(self, count: int, changed: Callable[[int], Floats]) -> Floats:
        """Replay the steps with durations `changed` in `count` ways, several at once."""
        times_of_way = max(1, self.replay.nodes * len(self.chosen))
        at_once = max(1, MOST_TIMES // times_of_way)
        means = np.empty(count)
        for first in range(0, count, at_once):
            last = min(count, first + at_once)
            durations = [changed(number) for number in range(first, last)]
            lengths = self.replay.makespans(np.concatenate(durations))
            by_way = lengths.reshape(last - first, -1)
            means[first:last] = by_way.mean(axis=1)
        return means


@dataclass(frozen=True, slots=True)
class JobReplays:
    """Replays of steps of a training job (core.report.job_step), whose ranks follow each other.

    `rank_worker` (R) is the place of each rank's worker, or -1. A part of the work is
    communication, code that is not recorded, or a kind of task of a stage and block.
    """

    steps: tuple[JobStep, ...]
    usual_ns: float
    rank_worker: Ints

    @classmethod
    def of(cls, trace: Trace, steps: Sequence[int], workers: Sequence[MeshWorker]) -> JobReplays:
        """Choose the steps that are replayed."""
        chosen: list[JobStep] = []
        lengths: list[Floats] = []
        for step in evenly(steps, MOST_JOB_STEPS):
            job_step = JobStep.of(explain_run_step(trace, step))
            as_measured = job_step.taken[:, np.newaxis]
            chosen.append(job_step)
            lengths.append(job_step.periods(as_measured))
        lanes = lane_indices(trace.header.compute_lanes)
        return cls(
            steps=tuple(chosen),
            usual_ns=float(np.mean(lengths)),
            rank_worker=_workers_of(lanes, workers),
        )

    @property
    def replayed(self) -> int:
        """Number of replayed steps."""
        return len(self.steps)

    def with_peers(self, places: Ints, count: int) -> Floats:
        """Return the mean length with each group of ranks like its peers; see Replays."""
        group_of_worker = places[self.rank_worker]
        group = np.where(self.rank_worker >= 0, group_of_worker, ABSENT)
        factors = self._factors(group, count)

        def changed(step: JobStep) -> Floats:
            mine = group[step.rank]
            has_group = mine >= 0
            factor = np.ones(len(mine))
            for place, part in enumerate(step.parts):
                of_groups = factors[part]
                nodes = has_group & (step.part == place)
                factor[nodes] = of_groups[mine[nodes]]
            is_group = mine[:, np.newaxis] == np.arange(count)
            measured = step.taken[:, np.newaxis]
            scaled = measured * factor[:, np.newaxis]
            return np.where(is_group, scaled, measured)

        return self._lengths(changed)

    def with_even_kinds(self) -> dict[str, float]:
        """Return the mean length with each kind of part the same on all ranks; see Replays."""
        numbers: dict[str, int] = {}
        for part in self._parts():
            numbers.setdefault(_kind_name(part), len(numbers))

        def changed(step: JobStep) -> Floats:
            measured = step.taken[:, np.newaxis]
            ways = np.repeat(measured, len(numbers), axis=1)
            totals = step.totals()
            for place, part in enumerate(step.parts):
                mine = np.flatnonzero(step.part == place)
                of_ranks = totals[part]
                mean = of_ranks.mean()
                own = of_ranks[step.rank[mine]]
                even = step.taken[mine] * mean / np.maximum(1.0, own)
                number = numbers[_kind_name(part)]
                ways[mine, number] = even
            return ways

        lengths = self._lengths(changed).tolist()
        return dict(zip(numbers, lengths, strict=True))

    def _factors(self, group: Ints, count: int) -> dict[StepPart, Floats]:
        """Return the factor of each part for each of `count` groups of ranks; 1 without peers."""
        known = group >= 0
        known_group = group[known]
        factors = {}
        for part in self._parts():
            sums = np.zeros((1, count))
            counts = np.zeros((1, count))
            for step in self.steps:
                times = step.totals().get(part)
                if times is not None:
                    np.add.at(sums[0], known_group, times[known])
                    np.add.at(counts[0], known_group, 1)
            of_groups = peer_factors(sums, counts)[0]
            factors[part] = np.nan_to_num(of_groups, nan=1.0)
        return factors

    def _parts(self) -> list[StepPart]:
        """Return all parts of the replayed steps, each once."""
        parts: dict[StepPart, None] = {}
        for step in self.steps:
            parts |= dict.fromkeys(step.parts)
        return list(parts)

    def _lengths(self, changed: Callable[[JobStep], Floats]) -> Floats:
        lengths: list[Floats] = []
        for step in self.steps:
            taken = changed(step)
            lengths.append(step.periods(taken))
        means: Floats = np.mean(lengths, axis=0)
        return means


def _workers_of(lanes: Sequence[int], workers: Sequence[MeshWorker]) -> Ints:
    """Return the place of the worker of each lane, or -1."""
    places = {worker.lane: place for place, worker in enumerate(workers)}
    return np.array([places.get(lane, ABSENT) for lane in lanes], np.int64)


def _kind_name(part: StepPart) -> str:
    """Return the name of a part of a job's step, without its stage and block."""
    if part.kind is not None:
        return str(part.kind)
    if part.moves:
        return "communication"
    return "between steps" if part.between else "host"
