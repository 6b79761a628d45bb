"""Texts for spans, gaps and ranges, for tooltips and the Details panel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.explain.lane_memory import MEMORY_COUNTERS
from core.explain.lanes import Gap
from core.explain.other_steps import durations_in_other_steps, gaps_in_other_steps
from core.message import N_
from core.plan.task import Kind, Payload
from core.trace.dependencies import waited_for
from core.trace.span import Span
from core.trace.trace import Trace
from gui.look.text import (
    NO_BREAK,
    bytes_text,
    carried_rows_text,
    duration_text,
    number_text,
    range_text,
    tr,
)
from gui.timeline.layout.moments import Origin, since_text
from gui.timeline.reduce.counters import CounterLine
from gui.timeline.reduce.memory import ACTIVATIONS, LaneMemory
from gui.timeline.state.lane_facts import stages_and_replicas
from gui.timeline.state.measure import Measure, signed_text
from gui.timeline.state.scene import step_name
from gui.timeline.state.selection import TimeRange

Facts = list[tuple[str, str]]
Card = tuple[str, list[str]]
NAMED = 6  # most lanes that are listed by name
TITLES = {
    Kind.SCATTER: N_("Scatter"),
    Kind.REPLICATE: N_("Replicate"),
    Kind.FORWARD: N_("Forward"),
    Kind.GATHER: N_("Gather"),
    Kind.LOSS: N_("Loss"),
    Kind.BACKWARD: N_("Backward"),
    Kind.BACKWARD_INPUT: N_("Backward-input"),
    Kind.BACKWARD_WEIGHT: N_("Backward-weight"),
    Kind.REDUCE: N_("Reduce"),
    Kind.ALL_REDUCE: N_("All-reduce"),
    Kind.COPY: N_("Copy"),
    Kind.STEP: N_("Optimizer step"),
    Kind.OVERLAP: N_("Forward and backward"),
    Kind.ALL_GATHER: N_("All-gather"),
    Kind.REDUCE_SCATTER: N_("Reduce-scatter"),
    Kind.OTHER: N_("Other"),
    Kind.DATA: N_("Waiting for data"),
    Kind.RECOMPUTE: N_("Recompute"),
    Kind.ALL_TO_ALL: N_("All-to-all"),
    Kind.BROADCAST: N_("Broadcast"),
    Kind.BARRIER: N_("Barrier"),
}


def kind_title(kind: Kind) -> str:
    """Return the title of a kind of spans."""
    return tr(TITLES[kind])


def action(span: Span) -> str:
    """Return a span's textbook name: `2F1`, as plans print it; `0F3+3B1` for an overlap."""
    if span.kind is Kind.OVERLAP:
        return "+".join(overlapped(span))
    before = span.stage if span.block is None else span.block
    after = span.microbatch if span.bucket is None else span.bucket
    if span.kind.is_communication and before is None and after is None:
        after = span.replica  # the other side, if nothing else identifies it
    first = "" if before is None else before
    second = "" if after is None else after
    return f"{first}{span.kind.letter}{second}"


def bar_name(trace: Trace, span: Span) -> str:
    """Return the text on a span's bar, on a lane of several stages with its stage: `F1`, `2F1`."""
    if span.name:
        return span.label
    stages, _ = stages_and_replicas(trace, trace.header.lanes[span.lane])
    return action(span) if len(stages) > 1 else span.label


def overlapped(span: Span) -> tuple[str, str]:
    """Return the forward and the backward of an overlap: `0F3` and `3B1`."""
    return (
        f"{span.stage}{Kind.FORWARD.letter}{span.microbatch}",
        f"{span.paired_stage}{Kind.BACKWARD.letter}{span.paired_microbatch}",
    )


def span_title(span: Span) -> str:
    """Return a title: `Forward · stage 0 · micro-batch 3`, `Forward 0F3 and backward 3B1`."""
    if span.kind is Kind.OVERLAP:
        forward, backward = overlapped(span)
        both = tr("Forward {forward} and backward {backward}", forward=forward, backward=backward)
        replica = () if span.replica is None else (tr("replica {n}", n=span.replica),)
        return " · ".join([both, *replica])
    parts = [span.name or kind_title(span.kind)]
    numbers = (
        (tr("stage {n}"), span.stage),
        (tr("replica {n}"), span.replica),
        (tr("micro-batch {n}"), span.microbatch),
        (tr("block {n}"), span.block),
        (tr("bucket {n}"), span.bucket),
    )
    for words, number in numbers:
        if number is not None:
            parts.append(words.format(n=number))
    return " · ".join(parts)


