"""Judges if a run is slower than a baseline, for continuous integration.

A run is slower if the mean of the middle half of its steps is longer than the baseline's by more
than the noise (core.compare.step_times) and by more than the caller allows. A difference below the
noise is not judged to be slower or faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.compare.assertions import Assertion, Checked, check_assertions
from core.compare.differences import by_reason
from core.compare.sentence import ALIKE, reasons_text
from core.compare.settings import differing_settings
from core.compare.slower_work import slower_work
from core.compare.step_times import FEWEST_STEPS, StepTimeEstimate, noise_ns, step_times
from core.compare.totals import time_totals
from core.errors import PlanError
from core.message import Message, Text, counted, message
from core.plain import duration_text
from core.trace.median_step import whole_steps
from core.trace.trace import Trace


class Judgement(StrEnum):
    """Result of a gate."""

    SLOWER = "slower"
    """Slower by more than the noise and than allowed."""
    ALLOWED = "allowed"
    """Slower by more than the noise, but not by more than allowed."""
    ALIKE = "alike"
    """The difference is within the noise, which is below what is allowed."""
    NOT_JUDGED = "not judged"
    """The difference is within the noise, which hides a slow-down that is not allowed."""
    FASTER = "faster"
    """Faster by more than the noise."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A run judged against a baseline; times in ns.

    `noise` is the difference that both may have by chance, and `fail_over` the allowed slow-down,
    both as fractions of the baseline's step. `reason` says what is slower, and is empty unless the
    run is. `checked` are the assertions about the run.
    """

    baseline: StepTimeEstimate
    new: StepTimeEstimate
    noise: float
    fail_over: float
    judgement: Judgement
    reason: Text
    checked: tuple[Checked, ...]

    @property
    def shift(self) -> float:
        """Change of the step time, as a fraction of the baseline's; negative for a faster run."""
        return self.new.mean_ns / self.baseline.mean_ns - 1

    @property
    def failures(self) -> tuple[Message, ...]:
        """Reasons why the gate fails, a line each; empty if it passes."""
        failed: list[Message] = []
        if self.judgement is Judgement.SLOWER:
            failed.append(self.sentence)
        failed += [one.text for one in self.checked if not one.holds]
        return tuple(failed)

    @property
    def passes(self) -> bool:
        """True if the run is not slower and all assertions hold."""
        return not self.failures

    @property
    def headline(self) -> Message:
        """The first reason why the gate fails, or else the judgement, in one line."""
        return self.failures[0] if self.failures else self.sentence

    @property
    def sentence(self) -> Message:
        """The judgement in one line, with the noise."""
        values = {
            "before": duration_text(self.baseline.mean_ns),
            "after": duration_text(self.new.mean_ns),
            "noise": percent(self.noise),
        }
        change = percent(abs(self.shift))
        if self.judgement is Judgement.SLOWER:
            return message(
                "slower: a step takes {after} instead of {before} ({change}, noise {noise}): "
                "{reason}",
                change=change,
                reason=self.reason,
                **values,
            )
        if self.judgement is Judgement.ALLOWED:
            return message(
                "slower, but allowed: a step takes {after} instead of {before} ({change}, noise "
                "{noise}, allowed {allowed}): {reason}",
                change=change,
                allowed=percent(self.fail_over),
                reason=self.reason,
                **values,
            )
        if self.judgement is Judgement.FASTER:
            return message(
                "faster: a step takes {after} instead of {before} ({change}, noise {noise})",
                change=change,
                **values,
            )
        if self.judgement is Judgement.NOT_JUDGED:
            return message(
                "not judged: a step takes {after} instead of {before}; the noise of {noise} hides "
                "a slow-down of {allowed}: record more steps, or allow more",
                allowed=percent(self.fail_over),
                **values,
            )
        return message(
            "no slower: a step takes {after} instead of {before}, within the noise of {noise}",
            **values,
        )


def percent(fraction: float) -> str:
    """Format a fraction as per cent with three significant digits."""
    return f"{100 * fraction:.3g} %"


def judge(
    baseline: Trace,
    new: Trace,
    fail_over: float = 0.0,
    assertions: Sequence[Assertion] = (),
    names: tuple[Text, Text] = (message("the baseline"), message("the new run")),
) -> Gate:
    """Judge a run against a baseline; `names` are used in errors.

    Raises PlanError if a side has fewer than FEWEST_STEPS whole steps, or no lanes that compute,
    and if the run does not have a figure that an assertion is about.
    """
    before = _measured(baseline, names[0])
    after = _measured(new, names[1])
    # Steps whose difference is below ALIKE count as equal in every comparison.
    noise = max(noise_ns(before, after) / before.mean_ns, ALIKE)
    shift = after.mean_ns / before.mean_ns - 1
    judgement = _judgement(shift, noise, fail_over)
    is_slower = judgement in (Judgement.SLOWER, Judgement.ALLOWED)
    reason = _reason(baseline, new, before, after) if is_slower else ""
    checked = check_assertions(new, assertions, names[1])
    return Gate(
        baseline=before,
        new=after,
        noise=noise,
        fail_over=fail_over,
        judgement=judgement,
        reason=reason,
        checked=checked,
    )


def _measured(trace: Trace, name: Text) -> StepTimeEstimate:
    steps = whole_steps(trace)
    if not steps:
        raise PlanError(
            message(
                "{name} has no whole steps; at least {fewest} are needed",
                name=name,
                fewest=FEWEST_STEPS,
            )
        )
    try:
        times = step_times(trace, steps)
    except ValueError:
        raise PlanError(
            message(
                "{name} has at most {steps} with the same plan; at least {fewest} are needed "
                "to estimate the noise",
                name=name,
                steps=counted("{n} whole step", "{n} whole steps", len(steps)),
                fewest=FEWEST_STEPS,
            )
        ) from None
    if times.mean_ns <= 0:
        raise PlanError(
            message("{name} has steps that take no time; there is nothing to judge", name=name)
        )
    return times


def _judgement(shift: float, noise: float, fail_over: float) -> Judgement:
    if abs(shift) <= noise:
        hides_too_much = 0 < fail_over < noise
        return Judgement.NOT_JUDGED if hides_too_much else Judgement.ALIKE
    if shift < 0:
        return Judgement.FASTER
    return Judgement.SLOWER if shift > fail_over else Judgement.ALLOWED


def _reason(a: Trace, b: Trace, before: StepTimeEstimate, after: StepTimeEstimate) -> Message:
    """Return the reason why B's steps are longer than A's: by replay, or else by contributions."""
    found = slower_work(a, b, list(before.middle), list(after.middle))
    if found is not None:
        cost = duration_text(found.cost_ns)
        return message("{work} costs {cost} more", work=found.text, cost=cost)
    totals_a = time_totals(a, before.middle)
    totals_b = time_totals(b, after.middle)
    settings = differing_settings(
        a=a,
        step_a=totals_a.step,
        b=b,
        step_b=totals_b.step,
    )
    rows = by_reason(totals_a, totals_b)
    longer = totals_b.mean_makespan - totals_a.mean_makespan
    return reasons_text(
        rows=rows,
        difference=longer,
        settings=settings,
        duration=duration_text,
    )
