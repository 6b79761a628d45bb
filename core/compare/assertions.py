"""Assertions about the figures of a run: `bubble<20%`, `exposed<=5%`, `step<120ms`."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.errors import PlanError
from core.explain.run_step import explain_run_step
from core.message import Message, Text, message
from core.option import listed
from core.plain import digits, duration_text
from core.predict.replan import RunPlans
from core.report.device_shares import device_shares
from core.report.step_figures import figures_of_step
from core.trace.median_step import median_step, whole_steps
from core.trace.trace import Trace


class GateFigure(StrEnum):
    """Figures of a run's median step that can be asserted."""

    BUBBLE = "bubble"
    """Idle share of the compute lanes, or of the devices of another program's trace."""
    EXPOSED = "exposed"
    """Share of the step that communication adds, or that devices communicate without computing."""
    STEP = "step"
    """Makespan, in ns."""


SHARES = (GateFigure.BUBBLE, GateFigure.EXPOSED)
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_UNITS = {"%": 0.01, "us": 1e3, "ms": 1e6, "s": 1e9}
_FORM = re.compile(r"\s*(\w+)\s*(<=|>=|<|>)\s*(\d+(?:\.\d+)?)\s*(%|us|ms|s)\s*", re.ASCII)
_FORMS = message('use a form such as "bubble<20%", "exposed<=5%" or "step<120ms"')


@dataclass(frozen=True, slots=True)
class Assertion:
    """A bound for a figure: `value` is a fraction for a share and ns for a time."""

    text: str
    figure: GateFigure
    comparison: str
    value: float


@dataclass(frozen=True, slots=True)
class Checked:
    """An assertion, and the value of its figure: a fraction or ns."""

    assertion: Assertion
    found: float

    @property
    def holds(self) -> bool:
        """True if the run fulfils the assertion."""
        compare = _COMPARISONS[self.assertion.comparison]
        return compare(self.found, self.assertion.value)

    @property
    def text(self) -> Message:
        """The assertion, whether it holds, and the value."""
        figure = self.assertion.figure
        found = duration_text(self.found)
        if figure in SHARES:
            found = f"{digits(100 * self.found)} %"
        values = {"assertion": self.assertion.text, "figure": figure.value, "found": found}
        if self.holds:
            return message("{assertion} holds: {figure} is {found}", **values)
        return message("{assertion} does not hold: {figure} is {found}", **values)


def parse_assertion(text: str) -> Assertion:
    """Parse an assertion. Raises PlanError, in one line, for any other text."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise PlanError(message("--assert {text}: {forms}", text=text, forms=_FORMS))
    name, comparison, number, unit = found.groups()
    if name not in tuple(GateFigure):
        raise PlanError(
            message(
                "--assert {text}: there is no figure {name}; use {accepted}",
                text=text,
                name=name,
                accepted=listed(list(GateFigure)),
            )
        )
    figure = GateFigure(name)
    is_share = figure in SHARES
    if is_share != (unit == "%"):
        units = message("per cent") if is_share else message("us, ms or s")
        raise PlanError(
            message(
                "--assert {text}: {figure} is in {unit}; {forms}",
                text=text,
                figure=figure.value,
                unit=units,
                forms=_FORMS,
            )
        )
    value = float(number) * _UNITS[unit]
    return Assertion(
        text=text.strip(),
        figure=figure,
        comparison=comparison,
        value=value,
    )


def check_assertions(
    trace: Trace, assertions: Sequence[Assertion], name: Text
) -> tuple[Checked, ...]:
    """Check assertions about a run's median step, or about all steps of a device's streams.

    Raises PlanError if the run, called `name`, does not have the figure.
    """
    if not assertions:
        return ()
    figures = figures_of_run(trace)
    checked = []
    for assertion in assertions:
        found = figures.get(assertion.figure, math.nan)
        if math.isnan(found):
            raise PlanError(
                message(
                    "--assert {text}: {name} does not have this figure",
                    text=assertion.text,
                    name=name,
                )
            )
        checked.append(Checked(assertion, found))
    return tuple(checked)


def figures_of_run(trace: Trace) -> dict[GateFigure, float]:
    """Return the figures that a run with whole steps has: fractions, or ns."""
    steps = whole_steps(trace)
    step = median_step(trace, steps)
    start, end = trace.step_bounds(step)
    figures = {GateFigure.STEP: float(end - start)}
    shares = device_shares(trace, steps)
    if shares is not None:
        figures[GateFigure.BUBBLE] = shares.share(shares.total("idle_ns"))
        figures[GateFigure.EXPOSED] = shares.share(shares.total("exposed_ns"))
        return figures
    found = figures_of_step(RunPlans(trace), step, explain_run_step(trace, step))
    figures[GateFigure.BUBBLE] = found.bubble_by_makespan
    communication_ns = found.ladder.get("communication")
    if communication_ns is not None:
        figures[GateFigure.EXPOSED] = communication_ns / max(1, found.makespan_ns)
    return figures
