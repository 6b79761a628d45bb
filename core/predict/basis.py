"""Basis of a prediction: the share of it that was measured, and the range of the step time."""

from __future__ import annotations

from dataclasses import dataclass

from core.arrays import Bools
from core.costs.costs import CostModel, cost_at, least_cost_at, most_cost_at
from core.costs.durations import durations, task_costs
from core.explain.critical import ON_TASKS, critical_path
from core.explain.explanation import Explanation
from core.message import Message, message
from core.plain import digits, duration_text, duration_unit
from core.plan.plan import Plan


@dataclass(frozen=True, slots=True)
class Basis:
    """Basis of a predicted step, which takes from `low_ns` to `high_ns`.

    `measured_share`, 0 to 1, is the share of the step's critical path in tasks with measured costs;
    the rest of the path is modelled.
    """

    measured_share: float
    low_ns: int
    high_ns: int

    @property
    def measured_percent(self) -> int:
        """The measured share in whole per cent, the form in which it is shown everywhere."""
        return round(100 * self.measured_share)

    @property
    def text(self) -> Message:
        """The share and the range as a text for users."""
        measured = self.measured_percent
        return message(
            "{measured} of the critical path is measured, {modelled} is modelled; "
            "range: {low} to {high}",
            measured=f"{measured} %",
            modelled=f"{100 - measured} %",
            low=digits(self.low_ns / duration_unit(self.high_ns)[0]),
            high=duration_text(self.high_ns),
        )


def basis_of(plan: Plan, costs: CostModel, explanation: Explanation, doubt: float = 0.0) -> Basis:
    """Return the basis of a step of `plan` that was predicted with these costs.

    The range allows for a relative error of at least `doubt`, for example the measured error of the
    prediction of the same run.
    """
    known = task_costs(
        columns=plan.columns,
        costs=costs,
        stages=plan.stages,
        lanes=plan.lanes,
    ).measured
    least, most = range_factors(plan, costs, max(costs.scatter, doubt))
    length = explanation.makespan
    return Basis(
        measured_share=measured_share(explanation, known),
        low_ns=round(least * length),
        high_ns=round(most * length),
    )


def measured_share(explanation: Explanation, measured: Bools) -> float:
    """Return the share, 0 to 1, of a step's critical path in tasks with measured costs.

    `measured` has shape (n,), an entry for each task (core.costs.durations). The rest of the path
    is in tasks whose cost is modelled, and in delays before tasks.
    """
    total = 0
    known = 0
    for piece in critical_path(explanation):
        length = piece.end - piece.start
        total += length
        if piece.share in ON_TASKS and measured[piece.task]:
            known += length
    return known / max(1, total)


def range_factors(plan: Plan, costs: CostModel, doubt: float) -> tuple[float, float]:
    """Return the least and the most that a step takes, relative to its prediction.

    `doubt` is the relative error that is expected even of costs at measured sizes. Between two
    measured sizes the bounds also include all costs that are possible if more rows never cost less
    in total, nor more per row.
    """
    totals: list[int] = []
    for read in (cost_at, least_cost_at, most_cost_at):
        times = durations(
            columns=plan.columns,
            costs=costs,
            stages=plan.stages,
            lanes=plan.lanes,
            read=read,
        )
        totals.append(int(times.sum()))
    likely, least, most = totals
    likely = max(1, likely)
    least_factor = least / likely * (1 - min(doubt, 1.0))
    most_factor = most / likely * (1 + doubt)
    return least_factor, most_factor
