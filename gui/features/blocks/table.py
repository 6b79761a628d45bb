"""Table of a model's blocks with their costs, and of the sums on each lane."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF

from core.costs.cut import LaneSum, lane_sums
from core.override import override
from gui.features.blocks.strip import ShownCut, lane_colour
from gui.look.text import (
    NONE,
    about_text,
    bytes_text,
    duration_text,
    join_clauses,
    percent_text,
    tr,
)
from gui.look.writing import LEFT, RIGHT
from gui.timeline.paint.ink import Ink
from gui.widgets.drawing import PAD, Drawing

LINE = 18.0
BAND = 6.0
GAP = 10.0
NAME = 0.24  # share of the width


class BlockTable(Drawing):
    """A line for every lane, then one for every block, each with a band in its lane's colour.

    `most_bytes` is the limit of a lane's memory; larger values are red.
    """

    def __init__(self) -> None:
        super().__init__(tr("Blocks"))
        self.cut: ShownCut | None = None
        self.most_bytes: float | None = None

    def show_cut(self, cut: ShownCut | None, most_bytes: float | None) -> None:
        """Show other blocks, other borders, or another limit."""
        self.cut = cut
        self.most_bytes = most_bytes
        self.refresh()

    @override
    def content_height(self) -> float:
        lines = len(self._lanes()) + len(self._blocks())
        return LINE * lines + 2 * GAP if lines else 0.0

    @override
    def words(self) -> str:
        lines = []
        for _, texts, _ in (*self._lanes(), *self._blocks()):
            lines.append(", ".join(texts))
        return join_clauses(lines)

    @override
    def draw(self, ink: Ink) -> None:
        y = 2.0
        for part in (self._lanes(), self._blocks()):
            for number, (lane, texts, over) in enumerate(part):
                self._line(ink, y, lane, texts, head=not number, over=over)
                y += LINE
            y += GAP

    def _line(
        self, ink: Ink, y: float, lane: int, texts: Sequence[str], head: bool, over: bool
    ) -> None:
        wide = self.width() - 2 * PAD
        if head:
            rule = QRectF(PAD, y + LINE - 1, wide, 1)
            ink.fill(rule, self.theme.line)
        else:
            band = QRectF(PAD, y, BAND, LINE)
            ink.fill(band, lane_colour(self.theme, lane))
        colour = self.theme.muted if head else self.theme.text
        left = PAD + BAND + 8
        name = wide * NAME
        title, *figures, last = texts
        shown = ink.small_elided(title, name - BAND - 8)
        name_column = QRectF(left, y, name, LINE)
        ink.small(name_column, shown, LEFT, colour)
        columns = len(figures) + 1
        each = (wide - name) / columns
        cell = QRectF(PAD + name, y, each, LINE)
        for text in figures:
            ink.small(cell, text, RIGHT, colour)
            cell.translate(each, 0)
        ink.small(cell, last, RIGHT, self.theme.error if over else colour)

    def _lanes(self) -> list[tuple[int, list[str], bool]]:
        """Return the lanes' lines, heads first: lane, texts, and True if the limit is exceeded."""
        cut = self.cut
        if cut is None or cut.plan is None:
            return []
        sums = lane_sums(cut.plan, cut.model, cut.costs)
        heads = [
            tr("Lane"),
            tr("stages"),
            tr("a micro-batch"),
            tr("of the time"),
            tr("parameters"),
            tr("memory"),
        ]
        whole = sum(one.time_ns or 0 for one in sums)
        names = [lane.name for lane in cut.plan.lanes]
        lines = [(-1, heads, False)]
        for one in sums:
            texts = [names[one.lane], *self._sum(one, whole)]
            lines.append((one.lane, texts, self._is_over(one)))
        return lines

    def _sum(self, one: LaneSum, whole: int) -> list[str]:
        held = NONE if one.held_bytes is None else bytes_text(one.held_bytes)
        if self._is_over(one):
            held = f"{held} > {bytes_text(self.most_bytes or 0)}"
        stages = ", ".join(map(str, one.stages)) or NONE
        time = NONE
        share = NONE
        if one.time_ns is not None:
            time = duration_text(one.time_ns)
            share = percent_text(one.time_ns / (whole or 1))
        return [stages, time, share, about_text(one.parameters), held]

    def _is_over(self, one: LaneSum) -> bool:
        held = one.held_bytes
        most = self.most_bytes
        return held is not None and most is not None and held > most

    def _blocks(self) -> list[tuple[int, list[str], bool]]:
        """Return the lines of the blocks, in the same form as `_lanes`."""
        cut = self.cut
        if cut is None:
            return []
        heads = [
            tr("Block"),
            tr("parameters"),
            tr("forward"),
            tr("input"),
            tr("weights"),
            tr("memory"),
        ]
        lines = [(-1, heads, False)]
        for number, block in enumerate(cut.model.blocks):
            figures = [NONE] * 4
            if cut.costs:
                cost = cut.costs[number]
                times = (cost.forward_ns, cost.input_ns, cost.weight_ns)
                figures = [
                    *map(duration_text, times),
                    bytes_text(cost.kept_bytes + cost.saved_bytes),
                ]
            name = f"{number}  {block.name}"
            texts = [name, about_text(block.parameter_count), *figures]
            lines.append((cut.lane_of(number), texts, False))
        return lines
