"""Editing colours: one for each family, checked while one chooses it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import (
    QColorDialog,
    QDialog,
    QGridLayout,
    QLineEdit,
    QPushButton,
    QToolButton,
    QWidget,
)

from core.plan.task import KINDS
from gui.look.colours import too_close, too_faint
from gui.look.families import Family, family_letters
from gui.look.label import Label
from gui.look.layouts import column, row
from gui.look.text import tr
from gui.look.theme import EDITABLE, Theme

SWATCH = (44, 18)
WIDTH = 480


class ColoursPanel(QDialog):
    """Names, letters and colours of the families; `changed` carries the colours by name.

    It stays beside the window and blocks nothing.
    """

    changed = Signal(object)

    def __init__(self, theme: Theme, built_in: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Colours"))
        self._theme, self._built_in = theme, built_in
        self.buttons: dict[str, QToolButton] = {}
        self.fields: dict[str, QLineEdit] = {}
        self.warning = Label(wrapped=True)
        self.warning.setAccessibleName(tr("What is wrong with the colours"))
        self._build()
        self.show_theme(theme, built_in)

    def show_theme(self, theme: Theme, built_in: Theme) -> None:
        """Show a theme's colours; Reset returns to those of `built_in`."""
        self._theme, self._built_in = theme, built_in
        for name in EDITABLE.values():
            colour = getattr(theme, name)
            self.buttons[name].setIcon(_swatch(colour, theme))
            if self.fields[name].text().lower() != colour:
                self.fields[name].setText(colour)
        self.warning.setText("\n".join(complaints(theme)))
        self.reset.setEnabled(theme != built_in)

    def take(self, name: str, colour: str) -> None:
        """Give a family another colour, `#rrggbb`; anything else is passed over."""
        wanted = QColor(colour)
        if len(colour) == 7 and wanted.isValid() and wanted.name() != getattr(self._theme, name):
            self.changed.emit({**_colours(self._theme), name: wanted.name()})

    def _choose(self, name: str) -> None:
        """Choose with the mouse; every colour that is tried out is shown at once."""
        before = getattr(self._theme, name)
        dialog = QColorDialog(QColor(before), self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.currentColorChanged.connect(lambda colour: self.take(name, colour.name()))
        dialog.rejected.connect(lambda: self.take(name, before))
        dialog.setWindowModality(Qt.WindowModality.NonModal)
        dialog.show()

    def _build(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(5)
        letters = family_letters(KINDS)
        for number, (family, name) in enumerate(EDITABLE.items()):
            words = tr(family.value)
            button, field = QToolButton(), QLineEdit()
            button.setIconSize(_swatch("#000000", self._theme).actualSize(button.size() * 4))
            button.setAccessibleName(tr("Choose the colour of {family}", family=words))
            button.setToolTip(button.accessibleName())
            button.clicked.connect(lambda _=False, name=name: self._choose(name))
            field.setMaxLength(7)
            field.setFixedWidth(76)
            field.setAccessibleName(tr("Colour of {family}, as #rrggbb", family=words))
            field.textEdited.connect(lambda text, name=name: self.take(name, text))
            about = Label(letters.get(family, ""), "quiet")
            for place, part in enumerate((button, field, Label(words), about)):
                grid.addWidget(part, number, place)
            self.buttons[name], self.fields[name] = button, field
        grid.setColumnStretch(3, 1)
        self.reset = QPushButton(tr("Reset to the built-in colours"))
        self.reset.setAutoDefault(False)
        self.reset.clicked.connect(lambda: self.changed.emit(_colours(self._built_in)))
        close = QPushButton(tr("Close"))
        close.clicked.connect(self.close)
        line = row(self.reset, None, close)
        column(grid, self.warning, line, of=self, margins=(16, 14, 16, 12), spacing=10)
        self.setMinimumWidth(WIDTH)


def complaints(theme: Theme) -> list[str]:
    """What is wrong with a theme's colours of families, a line each."""
    colours = _colours(theme)
    lines = [
        tr(
            "{family} is too faint: {ratio}:1 against the plot, at least 3:1 is needed.",
            family=_words(name).capitalize(), ratio=f"{ratio:.1f}",
        )
        for name, ratio in too_faint(colours, theme.plot)
    ]  # fmt: skip
    lines += [
        tr(
            "{one} and {other} are hard to tell apart with {vision}.",
            one=_words(pair.one).capitalize(), other=_words(pair.other), vision=tr(pair.vision),
        )
        for pair in too_close(colours)
    ]  # fmt: skip
    return lines


def _colours(theme: Theme) -> Mapping[str, str]:
    return {name: getattr(theme, name) for name in EDITABLE.values()}


def _words(name: str) -> str:
    family = next(family for family, own in EDITABLE.items() if own == name)
    return tr(Family(family).value)


def _swatch(colour: str, theme: Theme) -> QIcon:
    picture = QPixmap(*SWATCH)
    picture.fill(QColor(colour))
    return QIcon(picture)
