"""The runs of a lesson's step as a curve, if they differ in one number."""

from __future__ import annotations

from collections.abc import Sequence

from core.engine.messages import Outcome
from core.plan.specification import Specification, with_defaults
from core.sweep.results import Results
from core.sweep.sweep import Point, Sweep, Varied
from core.sweep.table import SweepRow, sweep_row
from core.trace.trace import Trace

LEAST_RUNS = 3  # two runs are compared directly


def curve_of(runs: Sequence[Specification]) -> Sweep | None:
    """Return the sweep over these runs' settings; None unless they differ in exactly one number."""
    if len(runs) < LEAST_RUNS:
        return None
    first = dict(runs[0].values)
    differing = []
    for option, value in first.items():
        values = [dict(run.values).get(option) for run in runs]
        if any(other != value for other in values):
            differing.append(Varied(option, tuple(values)))
    if len(differing) != 1 or not differing[0].is_number:
        return None
    sweep = Sweep(runs[0], tuple(differing), references=(), repeat=1)
    complete = [with_defaults(run) for run in runs]
    are_same = set(sweep.settings) == set(complete)
    if not are_same or len(sweep.settings) != len(runs):
        return None
    return sweep


def curve_results(runs: Sequence[Specification], traces: Sequence[Trace]) -> Results | None:
    """Return the median steps of finished runs as results of a sweep; None if they are not a curve.

    `traces` has the trace of each run, in the same order. Raises UnmeasuredError for a run without
    a step.
    """
    sweep = curve_of(runs)
    if sweep is None:
        return None
    rows: list[SweepRow] = []
    for run, trace in zip(runs, traces, strict=True):
        point = Point(sweep.settings.index(with_defaults(run)), repeat=1)
        rows.append(sweep_row(point, trace, Outcome.FINISHED, ""))
    return Results(sweep, tuple(rows))


def run_of(result_setting: Specification, runs: Sequence[Specification]) -> int:
    """Return the position of the run with the setting of a result."""
    complete = [with_defaults(run) for run in runs]
    return complete.index(result_setting)
