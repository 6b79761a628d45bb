"""Links the views of two timelines: scrolling or zooming one does the same to the other."""

from __future__ import annotations

from core.compare.alignment import Alignment
from gui.look.text import tr
from gui.timeline.layout.frame import Viewport
from gui.timeline.layout.moments import Origin
from gui.timeline.state.navigator import Navigator
from gui.timeline.state.timeline import TimelineState


def view_of_b(a: Viewport, alignment: Alignment, width: float) -> Viewport:
    """Return the view of B for the view `a` of A: aligned moments are at the same pixel."""
    # Uses the time per pixel, not the span, because the timelines may differ in width.
    per_pixel = a.ns_per_pixel * alignment.scale
    return Viewport(alignment.to_b(a.start), per_pixel * width, width)


def view_of_a(b: Viewport, alignment: Alignment, width: float) -> Viewport:
    """Return the view of A, `width` pixels wide, for the view `b` of B."""
    per_pixel = b.ns_per_pixel / alignment.scale
    return Viewport(alignment.to_a(b.start), per_pixel * width, width)


class LinkedViews:
    """Makes each of two timelines follow the other, from `link` until `unlink`.

    A's axis counts from the moment `zero`, and B's from the moment that is aligned with it.
    """

    def __init__(self, a: TimelineState, b: TimelineState) -> None:
        self.a = a
        self.b = b
        self.alignment = Alignment(0.0, 0.0)
        self._linked = self._moving = False
        self._seen = b.viewport
        a.view_changed.connect(self._a_moved)
        b.view_changed.connect(self._b_moved)

    def link(self, alignment: Alignment, zero: float) -> None:
        """Link the views with an alignment; B moves to the view of A."""
        self.alignment = alignment
        self._linked = True
        name = tr("alignment")
        Navigator(self.a).align(Origin(zero, name))
        Navigator(self.b).align(Origin(alignment.to_b(zero), name))
        self._move_b()

    def unlink(self) -> None:
        """Unlink the views."""
        self._linked = False
        Navigator(self.a).align(None)

    def _a_moved(self) -> None:
        if self._linked and not self._moving:
            self._move_b()

    def _b_moved(self) -> None:
        if not self._linked or self._moving:
            return
        before = self._seen
        now = self.b.viewport
        if (before.start, before.span) == (now.start, now.span):  # only the width differs
            self._move_b()
            return
        self._moving = True
        # Without `_moving`, the signal of A would move B again.
        view = view_of_a(now, self.alignment, self.a.viewport.width)
        self.a.go_to(view, "linked")
        self._moving = False
        self._seen = now

    def _move_b(self) -> None:
        self._moving = True
        view = view_of_b(self.a.viewport, self.alignment, self.b.viewport.width)
        self.b.go_to(view, "linked")
        self._moving = False
        self._seen = self.b.viewport
