"""A field for every option: those of use are shown, those seldom set and the faults fold away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QToolButton,
    QWidget,
)

from core.models.catalogue import MODELS, ModelSettings
from core.option import Option, OptionGroup, OptionValue, option_values
from core.plan.specification import OPTIONS, Specification
from gui.features.run.applies import excluded, useless
from gui.look.text import tr
from gui.widgets.fields import add_field
from gui.widgets.file_choice import FileChoice
from gui.widgets.layouts import make_foldable
from gui.widgets.option_fields import Field, field_of

F = TypeVar("F", bound=QWidget)
SIZES = {option.name for option, _ in option_values(ModelSettings()) if option.kind is int}
ADVANCED, FAULTS = "advanced", "faults"


class Fold(QToolButton):
    """The heading of a part of the form that folds; it tells how much is set in there."""

    def __init__(self, title: str, tip: str) -> None:
        super().__init__()
        self.setObjectName("fold")
        self.setToolTip(tip)
        self._title = title
        self.count(0)

    def count(self, given: int) -> None:
        """Say that so many settings in there are not left to their defaults."""
        values = {"part": self._title, "count": given}
        self.setText(tr("{part} ({count} set)", **values) if given else self._title)


class OptionForm(QFormLayout):
    """Rows of labels and fields. `edited` comes with every change of a value or a fold."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__(horizontalSpacing=10, verticalSpacing=4)
        self.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        self.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.fields: dict[str, Field] = {}
        self.folds = {
            ADVANCED: Fold(tr("Advanced"), tr("Settings that are seldom changed.")),
            FAULTS: Fold(
                tr("Faults"), tr("Put faults into the virtual lanes, to see what they do.")
            ),
        }
        self._options = {option: _part(option) for option in OPTIONS if option.title}
        self._add("")
        for name, fold in self.folds.items():
            make_foldable(fold, self.edited.emit)
            self.addRow(fold)
            self._add(name)
        self._align()
        # `activated` comes by hand alone: settings that are filled in bring sizes of their own.
        self.field("model", FileChoice).activated.connect(self._fill_sizes)

    def _add(self, part: str) -> None:
        for option in (option for option, place in self._options.items() if place == part):
            field = self.fields[option.name] = field_of(option)
            add_field(self, option, field.widget)
            # Fields' signals carry a number, a text or a bool; nobody needs it here.
            field.edited.connect(lambda *_: self.edited.emit())

    def _align(self) -> None:
        """Fields begin at one line, whichever of them are shown."""
        labels = [label for name in self.fields if (label := self._label(self._widget(name)))]
        width = max(label.sizeHint().width() for label in labels)
        for label in labels:
            label.setMinimumWidth(width)

    def chain(self, first: QWidget) -> None:
        """Let the Tab key walk down the rows, after `first`."""
        rows = (self.itemAt(row, role) for row in range(self.rowCount()) for role in _FIELD_ROLES)
        widgets = [widget for item in rows if item is not None and (widget := item.widget())]
        # Qt's own order is that in which widgets were
        # made, and the folds were made before all fields.
        for before, after in pairwise([first, *widgets]):
            QWidget.setTabOrder(before, after)

    def field(self, name: str, kind: type[F]) -> F:
        """The widget of an option, which is of a kind."""
        widget = self._widget(name)
        assert isinstance(widget, kind)
        return widget

    # Values

    def read(self) -> dict[str, OptionValue]:
        """What all fields say, by options' names; nothing for sizes that the model has not."""
        given = {name: field.read() for name, field in self.fields.items()}
        return given | dict.fromkeys(SIZES - self._sizes())

    def write(self, specification: Specification) -> None:
        """Fill the fields."""
        filled = replace(specification, model=specification.model.filled())
        for option, value in filled.values:
            if option.name in self.fields:
                self.fields[option.name].write(value)

    def offer_devices(self, names: Iterable[str]) -> None:
        """What the field of the lanes offers; what stands in it stays."""
        devices = self.field("devices", QComboBox)
        # `clear` empties the line as well, with what the user has typed.
        text = devices.currentText()
        devices.clear()
        devices.addItems(list(names))
        devices.setCurrentText(text)

    @property
    def unfolded(self) -> set[str]:
        """The parts that are open."""
        return {name for name, fold in self.folds.items() if fold.isChecked()}

    @unfolded.setter
    def unfolded(self, names: set[str]) -> None:
        for name, fold in self.folds.items():
            fold.setChecked(name in names)

    def _sizes(self) -> set[str]:
        kind = MODELS.get(str(self.fields["model"].read()))
        return set() if kind is None else set(kind.settings)

    def _fill_sizes(self) -> None:
        """A newly picked model starts with its own sizes."""
        model = ModelSettings(str(self.fields["model"].read())).filled()
        for option, value in option_values(model):
            if option.name in SIZES:
                self.fields[option.name].write(value)

    # What is shown

    def show_rows(self, asked: Specification) -> None:
        """Show the rows that are of use and not folded away; disable, with the reason, others."""
        hidden = {option.name for option in useless(asked)} | (SIZES - self._sizes())
        why, unfolded = excluded(asked), self.unfolded
        for option, part in self._options.items():
            shown = option.name not in hidden and (not part or part in unfolded)
            self.setRowVisible(self._widget(option.name), shown)
            self._enable(self._widget(option.name), why.get(option, ""), tr(option.help))
        for name, fold in self.folds.items():
            mine = (option for option, part in self._options.items() if part == name)
            inside = [option for option in mine if option.name not in hidden]
            self.setRowVisible(fold, bool(inside))
            fold.count(sum(self.fields[o.name].read() != o.default for o in inside))

    def tell_usual(self, texts: Mapping[str, str]) -> None:
        """Show what numbers come to that are left to their defaults."""
        self.field("link", QLineEdit).setPlaceholderText(texts["link"])
        for option in self._options:
            spin = self._widget(option.name)
            if isinstance(spin, QSpinBox) and option.default is None and spin.specialValueText():
                spin.setSpecialValueText(texts.get(option.name, tr(option.usual)))

    def _enable(self, field: QWidget, problem: str, help: str) -> None:
        for widget in filter(None, (field, self._label(field))):
            widget.setEnabled(not problem)
            widget.setToolTip(problem or help)

    def _widget(self, name: str) -> QWidget:
        return self.fields[name].widget

    def _label(self, field: QWidget) -> QLabel | None:
        label = self.labelForField(field)
        return label if isinstance(label, QLabel) else None


_FIELD_ROLES = (QFormLayout.ItemRole.SpanningRole, QFormLayout.ItemRole.FieldRole)


def _part(option: Option[Any]) -> str:
    """The part that folds in which an option stands; nothing for one that always shows."""
    if option.group is OptionGroup.FAULTS:
        return FAULTS
    return ADVANCED if option.rare else ""
