"""Layout of figures in the style of textbooks, with measured times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from core.explain.balance import lane_balance
from core.plan.plan import Lane, Role, working_lanes
from core.trace.excerpt import resolve_lanes
from gui.app.figure_options import FigureOptions
from gui.figures.looks import BoxLook
from gui.figures.shown import Range
from gui.figures.style import MM, PT, Face, Style
from gui.figures.totals import totals_text
from gui.look.families import FAMILIES, Family, family_of, family_texts
from gui.look.text import NO_BREAK, percent_text, tr
from gui.look.writing import in_lines
from gui.timeline.layout.frame import Viewport
from gui.timeline.paint.boxes import boxes_of
from gui.timeline.reduce.reduction import PixelColumns, reduce_lane
from gui.timeline.state.lane_facts import helper_name
from gui.timeline.state.scene import Scene

CELL = 0.25 * PT  # width within which spans that are close together are summed up
MOST_CELLS = 400_000  # in all lanes together
LEAST_BOX = 0.4 * PT
LEAST_GAP = 0.3  # share of a low box's height
MOST_HEIGHT = 240 * MM  # a page; figures with many lanes have lower boxes
SWATCH = 1.7  # em, width of a legend's box
SPACE = 1.1  # em between two entries of the legend
HELPER = 0.42  # share of a box's height, for lanes that only transfer data
NUMBERED = (
    Family.FORWARD,
    Family.BACKWARD,
    Family.BACKWARD_INPUT,
    Family.BACKWARD_WEIGHT,
    Family.OVERLAP,
)
"""The families whose boxes may show only the number of their micro-batch."""
PANELS = 0.9  # em between two runs
GAP = 0.28  # em between two lanes


@dataclass(frozen=True, slots=True)
class LaneBoxes:
    """The n boxes of a lane from `left` to `right`, in units from the plot's left edge.

    `share` is the filled share of a box's height, `family` an index into FAMILIES. If each box is
    one span, `first` is the index of the first one; it is None if spans are summed up.
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
        """True if the lane only transfers data."""
        return self.lane.role is not Role.COMPUTE

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height


