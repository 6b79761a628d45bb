"""Faults of lanes, links and tasks, found by comparing equal work.

Lanes and links without peers are compared by measured costs, if the run has some. The cost of a
fault is the makespan of a step as it ran minus its makespan if the faulty tasks take as long as
their peers. Both are simulated.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.plan.task import ABSENT
from core.report.hiccups import hiccups
from core.report.limits import (
    LANE_AT_LEAST,
    LANE_SENTENCES,
    PLACE_AT_LEAST,
    PLACE_SENTENCES,
    Finding,
    Limit,
)
from core.report.measured import MeasuredSteps
from core.report.named import NAMED
from core.report.slower import slower
from core.trace.source import Source


def largest_fault(run: MeasuredSteps) -> Finding | None:
    """Return the lane, link or task with the largest cost; None if no cost is NAMED."""
    slow = [*slow_lanes(run), *slow_links(run)]
    steady = max(slow, key=_share, default=None)
    once = max(hiccups(run), key=_share, default=None)
    found: list[Finding] = []
    for one in (steady, once):
        if one is not None and one.share >= NAMED:
            found.append(one)

    def total_loss(one: Finding) -> int:
        # A limit of every step is worse than a hiccup of one step that costs less in total.
        steps = 1 if one.kind is Limit.HICCUP else len(run.spans)
        return one.loss_ns * steps

    return max(found, key=total_loss, default=None)


def _share(one: Finding) -> float:
    return one.share


def slow_lanes(run: MeasuredSteps) -> Iterator[Finding]:
    """Yield every lane that is significantly slower than its peers, by more than a cold start."""
    place = np.where(run.computes, run.columns.lane, ABSENT)
    task = np.arange(len(run.columns))
    cold = run.source is not Source.PREDICTED
    slow = slower(
        run=run,
        task=task,
        place=place,
        count=len(run.lanes),
        cold=cold,
        costs=run.costs,
    )
    for one in slow:
        factors = np.ones(len(task))
        factors[one.tasks] = one.factor
        ns, share = run.loss(factors)
        name = run.places[one.place]
        values: dict[str, object] = {"factor": factor_text(one.factor)}
        if run.source.has_plan:
            values["lane"] = one.place
            sentence = LANE_AT_LEAST if one.partly else LANE_SENTENCES[Limit.SLOW_LANE]
        else:
            values["place"] = name
            sentence = PLACE_AT_LEAST if one.partly else PLACE_SENTENCES[Limit.SLOW_LANE]
        yield Finding(
            kind=Limit.SLOW_LANE,
            where=name,
            loss_ns=ns,
            share=share,
            values=values,
            sentence=sentence,
        )


def factor_text(factor: float) -> str:
    """Return a factor with three digits, or a whole one from 1,000: `1.52`, `2,990`."""
    if factor < 999.5:
        return f"{factor:.3g}"
    return f"{factor:,.0f}"


def slow_links(run: MeasuredSteps) -> Iterator[Finding]:
    """Yield every link whose transfers take significantly longer than over other links."""
    links = run.links
    lanes = len(run.lanes)
    code_of_link = links.low * lanes + links.high
    codes, number = np.unique(code_of_link, return_inverse=True)
    lows, highs = np.divmod(codes, lanes)
    # A transfer over several links at once cannot distinguish them.
    links_of_task = np.bincount(links.task, minlength=len(run.columns))
    kept = links_of_task[links.task] == 1
    task = links.task[kept]
    link = number[kept]
    for one in slower(
        run=run,
        task=task,
        place=link,
        count=len(codes),
        costs=run.costs,
    ):
        low = int(lows[one.place])
        high = int(highs[one.place])
        factors = np.where(number == one.place, one.factor, 1.0)
        factors_of_tasks = links.factors(run.columns, factors)
        ns, share = run.loss(factors_of_tasks)
        factor = factor_text(one.factor)
        if run.source.has_plan:
            values = {"low": low, "high": high, "factor": factor}
            where = f"link {low}-{high}"
            yield Finding(
                kind=Limit.SLOW_LINK,
                where=where,
                loss_ns=ns,
                share=share,
                values=values,
            )
            continue
        low_name = run.places[low]
        high_name = run.places[high]
        names = {"low": low_name, "high": high_name, "factor": factor}
        where = f"link {low_name} - {high_name}"
        sentence = PLACE_SENTENCES[Limit.SLOW_LINK]
        yield Finding(
            kind=Limit.SLOW_LINK,
            where=where,
            loss_ns=ns,
            share=share,
            values=names,
            sentence=sentence,
        )
