"""Fields of forms, with their labels and tooltips."""

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
    QStyledItemDelegate,
    QWidget,
)

from core.option import Option
from core.override import override
from gui.look.text import tr
from gui.widgets.label import Label
from gui.widgets.layouts import named

MOST = 1_000_000_000
HEIGHT = 26
LEAST_WIDTH = 70


class Choice(QComboBox):
    """A drop-down list that paints its arrow; a style sheet would need an image for it."""

    def __init__(self) -> None:
        super().__init__()
        # The list's default delegate ignores the padding of items in the style sheet.
        self.setItemDelegate(QStyledItemDelegate(self))

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        group = QPalette.ColorGroup.Normal if self.isEnabled() else QPalette.ColorGroup.Disabled
        colour = self.palette().color(group, QPalette.ColorRole.PlaceholderText)
        x = self.width() - 14.0
        y = self.height() / 2 - 1.5
        arrow = [
            QPointF(x - 4, y),
            QPointF(x, y + 4),
            QPointF(x + 4, y),
        ]
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(colour, 1.4))
            painter.drawPolyline(arrow)


def set_number(field: QSpinBox | QDoubleSpinBox, value: float) -> None:
    """Set a number, limited to the field's range."""
    near = max(field.minimum(), min(value, field.maximum()))
    if isinstance(field, QSpinBox):
        field.setValue(int(near))
    else:
        field.setValue(near)


class WheelGuard(QObject):
    """Makes the wheel scroll the form instead of changing a field that has no focus."""

    def __init__(self, field: QWidget) -> None:
        super().__init__(field)
        field.installEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            event.type() is QEvent.Type.Wheel
            and isinstance(watched, QWidget)
            and not watched.hasFocus()
        ):
            # Qt passes an ignored event on to the form; True keeps it from the field.
            event.ignore()
            return True
        return False


def labelled(field: QWidget, title: str, tip: str) -> Label:
    """Return a label for a field, and set the field's name and tooltip; translate all texts."""
    label = Label(tr(title))
    label.setBuddy(field)
    label.setToolTip(tr(tip))
    WheelGuard(named(field, tr(title), tr(tip)))
    return label


def add_field(form: QFormLayout, option: Option[Any], field: QWidget) -> None:
    """Add an option's field to the form with its label, tooltip and accessible name."""
    field.setObjectName(option.name)
    add_row(form, form.rowCount(), field, option.title, option.help)


def add_row(form: QFormLayout, row: int, field: QWidget, title: str, tip: str) -> None:
    """Insert a row with a field, its label and its tooltip, in English; both are translated."""
    label = labelled(field, title, tip)
    if isinstance(field, QComboBox):
        edit = field.lineEdit()
        if edit is not None:
            edit.setAccessibleName(tr(title))
    if isinstance(field, QAbstractSpinBox):
        # Indented like a drop-down list's text.
        field.lineEdit().setTextMargins(4, 0, 0, 0)
    field.setMinimumWidth(max(LEAST_WIDTH, field.minimumWidth()))
    field.setFixedHeight(HEIGHT)
    field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    # Qt gives these fields WheelFocus: the wheel would focus a field before the guard gets the
    # event.
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    form.insertRow(row, label, field)


def whole(
    least: int, most: int = MOST, value: int = 0, automatic: str = "", suffix: str = ""
) -> QSpinBox:
    """Return a field for an integer; with `automatic`, the least value is shown as that word."""
    field = QSpinBox(minimum=least, maximum=most, value=value, suffix=suffix)
    field.setSpecialValueText(automatic)
    return field


class Decimal(QDoubleSpinBox):
    """A decimal number without trailing zeros."""

    @override
    def textFromValue(self, value: float) -> str:
        text = super().textFromValue(value)
        point = self.locale().decimalPoint()
        return text.rstrip("0").rstrip(point) if point in text else text


def decimal(
    most: float, decimals: int, step: float, automatic: str = "", suffix: str = ""
) -> QDoubleSpinBox:
    """Return a field for a number of 0 or more; with `automatic`, 0 is shown as that word."""
    field = Decimal(decimals=decimals, minimum=0.0, maximum=most, singleStep=step, suffix=suffix)
    field.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
    field.setSpecialValueText(automatic)
    return field


def choice(entries: list[tuple[str, str, str]]) -> Choice:
    """Return a field for one of `entries`: title, value, and a line that explains it."""
    field = Choice()
    field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    for title, value, line in entries:
        field.addItem(title, value)
        if line:
            field.setItemData(field.count() - 1, line, Qt.ItemDataRole.ToolTipRole)
    return field
