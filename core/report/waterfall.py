"""From the ideal step to the measured one, bar by bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import PlanError
from core.explain.causes import Explanation
from core.plan.plan import Role
from core.plan.task import IS_COMMUNICATION
from core.predict.simulate import simulate
from core.trace.step import StepColumns

BAR_WORDS = {
    "ideal": "perfect division",
    "imbalance": "imbalance",
    "bubble": "bubble",
    "communication": "exposed communication",
    "contention": "slowdown",  # by other lanes, or by whatever else made tasks slower
    "host": "host",
}
"""What the bars are called on screen, bottom first."""


@dataclass(frozen=True, slots=True)
class Waterfall:
    """What each reason adds to a step, in ns; together they are the makespan, to the nanosecond.

    `ideal` is all computing divided by the compute lanes, rounded down; `imbalance` what the lane
    with the most has above that; `bubble` what the order of the tasks adds if nothing moves and
    nobody is late; `communication` what moving data adds to that; `contention` what tasks took
    longer than `costs` say (None without costs); `host` all the rest: launch, Python and, without
    costs, contention. A bar may be negative: tasks that ran faster than their costs, or clocks
    that disagree.
    """

    ideal: int
    imbalance: int
    bubble: int
    communication: int
    contention: int | None
    host: int

    @property
    def bars(self) -> dict[str, int]:
        """The bars by name, bottom first; `contention` only where it is known."""
        values = {name: getattr(self, name) for name in BAR_WORDS}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def makespan(self) -> int:
        """The sum of the bars."""
        return sum(self.bars.values())


def waterfall(explanation: Explanation, costs: NDArray[np.int64] | None = None) -> Waterfall:
    """The ladder of a step, run or predicted.

    `costs` (ns of each task, calibrated) stand for the measured durations in the lower bars, so
    that contention can be told from lateness. Each bar but the last is the difference between two
    simulations of the step, so the sum is exact; only `ideal` is rounded, and `imbalance` takes up
    what that leaves.
    """
    columns = explanation.columns
    measured = columns.end - explanation.waits.begun  # waiting for other ranks is no work
    taken = measured if costs is None else costs
    work = np.where(IS_COMMUNICATION[columns.kind], 0, taken)
    lanes = [lane.index for lane in explanation.lanes if lane.role is Role.COMPUTE]
    by_lane = _sums(columns, work, lanes)
    ideal, longest = sum(by_lane) // max(1, len(by_lane)), max(by_lane, default=0)
    others = () if costs is None else (measured,)
    still, moving, *slowed = _makespans(explanation, work, taken, *others)
    crowded = slowed[0] if slowed else moving
    return Waterfall(
        ideal=ideal,
        imbalance=longest - ideal,
        bubble=still - longest,
        communication=moving - still,
        contention=None if costs is None else crowded - moving,
        host=explanation.makespan - crowded,
    )


def _sums(columns: StepColumns, work: NDArray[np.int64], lanes: Sequence[int]) -> list[int]:
    totals = np.zeros(max([*lanes, int(columns.lane.max(initial=0))]) + 1, np.int64)
    np.add.at(totals, columns.lane, work)
    return [int(totals[lane]) for lane in lanes]


def _makespans(explanation: Explanation, *durations: NDArray[np.int64]) -> list[int]:
    """What the step would last with other durations.

    Members of collectives to which lanes came in orders that never meet go each by itself.
    """
    columns, meets = explanation.columns, explanation.waits.meets
    try:
        steps = [simulate(columns, taken, meets) for taken in durations]
    except PlanError:
        steps = [simulate(columns, taken) for taken in durations]
    return [int(step.end.max(initial=0)) for step in steps]
