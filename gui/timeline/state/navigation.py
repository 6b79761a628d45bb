"""Moving about in a timeline: following, and steps from span to span. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.explain.lanes import Gap
from core.plan.task import ABSENT, KIND_CODES
from core.trace.span import Span
from core.trace.trace import Trace
from gui.timeline.layout.frame import Viewport
from gui.timeline.layout.moments import CountFrom, Origin, clock_of
from gui.timeline.state.scene import Scene, step_name
from gui.timeline.state.selection import Selection

SHORTEST_FOLLOWED = 1e8  # ns; shorter steps would race past the eye
MUCH = 0.5  # of a step, or of what is seen of the step of which most is seen
REST = 0.25  # of the view, after the last bar
STEADY = 1.4  # the followed zoom changes only where it is off by more than this


def live_view(view: Viewport, scene: Scene, now: float, choose_zoom: bool) -> Viewport:
    """The view while the present is followed.

    With `choose_zoom` it shows about one and a half of the latest whole steps; before there is
    one, all since the start.
    """
    if choose_zoom:
        makespans = scene.step_ends[:-1] - scene.step_starts[:-1]
        wanted = 1.5 * float(makespans[-1]) if len(makespans) else 1.1 * now
        wanted = max(SHORTEST_FOLLOWED, wanted)
        # Steps take a little more or less each time: the scale would change with each of them.
        if not wanted / STEADY <= view.span <= wanted * STEADY:
            view = replace(view, span=wanted)
    return view.following(_present(view, scene, now))


def _present(view: Viewport, scene: Scene, now: float) -> float:
    """What is followed: the present, or soon after the last bar while nothing runs.

    So the bars stay on screen while costs are measured.
    """
    if scene.trace.open_tasks or scene.bounds == (0, 0):
        return now
    return min(now, scene.bounds[1] + REST * view.span)


def settled_view(view: Viewport, scene: Scene) -> Viewport:
    """Return the first view of a run that is over: its median step, or all of it without steps."""
    step = scene.described
    if step is None:
        return view.fitted(*map(float, scene.bounds))
    return view.fitted(*map(float, scene.trace.step_bounds(step)))


def step_on_screen(scene: Scene, view: Viewport, selection: Selection | None) -> int | None:
    """Return the step that a view is of: the selected span's or gap's, if it is visible.

    Else the only step of which much is seen. None if much of several steps is seen, or of none.
    """
    lengths = np.maximum(scene.step_ends - scene.step_starts, 1)
    seen = np.minimum(scene.step_ends, view.end) - np.maximum(scene.step_starts, view.start)
    visible = np.flatnonzero(seen > 0)
    if not len(visible):
        return None
    if isinstance(selection, (Span, Gap)):
        chosen = np.flatnonzero(scene.step_numbers[visible] == selection.step)
        if len(chosen):
            return selection.step
    if np.count_nonzero(seen[visible] >= MUCH * lengths[visible]) > 1:
        return None
    return int(scene.step_numbers[_first_of_much(seen)])


def _first_of_much(seen: NDArray[np.int64 | np.float64]) -> int:
    """Return the first step of which much is seen, compared with the one most is seen of."""
    # `argmax` of booleans is the first that is True.
    return int(np.argmax(seen >= MUCH * seen.max()))


def origin_of(scene: Scene | None, view: Viewport, count_from: CountFrom) -> Origin:
    """What moments count from in a view; from the run's start where there is nothing nearer.

    The step that is looked at is the first one of which much is seen.
    """
    if scene is None:
        return Origin()
    header = scene.trace.header
    if count_from is CountFrom.CLOCK:
        return Origin(0.0, "", clock_of(header.started))
    seen = np.minimum(scene.step_ends, view.end) - np.maximum(scene.step_starts, view.start)
    if count_from is CountFrom.RUN or not len(seen) or seen.max() <= 0:
        return Origin()
    step = _first_of_much(seen)
    name = step_name(int(scene.step_numbers[step]), header.specification.warmup)
    return Origin(float(scene.step_starts[step]), name)


def blocking_span(scene: Scene, gap: Gap) -> Span | None:
    """The span that a lane waits for in most of a bubble; None where that is not known."""
    report = scene.explained.report_at_hand(gap)
    reasons = () if report is None else report.reasons
    tasks = [(one.duration, one.blocking.index) for one in reasons if one.blocking is not None]
    longest = max(tasks, key=lambda pair: pair[0], default=None)
    return None if longest is None else scene.trace.find(gap.step, longest[1])


_SAME = ("kind", "lane", "stage", "replica", "microbatch", "block", "bucket", "name")
"""Attributes that tell which task a span is of."""


def same_in(trace: Trace, span: Span, step: int) -> Span | None:
    """The span of the same task in another step; None where that step has none of it.

    By its number in the plan, if the other step's task of that number is the same; else by what it
    is, since plans of batches of several sizes number their tasks differently. Of several such
    tasks of a lane, as kernels of one name, the k-th of a step is the same as the k-th of another.
    """
    numbered = trace.find(step, span.task)
    if numbered is not None and _values(numbered) == _values(span):
        return numbered
    others = _alike(trace, span, step)
    own = _alike(trace, span, span.step)
    # An open task has no place among its lane's spans yet: it comes after those of its step.
    turn = len(own) if span.index < 0 else int(np.searchsorted(own, span.index))
    return trace.span(span.lane, int(others[turn])) if turn < len(others) else None


def _values(span: Span) -> list[object]:
    return [getattr(span, name) for name in _SAME]


def _alike(trace: Trace, span: Span, step: int) -> NDArray[np.int64]:
    """The places on a span's lane, in a step, of spans of tasks that are as its own."""
    place = trace.spans(span.lane).of_step(step)
    spans = trace.spans(span.lane)[place]
    alike = np.ones(len(spans), np.bool_)
    for name in _SAME:
        if name != "lane":  # all are of its lane
            alike &= spans[name] == _code(trace, name, getattr(span, name))
    places: NDArray[np.int64] = place.start + np.flatnonzero(alike)
    return places


def _code(trace: Trace, name: str, value: Any) -> int:
    """An attribute as the columns of spans have it."""
    if name == "kind":
        return KIND_CODES[value]
    if name == "name":
        return trace.table.names.index(value) if value else ABSENT
    return ABSENT if value is None else int(value)


def along_lane(trace: Trace, span: Span, by: int) -> Span | None:
    """The span `by` places later on the same lane, or None at the lane's end."""
    index = span.index + by
    if span.index < 0 or not 0 <= index < len(trace.spans(span.lane)):
        return None
    return trace.span(span.lane, index)
