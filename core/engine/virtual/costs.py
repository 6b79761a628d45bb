"""Measures what the tasks of a plan cost on virtual lanes: each alone, as in a step."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from functools import partial
from threading import Event

from core.engine.calibration.calibrate import Name, Passed, Times, costs_from, name_of
from core.engine.lanes.alone import Alone
from core.engine.lanes.lane import kept_random_state
from core.engine.models.modules import Batch
from core.engine.tasks.executor import Stopped
from core.engine.tasks.operations import Operations
from core.engine.virtual.executor import Course
from core.gc_paused import gc_paused
from core.plan.link import Link
from core.plan.task import ABSENT, Plan
from core.predict.costs import MOST_PASSES, CostModel
from core.predict.simulate import in_time_order

BUDGET_SECONDS = 2.4
LEAST_PASSES = 3


def calibrate(
    operations: Operations, plan: Plan, batch: Batch, alone: Alone, link: Link | None,
    stop: Event, passed: Passed,
) -> CostModel:  # fmt: skip
    """The costs of a batch's tasks by stage (of ranks by block) and rows; transfers by the link.

    Without a link transfers are measured too. `operations` are for this alone: their modules are
    copies of the run's. A cost is the mean of a pass's tasks, and of these the median. `passed`
    hears of each pass. Raises Stopped on request, or what a task raised.
    """
    operations.model.keep_parameters()
    course = Course.of(plan, link)
    passes: list[Times] = []
    until = time.monotonic() + BUDGET_SECONDS
    with kept_random_state([alone.device]):
        while len(passes) < (LEAST_PASSES if time.monotonic() > until else MOST_PASSES):
            passes.append(_one_pass(operations, plan, batch, alone, course, stop))
            passed(len(passes))
    times: Times = defaultdict(list)
    for measured in passes[1:]:  # the first one allocates
        for name, taken in _of_the_last_shard(measured).items():
            times[name].append(statistics.fmean(taken))
    by_block = bool((plan.columns.block != ABSENT).any())
    return costs_from(times, len(operations.step.plan.stages), link, by_block)


def _of_the_last_shard(measured: Times) -> Times:
    """Of tasks that a stage's shards share, how long the one that takes longest takes each time.

    All others wait for it, task by task: the longest shard's mean alone would be too short.
    """
    shards: dict[Name, list[list[float]]] = defaultdict(list)
    for name, taken in measured.items():
        shards[name._replace(shard=ABSENT)].append(taken)
    return {
        name: [max(each) for each in zip(*taken, strict=True)] for name, taken in shards.items()
    }


@gc_paused()
def _one_pass(
    operations: Operations, plan: Plan, batch: Batch, alone: Alone, course: Course, stop: Event
) -> Times:
    """What each task of a step takes in ns, of an overlap each half; those that are measured."""
    found: Times = defaultdict(list)
    operations.begin(0, plan, batch)
    alone.begin()

    def lasts(place: int, *_: int) -> int:
        if stop.is_set():
            raise Stopped
        total = 0
        for half in plan.halves(plan.tasks[place]):
            stamps = alone.run(partial(operations.run, half))
            taken = alone.elapsed(stamps.start, stamps.end)
            alone.recycle(stamps)
            if course.modelled[place] == ABSENT:
                found[name_of(half)].append(taken)
            total += taken
        return total

    in_time_order(course.columns, course.meets, lasts)
    alone.end()
    return found
