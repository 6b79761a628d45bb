"""Layout of figures in textbook style: computes the places of all parts from measured times."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from core.explain.balance import lane_balance
from core.plan.plan import Lane, Role, working_lanes
from core.trace.excerpt import resolve_lanes
from gui.app.figure_options import FigureOptions
from gui.figures.lane_boxes import boxes_of_runs
from gui.figures.legend import legend_lines
from gui.figures.parts import FigureRun, KeyEntry, LaneBoxes, Panel, Row, Textbook, lane_name
from gui.figures.style import MM, PT, Face, Style
from gui.figures.totals import totals_text
from gui.look.families import FAMILIES, Family, family_of
from gui.look.text import NO_BREAK, percent_text, tr
from gui.timeline.layout.frame import Viewport

LEAST_BOX = 0.4 * PT  # height of a box
MOST_HEIGHT = 240 * MM  # of a figure on a page; figures with many lanes have lower boxes
HELPER = 0.42  # height of a box of a lane that only transfers data, relative to other boxes
NUMBERED = (
    Family.FORWARD,
    Family.BACKWARD,
    Family.BACKWARD_INPUT,
    Family.BACKWARD_WEIGHT,
    Family.OVERLAP,
)
"""Families whose boxes may show only the number of their micro-batch."""
PANELS = 0.9  # em between two runs
GAP = 0.28  # em between two lanes
MOST_GAP = 0.3  # of a box's height, between two lanes
NAMES = 0.3  # of a figure's width, which lanes' names may take
LEAST_PLOT = 6.0  # em, the width of the plot between the lanes' names and idle times


@dataclass(frozen=True, slots=True)
class _Request:
    """The runs of a figure, the lanes of each run, the options and the style."""

    runs: Sequence[FigureRun]
    lanes: list[list[Lane]]
    options: FigureOptions
    style: Style

    @property
    def inner_width(self) -> float:
        """The width of the figure without its edges, in units."""
        return self.style.width - 2 * self.style.edge


@dataclass(frozen=True, slots=True)
class _RunParts:
    """A run with its view, its lanes and their boxes, and the lines of its totals."""

    run: FigureRun
    view: Viewport
    lanes: Sequence[Lane]
    boxes: Sequence[LaneBoxes]
    totals: list[str]


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts around the lanes, in lines that fit the figure's width; `totals` is by run."""

    title: list[str]
    title_face: Face
    legend: list[list[KeyEntry]]
    caption: list[str]
    totals: list[list[str]]


@dataclass(frozen=True, slots=True)
class _Heights:
    """The heights of a figure's parts, in units.

    `below_axis` is the height of a single run's totals, which are below the axis. `box` is a box of
    a compute lane, and `gap` the space between two lanes. `spare` is the free height of a slide,
    whose height is fixed.
    """

    head: float
    axis: float
    below_axis: float
    legend: float
    caption: float
    box: float
    gap: float
    spare: float


def lay_out_textbook(
    runs: Sequence[FigureRun],
    options: FigureOptions,
    title: str,
    caption: str,
    colours: Mapping[str, str] = MappingProxyType({}),
) -> Textbook:
    """Return a figure of the runs, stacked above a common axis.

    `colours` are the user's. Raises ValueError for lanes that a run lacks, and for a width
    that is too small for the lanes' names.
    """
    style = Style.of(options, colours)
    lanes = [_lanes(run, options) for run in runs]
    request = _Request(runs, lanes, options, style)
    left, right = _plot_edges(request)
    views = [_view(run, runs, right - left) for run in runs]
    boxes = boxes_of_runs(runs, lanes, views)
    # Widths first, then heights: the number of lines of legend and caption follows from the width,
    # and the boxes get the remaining height.
    texts = _texts(request, boxes, title, caption)
    heights = _heights(request, texts)
    panels: list[Panel] = []
    y = heights.head + heights.spare / 2
    for number, run in enumerate(runs):
        if number:
            y += PANELS * style.em
        parts = _RunParts(run, views[number], lanes[number], boxes[number], texts.totals[number])
        panel = _panel(request, parts, heights, y)
        panels.append(panel)
        y = panel.bottom
    below_axis = y + heights.axis + heights.below_axis
    if len(runs) == 1:
        lines_height = style.small.line * len(texts.totals[0])
        panels = [replace(panels[0], totals_top=below_axis - lines_height)]
    legend_top = below_axis + heights.spare / 2
    caption_top = legend_top + heights.legend
    bottom = caption_top + heights.caption + style.edge
    return Textbook(
        style=style,
        options=options,
        title=texts.title,
        title_face=texts.title_face,
        panels=tuple(panels),
        legend=texts.legend,
        caption=texts.caption,
        left=left,
        right=right,
        axis_top=y,
        legend_top=legend_top,
        caption_top=caption_top,
        height=max(style.height or 0.0, bottom),
    )


