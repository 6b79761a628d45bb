"""Blocks panel: the blocks of the form's model, and the borders of its stages."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QPushButton, QWidget

from core.override import override
from core.plan.pipeline.options import LANE_MEMORY
from gui.features.blocks.strip import BlockStrip, ShownCut
from gui.features.blocks.table import BlockTable
from gui.look.text import change_text, duration_text, tr
from gui.widgets.label import Label, hint
from gui.widgets.layouts import NO_MARGINS, button, column, named, row
from gui.widgets.option_fields import field_of
from gui.widgets.sheet import scrolled

WIDE = 600  # least width in pixels at which the limit is next to the buttons, not below them
NARROW = 240
LOW = 90


class BlocksPanel(QWidget):
    """The blocks as a strip and as a table, with buttons that choose the borders.

    `opened` is emitted when the panel is shown. `limit` is the field for the memory limit of a
    lane, `message` says how the figures were measured, and `predicted` shows the predicted step.
    """

    opened = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.strip = BlockStrip()
        self.table = BlockTable()
        self.message = Label(look="quiet", wrapped=True)
        self.predicted = Label(wrapped=True)
        self._empty = hint()
        self.limit = field_of(LANE_MEMORY)
        self._build_buttons()
        limit = Label(tr("Limit of a lane, MB"))
        limit.setBuddy(self.limit.widget)
        tip = tr("Memory limit of a lane's blocks; Balance respects it.")
        named(self.limit.widget, limit.text(), tip)
        self._tools = QWidget()
        self._sheet = scrolled(self.table)
        limits = row(None, limit, self.limit.widget)
        self._box = row(
            row(*self.buttons), limits, of=self._tools, growing=limits, margins=(14, 6, 14, 0)
        )
        column(
            self._tools,
            self.message,
            self.predicted,
            self.strip,
            self._sheet,
            self._empty,
            of=self,
            growing=self._sheet,
            margins=NO_MARGINS,
            spacing=2,
        ).setStretchFactor(self._empty, 1)
        for label in (self.message, self.predicted):
            label.setContentsMargins(14, 0, 14, 0)
        self.setMinimumSize(NARROW, LOW)  # does not enlarge a small window
        self.show_cut(None, "")

    def _build_buttons(self) -> None:
        tip = tr("Measure the cost of each block in a short, separate run.")
        self.measure = button(QPushButton, tr("Measure"), tip)
        tip = tr("Cut where the measured times of the stages are balanced.")
        self.balance = button(QPushButton, tr("Balance"), tip)
        tip = tr("Cut into stages of nearly equal parameters.")
        self.by_parameters = button(QPushButton, tr("By parameters"), tip)
        self.reset = button(QPushButton, tr("Reset"), tr("Undo the changes of the borders."))
        self.buttons = (self.measure, self.balance, self.by_parameters, self.reset)

    @property
    def limit_mb(self) -> float | None:
        """The limit of a lane's memory in MB; None for no limit."""
        value = self.limit.read()
        return value if isinstance(value, float) else None

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        ways = QBoxLayout.Direction
        self._box.setDirection(ways.LeftToRight if self.width() >= WIDE else ways.TopToBottom)
        super().resizeEvent(event)

    def show_cut(self, cut: ShownCut | None, words: str) -> None:
        """Show a model's blocks with a text on their figures, or only the text."""
        self.strip.show_cut(cut)
        limit = self.limit_mb
        self.table.show_cut(cut, None if limit is None else 1e6 * limit)
        self.message.setText(words)
        self._empty.setText(words)
        for part in (self.strip, self._sheet, self.message):
            part.setVisible(cut is not None)
        self._empty.setVisible(cut is None)

    def show_times(self, now: int, then: int | None = None) -> None:
        """Show the predicted duration of a step's passes, in ns.

        If the borders were changed, `now` is for the borders before the change, and `then` for the
        changed borders. Otherwise `then` is None.
        """
        text = tr("Predicted step without loss and update: {now}.", now=duration_text(now))
        if then is not None:
            text = tr(
                "Predicted step without loss and update: {then} with these borders, {now} before "
                "({change}).",
                now=duration_text(now, like=then),
                then=duration_text(then),
                change=change_text(then / now - 1),
            )
        self.predicted.say(text)

    def show_problem(self, text: str) -> None:
        """Show why nothing can be predicted or balanced; "" hides the text."""
        self.predicted.say(text)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.opened.emit()
