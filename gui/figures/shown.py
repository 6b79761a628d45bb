"""Which time of a run a figure shows, and the words that say so."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.trace.complete import measured_steps
from core.trace.excerpt import ExcerptOptions, range_zero, resolve_range, resolve_steps
from core.trace.median_step import median_step, whole_steps
from core.trace.trace import Trace
from gui.look.text import duration_text, ntr, tr
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
        text = ntr("{n} measured step", "{n} measured steps", len(steps))
    else:
        text = tr("last {shown} of {count} measured steps", shown=len(shown), count=len(steps))
    return Range(start, end, text, tuple(shown))


def median_range(trace: Trace) -> Range:
    """Return the time of the run's median step; without measured steps the default range."""
    warmup = trace.header.specification.warmup
    steps = whole_steps(trace, bool(trace.open_tasks))
    if not steps or steps[0] < warmup:
        return default_range(trace)
    step = median_step(trace, steps)
    start, end = trace.step_bounds(step)
    return Range(start, end, median_text(step, len(steps), warmup), (step,))


def median_text(step: int, count: int, warmup: int) -> str:
    """Return the name of a run's median step: `step 3, the median of 5 steps`."""
    name = step_name(step, warmup)
    if count == 1:
        return name
    return tr("{step}, the median of {count} steps", step=name, count=count)


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


def excerpt_range(trace: Trace, excerpt: ExcerptOptions) -> Range | None:
    """The time that an excerpt names, None if it names none. Raises ValueError, in one line."""
    if excerpt.range:
        (start, end), zero = resolve_range(excerpt, trace), range_zero(trace)
        first, last = duration_text(start - zero), duration_text(end - zero)
        text = tr("{start} to {end}", start=first, end=last)
        return replace(range_between(trace, start, end), text=text, zero=zero)
    if not excerpt.steps:
        return None
    steps = resolve_steps(excerpt, trace)
    warmup = trace.header.specification.warmup
    # One name where the first step is the last one too.
    names = [step_name(step, warmup) for step in dict.fromkeys((steps[0], steps[-1]))]
    text = tr("{first} to {last}", first=names[0], last=names[1]) if len(names) > 1 else names[0]
    start, end = trace.step_bounds(steps[0])[0], trace.step_bounds(steps[-1])[1]
    return Range(start, end, text, tuple(steps))
