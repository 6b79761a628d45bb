"""Stacks the lanes of a timeline according to the user's settings."""

from __future__ import annotations

from dataclasses import replace

from core.plan.plan import Lane, Role
from gui.timeline.layout.call_stacks import all_folded, call_stacks
from gui.timeline.layout.frame import Layout
from gui.timeline.layout.groups import Arrangement, Grouping, Replicas, Strips, TrackState, arrange
from gui.timeline.layout.stacking import BY_HAND, lay_out, lay_out_window
from gui.timeline.state.scene import Scene


class LaneStack:
    """The user's settings for tracks. `height` is a compute lane's; None is the height that fits.

    `state` is the arrangement. `chosen` are the strips that the user selected, `wanted` those of
    them that have contents, and `shown` those for which there is enough height.
    """

    def __init__(self) -> None:
        self.chosen = Strips(memory=True, prediction=True, nested=True, counters=True)
        self.height: float | None = None
        self.state = TrackState()
        self.layout = Layout()
        self.wanted = self.shown = Strips()
        self._names: tuple[str, ...] = ()
        self._replicas: Replicas = {}
        # The last arrangement, and the values that it was made from.
        self._arrangement: Arrangement | None = None
        self._arranged_lanes: tuple[Lane, ...] = ()
        self._arranged_for: tuple[TrackState, Replicas] = (self.state, {})

    def strips(self, scene: Scene | None) -> Strips:
        """Return the chosen strips that have contents in a scene."""
        if scene is None:
            return Strips()
        some = self.chosen
        lanes = scene.trace.header.lanes
        return replace(
            some,
            memory=some.memory and scene.peak_bytes > 0,
            prediction=some.prediction and scene.prediction is not None,
            nested=some.nested and any(lane.role is Role.NESTED for lane in lanes),
            counters=some.counters and bool(scene.counters),
        )

    def take(self, scene: Scene | None) -> None:
        """Prepare for another run's scene; if its lanes differ, reset their order and folds."""
        lanes = _lanes(scene)
        names = tuple(lane.name for lane in lanes)
        if names != self._names:
            self._names = names
            self.state = self.state.fresh(all_folded(lanes))

    def lay_out(self, scene: Scene | None, available: float) -> None:
        """Stack the lanes of a scene into `available` pixels."""
        lanes = _lanes(scene)
        self._replicas = self.replicas(scene)
        self.wanted = self.strips(scene)
        arranged = self.arrangement(scene)
        counters = {} if scene is None else scene.counters_under
        if self.height is None:
            self.layout, self.shown = lay_out_window(
                lanes, available, self.wanted, arranged, counters
            )
        else:
            height = float(round(self.height))
            self.shown = self.wanted
            self.layout = lay_out(
                lanes, available, self.wanted, height, arranged, counters=counters
            )

    def arrangement(self, scene: Scene | None) -> Arrangement:
        """Return the arrangement of a scene's lanes."""
        lanes = _lanes(scene)
        replicas = self.replicas(scene)
        # Called for each frame and each move of the mouse. Lanes are compared by identity: a run
        # has one tuple of them, which may have thousands of elements.
        known = self._arrangement
        is_of_lanes = self._arranged_lanes is lanes
        if known is not None and is_of_lanes and self._arranged_for == (self.state, replicas):
            return known
        stacks = call_stacks(lanes, self.state.folded)
        arranged = arrange(lanes, self.state, replicas)
        arrangement = replace(arranged, stacks=stacks)
        self._arrangement = arrangement
        self._arranged_lanes = lanes
        self._arranged_for = (self.state, replicas)
        return arrangement

    def is_stale(self, scene: Scene) -> bool:
        """Return True if new spans need other groups or other strips."""
        has_new_replicas = self.replicas(scene) != self._replicas
        return has_new_replicas or self.strips(scene) != self.wanted

    def replicas(self, scene: Scene | None) -> Replicas:
        """Return the replicas of each compute lane; {} unless lanes are grouped by replica."""
        found: dict[int, tuple[int, ...]] = {}
        if scene is None or self.state.grouping is not Grouping.PIPELINE:
            return found
        for lane, facts in enumerate(scene.facts):
            if facts.replicas:
                found[lane] = facts.replicas
        return found

    def seen(self, scrolled: float, height: float) -> Layout:
        """Return the visible part of the layout, `height` pixels high."""
        return self.layout.seen(scrolled, height)

    def scale(self, factor: float) -> None:
        """Make the lanes `factor` times as high, within the limits."""
        least, most = BY_HAND
        now = self.layout.compute if self.height is None else self.height
        wanted = now * factor
        self.height = min(most, max(least, wanted))


def _lanes(scene: Scene | None) -> tuple[Lane, ...]:
    if scene is None:
        return ()
    return scene.trace.header.lanes
