"""The field of an option, by its type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QLineEdit, QSpinBox, QWidget

from core.models.catalogue import ModelKind
from core.option import Option, OptionGroup, Value
from core.plan.schedules import Schedule
from gui.look.text import tr
from gui.widgets.fields import choice, decimal, set_number, whole
from gui.widgets.file_choice import FileChoice

DECIMALS = 6
MOST_WHOLE = 2**31 - 1  # Qt's


@dataclass(frozen=True, slots=True)
class Field:
    """A widget that shows an option's value, and how to read and set it; None is the default."""

    widget: QWidget
    read: Callable[[], Value]
    write: Callable[[Any], None]
    edited: SignalInstance


def field_of(option: Option[Any]) -> Field:
    """A new field; a number that may be left to a default shows in words what that is."""
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
        write = lambda value: line.setText(value or "")  # noqa: E731
        return Field(line, lambda: " ".join(line.text().split()) or None, write, line.textChanged)
    if option.kind is str:
        words = choice(_entries(option))
        words.setEditable(not option.choices)
        signal = words.currentTextChanged
        return Field(words, lambda: words.currentText().strip(), words.setCurrentText, signal)
    # A model's sizes are written out; other numbers without a default show what is done instead.
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
    """Title, name and line of each choice; what is only a name is its own title."""
    known = option.choices if isinstance(option.choices, Mapping) else {}
    kinds = [(name, known.get(name)) for name in option.choices]
    return [
        (tr(kind.title), name, tr(kind.line))
        if isinstance(kind, Schedule | ModelKind)
        else (name, name, "")
        for name, kind in kinds
    ]
