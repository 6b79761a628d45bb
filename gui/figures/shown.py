"""The time range that a figure shows, and its description."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.trace.complete import completed_steps, measured_steps
from core.trace.excerpt import ExcerptOptions, range_zero, resolve_range, resolve_steps
from core.trace.median_step import median_step, whole_steps
from core.trace.trace import Trace
from gui.look.text import duration_text, ntr, tr
from gui.timeline.layout.moments import Origin
from gui.timeline.state.scene import Scene, name_of_step, step_name

FIGURE_STEPS = 2  # number of steps shown, unless the user chooses a part of the run


@dataclass(frozen=True, slots=True)
class Range:
    """A time range in ns, with its description as `text`.

    Its axis counts from `zero`, or from `start` if that is None.
    """

    start: int
    end: int
    text: str
    steps: tuple[int, ...] = ()
    zero: int | None = None

    @property
    def span(self) -> int:
        """The length in ns, at least 1."""
        return max(1, self.end - self.start)


def origin_of(scene: Scene, shown: Range) -> Origin:
    """Return the zero of a figure's axis, with its name."""
    zero = shown.start if shown.zero is None else shown.zero
    step = int(scene.step_starts.searchsorted(zero))
    if step < len(scene.step_starts) and scene.step_starts[step] == zero:
        name = name_of_step(scene.trace, int(scene.step_numbers[step]))
    elif zero == shown.start:
        name = tr("left edge")
    elif zero:
        name = tr("{time} of the run", time=duration_text(zero))
    else:
        name = ""
    return Origin(float(zero), name)


def default_range(trace: Trace) -> Range:
    """Return the range of the last measured steps, or of warm-up steps if there are no others.

    Incomplete steps count only if no step is complete. A trace without steps is shown as a whole.
    """
    measured = completed_steps(trace) or measured_steps(trace)
    steps = measured or trace.steps
    if not steps and trace.span_count:
        return Range(*trace.bounds, tr("the whole trace"))
    if not steps:
        return Range(0, 1, tr("nothing recorded"))
    shown = steps[-FIGURE_STEPS:]
    drawn = [step for step in trace.steps if shown[0] <= step <= shown[-1]]
    if len(drawn) > len(shown):  # there is an incomplete step between them
        shown = shown[-1:]
    start, _ = trace.step_bounds(shown[0])
    _, end = trace.step_bounds(shown[-1])
    if not measured:
        text = tr("warm-up only")
    elif len(shown) == len(steps):
        text = ntr("{n} measured step", "{n} measured steps", len(steps))
    else:
        text = tr("last {shown} of {count} measured steps", shown=len(shown), count=len(steps))
    return Range(start, end, text, tuple(shown))


def median_range(trace: Trace) -> Range:
    """Return the range of the run's median step, or the default range without measured steps."""
    warmup = trace.header.specification.warmup
    steps = whole_steps(trace, bool(trace.open_tasks))
    if not steps or steps[0] < warmup:
        return default_range(trace)
    step = median_step(trace, steps)
    start, end = trace.step_bounds(step)
    return Range(start, end, median_text(step, len(steps), warmup), (step,))


def step_range(trace: Trace, step: int) -> Range:
    """Return the range of a step; if it is the run's median step, the text says so."""
    median = median_range(trace)
    if median.steps == (step,):
        return median
    start, end = trace.step_bounds(step)
    return Range(start, end, name_of_step(trace, step), (step,))


def median_text(step: int, count: int, warmup: int) -> str:
    """Return the name of a run's median step: `step 3, the median of 5 steps`."""
    name = step_name(step, warmup)
    if count == 1:
        return name
    return tr("{step}, the median of {count} steps", step=name, count=count)


def range_between(trace: Trace, start: int, end: int) -> Range:
    """Return the range from `start` to `end` ns. Raises ValueError if it is empty."""
    if end <= start:
        raise ValueError(
            f"the range {start} to {end} ns is empty; its end must come after its start"
        )
    table = trace.step_table
    inside = (table.starts >= start) & (table.ends <= end)
    text = tr("{start} to {end}", start=duration_text(start), end=duration_text(end))
    return Range(start, end, text, tuple(table.numbers[inside].tolist()))


def excerpt_range(trace: Trace, excerpt: ExcerptOptions) -> Range | None:
    """Return the range that an excerpt selects; None if it selects none. Raises ValueError."""
    if excerpt.range:
        start, end = resolve_range(excerpt, trace)
        zero = range_zero(trace)
        text = tr(
            "{start} to {end}",
            start=duration_text(start - zero),
            end=duration_text(end - zero),
        )
        return replace(range_between(trace, start, end), text=text, zero=zero)
    if not excerpt.steps:
        return None
    steps = resolve_steps(excerpt, trace)
    first = steps[0]
    last = steps[-1]
    text = name_of_step(trace, first)
    if last != first:
        text = tr("{first} to {last}", first=text, last=name_of_step(trace, last))
    start, _ = trace.step_bounds(first)
    _, end = trace.step_bounds(last)
    return Range(start, end, text, tuple(steps))
