"""How much shorter a job would be if one worker, row, column or kind of work were like its peers.

Workers are the lanes that compute, with their copy and communication lanes. They form a mesh: the
axis DP has the replicas, PP the order of the workers of a replica by their stages, and TP the
workers that share replica and stages. The tasks of a worker are scaled such that tasks of one kind
take, on average over all steps, as long as those of its peers, and the steps are replayed
(core.costs.replay). Peers of a worker are the other workers of its stages, or all others if there
are none; peers of a row or column of the mesh are the other rows or columns. A kind of work is like
its peers if all of its tasks take equally long within a step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from core.costs.replay import MOST_TIMES, Replay
from core.errors import PlanError
from core.order import groups, row_keys
from core.plan.plan import Lane, computing_lanes, lane_ranks
from core.plan.task import ABSENT, KINDS
from core.report.measured import MeasuredSteps
from core.trace.trace import Trace

MOST_WORK = 40_000_000
"""Tasks that are replayed in all; of many steps and workers, fewer steps are replayed."""
FEWEST_REPLAYED = 2

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Axis(StrEnum):
    """Axes of a mesh of workers."""

    DP = "DP"
    """Replicas."""
    PP = "PP"
    """Workers of a replica in the order of their stages."""
    TP = "TP"
    """Workers of one replica that have the same stages."""


class Part(StrEnum):
    """Sorts of parts of a job."""

    WORKER = "worker"
    ROW = "row"
    COLUMN = "column"
    KIND = "kind"


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker: the index and name of its lane, and its place on each axis."""

    lane: int
    name: str
    place: dict[Axis, int]


@dataclass(frozen=True, slots=True)
class Saving:
    """What a job saves if a part is like its peers: ns of a mean step, and as a share of it.

    It is negative if the part is faster than its peers.
    """

    part: Part
    name: str
    saved_ns: float
    share: float


@dataclass(frozen=True, slots=True)
class Slowdown:
    """The savings of a job: of each worker, in the order of `workers`, and of other parts.

    `rows` and `columns` are the axes of the matrix. `step_ns` is the mean replayed step and
    `replayed` the number of replayed steps of `steps`.
    """

    workers: tuple[Worker, ...]
    rows: Axis
    columns: Axis
    of_workers: tuple[Saving, ...]
    of_rows: tuple[Saving, ...]
    of_columns: tuple[Saving, ...]
    of_kinds: tuple[Saving, ...]
    step_ns: float
    steps: int
    replayed: int

    @property
    def every(self) -> tuple[Saving, ...]:
        """All savings."""
        return (*self.of_workers, *self.of_rows, *self.of_columns, *self.of_kinds)

    def matrix(self) -> Floats:
        """Return the largest share of the workers at each place, (rows, columns); NaN if none."""
        shape = tuple(
            1 + max(worker.place[axis] for worker in self.workers)
            for axis in (self.rows, self.columns)
        )
        shares = np.full(shape, np.nan)
        for worker, saving in zip(self.workers, self.of_workers, strict=True):
            at = (worker.place[self.rows], worker.place[self.columns])
            shares[at] = np.fmax(shares[at], saving.share)
        return shares


def slowdown(trace: Trace, steps: Sequence[int], axes: tuple[Axis, Axis] | None = None) -> Slowdown:
    """Return the savings of a trace in whole `steps`; by default with the two largest axes.

    Raises PlanError if it is not known what tasks wait for (streams of a device, ranks of a job),
    and if fewer than two lanes compute.
    """
    if trace.step_table.follow:
        raise PlanError(
            "what tasks of a job's ranks wait for is not recorded; use a pipeline's trace"
        )
    run = MeasuredSteps.of(trace, steps)
    workers = mesh_of(run)
    if len(workers) < 2:
        raise PlanError("fewer than two lanes compute; there are no peers to compare with")
    if not run.has_waits:
        raise PlanError("the trace does not contain what tasks wait for on other lanes")
    rows, columns = axes or largest_axes(workers)
    return _Savings.of(run, workers).slowdown(rows, columns)


def mesh_of(run: MeasuredSteps) -> tuple[Worker, ...]:
    """Return the workers of a run that have tasks, with their places."""
    columns = run.columns
    abouts = []
    for lane in computing_lanes(run.lanes):
        mine = columns.lane == lane.index
        stages = tuple(np.unique(columns.stage[mine & (columns.stage != ABSENT)]).tolist())
        replicas = columns.replica[mine & (columns.replica != ABSENT)]
        replica = int(np.bincount(replicas).argmax()) if len(replicas) else 0
        if mine.any():
            abouts.append((lane, replica, stages))
    if len({(replica, stages) for _, replica, stages in abouts}) == 1:
        # Without stages and replicas every lane is a replica, as in data parallel jobs.
        abouts = [(lane, place, stages) for place, (lane, _, stages) in enumerate(abouts)]
    return tuple(_placed(abouts))


