"""Choices in the dialog for figures and animations: the entries of its lists, and its boxes."""

from __future__ import annotations

from core.message import N_
from core.playback.speed import REAL_TIME, SPEEDS, speed_text
from gui.app.figure_options import PRESETS
from gui.look.text import tr

Entry = tuple[str, str, str]
"""An entry of a list: text, value and tooltip."""
SHOWN = ""
"""In place of a preset: the timeline as the window shows it."""
ANIMATION = "animation"
"""In place of a preset: the step in slow motion."""
PARTS = {
    "title": (N_("Title"), N_("A line above the picture.")),
    "caption": (N_("Caption"), N_("Words below the picture.")),
    "legend": (N_("Legend"), N_("What the colours and patterns mean.")),
    "axis": (N_("Axis"), N_("The time axis.")),
    "makespan": (N_("Makespan"), N_("How long each step is.")),
    "idle": (N_("Idle time"), N_("How much of the steps each lane is idle.")),
    "totals": (N_("Totals"), N_("Bubble, formula and peak memory, below each run.")),
}
SWITCHES = ("legend", "axis", "makespan", "idle", "totals")
COLOURS = (
    (N_("Preset colours"), "", ""),
    (N_("Colours"), "colours", N_("Colours only, as in the window.")),
    (N_("Colours and patterns"), "patterns", N_("Distinguishable also without colour.")),
    (
        N_("Greyscale"),
        N_("grey"),
        N_("No colour; patterns and letters distinguish the families."),
    ),
)
HATCHING = {"colours": False, "patterns": True}
"""Choices in COLOURS that set whether a figure has patterns."""
AUTOMATIC = "automatic"
VISIBLE = "visible"
NAMED = "named"


def presets() -> list[Entry]:
    """Return the kinds of figures, and the animation."""
    entries = [(tr("As shown in the window"), SHOWN, "")]
    for preset in PRESETS.values():
        entries.append((tr(preset.title), preset.name, ""))
    entries.append((tr("Animation"), ANIMATION, tr("The step in slow motion, as GIF or WebP.")))
    return entries


def times() -> list[Entry]:
    """Return the ways to choose the time."""
    return [
        (tr("Chosen automatically"), AUTOMATIC, tr("The median step, or the last steps.")),
        (tr("What is visible"), VISIBLE, tr("Exactly the time on screen.")),
        (tr("Steps or times…"), NAMED, tr("Enter them in the field below.")),
    ]


def themes() -> list[Entry]:
    """Return the themes."""
    return [
        (tr("Light"), "light", ""),
        (tr("Dark"), "dark", ""),
    ]


def colours() -> list[Entry]:
    """Return the ways to distinguish families."""
    return [(tr(title), value, tr(line)) for title, value, line in COLOURS]


def speeds() -> list[Entry]:
    """Return the speeds of animations."""
    entries = [(tr("from the duration"), "", "")]
    for speed in SPEEDS:
        title = tr("real time") if speed == REAL_TIME else speed_text(speed)
        entries.append((title, str(speed), ""))
    return entries
