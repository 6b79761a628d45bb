"""Measures the cost of each block of a model in micro-batches of several sizes.

The costs of a run apply to its own stages and its own size of micro-batches. They are of little use
for another strategy: a part of a task's cost does not depend on its rows, and some sizes suit the
processor better than others. Here the model is cut into one stage for each block, on one lane.
Three micro-batches pass through it: two with whole backward passes, of which the second adds to the
gradients of the first, and one with a split backward. At the smallest size the model is also cut
into two stages, which shows the part of the cost that is paid once per task.

Everything runs on copies of the modules, and the random state is restored. Short tasks are
rehearsed, as in the steps of a run.
"""

from __future__ import annotations

import math
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from threading import Event
from typing import NamedTuple

from core.costs.costs import STAGED, CostModel, Curve, cost_at
from core.costs.durations import durations
from core.engine.failures import RunStopped
from core.engine.lanes.devices import kept_random_state
from core.engine.lanes.isolated import IsolatedLane
from core.engine.models.modules import Batch
from core.engine.models.workload import check_ties
from core.engine.prepare import Prepared
from core.engine.tasks.operations import Operations
from core.engine.virtual.rehearsal import LONG_NS
from core.errors import PlanError
from core.gc_paused import gc_paused
from core.plan.division import Part, Placement, Stage
from core.plan.plan import Lane, Plan
from core.plan.planning import job_of
from core.plan.strategies import STRATEGIES
from core.plan.task import Kind, Task, TaskColumns, add_task

BUDGET_SECONDS = 2.0
LEAST_ROUNDS = 3
"""The first round allocates and is not counted."""
MOST_ROUNDS = 6
LEAST_SIZES = 3
MOST_PIECES = 64
"""The smallest size is the batch divided by this number: smaller sizes only have fixed costs."""
_FIRST, _, _SPLIT = range(3)
"""The micro-batches of a measuring plan; the last one has a split backward."""
_ADDING = (Kind.BACKWARD, Kind.BACKWARD_WEIGHT)
"""The kinds of passes that add to the gradients of parameters."""


class PassKey(NamedTuple):
    """A pass of `rows` rows through the stage `stage` of a model that is cut into `stages`.

    `adds` is True if its gradients were added to the gradients of a previous micro-batch.
    """

    kind: Kind
    stage: int
    rows: int
    adds: bool
    stages: int


PassTimes = dict[PassKey, list[float]]
"""The ns of each round."""
MedianTimes = dict[PassKey, float]
"""The median ns over rounds."""


def block_costs_by_size(
    prepared: Prepared, isolated: IsolatedLane, stop: Event, batch: Batch, costs: CostModel
) -> CostModel | None:
    """Return the costs of the model by block and rows, with the transfers of `costs`.

    Takes about BUDGET_SECONDS, or longer if passes are long. Returns None if blocks share
    parameters, because such blocks cannot be measured separately. Raises RunStopped on request, or
    the exception of a task.
    """
    assert prepared.workload is not None
    blocks = len(prepared.model.blocks)
    fine = _stages(range(blocks + 1))
    try:
        check_ties(prepared.workload, fine)
    except PlanError:
        return None
    measurement = _Measurement(prepared, batch, isolated, stop)
    batch_rows = len(batch[0])
    lane_rows = max(part.rows for part in prepared.plans[batch_rows].parts)
    sizes = sizes_of(batch_rows, len(prepared.lanes), lane_rows)
    with kept_random_state([isolated.device]):
        measurement.run(fine, _coarse(blocks), sizes)
        measured = _cost_model(measurement.times, blocks, costs)
        plan = divided_plan(prepared, batch_rows)
        if plan is None:
            return measured
        factors = _factors(measurement.divided_ns(plan), plan, measured)
        return replace(measured, divided=factors)


