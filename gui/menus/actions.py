"""Everything that one can do, in one table: menus, toolbar, keys and the `?` sheet come from it."""

from __future__ import annotations

from gui.menus import arranging, file, go, view
from gui.menus.entry import Entry

__all__ = ["ENTRIES", "MENUS", "MOUSE", "Entry"]

MENUS = ("File", "Run", "View", "Go", "Help")
ENTRIES = (*file.ENTRIES, *view.ENTRIES, *arranging.ENTRIES, *go.ENTRIES)
MOUSE = (
    ("Wheel", "Zoom at the pointer."),
    ("Shift + wheel", "Pan."),
    ("Ctrl + wheel", "Make the lanes higher or lower."),
    ("Wheel over the lanes' names", "Scroll the lanes."),
    ("Click on a lane's name", "Choose the lane."),
    ("Drag of a lane's name", "Move the lane within its group."),
    ("Click on a group's heading", "Fold the group, or open it."),
    ("Middle drag, Shift + drag", "Pan."),
    ("Drag", "Select a range of time over the lanes that it touches, and count it."),
    ("Drag from the axis", "Select a range of time over all lanes."),
    ("Shift + click", "Measure from the selected span to another."),
    ("Click on a flag", "Write a mark's note."),
    ("Click", "Select a span or an idle gap."),
    ("Double-click", "Fit a span or an idle gap."),
)
