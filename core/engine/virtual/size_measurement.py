"""Times passes of micro-batches of several sizes through a model that is cut into stages.

Everything runs on copies of the modules. Short tasks are rehearsed, as in the steps of a run.
"""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from typing import NamedTuple

from core.engine.failures import RunStopped
from core.engine.lanes.isolated import IsolatedLane
from core.engine.models.modules import Batch
from core.engine.prepare import Prepared
from core.engine.tasks.operations import Operations
from core.engine.virtual.rehearsal import LONG_NS
from core.gc_paused import gc_paused
from core.plan.division import Part, Placement, Stage
from core.plan.plan import Lane, Plan
from core.plan.task import Kind, Task, TaskColumns, add_task

BUDGET_SECONDS = 2.0
DIVIDED_SECONDS = 0.6
LEAST_ROUNDS = 3
"""Rounds that run even after BUDGET_SECONDS; the first one is not counted."""
MOST_ROUNDS = 6
LEAST_SIZES = 3
_FIRST = 0
_SPLIT = 2
"""The last micro-batch of a measuring plan, which has a split backward."""
ADDING = (Kind.BACKWARD, Kind.BACKWARD_WEIGHT)
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


@dataclass(frozen=True, slots=True)
class _Cut:
    """A way to cut the model, with modules to measure and other modules for rehearsals."""

    stages: tuple[Stage, ...]
    measured: Operations
    rehearsed: Operations


class SizeMeasurement:
    """Rounds of passes through a model that is cut in two ways; `times` are their durations."""

    def __init__(
        self, prepared: Prepared, batch: Batch, isolated: IsolatedLane, stop: Event
    ) -> None:
        self._prepared = prepared
        self._batch = batch
        self._isolated = isolated
        self._stop = stop
        self._lane = replace(prepared.lanes[0], index=0, serves=0)
        self._short: set[int] = set()
        self.times: PassTimes = defaultdict(list)

    def run(self, fine: tuple[Stage, ...], coarse: tuple[Stage, ...], sizes: Sequence[int]) -> None:
        """Measure as many of `sizes` as the time allows, but at least LEAST_SIZES, in rounds."""
        by_block = self._cut(fine, sizes)
        by_halves = self._cut(coarse, sizes)
        began = time.monotonic()
        measured: list[int] = []
        # The first round of each cut allocates, and is not counted.
        for size in sizes:
            # The other rounds rehearse tasks and have both cuts, so they take up to four times as
            # long as this one. But only short tasks, of small sizes, are in every round.
            is_late = time.monotonic() - began > BUDGET_SECONDS / 4
            if is_late and len(measured) >= LEAST_SIZES:
                break
            self._pass(by_block, size, is_counted=False)
            measured.append(size)
        has_halves = len(coarse) < len(fine)
        if has_halves:
            self._pass(by_halves, min(measured), is_counted=False)
        for done in range(1, MOST_ROUNDS):
            is_late = time.monotonic() - began > BUDGET_SECONDS
            if is_late and done >= LEAST_ROUNDS:
                break
            for size in measured:
                # The durations of long tasks vary little, so one counted round is enough.
                if done == 1 or size in self._short:
                    self._pass(by_block, size)
                    if has_halves:
                        self._pass(by_halves, size)

    def divided_ns(self, plan: Plan) -> dict[Kind, float]:
        """Return the ns of the passes through divided blocks by kind, for the slowest shards.

        The plan runs in rounds as the other passes do: the first one allocates and does not count,
        and the tasks of the others are rehearsed if they are short. The result is the median.
        """
        measured = self._divided_operations(plan)
        rehearsed = self._divided_operations(plan)
        sums: dict[Kind, list[float]] = defaultdict(list)
        is_short = False
        began = time.monotonic()
        for done in range(MOST_ROUNDS):
            is_late = time.monotonic() - began > DIVIDED_SECONDS
            # The durations of long tasks vary little, so one counted round is enough.
            if done > 1 and (is_late or not is_short):
                break
            rehearsing = rehearsed if is_short else None
            taken = self._divided_pass(plan, measured, rehearsing)
            mean = sum(taken.values()) / len(plan.tasks)
            is_short = mean < LONG_NS
            if done:
                for kind, ns in taken.items():
                    sums[kind].append(ns)
        return {kind: statistics.median(rounds) for kind, rounds in sums.items()}

    def _divided_operations(self, plan: Plan) -> Operations:
        operations = Operations(replace(self._prepared, plans={plan.rows: plan}))
        operations.model.keep_parameters()
        return operations

    @gc_paused()
    def _divided_pass(
        self, plan: Plan, measured: Operations, rehearsed: Operations | None
    ) -> dict[Kind, float]:
        """Run a plan once; return the ns by kind of the slowest shards of divided blocks."""
        slowest: dict[tuple[Kind, int], int] = {}
        measured.begin(0, plan, self._batch)
        if rehearsed is not None:
            rehearsed.begin(0, plan, self._batch)
        self._isolated.begin()
        for task in plan.tasks:
            if self._stop.is_set():
                raise RunStopped
            if rehearsed is not None:
                self._isolated.time(partial(rehearsed.run, task))
            taken = self._isolated.time(partial(measured.run, task))
            place = task.kind, task.place.stage
            slowest[place] = max(slowest.get(place, 0), taken)
        self._isolated.end()
        sums: dict[Kind, float] = defaultdict(float)
        for (kind, stage), ns in slowest.items():
            if is_divided(plan.stages[stage]):
                sums[kind] += ns
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
    def _pass(self, cut: _Cut, rows: int, is_counted: bool = True) -> None:
        """Run a plan with micro-batches of `rows` rows once; store the durations if it counts."""
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
            key = _pass_key(task, rows, len(cut.stages))
            found[key].append(taken)
        self._isolated.end()
        if is_counted:
            for key, durations_of_key in found.items():
                self.times[key].append(statistics.fmean(durations_of_key))
        total = sum(map(sum, found.values()))
        mean = total / len(plan.tasks)
        # In a run a task has several blocks: their number divided by the number of lanes.
        blocks_per_task = len(cut.stages) / len(self._prepared.lanes)
        if mean * blocks_per_task < LONG_NS:
            self._short.add(rows)

    def _plan(self, stages: Sequence[Stage], rows: int) -> Plan:
        # A micro-batch of more than half of the batch is the only one. So it never adds to other
        # gradients, and no schedule splits its backward.
        is_only = 2 * rows > len(self._batch[0])
        microbatches = 1 if is_only else 3
        return measuring_plan(self._lane, stages, rows, microbatches)


