"""Plans of a recorded run, rebuilt from its header, and the measured costs of its tasks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.costs.costs_file import reported_costs
from core.costs.durations import durations
from core.errors import PlanError
from core.explain.explanation import Explanation
from core.plan.plan import Plan
from core.plan.planning import job_of
from core.plan.strategies import STRATEGIES
from core.trace.event_rows import clock_disagreement
from core.trace.trace import Trace


class RunPlans:
    """Rebuilds the plans of a run's steps, each plan once, and returns the costs of their tasks."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._rows = trace.header.specification.all_rows
        self._plans: dict[int, Plan | None] = {}

    def plan(self, step: int) -> Plan | None:
        """Return the plan of a step; None if it cannot be rebuilt (models from files)."""
        if not 0 <= step < len(self._rows):
            return None
        # The header and the number of rows determine a plan: steps with as many rows share one.
        rows = self._rows[step]
        if rows not in self._plans:
            self._plans[rows] = self._make(rows)
        return self._plans[rows]

    def costs(self, step: int, explanation: Explanation) -> NDArray[np.int64] | None:
        """Return the costs in ns, measured before the run, of the tasks of an explained step.

        None if they were not measured, or do not cover a task.
        """
        model = reported_costs(self._trace.costs)
        plan = self.plan(step)
        if model is None or plan is None:
            return None
        try:
            return durations(explanation.columns, model, plan.stages, plan.lanes)
        except PlanError:
            return None

    def clock_disagreement_ns(self, step: int) -> float:
        """Return by how many ns the clocks of two lanes may disagree in a step, at most."""
        return clock_disagreement(self._trace.clocks, step)

    def _make(self, rows: int) -> Plan | None:
        header = self._trace.header
        strategy = STRATEGIES.get(header.specification.strategy)
        lanes = list(header.compute_lanes)
        # A recording may have no compute lanes.
        if strategy is None or not lanes:
            return None
        try:
            job = job_of(header.specification, header.model, lanes, rows)
            return strategy.plan(job)
        except PlanError:
            return None
