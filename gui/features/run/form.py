"""Form with a field for every option; rare options and faults are in sections that fold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtWidgets import QFormLayout, QLabel, QLineEdit, QSpinBox, QToolButton, QWidget

from core.message import N_
from core.models.catalogue import MODELS, ModelSettings
from core.option import Option, OptionGroup, OptionValue, option_values
from core.override import override
from core.plan.specification import OPTIONS, Specification
from gui.features.run.applies import excluded, unused_options
from gui.features.run.devices import DeviceField
from gui.look.text import tr
from gui.widgets.fields import add_field, add_row
from gui.widgets.file_choice import FileChoice
from gui.widgets.label import Label
from gui.widgets.layouts import make_foldable
from gui.widgets.option_fields import Field, field_of
from gui.widgets.where import WhereField

F = TypeVar("F", bound=QWidget)
SIZES = {option.name for option, _ in option_values(ModelSettings()) if option.kind is int}
DEVICES = "devices"
ADVANCED = "advanced"
FAULTS = "faults"
FIELD_ROLES = (QFormLayout.ItemRole.SpanningRole, QFormLayout.ItemRole.FieldRole)


class Fold(QToolButton):
    """Heading of a section that folds; it shows how many of its options are set."""

    def __init__(self, title: str, tip: str) -> None:
        super().__init__()
        self.setObjectName("fold")
        self.setToolTip(tip)
        self._title = title
        self.count(0)

    def count(self, given: int) -> None:
        """Show the number of options in the section that differ from their defaults."""
        if given:
            self.setText(tr("{part} ({count} set)", part=self._title, count=given))
        else:
            self.setText(self._title)


class OptionForm(QFormLayout):
    """Rows of labels and fields. `edited` is emitted when a value or a fold changes.

    `last_edited` is the name of the option that was changed last, "" after `write`. `where` is the
    field for the machine, above the field for the lanes; it is not an option.
    """

    edited = Signal()

    def __init__(self) -> None:
        super().__init__(horizontalSpacing=4, verticalSpacing=4)
        self.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        self.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.fields: dict[str, Field] = {}
        self.last_edited = ""
        self.problem = Label(look="problem", wrapped=True, selectable=True)
        self.folds = {
            ADVANCED: Fold(tr("Advanced"), tr("Settings that are seldom changed.")),
            FAULTS: Fold(
                tr("Faults"), tr("Inject faults into the virtual lanes to see their effect.")
            ),
        }
        self._sections = {option: _section(option) for option in OPTIONS if option.title}
        self._add_fields("")
        for name, fold in self.folds.items():
            make_foldable(fold, self.edited.emit)
            self.addRow(fold)
            self._add_fields(name)
        self.addRow(self.problem)
        self.where = WhereField()
        self.where.setObjectName("where")
        place: Any = self.getWidgetPosition(self._widget(DEVICES))
        line, _ = place
        add_row(self, line, self.where, N_("Where"), N_("The machine that runs the lanes."))
        self._align()
        # `activated` is emitted only when the user picks a model: `write` fills in the sizes too.
        self.field("model", FileChoice).activated.connect(self._fill_sizes)

    def _add_fields(self, section: str) -> None:
        for option, place in self._sections.items():
            if place != section:
                continue
            field = _field(option)
            self.fields[option.name] = field
            add_field(self, option, field.widget)
            field.edited.connect(partial(self._take_edit, option.name))

    def _take_edit(self, name: str, *_: object) -> None:
        # The signals of fields carry a number, a text or a bool, which nothing here needs.
        self.last_edited = name
        self.edited.emit()

    def _align(self) -> None:
        """Give all labels one width, so that the fields stay aligned when rows are hidden."""
        found = [self._label(field.widget) for field in self.fields.values()]
        found.append(self._label(self.where))
        labels = [label for label in found if label is not None]
        width = max(label.sizeHint().width() for label in labels)
        for label in labels:
            label.setMinimumWidth(width)

    @override
    def setGeometry(self, rect: QRect) -> None:
        # The lanes have the widest field. If it does not fit next to its label, all fields wrap.
        lanes = self._widget(DEVICES)
        label = self._label(lanes)
        label_width = 0 if label is None else label.minimumWidth()
        needed = label_width + self.horizontalSpacing() + lanes.minimumWidth()
        policy = QFormLayout.RowWrapPolicy
        wanted = policy.WrapLongRows if needed <= rect.width() else policy.WrapAllRows
        if wanted != self.rowWrapPolicy():
            self.setRowWrapPolicy(wanted)
        super().setGeometry(rect)

    def chain(self, first: QWidget) -> None:
        """Set the order of the Tab key: `first`, then the rows from top to bottom."""
        widgets = [first]
        for row in range(self.rowCount()):
            for role in FIELD_ROLES:
                item = self.itemAt(row, role)
                widget = None if item is None else item.widget()
                if widget is not None:
                    widgets.append(widget)
        # Qt's own order is the order of construction, in which the folds precede all fields.
        for before, after in pairwise(widgets):
            QWidget.setTabOrder(before, after)

    def field(self, name: str, kind: type[F]) -> F:
        """Return the widget of an option, which has a known type."""
        widget = self._widget(name)
        assert isinstance(widget, kind)
        return widget

    # Values

    def read(self) -> dict[str, OptionValue]:
        """Return the values of all fields by option name; None for sizes that the model lacks."""
        given = {name: field.read() for name, field in self.fields.items()}
        return given | dict.fromkeys(SIZES - self._sizes())

    def write(self, specification: Specification) -> None:
        """Fill the fields."""
        filled = replace(specification, model=specification.model.filled())
        for option, value in filled.values:
            if option.name in self.fields:
                self.fields[option.name].write(value)
        self.last_edited = ""

    @property
    def unfolded(self) -> set[str]:
        """Names of the sections that are open."""
        return {name for name, fold in self.folds.items() if fold.isChecked()}

    @unfolded.setter
    def unfolded(self, names: set[str]) -> None:
        for name, fold in self.folds.items():
            fold.setChecked(name in names)

    def _sizes(self) -> set[str]:
        kind = MODELS.get(str(self.fields["model"].read()))
        return set() if kind is None else set(kind.settings)

    def _fill_sizes(self) -> None:
        """Fill in the default sizes of a model that the user has picked."""
        model = ModelSettings(str(self.fields["model"].read())).filled()
        for option, value in option_values(model):
            if option.name in SIZES:
                self.fields[option.name].write(value)

    # Visible rows

    def show_rows(self, asked: Specification) -> None:
        """Show the rows that apply and are not folded; disable excluded ones, with the reason."""
        hidden = {option.name for option in unused_options(asked)}
        hidden |= SIZES - self._sizes()
        reasons = excluded(asked)
        unfolded = self.unfolded
        for option, section in self._sections.items():
            field = self._widget(option.name)
            is_folded = bool(section) and section not in unfolded
            self.setRowVisible(field, option.name not in hidden and not is_folded)
            self._enable(field, reasons.get(option, ""), tr(option.help))
        for name, fold in self.folds.items():
            inside = []
            for option, section in self._sections.items():
                if section == name and option.name not in hidden:
                    inside.append(option)
            self.setRowVisible(fold, bool(inside))
            given = [option for option in inside if self._is_set(option)]
            fold.count(len(given))

    def show_defaults(self, texts: Mapping[str, str]) -> None:
        """Show, in fields without a value, the values that are used instead."""
        self.field("link", QLineEdit).setPlaceholderText(texts["link"])
        for option in self._sections:
            spin = self._widget(option.name)
            if isinstance(spin, QSpinBox) and option.default is None and spin.specialValueText():
                spin.setSpecialValueText(texts.get(option.name, tr(option.usual)))

    def show_problem(self, name: str, text: str) -> bool:
        """Show a problem below the field of an option; return False if the field is not visible."""
        if not text or not name or not self.isRowVisible(self._widget(name)):
            self.setRowVisible(self.problem, False)
            return False
        self.takeRow(self.problem)
        place: Any = self.getWidgetPosition(self._widget(name))
        line, _ = place
        self.insertRow(line + 1, self.problem)
        self.problem.say(text)
        self.setRowVisible(self.problem, True)
        return True

    def _is_set(self, option: Option[Any]) -> bool:
        value = self.fields[option.name].read()
        return bool(value != option.default)

    def _enable(self, field: QWidget, problem: str, help: str) -> None:
        for widget in (field, self._label(field)):
            if widget is not None:
                widget.setEnabled(not problem)
                widget.setToolTip(problem or help)

    def _widget(self, name: str) -> QWidget:
        return self.fields[name].widget

    def _label(self, field: QWidget) -> QLabel | None:
        label = self.labelForField(field)
        return label if isinstance(label, QLabel) else None


def _field(option: Option[Any]) -> Field:
    if option.name != DEVICES:
        return field_of(option)
    devices = DeviceField()
    return Field(devices, lambda: devices.value, devices.take, devices.currentTextChanged)


def _section(option: Option[Any]) -> str:
    """Return the section that an option belongs to, or "" if it is always visible."""
    if option.group is OptionGroup.FAULTS:
        return FAULTS
    return ADVANCED if option.rare else ""
