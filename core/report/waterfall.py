"""Time of a step in bars, from the ideal step to the measured one."""

from __future__ import annotations

import numpy as np

from core.arrays import Floats, Ints
from core.costs.simulate import makespan_ns
from core.explain.explanation import Explanation
from core.message import N_
from core.plan.plan import Role, lane_indices
from core.plan.task import IS_COMMUNICATION
from core.report.job_graph import BETWEEN_STEPS, COMMUNICATION, DATA_WAIT, StepPart
from core.report.job_step import JobStep

BAR_WORDS = {
    "ideal": N_("perfect division"),
    "imbalance": N_("imbalance"),
    "bubble": N_("bubble"),
    "communication": N_("exposed communication"),
    "data": N_("waiting for data"),
    "between": N_("between steps"),
    "contention": N_("slowdown"),
    "host": N_("host"),
}
"""Names of the bars on screen, bottom first; only jobs have `data` and `between`."""


def waterfall(explanation: Explanation, costs: Ints | None = None) -> dict[str, int]:
    """Return the ns that each reason adds to a step, run or predicted, by the names of BAR_WORDS.

    They add up to the makespan, to the nanosecond:

    - `ideal`: all computing divided by the compute lanes, rounded down
    - `imbalance`: the excess of the lane with the most computing
    - `bubble`: added by dependencies between tasks, if no data has to be moved and no task is late
    - `communication`: added by moving data
    - `contention`: added by tasks that took longer than `costs`; absent without costs
    - `host`: the rest, which is launch, Python and, without costs, contention

    A bar may be negative if tasks ran faster than their costs or if clocks disagree. `costs` (ns of
    each task, calibrated) replace the measured durations in the lower bars, which separates
    contention from lateness. Each bar but the last is the difference of two simulations of the
    step, so the sum is exact; only `ideal` is rounded, and `imbalance` contains the remainder. For
    a job's step, `job_waterfall` is returned.
    """
    if explanation.follows:
        return job_waterfall(explanation)
    columns = explanation.columns
    # Waiting for other ranks is not work.
    measured = columns.end - explanation.waits.begun
    taken = measured if costs is None else costs
    work = np.where(IS_COMMUNICATION[columns.kind], 0, taken)
    lanes = lane_indices(explanation.lanes, Role.COMPUTE)
    # Sums of doubles, which are exact up to 104 days.
    sums = np.bincount(columns.lane, work, len(explanation.lanes))
    ideal, longest = _ideal_and_longest(sums[lanes].astype(int).tolist())
    meets = explanation.waits.meets
    still = makespan_ns(columns, work, meets)
    moving = makespan_ns(columns, taken, meets)
    bars = {
        "ideal": ideal,
        "imbalance": longest - ideal,
        "bubble": still - longest,
        "communication": moving - still,
    }
    simulated = moving
    if costs is not None:
        simulated = makespan_ns(columns, measured, meets)
        bars["contention"] = simulated - moving
    bars["host"] = explanation.makespan - simulated
    return bars


def _ideal_and_longest(work: list[int]) -> tuple[int, int]:
    """Return the mean of the lanes' work in ns, rounded down, and the longest; 0 without lanes."""
    ideal = sum(work) // max(1, len(work))
    longest = max(work, default=0)
    return ideal, longest


def job_waterfall(explanation: Explanation) -> dict[str, int]:
    """Return the ns that each reason adds to a step of a training job, like `waterfall`.

    The step is replayed (core.report.job_step). `data` is added by waiting for the next batch,
    `between` by code that runs after an update and before the first task of the next step, and
    `host` by all other code of the job.
    """
    step = JobStep.of(explanation)
    computes = step.computes
    work = np.where(computes, step.taken, 0.0)
    sums = np.bincount(step.rank, work, step.ranks)
    ideal, longest = _ideal_and_longest(sums.astype(int).tolist())
    # Replay with computing only, then add one activity at a time.
    included: tuple[tuple[StepPart, ...], ...] = (
        (),
        (COMMUNICATION,),
        (COMMUNICATION, DATA_WAIT),
        (COMMUNICATION, DATA_WAIT, BETWEEN_STEPS),
    )
    ways: list[Floats] = []
    for parts in included:
        counts = computes | step.is_part(*parts)
        ways.append(np.where(counts, step.taken, 0.0))
    periods = np.rint(step.periods(np.stack(ways, axis=1)))
    still, moving, fed, begun = periods.astype(int).tolist()
    return {
        "ideal": ideal,
        "imbalance": longest - ideal,
        "bubble": still - longest,
        "communication": moving - still,
        "data": fed - moving,
        "between": begun - fed,
        "host": explanation.makespan - begun,
    }
