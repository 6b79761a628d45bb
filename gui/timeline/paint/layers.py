"""The rows that scroll and the pinned ones above them: each drawn within its own bounds."""

from __future__ import annotations

from dataclasses import replace

from gui.timeline.layout.frame import Frame


def layers(frame: Frame) -> list[Frame]:
    """The frame of the rows that scroll, and that of the pinned ones if there are any.

    Each can be seen from its ceiling to its floor, where the other one ends.
    """
    parts = frame.layout.layers()
    if len(parts) == 1:
        return [frame]
    edge = frame.ceiling + frame.layout.band
    return [
        replace(frame, layout=parts[0], ceiling=edge),
        replace(frame, layout=parts[1], floor=edge),
    ]
