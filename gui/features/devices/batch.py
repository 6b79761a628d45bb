"""Batch split: which rows of the batch went to which lane."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor

from core.explain.balance import LanePart, lane_parts, rows_by_step
from core.trace.trace import Trace
from gui.look.text import rows_text, tr
from gui.look.writing import CENTRE, RIGHT, elided, write
from gui.timeline.layout.fonts import text_width
from gui.timeline.paint.hatch import hatch_brush
from gui.timeline.state.scene import Scene, shown_steps, step_name
from gui.widgets.batch_preview import numbers, split_text
from gui.widgets.drawing import Ink
from gui.widgets.sheet import PAD, Sheet

HEAD = 42.0
ROW, LOW_ROW = 27.0, 18.0
FEW = 5  # lanes; more have low rows, so that eight are seen without scrolling
BELOW_CELL = 4.0  # free pixels between two lanes
COUNT = 58.0
LINE, AIR = 17.0, 8.0
MOST_STEPS = 64  # of which the split is told


@dataclass(frozen=True, slots=True)
class Split:
    """Steps `first` to `last`, in all of which each compute lane has these `rows`."""

    first: int
    last: int
    rows: list[int]

    def name(self, warmup: int) -> str:
        """`step 3`, or `steps 1 to 3` as the window counts them."""
        first = step_name(self.first, warmup)
        if self.first == self.last:
            return first
        return tr("{first} to {last}", first=first, last=step_name(self.last, warmup))


class BatchPanel(Sheet):
    """One track for each lane, as wide as the batch; a cell is a piece with its rows.

    Below them stands how many rows each lane has in every step.
    Shows the step that the window's figures are of.
    """

    def __init__(self) -> None:
        self._known: tuple[Trace, int, int, list[LanePart]] | None = None
        self._splits: tuple[Trace, int, list[Split]] | None = None
        empty = tr("Which rows go to which lane appears here with the first step.")
        super().__init__(tr("Batch split"), empty)

    def parts(self, scene: Scene) -> tuple[int, list[LanePart]]:
        """The step that is shown and its pieces."""
        step = scene.described
        if step is None:
            return 0, []
        known, version = self._known, scene.trace.version
        if known is None or known[0] is not scene.trace or known[1:3] != (version, step):
            # Traces of other programs and of jobs have passes whose rows are not known.
            parts = [part for part in lane_parts(scene.trace, step) if part.rows]
            known = self._known = (scene.trace, version, step, parts)
        return step, known[3]

    def splits(self, scene: Scene) -> list[Split]:
        """How the latest steps are split, steps one after the other with the same rows as one."""
        about = scene.trace, scene.trace.version
        if self._splits is None or self._splits[:2] != about:
            steps = shown_steps(scene.trace, bool(scene.trace.open_tasks))[-MOST_STEPS:]
            self._splits = (*about, _alike(steps, rows_by_step(scene.trace, steps)))
        return self._splits[2]

    def height_of(self, scene: Scene) -> float:  # noqa: D102
        table = LINE * (len(self.splits(scene)) + 1) + 2 * AIR
        lanes = len(scene.trace.header.compute_lanes)
        return HEAD + row_height(lanes) * lanes + table

    def words_of(self, scene: Scene) -> str:  # noqa: D102
        header, (step, parts) = scene.trace.header, self.parts(scene)
        mine, warmup = _by_lane(parts), header.specification.warmup
        lanes = [f"{lane.name}: {_rows(mine[lane.index])}" for lane in header.compute_lanes]
        splits = [f"{split.name(warmup)}: {numbers(split.rows)}" for split in self.splits(scene)]
        words = f"{_step_words(scene, step)}. {split_text(parts)}. "
        return words + "; ".join([*lanes, *splits])

    def draw_scene(self, ink: Ink, scene: Scene) -> None:  # noqa: D102
        step, parts = self.parts(scene)
        self._heading(ink, _step_words(scene, step), split_text(parts))
        # A micro-batch passes every stage and so has a part on several lanes: its rows count once.
        total = sum({(p.replica, p.microbatch): p.rows for p in parts}.values())
        lanes = scene.trace.header.compute_lanes
        longest = max((lane.name for lane in lanes), key=len)
        names, own = text_width(ink.fonts.bold, longest) + 12, _by_lane(parts)
        row = row_height(len(lanes))
        cell = row - BELOW_CELL
        # Only the lanes in the part of the panel that is drawn now: there may be a thousand.
        first, last = (int((y - HEAD) // row) for y in (self.seen.top(), self.seen.bottom()))
        for number, lane in list(enumerate(lanes))[max(0, first) : last + 1]:
            y, mine = HEAD + row * number, own[lane.index]
            ink.bold(QRectF(PAD, y, names, cell), lane.name)
            track = QRectF(PAD + names, y, self.width() - 2 * PAD - names - COUNT, cell)
            self._track(ink, track, mine, total)
            count = rows_text(_rows(mine)) if mine else tr("no rows")
            ink.small(QRectF(self.width() - PAD - COUNT, y, COUNT, cell), count, RIGHT)

        self._table(ink, scene, step, HEAD + row * len(lanes) + AIR)

    def _table(self, ink: Ink, scene: Scene, step: int, y: float) -> None:
        """A row of figures for each split of the batch, that of the shown step marked."""
        lanes, warmup = scene.trace.header.compute_lanes, scene.trace.header.specification.warmup
        splits = self.splits(scene)
        names = [split.name(warmup) for split in splits]
        first = max((text_width(ink.fonts.small, name) for name in names), default=0) + 12
        widest = max(text_width(ink.fonts.small, lane.name) for lane in lanes) + 12
        room = self.width() - 2 * PAD - first
        fitting = lanes[: max(1, int(room / widest))]
        # The last head that has room stands for all that
        # have none: "…", or its own name if it is the last.
        heads = [lane.name for lane in fitting[:-1]] + ["…" * (fitting != lanes) or lanes[-1].name]
        rows = [("", heads, False)]
        for name, split in zip(names, splits, strict=True):
            cells = [str(count) for count in split.rows[: len(fitting)]]
            rows.append((name, cells, split.first <= step <= split.last))
        for number, (name, cells, shown) in enumerate(rows):
            top = y + LINE * number
            if shown:
                behind = QRectF(PAD - 4, top, first + widest * len(fitting) + 8, LINE)
                ink.painter.fillRect(behind, QColor(self.theme.tint))
            ink.small(QRectF(PAD, top, first, LINE), name)
            for column, cell in enumerate(cells):
                at = QRectF(PAD + first + widest * column, top, widest - 6, LINE)
                ink.small(at, cell, RIGHT, self.theme.text if number else "")

    def _heading(self, ink: Ink, name: str, words: str) -> None:
        wide = self.width() - 2 * PAD
        ink.painter.setFont(ink.fonts.base)
        shown = elided(ink.painter, words, wide)
        write(ink.painter, ink.fonts.base, self.theme.text, QRectF(PAD, 4, wide, 17), shown)
        ink.small(QRectF(PAD, 21, wide, 15), name)

    def _track(self, ink: Ink, track: QRectF, parts: list[LanePart], total: int) -> None:
        """The whole batch from left to right, with this lane's pieces where their rows stand."""
        painter, font = ink.painter, ink.fonts.bold
        painter.fillRect(track, QColor(self.theme.grid))
        if not parts:
            painter.fillRect(track, hatch_brush(self.theme.idle, self.devicePixelRatioF()))
        for part in parts:
            x0 = track.left() + part.start / total * track.width()
            x1 = track.left() + (part.start + part.rows) / total * track.width()
            cell = QRectF(x0, track.top(), max(1.0, x1 - x0 - 1), track.height())
            painter.fillRect(cell, QColor(self.theme.forward))
            text = str(part.rows)
            if text_width(font, text) <= cell.width() - 2:
                write(painter, font, self.theme.on_bar, cell, text, CENTRE)


def row_height(lanes: int) -> float:
    """Pixels of a lane's row, with the free pixels below it."""
    return ROW if lanes <= FEW else LOW_ROW


def _alike(steps: list[int], rows: NDArray[np.int64]) -> list[Split]:
    """Neighbouring steps with the same rows as one."""
    found: list[Split] = []
    for step, mine in zip(steps, rows.tolist(), strict=True):
        if found and found[-1].rows == mine:
            found[-1] = replace(found[-1], last=step)
        else:
            found.append(Split(step, step, mine))
    return found


def _by_lane(parts: list[LanePart]) -> defaultdict[int, list[LanePart]]:
    found: defaultdict[int, list[LanePart]] = defaultdict(list)
    for part in parts:
        found[part.lane].append(part)
    return found


def _rows(parts: list[LanePart]) -> int:
    return sum(part.rows for part in parts)


def _step_words(scene: Scene, step: int) -> str:
    name = step_name(step, scene.trace.header.specification.warmup)
    return tr("{step} (select a bar to see its own step)", step=name)