def sizes_of(batch: int, lanes: int, lane_rows: int) -> list[int]:
    """Return numbers of rows to measure, the most important first.

    These are `lane_rows`, the rows of a lane in this run; an equal part for each lane, and the
    batch, which several strategies need; then the halves of the batch, their halves and so on, by
    their distance from `lane_rows`.
    """
    least = max(1, batch // MOST_PIECES)
    halves = []
    size = batch
    while size >= least:
        halves.append(size)
        size //= 2

    def distance(size: int) -> float:
        return abs(math.log(size / lane_rows))

    nearest = sorted(halves, key=distance)
    even_rows = max(1, batch // lanes)
    sizes = [lane_rows, even_rows, batch, *nearest]
    return list(dict.fromkeys(sizes))


@dataclass(frozen=True, slots=True)
class _Cut:
    """A way to cut the model, with modules to measure and other modules for rehearsals."""

    stages: tuple[Stage, ...]
    measured: Operations
    rehearsed: Operations


class _Measurement:
    """Rounds of passes through a model that is cut in two ways; `times` are their durations."""

    def __init__(
        self, prepared: Prepared, batch: Batch, isolated: IsolatedLane, stop: Event
    ) -> None:
        self._prepared, self._batch = prepared, batch
        self._isolated, self._stop = isolated, stop
        self._lane = replace(prepared.lanes[0], index=0, serves=0)
        self._short: set[int] = set()
        self.times: PassTimes = defaultdict(list)

    def run(self, fine: tuple[Stage, ...], coarse: tuple[Stage, ...], sizes: Sequence[int]) -> None:
        """Measure as many of `sizes` as the time allows, but at least LEAST_SIZES, in rounds."""
        by_block = self._cut(fine, sizes)
        by_halves = self._cut(coarse, sizes)
        began = time.monotonic()
        measured: list[int] = []
        for size in sizes:
            # The other rounds rehearse tasks, and take up to twice as long as this one.
            is_late = time.monotonic() - began > BUDGET_SECONDS / 4
            if is_late and len(measured) >= LEAST_SIZES:
                break
            self._pass(by_block, size)
            measured.append(size)
        for done in range(1, MOST_ROUNDS):
            if done >= LEAST_ROUNDS and time.monotonic() - began > BUDGET_SECONDS:
                break
            for size in measured:
                # The durations of long tasks vary little, so one counted round is enough.
                if done == 1 or size in self._short:
                    self._pass(by_block, size)
            if len(coarse) < len(fine):
                self._pass(by_halves, min(measured))

    def divided_ns(self, plan: Plan) -> dict[Kind, float]:
        """Return the ns of the passes through divided blocks by kind, for the slowest shards.

        The plan runs twice, and the second run counts, because the first one allocates.
        """
        operations = Operations(replace(self._prepared, plans={plan.rows: plan}))
        operations.model.keep_parameters()
        slowest: dict[tuple[Kind, int], int] = {}
        for _ in range(2):
            slowest = {}
            operations.begin(0, plan, self._batch)
            self._isolated.begin()
            for task in plan.tasks:
                if self._stop.is_set():
                    raise RunStopped
                taken = self._isolated.time(partial(operations.run, task))
                place = task.kind, task.stage or 0
                slowest[place] = max(slowest.get(place, 0), taken)
            self._isolated.end()
        sums: dict[Kind, float] = defaultdict(float)
        for (kind, stage), taken in slowest.items():
            if _is_divided(plan.stages[stage]):
                sums[kind] += taken
        return sums

    def _cut(self, stages: tuple[Stage, ...], sizes: Sequence[int]) -> _Cut:
        measured = self._operations(stages, sizes)
        rehearsed = self._operations(stages, sizes)
        return _Cut(stages, measured, rehearsed)

    def _operations(self, stages: Sequence[Stage], sizes: Sequence[int]) -> Operations:
        """Return operations on new copies of the modules, for these stages."""
        plan = self._plan(stages, sizes[0])
        operations = Operations(replace(self._prepared, plans={plan.rows: plan}))
        # The optimizer is measured, but it must not change the parameters.
        operations.model.keep_parameters()
        for module in operations.model.stages.values():
            # Memory is not measured here: the hooks for that would add to the times.
            module.saved_bytes = dict.fromkeys(sizes, 0)
            module.kept_bytes = dict.fromkeys(sizes, 0)
        return operations

    @gc_paused()
    def _pass(self, cut: _Cut, rows: int) -> None:
        """Run a plan with micro-batches of `rows` rows once, and store the tasks' durations."""
        plan = self._plan(cut.stages, rows)
        is_rehearsed = rows in self._short
        found: dict[PassKey, list[int]] = defaultdict(list)
        for operations in (cut.measured, cut.rehearsed):
            operations.begin(0, plan, self._batch)
        self._isolated.begin()
        for task in plan.tasks:
            if self._stop.is_set():
                raise RunStopped
            if is_rehearsed:
                self._isolated.time(partial(cut.rehearsed.run, task))
            taken = self._isolated.time(partial(cut.measured.run, task))
            found[_pass_key(task, rows, len(cut.stages))].append(taken)
        self._isolated.end()
        for key, durations_of_key in found.items():
            self.times[key].append(statistics.fmean(durations_of_key))
        total = sum(map(sum, found.values()))
        # In a run a task has several blocks: their number divided by the number of lanes.
        blocks_per_task = len(cut.stages) / len(self._prepared.lanes)
        if total / len(plan.tasks) * blocks_per_task < LONG_NS:
            self._short.add(rows)

    def _plan(self, stages: Sequence[Stage], rows: int) -> Plan:
        # A micro-batch of more than half of the batch is the only one. So it never adds to other
        # gradients, and no schedule splits its backward.
        is_only = 2 * rows > len(self._batch[0])
        return measuring_plan(self._lane, stages, rows, 1 if is_only else 3)


def divided_plan(prepared: Prepared, rows: int) -> Plan | None:
    """Return the plan of a strategy that divides blocks over lanes; None if none is possible."""
    for strategy in STRATEGIES.values():
        if strategy.options:
            continue
        specification = prepared.specification.having(strategy=strategy.name)
        job = job_of(specification, prepared.model, list(prepared.lanes), rows)
        try:
            plan = strategy.plan(job)
        except PlanError:
            continue
        if any(map(_is_divided, plan.stages)):
            return plan
    return None


def _is_divided(stage: Stage) -> bool:
    """Return True if a lane has only a part of some block of the stage."""
    return any(share < 1 for share in stage.shares)


def _factors(taken: Mapping[Kind, float], plan: Plan, costs: CostModel) -> dict[Kind, float]:
    """Return, by kind, the measured time of divided passes relative to the time in `costs`."""
    expected: dict[Kind, float] = defaultdict(float)
    # Only passes are compared, and these costs may not contain the transfers of this plan.
    passes = replace(costs, transfers={}, link=None, transfer_ns=0.0)
    times = durations(plan.columns, passes, plan.stages)
    for task, ns in zip(plan.tasks, times.tolist(), strict=True):
        stage = plan.stages[task.stage or 0]
        if task.kind in STAGED and task.shard == 0 and _is_divided(stage):
            expected[task.kind] += ns
    return {kind: taken[kind] / ns for kind, ns in expected.items() if ns}


def measuring_plan(lane: Lane, stages: Sequence[Stage], rows: int, microbatches: int) -> Plan:
    """Return a plan that runs micro-batches of the first `rows` rows one after the other.

    The third one has a split backward.
    """
    tasks: list[Task] = []
    after: list[int] = []
    last = len(stages) - 1
    for microbatch in range(microbatches):
        add = partial(add_task, tasks, replica=0, microbatch=microbatch, rows=rows)
        for stage in stages:
            after = [add(Kind.FORWARD, 0, after, stage=stage.index)]
        after = [add(Kind.LOSS, 0, after, stage=last)]
        kinds: tuple[Kind, ...] = (Kind.BACKWARD,)
        if microbatch == _SPLIT:
            kinds = (Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)
        for stage in reversed(stages):
            for kind in kinds:
                after = [add(kind, 0, after, stage=stage.index)]
    for stage in stages:
        after = [add_task(tasks, Kind.STEP, 0, after, stage=stage.index, replica=0)]
    return Plan(
        (lane,),
        tuple(stages),
        tuple(Placement(0, stage.index, 0) for stage in stages),
        tuple(Part(0, microbatch, 0, rows) for microbatch in range(microbatches)),
        TaskColumns.of(tasks),
    )


def _pass_key(task: Task, rows: int, stages: int) -> PassKey:
    stage = 0 if task.kind is Kind.LOSS else task.stage or 0
    adds = task.kind in _ADDING and task.microbatch != _FIRST
    size = 1 if task.kind is Kind.STEP else rows
    return PassKey(task.kind, stage, size, adds, stages)


def _stages(borders: Iterable[int]) -> tuple[Stage, ...]:
    return tuple(Stage(index, *pair) for index, pair in enumerate(pairwise(borders)))


def _coarse(blocks: int) -> tuple[Stage, ...]:
    """Return two stages, or one for a model of two blocks, so that the last has several blocks."""
    borders = [0, blocks]
    if blocks > 2:
        borders.insert(1, blocks // 2)
    return _stages(borders)


def _cost_model(times: PassTimes, blocks: int, costs: CostModel) -> CostModel:
    """Return the cost model of measured times: medians over rounds, without the first round.

    The first backward for the weights is not measured. Its difference from later ones is assumed to
    be the same as for whole backward passes.
    """
    counted: PassTimes = {}
    for key, taken in times.items():
        counted[key] = taken[1:] if key.stages == blocks else taken
    medians = {key: statistics.median(taken) for key, taken in counted.items()}
    passes = {kind: _curves(medians, kind, False, blocks) for kind in (*STAGED, Kind.LOSS)}
    passes[Kind.LOSS] = passes[Kind.LOSS][:1]
    further = {kind: _curves(medians, kind, True, blocks) for kind in _ADDING}
    if further[Kind.BACKWARD]:
        curves = zip(
            further[Kind.BACKWARD_WEIGHT],
            passes[Kind.BACKWARD],
            further[Kind.BACKWARD],
            strict=True,
        )
        passes[Kind.BACKWARD_WEIGHT] = tuple(
            _shifted(weight, first, later) for weight, first, later in curves
        )
    return replace(
        costs,
        passes={kind: curves for kind, curves in passes.items() if curves},
        by_rows=True,
        by_block=True,
        further={kind: curves for kind, curves in further.items() if curves},
        joined=_joined(medians, blocks),
        input_is_data=True,
        scatter=_scatter(counted, blocks),
    )


def _curves(medians: MedianTimes, kind: Kind, adds: bool, blocks: int) -> tuple[Curve, ...]:
    """Return a curve for each block, from passes through single blocks; empty without any."""
    points: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for key, taken in medians.items():
        if (key.kind, key.adds, key.stages) == (kind, adds, blocks):
            points[key.stage].append((float(key.rows), taken))
    return tuple(tuple(sorted(of_block)) for _, of_block in sorted(points.items()))


def _shifted(curve: Curve, first: Curve, later: Curve) -> Curve:
    """Return a curve plus the difference of two others, at the sizes of the curve."""
    points = []
    for size, cost in curve:
        difference = cost_at(first, size) - cost_at(later, size)
        points.append((size, max(0.0, cost + difference)))
    return tuple(points)


def _joined(medians: MedianTimes, blocks: int) -> dict[Kind, float]:
    """Return the ns by which a task through several blocks is shorter than separate tasks.

    By kind, for each block after the first, from the last stage of the coarse cut.
    """
    last = _coarse(blocks)[-1]
    count = last.last - last.first
    saved: dict[Kind, list[float]] = defaultdict(list)
    for key, taken in medians.items():
        # The loss always belongs to the whole model.
        if key.stages == blocks or key.kind is Kind.LOSS:
            continue
        if (key.stages, key.stage) == (last.index + 1, last.index):
            separate = 0.0
            for block, _ in last.held:
                separate += medians[key._replace(stage=block, stages=blocks)]
            saved[key.kind].append((separate - taken) / (count - 1))
    return {kind: max(0.0, statistics.fmean(values)) for kind, values in saved.items()}


def _scatter(counted: PassTimes, blocks: int) -> float:
    """Return half of the range of a size's total over rounds, relative to its median."""
    by_rows: dict[int, list[list[float]]] = defaultdict(list)
    for key, taken in counted.items():
        if key.stages == blocks and key.kind is not Kind.STEP:
            by_rows[key.rows].append(taken)
    scatters: list[float] = []
    for rounds in by_rows.values():
        totals = [sum(taken) for taken in zip(*rounds, strict=True)]
        if len(totals) > 1:
            half_range = (max(totals) - min(totals)) / 2
            scatters.append(half_range / max(1.0, statistics.median(totals)))
    return statistics.median(scatters) if scatters else 0.0
