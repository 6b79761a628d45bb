"""The Sweep panel: the varied option, its values, and the results."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QFormLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QToolButton,
)

from core.override import override
from core.plan.strategies import STRATEGIES
from core.sweep.results import Results
from core.sweep.sweep import REFERENCES, REPEATS
from core.sweep.values import SWEPT
from gui.app.setting_names import option_title
from gui.features.sweep.view import SweepView
from gui.look.text import tr
from gui.widgets.fields import WheelGuard, choice, whole
from gui.widgets.label import Label
from gui.widgets.layouts import NO_MARGINS, button, column, named, row, widget_of
from gui.widgets.sheet import scroll_down

FIRST = "split_size"
NOT_OFFERED = ("steps", "warmup", "seed", "verify", "blocks")
"""Settings that do not make a step faster; only the command line can sweep them."""
MOST_REPEATS = 1000
FIELD = 150
_ACROSS = QBoxLayout.Direction.LeftToRight
_DOWN = QBoxLayout.Direction.TopToBottom


class SweepPanel(QScrollArea):
    """The fields of a sweep and its results.

    `asked` is emitted to begin or end the sweep, `edited` with every change of a field except
    `option`, and `opened` when the panel is shown. The controller connects to `option` and to the
    buttons `image` and `table`, which save the results.
    """

    asked = Signal()
    edited = Signal()
    opened = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("form")
        scroll_down(self)
        self.view = SweepView()
        self._build_fields()
        self._lay_out()
        self.set_running(False)
        self.show_results(None)
        self.values.returnPressed.connect(self.asked)
        for news in (self.values.textChanged, self.repeat.valueChanged, self.references.toggled):
            news.connect(self.edited)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.opened.emit()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        both = self._fields.minimumSize().width() + self.view.minimumSizeHint().width()
        bar = self.verticalScrollBar().sizeHint().width()
        fits = self.width() - bar >= both
        # Set before `resizeEvent`, in which the scroll area lays out its contents.
        self._box.setDirection(_ACROSS if fits else _DOWN)
        super().resizeEvent(event)

    def set_running(self, running: bool) -> None:
        """While a sweep is running, let the button end it, and disable the fields."""
        self.button.setText(tr("Stop sweep") if running else tr("Run sweep"))
        for field in (self.option, self.values, self.repeat, self.references):
            field.setEnabled(not running)

    def show_problem(self, text: str) -> None:
        """Show the problem of the fields; '' if there is none."""
        self.problem.say(text)
        self.button.setEnabled(not text)

    def show_progress(self, text: str) -> None:
        """Show the progress of the sweep."""
        self.progress.say(text)

    def show_results(self, results: Results | None) -> None:
        """Show the results so far."""
        self.view.show_results(results)
        for part in (self.image, self.table):
            part.setEnabled(results is not None and bool(results.by_setting))

    def _build_fields(self) -> None:
        entries = []
        for option in SWEPT:
            has_title = bool(option.title) or option.name == "strategy"
            if has_title and option.name not in NOT_OFFERED:
                entries.append((option_title(option), option.name, tr(option.help)))
        self.option = choice(entries)
        self.option.setCurrentIndex(self.option.findData(FIRST))
        self.values = QLineEdit()
        self.values.setToolTip(
            tr(
                "Values separated by commas, or by semicolons if a value contains commas; "
                "default leaves the option out."
            )
        )
        self.repeat = whole(1, MOST_REPEATS)
        self.repeat.setValue(REPEATS)
        self.repeat.lineEdit().setTextMargins(4, 0, 0, 0)  # as far in as a drop-down list's text
        self.repeat.setToolTip(tr("Number of runs of each value."))
        names = " · ".join(tr(STRATEGIES[name].title) for name in REFERENCES)
        self.references = QCheckBox(names)
        self.references.setChecked(True)
        self.references.setToolTip(tr("Run these too, with the same settings, for reference."))
        tip = tr("Run every value, in random order, with the other settings of the form.")
        self.button = button(QPushButton, "", tip, self.asked.emit)
        tip = tr("Write the chart as PNG, SVG or PDF.")
        self.image = button(QToolButton, tr("Picture…"), tip)
        self.table = button(QToolButton, tr("Table…"), tr("Write a row for each run as CSV."))

    def _lay_out(self) -> None:
        form = QFormLayout(verticalSpacing=4, labelAlignment=Qt.AlignmentFlag.AlignLeft)
        named(self.option, tr("Vary"))
        named(self.values, tr("Values"))
        named(self.repeat, tr("Repeat"))
        named(self.references, tr("Also run"))
        for field in (self.option, self.values, self.repeat, self.references):
            # Otherwise the wheel would change the field under the pointer.
            WheelGuard(field)
        self.values.setMinimumWidth(FIELD)
        form.addRow(tr("Vary"), self.option)
        form.addRow(tr("Values"), self.values)
        # In one row, so that the button below is seen without scrolling.
        form.addRow(
            tr("Repeat"), row(self.repeat, self.references, growing=self.references, spacing=8)
        )
        self.problem = Label(look="problem", wrapped=True)
        self.progress = Label(look="quiet", wrapped=True)
        buttons = row(self.button, self.image, self.table, growing=self.button, spacing=2)
        self._fields = column(
            form, buttons, self.problem, self.progress, None, margins=(12, 2, 8, 4), spacing=5
        )
        self._box = row(
            self._fields,
            self.view,
            growing=self.view,
            margins=NO_MARGINS,
            spacing=0,
        )
        self.setWidget(widget_of(self._box, "sheet"))
