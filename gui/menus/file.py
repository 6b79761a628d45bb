"""What the menus File and Run offer."""

from __future__ import annotations

from gui.menus.entry import Entry

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
        "Make a figure for a slide or a paper: see it, save it, copy it.",
        "exporting.open",
    ),
    Entry(
        "export_visible",
        "File",
        "Export visible range…",
        "Ctrl+Shift+E",
        "Write exactly the time that is visible as PNG, SVG or PDF.",
        "exporting.export_visible",
    ),
    Entry(
        "copy_visible",
        "File",
        "Copy visible range",
        "Ctrl+C",
        "Copy exactly what is visible, as an image and as SVG.",
        "exporting.copy_visible",
    ),
    Entry(
        "report",
        "File",
        "Export report…",
        "Ctrl+Shift+R",
        "Write a page of HTML with pictures and tables of the run.",
        "exporting.export_report",
    ),
    Entry(
        "export_spans",
        "File",
        "Export spans as CSV…",
        "",
        "Write all spans, or those that the table shows, a line each.",
        "panels.spans.ask_where_to_save",
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
)
