"""Pure functions that stack lanes, and the strips under them, to a layout in pixels."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.plan.plan import Lane, Role
from gui.timeline.layout.frame import Layout, Track
from gui.timeline.layout.groups import NO_STRIPS, Arrangement, Section, Strips, TrackState, arrange

COMPUTE = (20.0, 80.0)  # least and most height of a compute lane, if the layout chooses it
FILLING = 320.0  # most height of a compute lane in a window, which the lanes should fill
THIN = 30.0  # strips under lower lanes are left out, to make the lanes higher
BY_HAND = (14.0, 320.0)  # least and most height that the user can choose
TIGHT, ROOMY = 28.0, 40.0  # between these heights of a lane the space between lanes grows
GROUP = 20.0  # height of a group's heading
FOLDED = 24.0  # height of a folded group
STACK = 16.0  # height of the heading of a call stack
COUNTER = 24.0  # height of a counter
EDGE = 6.0  # free pixels at the top, at the bottom, and below pinned lanes

Counters = Mapping[int, Sequence[str]]
"""The names of the counters under each compute lane, by the lane's number."""
NO_COUNTERS: Counters = {}


def lay_out(
    lanes: Sequence[Lane],
    available: float,
    strips: Strips = NO_STRIPS,
    compute: float | None = None,
    arranged: Arrangement | None = None,
    most: float = COMPUTE[1],
    counters: Counters = NO_COUNTERS,
) -> Layout:
    """Stack the lanes by group, each with its strips below it.

    The strips are blocks, prediction, helpers, memory line and counters, in this order.
    Compute lanes have the given height `compute`, or the largest height up to `most` with which the
    layout fits into `available` pixels. A layout that is higher than `available` has to be
    scrolled. Without `arranged`, the lanes have the run's order.
    """
    chosen = arrange(lanes, TrackState(), {}) if arranged is None else arranged
    helpers = _helpers(lanes, strips)

    def stacked(height: float) -> Layout:
        shown_counters = counters if strips.counters else {}
        stacker = _TrackStacker(height, strips, helpers, shown_counters, chosen.stacks)
        for lane in chosen.pinned:
            stacker.add_lane(lane, pinned=True)
        stacker.end_band(chosen.pinned)
        for section in chosen.sections:
            stacker.add_section(section)
        return stacker.layout()

    if compute is not None:
        return stacked(compute)
    lowest = stacked(COMPUTE[0])
    if lowest.height >= available:  # the usual case for hundreds of lanes
        return lowest
    # The total height increases with the lanes' height, but the strips' heights are rounded and
    # limited, so there is no inverse formula. Bisection stacks the tracks at most nine times.
    heights = range(int(COMPUTE[0]), int(most) + 1)
    fitting = bisect_right(heights, available, key=lambda height: stacked(height).height)
    return stacked(heights[max(0, fitting - 1)])


def lay_out_window(
    lanes: Sequence[Lane],
    available: float,
    wanted: Strips,
    arranged: Arrangement | None = None,
    counters: Counters = NO_COUNTERS,
) -> tuple[Layout, Strips]:
    """Return a layout that fills a window, and its strips.

    If lanes would be lower than THIN, first their memory is left out, then also their prediction.
    """
    without_memory = replace(wanted, memory=False)
    fewer = (wanted, without_memory, replace(without_memory, prediction=False))
    for strips in fewer:
        layout = lay_out(
            lanes,
            available,
            strips,
            arranged=arranged,
            most=FILLING,
            counters=counters,
        )
        if layout.compute >= THIN:
            break
    return layout, strips


def _within(value: float, least: float, most: float) -> float:
    return float(round(min(most, max(least, value))))


def _helpers(lanes: Sequence[Lane], strips: Strips) -> Mapping[int, list[Lane]]:
    """Return the lanes that are shown under each compute lane, by its number."""
    helpers: dict[int, list[Lane]] = defaultdict(list)
    hidden = {Role.COMPUTE}
    if not strips.nested:
        hidden.add(Role.NESTED)
    for lane in lanes:
        if lane.role not in hidden:
            helpers[lane.serves].append(lane)
    return helpers


