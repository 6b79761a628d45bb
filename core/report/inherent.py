"""Limits that are not faults: the host, imbalance, the schedule's bubble, and communication."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from core.arrays import Floats
from core.explain.noise import significantly_above
from core.plain import duration_text
from core.report.limits import PLACE_SENTENCES, Finding, Limit
from core.report.measured import MeasuredSteps

HOST_SHARE = 1 / 3
"""If the host is late for more than this share of a step, no other limit is considered."""
LIMITS = 0.05
"""Least share of a step that imbalance, bubble or communication costs to be named."""


def host_limit(run: MeasuredSteps) -> Finding | None:
    """Return the cost of a host that is late for a large share of the steps; None if it is not."""
    # If tasks started as soon as they could, a step would only last its makespan. The rest is the
    # host, which starts them.
    late = run.spans - run.makespans
    shares = late / np.maximum(1, run.spans)
    # Both the median step and most steps must be late: a single step may be disturbed.
    share = float(shares[run.median])
    if min(share, np.median(shares)) <= HOST_SHARE:
        return None
    durations = run.taken[run.median, run.computes]
    usual = float(np.median(durations))
    values = {"task": duration_text(round(usual))}
    late_ns = int(late[run.median])
    return Finding(
        kind=Limit.HOST,
        where="",
        loss_ns=late_ns,
        share=share,
        values=values,
    )


def inherent_limit(run: MeasuredSteps) -> Finding:
    """Return the largest limit of steps without a fault; Limit.NONE if none costs LIMITS."""
    step_ns = max(1, run.step_ns)
    *single, joint = _losses(run)
    worst = max(single, key=lambda one: one.ns)
    if worst.ns < LIMITS * step_ns:
        worst = joint
    if worst.ns < LIMITS * step_ns:
        return Finding(
            kind=Limit.NONE,
            where="",
            loss_ns=0,
            share=0.0,
        )
    share = worst.ns / step_ns
    sentence = ""
    if not run.source.has_plan:
        sentence = PLACE_SENTENCES.get(worst.kind, "")
    return Finding(
        kind=worst.kind,
        where=worst.where,
        loss_ns=worst.ns,
        share=share,
        values=worst.values,
        sentence=sentence,
    )


@dataclass(frozen=True, slots=True)
class _Loss:
    """A limit with its place, its cost in ns, and the values of its sentence."""

    kind: Limit
    ns: int
    where: str = ""
    values: Mapping[str, object] = field(default_factory=dict)


def _losses(run: MeasuredSteps) -> list[_Loss]:
    """Return by how much the median step is shorter without one limit.

    The limits are imbalance, bubble and communication, and last the bubble with even work: if both
    imbalance and dependencies limit a step, it is hardly shorter without one of them. Imbalance is
    noise unless some lane computes longer in nearly all steps.
    """
    taken = run.taken[run.median].astype(np.float64)
    whole = int(run.makespans[run.median])
    lanes = run.compute_lanes
    work = np.where(run.computes, taken, 0.0)
    of_all_lanes = np.bincount(run.columns.lane, work, len(run.lanes))
    totals: Floats = of_all_lanes[lanes].astype(np.float64)
    mean = float(totals.mean())
    even = _with_even_work(run, taken, totals)
    # Without data to move the step takes `still`; if no task waits for another one either, it takes
    # as long as the lane with the most work.
    still = run.simulated_ns(work)
    longest = round(totals.max())
    even_work = np.where(run.computes, even, 0.0)
    even_still = run.simulated_ns(even_work)
    uneven_ns = whole - run.simulated_ns(even)
    longer = significantly_above(run.computed) & (totals > mean)
    imbalance = _Loss(Limit.NOISE, uneven_ns)
    if longer.any():
        busiest = int(np.where(longer, totals, 0.0).argmax())
        lane = lanes[busiest]
        name = run.places[lane]
        most = totals[busiest]
        values = {
            "lane": lane,
            "place": name,
            "most": duration_text(round(most)),
            "mean": duration_text(round(mean), like=most),
        }
        imbalance = _Loss(
            kind=Limit.IMBALANCE,
            ns=uneven_ns,
            where=name,
            values=values,
        )
    return [
        imbalance,
        _Loss(Limit.SCHEDULE, still - longest),
        _Loss(Limit.COMMUNICATION, whole - still),
        _Loss(Limit.SCHEDULE, even_still - round(mean)),
    ]


def _with_even_work(run: MeasuredSteps, taken: Floats, totals: Floats) -> Floats:
    """Return the tasks' ns, scaled so that all compute lanes have the mean of their totals."""
    scales = np.ones(len(run.lanes))
    mean = totals.mean()
    scales[run.compute_lanes] = mean / np.maximum(totals, 1)
    scaled = taken * scales[run.columns.lane]
    even: Floats = np.where(run.computes, scaled, taken)
    return even
