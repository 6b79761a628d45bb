"""Prediction of a job's later steps from the costs of some of its steps.

Each of these steps is replayed with its own costs: every task becomes ready when the tasks before
it on its lane and all that it waits for have ended. It starts with the same delay as in the run,
and takes as long. The prediction is the mean of the replays. One replay with mean costs would be
too short: if the lengths of micro-batches change from step to step, the lanes wait for a different
micro-batch in each step. Steps that were not used show how good the prediction is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Bools, Floats
from core.costs.replay import Replay
from core.errors import PlanError
from core.explain.run_step import explain_run_step
from core.message import message
from core.order import evenly
from core.predict.basis import Basis, measured_share
from core.recording.importers.pipeline_copy_events import INFERRED
from core.report.job_step import JobStep
from core.report.measured import MeasuredSteps
from core.report.peer_replays import MOST_JOB_STEPS
from core.trace.median_step import median_step, whole_steps
from core.trace.step import StepSpans
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Forecast:
    """A predicted step of a job, and the measured steps that it is compared with.

    The costs are taken from the steps `used`. `unseen` are the steps after them, or if there are
    none the steps before. Lengths are means in ns. `own_error` is predicted / measured - 1 of the
    steps used, and `error` of the unseen steps, None if there are none. `basis` describes the
    median step.
    """

    used: tuple[int, ...]
    unseen: tuple[int, ...]
    makespan_ns: int
    basis: Basis
    used_ns: int
    own_error: float
    unseen_ns: int | None
    error: float | None


def forecast(trace: Trace, used: Sequence[int]) -> Forecast:
    """Predict the steps of a trace that follow the steps `used`.

    Raises PlanError if the trace lacks the waits between its lanes, which is so for the streams of
    a device.
    """
    replays_of = _job_replays if trace.step_table.follow else _replays
    steps, replays = replays_of(trace, used)
    unseen = _unseen(trace, used)
    predicted = float(replays.mean())
    used_ns = float(_lengths(trace, steps).mean())
    own_error = predicted / max(1.0, used_ns) - 1
    unseen_ns: int | None = None
    error: float | None = None
    if unseen:
        mean_unseen = float(_lengths(trace, unseen).mean())
        unseen_ns = round(mean_unseen)
        error = predicted / max(1.0, mean_unseen) - 1
    doubt = abs(own_error)
    shortest = float(replays.min()) * max(0.0, 1 - doubt)
    longest = float(replays.max()) * (1 + doubt)
    median = median_step(trace, steps)
    explanation = explain_run_step(trace, median)
    is_recorded = _is_recorded(trace, median)
    share = measured_share(explanation, is_recorded)
    return Forecast(
        used=steps,
        unseen=unseen,
        makespan_ns=round(predicted),
        basis=Basis(
            measured_share=share,
            low_ns=round(shortest),
            high_ns=round(longest),
        ),
        used_ns=round(used_ns),
        own_error=own_error,
        unseen_ns=unseen_ns,
        error=error,
    )


def _job_replays(trace: Trace, used: Sequence[int]) -> tuple[tuple[int, ...], Floats]:
    """Return the replayed steps of a recorded job and their lengths in ns.

    If there are many steps, only some are replayed.
    """
    steps = tuple(evenly(used, MOST_JOB_STEPS))
    lengths: list[float] = []
    for step in steps:
        job_step = JobStep.of(explain_run_step(trace, step))
        periods = job_step.periods(job_step.taken[:, np.newaxis])
        lengths.append(float(periods[0]))
    return steps, np.array(lengths)


def _replays(trace: Trace, used: Sequence[int]) -> tuple[tuple[int, ...], Floats]:
    """Return the replayed steps of a trace and their lengths in ns. Raises PlanError."""
    run = MeasuredSteps.of(trace, used)
    if not run.has_waits:
        raise PlanError(message("the trace does not contain what tasks wait for on other lanes"))
    replay = Replay.of(run.columns, run.meets)
    durations = run.taken + run.late
    return run.steps, replay.makespans(durations)


def _is_recorded(trace: Trace, step: int) -> Bools:
    """Return a mask of a step's tasks: False for transfers whose times an importer inferred."""
    names = StepSpans.of(trace, step).spans["name"]
    inferred: list[int] = []
    for place, name in enumerate(trace.table.names):
        if name == INFERRED:
            inferred.append(place)
    return ~np.isin(names, inferred)


def _unseen(trace: Trace, used: Sequence[int]) -> tuple[int, ...]:
    """Return the whole steps after the used ones, or if there are none the ones before."""
    first = min(used)
    last = max(used)
    whole = whole_steps(trace)
    after = [step for step in whole if step > last]
    before = [step for step in whole if step < first]
    return tuple(after or before)


def _lengths(trace: Trace, steps: Sequence[int]) -> Floats:
    """Return the measured length of each step in ns."""
    bounds = np.array([trace.step_bounds(step) for step in steps], np.float64)
    lengths: Floats = bounds[:, 1] - bounds[:, 0]
    return lengths
