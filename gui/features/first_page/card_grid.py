"""Cards side by side, in as many rows as they need; all rows are equally long."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from gui.features.first_page.card import WIDTH, Card

GAP = 10


class CardGrid(QWidget):
    """Lays its cards out anew where its width asks for it."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("plot")
        self.cards: list[Card] = []
        self._across = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GAP)

    def show_cards(self, cards: Sequence[Card]) -> None:
        """Show these instead of those before."""
        for before in self.cards:
            self._grid.removeWidget(before)
            before.hide()
            before.deleteLater()
        # 0 is no number of columns, so `_lay_out` places the new cards even if it stays the same.
        self.cards, self._across = list(cards), 0
        self.setVisible(bool(cards))
        self._lay_out()

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(WIDTH, 0)  # else it never gets narrower than its cards stand now

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        super().resizeEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        across = cards_across(len(self.cards), self.width())
        if across == self._across:
            return
        # A grid forgets no column: those that are left empty must have no share of the width.
        for column in range(max(across, self._grid.columnCount())):
            self._grid.setColumnStretch(column, int(column < across))
        for card in self.cards:
            self._grid.removeWidget(card)
        for place, card in enumerate(self.cards):
            self._grid.addWidget(card, place // across, place % across)
        self._across = across


def cards_across(count: int, width: int) -> int:
    """How many of `count` cards stand side by side, in rows that differ by less than a row."""
    fit = max(1, (width + GAP) // (WIDTH + GAP))
    rows = -(-count // fit) if count else 1
    return max(1, -(-count // rows))
