"""Fields for the learner's guess: which lane is slow, and by how much."""

from __future__ import annotations

from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox, QWidget

from gui.look.text import tr
from gui.widgets.fields import WheelGuard
from gui.widgets.label import Label
from gui.widgets.layouts import grid, named

MOST_FACTOR = 10.0


class GuessFields(QWidget):
    """A field for the number of a lane, and one for the factor by which it is slower."""

    def __init__(self) -> None:
        super().__init__()
        self.lane_field = named(QSpinBox(), tr("Slow lane"))
        self.factor_field = named(QDoubleSpinBox(), tr("Times as long"))
        self.factor_field.setRange(1.0, MOST_FACTOR)
        self.factor_field.setSingleStep(0.1)
        self.factor_field.setDecimals(1)
        fields = grid(across=8, down=4)
        fields.setContentsMargins(0, 0, 0, 0)
        fields.setColumnStretch(1, 1)
        for place, field in enumerate((self.lane_field, self.factor_field)):
            WheelGuard(field)
            fields.addWidget(Label(field.accessibleName()), place, 0)
            fields.addWidget(field, place, 1)
        self.setLayout(fields)

    @property
    def lane(self) -> int:
        """The number of the lane."""
        return self.lane_field.value()

    @property
    def factor(self) -> float:
        """The factor, 1 or more."""
        return self.factor_field.value()

    def set_lanes(self, count: int) -> None:
        """Accept the numbers of `count` lanes, from 0."""
        self.lane_field.setRange(0, max(0, count - 1))