def _texts(request: _Request, boxes: list[list[LaneBoxes]], title: str, caption: str) -> _Texts:
    """Return the texts around the lanes, in lines that fit the figure's width."""
    runs = request.runs
    style = request.style
    inner = request.inner_width
    # The headings of several runs are bold, and the title is not.
    title_face = style.bold if len(runs) == 1 else style.base
    legend: list[list[KeyEntry]] = []
    if request.options.legend:
        legend = legend_lines(runs, request.lanes, boxes, style, inner)
    return _Texts(
        title=title_face.wrapped(title, inner),
        title_face=title_face,
        legend=legend,
        caption=_caption_lines(request, boxes, caption),
        totals=[_totals(request, run) for run in runs],
    )


def _caption_lines(request: _Request, boxes: list[list[LaneBoxes]], caption: str) -> list[str]:
    """Return the lines of the caption, and of the notes on the boxes."""
    style = request.style
    if request.options.caption is None and _has_numbers(request.runs, boxes, style):
        numbers = tr("Numbers are micro-batches.")
        caption = f"{caption} {numbers}"
    lines = style.base.wrapped(caption, request.inner_width)
    return lines + _reduction_note(boxes, style, request.inner_width)


def _heights(request: _Request, texts: _Texts) -> _Heights:
    """Return the heights; the boxes get the room that the other parts leave."""
    runs = request.runs
    style = request.style
    axis, legend, caption = _foot_heights(request, texts)
    # The totals of a single run, which has no heading, are below the axis.
    below_axis = 0.0
    if len(runs) == 1:
        below_axis = _totals_height(texts.totals[0], style)
    foot = axis + below_axis + legend + caption
    head = style.edge + texts.title_face.line * len(texts.title)
    if texts.title:
        head += 0.35 * style.em
    above_lanes = PANELS * style.em * (len(runs) - 1)
    for run, totals in zip(runs, texts.totals, strict=True):
        heading, band = _heading_heights(request, run, totals)
        above_lanes += heading + band
    around = head + foot + style.edge + above_lanes
    box = _box_height(request, around)
    gap = min(GAP * style.em, MOST_GAP * box)
    boxes_height = box * sum(map(_count_boxes, request.lanes))
    gaps_height = gap * sum(map(_count_gaps, request.lanes))
    needed = around + boxes_height + gaps_height
    # One half of a slide's free height is above the lanes, the other half below the axis.
    spare = max(0.0, (style.height or 0.0) - needed)
    return _Heights(
        head=head,
        axis=axis,
        below_axis=below_axis,
        legend=legend,
        caption=caption,
        box=box,
        gap=gap,
        spare=spare,
    )


def idle_text(run: FigureRun, lane: Lane) -> str:
    """Return a lane's idle share of the shown steps; "" for lanes that only transfer data."""
    if lane.role is not Role.COMPUTE or not run.shown.steps:
        return ""
    balance = lane_balance(run.scene.trace, lane.index, run.shown.steps)
    return percent_text(balance.time.idle_fraction)


def _plot_edges(request: _Request) -> tuple[float, float]:
    """Return the left and right edge of the plot, between the lanes' names and idle times.

    Raises ValueError if the plot would be narrower than LEAST_PLOT.
    """
    style = request.style
    widest_name = 0.0
    for of_run in request.lanes:
        for lane in of_run:
            width = style.base.width(lane_name(lane))
            widest_name = max(widest_name, width)
    before_plot = style.edge + 0.5 * style.em
    after_plot = style.edge
    if request.options.idle and any(run.shown.steps for run in request.runs):
        widest_share = style.small.width(f"99.9{NO_BREAK}%")
        idle = max(widest_share, style.small.width(tr("idle")))
        after_plot += idle + 0.5 * style.em
    else:
        after_plot += style.line
    without_names = before_plot + LEAST_PLOT * style.em + after_plot
    least_width = min(without_names + widest_name, without_names / (1 - NAMES))
    if style.width < least_width:
        raise ValueError(
            tr(
                "a width of {width} mm is too small for the lanes' names and this size of text: "
                "use at least {least} mm, or smaller text",
                width=f"{style.width / MM:g}",
                least=math.ceil(least_width / MM),
            )
        )
    names = min(widest_name, NAMES * style.width)
    return before_plot + names, style.width - after_plot


def _view(run: FigureRun, runs: Sequence[FigureRun], width: float) -> Viewport:
    """Return a run's view: all runs have the same scale, and the longest one fills the plot."""
    longest = max(other.shown.span for other in runs)
    start = run.shown.start
    span = run.shown.span
    return Viewport(float(start), float(span), width=width * span / longest)


def _has_numbers(runs: Sequence[FigureRun], boxes: list[list[LaneBoxes]], style: Style) -> bool:
    """Return True if a run has micro-batches, and a box of a pass has room for a number."""
    if not any(map(_has_microbatches, runs)):
        return False
    least = style.number.pixels
    codes = [FAMILIES.index(family) for family in NUMBERED]
    for of_run in boxes:
        for lane in of_run:
            if lane.first is None:
                continue  # boxes that sum up spans have no number
            is_numbered = np.isin(lane.family, codes)
            widths = (lane.right - lane.left)[is_numbered]
            if widths.max(initial=0) >= least:
                return True
    return False


