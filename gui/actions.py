"""Everything that one can do, in one table: menus, toolbar, keys and the `?` sheet come from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """An action: `slot` is the path of a method from the window, such as `timeline.fit`.

    `menu` may be a submenu, such as `View/Colour by`. `keys` may be several, joined by ` or `, or
    none. Of a `group` one is chosen at a time, and its slot is called with its `value`.
    """

    name: str
    menu: str
    text: str
    keys: str
    tip: str
    slot: str
    checkable: bool = False
    group: str = ""
    value: str = ""


MENUS = ("File", "Run", "View", "Go", "Help")
ENTRIES = (
    Entry(
        "open", "File", "Open recording…", "Ctrl+O", "Open a recording from a file.", "files.open"
    ),
    Entry(
        "save",
        "File",
        "Save recording…",
        "Ctrl+S",
        "Save the run that is shown as a recording.",
        "files.save",
    ),
    Entry(
        "export",
        "File",
        "Export figure…",
        "Ctrl+E",
        "Write the last measured steps as PNG, SVG or PDF.",
        "files.export",
    ),
    Entry(
        "export_visible",
        "File",
        "Export visible range…",
        "Ctrl+Shift+E",
        "Write exactly the time that is visible as PNG, SVG or PDF.",
        "files.export_visible",
    ),
    Entry(
        "close_tab",
        "File",
        "Close tab",
        "Ctrl+W",
        "Close the run that is shown; it goes on, and stays in the Runs panel.",
        "tabs.close_current",
    ),
    Entry("quit", "File", "Quit", "Ctrl+Q", "End the engine and close the window.", "close"),
    Entry("run", "Run", "Run", "F5", "Run what the form says.", "run"),
    Entry(
        "stop",
        "Run",
        "Stop",
        "Shift+F5",
        "Stop the run; what was recorded is kept.",
        "session.stop",
    ),
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
        "fit",
        "View",
        "Fit",
        "F",
        "Fit the selection; again, or without one, everything, the lanes' height too.",
        "timeline.fit",
    ),
    Entry("zoom_in", "View", "Zoom in", "W", "Show less time in more detail.", "timeline.zoom_in"),
    Entry("zoom_out", "View", "Zoom out", "S", "Show more time.", "timeline.zoom_out"),
    Entry("pan_left", "View", "Earlier", "A", "Move to an earlier time.", "timeline.pan_left"),
    Entry("pan_right", "View", "Later", "D", "Move to a later time.", "timeline.pan_right"),
    Entry(
        "zoom_back",
        "View",
        "Back to the last view",
        "Ctrl+Z or Alt+Left",
        "Take the last zoom, pan, fit or change of the lanes back.",
        "timeline.zoom_back",
    ),
    Entry(
        "zoom_forward",
        "View",
        "Forward again",
        "Ctrl+Shift+Z or Alt+Right",
        "Go to the view that you came back from.",
        "timeline.zoom_forward",
    ),
    Entry(
        "previous",
        "Go",
        "Previous span",
        ",",
        "Select the previous span on the lane.",
        "timeline.previous_span",
    ),
    Entry(
        "next", "Go", "Next span", ".", "Select the next span on the lane.", "timeline.next_span"
    ),
    Entry(
        "dependency",
        "Go",
        "What it waited for",
        "[",
        "Select the span that the selected one waited for.",
        "timeline.dependency",
    ),
    Entry(
        "dependent",
        "Go",
        "What waited for it",
        "]",
        "Select the span that waited for the selected one.",
        "timeline.dependent",
    ),
    Entry(
        "bubble",
        "Go",
        "Longest bubble",
        "B",
        "Select and fit the longest idle gap on screen; again, the next longest.",
        "next_bubble",
    ),
    Entry(
        "longer_bubble",
        "Go",
        "Bubble before",
        "Shift+B",
        "Go back to the bubble that was longer.",
        "previous_bubble",
    ),
    Entry(
        "next_tab",
        "Go",
        "Next tab",
        "Ctrl+Tab or Ctrl+PgDown",
        "Show the next open run.",
        "tabs.next",
    ),
    Entry(
        "previous_tab",
        "Go",
        "Previous tab",
        "Ctrl+Shift+Tab or Ctrl+PgUp",
        "Show the open run before.",
        "tabs.previous",
    ),
    Entry(
        "next_pane",
        "Go",
        "Next part of the window",
        "F6",
        "Move between form, timeline and panels.",
        "next_pane",
    ),
    Entry(
        "previous_pane",
        "Go",
        "Part before",
        "Shift+F6",
        "Move back between form, timeline and panels.",
        "previous_pane",
    ),
    Entry(
        "clear", "Go", "Select nothing", "Esc", "Clear the selection.", "timeline.clear_selection"
    ),
    Entry(
        "commands",
        "Help",
        "Find a command…",
        "Ctrl+Shift+P",
        "Find anything that can be done by a few letters.",
        "command_palette.toggle",
    ),
    Entry(
        "first_page",
        "Help",
        "First page",
        "F1",
        "Show samples, things to try and recent files.",
        "show_first_page",
    ),
    Entry(
        "sheet",
        "Help",
        "Keys and mouse",
        "?",
        "Show every key and what the mouse does.",
        "show_sheet",
    ),
)
MOUSE = (
    ("Wheel", "Zoom at the pointer."),
    ("Shift + wheel", "Pan."),
    ("Ctrl + wheel", "Make the lanes higher or lower."),
    ("Wheel over the lanes' names", "Scroll the lanes."),
    ("Middle drag, Shift + drag", "Pan."),
    ("Drag", "Select a range and measure it."),
    ("Click", "Select a span or an idle gap."),
    ("Double-click", "Fit a span or an idle gap."),
)
