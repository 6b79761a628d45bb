"""Fields for injected faults, folded at first."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QGridLayout, QToolButton, QWidget

from core.option import OptionValue
from core.plan.faults import FAULT_OPTIONS
from gui.look.text import tr
from gui.widgets.fields import labelled
from gui.widgets.layouts import make_foldable
from gui.widgets.option_fields import field_of


class FaultFields:
    """A field for each fault, in `fields` by the option's name; `unfold` shows and hides them."""

    def __init__(self) -> None:
        self.fields = {option.name: field_of(option) for option in FAULT_OPTIONS}
        self.unfold = QToolButton()
        self.unfold.setText(tr("Faults"))
        self.unfold.setToolTip(tr("Faults to predict with: the faults of the run, or others."))
        make_foldable(self.unfold, self._show)
        self._parts: list[QWidget] = []

    def add_to(self, grid: QGridLayout, first: int) -> None:
        """Add the fields to three columns of a grid, from row `first`."""
        grid.addWidget(self.unfold, first, 0, 1, 3)
        for number, option in enumerate(FAULT_OPTIONS, first + 1):
            field = self.fields[option.name].widget
            label = labelled(field, option.title, option.help)
            field.setObjectName(f"whatif_fault_{option.name}")
            grid.addWidget(label, number, 0)
            grid.addWidget(field, number, 1, 1, 2)
            self._parts += [label, field]
        self._show()

    def write(self, faults: Mapping[str, OptionValue]) -> None:
        """Show faults by the options' names; unfold the fields if there are any, else fold them."""
        for name, field in self.fields.items():
            field.write(faults.get(name))
        self.unfold.setChecked(bool(faults))

    def read(self) -> dict[str, OptionValue]:
        """Return the faults by the options' names; None for each that is not set."""
        return {name: field.read() for name, field in self.fields.items()}

    def _show(self) -> None:
        for widget in self._parts:
            widget.setVisible(self.unfold.isChecked())