@dataclass(frozen=True, slots=True)
class Panel:
    """A run in a figure. `view` has one pixel per unit of the run's part of the plot.

    The lines of its `totals` begin at `totals_top`: below the heading of one of several runs, and
    below the axis of a single run. Its lanes end at `bottom`.
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


@dataclass(frozen=True, slots=True)
class FigureRun:
    """A run for a figure: its scene, the range to show, and its heading among other runs."""

    scene: Scene
    shown: Range
    heading: str = ""


def lay_out_textbook(
    runs: Sequence[FigureRun],
    options: FigureOptions,
    title: str,
    caption: str,
    colours: Mapping[str, str] = MappingProxyType({}),
) -> Textbook:
    """Stack the runs on one axis; `colours` are the user's.

    Raises ValueError for lanes that a run lacks.
    """
    style = Style.of(options, colours)
    lanes = [_lanes(run, options) for run in runs]
    left, right = _plot(runs, lanes, options, style)
    views = [_view(run, runs, right - left) for run in runs]
    boxes = _boxes(runs, lanes, views)
    entries = _entries(runs, lanes, boxes, style) if options.legend else []
    distance = PANELS * style.em
    # Widths first, then heights: the number of lines of legend and caption follows from the width,
    # and the boxes get the remaining height.
    inner = style.width - 2 * style.edge
    widths = [(entry, entry_width(entry, style)) for entry in entries]
    legend = in_lines(widths, SPACE * style.em, inner)
    face = style.bold if len(runs) == 1 else style.base  # several runs have bold headings
    titles = face.wrapped(title, inner)
    if options.caption is None and _numbered(runs, boxes, style):
        numbers = tr("Numbers are micro-batches.")
        caption = f"{caption} {numbers}"
    captions = style.base.wrapped(caption, inner) + _reduced(boxes, style, inner)
    totals = [_totals(run, options, style, inner) for run in runs]
    axis_height, legend_height, caption_height = _foot(options, style, legend, captions)
    # The totals of a single run, which has no heading, are below the axis.
    below_axis = 0.0 if len(runs) > 1 else _totals_height(totals[0], style)
    foot = axis_height + below_axis + legend_height + caption_height
    head = style.edge + face.line * len(titles)
    if titles:
        head += 0.35 * style.em
    above = distance * (len(runs) - 1)
    for run, lines in zip(runs, totals, strict=True):
        above += sum(_above(run, options, style, lines))
    around = head + foot + style.edge + above
    box = _box_height(runs, lanes, style, around)
    gap = min(GAP * style.em, LEAST_GAP * box)
    boxes_height = box * sum(map(_parts, lanes))
    gaps_height = gap * sum(map(_gaps, lanes))
    needed = around + boxes_height + gaps_height
    # A slide has a fixed height: half of the free space is above its contents, half below.
    spare = max(0.0, (style.height or 0.0) - needed)
    panels: list[Panel] = []
    y = head + spare / 2
    for number, run in enumerate(runs):
        y += distance if number else 0.0
        placed = zip(lanes[number], boxes[number], strict=True)
        panel = _panel(run, views[number], placed, options, style, y, (box, gap), totals[number])
        panels.append(panel)
        y = panel.bottom
    if len(runs) == 1:
        lines_height = style.small.line * len(totals[0])
        totals_top = y + axis_height + below_axis - lines_height
        panels = [replace(panels[0], totals_top=totals_top)]
    legend_top = y + axis_height + below_axis + spare / 2
    caption_top = legend_top + legend_height
    bottom = caption_top + caption_height + style.edge
    return Textbook(
        style,
        options,
        titles,
        face,
        tuple(panels),
        legend,
        captions,
        left,
        right,
        axis_top=y,
        legend_top=legend_top,
        caption_top=caption_top,
        height=max(style.height or 0.0, bottom),
    )


def boxes_of_lane(scene: Scene, lane: int, view: Viewport, cell: float) -> LaneBoxes:
    """Return a lane's boxes in a view; more than two spans in `cell` units are summed up."""
    # Reduced as if a cell were a pixel: the figure's units are finer than print can show.
    cells = Viewport(view.start, view.span, max(1.0, view.width / cell))
    reduced = reduce_lane(scene.columns[lane], cells)
    size = view.width / cells.width
    if isinstance(reduced, PixelColumns):
        # Any height is possible here, because heights are converted to shares of it.
        found = boxes_of(reduced, cells.width, 1000.0)
        left = found.left * size
        right = np.minimum((found.left + found.width) * size, view.width)
        share = found.height / 1000.0
        return LaneBoxes(left, right, share, found.family, None, reduced.per_pixel)
    left = np.maximum(reduced.left, 0.0)
    right = np.minimum(reduced.right, cells.width)
    # Boxes are at least as wide as a cell.
    left = np.minimum(left, cells.width - 1.0)
    right = np.maximum(right, left + 1.0)
    full = np.ones(len(left))
    return LaneBoxes(left * size, right * size, full, reduced.family, reduced.first, 0.0)


def lane_name(lane: Lane) -> str:
    """Return a lane's name; a lane that transfers data for the one above it has a short one."""
    return lane.name if lane.role is Role.COMPUTE else helper_name(lane)


def idle_text(run: FigureRun, lane: Lane) -> str:
    """Return a lane's idle share of the shown steps; "" for lanes that only transfer data."""
    if lane.role is not Role.COMPUTE or not run.shown.steps:
        return ""
    balance = lane_balance(run.scene.trace, lane.index, run.shown.steps)
    return percent_text(balance.time.idle_fraction)


