"""Dialog to edit the colours of the families; each colour is checked while it is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import QColorDialog, QDialog, QLineEdit, QPushButton, QToolButton, QWidget

from core.plan.task import KINDS
from gui.look.colours import too_close, too_faint
from gui.look.families import Family, family_letters
from gui.look.text import tr
from gui.look.theme import EDITABLE, Theme
from gui.widgets.label import Label
from gui.widgets.layouts import button, column, grid, named, row

SWATCH = (44, 18)
WIDTH = 480


class ColoursPanel(QDialog):
    """Names, letters and colours of the families; `changed` carries the colours by name.

    It stays next to the window and is not modal.
    """

    changed = Signal(object)

    def __init__(self, theme: Theme, built_in: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Colours"))
        self.buttons: dict[str, QToolButton] = {}
        self.fields: dict[str, QLineEdit] = {}
        self.warning = named(Label(wrapped=True), tr("What is wrong with the colours"))
        self._build()
        self.show_theme(theme, built_in)

    def show_theme(self, theme: Theme, built_in: Theme) -> None:
        """Show a theme's colours; Reset returns to `built_in`."""
        self._theme = theme
        self._built_in = built_in
        for name in EDITABLE.values():
            colour = getattr(theme, name)
            self.buttons[name].setIcon(_swatch(colour))
            # The field that is being edited has this colour already: setting its text would move
            # the cursor to the end.
            if self.fields[name].text().lower() != colour:
                self.fields[name].setText(colour)
        self.warning.setText("\n".join(complaints(theme)))
        self.reset.setEnabled(theme != built_in)

    def take(self, name: str, colour: str) -> None:
        """Give a family another colour, `#rrggbb`; other texts are ignored."""
        wanted = QColor(colour)
        # QColor also accepts names and "#abc", which the user may be typing on to "#abcdef".
        is_whole = len(colour) == 7 and wanted.isValid()
        if is_whole and wanted.name() != getattr(self._theme, name):
            self.changed.emit({**_colours(self._theme), name: wanted.name()})

    def _choose(self, name: str) -> None:
        """Open a colour dialog; every colour that the user tries is shown immediately."""
        before = getattr(self._theme, name)
        dialog = QColorDialog(QColor(before), self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.currentColorChanged.connect(lambda colour: self.take(name, colour.name()))
        dialog.rejected.connect(lambda: self.take(name, before))
        # Non-modal, so that the window can be used while the user tries colours.
        dialog.setWindowModality(Qt.WindowModality.NonModal)
        dialog.show()

    def _build(self) -> None:
        rows = grid(across=12, down=5)
        letters = family_letters(KINDS)
        for number, (family, name) in enumerate(EDITABLE.items()):
            words = tr(family.value)
            tip = tr("Choose the colour of {family}", family=words)
            chooser = button(QToolButton, "", tip, partial(self._choose, name), name=tip)
            chooser.setIconSize(QSize(*SWATCH))
            told = tr("Colour of {family}, as #rrggbb", family=words)
            field = named(QLineEdit(maxLength=7), told)
            field.setFixedWidth(76)
            # `textEdited`, not `textChanged`, which is also emitted when `show_theme` sets a text.
            field.textEdited.connect(lambda text, name=name: self.take(name, text))
            about = Label(letters.get(family, ""), "quiet")
            for place, part in enumerate((chooser, field, Label(words), about)):
                rows.addWidget(part, number, place)
            self.buttons[name] = chooser
            self.fields[name] = field
        rows.setColumnStretch(3, 1)
        # Return in a field presses the first autoDefault button of a dialog, which must not be
        # Reset.
        self.reset = QPushButton(tr("Reset to the built-in colours"), autoDefault=False)
        self.reset.clicked.connect(lambda: self.changed.emit(_colours(self._built_in)))
        close = QPushButton(tr("Close"))
        close.clicked.connect(self.close)
        line = row(self.reset, None, close)
        column(
            rows,
            self.warning,
            line,
            of=self,
            margins=(16, 14, 16, 12),
            spacing=10,
        )
        self.setMinimumWidth(WIDTH)


def complaints(theme: Theme) -> list[str]:
    """Return the problems of the families' colours, one per line."""
    colours = _colours(theme)
    lines = []
    for name, ratio in too_faint(colours, theme.plot):
        faint = tr(
            "{family} is too faint: {ratio}:1 against the plot, at least 3:1 is needed.",
            family=_words(name).capitalize(),
            ratio=f"{ratio:.1f}",
        )
        lines.append(faint)
    for pair in too_close(colours):
        alike = tr(
            "{one} and {other} are hard to tell apart with {vision}.",
            one=_words(pair.one).capitalize(),
            other=_words(pair.other),
            vision=tr(pair.vision),
        )
        lines.append(alike)
    return lines


def _colours(theme: Theme) -> Mapping[str, str]:
    return {name: getattr(theme, name) for name in EDITABLE.values()}


def _words(name: str) -> str:
    return tr(Family[name.upper()].value)


def _swatch(colour: str) -> QIcon:
    picture = QPixmap(*SWATCH)
    picture.fill(QColor(colour))
    return QIcon(picture)
