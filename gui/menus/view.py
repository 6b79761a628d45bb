"""What the menu View offers, but for its submenus."""

from __future__ import annotations

from gui.menus.entry import Entry

ENTRIES = (
    Entry(
        "follow",
        "View",
        "Follow",
        "Ctrl+L",
        "Go to the present and stay with it, at this zoom.",
        "set_following",
        True,
    ),
    Entry(
        "theme",
        "View",
        "Dark colours",
        "Ctrl+T",
        "Change between light and dark colours.",
        "toggle_theme",
        True,
    ),
    Entry(
        "memory",
        "View",
        "Memory",
        "Ctrl+M",
        "Show what each lane holds in memory, below it.",
        "show_memory",
        True,
    ),
    Entry(
        "prediction",
        "View",
        "Prediction",
        "Ctrl+P",
        "Show the prediction below each lane, where there is one.",
        "show_prediction",
        True,
    ),
    Entry(
        "critical_path",
        "View",
        "Critical path",
        "C",
        "Outline the tasks that make each step on screen as long as it is.",
        "show_critical_path",
        True,
    ),
    Entry(
        "nested",
        "View",
        "Blocks",
        "N",
        "Show the blocks inside forwards and backwards, where they were recorded.",
        "lane_menu.show_nested",
        True,
    ),
    Entry(
        "colours",
        "View",
        "Colours…",
        "",
        "Choose the colours of forward, backward and the others.",
        "colours.edit",
    ),
    Entry(
        "fit",
        "View",
        "Fit",
        "F",
        "Fit the selection; again, or without one, everything, the lanes' height too.",
        "timeline.navigator.fit",
    ),
    Entry(
        "zoom_in",
        "View",
        "Zoom in",
        "W",
        "Show less time in more detail.",
        "timeline.navigator.zoom_in",
    ),
    Entry("zoom_out", "View", "Zoom out", "S", "Show more time.", "timeline.navigator.zoom_out"),
    Entry(
        "pan_left",
        "View",
        "Earlier",
        "A",
        "Move to an earlier time.",
        "timeline.navigator.pan_left",
    ),
    Entry(
        "pan_right", "View", "Later", "D", "Move to a later time.", "timeline.navigator.pan_right"
    ),
    Entry(
        "zoom_back",
        "View",
        "Back to the last view",
        "Ctrl+Z or Alt+Left",
        "Take the last zoom, pan, fit or change of the lanes back.",
        "timeline.navigator.zoom_back",
    ),
    Entry(
        "zoom_forward",
        "View",
        "Forward again",
        "Ctrl+Shift+Z or Alt+Right",
        "Go to the view that you came back from.",
        "timeline.navigator.zoom_forward",
    ),
)
