"""The options that say what a figure is to be, and the way from them to a figure."""

from __future__ import annotations

import argparse

from bubblescope.cli.suggested import Suggested
from core.trace.excerpt import LANE_WORDS, RANGE_WORDS, STEP_WORDS, ExcerptOptions
from gui.app.figure_options import PRESETS, FigureOptions

LOOKS = ("theme", "width_mm", "font_pt", "scale", "hatching", "greyscale", "title", "caption")
PARTS = ("legend", "axis", "makespan", "idle")
FIGURE = ("figure", *LOOKS, *PARTS)
EXCERPT = ("steps", "lanes")
"""The names of the options that choose a part of the run for a figure alone."""


def add_figure(parser: argparse.ArgumentParser, excerpt: bool = True) -> None:
    """Add the options of a figure; those that choose a part of the run only with `excerpt`."""
    group = parser.add_argument_group("the picture")
    add = group.add_argument
    meaning = f"for print: {', '.join(PRESETS)} (default: as shown)"
    add("--figure", choices=Suggested(PRESETS), metavar="PRESET", help=meaning)
    add("--theme", choices=("light", "dark"), default="light", help="printed figures are light")
    add("--width-mm", type=_number, metavar="MM", help="width on paper (default: the preset's)")
    add("--font-pt", type=_number, metavar="PT", help="size of a figure's text")
    add("--scale", type=_number, metavar="N", help="pixels of a PNG for each 1/96 inch")
    add("--greyscale", action="store_true", help="a figure without any colour")
    add("--hatching", action=argparse.BooleanOptionalAction, help="a figure's patterns")
    add("--title", metavar="TEXT", help="instead of the run's own")
    # An empty text is no title; None, if neither is given, is the run's own.
    add("--no-title", dest="title", action="store_const", const="", help="no title")
    add("--caption", metavar="TEXT", help="instead of the figure's own")
    add("--no-caption", dest="caption", action="store_const", const="", help="no caption")
    for part in PARTS:
        add(f"--no-{part}", dest=part, action="store_false", help=f"no {part}")
    if excerpt:
        counted = "from the first measured step on"
        meaning = f"{RANGE_WORDS}, {counted}; in a report: taken as one step"
        add("--range", default="", metavar="TIMES", help=meaning)
        add("--steps", default="", metavar="STEPS", help=STEP_WORDS)
        add("--lanes", default="", metavar="LANES", help=LANE_WORDS)


def figure_options(arguments: argparse.Namespace) -> FigureOptions:
    """The figure that the options ask for. Raises ValueError, in one line, if there is none."""
    given = vars(arguments)
    # Commands that draw what they have just run offer no part of it to choose.
    chosen = "range" in given
    part = (
        ExcerptOptions(given["range"], given["steps"], given["lanes"])
        if chosen
        else ExcerptOptions()
    )
    options = FigureOptions(
        preset=given["figure"],
        excerpt=part,
        **{name: given[name] for name in (*LOOKS, *PARTS)},
    )
    options.check()
    return options


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: use a number") from None
