"""Plans of a recorded run, made again from its header, and the measured costs of its tasks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.costs.costs_file import reported_costs
from core.costs.durations import durations
from core.errors import PlanError
from core.explain.causes import Explanation
from core.plan.plan import Plan
from core.plan.planning import job_of
from core.plan.strategies import STRATEGIES
from core.trace.trace import Trace


class RunPlans:
    """The plans of a run's steps, each made once from the run's header, and its measured costs."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._rows = trace.header.specification.all_rows
        self._plans: dict[int, Plan | None] = {}

    def plan(self, step: int) -> Plan | None:
        """The plan of a step; None for what cannot be planned again, as models of one's own."""
        if not 0 <= step < len(self._rows):
            return None
        # A plan follows from the header and a step's rows: steps with as many rows share one.
        rows = self._rows[step]
        if rows not in self._plans:
            self._plans[rows] = self._make(rows)
        return self._plans[rows]

    def costs(self, step: int, explanation: Explanation) -> NDArray[np.int64] | None:
        """What the tasks of an explained step were measured to cost before the run, in ns.

        None where that was not measured, or says nothing of some task.
        """
        model, plan = reported_costs(self._trace.costs), self.plan(step)
        if model is None or plan is None:
            return None
        try:
            return durations(explanation.columns, model, plan.stages, plan.lanes)
        except PlanError:
            return None

    def _make(self, rows: int) -> Plan | None:
        header = self._trace.header
        strategy = STRATEGIES.get(header.specification.strategy)
        lanes = list(header.compute_lanes)
        # A recording may have no lane that computes: nothing can be planned on none.
        if strategy is None or not lanes:
            return None
        try:
            return strategy.plan(job_of(header.specification, header.model, lanes, rows))
        except PlanError:
            return None