class _TrackStacker:
    """Puts tracks under one another.

    Heights of strips are proportional to `compute`, the height of a compute lane, within limits.
    """

    def __init__(
        self,
        compute: float,
        strips: Strips,
        helpers: Mapping[int, list[Lane]],
        counters: Counters,
        stacks: Mapping[int, Section],
    ) -> None:
        self._compute = compute
        self._strips = strips
        self._helpers = helpers
        self._counters = counters
        self._stacks = stacks
        # The space grows gradually: if it jumped, no height of the lanes would fill some windows.
        roominess = (compute - TIGHT) / (ROOMY - TIGHT)
        room = min(1.0, max(0.0, roominess))
        self._helper = 8 + round(2 * room)
        self._gap = 2 + round(room)
        self._space = 6 + round(6 * room)
        self._prediction_height = _within(0.16 * compute, 6, 10)
        self._nested = _within(0.3 * compute, 8, 16)
        self._held = _within(0.45 * compute, 12, 36)
        self._y = EDGE
        self._tracks: list[Track] = []
        self._groups: list[Section] = []
        self._predictions: list[Track] = []
        self._memory: list[Track] = []
        self._counted: list[Track] = []
        self._rooms: dict[int, float] = {}
        self._pins: frozenset[int] = frozenset()
        self._band = 0.0

    def end_band(self, pinned: Sequence[Lane]) -> None:
        """Mark all lanes so far as pinned."""
        if pinned:
            tracks = (*self._tracks, *self._memory)
            self._pins = frozenset(track.lane for track in tracks)
            self._band = self._y
            self._y += EDGE

    def add_section(self, section: Section) -> None:
        """Add a group: its heading and its lanes, or only a summary while it is folded."""
        height = 0.0
        if section.folded:
            height = FOLDED
        elif section.headed:
            height = GROUP
        self._groups.append(replace(section, top=self._y, height=height))
        self._y += height
        if section.folded:
            self._y += self._gap
            return
        for lane in section.lanes:
            self.add_lane(lane)

    def add_lane(self, lane: Lane, pinned: bool = False) -> None:
        """Add a compute lane and everything under it.

        A pinned lane has no heading for its call stack, to keep the band at the top low.
        """
        top = self._y
        below = self._helpers.get(lane.index, ())
        self._tracks.append(Track(lane.index, top, self._compute))
        self._y += self._compute
        nested = [helper for helper in below if helper.role is Role.NESTED]
        stack = self._stacks.get(lane.index)
        if stack is None or not stack.folded:
            self._add_nested(nested, None if pinned else stack)
        elif nested and not pinned:
            self._add_nested([], stack)
        if self._strips.prediction:
            self._predictions.append(self._strip(lane.index, self._prediction_height))
        for helper in below:
            if helper.role is not Role.NESTED:
                self._add_helper(helper, self._helper)
        if self._strips.memory:
            self._memory.append(self._strip(lane.index, self._held))
        for name in self._counters.get(lane.index, ()):
            row = self._strip(lane.index, COUNTER)
            self._counted.append(replace(row, name=name))
        self._rooms[lane.index] = self._y - top
        self._y += self._space

    def _add_nested(self, nested: Sequence[Lane], stack: Section | None) -> None:
        """Add nested lanes, below the heading of their call stack if it has one."""
        if stack is not None:
            self._groups.append(replace(stack, top=self._y + self._gap, height=STACK))
            self._y += self._gap + STACK
        for lane in nested:
            self._add_helper(lane, self._nested)

    def layout(self) -> Layout:
        """Return the layout of everything that was added."""
        end = self._y
        ends_with_group = bool(self._groups) and self._groups[-1].has_summary
        if self._tracks and not ends_with_group:
            end -= self._space
        height = end + EDGE if self._tracks or self._groups else 0.0
        return Layout(
            tuple(self._tracks),
            tuple(self._groups),
            tuple(self._predictions),
            tuple(self._memory),
            tuple(self._counted),
            self._rooms,
            self._compute,
            height,
            self._pins,
            self._band,
        )

    def _add_helper(self, helper: Lane, height: float) -> None:
        track = self._strip(helper.index, height, helper=True)
        self._tracks.append(track)

    def _strip(self, lane: int, height: float, helper: bool = False) -> Track:
        track = Track(lane, self._y + self._gap, height, helper)
        self._y = track.bottom
        return track
