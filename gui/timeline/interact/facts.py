"""Names and values of spans, gaps and ranges, for the Details panel."""

from __future__ import annotations

from collections.abc import Sequence

from core.explain.lanes import Gap
from core.explain.other_steps import durations_in_other_steps, gaps_in_other_steps
from core.trace.span import Span
from core.trace.trace import Trace
from gui.look.text import carried_rows_text, duration_text, range_text, tr
from gui.timeline.interact.describe import (
    bar_name,
    lane_name,
    moved_text,
    span_title,
    waited_text,
)
from gui.timeline.layout.moments import Origin, since_text
from gui.timeline.state.measure import Measure, signed_text
from gui.timeline.state.scene import name_of_step
from gui.timeline.state.selection import TimeRange

Facts = list[tuple[str, str]]
NAMED = 6  # most lanes that are listed by name


def facts(trace: Trace, selection: Span | Gap, now: float | None = None) -> Facts:
    """Return names and values of a span or gap for the Details panel."""
    if isinstance(selection, Gap):
        return _gap_facts(trace, selection)
    return _span_facts(trace, selection, now)


def range_facts(trace: Trace, chosen: TimeRange) -> Facts:
    """Return names and values of a range for the Details panel; its figures are in Statistics."""
    times = _between(chosen.start, chosen.end, Origin())
    return [
        (tr("From, to"), times),
        (tr("Lanes"), _lanes(trace, chosen.lanes)),
    ]


def measure_facts(trace: Trace, measure: Measure) -> Facts:
    """Return names and values of a distance between two spans for the Details panel."""
    ends = []
    for span in (measure.first, measure.second):
        task = bar_name(trace, span)
        lane = lane_name(trace, span.lane)
        ends.append(tr("{task} on {lane}", task=task, lane=lane))
    return [
        (tr("Measured"), " → ".join(ends)),
        (tr("End to start"), signed_text(measure.end_to_start)),
        (tr("Start to start"), signed_text(measure.start_to_start)),
        (tr("End to end"), signed_text(measure.end_to_end)),
    ]


def _span_facts(trace: Trace, span: Span, now: float | None) -> Facts:
    origin = step_origin(trace, span.step)
    rows = [
        (tr("Task"), _task(trace, span)),
        (tr("Lane"), lane_name(trace, span.lane)),
    ]
    if origin.name:
        rows.append((tr("Step"), origin.name))
    if span.rows:
        rows.append((tr("Rows"), _batch_rows(span, span.rows)))
    if span.bytes:
        rows.append((tr("Moves"), moved_text(span)))
    if span.end is not None:
        length = duration_text(span.end - span.start)
        from_to = _between(span.start, span.end, origin)
        rows.append((tr("Duration"), length))
        rows.append((tr("From, to"), from_to))
    else:
        began = since_text(span.start, origin)
        if now is not None:
            state = tr("running since {time}", time=began)
        else:
            state = tr("began at {time}, did not end", time=began)
        rows.append((tr("State"), state))
    if span.end is not None and span.index >= 0:
        durations = durations_in_other_steps(trace, span)
        rows += _other_steps(durations)
    if span.ready is not None:
        waited = duration_text(span.start - span.ready)
        rows.append((tr("Ready"), tr("{time} before it began", time=waited)))
    prior = waited_text(trace, span)
    if prior:
        rows.append((tr("Waited for"), prior))
    return rows


def _batch_rows(span: Span, rows: int) -> str:
    """Return the number of a task's rows, or both numbers if the halves of an overlap differ."""
    if span.paired_rows in (None, rows):
        return str(rows)
    return carried_rows_text(rows, span.paired_rows)


def _gap_facts(trace: Trace, gap: Gap) -> Facts:
    then = tr("nothing more in this step")
    if gap.before is not None:
        ends = trace.span(gap.lane, gap.before)
        then = _task(trace, ends)
    origin = step_origin(trace, gap.step)
    others = gaps_in_other_steps(trace, gap)
    return [
        (tr("Lane"), lane_name(trace, gap.lane)),
        (tr("Step"), name_of_step(trace, gap.step)),
        (tr("From, to"), _between(gap.start, gap.end, origin)),
        *_other_steps(others),
        (tr("Then"), then),
    ]


def _other_steps(durations: Sequence[int]) -> Facts:
    """Return a row with the shortest and the longest duration in other steps, if there are any."""
    if not durations:
        return []
    shortest = min(durations)
    longest = max(durations)
    text = duration_text(longest)
    if shortest < longest:
        text = range_text(shortest, longest)
    return [(tr("Other steps"), text)]


def step_origin(trace: Trace, step: int | None) -> Origin:
    """Return a step's start as the origin of times in it; without a step the run's start."""
    if step not in trace.steps:
        return Origin()
    name = name_of_step(trace, step)
    start, _ = trace.step_bounds(step)
    return Origin(float(start), name)


def _task(trace: Trace, span: Span) -> str:
    """Return the text on a span's bar and its title; only the title if the span has a name."""
    title = span_title(span)
    if span.name:
        return title
    return f"{bar_name(trace, span)} · {title}"


def _between(start: int, end: int, origin: Origin) -> str:
    return tr(
        "{start} to {end} ({length})",
        start=origin.number(start, 1e6, 3),
        end=since_text(end, origin),
        length=duration_text(end - start),
    )


def _lanes(trace: Trace, chosen: Sequence[int] | None) -> str:
    """Return the names of at most NAMED of the chosen lanes; None means all lanes."""
    lanes = trace.header.lanes
    if chosen is None:
        if len(lanes) > 1:
            return tr("all {n}", n=len(lanes))
        return lanes[0].name
    listed = chosen[:NAMED]
    names = ", ".join(lanes[lane].name for lane in listed)
    left_out = len(chosen) - NAMED
    if left_out > 0:
        return tr("{names} and {n} more", names=names, n=left_out)
    return names
