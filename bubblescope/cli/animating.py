"""Animations: the options and the writer."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bubblescope.cli.drawing import loading_qt
from core.trace.trace import Trace
from gui.app.animation_options import AnimationOptions
from gui.app.figure_options import FigureOptions

ANIMATION = ("other", "speed", "seconds")
"""Names of the options that apply to animations only."""


def add_animation(parser: argparse.ArgumentParser) -> None:
    """Add the options of an animation."""
    group = parser.add_argument_group("animation")
    add = group.add_argument
    add("--animation", metavar="FILE", help="the step in slow motion: *.gif or *.webp")
    second = "a second run below the first, on the same clock; the shorter one waits"
    add("--with", dest="other", metavar="RECORDING", help=second)
    add("--speed", type=float, metavar="SHARE", help="share of real time, such as 0.02")
    add("--seconds", type=float, metavar="N", help="length of the animation (default: 8)")


def animation_options(arguments: argparse.Namespace, figure: FigureOptions) -> AnimationOptions:
    """Return the animation that the options describe. Raises ValueError, in one line."""
    options = AnimationOptions(figure, arguments.speed, arguments.seconds)
    if arguments.animation is not None:
        options.check()
    return options


def write_animation(traces: Sequence[Trace], path: Path, options: AnimationOptions) -> None:
    """Write an animation. Raises ValueError, in one line, if it cannot be drawn or written."""
    with loading_qt():
        from gui.figures.animation import animate
        from gui.figures.picture import application

    with application():
        for _ in animate(traces, path, options):
            pass
