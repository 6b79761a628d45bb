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
    shown = arrangement_of(state).shown
    if state.scene is None:
        return shown, 0
    lanes = state.scene.trace.header.lanes
    return shown, len(compute_lanes(lanes))


def reveal(state: TimelineState, lane: int) -> None:
    """Scroll as little as possible to make a lane visible."""
    layout = state.stack.layout
    track = layout.track_by_lane.get(lane)
    if track is None or lane in layout.pins:
        return
    height = layout.full_heights.get(lane, track.height)
    bottom = track.top + height
    # Pinned lanes cover `band` pixels at the top, and hide the lanes under them.
    top = track.top - layout.band
    _, window_height = state.size
    page = window_height - AXIS - STEPS
    if top < state.scroll:
        state.scroll_to(int(top - ABOVE))
    elif bottom > state.scroll + page:
        state.scroll_to(int(bottom - page + BELOW))


class LaneChoice:
    """Chooses the lane that commands on lanes apply to."""

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
        last = len(stops) - 1
        lane = self._state.lane
        if lane is not None:
            section = arrangement_of(self._state).section_of(lane)
            if section is not None and section.folded:
                lane = section.lanes[0].index
        if lane in stops:
            next_place = stops.index(lane) + by
            place = min(max(0, next_place), last)
        else:
            place = 0 if by > 0 else last
        self.choose(stops[place])

    def _stops(self) -> list[int]:
        """Return the lanes that can be chosen, from the top: the first of each folded group."""
        arrangement = arrangement_of(self._state)
        stops = [lane.index for lane in arrangement.pinned]
        for section in arrangement.sections:
            mine = section.lanes[:1] if section.folded else section.lanes
            stops += [lane.index for lane in mine]
        return stops


class LaneArranger:
    """Groups, folds, pins, moves, filters and scales the lanes; every change can be undone."""

    def __init__(self, state: TimelineState) -> None:
        self._state = state

    @property
    def tracks(self) -> TrackState:
        """The arrangement of the tracks."""
        return self._state.stack.state

    # Groups

    def group_by(self, grouping: Grouping, node_devices: int | None = None) -> None:
        """Change the grouping, and the number of devices in a node if `node_devices` is given."""
        devices = self.tracks.node_devices
        if node_devices is not None:
            devices = max(1, node_devices)
        changed = replace(
            self.tracks,
            grouping=grouping,
            node_devices=devices,
            # The new groups are open; call stacks remain as they are.
            folded=stack_keys(self.tracks.folded),
        )
        self._arrange(changed)

    def group_otherwise(self) -> None:
        """Change to the next grouping."""
        place = GROUPINGS.index(self.tracks.grouping) + 1
        following = GROUPINGS[place % len(GROUPINGS)]
        self.group_by(following)

    def fold(self) -> None:
        """Fold or open the chosen lane's call stack, or its group if it has no call stack.

        If no lane is chosen, or the lane is in no group, fold or open the first group.
        """
        arrangement = arrangement_of(self._state)
        chosen = self._state.lane
        if chosen is not None:
            stack = arrangement.stacks.get(chosen)
            if stack is not None:
                self.toggle(stack.key)
                return
        headed = [section for section in arrangement.sections if section.headed]
        if not headed:
            return
        found = headed[0]
        for section in headed:
            lanes = [lane.index for lane in section.lanes]
            if chosen in lanes:
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
        if lane is None:
            return
        neighbours = arrangement_of(self._state).neighbours(lane)
        if lane in neighbours:
            place = neighbours.index(lane)
            self.put(lane, place + by)

    def put(self, lane: int, place: int) -> None:
        """Move a lane to a place among its neighbours, counted from 0."""
        scene = self._state.scene
        if scene is None:
            return
        neighbours: Sequence[int] = arrangement_of(self._state).neighbours(lane)
        tracks = moved(self.tracks, scene.trace.header.lanes, neighbours, lane, place)
        self._arrange(tracks)
        reveal(self._state, lane)

    def filter(self, text: str) -> None:
        """Show only the lanes with matching names."""
        if text == self.tracks.filter:
            return
        filtered = replace(self.tracks, filter=text)
        self._arrange(filtered, "filter")

    # Height

    def resize(self, by: int) -> None:
        """Make the lanes higher (1) or lower (-1), around the chosen lane or the middle."""
        state = self._state
        frame = state.frame
        layout = frame.layout
        if state.lane is not None and state.lane in layout.track_by_lane:
            top, _ = layout.extent_of(state.lane)
            y = frame.top + top
        else:
            body = AXIS + STEPS
            _, height = state.size
            y = body + (height - body) / 2
        self.scale(HIGHER**by, y)
        state.history.pause()

    def scale(self, factor: float, y: float) -> None:
        """Make the lanes `factor` times as high, keeping the contents at pixel `y` in place."""
        state = self._state
        stack = state.stack
        if state.scene is None:
            return
        above = y - AXIS - STEPS
        # The position of `y` as a fraction of the whole height, to scroll it back to `y` below.
        share = (state.scroll + above) / stack.layout.height
        state.remember("lanes")
        stack.scale(factor)
        state.lay_out()
        scroll = share * stack.layout.height - above
        state.scroll_to(round(scroll))
        state.moved.emit()

    # Inside

    def _fold_only(self, keys: Iterable[str]) -> None:
        folded = replace(self.tracks, folded=frozenset(keys))
        self._arrange(folded)
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
