"""Excerpts of a run, chosen by options: a range of time, steps, lanes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.message import Message, message
from core.plan.plan import Lane
from core.trace.query import UNITS
from core.trace.trace import Trace

_TIME = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(ns|us|µs|ms|s)")
_STEP = re.compile(r"(w?)(\d{1,9})")
_NUMBERS = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
LONGEST_NS = 100 * 365 * 86_400 * 1_000_000_000
"""The longest accepted time; sums of two fit into 64 bits."""
RANGE_FORM = message("START:END in ns, us, ms or s, such as 10ms:40ms, 10ms: or :1.5s")
"""The accepted form of ranges, counted from the start of the first measured step."""
STEP_FORM = message("a step or FIRST-LAST, such as 3 or 3-4; w1 is the first warm-up step")
LANE_FORM = message("numbers, ranges and names, such as 0-3 or 0,2 or cpu:1")
MOST_NAMED = 4
"""The most lanes that an error names."""


@dataclass(frozen=True, slots=True)
class ExcerptOptions:
    """A part of a run, as the texts of --range, --steps and --lanes.

    An empty text means the caller's default; for `lanes`, it means all lanes.
    """

    range: str = ""
    steps: str = ""
    lanes: str = ""

    def check(self) -> None:
        """Raise ValueError, in one line, for texts that no run accepts."""
        if self.range and self.steps:
            raise ValueError(
                message(
                    "--range {range} and --steps {steps} both choose the time: use one",
                    range=self.range,
                    steps=self.steps,
                )
            )
        if self.range:
            parse_range(self.range)
        if self.steps:
            parse_steps(self.steps)


def parse_time(text: str) -> int:
    """Return a time with its unit, such as `10ms`, in ns. Raises ValueError."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise ValueError(
            message("{text!r} is not a time: use a number and ns, us, ms or s", text=text)
        )
    ns = float(match[1]) * UNITS[match[2]]
    if ns > LONGEST_NS:
        raise ValueError(
            message("{text!r} is too long: use at most 100 years, in ns, us, ms or s", text=text)
        )
    return round(ns)


def parse_range(text: str, option: str = "--range") -> tuple[int | None, int | None]:
    """Return start and end in ns of `START:END`, None for an omitted one.

    Raises ValueError, in one line that names the `option`.
    """
    start, colon, end = text.partition(":")
    try:
        if not colon:
            raise ValueError
        first = parse_time(start) if start.strip() else None
        last = parse_time(end) if end.strip() else None
        if first is None and last is None:
            raise ValueError
    except ValueError:
        raise ValueError(_use(option, text, RANGE_FORM)) from None
    if first is not None and last is not None and last <= first:
        raise ValueError(
            message("{option} {text}: its end must be after its start", option=option, text=text)
        )
    return first, last


def _use(option: str, text: str, form: Message) -> Message:
    return message("{option} {text}: use {form}", option=option, text=text, form=form)


class StepNumber(NamedTuple):
    """A step as users count: from 1, with separate numbers for warm-up steps."""

    warm: bool
    number: int


def parse_steps(text: str) -> tuple[StepNumber, StepNumber]:
    """Return the first and last step of `3`, `3-4` or `w1-2`. Raises ValueError."""
    first, dash, last = text.partition("-")
    ends = [first, last] if dash else [first]
    steps: list[StepNumber] = []
    for end in ends:
        match = _STEP.fullmatch(end.strip())
        if match is None or int(match[2]) == 0:
            raise ValueError(_use("--steps", text, STEP_FORM))
        is_warmup = bool(match[1])
        steps.append(StepNumber(is_warmup, int(match[2])))
    return steps[0], steps[-1]


def resolve_steps(excerpt: ExcerptOptions, trace: Trace) -> list[int]:
    """Return the steps that `excerpt.steps` names and that are in the trace.

    Raises ValueError if the range begins or ends outside the run, or has none of its steps.
    """
    warmup = trace.header.specification.warmup
    named = parse_steps(excerpt.steps)
    # The run numbers its steps from 0, including warm-up.
    numbers: list[int] = []
    for step in named:
        before = 0 if step.warm else warmup
        numbers.append(before + step.number - 1)
    first, last = numbers
    if last < first:
        raise ValueError(
            message(
                "--steps {steps}: its last step must not be before its first", steps=excerpt.steps
            )
        )
    found = [step for step in trace.steps if first <= step <= last]
    warmup_numbers = [step.number for step in named if step.warm]
    is_beyond = any(number > warmup for number in warmup_numbers)
    is_within = False
    if found:
        is_within = trace.steps[0] <= first and last <= trace.steps[-1]
    if is_beyond or not is_within:
        raise ValueError(
            message(
                "--steps {steps}: the run has {known}",
                steps=excerpt.steps,
                known=_steps_of(trace),
            )
        )
    return found


def range_zero(trace: Trace) -> int:
    """Return the origin of ranges, in ns of the run: its first measured step, or its first span.

    Before this time a run warms up and measures costs, which may take longer than a step.
    """
    warmup = trace.header.specification.warmup
    measured = next((step for step in trace.steps if step >= warmup), None)
    bounds = trace.bounds if measured is None else trace.step_bounds(measured)
    return bounds[0]


def resolve_range(
    excerpt: ExcerptOptions, trace: Trace, option: str = "--range"
) -> tuple[int, int]:
    """Return start and end of `excerpt.range` in ns of the run.

    Raises ValueError, in one line that names the `option`, if the range is outside of the run.
    """
    zero = range_zero(trace)
    last = trace.bounds[1]
    first_ns, last_ns = parse_range(excerpt.range, option)
    start = zero + (first_ns or 0)
    end = last if last_ns is None else zero + last_ns
    if start >= last or end <= start:
        ms = (last - zero) / 1e6
        if trace.steps:
            length = message("the run lasts {ms:,.3f} ms from its first measured step on", ms=ms)
        else:
            length = message("the run lasts {ms:,.3f} ms from its first task on", ms=ms)
        raise ValueError(
            message("{option} {range}: {length}", option=option, range=excerpt.range, length=length)
        )
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
        names = [lane.name for lane in lanes[:MOST_NAMED]]
        if len(lanes) > MOST_NAMED:
            names.append("…")
        raise ValueError(
            message(
                "--lanes {word}: use {form}; there are {names}",
                word=word,
                form=LANE_FORM,
                names=", ".join(names),
            )
        )
    first = int(match[1])
    last = int(match[2] or match[1])
    if not first <= last < len(lanes):
        raise ValueError(
            message("--lanes {word}: the run has lanes 0 to {last}", word=word, last=len(lanes) - 1)
        )
    return list(range(first, last + 1))


def _steps_of(trace: Trace) -> Message:
    """Return the steps that users can name: `the measured steps 1 to 3`.

    Other programs may number their steps from any number, and may leave some out.
    """
    warmup = trace.header.specification.warmup
    warm = sum(step < warmup for step in trace.steps)
    measured = [step - warmup + 1 for step in trace.steps if step >= warmup]
    if not measured:
        steps = message("no measured step")
    elif measured[-1] - measured[0] >= len(measured):
        steps = message(
            "{count:,} measured steps with numbers from {first} to {last}",
            count=len(measured),
            first=measured[0],
            last=measured[-1],
        )
    else:
        steps = message(
            "the measured steps {first} to {last}", first=measured[0], last=measured[-1]
        )
    if not warm:
        return steps
    return message("{steps} and the warm-up steps w1 to w{last}", steps=steps, last=warm)
