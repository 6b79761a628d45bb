"""The options of figures."""

from __future__ import annotations

import argparse

from bubblescope.cli.suggested import Suggested
from core.trace.excerpt import LANE_FORM, RANGE_FORM, STEP_FORM, ExcerptOptions
from gui.app.figure_options import PRESETS, FigureOptions

LOOKS = ("theme", "width_mm", "font_pt", "scale", "hatching", "greyscale", "title", "caption")
ONLY_STILL = ("font_pt", "hatching", "greyscale")
"""Looks that an animation does not have."""
PART_WORDS = {
    "legend": "legend",
    "axis": "axis",
    "makespan": "makespan",
    "idle": "idle time",
    "totals": "bubble, formula and memory below each run",
}
PARTS = tuple(PART_WORDS)
FIGURE = ("figure", *LOOKS, *PARTS)
EXCERPT = ("steps", "lanes")
"""Names of the options that select a part of the run, and apply to figures only."""


def add_figure(parser: argparse.ArgumentParser, excerpt: bool = True) -> None:
    """Add the options of a figure; with `excerpt`, also options that select a part of the run."""
    group = parser.add_argument_group("figure")
    add = group.add_argument
    meaning = f"preset for print: {', '.join(PRESETS)} (default: as shown)"
    add("--figure", choices=Suggested(PRESETS), metavar="PRESET", help=meaning)
    add(
        "--theme",
        choices=("light", "dark"),
        default="light",
        help="figures for print are always light",
    )
    add(
        "--width-mm",
        type=_number,
        metavar="MM",
        help="width on paper (default: the preset's)",
    )
    add("--font-pt", type=_number, metavar="PT", help="font size of a figure")
    add("--scale", type=_number, metavar="N", help="pixels of a PNG for each 1/96 inch")
    add("--greyscale", action="store_true", help="draw a figure without colours")
    add("--hatching", action=argparse.BooleanOptionalAction, help="patterns in addition to colours")
    add("--title", metavar="TEXT", help="title (default: the run's)")
    # "" is no title; None, if neither option is given, is the title of the run.
    add("--no-title", dest="title", action="store_const", const="", help="no title")
    add("--caption", metavar="TEXT", help="caption (default: the figure's)")
    add("--no-caption", dest="caption", action="store_const", const="", help="no caption")
    for part, words in PART_WORDS.items():
        add(f"--no-{part}", dest=part, action="store_false", help=f"omit the {words}")
    if excerpt:
        counted = "counted from the first measured step"
        meaning = f"{RANGE_FORM}, {counted}; a report takes it as one step"
        add("--range", default="", metavar="TIMES", help=meaning)
        add("--steps", default="", metavar="STEPS", help=str(STEP_FORM))
        add("--lanes", default="", metavar="LANES", help=str(LANE_FORM))


def figure_options(arguments: argparse.Namespace) -> FigureOptions:
    """Return the figure that the options describe. Raises ValueError, in one line, if invalid."""
    given = vars(arguments)
    excerpt = ExcerptOptions()
    # Commands that draw the run that they have just made have no options for a part of it.
    if "range" in given:
        excerpt = ExcerptOptions(given["range"], given["steps"], given["lanes"])
    looks = {name: given[name] for name in (*LOOKS, *PARTS)}
    options = FigureOptions(preset=given["figure"], excerpt=excerpt, **looks)
    options.check()
    return options


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: use a number") from None
