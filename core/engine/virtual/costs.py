"""Measures what the tasks of a plan cost on virtual lanes: each alone, as in a step."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from threading import Event

from core.costs.costs import MOST_PASSES, CostModel
from core.costs.simulate import in_time_order
from core.engine.calibration.calibrate import Name, Passed, Times, costs_from, name_of
from core.engine.failures import Stopped
from core.engine.lanes.alone import Alone
from core.engine.lanes.devices import kept_random_state
from core.engine.models.modules import Batch
from core.engine.tasks.operations import Operations
from core.engine.virtual.executor import Course
from core.engine.virtual.rehearsal import Rehearsal
from core.gc_paused import gc_paused
from core.plan.link import Link
from core.plan.plan import Plan
from core.plan.task import ABSENT

BUDGET_SECONDS = 1.2
# Also when the budget is over: the first pass is dropped, and one number has no median worth its
# name.
LEAST_PASSES = 3
BETWEEN = 20
"""Passes between steps, one before each: the machine's speed moves, by 5 % within seconds."""


class AloneCosts:
    """What the tasks of a plan cost: measured before the first measured step, then between steps.

    Costs are of a batch's tasks by stage (of ranks by block) and rows, of transfers by the link;
    without one transfers are measured too. A cost is the mean of a pass's tasks, and of these the
    median. `operations` gives some for this alone: their modules are copies of the run's. Tasks are
    rehearsed as in the steps.
    """

    def __init__(
        self, operations: Callable[[], Operations], plan: Plan, alone: Alone, link: Link | None,
        stop: Event, rehearsal: Rehearsal,
    ) -> None:  # fmt: skip
        self._make, self._plan, self._alone, self._stop = operations, plan, alone, stop
        self._rehearsal = rehearsal
        self._course, self._link = Course.of(plan, link), link
        self._times: Times = defaultdict(list)

    def measure(self, batch: Batch, passed: Passed) -> CostModel:
        """Run passes until the budget is used; `passed` gets their number after each.

        Raises Stopped, or what a task raised.
        """
        self._operations = self._make()
        # Passes run the optimizer too, since its time is wanted. With a learning rate of zero it
        # does the same arithmetic, and pass after pass on one batch cannot make the parameters
        # diverge.
        self._operations.model.keep_parameters()
        until = time.monotonic() + BUDGET_SECONDS
        passes = 0
        while passes < (LEAST_PASSES if time.monotonic() > until else MOST_PASSES):
            measured = self._one_pass(batch)
            if passes:  # the first one allocates
                self._add(measured)
            passes += 1
            passed(passes)
        return self._costs()

    def measure_again(self, batch: Batch, _: Passed) -> CostModel:
        """One more pass, added to those before it. Raises as `measure` does."""
        if len(batch[0]) == self._plan.rows:  # the last batch of an epoch may be smaller
            self._add(self._one_pass(batch))
        return self._costs()

    def _add(self, measured: Times) -> None:
        for name, taken in _of_the_last_shard(measured).items():
            self._times[name].append(statistics.fmean(taken))

    def _costs(self) -> CostModel:
        by_block = bool((self._plan.columns.block != ABSENT).any())
        # The step's plan, not self._plan: of ranks it is the one whose stages are blocks
        # (by_blocks).
        stages = len(self._operations.step.plan.stages)  # of ranks the blocks
        return costs_from(self._times, stages, self._link, by_block)

    @gc_paused()
    def _one_pass(self, batch: Batch) -> Times:
        """What each task of a step takes in ns, of an overlap each half; those not modelled."""
        plan, alone, operations = self._plan, self._alone, self._operations
        found: Times = defaultdict(list)

        def lasts(place: int, *_: int) -> int:
            if self._stop.is_set():
                raise Stopped
            total, modelled = 0, self._course.modelled[place]
            for half in plan.halves(plan.tasks[place]):
                self._rehearsal.run(half)
                taken = alone.time(partial(operations.run, half))
                if modelled == ABSENT:
                    found[name_of(half)].append(taken)
                total += taken
            # As in a step: what a link takes is what it is said to, not what moving here took.
            return total if modelled == ABSENT else modelled

        # A model with dropout draws random numbers here; the run's own steps must draw what they
        # would have drawn without a measurement.
        with kept_random_state([alone.device]):
            operations.begin(0, plan, batch)
            self._rehearsal.begin(plan, batch)
            alone.begin()
            # The same walk as in a step, not the plan's order: what a task finds in the caches, and
            # what the allocator has free, is then as it will be in the steps that are predicted
            # from this.
            in_time_order(self._course.columns, self._course.meets, lasts)
            alone.end()
        self._rehearsal.end([taken for lengths in found.values() for taken in lengths])
        return found


def _of_the_last_shard(measured: Times) -> Times:
    """Of tasks that a stage's shards share, how long the one that takes longest takes each time.

    All others wait for it, task by task: the longest shard's mean alone would be too short.
    """
    shards: dict[Name, list[list[float]]] = defaultdict(list)
    for name, taken in measured.items():
        shards[name._replace(shard=ABSENT)].append(taken)
    # The k-th time of every shard is of the same piece of work, as all of them have the same
    # tasks in the same order. With shards of (3, 1) and (1, 3) ns the stage takes 3 + 3, not 2 + 2.
    return {
        name: [max(each) for each in zip(*taken, strict=True)] for name, taken in shards.items()
    }