def _has_microbatches(run: FigureRun) -> bool:
    numbers = run.scene.trace.table.rows["microbatch"]
    return bool((numbers > 0).any())


def _reduction_note(boxes: list[list[LaneBoxes]], style: Style, room: float) -> list[str]:
    """Return the lines of a note that boxes sum up spans; [] if none does."""
    most = 0.0
    for of_run in boxes:
        for lane in of_run:
            most = max(most, lane.per_cell)
    if not most:
        return []
    text = tr("Reduced detail: on average up to {spans} spans in one mark.", spans=f"{most:,.1f}")
    return style.base.wrapped(text, room)


def _foot_heights(request: _Request, texts: _Texts) -> tuple[float, float, float]:
    """Return the heights of axis, legend and caption, each with the space above it."""
    style = request.style
    em = style.em
    axis = 0.2 * em
    if request.options.axis:
        axis = 0.5 * em + style.small.line
    legend = 0.0
    if texts.legend:
        entries_height = 1.35 * em * len(texts.legend)
        legend = 0.5 * em + entries_height
    caption = 0.0
    if texts.caption:
        lines_height = style.base.line * len(texts.caption)
        caption = 0.4 * em + lines_height
    return axis, legend, caption


def _box_height(request: _Request, around: float) -> float:
    """Return the style's height of a box, or less if the page has no room for it."""
    style = request.style
    boxes = sum(map(_count_boxes, request.lanes))
    gaps = sum(map(_count_gaps, request.lanes))
    free = (style.height or MOST_HEIGHT) - around
    gap = GAP * style.em
    box = (free - gap * gaps) / max(1.0, boxes)
    # Between low boxes, gaps are a share of the box height instead: GAP would be too high.
    if box * MOST_GAP < gap:
        box = free / max(1.0, boxes + MOST_GAP * gaps)
    tallest = style.tallest
    if any(map(_has_overlaps, request.runs)):
        # The two halves of a box have a line of text each, so the box may be higher.
        tallest *= 1.4
    return max(LEAST_BOX, min(tallest, box))


def _has_overlaps(run: FigureRun) -> bool:
    return any(family_of(kind) is Family.OVERLAP for kind in run.scene.kinds)


def _count_boxes(lanes: Sequence[Lane]) -> float:
    """Return the height of the lanes without gaps, in heights of a compute lane's box."""
    return sum(1.0 if lane.role is Role.COMPUTE else HELPER for lane in lanes)


def _count_gaps(lanes: Sequence[Lane]) -> int:
    """Return the number of gaps between the lanes."""
    return max(0, len(lanes) - 1)


def _lanes(run: FigureRun, options: FigureOptions) -> list[Lane]:
    """Return the lanes to show, each followed by the lanes that transfer data for it.

    Lanes of the blocks inside a pass are shown only if the options name them. Raises ValueError
    for named lanes that the run lacks.
    """
    chosen = resolve_lanes(options.excerpt, run.scene.trace.header.lanes)
    if not options.excerpt.lanes:
        chosen = working_lanes(chosen)
    return sorted(chosen, key=lambda lane: (lane.serves, lane.index))


def _heading_heights(
    request: _Request, run: FigureRun, totals: Sequence[str]
) -> tuple[float, float]:
    """Return the heights of a run's heading with its totals, and of the band with its makespan."""
    options = request.options
    style = request.style
    heading = 0.0
    if run.heading:
        totals_height = style.small.line * len(totals)
        heading = style.bold.line + totals_height + 0.1 * style.em
    band = 0.2 * style.em
    if run.shown.steps and (options.makespan or options.idle):
        band = 1.3 * style.em
    return heading, band


def _panel(request: _Request, parts: _RunParts, heights: _Heights, top: float) -> Panel:
    """Return a run's panel, which begins at `top`."""
    run = parts.run
    heading, band = _heading_heights(request, run, parts.totals)
    rows: list[Row] = []
    y = top + heading + band
    for lane, boxes in zip(parts.lanes, parts.boxes, strict=True):
        height = heights.box
        if lane.role is not Role.COMPUTE:
            height = HELPER * heights.box
        idle = idle_text(run, lane) if request.options.idle else ""
        rows.append(Row(lane, y, height, boxes, idle))
        y += height + heights.gap
    band_top = top + heading
    return Panel(
        run=run,
        view=parts.view,
        top=top,
        band=band_top,
        rows=tuple(rows),
        totals=parts.totals,
        totals_top=top + request.style.bold.line,
        bottom=rows[-1].bottom if rows else band_top,
    )


def _totals(request: _Request, run: FigureRun) -> list[str]:
    """Return the lines of a run's totals; [] if the options leave them out."""
    if not request.options.totals:
        return []
    text = totals_text(run.scene, run.shown)
    return request.style.small.wrapped(text, request.inner_width)


def _totals_height(lines: Sequence[str], style: Style) -> float:
    """Return the height of totals below the axis, with the space above them."""
    if not lines:
        return 0.0
    lines_height = style.small.line * len(lines)
    return 0.3 * style.em + lines_height
