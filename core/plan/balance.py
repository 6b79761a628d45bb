"""Stage borders that balance measured times, under a limit of what a lane may hold.

The slowest stage sets the pace of a pipeline: of all cuts into consecutive stages that keep within
the limit, the one whose slowest stage is the fastest.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from core.errors import PlanError
from core.plan.plan import Plan
from core.plan.task import KIND_CODES, Kind

LEAST_GAIN = 0.03
"""What a block costs beside others differs by about so much from what it costs alone."""


@dataclass(frozen=True, slots=True)
class BlockCost:
    """What a block of the model was measured to cost for one micro-batch.

    Times in ns: of the forward, of the backward as a whole, and of the two parts that it can be cut
    into, the gradient of the input and those of the parameters, which schedules with zero bubble
    run apart. `kept_bytes` are its parameters, their gradients and what the optimizer keeps of
    them; `saved_bytes` what a forward leaves for the backward.
    """

    name: str
    parameters: int
    forward_ns: int
    backward_ns: int
    input_ns: int
    weight_ns: int
    kept_bytes: int
    saved_bytes: int

    def duration_ns(self, in_parts: bool) -> int:
        """Forward and backward, as a whole or in parts."""
        parts = self.input_ns + self.weight_ns
        return self.forward_ns + (parts if in_parts else self.backward_ns)


Worst = tuple[float, list[int]]
"""The largest value of any stage so far, and where the stages after the first begin."""


def balanced_borders(
    costs: Sequence[BlockCost], plan: Plan, most_bytes: float = math.inf
) -> list[int]:
    """Where the stages after the first begin, of as many as `plan` has.

    Those of the plan stay unless the slowest stage becomes faster by LEAST_GAIN.

    `most_bytes` is what a stage may hold. Raises PlanError if no cut keeps within it, naming what
    the best one holds.
    """
    waiting = waiting_microbatches(plan)
    in_parts = cuts_backward(plan)
    # Sums from block 0 on, so that any run of blocks is a difference of two of them.
    times = [0, *accumulate(cost.duration_ns(in_parts) for cost in costs)]
    kept = [0, *accumulate(cost.kept_bytes for cost in costs)]
    saved = [0, *accumulate(cost.saved_bytes for cost in costs)]

    def held(stage: int, first: int, last: int) -> float:
        return kept[last] - kept[first] + waiting[stage] * (saved[last] - saved[first])

    def time(stage: int, first: int, last: int) -> float:
        return times[last] - times[first] if held(stage, first, last) <= most_bytes else math.inf

    worst, borders = _least_worst(len(costs), len(waiting), time)
    before = max(time(stage.index, stage.first, stage.last) for stage in plan.stages)
    # A cut that differs by noise alone would make every run's stages other ones.
    if before < math.inf and worst > (1 - LEAST_GAIN) * before:
        return [stage.first for stage in plan.stages[1:]]
    if worst == math.inf:
        least, _ = _least_worst(len(costs), len(waiting), held)
        raise PlanError(
            f"--lane-memory {most_bytes / 1e6:g}: no cut of the model keeps within it; "
            f"use {math.ceil(least / 1e6):,} MB or more, or more lanes"
        )
    return borders


def _least_worst(
    blocks: int, stages: int, value: Callable[[int, int, int], float]
) -> tuple[float, list[int]]:
    """The cut whose largest `value` of (stage, first, last) is the least, stage by stage."""
    # Dynamic programming. After stage s, for each block `last` before which it may end, the best
    # cut of all that lies before it into stages 0 to s, with a block left for each later stage.
    best: dict[int, Worst] = {0: (0.0, [])}
    for stage in range(stages):
        ends = range(stage + 1, blocks - (stages - stage - 1) + 1)
        best = {
            last: min(
                (
                    (max(worst, value(stage, first, last)), [*borders, first] if stage else [])
                    for first, (worst, borders) in best.items()
                    if first < last
                ),
                key=lambda found: found[0],
            )
            for last in (ends if stage < stages - 1 else [blocks])
        }
    return best[blocks]


def cuts_backward(plan: Plan) -> bool:
    """Whether a plan runs the two parts of backwards apart."""
    return bool((plan.columns.kind == KIND_CODES[Kind.BACKWARD_WEIGHT]).any())


def waiting_microbatches(plan: Plan) -> list[int]:
    """For each stage, of how many micro-batches a lane holds what forwards saved, at most."""
    now, most = Counter[tuple[int, int]](), Counter[int]()
    # In a backward of two parts it is the second that needs them last.
    change = {Kind.FORWARD: 1, Kind.BACKWARD: -1, Kind.BACKWARD_WEIGHT: -1}
    for task in plan.tasks:
        for half in plan.halves(task):
            if half.kind in change and half.stage is not None:
                place = (half.replica or 0, half.stage)
                now[place] += change[half.kind]
                most[half.stage] = max(most[half.stage], now[place])
    return [most[stage.index] for stage in plan.stages]