def span_card(trace: Trace, span: Span, now: float | None = None) -> Card:
    """Return title and lines of a span's tooltip."""
    return span_title(span), span_lines(trace, span, now)


def _moved(span: Span) -> str:
    """Return the size and payload of a task: `3.15 MB (activation)`."""
    size = bytes_text(span.bytes)
    if span.payload is Payload.NONE:
        return size
    return tr("{size} ({what})", size=size, what=tr(span.payload))


def span_lines(trace: Trace, span: Span, now: float | None = None) -> list[str]:
    """Return the lines of a span's tooltip below its title."""
    carried = [carried_rows_text(span.rows, span.paired_rows)] if span.rows else []
    if span.bytes:
        carried.append(_moved(span))
    if span.end is not None:
        carried.append(duration_text(span.end - span.start))
    elif now is not None:
        carried.append(tr("running for {time}", time=duration_text(now - span.start)))
    else:
        carried.append(tr("did not end"))
    name = bar_name(trace, span)
    lines = [" · ".join([name, _lane(trace, span.lane), *carried])]
    waited = waited_text(trace, span)
    return [*lines, tr("Waited for {what}.", what=waited)] if waited else lines


def predicted_card(name: str, predicted: Span, measured: Span | None) -> Card:
    """Return title and lines of the tooltip of a predicted span, which is called `name`.

    It is compared with the `measured` span of the same task.
    """
    assert predicted.end is not None
    length = predicted.end - predicted.start
    words = tr("Predicted: {task}, {time}", task=name, time=duration_text(length))
    lines = [span_title(predicted)]
    if measured is None or measured.end is None:
        return words, [*lines, tr("Not measured yet.")]
    took = measured.end - measured.start
    later = measured.start - predicted.start
    change = tr("more")
    if length:
        percent = 100 * (took / length - 1)
        change = f"{percent:+.0f}{NO_BREAK}%"
    time = duration_text(took, like=length)
    words += tr(" (measured {time}, {change})", time=time, change=change)
    begins = (
        tr("It began {time} later than predicted.")
        if later >= 0
        else tr("It began {time} earlier than predicted.")
    )
    return words, [*lines, begins.format(time=duration_text(abs(later)))]


def memory_card(trace: Trace, lane: int, memory: LaneMemory, start: float, end: float) -> Card:
    """Return title and lines of the tooltip for a lane's memory from `start` to `end` ns."""
    held, activations = memory.most(start, end)
    title = tr(
        "{lane} holds {size}, of it activations {part}",
        lane=_lane(trace, lane),
        size=bytes_text(held),
        part=bytes_text(activations),
    )
    at = np.array([start], np.int64)
    rest = [name for name in MEMORY_COUNTERS if name != ACTIVATIONS]
    parts = []
    for name in rest:
        size = float(trace.counter(name, lane).at(at)[0])
        if size:
            parts.append(f"{tr(name)} {bytes_text(size)}")
    most = tr("most in this run: {size}", size=bytes_text(memory.peak))
    return title, [" · ".join(parts), most] if parts else [most]


def counter_card(line: CounterLine, start: float, end: float) -> Card | None:
    """Return title and lines of a counter's tooltip at `start` ns; its range is until `end` ns."""
    found = line.between(start, end)
    if found is None:
        return None
    value, least, most = found
    lines = [line.place]
    if least < most:
        lines.append(
            tr("In this pixel: {least} to {most}", least=number_text(least), most=number_text(most))
        )
    least = float(line.values.min())
    most = float(line.values.max())
    lines.append(
        tr("In this trace: {least} to {most}", least=number_text(least), most=number_text(most))
    )
    return f"{line.name}: {number_text(value)}", lines


def waited_text(trace: Trace, span: Span) -> str:
    """Return the last dependency of a span, and the delay of its start; "" without a dependency."""
    prior = waited_for(trace, span)
    if prior is None or prior.end is None:
        return ""
    task = bar_name(trace, prior)
    lane = _lane(trace, prior.lane)
    if span.start <= prior.end:
        return tr("{task} on {lane}; started at once", task=task, lane=lane)
    later = duration_text(span.start - prior.end)
    return tr("{task} on {lane}; started {time} after it", task=task, lane=lane, time=later)


def facts(trace: Trace, selection: Span | Gap, now: float | None = None) -> Facts:
    """Return names and values of a span or gap for the Details panel."""
    if isinstance(selection, Gap):
        return _gap_facts(trace, selection)
    return _span_facts(trace, selection, now)


