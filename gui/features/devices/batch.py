"""Batch split: the rows of the batch that each lane gets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QRectF

from core.explain.batch_rows import LanePart, lane_parts, rows_by_step
from core.override import override
from core.plan.plan import Lane
from core.trace.trace import Trace
from gui.features.devices.lane_rows import row_height, rows_seen
from gui.look.text import join_clauses, rows_text, tr
from gui.look.writing import CENTRE, RIGHT, elided
from gui.timeline.paint.hatch import hatch_brush
from gui.timeline.paint.ink import Ink
from gui.timeline.state.latest import Latest
from gui.timeline.state.scene import Scene, name_of_step, shown_steps, step_name
from gui.widgets.batch_preview import numbers, split_text
from gui.widgets.sheet import PAD, Sheet

HEAD = 42.0
COUNT = 58.0  # width of the column with the number of rows
LINE = 17.0
AIR = 8.0
MOST_STEPS = 64  # latest steps in the table


@dataclass(frozen=True, slots=True)
class Split:
    """Consecutive steps, `first` to `last`, in which the compute lanes have the same `rows`."""

    first: int
    last: int
    rows: list[int]

    def name(self, warmup: int) -> str:
        """Return `step 3` or `step 1 to step 3`, with the numbers that the window shows."""
        first = step_name(self.first, warmup)
        if self.first == self.last:
            return first
        return tr("{first} to {last}", first=first, last=step_name(self.last, warmup))


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of the table: its name, its figures, and whether its step is the one described."""

    name: str
    cells: list[str]
    is_described: bool = False