def _placed(abouts: Sequence[tuple[Lane, int, tuple[int, ...]]]) -> Iterator[Worker]:
    replicas = sorted({replica for _, replica, _ in abouts})
    found: dict[tuple[int, tuple[int, ...]], int] = {}
    for lane, replica, stages in abouts:
        own = sorted({other for _, its, other in abouts if its == replica})
        number = found.get((replica, stages), 0)
        found[replica, stages] = number + 1
        place = {
            Axis.DP: replicas.index(replica),
            Axis.PP: own.index(stages),
            Axis.TP: number,
        }
        yield Worker(lane.index, lane.name, place)


def largest_axes(workers: Sequence[Worker]) -> tuple[Axis, Axis]:
    """Return the two axes with the most places, in the order of Axis."""
    sizes = {axis: max(worker.place[axis] for worker in workers) for axis in Axis}
    chosen = sorted(Axis, key=lambda axis: -sizes[axis])[:2]
    first, second = (axis for axis in Axis if axis in chosen)
    return first, second


@dataclass(frozen=True, slots=True)
class _Savings:
    """Replays of a run's steps with parts of it changed.

    `worker` (n) is the place in `workers` of each task's worker, or -1; `work` (n) numbers tasks
    of the same kind and block, and `staged` (n) those that have the same stage, too.
    """

    run: MeasuredSteps
    workers: tuple[Worker, ...]
    replay: Replay
    taken: Floats
    chosen: Ints
    usual: Floats
    worker: Ints
    work: Ints
    staged: Ints

    @classmethod
    def of(cls, run: MeasuredSteps, workers: tuple[Worker, ...]) -> _Savings:
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
        usual = replay.makespans(taken[chosen])
        return cls(run, workers, replay, taken, chosen, usual, of_lane[columns.lane], work, staged)

    def slowdown(self, rows: Axis, columns: Axis) -> Slowdown:
        """Return the savings with the axes of the matrix."""
        names = [worker.name for worker in self.workers]
        numbers = np.arange(len(self.workers))
        return Slowdown(
            self.workers,
            rows,
            columns,
            self._of_groups(Part.WORKER, names, numbers),
            self._of_axis(Part.ROW, rows),
            self._of_axis(Part.COLUMN, columns),
            self._of_kinds(),
            float(self.usual.mean()),
            len(self.run.steps),
            len(self.chosen),
        )

    def _of_axis(self, part: Part, axis: Axis) -> tuple[Saving, ...]:
        """Return the savings of all places on an axis."""
        places = np.array([worker.place[axis] for worker in self.workers])
        names = [f"{axis} {place}" for place in range(int(places.max()) + 1)]
        return self._of_groups(part, names, places)

    def _of_groups(self, part: Part, names: Sequence[str], places: Ints) -> tuple[Saving, ...]:
        """Return the savings of groups of workers; `places` are the groups of the workers."""
        group = np.where(self.worker >= 0, places[self.worker], ABSENT)
        # Stages are compared with the same stage elsewhere, unless the group is all there is of it.
        factor = self._factors(self.staged, group, len(names))
        factor = np.where(np.isnan(factor), self._factors(self.work, group, len(names)), factor)
        factor = np.where(np.isnan(factor), 1.0, factor)

        def changed(number: int) -> Floats:
            return self.taken[self.chosen] * np.where(group == number, factor, 1.0)

        return self._savings(part, names, changed)

    def _factors(self, keys: Ints, group: Ints, count: int) -> Floats:
        """Return what scales each task to its group's peers with the same key; NaN without any."""
        known = group >= 0
        width = int(keys.max(initial=0)) + 1
        mine = keys * count + np.maximum(group, 0)
        total = np.where(known, self.taken.sum(axis=0), 0.0)
        own_ns = np.bincount(mine, total, width * count)
        own = np.bincount(mine, known, width * count)
        every_ns, every = np.bincount(keys, total, width), np.bincount(keys, known, width)
        others = every[keys] - own[mine]
        others_ns = every_ns[keys] - own_ns[mine]
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = (others_ns / others) / (own_ns[mine] / own[mine])
        return np.where(known & (others > 0) & np.isfinite(factor), factor, np.nan)

    def _of_kinds(self) -> tuple[Saving, ...]:
        """Return the savings of all kinds that there are."""
        codes = np.unique(self.run.columns.kind)
        even = self.taken[self.chosen]
        for mine in groups(self.work):
            even[:, mine] = even[:, mine].mean(axis=1, keepdims=True)

        def changed(number: int) -> Floats:
            is_kind = self.run.columns.kind == codes[number]
            return np.where(is_kind, even, self.taken[self.chosen])

        return self._savings(Part.KIND, [str(KINDS[code]) for code in codes], changed)

    def _savings(
        self, part: Part, names: Sequence[str], changed: Callable[[int], Floats]
    ) -> tuple[Saving, ...]:
        """Replay the steps as `changed` for each name; several at once."""
        at_once = max(1, MOST_TIMES // max(1, self.replay.nodes * len(self.chosen)))
        usual = float(self.usual.mean())
        savings = []
        for first in range(0, len(names), at_once):
            some = range(first, min(len(names), first + at_once))
            lengths = self.replay.makespans(np.concatenate([changed(one) for one in some]))
            means = lengths.reshape(len(some), -1).mean(axis=1)
            for number, mean in zip(some, means.tolist(), strict=True):
                saved = usual - mean
                savings.append(Saving(part, names[number], saved, saved / max(1.0, usual)))
        return tuple(savings)
