"""Figures of a run that the texts of a lesson may contain, and that a learner can predict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from core.explain.balance import first_lane_load, lane_balances
from core.explain.buckets import bucket_times
from core.explain.lane_memory import MEMORY_COUNTERS
from core.explain.run_step import explain_run_step
from core.lessons.straggler import straggler_of
from core.message import N_, message
from core.plain import duration_text, size_text
from core.plan.plan import lane_indices, working_lanes
from core.report.summary import LaneSummary, StepSummary, Summary, summarise
from core.trace.trace import Trace

Figure = Callable[[Trace, Summary], str]
Value = Callable[[Trace, Summary], float | None]


class Unit(StrEnum):
    """Unit of a number."""

    TIME = "time"
    """ns."""
    SHARE = "share"
    """0 to 1."""
    BYTES = "bytes"
    COUNT = "count"
    MEAN = "mean"
    """A mean of counts."""
    TIMES = "times"
    """Relative to another number."""


@dataclass(frozen=True, slots=True)
class Number:
    """A figure that is a number. Calling it returns the figure of a run as text.

    `value` returns the number itself, or None for runs that lack it.
    """

    title: str
    unit: Unit
    value: Value

    def __call__(self, trace: Trace, summary: Summary) -> str:
        """Return the figure of a run as text."""
        return number_text(self.value(trace, summary), self.unit)


class NothingMeasuredError(ValueError):
    """A run has no whole measured step, and therefore no figures."""


@dataclass(frozen=True, slots=True)
class StepBar:
    """A run's median step: its length in ns, and the idle share of its lanes' time (0 to 1)."""

    step_ns: int
    idle: float


@dataclass(frozen=True, slots=True)
class RunFigures:
    """The figures of a finished run by name, and its median step as a bar.

    `texts` has every figure as text. `numbers` has the figures that are numbers, unrounded.
    """

    texts: dict[str, str]
    numbers: dict[str, float | None]
    bar: StepBar


def figures_of(trace: Trace) -> dict[str, str]:
    """Return every figure of a run by name, as text. Raises NothingMeasuredError."""
    return run_figures(trace).texts


def run_figures(trace: Trace) -> RunFigures:
    """Return every figure of a run, and its median step. Raises NothingMeasuredError."""
    summary = summarise(trace)
    if not any(step.complete for step in summary.steps):
        raise NothingMeasuredError(message("the run has no whole measured step"))
    numbers: dict[str, float | None] = {}
    texts: dict[str, str] = {}
    for name, number in NUMBERS.items():
        value = number.value(trace, summary)
        numbers[name] = value
        texts[name] = number_text(value, number.unit)
    for name, text_of in TEXTS.items():
        texts[name] = text_of(trace, summary)
    median = summary.median
    step_bar = StepBar(median.makespan_ns, median.bubble_by_makespan)
    return RunFigures(texts, numbers, step_bar)


def number_text(value: float | None, unit: Unit) -> str:
    """Return a number with its unit: `41.8 ms`, `27 %`."""
    if value is None:
        return "none"
    if unit is Unit.TIME:
        return duration_text(value)
    if unit is Unit.BYTES:
        return size_text(value)
    if unit is Unit.SHARE:
        return f"{100 * value:.0f} %"
    if unit is Unit.MEAN:
        return f"{value:.1f}"
    if unit is Unit.TIMES:
        return f"{value:.2f}"
    return f"{value:g}"


def _step_ns(trace: Trace, summary: Summary) -> float:
    return summary.median.makespan_ns


def _split(trace: Trace, summary: Summary) -> str:
    return " + ".join(map(str, summary.splits[0]))


def _last_split(trace: Trace, summary: Summary) -> str:
    return " + ".join(map(str, summary.splits[-1]))


def _microbatches(trace: Trace, summary: Summary) -> float:
    return len(summary.microbatch_rows)


def _compute(step: StepSummary) -> list[LaneSummary]:
    return [lane for lane in step.lanes if lane.role == "compute"]


def _idle(trace: Trace, summary: Summary) -> float:
    return summary.median.bubble_by_makespan


def _formula(trace: Trace, summary: Summary) -> float | None:
    return summary.median.closed_form


def _working(trace: Trace, summary: Summary) -> float:
    """Return the mean number of lanes at work."""
    step = summary.median
    # The bubble is the idle share of all compute lanes' time; the rest is work.
    return len(_compute(step)) * (1 - step.bubble_by_makespan)


def _peak(trace: Trace, summary: Summary) -> float:
    """Return the peak memory of the lane that holds the most."""
    return max(lane.peak_bytes for lane in summary.median.lanes)


def _peak_first(trace: Trace, summary: Summary) -> float:
    return _compute(summary.median)[0].peak_bytes


def _peak_others(trace: Trace, summary: Summary) -> float:
    held = [lane.peak_bytes for lane in _compute(summary.median)[1:]]
    return max(held, default=0)


def _peak_part(name: str) -> Value:
    """Return the value of one kind of memory, at the peak of the lane that holds the most."""

    def value(trace: Trace, summary: Summary) -> float:
        lanes = lane_indices(working_lanes(trace.header.lanes))
        balances = lane_balances(trace, lanes, [summary.median.step])
        fullest = max(balances, key=lambda balance: balance.peak_bytes)
        return fullest.peak_parts.get(name, 0)

    return value


def _first_work(trace: Trace, summary: Summary) -> float:
    """Return lane 0's work relative to the mean over the lanes."""
    step = summary.median.step
    balances = lane_balances(trace, range(len(trace.header.lanes)), [step])
    load = first_lane_load(trace, balances)
    # A single lane does exactly the mean work.
    if load is None or load.work is None:
        return 1.0
    return load.work


