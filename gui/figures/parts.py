"""The parts of a laid out figure, as values: runs, panels, lanes with their boxes, legend."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.plan.plan import Lane, Role
from gui.app.figure_options import FigureOptions
from gui.figures.looks import BoxLook
from gui.figures.shown import Range
from gui.figures.style import Face, Style
from gui.timeline.layout.frame import Viewport
from gui.timeline.state.lane_facts import helper_name
from gui.timeline.state.scene import Scene


@dataclass(frozen=True, slots=True)
class FigureRun:
    """A run for a figure: its scene, the range to show, and its heading among other runs."""

    scene: Scene
    shown: Range
    heading: str = ""


@dataclass(frozen=True, slots=True)
class LaneBoxes:
    """The n boxes of a lane from `left` to `right`, in units from the plot's left edge.

    `share` is the filled share of a box's height, `family` an index into FAMILIES. If each box is
    one span, `first` is the index of the first one and `per_cell` is 0. If spans are summed up,
    `first` is None and `per_cell` is the average number of spans in a cell, the narrowest box.
    """

    left: NDArray[np.floating]
    right: NDArray[np.floating]
    share: NDArray[np.floating]
    family: NDArray[np.int8]
    first: int | None
    per_cell: float


@dataclass(frozen=True, slots=True)
class Row:
    """A lane of a figure; `idle` is the text at its right end."""

    lane: Lane
    top: float
    height: float
    boxes: LaneBoxes
    idle: str

    @property
    def helper(self) -> bool:
        """True unless it is a compute lane."""
        return self.lane.role is not Role.COMPUTE

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height


@dataclass(frozen=True, slots=True)
class Panel:
    """A run in a figure, from `top` to `bottom`, where its lanes end.

    `view` has one pixel per unit of the run's part of the plot. `band` is the top of the band with
    the makespans. The lines of `totals` begin at `totals_top`: below the heading of one of several
    runs, and below the axis of a single run.
    """

    run: FigureRun
    view: Viewport
    top: float
    band: float
    rows: tuple[Row, ...]
    totals: list[str]
    totals_top: float
    bottom: float


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """An entry of the legend: its looks from top to bottom, and their meaning."""

    looks: tuple[BoxLook, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Textbook:
    """A figure in units (tenths of a point), ready to be drawn.

    The plot reaches from `left` to `right`; `axis_top`, `legend_top` and `caption_top` are the
    upper edges of axis, legend and caption.
    """

    style: Style
    options: FigureOptions
    title: list[str]
    title_face: Face
    panels: tuple[Panel, ...]
    legend: list[list[KeyEntry]]
    caption: list[str]
    left: float
    right: float
    axis_top: float
    legend_top: float
    caption_top: float
    height: float


def lane_name(lane: Lane) -> str:
    """Return a lane's name, which is short for a lane that serves the compute lane above it."""
    return lane.name if lane.role is Role.COMPUTE else helper_name(lane)
