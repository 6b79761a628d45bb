"""Excerpts of a run, chosen by options: a range of time, steps, lanes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.plan.plan import Lane
from core.trace.query import UNITS
from core.trace.trace import Trace

_TIME = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(ns|us|µs|ms|s)")
_STEP = re.compile(r"(w?)(\d+)")
_NUMBERS = re.compile(r"(\d+)(?:-(\d+))?")
LONGEST_NS = 100 * 365 * 86_400 * 1_000_000_000
"""The longest accepted time; sums of two fit into 64 bits."""
RANGE_WORDS = "START:END in ns, us, ms or s, such as 10ms:40ms, 10ms: or :1.5s"
"""The accepted form of ranges, counted from the start of the first measured step."""
STEP_WORDS = "a step or FIRST-LAST, such as 3 or 3-4; w1 is the first of the warm-up"
LANE_WORDS = "numbers, ranges and names, such as 0-3 or 0,2 or cpu:1"


@dataclass(frozen=True, slots=True)
class ExcerptOptions:
    """A part of a run, as the texts of --range, --steps and --lanes.

    Empty texts mean the default of the caller, and all `lanes`.
    """

    range: str = ""
    steps: str = ""
    lanes: str = ""

    def check(self) -> None:
        """Raise ValueError, in one line, for texts that no run accepts."""
        if self.range and self.steps:
            raise ValueError(
                f"--range {self.range} and --steps {self.steps} both choose the time: use one"
            )
        if self.range:
            parse_range(self.range)
        if self.steps:
            parse_steps(self.steps)


def parse_time(text: str) -> int:
    """Return a time with its unit, such as `10ms`, in ns. Raises ValueError."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no time: use a number and ns, us, ms or s")
    ns = float(match[1]) * UNITS[match[2]]
    if ns > LONGEST_NS:
        raise ValueError(f"{text!r} is too long: use at most 100 years, in ns, us, ms or s")
    return round(ns)


def parse_range(text: str, option: str = "--range") -> tuple[int | None, int | None]:
    """Return start and end in ns of `START:END`, None for an omitted one.

    Raises ValueError, in one line that names the `option`.
    """
    start, colon, end = (part.strip() for part in text.partition(":"))
    try:
        if not colon or not start + end:
            raise ValueError
        first, last = (parse_time(part) if part else None for part in (start, end))
    except ValueError:
        raise ValueError(f"{option} {text}: use {RANGE_WORDS}") from None
    if first is not None and last is not None and last <= first:
        raise ValueError(f"{option} {text}: its end must come after its start")
    return first, last


class StepNumber(NamedTuple):
    """A step as users count: from 1, with separate numbers for warm-up steps."""

    warm: bool
    number: int


def parse_steps(text: str) -> tuple[StepNumber, StepNumber]:
    """Return the first and last step of `3`, `3-4` or `w1-2`. Raises ValueError."""
    first, dash, last = (part.strip() for part in text.partition("-"))
    ends = [_STEP.fullmatch(part) for part in ([first, last] if dash else [first])]
    steps = [StepNumber(bool(match[1]), int(match[2])) for match in ends if match is not None]
    if len(steps) < len(ends) or any(step.number == 0 for step in steps):
        raise ValueError(f"--steps {text}: use {STEP_WORDS}")
    return steps[0], steps[-1]


def resolve_steps(excerpt: ExcerptOptions, trace: Trace) -> list[int]:
    """Return the steps that `excerpt.steps` names. Raises ValueError if the run lacks one."""
    warmup = trace.header.specification.warmup
    named = parse_steps(excerpt.steps)
    # The run numbers its steps from 0, including warm-up.
    first, last = (step.number - 1 + (0 if step.warm else warmup) for step in named)
    if last < first:
        raise ValueError(f"--steps {excerpt.steps}: its last step must not come before its first")
    there = [step for step in trace.steps if first <= step <= last]
    is_beyond = any(step.warm and step.number > warmup for step in named)
    if is_beyond or len(there) != last - first + 1:
        raise ValueError(f"--steps {excerpt.steps}: the run has {_steps_there(trace)}")
    return there


def range_zero(trace: Trace) -> int:
    """Return the origin of ranges, in ns of the run: its first measured step, or its first span.

    Before this time a run warms up and measures costs, which may take longer than a step.
    """
    warmup = trace.header.specification.warmup
    measured = next((step for step in trace.steps if step >= warmup), None)
    return trace.bounds[0] if measured is None else trace.step_bounds(measured)[0]


def resolve_range(
    excerpt: ExcerptOptions, trace: Trace, option: str = "--range"
) -> tuple[int, int]:
    """Return start and end of `excerpt.range` in ns of the run.

    Raises ValueError, in one line that names the `option`, if the range is outside of the run.
    """
    zero, last = range_zero(trace), trace.bounds[1]
    asked = parse_range(excerpt.range, option)
    start, end = zero + (asked[0] or 0), last if asked[1] is None else zero + asked[1]
    if start >= last or end <= start:
        first = "measured step" if trace.steps else "task"
        lasts = f"{(last - zero) / 1e6:,.3f} ms from its first {first} on"
        raise ValueError(f"{option} {excerpt.range}: the run lasts {lasts}")
    return start, end


def resolve_lanes(excerpt: ExcerptOptions, lanes: Sequence[Lane]) -> list[Lane]:
    """Return the lanes that `excerpt.lanes` names, in the run's order; all if it is empty.

    Raises ValueError for lanes that the run does not have.
    """
    if not excerpt.lanes.strip():
        return list(lanes)
    chosen: set[int] = set()
    for word in excerpt.lanes.split(","):
        chosen.update(_lanes(word.strip(), lanes))
    return [lane for lane in lanes if lane.index in chosen]


def _lanes(word: str, lanes: Sequence[Lane]) -> list[int]:
    named = [lane.index for lane in lanes if lane.name == word]
    if named:
        return named
    match = _NUMBERS.fullmatch(word)
    if match is None:
        some = ", ".join(lane.name for lane in lanes[:4])
        more = ", …" if len(lanes) > 4 else ""
        raise ValueError(f"--lanes {word}: use {LANE_WORDS}; there are {some}{more}")
    first, last = int(match[1]), int(match[2] or match[1])
    if not first <= last < len(lanes):
        raise ValueError(f"--lanes {word}: the run has lanes 0 to {len(lanes) - 1}")
    return list(range(first, last + 1))


def _steps_there(trace: Trace) -> str:
    warmup = trace.header.specification.warmup
    warm = sum(step < warmup for step in trace.steps)
    measured = len(trace.steps) - warm
    parts = [
        f"the measured steps 1 to {measured}" if measured else "no measured step",
        f"the warm-up w1 to w{warm}" if warm else "",
    ]
    return " and ".join(filter(None, parts))
