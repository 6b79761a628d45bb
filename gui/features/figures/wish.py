"""Requests for figures and animations, as the dialog makes them."""

from __future__ import annotations

from dataclasses import dataclass

from gui.app.animation_options import AnimationOptions
from gui.app.figure_options import FigureOptions
from gui.features.compare.chooser import Other


@dataclass(frozen=True, slots=True)
class Wish:
    """A request for a figure or, with `animation`, for an animation.

    `visible` asks for exactly the time on screen. `others` are the runs below the run shown.
    """

    options: FigureOptions
    visible: bool
    others: tuple[Other, ...] = ()
    animation: AnimationOptions | None = None
