"""Views for following a run, the step on screen, and moves from span to span. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.explain.lanes import Gap
from core.plan.task import ABSENT, KIND_CODES
from core.trace.span import Span
from core.trace.trace import Trace
from gui.timeline.layout.frame import Viewport
from gui.timeline.layout.moments import CountFrom, Origin, clock_of
from gui.timeline.state.scene import Scene, name_of_step
from gui.timeline.state.selection import Selection

SHORTEST_FOLLOWED = 1e8  # ns; shorter steps would move too fast to see
MUCH = 0.5  # fraction of a step, or of the visible part of the most visible step
REST = 0.25  # fraction of the view after the last bar
STEADY = 1.4  # the followed zoom changes only if it differs by more than this factor


def live_view(view: Viewport, scene: Scene, now: float, choose_zoom: bool) -> Viewport:
    """Return the view for following the present, `now` in ns.

    With `choose_zoom` it shows about 1.5 times the duration of the latest whole step; before the
    first whole step, everything since the start.
    """
    if choose_zoom:
        makespans = scene.step_ends[:-1] - scene.step_starts[:-1]
        wanted = 1.1 * now
        if len(makespans):
            wanted = 1.5 * float(makespans[-1])
        wanted = max(SHORTEST_FOLLOWED, wanted)
        # Durations of steps vary a little: without a tolerance each step would change the scale.
        is_steady = wanted / STEADY <= view.span <= wanted * STEADY
        if not is_steady:
            view = replace(view, span=wanted)
    present = _present(view, scene, now)
    return view.following(present)


def _present(view: Viewport, scene: Scene, now: float) -> float:
    """Return the time to follow: the present, or shortly after the last bar while nothing runs.

    This keeps the bars on screen while costs are measured.
    """
    if scene.trace.open_tasks or scene.bounds == (0, 0):
        return now
    _, last_end = scene.bounds
    return min(now, last_end + REST * view.span)


def settled_view(view: Viewport, scene: Scene) -> Viewport:
    """Return the view of a finished run: the step described, or everything if there is none."""
    step = scene.described
    if step is None:
        start, end = scene.bounds
    else:
        start, end = scene.trace.step_bounds(step)
    return view.fitted(float(start), float(end))


def step_on_screen(scene: Scene, view: Viewport, selection: Selection | None) -> int | None:
    """Return the step on screen: the step of the selected span or gap, if it is visible.

    Otherwise return None if no step is visible, or if two or more are at least half visible. Else
    return the first step whose visible part is at least half as long as the longest visible part.
    """
    lengths = np.maximum(scene.step_ends - scene.step_starts, 1)
    seen = _visible_parts(scene, view)
    visible = np.flatnonzero(seen > 0)
    if not len(visible):
        return None
    if isinstance(selection, (Span, Gap)):
        numbers = scene.step_numbers[visible]
        if np.any(numbers == selection.step):
            return selection.step
    is_large = seen[visible] >= MUCH * lengths[visible]
    if np.count_nonzero(is_large) > 1:
        return None
    step = scene.step_numbers[_first_of_much(seen)]
    return int(step)


def _visible_parts(scene: Scene, view: Viewport) -> NDArray[np.int64 | np.float64]:
    """Return the length in ns of each step's visible part; at most 0 if none of it is visible."""
    ends = np.minimum(scene.step_ends, view.end)
    starts = np.maximum(scene.step_starts, view.start)
    return ends - starts


def _first_of_much(seen: NDArray[np.int64 | np.float64]) -> int:
    """Return the first step whose visible part is large compared with the most visible step."""
    # `argmax` of booleans is the first True.
    return int(np.argmax(seen >= MUCH * seen.max()))


def origin_of(scene: Scene | None, view: Viewport, count_from: CountFrom) -> Origin:
    """Return the origin of the times in a view; the run's start if no step is visible.

    With CountFrom.STEP it is the start of the first step with a large visible part.
    """
    if scene is None:
        return Origin()
    if count_from is CountFrom.CLOCK:
        return Origin(0.0, "", clock_of(scene.trace.header.started))
    if count_from is CountFrom.RUN:
        return Origin()
    seen = _visible_parts(scene, view)
    if not len(seen) or seen.max() <= 0:
        return Origin()
    place = _first_of_much(seen)
    number = int(scene.step_numbers[place])
    name = name_of_step(scene.trace, number)
    start = float(scene.step_starts[place])
    return Origin(start, name)


def blocking_span(scene: Scene, gap: Gap) -> Span | None:
    """Return the span that a lane waits for longest in a gap; None if it is not known."""
    report = scene.explained.report_at_hand(gap)
    if report is None:
        return None
    longest = None
    blocking = None
    for reason in report.reasons:
        if reason.blocking is None:
            continue
        if longest is None or reason.duration > longest:
            longest = reason.duration
            blocking = reason.blocking
    if blocking is None:
        return None
    return scene.trace.find(gap.step, blocking.index)


_SAME = ("kind", "lane", "stage", "replica", "microbatch", "block", "bucket", "name")
"""Attributes that identify the task of a span."""


def same_in(trace: Trace, span: Span, step: int) -> Span | None:
    """Return the span of the same task in another step, or None.

    It is the span with the same number in the plan, if that is the same task. Plans for batches of
    several sizes have different numbers; then the attributes are compared. If a lane has several
    such tasks in a step, for example kernels of one name, the k-th of a step matches the k-th of
    another.
    """
    numbered = trace.find(step, span.task)
    if numbered is not None and _values(numbered) == _values(span):
        return numbered
    others = _alike(trace, span, step)
    own = _alike(trace, span, span.step)
    # An open task is not among its lane's spans yet: it comes after the others of its step.
    turn = len(own)
    if span.index >= 0:
        turn = int(np.searchsorted(own, span.index))
    if turn >= len(others):
        return None
    return trace.span(span.lane, int(others[turn]))


def _values(span: Span) -> list[object]:
    return [getattr(span, name) for name in _SAME]


def _alike(trace: Trace, span: Span, step: int) -> Ints:
    """Return the places of a step's spans on a span's lane that have the same attributes."""
    of_lane = trace.spans(span.lane)
    place = of_lane.of_step(step)
    spans = of_lane[place]
    alike = np.ones(len(spans), np.bool_)
    for name in _SAME:
        if name == "lane":  # all are on its lane
            continue
        wanted = _code(trace, name, getattr(span, name))
        alike &= spans[name] == wanted
    places: Ints = place.start + np.flatnonzero(alike)
    return places


def _code(trace: Trace, name: str, value: Any) -> int:
    """Return an attribute as it is encoded in the columns of spans."""
    if name == "kind":
        return KIND_CODES[value]
    if name == "name":
        if not value:
            return ABSENT
        return trace.table.names.index(value)
    return ABSENT if value is None else int(value)


def along_lane(trace: Trace, span: Span, by: int) -> Span | None:
    """Return the span `by` places later on the same lane, or None."""
    if span.index < 0:
        return None
    index = span.index + by
    count = len(trace.spans(span.lane))
    if not 0 <= index < count:
        return None
    return trace.span(span.lane, index)
