"""Field for the learner's prediction, made before a step of a lesson runs."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QButtonGroup, QLineEdit, QRadioButton, QWidget

from core.lessons.lesson import LessonStep, differing
from core.lessons.prediction import Guess, Order, Prediction, Reference, guess_of, order_text
from gui.app.setting_names import settings_text
from gui.look.core_texts import translated
from gui.look.text import tr
from gui.widgets.label import Label
from gui.widgets.layouts import NO_MARGINS, column, named, row, widget_of

EXAMPLE = "4 + 4 + 2"
WIDTH = 90  # pixels; width of a field for a single number


class PredictionField(QWidget):
    """Asks for a number, for a split into rows, or whether a figure is smaller, equal or larger.

    `changed` is emitted when the guess has changed, `entered` when Return is pressed in the field.
    """

    changed = Signal()
    entered = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._prediction: Prediction | None = None
        self.label = Label("", wrapped=True)
        self.number = named(QLineEdit(), tr("Your prediction"))
        self.number.textEdited.connect(lambda _: self.changed.emit())
        self.number.returnPressed.connect(self.entered)
        self._sign = Label()
        self._number_row = widget_of(
            row(self.number, self._sign, None, margins=NO_MARGINS, spacing=6)
        )
        # Set the texts now, because screen readers also name hidden buttons.
        self.orders = {
            order: QRadioButton(translated(order_text(order, is_of_time=False))) for order in Order
        }
        self._group = QButtonGroup(self)
        for button in self.orders.values():
            self._group.addButton(button)
            button.clicked.connect(self.changed)
        buttons = column(*self.orders.values(), margins=NO_MARGINS, spacing=3)
        self._order_column = widget_of(buttons)
        column(
            self.label,
            self._number_row,
            self._order_column,
            of=self,
            margins=(0, 0, 0, 4),
            spacing=5,
        )

    @property
    def guess(self) -> Guess | None:
        """The learner's prediction; None while there is none, or the text is not valid."""
        if self._prediction is None:
            return None
        if self._prediction.against is None:
            return guess_of(self._prediction, self.number.text())
        for order, button in self.orders.items():
            if button.isChecked():
                return order
        return None

    def ask(self, step: LessonStep) -> None:
        """Ask for the prediction of a step, with empty fields."""
        prediction = self._prediction = step.prediction
        self.number.clear()
        # An exclusive group keeps one of its buttons checked.
        self._group.setExclusive(False)
        for button in self.orders.values():
            button.setChecked(False)
        self._group.setExclusive(True)
        if prediction is None:
            return
        self.label.setText(tr("Your prediction: {figure}", figure=asked_text(step, prediction)))
        for order, button in self.orders.items():
            button.setText(translated(order_text(order, prediction.is_of_time)))
        is_order = prediction.against is not None
        self._order_column.setVisible(is_order)
        self._number_row.setVisible(not is_order)
        self._sign.setText(prediction.sign)
        self.number.setPlaceholderText(EXAMPLE if prediction.is_split else "")
        # A list of rows may be long.
        self.number.setMaximumWidth(1000 if prediction.is_split else WIDTH)

    def lock(self, locked: bool) -> None:
        """Disable the fields, or enable them again."""
        self._number_row.setEnabled(not locked)
        self._order_column.setEnabled(not locked)

    @property
    def has_focus(self) -> bool:
        """True if one of the fields has the focus."""
        focused = QApplication.focusWidget()
        return focused is not None and self.isAncestorOf(focused)

    def take_focus(self) -> None:
        """Give the focus to the field for the prediction."""
        if self._prediction is not None and self._prediction.against is not None:
            self.orders[Order.SMALLER].setFocus()
        else:
            self.number.setFocus()


def asked_text(step: LessonStep, prediction: Prediction) -> str:
    """Return the figure to predict: `idle time`, or `step: ZB-H1 against 1F1B`."""
    figure = prediction.figure
    against = prediction.against
    title = tr(figure.title)
    if against is None:
        return title
    if figure.run == against.run:
        return tr("{figure} against {other}", figure=title, other=tr(against.title))
    return tr(
        "{figure}: {run} against {other}",
        figure=title,
        run=_run_text(step, figure),
        other=_run_text(step, against),
    )


def _run_text(step: LessonStep, reference: Reference) -> str:
    return settings_text(differing(step.runs[reference.run], step.runs))
