"""Strip of a model's blocks, in the colours of their lanes, with borders that can be moved."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent

from core.costs.cut import borders_of, lane_of_stage, moved
from core.models.description import ModelDescription
from core.override import override
from core.plan.balance import BlockCost, cuts_backward
from core.plan.plan import Plan
from gui.look.text import about_text, duration_text, percent_text, tr
from gui.look.theme import Theme
from gui.look.writing import CENTRE
from gui.timeline.paint.ink import Ink
from gui.widgets.drawing import PAD, Drawing

BAR = 34.0
AIR = 9.0  # pixels above and below the blocks, for the handles of the borders
NEAR = 9.0  # largest distance in pixels from which the mouse can drag a border
LEAST = 1 / 200  # least share of the width, so that every block can be pointed at
SELECTS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
"""Keys that select the previous or the next border."""
MOVES = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
"""Keys that move the selected border by a block."""


@dataclass(frozen=True, slots=True)
class ShownCut:
    """A model's blocks, their costs for micro-batches of `rows` rows, and their stages.

    `costs` is empty if no run has measured them; `plan` is None if the model is not cut.
    """

    model: ModelDescription
    plan: Plan | None
    costs: tuple[BlockCost, ...] = ()
    rows: int = 0

    @property
    def borders(self) -> tuple[int, ...]:
        """The first block of every stage except the first stage."""
        return () if self.plan is None else borders_of(self.plan)

    def weights(self) -> list[float]:
        """Return the share of each block in the measured time, or else in the parameters."""
        parts: list[float] = [block.parameter_count for block in self.model.blocks]
        if self.costs:
            in_parts = self.plan is not None and cuts_backward(self.plan)
            parts = [cost.duration_ns(in_parts) for cost in self.costs]
        whole = sum(parts) or 1.0
        return [part / whole for part in parts]

    def lane_of(self, block: int) -> int:
        """Return the index of a block's lane; -1 if the model is not cut."""
        if self.plan is None:
            return -1
        # A block's stage is the number of borders at or before the block.
        stage = sum(border <= block for border in self.borders)
        return lane_of_stage(self.plan)[stage]


