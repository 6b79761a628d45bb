"""Figures of a run that a lesson may name; each comes from the run itself."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

from core.explain.balance import first_lane_load, lane_balances
from core.explain.buckets import bucket_times
from core.explain.run_step import explain_run_step
from core.plain import duration_text, size_text
from core.report.summary import LaneSummary, StepSummary, Summary, summarise
from core.trace.complete import completed_steps
from core.trace.trace import Trace

Figure = Callable[[Trace, Summary], str]


class NothingMeasuredError(ValueError):
    """A run has no whole measured step, and so no figures."""


def figures_of(trace: Trace) -> dict[str, str]:
    """Every figure of a run, by name. Raises NothingMeasuredError."""
    summary = summarise(trace)
    if not [step for step in summary.steps if step.complete]:
        raise NothingMeasuredError("the run has no whole measured step")
    return {name: figure(trace, summary) for name, figure in FIGURES.items()}


def _step_ms(trace: Trace, summary: Summary) -> str:
    return duration_text(median(step.makespan_ns for step in summary.steps))


def _split(trace: Trace, summary: Summary) -> str:
    return " + ".join(map(str, summary.splits[0]))


def _last_split(trace: Trace, summary: Summary) -> str:
    return " + ".join(map(str, summary.splits[-1]))


def _microbatches(trace: Trace, summary: Summary) -> str:
    return str(len(summary.microbatch_rows))


def _compute(step: StepSummary) -> list[LaneSummary]:
    return [lane for lane in step.lanes if lane.role == "compute"]


def _idle(trace: Trace, summary: Summary) -> str:
    return _percent(median(step.bubble_by_makespan for step in summary.steps))


def _formula(trace: Trace, summary: Summary) -> str:
    forms = [step.closed_form for step in summary.steps if step.closed_form is not None]
    return _percent(median(forms)) if forms else "none"


def _working(trace: Trace, summary: Summary) -> str:
    """How many lanes work at a time, on average."""
    idle = median(step.bubble_by_makespan for step in summary.steps)
    # The bubble is a share of all compute lanes' time: what is left of one is work.
    return f"{len(_compute(summary.steps[0])) * (1 - idle):.1f}"


def _peak(trace: Trace, summary: Summary) -> str:
    """The most that any device holds."""
    return size_text(max(lane.peak_bytes for step in summary.steps for lane in step.lanes))


def _peak_first(trace: Trace, summary: Summary) -> str:
    return size_text(max(_compute(step)[0].peak_bytes for step in summary.steps))


def _peak_others(trace: Trace, summary: Summary) -> str:
    held = [lane.peak_bytes for step in summary.steps for lane in _compute(step)[1:]]
    return size_text(max(held, default=0))


def _first_work(trace: Trace, summary: Summary) -> str:
    """How many times the mean work lane 0 does."""
    steps = completed_steps(trace)
    balances = lane_balances(trace, range(len(trace.header.lanes)), steps)
    load = first_lane_load(trace, balances)
    # A lane alone does what the mean of all lanes does.
    return "1.00" if load is None or load.work is None else f"{load.work:.2f}"


def _hidden(trace: Trace, summary: Summary) -> str:
    """The part of the collectives' time in which no lane waits for them."""
    # Of the last step: torch settles its buckets in the first one.
    buckets = bucket_times(explain_run_step(trace, completed_steps(trace)[-1]), trace)
    # Weighted by time: in a mean of the buckets' shares a tiny bucket would count as a large one.
    moved = sum(bucket.done - bucket.begun for bucket in buckets)
    exposed = sum(bucket.exposed_ns for bucket in buckets)
    return _percent(1 - exposed / moved) if moved else "none"


def _buckets(trace: Trace, summary: Summary) -> str:
    step = explain_run_step(trace, completed_steps(trace)[-1])
    return str(len({bucket.bucket for bucket in bucket_times(step, trace)}))


def _verdict(trace: Trace, summary: Summary) -> str:
    return "" if summary.verdict is None else summary.verdict.text


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.0f} %"


FIGURES: dict[str, Figure] = {
    "step_ms": _step_ms,
    "split": _split,
    "last_split": _last_split,
    "microbatches": _microbatches,
    "idle": _idle,
    "formula": _formula,
    "working": _working,
    "peak": _peak,
    "peak_first": _peak_first,
    "peak_others": _peak_others,
    "first_work": _first_work,
    "hidden": _hidden,
    "buckets": _buckets,
    "verdict": _verdict,
}
"""By name what a lesson may tell of a run: its median step; the rows of each lane in the first and
in the last step; the number of micro-batches; the idle part of all lanes' time, and what the
schedule's formula says of it; how many lanes work at a time; the most memory of any lane, of lane 0
and of the others; how many times the mean work lane 0 does; the part of the collectives' time for
which no lane waits; how many buckets there are; and the verdict."""
