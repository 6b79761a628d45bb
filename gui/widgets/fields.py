"""The fields of the form: each with a label, a tooltip of one sentence and an optional value."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QSizePolicy,
    QSpinBox,
    QWidget,
)

from core.option import Option
from gui.look.text import tr
from gui.widgets.label import Label
from gui.widgets.layouts import named

MOST = 1_000_000_000
HEIGHT = 26


class Choice(QComboBox):
    """A drop-down list with an arrow of its own: a style sheet would need a picture for it."""

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        super().paintEvent(event)
        group = QPalette.ColorGroup.Normal if self.isEnabled() else QPalette.ColorGroup.Disabled
        x, y = self.width() - 14.0, self.height() / 2 - 1.5
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(
                QPen(self.palette().color(group, QPalette.ColorRole.PlaceholderText), 1.4)
            )
            painter.drawPolyline([QPointF(x - 4, y), QPointF(x, y + 4), QPointF(x + 4, y)])


def set_number(field: QSpinBox | QDoubleSpinBox, value: float) -> None:
    """Set a number; what is beyond the field's range, or Qt's, is the nearest that it takes."""
    near = max(field.minimum(), min(value, field.maximum()))
    if isinstance(field, QSpinBox):
        field.setValue(int(near))
    else:
        field.setValue(near)


class WheelGuard(QObject):
    """Lets the wheel scroll the form instead of changing its field while that has no focus."""

    def __init__(self, field: QWidget) -> None:
        super().__init__(field)
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: D102
        if (
            event.type() is QEvent.Type.Wheel
            and isinstance(watched, QWidget)
            and not watched.hasFocus()
        ):
            # Ignored, it goes on to the form around; with True the field itself does not get it.
            event.ignore()
            return True
        return False


def labelled(field: QWidget, title: str, tip: str) -> Label:
    """The label of a field, which gets it for a name; a translated tip tells of both."""
    label = Label(tr(title))
    label.setBuddy(field)
    label.setToolTip(tr(tip))
    WheelGuard(named(field, tr(title), tr(tip)))
    return label


def add_field(form: QFormLayout, option: Option[Any], field: QWidget) -> None:
    """Put an option's field into the form with its label, tooltip and accessible name."""
    label = labelled(field, option.title, option.help)
    field.setObjectName(option.name)
    if isinstance(field, QComboBox) and (edit := field.lineEdit()) is not None:
        edit.setAccessibleName(tr(option.title))
    if isinstance(field, QAbstractSpinBox):
        field.lineEdit().setTextMargins(4, 0, 0, 0)  # as far in as a drop-down list's text
    field.setMinimumWidth(70)
    field.setFixedHeight(HEIGHT)
    field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    # Qt gives these fields WheelFocus: the wheel would focus a field before the guard is asked.
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    form.addRow(label, field)


def whole(
    least: int, most: int = MOST, value: int = 0, automatic: str = "", suffix: str = ""
) -> QSpinBox:
    """A field for a whole number; with `automatic`, the least shows as that word."""
    field = QSpinBox(minimum=least, maximum=most, value=value, suffix=suffix)
    field.setSpecialValueText(automatic)
    return field


class Decimal(QDoubleSpinBox):
    """A number without the zeros behind its last digit that counts."""

    def textFromValue(self, value: float) -> str:  # noqa: D102
        text, point = super().textFromValue(value), self.locale().decimalPoint()
        return text.rstrip("0").rstrip(point) if point in text else text


def decimal(
    most: float, decimals: int, step: float, automatic: str = "", suffix: str = ""
) -> QDoubleSpinBox:
    """A field for a number of 0 or more; with `automatic`, 0 shows as that word."""
    field = Decimal(decimals=decimals, minimum=0.0, maximum=most, singleStep=step, suffix=suffix)
    field.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
    field.setSpecialValueText(automatic)
    return field


def choice(entries: list[tuple[str, str, str]]) -> Choice:
    """A field for one of `entries`: title, value, and a line that explains it."""
    field = Choice()
    field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    for title, value, line in entries:
        field.addItem(title, value)
        if line:
            field.setItemData(field.count() - 1, line, Qt.ItemDataRole.ToolTipRole)
    return field
