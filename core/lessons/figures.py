"""Figures of a run that the texts of a lesson may contain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.explain.balance import MEMORY_COUNTERS, first_lane_load, lane_balances
from core.explain.buckets import bucket_times
from core.explain.run_step import explain_run_step
from core.lessons.straggler import straggler_of
from core.message import message
from core.plain import duration_text, size_text
from core.plan.plan import working_lanes
from core.report.summary import LaneSummary, StepSummary, Summary, summarise
from core.trace.trace import Trace

Figure = Callable[[Trace, Summary], str]


class NothingMeasuredError(ValueError):
    """A run has no whole measured step, and therefore no figures."""


@dataclass(frozen=True, slots=True)
class StepBar:
    """A run's median step: its length in ns, and the idle share of its lanes' time (0 to 1)."""

    step_ns: int
    idle: float


def figures_of(trace: Trace) -> dict[str, str]:
    """Return every figure of a run by name, as text. Raises NothingMeasuredError."""
    return figures_and_bar(trace)[0]


def figures_and_bar(trace: Trace) -> tuple[dict[str, str], StepBar]:
    """Return every figure of a run by name, as text, and its median step.

    Raises NothingMeasuredError.
    """
    summary = summarise(trace)
    if not any(step.complete for step in summary.steps):
        raise NothingMeasuredError(message("the run has no whole measured step"))
    median = summary.median
    figures = {name: figure(trace, summary) for name, figure in FIGURES.items()}
    return figures, StepBar(median.makespan_ns, median.bubble_by_makespan)


def _step_ms(trace: Trace, summary: Summary) -> str:
    return duration_text(summary.median.makespan_ns)


def _split(trace: Trace, summary: Summary) -> str:
    return " + ".join(map(str, summary.splits[0]))


def _last_split(trace: Trace, summary: Summary) -> str:
    return " + ".join(map(str, summary.splits[-1]))


def _microbatches(trace: Trace, summary: Summary) -> str:
    return str(len(summary.microbatch_rows))


def _compute(step: StepSummary) -> list[LaneSummary]:
    return [lane for lane in step.lanes if lane.role == "compute"]


def _idle(trace: Trace, summary: Summary) -> str:
    return _percent(summary.median.bubble_by_makespan)


def _formula(trace: Trace, summary: Summary) -> str:
    form = summary.median.closed_form
    return "none" if form is None else _percent(form)


def _working(trace: Trace, summary: Summary) -> str:
    """Return the mean number of lanes at work."""
    step = summary.median
    # The bubble is the idle share of all compute lanes' time; the rest is work.
    working = len(_compute(step)) * (1 - step.bubble_by_makespan)
    return f"{working:.1f}"


def _peak(trace: Trace, summary: Summary) -> str:
    """Return the peak memory of the lane that holds the most."""
    return size_text(max(lane.peak_bytes for lane in summary.median.lanes))


def _peak_first(trace: Trace, summary: Summary) -> str:
    return size_text(_compute(summary.median)[0].peak_bytes)


def _peak_others(trace: Trace, summary: Summary) -> str:
    held = [lane.peak_bytes for lane in _compute(summary.median)[1:]]
    return size_text(max(held, default=0))


def _peak_part(name: str) -> Figure:
    """Return the figure of one kind of memory, at the peak of the lane that holds the most."""

    def figure(trace: Trace, summary: Summary) -> str:
        lanes = [lane.index for lane in working_lanes(trace.header.lanes)]
        balances = lane_balances(trace, lanes, [summary.median.step])
        fullest = max(balances, key=lambda balance: balance.peak_bytes)
        return size_text(fullest.peak_parts.get(name, 0))

    return figure


def _first_work(trace: Trace, summary: Summary) -> str:
    """Return lane 0's work relative to the mean over the lanes."""
    step = summary.median.step
    balances = lane_balances(trace, range(len(trace.header.lanes)), [step])
    load = first_lane_load(trace, balances)
    # A single lane does exactly the mean work.
    work = 1.0
    if load is not None and load.work is not None:
        work = load.work
    return f"{work:.2f}"


def _hidden(trace: Trace, summary: Summary) -> str:
    """Return the share of the collectives' time in which no lane waits for them."""
    buckets = bucket_times(explain_run_step(trace, summary.median.step), trace)
    # Weighted by time, so that small buckets count less than large ones.
    moved = sum(bucket.done - bucket.begun for bucket in buckets)
    exposed = sum(bucket.exposed_ns for bucket in buckets)
    return _percent(1 - exposed / moved) if moved else "none"


def _buckets(trace: Trace, summary: Summary) -> str:
    step = explain_run_step(trace, summary.median.step)
    numbers = {times.bucket for times in bucket_times(step, trace)}
    return str(len(numbers))


def _slow_lane(trace: Trace, summary: Summary) -> str:
    slow = straggler_of(trace.header.specification)
    return "none" if slow is None else str(slow.lane)


def _slow_factor(trace: Trace, summary: Summary) -> str:
    slow = straggler_of(trace.header.specification)
    return "1" if slow is None else f"{slow.factor:g}"


def _verdict(trace: Trace, summary: Summary) -> str:
    return "" if summary.verdict is None else str(summary.verdict.text)


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
    **{name: _peak_part(name) for name in MEMORY_COUNTERS},
    "first_work": _first_work,
    "hidden": _hidden,
    "buckets": _buckets,
    "slow_lane": _slow_lane,
    "slow_factor": _slow_factor,
    "verdict": _verdict,
}
"""The figures by name, described in docs/lessons.md; all but the splits are of the median step."""