def range_facts(trace: Trace, chosen: TimeRange) -> Facts:
    """Return names and values of a range for the Details panel; its figures are in Statistics."""
    lanes = trace.header.lanes
    count = len(lanes if chosen.lanes is None else chosen.lanes)
    named = (chosen.lanes or ())[:NAMED]
    names = ", ".join(lanes[lane].name for lane in named)
    if chosen.lanes is None:
        names = tr("all {n}", n=count) if count > 1 else lanes[0].name
    elif count > NAMED:
        names = tr("{names} and {n} more", names=names, n=count - NAMED)
    times = _between(chosen.start, chosen.end, Origin())
    return [(tr("From, to"), times), (tr("Lanes"), names)]


def measure_facts(trace: Trace, measure: Measure) -> Facts:
    """Return names and values of a distance between two spans for the Details panel."""
    ends = []
    for span in (measure.first, measure.second):
        lane = _lane(trace, span.lane)
        ends.append(tr("{task} on {lane}", task=bar_name(trace, span), lane=lane))
    return [
        (tr("Measured"), " → ".join(ends)),
        (tr("End to start"), signed_text(measure.end_to_start)),
        (tr("Start to start"), signed_text(measure.start_to_start)),
        (tr("End to end"), signed_text(measure.end_to_end)),
    ]


def _span_facts(trace: Trace, span: Span, now: float | None) -> Facts:
    origin = step_origin(trace, span.step)
    rows = [(tr("Task"), _task(trace, span)), (tr("Lane"), _lane(trace, span.lane))]
    if origin.name:
        rows.append((tr("Step"), origin.name))
    if span.rows:
        is_uneven = span.paired_rows not in (None, span.rows)
        uneven_text = carried_rows_text(span.rows, span.paired_rows)
        rows.append((tr("Rows"), uneven_text if is_uneven else str(span.rows)))
    if span.bytes:
        rows.append((tr("Moves"), _moved(span)))
    if span.end is not None:
        rows.append((tr("Duration"), duration_text(span.end - span.start)))
        rows.append((tr("From, to"), _between(span.start, span.end, origin)))
    else:
        state = (
            tr("running since {time}") if now is not None else tr("began at {time}, did not end")
        )
        rows.append((tr("State"), state.format(time=since_text(span.start, origin))))
    if span.end is not None and span.index >= 0:
        rows += _other_steps(durations_in_other_steps(trace, span))
    if span.ready is not None:
        rows.append(
            (tr("Ready"), tr("{time} before it began", time=duration_text(span.start - span.ready)))
        )
    waited = waited_text(trace, span)
    return [*rows, (tr("Waited for"), waited)] if waited else rows


def _gap_facts(trace: Trace, gap: Gap) -> Facts:
    ends = None if gap.before is None else trace.span(gap.lane, gap.before)
    then = tr("nothing more in this step") if ends is None else _task(trace, ends)
    return [
        (tr("Lane"), _lane(trace, gap.lane)),
        (tr("Step"), step_name(gap.step, trace.header.specification.warmup)),
        (tr("From, to"), _between(gap.start, gap.end, step_origin(trace, gap.step))),
        *_other_steps(gaps_in_other_steps(trace, gap)),
        (tr("Then"), then),
    ]


def _other_steps(durations: Sequence[int]) -> Facts:
    """Return a row with the shortest and the longest duration in other steps, if there are any."""
    if not durations:
        return []
    shortest = min(durations)
    longest = max(durations)
    range_of = duration_text(longest) if shortest == longest else range_text(shortest, longest)
    return [(tr("Other steps"), range_of)]


def step_origin(trace: Trace, step: int | None) -> Origin:
    """Return a step's start as the origin of times in it; without a step the run's start."""
    if step not in trace.steps:
        return Origin()
    name = step_name(step, trace.header.specification.warmup)
    return Origin(float(trace.step_bounds(step)[0]), name)


def _task(trace: Trace, span: Span) -> str:
    """Return the text on a span's bar and its title; an imported span has only the latter."""
    title = span_title(span)
    return title if span.name else f"{bar_name(trace, span)} · {title}"


def _between(start: int, end: int, origin: Origin) -> str:
    return tr(
        "{start} to {end} ({length})",
        start=origin.number(start, 1e6, 3),
        end=since_text(end, origin),
        length=duration_text(end - start),
    )


def _lane(trace: Trace, lane: int) -> str:
    return trace.header.lanes[lane].name
