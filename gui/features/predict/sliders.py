"""A value with a slider, for round values, and a number field, for exact ones."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from PySide6.QtCore import QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QSlider, QSpinBox

from gui.look.text import tr
from gui.widgets.fields import WheelGuard, set_number
from gui.widgets.label import Label

NUMBER = QSize(98, 22)
NARROWEST = 48  # pixels of a slider


def growing(most: int) -> list[int]:
    """Return 1 to 8, then four stops for each doubling (10, 12, 14, 16, 20, ...), up to `most`."""
    stops = list(range(1, 9))
    for power in range(1, 20):
        scale = 2**power
        stops += [5 * scale, 6 * scale, 7 * scale, 8 * scale]
    return [stop for stop in stops if stop <= most]


class SliderRow(QObject):
    """A value with its label, slider and number field; `changed` is emitted when it changes.

    `words` are its title and its tooltip. The slider is at the stop nearest to the value; moving it
    sets the value to a stop.
    """

    changed = Signal()

    def __init__(
        self,
        name: str,
        words: tuple[str, str],
        stops: Sequence[float],
        number: QSpinBox | QDoubleSpinBox,
    ) -> None:
        # A layout owns only widgets, so the number field is the parent that keeps this row alive.
        super().__init__(number)
        self._stops = list(stops)
        title, self._tip = map(tr, words)
        self.label = Label(title)
        self.number = number
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, len(self._stops) - 1)
        self.slider.setPageStep(4)
        self.slider.setMinimumWidth(NARROWEST)
        self.slider.setObjectName(f"{name}_slider")
        number.setObjectName(name)
        number.setFixedSize(NUMBER)
        number.lineEdit().setTextMargins(4, 0, 0, 0)  # as in the form
        # Otherwise typing "128" would request 1, 12 and 128.
        number.setKeyboardTracking(False)
        self.label.setBuddy(self.slider)
        for field, what in ((self.slider, tr("slider")), (number, tr("number"))):
            field.setAccessibleName(f"{self.label.text()}, {what}")
            field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            WheelGuard(field)
        self.enable(True)
        self.slider.valueChanged.connect(self._slid)
        number.valueChanged.connect(self._typed)
        self._show_nearest()

    @property
    def value(self) -> float:
        """The value of the number field."""
        return self.number.value()

    @value.setter
    def value(self, value: float) -> None:
        set_number(self.number, value)

    def add_to(self, grid: QGridLayout, row: int) -> None:
        """Put label, slider and number into three columns of a grid."""
        for column, part in enumerate((self.label, self.slider, self.number)):
            grid.addWidget(part, row, column)

    def enable(self, enabled: bool, reason: str = "") -> None:
        """Enable or disable the row; while it is disabled, its tooltip is `reason`."""
        for part in (self.label, self.slider, self.number):
            part.setEnabled(enabled)
            part.setToolTip(self._tip if enabled else reason)

    def set_stops(self, stops: Sequence[float]) -> None:
        """Replace the slider's stops; the last one becomes the maximum of the number field."""
        self._stops = list(stops)
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, len(self._stops) - 1)
        self.number.setMaximum(self._stops[-1])  # type: ignore[arg-type]
        self._show_nearest()

    def _slid(self, stop: int) -> None:
        self.value = self._stops[stop]

    def _typed(self) -> None:
        self._show_nearest()
        self.changed.emit()

    def _show_nearest(self) -> None:
        last = len(self._stops) - 1
        after = min(bisect_left(self._stops, self.value), last)
        before = max(0, after - 1)

        def distance(stop: int) -> float:
            return abs(self._stops[stop] - self.value)

        nearest = min(before, after, key=distance)
        # Signals are blocked; otherwise `_slid` would replace a typed number with the nearest stop.
        with QSignalBlocker(self.slider):
            self.slider.setValue(nearest)
