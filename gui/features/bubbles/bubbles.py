"""Search for bubbles in the visible steps, and navigation from the longest to the shortest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.explain.lanes import Gap, longest_gaps, spans_within
from core.trace.complete import measured_steps
from core.trace.trace import Trace
from core.trace.warmup import first_measured
from gui.look.text import duration_text, ntr, tr
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.frame import Viewport
from gui.timeline.state.lanes import reveal
from gui.timeline.state.selection import Selection

MOST = 1_000  # number of gaps in a walk, at most
LEAST = 0.05  # a step counts as visible if more than this share of it, or of the view, is seen
MOST_SPANS = 1_000_000  # searched at a key press, about


@dataclass(frozen=True, slots=True)
class Searched:
    """The gaps of the steps on screen, longest first; `left_out` counts steps not searched."""

    trace: Trace
    left_out: int
    gaps: tuple[Gap, ...]
    lanes: tuple[int, ...] | None = None


class Bubbles:
    """Walks through the gaps of the steps that were visible when the walk began."""

    def __init__(self, timeline: TimelineView, say: Callable[[str], None]) -> None:
        self._timeline = timeline
        self._say = say
        self._searched: Searched | None = None

    def step(self, by: int) -> None:
        """Select and fit the longest bubble on screen.

        Further calls go to the next longest one (1), or back (-1).
        """
        state = self._timeline.state
        if state.scene is None:
            self._say(tr("There is no run to search: press Run, or open a recording."))
            return
        scene = state.scene
        shown = []
        for lane in scene.trace.header.lanes:
            if state.stack.layout.shows(lane.index):
                shown.append(lane.index)
        lanes = tuple(shown)
        gap, sentence = self.choose(
            scene.trace, state.viewport, state.selection, scene.open_step, by, lanes
        )
        if gap is not None:
            self._timeline.selector.fit(gap)
            reveal(state, gap.lane)
        self._say(sentence)

    def choose(
        self,
        trace: Trace,
        view: Viewport,
        selection: Selection | None,
        open_step: int | None,
        by: int = 1,
        lanes: tuple[int, ...] | None = None,
    ) -> tuple[Gap | None, str]:
        """Return the gap to go to, and a sentence about it.

        The gap is `by` places after the selected gap if that is part of the walk. Otherwise it is
        the longest gap of the steps that are visible now.
        """
        known = self._searched
        if (
            # Another selection, or other lanes, begin a new walk through the visible steps.
            known is None
            or known.trace is not trace
            or selection not in known.gaps
            or known.lanes != lanes
        ):
            known = self._searched = search(trace, view, open_step, lanes)
            place = 0
        else:
            place = known.gaps.index(selection) + by
        if not known.gaps:
            return None, tr("No lane on screen is idle in the measured steps on screen.")
        place %= len(known.gaps)
        return known.gaps[place], _words(known, place)


def search(
    trace: Trace, view: Viewport, open_step: int | None, lanes: tuple[int, ...] | None = None
) -> Searched:
    """Return the longest gaps of the measured steps in a view, or of the last of many steps.

    `lanes` limits the search to some lanes; None searches all. The warm-up is searched if a run
    has no measured step yet.
    """
    table = trace.step_table
    # Visible part of each step in ns; negative for a step outside of the view.
    seen_start = np.maximum(table.starts, view.start)
    seen_end = np.minimum(table.ends, view.end)
    seen = seen_end - seen_start
    most_seen = np.minimum(table.ends - table.starts, view.span)
    inside = seen > LEAST * most_seen
    if measured_steps(trace):
        inside &= table.numbers >= first_measured(trace)
    if open_step is not None:
        inside &= table.numbers != open_step
    steps = table.numbers[inside]
    if not len(steps):
        return Searched(trace, 0, (), lanes)
    kept = len(steps)
    spans = spans_within(trace, int(steps[0]), int(steps[-1]))
    if spans > MOST_SPANS:
        # Keep the latest steps that have about MOST_SPANS together, if steps are equally large.
        kept = max(1, int(kept * MOST_SPANS / spans))
    first = int(steps[-kept])
    last = int(steps[-1])
    gaps = longest_gaps(trace, first, last, MOST, lanes)
    return Searched(trace, len(steps) - kept, tuple(gaps), lanes)


def _words(searched: Searched, place: int) -> str:
    gap = searched.gaps[place]
    names = [lane.name for lane in searched.trace.header.lanes]
    length = duration_text(gap.end - gap.start)
    if place == 0:
        sentence = tr("Longest bubble: {length} on {lane}.", length=length, lane=names[gap.lane])
    else:
        sentence = tr(
            "Bubble {n} of {count} by length: {length} on {lane}.",
            n=place + 1,
            count=len(searched.gaps),
            length=length,
            lane=names[gap.lane],
        )
    if searched.left_out:
        left_out = ntr(
            "{n} earlier step on screen was not searched.",
            "{n} earlier steps on screen were not searched.",
            searched.left_out,
        )
        sentence += " " + left_out
    return sentence
