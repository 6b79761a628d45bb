"""Grid of cards whose rows differ by at most one card."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from core.override import override
from gui.features.first_page.card import WIDTH, Card

GAP = 10


class CardGrid(QWidget):
    """Changes its number of columns with its width."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("plot")
        self.cards: list[Card] = []
        self._across = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GAP)

    def show_cards(self, cards: Sequence[Card]) -> None:
        """Replace the cards."""
        for before in self.cards:
            self._grid.removeWidget(before)
            before.hide()
            before.deleteLater()
        # 0 differs from any number of columns, so `_lay_out` places the new cards.
        self.cards = list(cards)
        self._across = 0
        self.setVisible(bool(cards))
        self._lay_out()

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(WIDTH, 0)  # otherwise it could not become narrower than its current columns

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        across = cards_across(len(self.cards), self.width())
        if across == self._across:
            return
        # QGridLayout never removes columns: empty ones must get no width.
        for column in range(max(across, self._grid.columnCount())):
            self._grid.setColumnStretch(column, int(column < across))
        for card in self.cards:
            self._grid.removeWidget(card)
        for place, card in enumerate(self.cards):
            self._grid.addWidget(card, place // across, place % across)
        self._across = across


def cards_across(count: int, width: int) -> int:
    """Return the number of columns for `count` cards in a width in pixels."""
    fit = max(1, (width + GAP) // (WIDTH + GAP))
    rows = -(-count // fit) if count else 1
    return max(1, -(-count // rows))
