"""From the ideal step to the measured one, bar by bar."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.explain.causes import Explanation
from core.plan.plan import Role
from core.plan.task import IS_COMMUNICATION
from core.predict.simulate import lasts

BAR_WORDS = {
    "ideal": "perfect division",
    "imbalance": "imbalance",
    "bubble": "bubble",
    "communication": "exposed communication",
    "contention": "slowdown",  # by other lanes, or by whatever else made tasks slower
    "host": "host",
}
"""What the bars are called on screen, bottom first."""


def waterfall(explanation: Explanation, costs: NDArray[np.int64] | None = None) -> dict[str, int]:
    """What each reason adds to a step, run or predicted, in ns by the names of BAR_WORDS.

    Together they are the makespan, to the nanosecond. `ideal` is all computing divided by the
    compute lanes, rounded down; `imbalance` what the lane with the most has above that; `bubble`
    what the order of the tasks adds if nothing moves and nobody is late; `communication` what
    moving data adds to that; `contention` what tasks took longer than `costs` say (only with
    costs); `host` all the rest: launch, Python and, without costs, contention. A bar may be
    negative: tasks that ran faster than their costs, or clocks that disagree.

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
    # Sums of doubles, which are exact up to 104 days.
    by_lane = np.bincount(columns.lane, work, len(explanation.lanes))[lanes].astype(int).tolist()
    ideal, longest = sum(by_lane) // max(1, len(by_lane)), max(by_lane, default=0)
    meets = explanation.waits.meets
    still, moving = lasts(columns, work, meets), lasts(columns, taken, meets)
    # Without costs the simulation already has what tasks took: nothing is left to tell apart.
    crowded = moving if costs is None else lasts(columns, measured, meets)
    slower = {} if costs is None else {"contention": crowded - moving}
    return {
        "ideal": ideal,
        "imbalance": longest - ideal,
        "bubble": still - longest,
        "communication": moving - still,
        **slower,
        "host": explanation.makespan - crowded,
    }
