"""Gestures of the mouse in the timeline."""

from __future__ import annotations

from core.message import N_

MOUSE = {
    N_("Wheel"): N_("Zoom at the pointer."),
    N_("Shift + wheel"): N_("Pan."),
    N_("Ctrl + wheel"): N_("Make the lanes higher or lower."),
    N_("Wheel over the lanes' names"): N_("Scroll the lanes."),
    N_("Click on a lane's name"): N_("Choose the lane."),
    N_("Drag a lane's name"): N_("Move the lane within its group."),
    N_("Click on a group's heading"): N_("Fold the group, or open it."),
    N_("Middle drag, Shift + drag"): N_("Pan."),
    N_("Drag"): N_("Select a range of time on the lanes it touches, for the Statistics panel."),
    N_("Drag a bar of a predicted run"): N_("Move the pass in its lane, on the board."),
    N_("Drag from the axis"): N_("Select a range of time over all lanes."),
    N_("Shift + click"): N_("Measure from the selected span to another."),
    N_("Click on a flag"): N_("Write a mark's note."),
    N_("Click"): N_("Select a span or an idle gap."),
    N_("Double-click"): N_("Fit a span or an idle gap."),
}
"""Gestures, and the effect of each."""
