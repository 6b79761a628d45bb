"""Replays of steps in which groups of workers, or kinds of work, are like their peers.

The work of a group is scaled such that its pieces of one sort take, on average over all steps, as
long as those of the other groups. Sorts of work are kinds of tasks of one stage or block; work that
no other group has of this stage is compared with that of all stages. A kind of work is like its
peers if its pieces take equally long within a step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.costs.replay import MOST_TIMES, Replay
from core.explain.run_step import explain_run_step
from core.order import groups, row_keys
from core.plan.plan import lane_ranks
from core.plan.task import ABSENT, KINDS
from core.report.job_step import JobStep, StepPart
from core.report.measured import MeasuredSteps
from core.report.mesh import Axis, Worker
from core.trace.trace import Trace

MOST_WORK = 40_000_000
"""Tasks that are replayed in all; of many steps and workers, fewer steps are replayed."""
MOST_JOB_STEPS = 15
"""Steps of a job that are replayed."""
FEWEST_REPLAYED = 2

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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
    """Return what scales a group's work to the mean of the other groups; NaN if it has no peers.

    `sums` and `counts`, (keys, groups), are the ns and the number of pieces of each sort of work.
    """
    others = counts.sum(axis=1, keepdims=True) - counts
    others_ns = sums.sum(axis=1, keepdims=True) - sums
    with np.errstate(divide="ignore", invalid="ignore"):
        factors: Floats = (others_ns / others) / (sums / counts)
    known: Floats = np.where((others > 0) & np.isfinite(factors), factors, np.nan)
    return known


@dataclass(frozen=True, slots=True)
class StepReplays:
    """Replays of steps whose tasks are known to wait for each other.

    `taken` (S, n) are the durations in all steps, of which `chosen` are replayed. `worker` (n) is
    the place of each task's worker, or -1; `work` (n) numbers tasks of the same kind and block, and
    `staged` (n) those that have the same stage, too.
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
    def of(cls, run: MeasuredSteps, workers: Sequence[Worker]) -> StepReplays:
        """Choose the steps that are replayed. Raises PlanError if collectives deadlock."""
        columns = run.columns
        at = {worker.lane: place for place, worker in enumerate(workers)}
        of_lane = np.array([at.get(lane, ABSENT) for lane in lane_ranks(run.lanes)])
        work = np.unique(row_keys(columns.kind, columns.block), return_inverse=True)[1]
        staged = np.unique(row_keys(work, columns.stage), return_inverse=True)[1]
        replay = Replay.of(columns, run.meets)
        axes = sum(1 + max(worker.place[axis] for worker in workers) for axis in Axis)
        variants = len(workers) + axes + len(KINDS)
        most = max(FEWEST_REPLAYED, MOST_WORK // (variants * max(1, len(columns))))
        count = min(len(run.steps), most)
        chosen = np.linspace(0, len(run.steps) - 1, count).astype(np.int64)
        taken = run.taken.astype(np.float64)
        usual = float(replay.makespans(taken[chosen]).mean())
        return cls(run, replay, taken, chosen, usual, of_lane[columns.lane], work, staged)

    @property
    def replayed(self) -> int:
        """Number of replayed steps."""
        return len(self.chosen)

    def with_peers(self, places: Ints, count: int) -> Floats:
        """Return the mean length with each group of workers like its peers; see Replays."""
        group = np.where(self.worker >= 0, places[self.worker], ABSENT)
        factor = self._factors(self.staged, group, count)
        factor = np.where(np.isnan(factor), self._factors(self.work, group, count), factor)
        factor = np.where(np.isnan(factor), 1.0, factor)

        def changed(number: int) -> Floats:
            return self.taken[self.chosen] * np.where(group == number, factor, 1.0)

        return self._lengths(count, changed)

    def with_even_kinds(self) -> dict[str, float]:
        """Return the mean length with each kind of task even, by name; see Replays."""
        codes = np.unique(self.run.columns.kind).tolist()
        even = self.taken[self.chosen]
        for mine in groups(self.work):
            even[:, mine] = even[:, mine].mean(axis=1, keepdims=True)

        def changed(number: int) -> Floats:
            is_kind = self.run.columns.kind == codes[number]
            return np.where(is_kind, even, self.taken[self.chosen])

        names = [str(KINDS[code]) for code in codes]
        return dict(zip(names, self._lengths(len(codes), changed).tolist(), strict=True))

    def _factors(self, keys: Ints, group: Ints, count: int) -> Floats:
        """Return what scales each task to its group's peers with the same key; NaN without any."""
        known = group >= 0
        shape = (int(keys.max(initial=0)) + 1, count)
        place = (keys[known], group[known])
        sums, counts = np.zeros(shape), np.zeros(shape)
        np.add.at(sums, place, self.taken.sum(axis=0)[known])
        np.add.at(counts, place, 1)
        factors = np.full(len(keys), np.nan)
        factors[known] = peer_factors(sums, counts)[place]
        return factors

    def _lengths(self, count: int, changed: Callable[[int], Floats]) -> Floats:
        """Replay the steps with durations `changed` in `count` ways, several at once."""
        at_once = max(1, MOST_TIMES // max(1, self.replay.nodes * len(self.chosen)))
        means = [np.empty(0)]
        for first in range(0, count, at_once):
            some = range(first, min(count, first + at_once))
            lengths = self.replay.makespans(np.concatenate([changed(one) for one in some]))
            means.append(lengths.reshape(len(some), -1).mean(axis=1))
        return np.concatenate(means)


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
    def of(cls, trace: Trace, steps: Sequence[int], workers: Sequence[Worker]) -> JobReplays:
        """Choose the steps that are replayed."""
        count = min(len(steps), MOST_JOB_STEPS)
        places = np.linspace(0, len(steps) - 1, count).astype(int).tolist()
        chosen = tuple(JobStep.of(explain_run_step(trace, steps[place])) for place in places)
        at = {worker.lane: place for place, worker in enumerate(workers)}
        mains = [lane.index for lane in trace.header.compute_lanes]
        rank_worker = np.array([at.get(lane, ABSENT) for lane in mains])
        usual = [float(step.periods(step.taken[:, np.newaxis])[0]) for step in chosen]
        return cls(chosen, float(np.mean(usual)), rank_worker)

    @property
    def replayed(self) -> int:
        """Number of replayed steps."""
        return len(self.steps)

    def with_peers(self, places: Ints, count: int) -> Floats:
        """Return the mean length with each group of ranks like its peers; see Replays."""
        group = np.where(self.rank_worker >= 0, places[self.rank_worker], ABSENT)
        parts = {part: key for key, part in enumerate(self._parts())}
        sums, counts = np.zeros((len(parts), count)), np.zeros((len(parts), count))
        for step in self.steps:
            for part, times in step.totals().items():
                known = group >= 0
                np.add.at(sums[parts[part]], group[known], times[known])
                np.add.at(counts[parts[part]], group[known], 1)
        factors = np.nan_to_num(peer_factors(sums, counts), nan=1.0)

        def changed(step: JobStep) -> Floats:
            keys = np.array([parts[part] for part in step.parts])[step.part]
            mine = group[step.rank]
            factor = np.where(mine >= 0, factors[keys, mine], 1.0)
            ways = [np.where(mine == number, factor, 1.0) for number in range(count)]
            taken: Floats = step.taken[:, np.newaxis] * np.stack(ways, axis=1)
            return taken

        return self._lengths(changed)

    def with_even_kinds(self) -> dict[str, float]:
        """Return the mean length with each kind of part the same on all ranks; see Replays."""
        names = list(dict.fromkeys(_kind_name(part) for part in self._parts()))

        def changed(step: JobStep) -> Floats:
            even = step.taken.copy()
            totals = step.totals()
            for place, part in enumerate(step.parts):
                mine = step.part == place
                own = totals[part][step.rank[mine]]
                even[mine] *= totals[part].mean() / np.maximum(1.0, own)
            kind = np.array([_kind_name(part) for part in step.parts])[step.part]
            ways = [np.where(kind == name, even, step.taken) for name in names]
            return np.stack(ways, axis=1)

        return dict(zip(names, self._lengths(changed).tolist(), strict=True))

    def _parts(self) -> list[StepPart]:
        """Return all parts of the replayed steps."""
        return list(dict.fromkeys(part for step in self.steps for part in step.parts))

    def _lengths(self, changed: Callable[[JobStep], Floats]) -> Floats:
        lengths = [step.periods(changed(step)) for step in self.steps]
        means: Floats = np.mean(lengths, axis=0)
        return means


def _kind_name(part: StepPart) -> str:
    """Return the name of a part of a job's step, without its stage and block."""
    if part.kind is not None:
        return str(part.kind)
    if part.moves:
        return "communication"
    return "between steps" if part.between else "host"