class BatchPanel(Sheet):
    """A track for each lane, as wide as the batch; a cell is a part of the batch with its rows.

    The tracks are of the described step. The table below has the rows of each lane in the latest
    MOST_STEPS steps.
    """

    def __init__(self) -> None:
        self._parts: Latest[list[LanePart]] = Latest()
        self._splits: Latest[list[Split]] = Latest()
        empty = tr("The rows of each lane appear here with the first step.")
        super().__init__(tr("Batch split"), empty)

    def parts(self, scene: Scene) -> tuple[int, list[LanePart]]:
        """Return the described step, or 0, and its parts; no parts if their rows are unknown."""
        step = scene.described
        if step is None:
            return 0, []
        trace = scene.trace
        key = (trace, trace.version, step)
        return step, self._parts.get(key, lambda: _known_parts(trace, step))

    def splits(self, scene: Scene) -> list[Split]:
        """Return the splits of the latest steps; consecutive steps with equal rows are one."""
        trace = scene.trace
        return self._splits.get((trace, trace.version), lambda: _latest_splits(trace))

    @override
    def height_of(self, scene: Scene) -> float:
        table_rows = len(self.splits(scene)) + 1
        table = LINE * table_rows + 2 * AIR
        lanes = len(scene.trace.header.compute_lanes)
        tracks = row_height(lanes) * lanes
        return HEAD + tracks + table

    @override
    def words_of(self, scene: Scene) -> str:
        header = scene.trace.header
        warmup = header.specification.warmup
        step, parts = self.parts(scene)
        parts_of = _by_lane(parts)
        lines = []
        for lane in header.compute_lanes:
            rows = _rows(parts_of[lane.index])
            lines.append(f"{lane.name}: {rows}")
        for split in self.splits(scene):
            name = split.name(warmup)
            lines.append(f"{name}: {numbers(split.rows)}")
        heading = _step_text(scene, step)
        listed = join_clauses(lines)
        return f"{heading}. {split_text(parts)}. {listed}"

    @override
    def draw_scene(self, ink: Ink, scene: Scene) -> None:
        step, parts = self.parts(scene)
        room = self.width() - 2 * PAD
        ink.painter.setFont(ink.fonts.base)
        heading = elided(ink.painter, split_text(parts), room)
        self.draw_heading(ink, heading, _step_text(scene, step))
        lanes = scene.trace.header.compute_lanes
        self._draw_tracks(ink, lanes, parts)
        tracks = row_height(len(lanes)) * len(lanes)
        self._draw_table(ink, scene, step, HEAD + tracks + AIR)

    def _draw_tracks(self, ink: Ink, lanes: Sequence[Lane], parts: list[LanePart]) -> None:
        """Draw the visible lanes: name, track, and number of rows."""
        # A micro-batch passes every stage and so has a part on several lanes: its rows count once.
        rows_of = {(part.replica, part.microbatch): part.rows for part in parts}
        total = sum(rows_of.values())
        longest = max((lane.name for lane in lanes), key=len)
        names = ink.bold_width(longest) + 12
        left = PAD + names
        right = self.width() - PAD - COUNT
        parts_of = _by_lane(parts)
        for lane, y, high in rows_seen(lanes, HEAD, self.seen):
            of_lane = parts_of[lane.index]
            name = QRectF(PAD, y, names, high)
            ink.bold(name, lane.name)
            track = QRectF(left, y, right - left, high)
            self._draw_track(ink, track, of_lane, total)
            count = tr("no rows")
            if of_lane:
                count = rows_text(_rows(of_lane))
            column = QRectF(right, y, COUNT, high)
            ink.small(column, count, RIGHT)

    def _draw_table(self, ink: Ink, scene: Scene, step: int, y: float) -> None:
        """Draw a row of figures for each split of the batch; the row of `step` is marked."""
        lanes = scene.trace.header.compute_lanes
        splits = self.splits(scene)
        warmup = scene.trace.header.specification.warmup
        names = [split.name(warmup) for split in splits]
        widest_name = max(map(ink.small_width, names), default=0)
        widest_lane = max(ink.small_width(lane.name) for lane in lanes)
        first = widest_name + 12
        each = widest_lane + 12
        room = self.width() - 2 * PAD - first
        columns = max(1, int(room / each))
        at = QRectF(PAD, y, first, LINE)
        header = TableRow("", _lane_heads(lanes, columns))
        self._draw_row(ink, at, each, header, "")
        for name, split in zip(names, splits, strict=True):
            at.translate(0, LINE)
            cells = [str(count) for count in split.rows[:columns]]
            is_described = split.first <= step <= split.last
            row = TableRow(name, cells, is_described)
            self._draw_row(ink, at, each, row, self.theme.text)

    def _draw_row(self, ink: Ink, at: QRectF, each: float, row: TableRow, colour: str) -> None:
        """Draw a row: its name in the rectangle `at`, then its cells, `each` pixels apart."""
        if row.is_described:
            cells = each * len(row.cells)
            mark = at.adjusted(-4, 0, cells + 4, 0)
            ink.fill(mark, self.theme.tint)
        ink.small(at, row.name)
        cell = QRectF(at.right(), at.top(), each - 6, LINE)
        for text in row.cells:
            ink.small(cell, text, RIGHT, colour)
            cell.translate(each, 0)

    def _draw_track(self, ink: Ink, track: QRectF, parts: list[LanePart], total: int) -> None:
        """Draw the batch from left to right, with a cell for each part that this lane has."""
        theme = self.theme
        ink.fill(track, theme.grid)
        if not parts:
            hatching = hatch_brush(theme.idle, self.devicePixelRatioF())
            ink.painter.fillRect(track, hatching)
        scale = track.width() / max(1, total)
        for part in parts:
            end = part.start + part.rows
            left = track.left() + part.start * scale
            right = track.left() + end * scale
            width = max(1.0, right - left - 1)  # less a pixel between two cells
            cell = QRectF(left, track.top(), width, track.height())
            ink.fill(cell, theme.forward)
            text = str(part.rows)
            if ink.bold_width(text) <= width - 2:
                ink.bold(cell, text, CENTRE, theme.on_bar)


def _lane_heads(lanes: Sequence[Lane], columns: int) -> list[str]:
    """Return the names of the first `columns` lanes; the last is "…" if lanes are left out."""
    heads = [lane.name for lane in lanes[:columns]]
    if columns < len(lanes):
        heads[-1] = "…"
    return heads


def _known_parts(trace: Trace, step: int) -> list[LanePart]:
    """Return the parts of a step whose rows are known; traces of other programs may lack them."""
    return [part for part in lane_parts(trace, step) if part.rows]


def _latest_splits(trace: Trace) -> list[Split]:
    """Return the splits of the latest MOST_STEPS steps; consecutive equal ones are merged."""
    live = bool(trace.open_tasks)
    steps = shown_steps(trace, live)[-MOST_STEPS:]
    rows = rows_by_step(trace, steps)
    found: list[Split] = []
    for step, of_step in zip(steps, rows.tolist(), strict=True):
        if found and found[-1].rows == of_step:
            found[-1] = replace(found[-1], last=step)
        else:
            found.append(Split(step, step, of_step))
    return found


def _by_lane(parts: list[LanePart]) -> defaultdict[int, list[LanePart]]:
    found: defaultdict[int, list[LanePart]] = defaultdict(list)
    for part in parts:
        found[part.lane].append(part)
    return found


def _rows(parts: list[LanePart]) -> int:
    return sum(part.rows for part in parts)


def _step_text(scene: Scene, step: int) -> str:
    name = name_of_step(scene.trace, step)
    return tr("{step} (select a bar to see its own step)", step=name)
