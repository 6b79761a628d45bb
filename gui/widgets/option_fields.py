"""Form fields for options, by the option's type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QLineEdit, QSpinBox, QWidget

from core.models.catalogue import ModelKind
from core.option import Option, OptionGroup, OptionValue
from core.plan.schedules import Schedule
from gui.look.text import tr
from gui.widgets.fields import choice, decimal, set_number, whole
from gui.widgets.file_choice import FileChoice

DECIMALS = 6
MOST_WHOLE = 2**31 - 1  # the limit of QSpinBox


@dataclass(frozen=True, slots=True)
class Field:
    """A widget for an option's value, and functions to read and set it; None means the default."""

    widget: QWidget
    read: Callable[[], OptionValue]
    write: Callable[[Any], None]
    edited: SignalInstance


def field_of(option: Option[Any]) -> Field:
    """Return a new field; a number that may be omitted shows in words what is used then."""
    if option.suffix:
        kind = f"{tr(option.title)} (*{option.suffix})"
        file = FileChoice(_entries(option), option.otherwise, kind)
        return Field(file, lambda: file.value, file.take, file.currentTextChanged)
    if option.kind is bool:
        box = QCheckBox(tr(option.unit))
        return Field(box, box.isChecked, box.setChecked, box.toggled)
    if option.reads is not None:
        line = QLineEdit()
        line.setPlaceholderText(tr(option.otherwise))

        def read_line() -> str | None:
            return " ".join(line.text().split()) or None

        def write_line(value: str | None) -> None:
            line.setText(value or "")

        return Field(line, read_line, write_line, line.textChanged)
    if option.kind is str:
        words = choice(_entries(option))
        words.setEditable(not option.choices)
        signal = words.currentTextChanged
        return Field(words, lambda: words.currentText().strip(), words.setCurrentText, signal)
    # A model's sizes are always shown as numbers. Other numbers without a default show in words
    # what is used instead.
    optional = option.default is None and option.group is not OptionGroup.MODEL
    spin = _spin_box(option, tr(option.usual) if optional else "")
    read = (lambda: spin.value() or None) if optional else spin.value
    return Field(spin, read, lambda value: set_number(spin, value or 0), spin.valueChanged)


def _spin_box(option: Option[Any], usual: str) -> QSpinBox | QDoubleSpinBox:
    if option.kind is float:
        return decimal(option.most, DECIMALS, 1.0, usual)
    if usual:
        suffix = tr(" rows") if option.unit == "rows" else ""
        return whole(0, automatic=usual, suffix=suffix)
    return whole(int(option.least), int(min(option.most, MOST_WHOLE)))


def _entries(option: Option[Any]) -> list[tuple[str, str, str]]:
    """Return title, name and explanation of each choice; without a title, the name is shown."""
    known = option.choices if isinstance(option.choices, Mapping) else {}
    entries = []
    for name in option.choices:
        kind = known.get(name)
        if isinstance(kind, Schedule | ModelKind):
            entries.append((tr(kind.title), name, tr(kind.line)))
        else:
            entries.append((name, name, ""))
    return entries