def _plot(
    runs: Sequence[FigureRun], lanes: Sequence[Sequence[Lane]], options: FigureOptions, style: Style
) -> tuple[float, float]:
    """Return the left and right edge of the plot, between the lanes' names and idle times."""
    widest_name = 0.0
    for mine in lanes:
        for lane in mine:
            widest_name = max(widest_name, style.base.width(lane_name(lane)))
    left = style.edge + min(widest_name, 0.3 * style.width) + 0.5 * style.em
    right = style.width - style.edge
    if options.idle and any(run.shown.steps for run in runs):
        widest_share = style.small.width(f"99.9{NO_BREAK}%")
        idle = max(widest_share, style.small.width(tr("idle")))
        right -= idle + 0.5 * style.em
    else:
        right -= style.line
    return left, right


def _boxes(
    runs: Sequence[FigureRun], lanes: Sequence[Sequence[Lane]], views: Sequence[Viewport]
) -> list[list[LaneBoxes]]:
    widest = max(view.width for view in views)
    # With many lanes cells get wider, so that a file has at most MOST_CELLS of them.
    cell = max(CELL, widest * sum(map(len, lanes)) / MOST_CELLS)
    found = []
    for run, view, mine in zip(runs, views, lanes, strict=True):
        found.append([boxes_of_lane(run.scene, lane.index, view, cell) for lane in mine])
    return found


def _view(run: FigureRun, runs: Sequence[FigureRun], width: float) -> Viewport:
    """Return a run's view: all runs have the same scale, and the longest one fills the plot."""
    longest = max(other.shown.span for other in runs)
    shown = run.shown
    return Viewport(float(shown.start), float(shown.span), width * shown.span / longest)


def _entries(
    runs: Sequence[FigureRun],
    lanes: Sequence[Sequence[Lane]],
    boxes: list[list[LaneBoxes]],
    style: Style,
) -> list[KeyEntry]:
    """Return the legend's entries: the families that occur, with their letters, and idle time."""
    codes: set[int] = set()
    for mine in boxes:
        for lane_boxes in mine:
            codes.update(np.unique(lane_boxes.family).tolist())
    seen = {FAMILIES[code] for code in codes}
    kinds = [kind for run in runs for kind in run.scene.kinds if family_of(kind) in seen]
    entries = []
    for family, text in family_texts(kinds).items():
        entries.append(KeyEntry(style.looks.families[FAMILIES.index(family)], text))
    compute = any(lane.role is Role.COMPUTE for mine in lanes for lane in mine)
    if compute and any(map(_has_step, runs)):
        entries.append(KeyEntry((style.looks.idle,), tr("idle")))
    return entries


def _has_step(run: FigureRun) -> bool:
    """Return True if a part of a step is shown, so that there is idle time."""
    scene = run.scene
    shown = run.shown
    visible = (scene.step_ends > shown.start) & (scene.step_starts < shown.end)
    return bool(visible.any())


def entry_width(entry: KeyEntry, style: Style) -> float:
    """Return the width of an entry of the legend, without the space after it."""
    return (SWATCH + 0.4) * style.em + style.small.width(entry.text)


def _numbered(runs: Sequence[FigureRun], boxes: list[list[LaneBoxes]], style: Style) -> bool:
    """Return True if a run has micro-batches, and a box of a pass has room for a number."""
    numbers = [run.scene.trace.table.rows["microbatch"] for run in runs]
    if not any((microbatches > 0).any() for microbatches in numbers):
        return False
    least = style.number.pixels
    codes = [FAMILIES.index(family) for family in NUMBERED]
    for mine in boxes:
        for lane in mine:
            if lane.first is None:
                continue
            widths = (lane.right - lane.left)[np.isin(lane.family, codes)]
            if widths.max(initial=0) >= least:
                return True
    return False


def _reduced(boxes: list[list[LaneBoxes]], style: Style, room: float) -> list[str]:
    """Return the lines of a note on summed up spans, if there are any."""
    most = max((lane.per_cell for mine in boxes for lane in mine), default=0.0)
    if not most:
        return []
    text = tr("Reduced: up to {spans} spans in one mark.", spans=f"{most:,.1f}")
    return style.base.wrapped(text, room)


