"""Finds the position of a pass that is dragged along its lane and dropped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from core.plan.schedules.schedule import Action
from core.plan.task import KINDS, PASSES, Kind
from core.trace.span import Span
from core.trace.trace import Trace

MIDDLE = 1 / 4  # of a bar's length, to both sides of its centre: a drop there exchanges


class Extent(NamedTuple):
    """The start and the end of a pass's bar, in pixels or ns."""

    action: Action
    start: float
    end: float


class Dropped(NamedTuple):
    """A position among the lane's other passes, or a pass to exchange with."""

    position: int
    other: Action | None = None


def dropped_at(
    extents: Iterable[Extent], dragged: Action, at: float, exchanges: bool = True
) -> Dropped:
    """Return the position of a pass that is dropped at `at`, on the axis of its lane's bars.

    `extents` are in order. With `exchanges`, a drop on the middle of another bar exchanges the two
    passes.
    """
    position = 0
    for extent in extents:
        if extent.action == dragged:
            continue
        centre = (extent.start + extent.end) / 2
        length = extent.end - extent.start
        is_middle = abs(at - centre) < MIDDLE * length
        if is_middle and exchanges:
            return Dropped(position, extent.action)
        if at > centre:
            position += 1
    return Dropped(position)


def pass_of(span: Span) -> Action | None:
    """Return the pass of a span; None for other tasks, and for passes that boards do not have."""
    is_pass = PASSES[KINDS.index(span.kind)] and span.kind is not Kind.OVERLAP
    if not is_pass or span.end is None or span.stage is None or span.microbatch is None:
        return None
    return Action(span.stage, span.kind, span.microbatch)


def extents_in_step(trace: Trace, step: int, lane: int) -> list[Extent]:
    """Return the passes of a lane in a step, in order, with their times in ns."""
    where = trace.spans(lane).of_step(step)
    extents: list[Extent] = []
    for index in range(where.start, where.stop):
        span = trace.span(lane, index)
        action = pass_of(span)
        if action is not None and span.end is not None:
            extents.append(Extent(action, span.start, span.end))
    return extents
