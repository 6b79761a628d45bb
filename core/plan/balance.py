"""Stage borders that balance measured times within a memory limit for each lane.

The slowest stage sets the pace of a pipeline. So among all cuts into consecutive stages within the
limit, the best is the one whose slowest stage takes the shortest time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from core.errors import PlanError
from core.message import message
from core.plan.plan import Plan
from core.plan.task import KIND_CODES, Kind

LEAST_GAIN = 0.03
"""Smallest relative gain for which borders move; smaller ones are within measurement error."""


@dataclass(frozen=True, slots=True)
class BlockCost:
    """Measured cost of a block of the model for one micro-batch.

    Times are in ns: the forward, the whole backward, and the backward's two parts, the gradient of
    the input and the gradients of the parameters, which zero-bubble schedules run separately.
    `kept_bytes` counts parameters, gradients and optimizer state; `saved_bytes` counts activations
    that the forward saves for the backward.
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
        """Return the time in ns of the forward and the backward, which is whole or in two parts."""
        parts = self.input_ns + self.weight_ns
        return self.forward_ns + (parts if in_parts else self.backward_ns)


Worst = tuple[float, list[int]]
"""The largest value of any stage so far, and the first block of each stage after the first."""


def balanced_borders(
    costs: Sequence[BlockCost], plan: Plan, most_bytes: float = math.inf
) -> list[int]:
    """Return the first block of each stage after the first, for as many stages as `plan` has.

    The plan's own borders are kept unless the slowest stage becomes faster by LEAST_GAIN.
    `most_bytes` is the memory limit of a lane, of which its stages have equal shares. Raises
    PlanError, naming the smallest limit that is possible, if no cut is within it.
    """
    stages_of_lanes = Counter(place.lane for place in plan.placements)
    most_stages = max(stages_of_lanes.values())
    waiting = waiting_microbatches(plan)
    in_parts = cuts_backward(plan)
    # Prefix sums: the total of blocks first to last is sums[last] - sums[first].
    times = [0, *accumulate(cost.duration_ns(in_parts) for cost in costs)]
    kept = [0, *accumulate(cost.kept_bytes for cost in costs)]
    saved = [0, *accumulate(cost.saved_bytes for cost in costs)]

    def needed(stage: int, first: int, last: int) -> float:
        """Return the bytes that a lane needs so that its share is enough for a stage."""
        kept_bytes = kept[last] - kept[first]
        saved_bytes = saved[last] - saved[first]
        return most_stages * (kept_bytes + waiting[stage] * saved_bytes)

    def time(stage: int, first: int, last: int) -> float:
        if needed(stage, first, last) > most_bytes:
            return math.inf
        return times[last] - times[first]

    worst, borders = _least_worst(len(costs), len(waiting), time)
    before = max(time(stage.index, stage.first, stage.last) for stage in plan.stages)
    # Without this, measurement noise would change the stages from run to run.
    if before < math.inf and worst > (1 - LEAST_GAIN) * before:
        return [stage.first for stage in plan.stages[1:]]
    if worst == math.inf:
        least, _ = _least_worst(len(costs), len(waiting), needed)
        raise PlanError(
            message(
                "--lane-memory {limit:g}: no cut of the model fits within it; use "
                "{least:,} MB or more, or more lanes",
                limit=most_bytes / 1e6,
                least=math.ceil(least / 1e6),
            )
        )
    return borders


def _least_worst(
    blocks: int, stages: int, value: Callable[[int, int, int], float]
) -> tuple[float, list[int]]:
    """Return the cut that minimises the largest `value(stage, first, last)`, with that value."""
    # Dynamic programming: best[last] is the best cut of blocks 0 to last (exclusive) into the
    # stages so far. Each stage leaves at least one block for every later stage.
    best: dict[int, Worst] = {0: (0.0, [])}
    for stage in range(stages):
        later_stages = stages - stage - 1
        ends = range(stage + 1, blocks - later_stages + 1) if later_stages else [blocks]
        extended: dict[int, Worst] = {}
        for last in ends:
            cuts: list[Worst] = []
            for first, (worst, borders) in best.items():
                if first < last:
                    added = [first] if stage else []
                    cuts.append((max(worst, value(stage, first, last)), borders + added))
            extended[last] = min(cuts, key=lambda cut: cut[0])
        best = extended
    return best[blocks]


def cuts_backward(plan: Plan) -> bool:
    """Return True if the plan runs the two parts of backwards as separate tasks."""
    return bool((plan.columns.kind == KIND_CODES[Kind.BACKWARD_WEIGHT]).any())


def waiting_microbatches(plan: Plan) -> list[int]:
    """Return for each stage the peak number of micro-batches whose activations a lane holds."""
    now = Counter[tuple[int, int]]()
    most = Counter[int]()
    # A backward-input does not free the activations: its backward-weight still needs them.
    change = {Kind.FORWARD: 1, Kind.BACKWARD: -1, Kind.BACKWARD_WEIGHT: -1}
    for task in plan.tasks:
        for half in plan.halves(task):
            if half.kind in change and half.stage is not None:
                place = (half.replica or 0, half.stage)
                now[place] += change[half.kind]
                most[half.stage] = max(most[half.stage], now[place])
    return [most[stage.index] for stage in plan.stages]