def _foot(
    options: FigureOptions, style: Style, legend: list[list[KeyEntry]], caption: list[str]
) -> tuple[float, float, float]:
    """Return the heights of axis, legend and caption."""
    axis = 0.2 * style.em
    if options.axis:
        axis = 0.5 * style.em + style.small.line
    key = 0.0
    if legend:
        key = 0.5 * style.em + 1.35 * style.em * len(legend)
    words = 0.0
    if caption:
        words = 0.4 * style.em + style.base.line * len(caption)
    return axis, key, words


def _box_height(
    runs: Sequence[FigureRun], lanes: Sequence[Sequence[Lane]], style: Style, around: float
) -> float:
    """Return the style's height of a box, or less if the page has no room for it."""
    parts = sum(map(_parts, lanes))
    gaps = sum(map(_gaps, lanes))
    free = (style.height or MOST_HEIGHT) - around
    room = (free - GAP * style.em * gaps) / max(1.0, parts)
    # Low boxes have gaps in proportion to their height (LEAST_GAP); otherwise the gaps would be
    # higher than the boxes.
    if room * LEAST_GAP < GAP * style.em:
        room = free / max(1.0, parts + LEAST_GAP * gaps)
    # The two halves of a box have a line of text each, so the box may be higher.
    halves = any(Family.OVERLAP in map(family_of, run.scene.kinds) for run in runs)
    return max(LEAST_BOX, min(style.tallest * (1.4 if halves else 1.0), room))


def _parts(lanes: Sequence[Lane]) -> float:
    """Return the height of the lanes without gaps, as a multiple of a box's height."""
    return sum(1.0 if lane.role is Role.COMPUTE else HELPER for lane in lanes)


def _gaps(lanes: Sequence[Lane]) -> int:
    """Return the number of gaps between the lanes."""
    return max(0, len(lanes) - 1)


def _lanes(run: FigureRun, options: FigureOptions) -> list[Lane]:
    """Return the lanes to show, each followed by the lanes that transfer data for it.

    Lanes of the blocks inside a pass are shown only if the options name them.
    """
    every = run.scene.trace.header.lanes
    chosen = resolve_lanes(options.excerpt, every)
    if not options.excerpt.lanes:
        chosen = working_lanes(chosen)
    return sorted(chosen, key=lambda lane: (lane.serves, lane.index))


def _above(
    run: FigureRun, options: FigureOptions, style: Style, totals: Sequence[str]
) -> tuple[float, float]:
    """Return the heights of a run's heading with its totals, and of the band with its makespan."""
    heading = 0.0
    if run.heading:
        heading = style.bold.line + style.small.line * len(totals) + 0.1 * style.em
    some = bool(run.shown.steps) and (options.makespan or options.idle)
    return heading, 1.3 * style.em if some else 0.2 * style.em


def _panel(
    run: FigureRun,
    view: Viewport,
    lanes: Iterable[tuple[Lane, LaneBoxes]],
    options: FigureOptions,
    style: Style,
    top: float,
    sizes: tuple[float, float],
    totals: list[str],
) -> Panel:
    """Return a run's panel below `top`; `sizes` are a box's height and the gap between lanes."""
    box, gap = sizes
    heading, band = _above(run, options, style, totals)
    rows = []
    y = top + heading + band
    for lane, mine in lanes:
        height = box if lane.role is Role.COMPUTE else HELPER * box
        idle = idle_text(run, lane) if options.idle else ""
        rows.append(Row(lane, y, height, mine, idle))
        y += height + gap
    bottom = rows[-1].bottom if rows else top + heading
    totals_top = top + style.bold.line
    return Panel(run, view, top, top + heading, tuple(rows), totals, totals_top, bottom)


def _totals(run: FigureRun, options: FigureOptions, style: Style, room: float) -> list[str]:
    """Return the lines of a run's totals, if they are wanted."""
    if not options.totals:
        return []
    return style.small.wrapped(totals_text(run.scene, run.shown), room)


def _totals_height(lines: Sequence[str], style: Style) -> float:
    return 0.3 * style.em + style.small.line * len(lines) if lines else 0.0
