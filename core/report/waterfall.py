"""From the ideal step to the measured one, bar by bar."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.costs.simulate import makespan_ns
from core.explain.causes import Explanation
from core.message import N_
from core.plan.plan import Role
from core.plan.task import IS_COMMUNICATION
from core.report.job_step import BETWEEN_STEPS, COMMUNICATION, DATA_WAIT, JobStep

BAR_WORDS = {
    "ideal": N_("perfect division"),
    "imbalance": N_("imbalance"),
    "bubble": N_("bubble"),
    "communication": N_("exposed communication"),
    "data": N_("waiting for data"),  # of a job
    "between": N_("between steps"),  # of a job
    "contention": N_("slowdown"),  # by other lanes, or by whatever else made tasks slower
    "host": N_("host"),
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
    what that leaves. A job's step has `job_waterfall`.
    """
    if explanation.follows:
        return job_waterfall(explanation)
    columns = explanation.columns
    measured = columns.end - explanation.waits.begun  # waiting for other ranks is no work
    taken = measured if costs is None else costs
    work = np.where(IS_COMMUNICATION[columns.kind], 0, taken)
    lanes = [lane.index for lane in explanation.lanes if lane.role is Role.COMPUTE]
    # Sums of doubles, which are exact up to 104 days.
    by_lane = np.bincount(columns.lane, work, len(explanation.lanes))[lanes].astype(int).tolist()
    ideal, longest = sum(by_lane) // max(1, len(by_lane)), max(by_lane, default=0)
    meets = explanation.waits.meets
    still, moving = makespan_ns(columns, work, meets), makespan_ns(columns, taken, meets)
    # Without costs the simulation already has what tasks took: nothing is left to tell apart.
    crowded = moving if costs is None else makespan_ns(columns, measured, meets)
    slower = {} if costs is None else {"contention": crowded - moving}
    return {
        "ideal": ideal,
        "imbalance": longest - ideal,
        "bubble": still - longest,
        "communication": moving - still,
        **slower,
        "host": explanation.makespan - crowded,
    }


def job_waterfall(explanation: Explanation) -> dict[str, int]:
    """What each reason adds to a step of a training job, in ns by the names of BAR_WORDS.

    As `waterfall` has it, by replay of the step (core.report.job_step): `data` is what waiting for
    the next batch adds to computing and communication, `between` what code adds that runs between
    an update and anything else of the next step, and `host` all other code of the job.
    """
    step = JobStep.of(explanation)
    computes, taken = step.computes, step.taken
    work = np.bincount(step.rank, np.where(computes, taken, 0.0), step.ranks).astype(int).tolist()
    ideal, longest = sum(work) // max(1, len(work)), max(work, default=0)
    parts = (
        (),
        (COMMUNICATION,),
        (COMMUNICATION, DATA_WAIT),
        (COMMUNICATION, DATA_WAIT, BETWEEN_STEPS),
    )
    ways = [np.where(computes | step.is_part(*some), taken, 0.0) for some in parts]
    still, moving, fed, begun = np.rint(step.periods(np.stack(ways, axis=1))).astype(int).tolist()
    return {
        "ideal": ideal,
        "imbalance": longest - ideal,
        "bubble": still - longest,
        "communication": moving - still,
        "data": fed - moving,
        "between": begun - fed,
        "host": explanation.makespan - begun,
    }
