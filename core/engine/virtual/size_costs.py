"""Measures what each block of a model costs, in micro-batches of several sizes.

A run's own costs are of its own stages and of micro-batches of its own size. They say little about
another strategy: a task has a part of its cost that does not shrink with its rows, and some sizes
suit the processor better than others. Here the model is cut into a stage for each block, on one
lane, and three micro-batches pass through it: two with whole backward passes, of which the second
adds to the gradients of the first, and one whose backward is in two parts. At the smallest size the
model is also cut into two stages, which shows how much of a task's cost is paid once a task.

Everything runs on copies of the modules, and the random state is put back. Short tasks are
rehearsed, as those of the run's steps are.
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

from core.costs.costs import STAGED, CostModel, Curve, cost_at, durations
from core.engine.failures import Stopped
from core.engine.lanes.alone import Alone
from core.engine.lanes.devices import kept_random_state
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
"""The first of them allocates and is not counted."""
MOST_ROUNDS = 6
LEAST_SIZES = 3
MOST_PIECES = 64
"""The smallest size is the batch divided by this number: smaller ones are all fixed cost."""
_FIRST, _, _IN_PARTS = range(3)
"""The micro-batches of a measuring plan."""


class Measured(NamedTuple):
    """The subject of a time: a pass of a kind, of `rows` rows, through stage `of` of a cut.

    `further` says that its gradients were added to those of a micro-batch before it.
    """

    kind: Kind
    of: int
    rows: int
    further: bool
    stages: int


Times = dict[Measured, list[float]]
"""The ns of each round."""
Typical = dict[Measured, float]
"""The median of these."""


def block_costs_by_size(
    prepared: Prepared, alone: Alone, stop: Event, batch: Batch, costs: CostModel
) -> CostModel | None:
    """The costs of `prepared`'s model by block and rows, with the transfers of `costs`.

    Takes about BUDGET_SECONDS, more where a pass takes longer. None for a model whose blocks share
    parameters: such blocks cannot be measured apart. Raises Stopped on request, or what a task
    raised.
    """
    assert prepared.workload is not None
    blocks = len(prepared.model.blocks)
    fine = _stages(range(blocks + 1))
    try:
        check_ties(prepared.workload, fine)
    except PlanError:
        return None
    measuring = _Measuring(prepared, batch, alone, stop)
    own = max(part.rows for part in prepared.plans[len(batch[0])].parts)
    with kept_random_state([alone.device]):
        measuring.go(fine, _coarse(blocks), sizes_of(len(batch[0]), len(prepared.lanes), own))
        found = _model(measuring.times, blocks, costs)
        plan = divided_plan(prepared, len(batch[0]))
        if plan is None:
            return found
        return replace(found, divided=_factors(measuring.divided_ns(plan), plan, found))


def sizes_of(batch: int, lanes: int, own: int) -> list[int]:
    """Numbers of rows to measure, the most important first.

    They are `own`, what a lane gets of the batch, the batch, which several strategies need, then
    its halves, their halves and so on, from `own` ever further away.
    """
    least = max(1, batch // MOST_PIECES)
    halves = []
    size = batch
    while size >= least:
        halves.append(size)
        size //= 2
    nearest = sorted(halves, key=lambda size: abs(math.log(size / own)))
    return list(dict.fromkeys([own, max(1, batch // lanes), batch, *nearest]))


@dataclass(frozen=True, slots=True)
class _Cut:
    """A way to cut the model, with modules to measure and others for rehearsals."""

    stages: tuple[Stage, ...]
    measured: Operations
    rehearsed: Operations


class _Measuring:
    """Rounds of passes through a model that is cut in two ways; `times` are what they took."""

    def __init__(self, prepared: Prepared, batch: Batch, alone: Alone, stop: Event) -> None:
        self._prepared, self._batch, self._alone, self._stop = prepared, batch, alone, stop
        self._lane = replace(prepared.lanes[0], index=0, serves=0)
        self._short: set[int] = set()
        self.times: Times = defaultdict(list)

    def go(self, fine: tuple[Stage, ...], coarse: tuple[Stage, ...], sizes: Sequence[int]) -> None:
        """Measure as many of `sizes` as there is time for, LEAST_SIZES at least, in rounds."""
        by_block, by_halves = self._cut(fine, sizes), self._cut(coarse, sizes)
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
                # Long tasks scatter little: once is enough.
                if done == 1 or size in self._short:
                    self._pass(by_block, size)
            if len(coarse) < len(fine):
                self._pass(by_halves, min(measured))

    def divided_ns(self, plan: Plan) -> dict[Kind, float]:
        """Return the ns of the passes of a plan of divided blocks by kind, of each stage's slowest.

        The second time that they run: the first time allocates.
        """
        operations = Operations(replace(self._prepared, plans={plan.rows: plan}))
        operations.model.keep_parameters()
        taken: dict[tuple[Kind, int], int] = {}
        for _ in range(2):
            taken = {}
            operations.begin(0, plan, self._batch)
            self._alone.begin()
            for task in plan.tasks:
                if self._stop.is_set():
                    raise Stopped
                lasted = self._alone.time(partial(operations.run, task))
                place = task.kind, task.stage or 0
                taken[place] = max(taken.get(place, 0), lasted)
            self._alone.end()
        sums: dict[Kind, float] = defaultdict(float)
        for (kind, stage), lasted in taken.items():
            if _is_divided(plan.stages[stage]):
                sums[kind] += lasted
        return sums

    def _cut(self, stages: tuple[Stage, ...], sizes: Sequence[int]) -> _Cut:
        return _Cut(stages, self._operations(stages, sizes), self._operations(stages, sizes))

    def _operations(self, stages: Sequence[Stage], sizes: Sequence[int]) -> Operations:
        """Operations on modules of their own for the stages."""
        plan = self._plan(stages, sizes[0])
        operations = Operations(replace(self._prepared, plans={plan.rows: plan}))
        # The optimizer's time is wanted, not its effect.
        operations.model.keep_parameters()
        for module in operations.model.stages.values():
            # Memory is not measured here, and hooks that do so would be part of the times.
            module.saved_bytes = dict.fromkeys(sizes, 0)
            module.kept_bytes = dict.fromkeys(sizes, 0)
        return operations

    @gc_paused()
    def _pass(self, cut: _Cut, rows: int) -> None:
        """Run a plan of micro-batches of `rows` rows once, and keep what each task took."""
        plan = self._plan(cut.stages, rows)
        is_rehearsed = rows in self._short
        found: dict[Measured, list[int]] = defaultdict(list)
        for operations in (cut.measured, cut.rehearsed):
            operations.begin(0, plan, self._batch)
        self._alone.begin()
        for task in plan.tasks:
            if self._stop.is_set():
                raise Stopped
            if is_rehearsed:
                self._alone.time(partial(cut.rehearsed.run, task))
            taken = self._alone.time(partial(cut.measured.run, task))
            found[_measured(task, rows, len(cut.stages))].append(taken)
        self._alone.end()
        for name, taken_by_all in found.items():
            self.times[name].append(statistics.fmean(taken_by_all))
        passed = sum(map(sum, found.values()))
        # A lane of a run has as many blocks in a task as these are more than the lanes.
        lanes = len(self._prepared.lanes)
        if passed / len(plan.tasks) * len(cut.stages) / lanes < LONG_NS:
            self._short.add(rows)

    def _plan(self, stages: Sequence[Stage], rows: int) -> Plan:
        # A micro-batch of more than half of the batch is the only one: of such a pass nothing is
        # added to gradients, and no schedule divides it.
        is_whole = 2 * rows > len(self._batch[0])
        return measuring_plan(self._lane, stages, rows, 1 if is_whole else 3)


def divided_plan(prepared: Prepared, rows: int) -> Plan | None:
    """The plan of a strategy that gives each lane parts of blocks; None if none fits."""
    for strategy in STRATEGIES.values():
        specification = prepared.specification.having(strategy=strategy.name)
        job = job_of(specification, prepared.model, list(prepared.lanes), rows)
        try:
            plan = None if strategy.options else strategy.plan(job)
        except PlanError:
            continue
        if plan is not None and any(map(_is_divided, plan.stages)):
            return plan
    return None


def _is_divided(stage: Stage) -> bool:
    """Return True if a lane has a part of some block of the stage."""
    return any(share < 1 for share in stage.shares)


def _factors(taken: Mapping[Kind, float], plan: Plan, costs: CostModel) -> dict[Kind, float]:
    """By what factor the divided passes of a plan took longer than these costs say."""
    expected: dict[Kind, float] = defaultdict(float)
    # Passes alone are wanted, and these costs may not know this plan's transfers.
    passes = replace(costs, transfers={}, link=None, transfer_ns=0.0)
    times = durations(plan.columns, passes, plan.stages)
    for task, lasts in zip(plan.tasks, times.tolist(), strict=True):
        if task.kind in STAGED and task.shard == 0 and _is_divided(plan.stages[task.stage or 0]):
            expected[task.kind] += lasts
    return {kind: taken[kind] / lasts for kind, lasts in expected.items() if lasts}


def measuring_plan(lane: Lane, stages: Sequence[Stage], rows: int, microbatches: int) -> Plan:
    """Micro-batches of the batch's first `rows` rows, one after the other, on one lane.

    The backward of the third is in two parts.
    """
    tasks: list[Task] = []
    after: list[int] = []
    last = len(stages) - 1
    for microbatch in range(microbatches):
        add = partial(add_task, tasks, replica=0, microbatch=microbatch, rows=rows)
        for stage in stages:
            after = [add(Kind.FORWARD, 0, after, stage=stage.index)]
        after = [add(Kind.LOSS, 0, after, stage=last)]
        parts: tuple[Kind, ...] = (Kind.BACKWARD,)
        if microbatch == _IN_PARTS:
            parts = (Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)
        for stage in reversed(stages):
            for kind in parts:
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


def _measured(task: Task, rows: int, stages: int) -> Measured:
    of = 0 if task.kind is Kind.LOSS else task.stage or 0
    further = task.kind in _ADDING and task.microbatch != _FIRST
    return Measured(task.kind, of, 1 if task.kind is Kind.STEP else rows, further, stages)


_ADDING = (Kind.BACKWARD, Kind.BACKWARD_WEIGHT)


def _stages(borders: Iterable[int]) -> tuple[Stage, ...]:
    return tuple(Stage(index, *pair) for index, pair in enumerate(pairwise(borders)))


def _coarse(blocks: int) -> tuple[Stage, ...]:
    """Two stages, or one of a model of two blocks: the last one has several blocks if it can."""
    return _stages([0, blocks // 2, blocks] if blocks > 2 else [0, blocks])


def _model(times: Times, blocks: int, costs: CostModel) -> CostModel:
    """The cost model of measured times: medians of the rounds, without the first one.

    The first backward for the weights is not measured: it takes more or less than a further one by
    as much as a whole backward does.
    """
    kept = {name: taken[1:] if name.stages == blocks else taken for name, taken in times.items()}
    typical = {name: statistics.median(taken) for name, taken in kept.items()}
    passes = {kind: _curves(typical, kind, False, blocks) for kind in (*STAGED, Kind.LOSS)}
    passes[Kind.LOSS] = passes[Kind.LOSS][:1]
    further = {kind: _curves(typical, kind, True, blocks) for kind in _ADDING}
    if further[Kind.BACKWARD]:
        passes[Kind.BACKWARD_WEIGHT] = tuple(
            _moved(curve, first, later)
            for curve, first, later in zip(
                further[Kind.BACKWARD_WEIGHT],
                passes[Kind.BACKWARD],
                further[Kind.BACKWARD],
                strict=True,
            )
        )
    return replace(
        costs,
        passes={kind: curves for kind, curves in passes.items() if curves},
        by_rows=True,
        by_block=True,
        further={kind: curves for kind, curves in further.items() if curves},
        joined=_joined(typical, blocks),
        input_is_data=True,
        scatter=_scatter(kept, blocks),
    )


def _curves(typical: Typical, kind: Kind, further: bool, blocks: int) -> tuple[Curve, ...]:
    """A curve for each block, from the passes through it alone; none if there were no such ones."""
    found: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for name, taken in typical.items():
        if (name.kind, name.further, name.stages) == (kind, further, blocks):
            found[name.of].append((float(name.rows), taken))
    return tuple(tuple(sorted(found[block])) for block in sorted(found))


def _moved(curve: Curve, first: Curve, later: Curve) -> Curve:
    """A curve plus the difference of two others, at its own sizes."""
    differences = {size: cost_at(first, size) - cost_at(later, size) for size, _ in curve}
    return tuple((size, max(0.0, cost + differences[size])) for size, cost in curve)


def _joined(typical: Typical, blocks: int) -> dict[Kind, float]:
    """By how many ns a task through several blocks is shorter than one through each of them.

    For each block but the first, from the last stage of the model in two halves.
    """
    last = _coarse(blocks)[-1]
    count = last.last - last.first
    saved: dict[Kind, list[float]] = defaultdict(list)
    for name, taken in typical.items():
        # A loss is of the whole model, however that is cut.
        is_cut = name.stages != blocks and name.kind is not Kind.LOSS
        if is_cut and (name.stages, name.of) == (last.index + 1, last.index):
            alone = (name._replace(of=block, stages=blocks) for block, _ in last.held)
            saved[name.kind].append((sum(map(typical.__getitem__, alone)) - taken) / (count - 1))
    return {kind: max(0.0, statistics.fmean(found)) for kind, found in saved.items()}


def _scatter(kept: Times, blocks: int) -> float:
    """Half of what all passes of a size differ by from round to round, over their median."""
    rounds: dict[int, list[list[float]]] = defaultdict(list)
    for name, taken in kept.items():
        if name.stages == blocks and name.kind is not Kind.STEP:
            rounds[name.rows].append(taken)
    scatters: list[float] = []
    for found in rounds.values():
        sums = [sum(taken) for taken in zip(*found, strict=True)]
        if len(sums) > 1:
            scatters.append((max(sums) - min(sums)) / 2 / max(1.0, statistics.median(sums)))
    return statistics.median(scatters) if scatters else 0.0
