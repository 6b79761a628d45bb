"""The options that take a part of another program's trace as its only step."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from core.errors import PlanError
from core.trace.excerpt import RANGE_WORDS, ExcerptOptions, parse_range, resolve_range
from core.trace.own_steps import with_range
from core.trace.trace import Trace

WHOLE = "--whole"
TAKE_PART = f"{WHOLE} or --range START:END takes a part of it for one"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a trace that is taken as one step: all of it, or a range; nothing by default.

    `option` is the name of the option that has the `range`.
    """

    whole: bool = False
    range: str = ""
    option: str = "--range"

    @property
    def words(self) -> str:
        """The option as it was given; empty if no part is taken."""
        return WHOLE if self.whole else f"{self.option} {self.range}" if self.range else ""

    @property
    def title(self) -> str:
        """Name of the step: `the whole trace`, `range 10ms:40ms`; empty if no part is taken."""
        return "the whole trace" if self.whole else f"range {self.range}" if self.range else ""

    def check(self) -> None:
        """Raise ValueError, in one line, for options that name no part of any trace."""
        if self.whole and self.range:
            raise ValueError(
                f"{WHOLE} and {self.option} {self.range} both choose the time: use one"
            )
        if self.range:
            parse_range(self.range, self.option)

    def of(self, trace: Trace, name: str) -> Trace:
        """Return the trace `name` with this part as its only step, or as it is.

        Raises ValueError, in one line, for a run of the app's own, and where nothing begins.
        """
        if not self.words:
            return trace
        if trace.header.source.has_plan:
            raise PlanError(
                f"{self.words}: {name} has steps of its own plan; use traces of other programs"
            )
        start, end = trace.bounds
        if self.range:
            start, end = resolve_range(ExcerptOptions(range=self.range), trace, self.option)
        if end == trace.bounds[1]:
            end += 1  # a range is half open, and a task may begin at the very end
        made = with_range(trace, start, end)
        if not made.steps:
            raise PlanError(f"{self.words}: nothing begins in this range of {name}")
        return made


def add_whole(parser: argparse.ArgumentParser) -> None:
    """Add the option that takes all of a trace as one step."""
    meaning = "take another program's trace as one step, whether or not it has steps"
    parser.add_argument(WHOLE, action="store_true", help=meaning)


def add_part(parser: argparse.ArgumentParser) -> None:
    """Add the options that take a part of each trace as one step."""
    add_whole(parser)
    meaning = f"take a range of another program's trace as one step: {RANGE_WORDS}"
    parser.add_argument("--range", default="", metavar="TIMES", help=meaning)


def part_of(arguments: argparse.Namespace) -> Part:
    """The part that the options ask for. Raises ValueError, in one line, if there is none."""
    part = Part(arguments.whole, arguments.range)
    part.check()
    return part
