"""Commands on lanes: choose one, fold groups, pin, move, filter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from gui.timeline.layout.call_stacks import stack_keys
from gui.timeline.layout.frame import AXIS, STEPS
from gui.timeline.layout.groups import Arrangement, Grouping, TrackState, compute_lanes, moved
from gui.timeline.state.timeline import TimelineState

GROUPINGS = tuple(Grouping)
HIGHER = 1.2  # factor of the lanes' height for one step
ABOVE, BELOW = 24, 6  # free pixels around a lane that is scrolled into view


def arrangement_of(state: TimelineState) -> Arrangement:
    """Return the arrangement of the lanes on screen."""
    return state.stack.arrangement(state.scene)


def lane_counts(state: TimelineState) -> tuple[int, int]:
    """Return the number of compute lanes that are visible or folded, and the total number."""
    lanes = () if state.scene is None else state.scene.trace.header.lanes
    return arrangement_of(state).shown, len(compute_lanes(lanes))


def reveal(state: TimelineState, lane: int) -> None:
    """Scroll as little as possible to make a lane visible."""
    layout = state.stack.layout
    track = layout.track_by_lane.get(lane)
    if track is None or lane in layout.pins:
        return
    end = track.top + layout.full_heights.get(lane, track.height)
    page = state.size[1] - AXIS - STEPS
    # Pinned lanes cover `band` pixels at the top, and hide the lanes under them.
    if track.top - layout.band < state.scroll:
        state.scroll_to(int(track.top - layout.band - ABOVE))
    elif end > state.scroll + page:
        state.scroll_to(int(end - page + BELOW))


class LaneChoice:
    """Steps from lane to lane; commands on lanes apply to the chosen one."""

    def __init__(self, state: TimelineState) -> None:
        self._state = state

    def choose(self, lane: int | None) -> None:
        """Choose a lane for the commands, and scroll to it."""
        self._state.lane = lane
        if lane is not None:
            reveal(self._state, lane)
        self._state.lane_changed.emit()
        self._state.overlay_changed.emit()

    def step(self, by: int) -> None:
        """Choose the lane or folded group below (1) or above (-1)."""
        stops = self._stops()
        if not stops:
            return
        lane = self._state.lane
        arrangement = arrangement_of(self._state)
        section = None if lane is None else arrangement.section_of(lane)
        if section is not None and section.folded:
            lane = section.lanes[0].index
        if lane in stops:
            place = stops.index(lane) + by
            self.choose(stops[min(max(0, place), len(stops) - 1)])
        else:
            self.choose(stops[0 if by > 0 else -1])

    def _stops(self) -> list[int]:
        """Return the lanes that can be chosen, from the top: the first of each folded group."""
        arrangement = arrangement_of(self._state)
        stops = [lane.index for lane in arrangement.pinned]
        for section in arrangement.sections:
            mine = section.lanes[:1] if section.folded else section.lanes
            stops += [lane.index for lane in mine]
        return stops


class LaneArranger:
    """Groups, folds, pins, moves, filters and scales the lanes; all of it can be undone."""

    def __init__(self, state: TimelineState) -> None:
        self._state = state

    @property
    def tracks(self) -> TrackState:
        """The arrangement of the tracks."""
        return self._state.stack.state

    # Groups

    def group_by(self, grouping: Grouping, node_devices: int | None = None) -> None:
        """Change the grouping; `node_devices` is the number of devices in a node from now on."""
        count = self.tracks.node_devices if node_devices is None else max(1, node_devices)
        # The groups are others, and are open; call stacks remain as they are.
        folded = stack_keys(self.tracks.folded)
        self._arrange(replace(self.tracks, grouping=grouping, node_devices=count, folded=folded))

    def group_otherwise(self) -> None:
        """Change to the next grouping."""
        place = GROUPINGS.index(self.tracks.grouping) + 1
        self.group_by(GROUPINGS[place % len(GROUPINGS)])

    def fold(self) -> None:
        """Fold or open the chosen lane's call stack, or without one its group.

        Without a chosen lane, fold or open the first group.
        """
        arrangement = arrangement_of(self._state)
        stack = None if self._state.lane is None else arrangement.stacks.get(self._state.lane)
        if stack is not None:
            self.toggle(stack.key)
            return
        sections = [section for section in arrangement.sections if section.headed]
        if not sections:
            return
        found = sections[0]
        for section in sections:
            if any(lane.index == self._state.lane for lane in section.lanes):
                found = section
                break
        self.toggle(found.key)

    def toggle(self, key: str) -> None:
        """Fold a group, or open it."""
        self._arrange(self.tracks.toggled(key))

    def fold_all(self) -> None:
        """Fold every group, and every call stack."""
        arrangement = arrangement_of(self._state)
        headed = [section for section in arrangement.sections if section.headed]
        self._fold_only(section.key for section in (*headed, *arrangement.stacks.values()))

    def unfold_all(self) -> None:
        """Open every group, and every call stack."""
        self._fold_only(())

    # Order

    def pin(self) -> None:
        """Pin the chosen lane to the top, or return it to its group."""
        if self._state.lane is not None:
            self._arrange(self.tracks.pin_toggled(self._state.lane))
            reveal(self._state, self._state.lane)

    def move(self, by: int) -> None:
        """Move the chosen lane down by one place (1), or up (-1)."""
        lane = self._state.lane
        if lane is not None:
            neighbours = arrangement_of(self._state).neighbours(lane)
            if lane in neighbours:
                self.put(lane, neighbours.index(lane) + by)

    def put(self, lane: int, place: int) -> None:
        """Move a lane to a place among its neighbours, counted from 0."""
        scene = self._state.scene
        if scene is not None:
            neighbours: Sequence[int] = arrangement_of(self._state).neighbours(lane)
            self._arrange(moved(self.tracks, scene.trace.header.lanes, neighbours, lane, place))
            reveal(self._state, lane)

    def filter(self, text: str) -> None:
        """Show only the lanes with matching names."""
        if text != self.tracks.filter:
            self._arrange(replace(self.tracks, filter=text), "filter")

    # Height

    def resize(self, by: int) -> None:
        """Make the lanes higher (1) or lower (-1), around the chosen one or the middle."""
        state = self._state
        frame = self._state.frame
        body = AXIS + STEPS
        y = body + (state.size[1] - body) / 2
        if state.lane is not None and state.lane in frame.layout.track_by_lane:
            y = frame.top + frame.layout.extent_of(state.lane)[0]
        self.scale(HIGHER**by, y)
        state.history.pause()

    def scale(self, factor: float, y: float) -> None:
        """Make the lanes `factor` times as high, keeping the contents at pixel `y` in place."""
        state = self._state
        if state.scene is None:
            return
        above = y - AXIS - STEPS
        # The place of `y` in the whole height, 0 to 1; afterwards it is scrolled to `y` again.
        share = (state.scroll + above) / state.stack.layout.height
        state.remember("lanes")
        state.stack.scale(factor)
        state.lay_out()
        state.scroll_to(round(share * state.stack.layout.height - above))
        state.moved.emit()

    # Inside

    def _fold_only(self, keys: Iterable[str]) -> None:
        self._arrange(replace(self.tracks, folded=frozenset(keys)))
        if self._state.lane is not None:
            reveal(self._state, self._state.lane)

    def _arrange(self, tracks: TrackState, gesture: str = "tracks") -> None:
        """Change the arrangement; consecutive changes by one `gesture` are undone together."""
        state = self._state
        # Each fold or move is undone separately; letters typed into the filter are undone together.
        if gesture == "tracks":
            state.history.pause()
        state.remember(gesture)
        state.stack.state = tracks
        state.lay_out()
        state.moved.emit()
        state.tracks_changed.emit()
