"""The options that select a part of another program's trace as its only step."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from core.errors import PlanError
from core.trace.excerpt import RANGE_FORM, ExcerptOptions, parse_range, resolve_range
from core.trace.own_steps import with_range
from core.trace.trace import Trace

WHOLE = "--whole"
TAKE_PART = f"use {WHOLE} or --range START:END to take a part of it as a step"
"""Advice for a trace of another program that has no steps."""


@dataclass(frozen=True, slots=True)
class TracePart:
    """The part of a trace to use as its only step: the `whole` trace, a `range`, or none (default).

    `option` is the option that gave the range, for messages.
    """

    whole: bool = False
    range: str = ""
    option: str = "--range"

    @property
    def given(self) -> str:
        """The option as it was given; "" if no part is taken."""
        if self.whole:
            return WHOLE
        return f"{self.option} {self.range}" if self.range else ""

    @property
    def title(self) -> str:
        """Name of the step: `the whole trace`, `range 10ms:40ms`; "" if no part is taken."""
        if self.whole:
            return "the whole trace"
        return f"range {self.range}" if self.range else ""

    def check(self) -> None:
        """Raise ValueError, in one line, for invalid or contradictory options."""
        if self.whole and self.range:
            raise ValueError(
                f"{WHOLE} and {self.option} {self.range} both choose the time: use one"
            )
        if self.range:
            parse_range(self.range, self.option)

    def of(self, trace: Trace, name: str) -> Trace:
        """Return the trace with this part as its only step, or unchanged if there is no part.

        `name` is the trace's file. Raises PlanError for a run of Bubblescope, and if no task begins
        in the part.
        """
        if not self.given:
            return trace
        if trace.header.source.has_plan:
            raise PlanError(
                f"{self.given}: {name} is a run with known steps; use traces of other programs"
            )
        start, end = trace.bounds
        if self.range:
            start, end = resolve_range(ExcerptOptions(range=self.range), trace, self.option)
        if end == trace.bounds[1]:
            end += 1  # a range excludes its end, at which a task may begin
        with_part = with_range(trace, start, end)
        if not with_part.steps:
            raise PlanError(f"{self.given}: no task of {name} begins in this range")
        return with_part


def advice_without_steps(trace: Trace) -> str:
    """Return the advice for a trace that has no whole step."""
    return "use one with a whole step" if trace.header.source.has_plan else TAKE_PART


def add_whole(parser: argparse.ArgumentParser) -> None:
    """Add the option `--whole`."""
    meaning = "take another program's trace as one step, whether or not it has steps"
    parser.add_argument(WHOLE, action="store_true", help=meaning)


def add_part(parser: argparse.ArgumentParser) -> None:
    """Add the options `--whole` and `--range`."""
    add_whole(parser)
    meaning = f"take a range of another program's trace as one step: {RANGE_FORM}"
    parser.add_argument("--range", default="", metavar="TIMES", help=meaning)


def part_of(arguments: argparse.Namespace) -> TracePart:
    """Return the part that the options select. Raises ValueError, in one line, if invalid."""
    part = TracePart(arguments.whole, arguments.range)
    part.check()
    return part