def _hidden(trace: Trace, summary: Summary) -> float | None:
    """Return the share of the collectives' time in which no lane waits for them."""
    buckets = bucket_times(explain_run_step(trace, summary.median.step), trace)
    # Weighted by time, so that small buckets count less than large ones.
    moved = sum(bucket.done - bucket.begun for bucket in buckets)
    exposed = sum(bucket.exposed_ns for bucket in buckets)
    if not moved:
        return None
    return 1 - exposed / moved


def _buckets(trace: Trace, summary: Summary) -> float:
    step = explain_run_step(trace, summary.median.step)
    return len({times.bucket for times in bucket_times(step, trace)})


def _slow_lane(trace: Trace, summary: Summary) -> float | None:
    slow = straggler_of(trace.header.specification)
    return None if slow is None else slow.lane


def _slow_factor(trace: Trace, summary: Summary) -> str:
    slow = straggler_of(trace.header.specification)
    return "1" if slow is None else f"{slow.factor:g}"


def _verdict(trace: Trace, summary: Summary) -> str:
    if summary.verdict is None:
        return ""
    return str(summary.verdict.text)


_PARTS = {
    "parameters": N_("Parameters"),
    "gradients": N_("Gradients"),
    "optimizer": N_("State of the optimizer"),
    "activations": N_("Activations"),
}
NUMBERS: dict[str, Number] = {
    "step_ms": Number(N_("Step"), Unit.TIME, _step_ns),
    "microbatches": Number(N_("Micro-batches"), Unit.COUNT, _microbatches),
    "idle": Number(N_("Idle time"), Unit.SHARE, _idle),
    "formula": Number(N_("Idle time by the formula"), Unit.SHARE, _formula),
    "working": Number(N_("Devices at work at the same time"), Unit.MEAN, _working),
    "peak": Number(N_("Most memory"), Unit.BYTES, _peak),
    "peak_first": Number(N_("Memory of device 0"), Unit.BYTES, _peak_first),
    "peak_others": Number(N_("Memory of the others"), Unit.BYTES, _peak_others),
    **{name: Number(_PARTS[name], Unit.BYTES, _peak_part(name)) for name in MEMORY_COUNTERS},
    "first_work": Number(N_("Work of device 0, relative to the mean"), Unit.TIMES, _first_work),
    "hidden": Number(N_("Hidden part of the transfers"), Unit.SHARE, _hidden),
    "buckets": Number(N_("Buckets"), Unit.COUNT, _buckets),
    "slow_lane": Number(N_("Slow lane"), Unit.COUNT, _slow_lane),
}
"""The numbers by name, described in docs/lessons.md; all are of the median step."""
SPLITS: dict[str, str] = {
    "split": N_("Rows of each device"),
    "last_split": N_("Rows of each device in the last step"),
}
"""Titles of the figures that consist of several numbers of rows."""
TEXTS: dict[str, Figure] = {
    "split": _split,
    "last_split": _last_split,
    "slow_factor": _slow_factor,
    "verdict": _verdict,
}
"""The other figures by name, described in docs/lessons.md."""
FIGURES: dict[str, Figure] = {**NUMBERS, **TEXTS}
