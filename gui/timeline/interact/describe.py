"""Names and tooltips of spans, gaps, counters and memory."""

from __future__ import annotations

import numpy as np

from core.explain.lane_memory import MEMORY_COUNTERS
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
    tr,
)
from gui.timeline.reduce.counters import CounterLine
from gui.timeline.reduce.memory import ACTIVATIONS, LaneMemory
from gui.timeline.state.lane_facts import stages_and_replicas

Card = tuple[str, list[str]]
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
    Kind.COLLECTIVE: N_("Collective"),
}


def kind_title(kind: Kind) -> str:
    """Return the title of a kind of spans."""
    return tr(TITLES[kind])


def action(span: Span) -> str:
    """Return a span's textbook name: `2F1`, as plans print it; `0F3+3B1` for an overlap."""
    if span.kind is Kind.OVERLAP:
        return "+".join(overlapped(span))
    before = span.stage
    if span.block is not None:
        before = span.block
    after = span.microbatch
    if span.bucket is not None:
        after = span.bucket
    if span.kind.is_communication and before is None and after is None:
        after = span.replica  # the other side, if nothing else identifies it
    first = "" if before is None else before
    second = "" if after is None else after
    return f"{first}{span.kind.letter}{second}"


def bar_name(trace: Trace, span: Span) -> str:
    """Return the text on a span's bar: `F1`, or `2F1` on a lane with several stages."""
    if span.name:
        return span.label
    lane = trace.header.lanes[span.lane]
    stages, _ = stages_and_replicas(trace, lane)
    return action(span) if len(stages) > 1 else span.label


def overlapped(span: Span) -> tuple[str, str]:
    """Return the forward and the backward of an overlap: `0F3` and `3B1`."""
    forward = f"{span.stage}{Kind.FORWARD.letter}{span.microbatch}"
    backward = f"{span.paired_stage}{Kind.BACKWARD.letter}{span.paired_microbatch}"
    return forward, backward


def span_title(span: Span) -> str:
    """Return a title: `Forward · stage 0 · micro-batch 3`, `Forward 0F3 and backward 3B1`."""
    if span.kind is Kind.OVERLAP:
        forward, backward = overlapped(span)
        parts = [
            tr("Forward {forward} and backward {backward}", forward=forward, backward=backward)
        ]
        if span.replica is not None:
            parts.append(tr("replica {n}", n=span.replica))
        return " · ".join(parts)
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
    title = span_title(span)
    lines = span_lines(trace, span, now)
    return title, lines


def moved_text(span: Span) -> str:
    """Return the size and payload of a task: `3.15 MB (activation)`."""
    size = bytes_text(span.bytes)
    if span.payload is Payload.NONE:
        return size
    return tr("{size} ({what})", size=size, what=tr(span.payload))


def span_lines(trace: Trace, span: Span, now: float | None = None) -> list[str]:
    """Return the lines of a span's tooltip below its title."""
    parts = [bar_name(trace, span), lane_name(trace, span.lane)]
    if span.rows:
        parts.append(carried_rows_text(span.rows, span.paired_rows))
    if span.bytes:
        parts.append(moved_text(span))
    if span.end is not None:
        parts.append(duration_text(span.end - span.start))
    elif now is not None:
        so_far = duration_text(now - span.start)
        parts.append(tr("running for {time}", time=so_far))
    else:
        parts.append(tr("did not end"))
    lines = [" · ".join(parts)]
    waited = waited_text(trace, span)
    if waited:
        lines.append(tr("Waited for {what}.", what=waited))
    return lines


def predicted_card(name: str, predicted: Span, measured: Span | None) -> Card:
    """Return title and lines of the tooltip of a predicted span with the text `name` on its bar.

    The tooltip compares it with the `measured` span of the same task, if there is one.
    """
    assert predicted.end is not None
    length = predicted.end - predicted.start
    words = tr("Predicted: {task}, {time}", task=name, time=duration_text(length))
    lines = [span_title(predicted)]
    if measured is None or measured.end is None:
        lines.append(tr("Not measured yet."))
        return words, lines
    took = measured.end - measured.start
    change = tr("more")
    if length:
        percent = 100 * (took / length - 1)
        change = f"{percent:+.0f}{NO_BREAK}%"
    time = duration_text(took, like=length)
    words += tr(" (measured {time}, {change})", time=time, change=change)
    later = measured.start - predicted.start
    distance = duration_text(abs(later))
    if later >= 0:
        lines.append(tr("It began {time} later than predicted.", time=distance))
    else:
        lines.append(tr("It began {time} earlier than predicted.", time=distance))
    return words, lines


def memory_card(trace: Trace, lane: int, memory: LaneMemory, start: float, end: float) -> Card:
    """Return title and lines of the tooltip for a lane's memory from `start` to `end` ns."""
    held, activations = memory.most(start, end)
    title = tr(
        "{lane} holds {size}, of which {part} is activations",
        lane=lane_name(trace, lane),
        size=bytes_text(held),
        part=bytes_text(activations),
    )
    at = np.array([start], np.int64)
    parts = []
    for name in MEMORY_COUNTERS:
        if name == ACTIVATIONS:
            continue
        counter = trace.counter(name, lane)
        size = float(counter.at(at)[0])
        if size:
            part = tr(name)
            size_text = bytes_text(size)
            parts.append(f"{part} {size_text}")
    lines = []
    if parts:
        lines.append(" · ".join(parts))
    lines.append(tr("most in this run: {size}", size=bytes_text(memory.peak)))
    return title, lines


def counter_card(line: CounterLine, start: float, end: float) -> Card | None:
    """Return title and lines of a counter's tooltip: value at `start`, range up to `end`, in ns."""
    found = line.between(start, end)
    if found is None:
        return None
    value, least, most = found
    lines = [line.place]
    if least < most:
        in_pixel = tr(
            "In this pixel: {least} to {most}",
            least=number_text(least),
            most=number_text(most),
        )
        lines.append(in_pixel)
    in_trace = tr(
        "In this trace: {least} to {most}",
        least=number_text(float(line.values.min())),
        most=number_text(float(line.values.max())),
    )
    lines.append(in_trace)
    title = f"{line.name}: {number_text(value)}"
    return title, lines


def waited_text(trace: Trace, span: Span) -> str:
    """Return the last dependency of a span, and the delay of its start; "" without a dependency."""
    prior = waited_for(trace, span)
    if prior is None or prior.end is None:
        return ""
    task = bar_name(trace, prior)
    lane = lane_name(trace, prior.lane)
    if span.start <= prior.end:
        return tr("{task} on {lane}; started at once", task=task, lane=lane)
    later = duration_text(span.start - prior.end)
    return tr("{task} on {lane}; started {time} after it", task=task, lane=lane, time=later)


def lane_name(trace: Trace, lane: int) -> str:
    """Return the name of a lane, by its number."""
    return trace.header.lanes[lane].name
