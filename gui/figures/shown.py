"""Which time of a run a figure shows, and the words that say so."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.trace.complete import measured_steps
from core.trace.excerpt import Excerpt, range_of, range_zero, steps_of
from core.trace.trace import Trace
from gui.look.text import duration_text, tr
from gui.timeline.layout.moments import Origin
from gui.timeline.state.scene import Scene, step_name

FIGURE_STEPS = 2  # of many steps, so many are shown unless a part is asked for


@dataclass(frozen=True, slots=True)
class Range:
    """The time that a figure shows, in ns, and the words that say which.

    Its axis counts from `zero`, or where that is None from `start`.
    """

    start: int
    end: int
    text: str
    steps: tuple[int, ...] = ()
    zero: int | None = None

    @property
    def span(self) -> int:
        """Its length in ns, at least 1."""
        return max(1, self.end - self.start)


def origin_of(scene: Scene, shown: Range) -> Origin:
    """What the moments of a figure's axis count from."""
    zero = shown.start if shown.zero is None else shown.zero
    place = int(scene.step_starts.searchsorted(zero))
    if place < len(scene.step_starts) and scene.step_starts[place] == zero:
        warmup = scene.trace.header.specification.warmup
        return Origin(float(zero), step_name(int(scene.step_numbers[place]), warmup))
    if zero == shown.start:
        return Origin(float(zero), tr("left edge"))
    return Origin(float(zero), tr("{time} of the run", time=duration_text(zero)) if zero else "")


def default_range(trace: Trace) -> Range:
    """The last measured steps, warm-up left out; all there is while none was measured."""
    measured = measured_steps(trace)
    steps = measured or trace.steps
    if not steps and trace.span_count:
        return Range(*trace.bounds, tr("the whole trace"))
    if not steps:
        return Range(0, 1, tr("nothing recorded"))
    shown = steps[-FIGURE_STEPS:]
    start, end = trace.step_bounds(shown[0])[0], trace.step_bounds(shown[-1])[1]
    if not measured:
        text = tr("warm-up only")
    elif len(shown) == len(steps):
        text = (
            tr("{count} measured steps", count=len(steps))
            if len(steps) > 1
            else tr("1 measured step")
        )
    else:
        text = tr("last {shown} of {count} measured steps", shown=len(shown), count=len(steps))
    return Range(start, end, text, tuple(shown))


def median_range(trace: Trace) -> Range:
    """The measured step of median makespan (of an even number, the shorter of the middle two)."""
    table, warmup = trace.step_table, trace.header.specification.warmup
    measured = np.flatnonzero(table.numbers >= warmup)
    # The last step still runs: its makespan so far says nothing.
    if len(measured) > 1 and trace.open_tasks:
        measured = measured[:-1]
    if not len(measured):
        return default_range(trace)
    lengths = table.ends[measured] - table.starts[measured]
    place = int(measured[np.argsort(lengths, kind="stable")[(len(measured) - 1) // 2]])
    step = int(table.numbers[place])
    text = name = step_name(step, warmup)
    if len(measured) > 1:
        text = tr("{step}, the median of {count} steps", step=name, count=len(measured))
    return Range(int(table.starts[place]), int(table.ends[place]), text, (step,))


def range_between(trace: Trace, start: int, end: int) -> Range:
    """From `start` to `end` ns. Raises ValueError if there is no time between."""
    if end <= start:
        raise ValueError(
            f"the range {start} to {end} ns is empty; its end must come after its start"
        )
    table = trace.step_table
    inside = (table.starts >= start) & (table.ends <= end)
    text = tr("{start} to {end}", start=duration_text(start), end=duration_text(end))
    return Range(start, end, text, tuple(table.numbers[inside].tolist()))


def excerpt_range(trace: Trace, excerpt: Excerpt) -> Range | None:
    """The time that an excerpt names, None if it names none. Raises ValueError, in one line."""
    if excerpt.range:
        (start, end), zero = range_of(excerpt, trace), range_zero(trace)
        first, last = duration_text(start - zero), duration_text(end - zero)
        text = tr("{start} to {end}", start=first, end=last)
        return replace(range_between(trace, start, end), text=text, zero=zero)
    if not excerpt.steps:
        return None
    steps = steps_of(excerpt, trace)
    warmup = trace.header.specification.warmup
    # One name where the first step is the last one too.
    names = [step_name(step, warmup) for step in dict.fromkeys((steps[0], steps[-1]))]
    text = tr("{first} to {last}", first=names[0], last=names[1]) if len(names) > 1 else names[0]
    start, end = trace.step_bounds(steps[0])[0], trace.step_bounds(steps[-1])[1]
    return Range(start, end, text, tuple(steps))
