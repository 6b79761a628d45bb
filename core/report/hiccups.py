"""Hiccups: tasks that took significantly longer in one step than in the others."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist

import numpy as np

from core.arrays import Bools, Floats
from core.order import groups
from core.plain import duration_text
from core.report.limits import PLACE_SENTENCES, Finding, Limit
from core.report.measured import MeasuredSteps
from core.report.named import DISTURBED_NS, JOB_DISTURBED_NS, NAMED, RUN_HICCUP
from core.scatter import scatter
from core.trace.source import Source

CHANCE = 0.02
"""Highest probability that a task of a run without hiccups is taken for one."""
COMMON = 4
"""The n-th largest excess is the common excess of a run: any machine disturbs a few tasks."""
OUTSTANDING = 2.0
"""A hiccup exceeds the common excess of its run by this factor; otherwise it is noise."""
MOST_TRIED = 8
"""Largest number of tasks that are simulated as hiccups."""


def hiccups(run: MeasuredSteps) -> Iterator[Finding]:
    """Yield tasks that took significantly longer in one step, by more than machines add."""
    is_own_run = run.source is Source.RUN
    least_share = RUN_HICCUP if is_own_run else NAMED
    usual = _usual(run)
    outstanding = _outstanding(run, usual)
    usual_ns = np.exp(usual)
    excess = np.where(outstanding, run.taken - usual_ns, 0.0)
    largest_first = np.argsort(excess, axis=None)[::-1]
    tried = largest_first[:MOST_TRIED]
    places, tasks = np.unravel_index(tried, excess.shape)
    for place, task in zip(places.tolist(), tasks.tolist(), strict=True):
        # A longer task makes a step longer by its own excess at most, so a task with less excess
        # cannot be named and need not be simulated.
        named_ns = least_share * run.makespans[place]
        least_ns = max(_least_ns(run.source), named_ns)
        if excess[place, task] < least_ns:
            continue
        usual_of_task = float(usual_ns[place, task])
        found = _hiccup(run, place, task, usual_of_task)
        if not is_own_run or found.share >= least_share:
            yield found


def _least_ns(source: Source) -> int:
    """Return the least excess of a hiccup in ns; predicted times have no noise."""
    if source is Source.PREDICTED:
        return 0
    if source is Source.JOB:
        return JOB_DISTURBED_NS
    return DISTURBED_NS


def _outstanding(run: MeasuredSteps, usual: Floats) -> Bools:
    """Return True for each task (S, n) that exceeds its usual time by more than noise."""
    over = run.logs - usual
    noise = np.empty(len(run.columns))
    for tasks in groups(run.alike):
        noise[tasks] = scatter(over[:, tasks])
    # The usual time is the median of the same steps, which is closer to each of them than the true
    # one is: their variance about it is too small by (n - 1) / n, as it is about a mean.
    steps = len(run.steps)
    freedom = max(1, steps - 1)
    noise *= np.sqrt(steps / freedom)
    # Some of so many tasks are unusually long by chance. With the probability divided among them
    # (Bonferroni), a whole run has a false hiccup with the probability CHANCE at most.
    chance_of_task = CHANCE / over.size
    certain = NormalDist().inv_cdf(1 - chance_of_task)
    # Disturbances of the machine are frequent. Only a task that exceeds the common excess by far is
    # a separate event.
    excess = run.taken - np.exp(usual)
    common = 0.0
    if excess.size >= COMMON:
        common = np.partition(excess, -COMMON, axis=None)[-COMMON]
    is_certain = over > certain * noise
    is_separate = excess > OUTSTANDING * common
    found: Bools = is_certain & is_separate & run.on_devices
    return found


def _hiccup(run: MeasuredSteps, place: int, task: int, usual: float) -> Finding:
    ns = run.longer_by(place, task, usual)
    step_ns = int(run.spans[place])
    share = ns / max(1, step_ns)
    lane = int(run.columns.lane[task])
    step = run.steps[place] - run.warmup + 1
    taken = int(run.taken[place, task])
    values: dict[str, object] = {
        "step": step,
        "task": run.name_of(task),
        "taken": duration_text(taken),
        "usual": duration_text(round(usual), like=taken),
    }
    if run.source.has_plan:
        main = run.lanes[lane].serves
        values["lane"] = main
        where = f"step {step} lane {main}"
        return Finding(Limit.HICCUP, where, ns, share, values)
    name = run.places[lane]
    values["place"] = name
    where = f"step {step} {name}"
    sentence = PLACE_SENTENCES[Limit.HICCUP]
    return Finding(Limit.HICCUP, where, ns, share, values, sentence)


def _usual(run: MeasuredSteps) -> Floats:
    """Return the logarithm of each task's usual ns, shape (S, n): the median of the other steps.

    With fewer than three steps, it is the median of equal tasks of the same lane.
    """
    if len(run.steps) >= 3:
        return _median_of_others(run.logs)
    usual = run.logs.copy()
    alike_on_lane = run.alike * len(run.lanes) + run.columns.lane
    for tasks in groups(alike_on_lane):
        logs = run.logs[:, tasks]
        usual[:, tasks] = np.median(logs)
    return usual


def _median_of_others(values: Floats) -> Floats:
    """Return for each entry the median of the others in its column, which has three or more."""
    # Sorted once: without the entry of rank r, the i-th smallest is ordered[i] below r, and
    # ordered[i + 1] from r on.
    order = np.argsort(values, axis=0)
    rank = np.argsort(order, axis=0)
    ordered = np.sort(values, axis=0)
    others = len(values) - 1

    def nth_smallest(i: int) -> Floats:
        found: Floats = np.where(rank <= i, ordered[i + 1], ordered[i])
        return found

    # Both are the same for an odd number.
    lower = nth_smallest((others - 1) // 2)
    upper = nth_smallest(others // 2)
    median: Floats = (lower + upper) / 2
    return median
