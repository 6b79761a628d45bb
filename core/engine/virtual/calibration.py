"""Measures the costs of a plan's tasks on virtual lanes, one task at a time as in a step."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from threading import Event

from core.costs.costs import MOST_PASSES, CostModel
from core.costs.simulate import in_time_order
from core.engine.calibration.calibrate import (
    CostKey,
    CostTimes,
    PassListener,
    cost_key,
    costs_from,
    passes_of,
)
from core.engine.failures import RunStopped
from core.engine.lanes.devices import kept_random_state
from core.engine.lanes.isolated import IsolatedLane
from core.engine.models.modules import Batch
from core.engine.tasks.operations import Operations
from core.engine.virtual.executor import VirtualPlan
from core.engine.virtual.rehearsal import Rehearsal
from core.gc_paused import gc_paused
from core.plan.link import Link
from core.plan.plan import Plan
from core.plan.task import ABSENT

BUDGET_SECONDS = 1.2
LEAST_PASSES = 3
"""Passes that run even after BUDGET_SECONDS: the first is dropped, and a median needs two."""
RECALIBRATIONS = 20
"""Passes after the first measured step, one before each step.

They are needed because the machine's speed changes by 5 % within seconds.
"""


class VirtualCalibration:
    """Measures the costs of a plan's tasks before the first measured step, and between steps.

    Costs of compute tasks are by stage (for ranks by block) and rows. The link defines the costs of
    transfers; without a link they are measured too. A cost is the median, over passes, of the mean
    duration of a pass's tasks. `operations` returns operations on copies of the run's modules.
    Tasks are rehearsed as in a step.
    """

    def __init__(
        self,
        operations: Callable[[], Operations],
        plan: Plan,
        isolated: IsolatedLane,
        link: Link | None,
        stop: Event,
        rehearsal: Rehearsal,
    ) -> None:
        self._make = operations
        self._plan = plan
        self._isolated = isolated
        self._link = link
        self._stop = stop
        self._rehearsal = rehearsal
        self._virtual_plan = VirtualPlan.of(plan, link)
        self._times: CostTimes = defaultdict(list)

    def measure(self, batch: Batch, on_pass: PassListener) -> CostModel:
        """Run passes for BUDGET_SECONDS; `on_pass` gets the number of passes after each pass.

        Raises RunStopped, or the exception of a task.
        """
        self._operations = self._make()
        # Passes run the optimizer too, because its duration is measured. A learning rate of zero
        # needs the same arithmetic, but the parameters cannot diverge in many passes on one batch.
        self._operations.model.keep_parameters()
        until = time.monotonic() + BUDGET_SECONDS
        passes = 0
        while passes < (LEAST_PASSES if time.monotonic() > until else MOST_PASSES):
            measured = self._one_pass(batch)
            if passes:  # the first pass allocates
                self._add(measured)
            passes += 1
            on_pass(passes)
        return self._costs()

    def measure_again(self, batch: Batch, on_pass: PassListener) -> CostModel:
        """Run one more pass, and return the costs of all passes. Raises as `measure` does.

        `on_pass` is not called.
        """
        if len(batch[0]) == self._plan.rows:  # the last batch of an epoch may be smaller
            self._add(self._one_pass(batch))
        return self._costs()

    def _add(self, measured: CostTimes) -> None:
        for key, taken in _slowest_shards(measured).items():
            self._times[key].append(statistics.fmean(taken))

    def _costs(self) -> CostModel:
        by_block = bool((self._plan.columns.block != ABSENT).any())
        # The plan of the step, not `_plan`: for ranks, its stages are blocks (by_blocks).
        stages = len(self._operations.step.plan.stages)
        return costs_from(self._times, stages, self._link, by_block)

    @gc_paused()
    def _one_pass(self, batch: Batch) -> CostTimes:
        """Return the durations of a step's tasks in ns, without tasks that the link times.

        The halves of an overlap have separate durations.
        """
        plan = self._plan
        isolated = self._isolated
        operations = self._operations
        virtual_plan = self._virtual_plan
        found: CostTimes = defaultdict(list)

        def duration(place: int, *_: int) -> int:
            if self._stop.is_set():
                raise RunStopped
            total = 0
            modelled = virtual_plan.modelled[place]
            for half in plan.halves(plan.tasks[place]):
                self._rehearsal.run(half)
                taken = isolated.time(partial(operations.run, half))
                if modelled == ABSENT:
                    passes = passes_of(plan, half)
                    found[cost_key(half, passes)].append(taken / passes)
                total += taken
            # As in a step, a transfer takes the time of the link, not the measured time.
            return total if modelled == ABSENT else modelled

        # A model with dropout uses random numbers here. The steps of the run must get the same
        # numbers as without a measurement.
        with kept_random_state([isolated.device]):
            operations.begin(0, plan, batch)
            self._rehearsal.begin(plan, batch)
            isolated.begin()
            # Tasks run in the order of a step, not of the plan. So the contents of the caches and
            # the free memory of the allocator are the same as in the steps that these costs
            # predict.
            in_time_order(virtual_plan.columns, virtual_plan.collectives, duration)
            isolated.end()
        every: list[float] = []
        for durations in found.values():
            every += durations
        self._rehearsal.end(every)
        return found


def _slowest_shards(measured: CostTimes) -> CostTimes:
    """Return the times without shards: the longest time among a stage's shards for each task.

    The other shards wait for the slowest one in every task, so the mean of the slowest shard alone
    would be too small.
    """
    shards: dict[CostKey, list[list[float]]] = defaultdict(list)
    for key, taken in measured.items():
        shards[key._replace(shard=ABSENT)].append(taken)
    # All shards have the same tasks in the same order, so the times with the same index belong
    # together. Shards with (3, 1) and (1, 3) ns take 3 + 3 ns, not 2 + 2 ns.
    slowest: CostTimes = {}
    for key, shard_times in shards.items():
        slowest[key] = [max(times) for times in zip(*shard_times, strict=True)]
    return slowest