class BlockStrip(Drawing):
    """Blocks from left to right, as wide as their share of the time or the parameters.

    `shifted` carries the index of a border, and the block that it is moved to.

    The user drags a border, or selects it with Up and Down and moves it with Left and Right.
    """

    shifted = Signal(int, int)

    def __init__(self) -> None:
        super().__init__(tr("Stage borders"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.cut: ShownCut | None = None
        self.chosen = 0
        self._dragged = False

    def show_cut(self, cut: ShownCut | None) -> None:
        """Show other blocks, or other borders."""
        self.cut = cut
        count = 0 if cut is None else len(cut.borders)
        self.chosen = max(0, min(self.chosen, count - 1))
        self.refresh()

    @override
    def content_height(self) -> float:
        return BAR + 2 * AIR

    @override
    def words(self) -> str:
        cut = self.cut
        if cut is None or not cut.borders:
            return ""
        before = cut.model.blocks[cut.borders[self.chosen]].name
        return tr(
            "Border {number} of {count}, before block {block}.",
            number=self.chosen + 1,
            count=len(cut.borders),
            block=before,
        )

    def x_of(self, block: int) -> float:
        """Return the left edge of a block in pixels; the index after the last one is the end."""
        return self._edges()[block]

    @override
    def draw(self, ink: Ink) -> None:
        cut = self.cut
        if cut is None:
            return
        edges = self._edges()
        weights = cut.weights()
        for block, weight in enumerate(weights):
            left = edges[block]
            right = edges[block + 1]
            width = max(1.0, right - left - 1)
            rect = QRectF(left, AIR, width, BAR)
            colour = lane_colour(self.theme, cut.lane_of(block))
            ink.fill(rect, colour)
            self.spot(rect, block_tip(cut, block, weight))
        if cut.plan:
            bounds = (0, *cut.borders, len(weights))
            for stage, (first, end) in enumerate(pairwise(bounds)):
                share = sum(weights[first:end])
                left = edges[first]
                room = QRectF(left, AIR, edges[end] - left, BAR)
                self._name(ink, stage, share, room)
        for number, border in enumerate(cut.borders):
            is_chosen = number == self.chosen and self.hasFocus()
            self._handle(ink, edges[border], is_chosen)

    def _name(self, ink: Ink, stage: int, part: float, room: QRectF) -> None:
        """Write a stage's number, lane and share in the middle of its blocks."""
        assert self.cut is not None and self.cut.plan is not None
        plan = self.cut.plan
        lane = plan.lanes[lane_of_stage(plan)[stage]]
        share = percent_text(part)
        whole = tr("{stage}: {lane}, {share}", stage=stage, lane=lane.name, share=share)
        # The longest text that fits.
        for text in (whole, share, str(stage)):
            width = ink.small_width(text) + 12
            if width + 8 <= room.width():
                tab = QRectF(0, 0, width, BAR - 16)
                tab.moveCenter(room.center())
                ink.fill(tab, self.theme.plot)
                ink.small(tab, text, CENTRE, self.theme.text)
                return

    def _handle(self, ink: Ink, x: float, chosen: bool) -> None:
        colour = self.theme.accent if chosen else self.theme.text
        wide = 5.0 if chosen else 3.0
        high = BAR + 2 * AIR
        middle = x - 0.5  # of the free pixel after the previous block
        stem = QRectF(middle - wide / 2, 2, wide, high - 4)
        ink.fill(stem, colour)
        for top in (0.0, high - 7):
            end = QRectF(middle - 5, top, 10, 7)
            ink.fill(end, colour)

    def _edges(self) -> list[float]:
        """Return the left edges of the blocks in pixels, and the right edge of the last one."""
        if self.cut is None:
            return []
        # If blocks were widened, the sum exceeds 1, so all are scaled to fit.
        parts = [max(LEAST, weight) for weight in self.cut.weights()]
        room = self.width() - 2 * PAD
        scale = room / sum(parts)
        return [PAD + scale * at for at in accumulate(parts, initial=0.0)]

    # Moving a border

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        near = self._near(event.position())
        if event.button() is Qt.MouseButton.LeftButton and near is not None:
            self.chosen = near
            self._dragged = True
            self.refresh()

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged and self.cut is not None:
            distances = self._distances(event.position())
            nearest = distances.index(min(distances))
            self._shift(nearest)
        if self._dragged or self._near(event.position()) is not None:
            self.setCursor(Qt.CursorShape.SplitHCursor)
        else:
            self.setCursor(Qt.CursorShape.ArrowCursor)

    @override
    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._dragged = False

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        borders = () if self.cut is None else self.cut.borders
        key = Qt.Key(event.key())
        if not borders or (key not in SELECTS and key not in MOVES):
            super().keyPressEvent(event)
            return
        chosen = self.chosen + SELECTS.get(key, 0)
        self.chosen = max(0, min(chosen, len(borders) - 1))
        self.refresh()
        if key in MOVES:
            self._shift(borders[self.chosen] + MOVES[key])

    def _near(self, at: QPointF) -> int | None:
        """Return the border at the pointer, or None."""
        if self.cut is None or not self.cut.borders:
            return None
        every = self._distances(at)
        distances = [every[block] for block in self.cut.borders]
        nearest = min(distances)
        return distances.index(nearest) if nearest <= NEAR else None

    def _distances(self, at: QPointF) -> list[float]:
        """Return the horizontal distance of a pixel to each block's left edge and to the end."""
        return [abs(edge - at.x()) for edge in self._edges()]

    def _shift(self, block: int) -> None:
        """Request to move the selected border before a block, or as near to it as possible."""
        assert self.cut is not None
        borders = self.cut.borders
        blocks = len(self.cut.model.blocks)
        to = moved(borders, self.chosen, block, blocks)[self.chosen]
        if to != borders[self.chosen]:
            self.shifted.emit(self.chosen, to)


def lane_colour(theme: Theme, lane: int) -> str:
    """Return the colour of a lane's blocks; -1 for blocks without a lane."""
    if lane < 0:
        return theme.other
    colours = theme.series
    return colours[lane % len(colours)]


def block_tip(cut: ShownCut, block: int, share: float) -> str:
    """Return a block's tooltip."""
    described = cut.model.blocks[block]
    if not cut.costs:
        return tr(
            "{number}: {name}, {parameters} parameters, {share} of all",
            number=block,
            name=described.name,
            parameters=about_text(described.parameter_count),
            share=percent_text(share),
        )
    cost = cut.costs[block]
    return tr(
        "{number}: {name}, forward {forward}, backward {backward}, {share} of the time",
        number=block,
        name=described.name,
        forward=duration_text(cost.forward_ns),
        backward=duration_text(cost.backward_ns),
        share=percent_text(share),
    )
