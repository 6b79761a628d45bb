"""How high the lanes are and what stands under them: what is wanted, and the layout it gives."""

from __future__ import annotations

from gui.timeline.rows import BY_HAND, Layout, Strips, lay_out
from gui.timeline.scene import Scene


class LaneStack:
    """What the user wants of the rows. `height` is a compute lane's; None is what fits.

    `path` is the critical path, which is drawn over them.
    """

    def __init__(self) -> None:
        self.memory = self.prediction = True
        self.path = False
        self.height: float | None = None
        self.layout = Layout()

    def strips(self, scene: Scene | None) -> Strips:
        """The strips that are wanted and for which there is something to show."""
        if scene is None:
            return Strips()
        return Strips(
            self.memory and scene.most_held > 0,
            self.prediction and scene.prediction is not None,
            self.path,
        )

    def lay_out(self, scene: Scene | None, available: float) -> Layout:
        """Stack the lanes of a scene into `available` pixels."""
        lanes = () if scene is None else scene.trace.header.lanes
        height = None if self.height is None else float(round(self.height))
        self.layout = lay_out(lanes, available, self.strips(scene), height)
        return self.layout

    def scale(self, factor: float) -> None:
        """Want lanes that are `factor` times as high, within the limits."""
        least, most = BY_HAND
        now = self.layout.compute if self.height is None else self.height
        self.height = min(most, max(least, now * factor))