def measuring_plan(lane: Lane, stages: Sequence[Stage], rows: int, microbatches: int) -> Plan:
    """Return a plan that runs micro-batches of the first `rows` rows one after the other.

    The third one has a split backward.
    """
    tasks: list[Task] = []
    after: list[int] = []
    last = len(stages) - 1
    for microbatch in range(microbatches):
        add = partial(
            add_task,
            tasks,
            replica=0,
            microbatch=microbatch,
            rows=rows,
        )
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
    placements = [Placement(0, stage.index, 0) for stage in stages]
    parts = [
        Part(
            replica=0,
            microbatch=microbatch,
            start=0,
            rows=rows,
        )
        for microbatch in range(microbatches)
    ]
    return Plan(
        lanes=(lane,),
        stages=tuple(stages),
        placements=tuple(placements),
        parts=tuple(parts),
        columns=TaskColumns.of(tasks),
    )


def _pass_key(task: Task, rows: int, stages: int) -> PassKey:
    stage = 0 if task.kind is Kind.LOSS else task.place.stage
    adds = task.kind in ADDING and task.microbatch != _FIRST
    size = 1 if task.kind is Kind.STEP else rows
    return PassKey(
        kind=task.kind,
        stage=stage,
        rows=size,
        adds=adds,
        stages=stages,
    )


def is_divided(stage: Stage) -> bool:
    """Return True if a lane has only a part of some block of the stage."""
    return any(share < 1 for share in stage.shares)
