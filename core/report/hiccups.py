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
"""Highest probability of a false hiccup in a run that has none."""
COMMON = 4
"""The fourth-largest excess is the common excess of a run: any machine disturbs a few tasks."""
OUTSTANDING = 2.0
"""Factor by which a hiccup's excess is larger than the common excess; less is noise."""
MOST_TRIED = 8
"""Largest number of tasks whose effect on their step is simulated."""


def hiccups(run: MeasuredSteps) -> Iterator[Finding]:
    """Yield tasks that took significantly longer in one step and cost it a NAMED share.

    They exceed a machine's noise. A hiccup of an own run costs at least RUN_HICCUP of its step.
    """
    least_share = RUN_HICCUP if run.source is Source.RUN else NAMED
    usual_logs = _usual_logs(run)
    usual_ns: Floats = np.exp(usual_logs)
    excess_ns = run.taken - usual_ns
    is_outstanding = _outstanding(run, usual_logs, excess_ns)
    tried_ns = np.where(is_outstanding, excess_ns, 0.0)
    largest_first = np.argsort(tried_ns, axis=None)[::-1]
    tried = largest_first[:MOST_TRIED]
    rows, tasks = np.unravel_index(tried, tried_ns.shape)
    for row, task in zip(rows.tolist(), tasks.tolist(), strict=True):
        # A longer task makes a step longer by its own excess at most, so a task with less excess
        # cannot be named and need not be simulated.
        named_ns = least_share * run.makespans[row]
        least_ns = max(_least_ns(run.source), named_ns)
        if tried_ns[row, task] < least_ns:
            continue
        usual_of_task = float(usual_ns[row, task])
        found = _hiccup(run, row, task, usual_of_task)
        if found.share >= least_share:
            yield found


def _least_ns(source: Source) -> int:
    """Return the least excess of a hiccup in ns; predicted times have no noise."""
    if source is Source.PREDICTED:
        return 0
    if source is Source.JOB:
        return JOB_DISTURBED_NS
    return DISTURBED_NS


def _outstanding(run: MeasuredSteps, usual_logs: Floats, excess_ns: Floats) -> Bools:
    """Return True for each task that exceeds its usual time by more than noise, shape (S, n)."""
    log_excess = run.logs - usual_logs
    noise = np.empty(len(run.columns))
    for tasks in groups(run.alike):
        noise[tasks] = scatter(log_excess[:, tasks])
    # A usual time from only S steps is itself uncertain: widen the noise accordingly.
    steps = len(run.steps)
    freedom = max(1, steps - 1)
    noise *= np.sqrt(steps / freedom)
    # Among so many tasks, some are unusually long by chance. The probability is divided among them
    # (Bonferroni), so that a whole run has a false hiccup with the probability CHANCE at most.
    chance_of_task = CHANCE / log_excess.size
    deviations = NormalDist().inv_cdf(1 - chance_of_task)
    is_significant = log_excess > deviations * noise
    # A machine often disturbs several tasks. Only a task that exceeds the common excess by far is a
    # separate event.
    common_ns = 0.0
    if excess_ns.size >= COMMON:
        common_ns = np.partition(excess_ns, -COMMON, axis=None)[-COMMON]
    is_separate = excess_ns > OUTSTANDING * common_ns
    found: Bools = is_significant & is_separate & run.on_devices
    return found


def _hiccup(run: MeasuredSteps, row: int, task: int, usual_ns: float) -> Finding:
    """Return the finding for a task in the step at position `row`, with its simulated effect."""
    ns = run.longer_by(row, task, usual_ns)
    step_ns = int(run.spans[row])
    share = ns / max(1, step_ns)
    lane = int(run.columns.lane[task])
    step = run.steps[row] - run.warmup + 1
    taken = int(run.taken[row, task])
    values: dict[str, object] = {
        "step": step,
        "task": run.name_of(task),
        "taken": duration_text(taken),
        "usual": duration_text(round(usual_ns), like=taken),
    }
    if run.source.has_plan:
        main_lane = run.lanes[lane].serves
        values["lane"] = main_lane
        where = f"step {step} lane {main_lane}"
        return Finding(
            kind=Limit.HICCUP,
            where=where,
            loss_ns=ns,
            share=share,
            values=values,
        )
    place = run.places[lane]
    values["place"] = place
    where = f"step {step} {place}"
    sentence = PLACE_SENTENCES[Limit.HICCUP]
    return Finding(
        kind=Limit.HICCUP,
        where=where,
        loss_ns=ns,
        share=share,
        values=values,
        sentence=sentence,
    )


def _usual_logs(run: MeasuredSteps) -> Floats:
    """Return the logarithm of each task's usual ns, shape (S, n): the median of the other steps.

    With fewer than three steps, it is the median of the tasks with the same work on the same lane.
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
    # A column is sorted only once. Without its entry of rank r, its i-th smallest entry is
    # ordered[i] if i < r, and otherwise ordered[i + 1].
    order = np.argsort(values, axis=0)
    rank = np.argsort(order, axis=0)
    ordered = np.sort(values, axis=0)
    others = len(values) - 1

    def nth_smallest(i: int) -> Floats:
        found: Floats = np.where(rank <= i, ordered[i + 1], ordered[i])
        return found

    # For an odd number of others, both are the same entry.
    lower = nth_smallest((others - 1) // 2)
    upper = nth_smallest(others // 2)
    median: Floats = (lower + upper) / 2
    return median
