"""List of the strategies, with a description of the current one."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from core.plan.strategies import STRATEGIES
from gui.look.text import tr
from gui.widgets.label import Label, plain_tip
from gui.widgets.layouts import NO_MARGINS, column, named

ROW = 25  # pixels of a strategy
NAME = Qt.ItemDataRole.UserRole


class StrategyList(QWidget):
    """List of strategies; `chosen` is emitted when another strategy becomes the current one."""

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.list = named(QListWidget(), tr("Strategy"))
        self.list.setObjectName("strategies")
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for strategy in STRATEGIES.values():
            item = QListWidgetItem(tr(strategy.title), self.list)
            item.setData(NAME, strategy.name)
            item.setToolTip(plain_tip(tr(strategy.line)))
            item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, tr(strategy.line))
            item.setSizeHint(QSize(0, ROW))
        frame = 2 * self.list.frameWidth()
        self.list.setFixedHeight(ROW * self.list.count() + frame + 2)
        self._line = Label(look="quiet", wrapped=True)
        self._line.setMargin(2)
        self.list.setCurrentRow(0)
        self._show_chosen()
        self.list.currentItemChanged.connect(self._change)
        made: QVBoxLayout = column(
            self.list,
            self._line,
            of=self,
            margins=NO_MARGINS,
            spacing=2,
        )
        made.setSizeConstraint(QVBoxLayout.SizeConstraint.SetMinimumSize)

    @property
    def name(self) -> str:
        """The name of the chosen strategy."""
        return str(self.list.currentItem().data(NAME))

    def choose(self, name: str) -> None:
        """Choose a strategy by name; the first one if the name is unknown."""
        names = list(STRATEGIES)
        self.list.setCurrentRow(names.index(name) if name in names else 0)

    def _change(self) -> None:
        self._show_chosen()
        self.chosen.emit()

    def _show_chosen(self) -> None:
        self._line.setText(tr(STRATEGIES[self.name].line))
        for row in range(self.list.count()):
            item = self.list.item(row)
            font = item.font()
            font.setBold(item is self.list.currentItem())
            item.setFont(font)
