"""The textbook look of measured times: where everything of a figure stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from core.explain.balance import lane_balance
from core.plan.plan import Lane, Role, working_lanes
from core.trace.excerpt import resolve_lanes
from gui.app.figure_options import FigureOptions
from gui.figures.looks import Look
from gui.figures.shown import Range
from gui.figures.style import MM, PT, Face, Style
from gui.look.families import FAMILIES, Family, family_of, family_texts
from gui.look.text import NO_BREAK, percent_text, tr
from gui.look.writing import in_lines
from gui.timeline.layout.frame import Viewport
from gui.timeline.paint.boxes import boxes_of
from gui.timeline.reduce.reduction import PixelColumns, reduce_lane
from gui.timeline.state.scene import Scene

CELL = 0.25 * PT  # the width in which spans that are too close together are summed up
MOST_CELLS = 400_000  # of all lanes together
LEAST_BOX = 0.4 * PT
LEAST_GAP = 0.3  # of a box's height, where boxes are low
MOST_HEIGHT = 240 * MM  # a page; figures of many lanes have lower boxes
SWATCH = 1.7  # em, a box of the legend
SPACE = 1.1  # em between two entries of the legend
HELPER = 0.42  # of a box's height, for lanes that only move data
NUMBERED = (
    Family.FORWARD, Family.BACKWARD, Family.BACKWARD_INPUT, Family.BACKWARD_WEIGHT, Family.OVERLAP,
)  # fmt: skip
"""The families whose boxes may say only the number of their micro-batch."""
PANELS = 0.9  # em between two runs
GAP = 0.28  # em between two lanes


@dataclass(frozen=True, slots=True)
class Boxes:
    """What a lane did: n boxes from `left` to `right`, in units from the plot's left edge.

    `share` is how much of a box's height is filled, `family` an index into FAMILIES; `first` is the
    span of the first box where each is one span, None where they are summed up.
    """

    left: NDArray[np.floating]
    right: NDArray[np.floating]
    share: NDArray[np.floating]
    family: NDArray[np.int8]
    first: int | None
    per_cell: float


@dataclass(frozen=True, slots=True)
class Row:
    """A lane of a figure; `idle` is what stands at its end."""

    lane: Lane
    top: float
    height: float
    boxes: Boxes
    idle: str

    @property
    def helper(self) -> bool:
        """Whether the lane only moves data."""
        return self.lane.role is not Role.COMPUTE

    @property
    def bottom(self) -> float:
        """Where it ends."""
        return self.top + self.height


@dataclass(frozen=True, slots=True)
class Panel:
    """A run of a figure. `view` has a pixel for each unit of the part of the plot that it takes."""

    run: Run
    view: Viewport
    top: float
    band: float
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the legend: its looks from the top, and what they mean."""

    looks: tuple[Look, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Textbook:
    """A figure in units (tenths of a point), ready to be drawn.

    The plot reaches from `left` to `right`; the axis stands at `axis_top`, the legend at
    `legend_top`, the caption at `caption_top`.
    """

    style: Style
    options: FigureOptions
    title: list[str]
    title_face: Face
    panels: tuple[Panel, ...]
    legend: list[list[Entry]]
    caption: list[str]
    left: float
    right: float
    axis_top: float
    legend_top: float
    caption_top: float
    height: float


@dataclass(frozen=True, slots=True)
class Run:
    """A run that is to be in a figure: what of it is shown, and its name beside other runs."""

    scene: Scene
    shown: Range
    heading: str = ""


def lay_out_textbook(
    runs: Sequence[Run],
    options: FigureOptions,
    title: str,
    caption: str,
    colours: Mapping[str, str] = MappingProxyType({}),
) -> Textbook:
    """Stack the runs on one axis, in the user's own `colours` where there are any.

    Raises ValueError for lanes that a run lacks.
    """
    style = Style.of(options, colours)
    lanes = [_lanes(run, options) for run in runs]
    left, right = _plot(runs, lanes, options, style)
    views = [_view(run, runs, right - left) for run in runs]
    boxes = _boxes(runs, lanes, views)
    entries = _entries(runs, lanes, boxes, style) if options.legend else []
    apart = PANELS * style.em
    # Widths first, then heights: the width says how many lines legend and caption take, and the
    # boxes get what height is left beside them.
    inner = style.width - 2 * style.edge
    wide = ((entry, entry_width(entry, style)) for entry in entries)
    legend = in_lines(wide, SPACE * style.em, inner)
    face = style.bold if len(runs) == 1 else style.base  # below it, each run has a bold heading
    titles = face.wrapped(title, inner)
    if options.caption is None and _numbered(runs, boxes, style):
        numbers = tr("Numbers are micro-batches.")
        caption = f"{caption} {numbers}"
    captions = style.base.wrapped(caption, inner) + _reduced(boxes, style, inner)
    foot = _foot(options, style, legend, captions)
    head = style.edge + face.line * len(titles) + (0.35 * style.em if titles else 0.0)
    above = sum(sum(_above(run, options, style)) for run in runs) + apart * (len(runs) - 1)
    around = head + sum(foot) + style.edge + above
    box = _box_height(runs, lanes, style, around)
    gap = min(GAP * style.em, LEAST_GAP * box)
    all_of_it = around + box * sum(map(_parts, lanes)) + gap * sum(map(_gaps, lanes))
    # A slide has a fixed height: what its contents leave free lies above and below them.
    spare = max(0.0, (style.height or 0.0) - all_of_it)
    panels, y = [], head + spare / 2
    for number, run in enumerate(runs):
        y += apart if number else 0.0
        placed = zip(lanes[number], boxes[number], strict=True)
        panel = _panel(run, views[number], placed, options, style, y, (box, gap))
        panels.append(panel)
        y = panel.rows[-1].bottom if panel.rows else panel.band
    key = y + foot[0] + spare / 2
    words = key + foot[1]
    return Textbook(
        style, options, titles, face, tuple(panels), legend, captions, left, right,
        y, key, words, max(style.height or 0.0, words + foot[2] + style.edge),
    )  # fmt: skip


def boxes_of_lane(scene: Scene, lane: int, view: Viewport, cell: float) -> Boxes:
    """What a lane did in a view, its spans summed up where `cell` units have more than two."""
    # Reduced as if a cell were a pixel: the figure's own units are finer than print can show.
    cells = Viewport(view.start, view.span, max(1.0, view.width / cell))
    reduced = reduce_lane(scene.columns[lane], cells)
    size = view.width / cells.width
    if isinstance(reduced, PixelColumns):
        # Any height will do, since heights are kept as shares of it.
        found = boxes_of(reduced, cells.width, 1000.0)
        right = np.minimum((found.left + found.width) * size, view.width)
        return Boxes(
            found.left * size, right, found.height / 1000.0, found.family, None, reduced.per_pixel
        )
    left, right = np.maximum(reduced.left, 0.0), np.minimum(reduced.right, cells.width)
    left = np.minimum(left, cells.width - 1.0)  # what is shorter than a cell is as wide as one
    right = np.maximum(right, left + 1.0)
    return Boxes(left * size, right * size, np.ones(len(left)), reduced.family, reduced.first, 0.0)


def lane_name(lane: Lane) -> str:
    """A lane's name; one that moves data for the lane above it is called by what it does."""
    return lane.name if lane.role is Role.COMPUTE else lane.name.split()[-1]


def idle_text(run: Run, lane: Lane) -> str:
    """How much of the shown steps a lane is idle; nothing for lanes that only move data."""
    if lane.role is not Role.COMPUTE or not run.shown.steps:
        return ""
    balance = lane_balance(run.scene.trace, lane.index, run.shown.steps)
    return percent_text(balance.time.idle_fraction)


def _plot(
    runs: Sequence[Run], lanes: Sequence[Sequence[Lane]], options: FigureOptions, style: Style
) -> tuple[float, float]:
    """Where the plot begins and ends: between the lanes' names and their idle time."""
    names = [style.base.width(lane_name(lane)) for mine in lanes for lane in mine]
    wide = min(max(names, default=0.0), 0.3 * style.width) + 0.5 * style.em
    some = options.idle and any(run.shown.steps for run in runs)
    idle = max(style.small.width(f"99.9{NO_BREAK}%"), style.small.width(tr("idle")))
    right = style.width - style.edge - (idle + 0.5 * style.em if some else style.line)
    return style.edge + wide, right


def _boxes(
    runs: Sequence[Run], lanes: Sequence[Sequence[Lane]], views: Sequence[Viewport]
) -> list[list[Boxes]]:
    widest = max(view.width for view in views)
    # With many lanes cells get wider, so that a file never has more than MOST_CELLS of them.
    cell = max(CELL, widest * sum(map(len, lanes)) / MOST_CELLS)
    return [
        [boxes_of_lane(run.scene, lane.index, view, cell) for lane in mine]
        for run, view, mine in zip(runs, views, lanes, strict=True)
    ]


def _view(run: Run, runs: Sequence[Run], width: float) -> Viewport:
    """All runs have the same scale: the longest one fills the plot."""
    longest = max(other.shown.span for other in runs)
    shown = run.shown
    return Viewport(float(shown.start), float(shown.span), width * shown.span / longest)


def _entries(
    runs: Sequence[Run], lanes: Sequence[Sequence[Lane]], boxes: list[list[Boxes]], style: Style
) -> list[Entry]:
    """The families that are drawn, with their letters, and idle time."""
    codes = {int(code) for mine in boxes for lane in mine for code in np.unique(lane.family)}
    seen = {FAMILIES[code] for code in codes}
    kinds = [kind for run in runs for kind in run.scene.kinds if family_of(kind) in seen]
    entries = [
        Entry(style.looks.families[FAMILIES.index(family)], text)
        for family, text in family_texts(kinds).items()
    ]
    compute = any(lane.role is Role.COMPUTE for mine in lanes for lane in mine)
    if compute and any(map(_has_step, runs)):
        entries.append(Entry((style.looks.idle,), tr("idle")))
    return entries


def _has_step(run: Run) -> bool:
    """Whether some part of a step is shown, so that there is idle time."""
    scene, shown = run.scene, run.shown
    return bool(((scene.step_ends > shown.start) & (scene.step_starts < shown.end)).any())


def entry_width(entry: Entry, style: Style) -> float:
    """An entry of the legend with its box, without the space behind it."""
    return (SWATCH + 0.4) * style.em + style.small.width(entry.text)


def _numbered(runs: Sequence[Run], boxes: list[list[Boxes]], style: Style) -> bool:
    """Whether a run has micro-batches, and there are boxes of passes with room for a number."""
    if not any((run.scene.trace.table.rows["microbatch"] > 0).any() for run in runs):
        return False
    least = style.number.pixels
    codes = [FAMILIES.index(family) for family in NUMBERED]
    exact = (lane for mine in boxes for lane in mine if lane.first is not None)
    return any(
        bool((lane.right - lane.left)[np.isin(lane.family, codes)].max(initial=0) >= least)
        for lane in exact
    )


def _reduced(boxes: list[list[Boxes]], style: Style, room: float) -> list[str]:
    """A picture that sums spans up says so."""
    most = max((lane.per_cell for mine in boxes for lane in mine), default=0.0)
    if not most:
        return []
    text = tr("Reduced: up to {spans} spans in one mark.", spans=f"{most:,.1f}")
    return style.base.wrapped(text, room)


def _foot(
    options: FigureOptions, style: Style, legend: list[list[Entry]], caption: list[str]
) -> tuple[float, float, float]:
    """The heights of axis, legend and caption."""
    axis = 0.5 * style.em + style.small.line if options.axis else 0.2 * style.em
    key = 0.5 * style.em + 1.35 * style.em * len(legend) if legend else 0.0
    words = 0.4 * style.em + style.base.line * len(caption) if caption else 0.0
    return axis, key, words


def _box_height(
    runs: Sequence[Run], lanes: Sequence[Sequence[Lane]], style: Style, around: float
) -> float:
    """As high as the style wants its boxes, or as the page has room for beside all else."""
    parts, gaps = sum(map(_parts, lanes)), sum(map(_gaps, lanes))
    free = (style.height or MOST_HEIGHT) - around
    room = (free - GAP * style.em * gaps) / max(1.0, parts)
    # Very low boxes have gaps in proportion to them (LEAST_GAP), or there would be more gap than
    # box.
    if room * LEAST_GAP < GAP * style.em:
        room = free / max(1.0, parts + LEAST_GAP * gaps)
    # A box with two halves has two lines of text in it, so it may be higher.
    halves = any(Family.OVERLAP in map(family_of, run.scene.kinds) for run in runs)
    return max(LEAST_BOX, min(style.tallest * (1.4 if halves else 1.0), room))


def _parts(lanes: Sequence[Lane]) -> float:
    """How many boxes high the lanes are, without the gaps between them."""
    return sum(1.0 if lane.role is Role.COMPUTE else HELPER for lane in lanes)


def _gaps(lanes: Sequence[Lane]) -> int:
    """How many gaps there are between the lanes."""
    return max(0, len(lanes) - 1)


def _lanes(run: Run, options: FigureOptions) -> list[Lane]:
    """The lanes that are shown, each with those below it that move data for it.

    Lanes that only tell the blocks inside a pass are shown where they are named.
    """
    every = run.scene.trace.header.lanes
    chosen = resolve_lanes(options.excerpt, every)
    if not options.excerpt.lanes:
        chosen = working_lanes(chosen)
    return sorted(chosen, key=lambda lane: (lane.serves, lane.index))


def _above(run: Run, options: FigureOptions, style: Style) -> tuple[float, float]:
    """The heights of a run's heading, and of the band with its makespan."""
    heading = style.bold.line + 0.1 * style.em if run.heading else 0.0
    some = bool(run.shown.steps) and (options.makespan or options.idle)
    return heading, 1.3 * style.em if some else 0.2 * style.em


def _panel(
    run: Run, view: Viewport, lanes: Iterable[tuple[Lane, Boxes]], options: FigureOptions,
    style: Style, top: float, sizes: tuple[float, float],
) -> Panel:  # fmt: skip
    """A run below `top`; `sizes` are a box's height and the gap between two lanes."""
    box, gap = sizes
    heading, band = _above(run, options, style)
    rows, y = [], top + heading + band
    for lane, mine in lanes:
        height = box if lane.role is Role.COMPUTE else HELPER * box
        rows.append(Row(lane, y, height, mine, idle_text(run, lane) if options.idle else ""))
        y += height + gap
    return Panel(run, view, top, top + heading, tuple(rows))
