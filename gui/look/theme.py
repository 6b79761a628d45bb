"""Light and dark: colours by meaning, as plain values, and their way into Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from string import Template
from typing import Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from core.gc_paused import gc_paused
from core.paths import RESOURCES
from gui.look.colours import contrast
from gui.look.families import FAMILIES, Family

SERIES = 8
"""Colours of a theme for what is counted: stages, micro-batches."""
RAMP = 10
"""Colours of a theme for what is measured, from little to much."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Every colour of the window as `#rrggbb`.

    `window` lies behind panels, `plot` behind the timeline and `field` in inputs. Families, the
    idle hatch, `memory`, the critical `path`, `series` and `ramp` keep 3:1 against `plot`; `on_bar`
    is the text inside most bars. The families' colours, and those of `series`, can be told apart
    by every eye of gui.look.colours.VISIONS; those of `ramp` grow darker, or lighter, in each.
    """

    name: str
    window: str
    plot: str
    field: str
    line: str
    grid: str
    text: str
    muted: str
    accent: str
    on_accent: str
    tint: str
    forward: str
    backward: str
    backward_input: str
    backward_weight: str
    communication: str
    update: str
    other: str
    on_bar: str
    idle: str
    memory: str
    warning: str
    error: str
    path: str
    series: tuple[str, ...]
    ramp: tuple[str, ...]

    def colours_of(self, family: Family) -> tuple[str, ...]:
        """The colour of a family of kinds; of one that does two things at once, from the top."""
        return tuple(str(getattr(self, name)) for name in colour_names(family))

    @property
    def families(self) -> tuple[tuple[QColor, ...], ...]:
        """The colours of FAMILIES, in that order."""
        return tuple(tuple(map(QColor, self.colours_of(family))) for family in FAMILIES)

    @property
    def letters(self) -> tuple[tuple[QColor, ...], ...]:
        """The colours of text on bars in those of `families`."""
        return tuple(
            tuple(QColor(self.letters_on(colour)) for colour in self.colours_of(family))
            for family in FAMILIES
        )

    def letters_on(self, colour: str) -> str:
        """The colour of text on a bar of `colour`: `on_bar`, or `text` where that is clearer."""
        return max(self.on_bar, self.text, key=lambda words: contrast(words, colour))


def colour_names(family: Family) -> tuple[str, ...]:
    """What a theme calls the colour of a family; of one that does two things, both from the top."""
    return ("forward", "backward") if family is Family.OVERLAP else (family.name.lower(),)


EDITABLE = {family: colour_names(family)[0] for family in FAMILIES if family is not Family.OVERLAP}
"""The families that have a colour of their own, and its name in a theme."""


def edited(theme: Theme, colours: Mapping[str, str]) -> Theme:
    """A theme with other colours of families, by their names in EDITABLE; others are ignored."""
    known: dict[str, Any] = {name: colours[name] for name in EDITABLE.values() if name in colours}
    return replace(theme, **known)


LIGHT = Theme(
    name="light", window="#f5f6f8", plot="#ffffff", field="#ffffff", line="#d5d9e0", grid="#eceef2",
    text="#171a21", muted="#5b6474", accent="#2457d6", on_accent="#ffffff", tint="#e8eefc",
    forward="#3875ca", backward="#ad4e04", backward_input="#cb800b", backward_weight="#612602",
    communication="#772a81", update="#066e4d", other="#5d6b82", on_bar="#ffffff", idle="#8d95a4",
    memory="#858fa1", warning="#8a5a00", error="#b3261e", path="#d0006f",
    series=("#8e9b23", "#387b64", "#492c8a", "#b3283e", "#a881d6", "#0e4e00", "#36a395", "#652d45"),
    ramp=("#c58725", "#cd742c", "#d16139", "#cb4943", "#c0324f", "#b01d5a", "#9b0f66", "#7f0e6f",
          "#5d1776", "#2e1e79"),
)  # fmt: skip
DARK = Theme(
    name="dark", window="#1b1e23", plot="#15181c", field="#22262c", line="#363c45", grid="#23272e",
    text="#e8eaee", muted="#a0a8b5", accent="#7aa2ff", on_accent="#0d1320", tint="#27324d",
    forward="#69a7fd", backward="#e99b43", backward_input="#fed79e", backward_weight="#ba6f2c",
    communication="#a568b0", update="#389b6d", other="#93a1b8", on_bar="#10141a", idle="#646d7b",
    memory="#7f8a9c", warning="#f2c14e", error="#ff8a80", path="#ff5ca8",
    series=("#d7c9fd", "#957e51", "#66fad9", "#a9ab34", "#ca5c87", "#fee08c", "#9370d6", "#e19d96"),
    ramp=("#a168c5", "#c769bc", "#e66db0", "#fb76a1", "#fb8e98", "#fba397", "#fcb699", "#fcc8a0",
          "#fdd9a7", "#feeba6"),
)  # fmt: skip
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}


def mixed(colour: str, other: str, share: float) -> str:
    """A colour with a `share`, 0 to 1, of another; all are `#rrggbb`."""
    pairs = ((int(colour[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def apply(app: QCoreApplication | None, theme: Theme) -> None:
    """Give the whole application this theme, whatever the platform's own colours are."""
    if not isinstance(app, QApplication) or app.property("theme") == theme.name:
        return  # a style sheet polishes every widget anew
    app.setProperty("theme", theme.name)
    colours = {name: getattr(theme, name) for name in Theme.__slots__}
    tick = (RESOURCES / "icons" / f"tick-{theme.name}.svg").as_posix()
    with gc_paused():  # Qt walks over all widgets: one that is freed meanwhile ends the process
        app.setStyle("Fusion")
        app.setPalette(palette(theme))
        app.setStyleSheet(Template(STYLE).substitute(colours, tick=tick))


def palette(theme: Theme) -> QPalette:
    """The theme as Qt's palette."""
    made = QPalette()
    roles = {
        QPalette.ColorRole.Window: theme.window,
        QPalette.ColorRole.Base: theme.field,
        QPalette.ColorRole.AlternateBase: theme.window,
        QPalette.ColorRole.Button: theme.field,
        QPalette.ColorRole.ToolTipBase: theme.field,
        QPalette.ColorRole.ToolTipText: theme.text,
        QPalette.ColorRole.WindowText: theme.text,
        QPalette.ColorRole.Text: theme.text,
        QPalette.ColorRole.ButtonText: theme.text,
        QPalette.ColorRole.PlaceholderText: theme.muted,
        QPalette.ColorRole.Highlight: theme.accent,
        QPalette.ColorRole.HighlightedText: theme.on_accent,
        QPalette.ColorRole.Accent: theme.accent,
        QPalette.ColorRole.Link: theme.accent,
        QPalette.ColorRole.Mid: theme.line,
    }
    for role, colour in roles.items():
        made.setColor(role, QColor(colour))
    for role in (
        QPalette.ColorRole.WindowText,
        QPalette.ColorRole.Text,
        QPalette.ColorRole.ButtonText,
    ):
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.muted))
    return made


STYLE = """
QMainWindow, QStatusBar, QToolBar { background: $window; }
QToolBar { border: none; border-bottom: 1px solid $line; padding: 5px 10px; spacing: 8px; }
QMainWindow::separator { background: $window; width: 6px; height: 6px; }
QMainWindow::separator:hover { background: $line; }
QStatusBar { border-top: 1px solid $line; color: $muted; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: $muted; padding: 1px 8px; }
QMenuBar { background: $window; }
QMenuBar::item { padding: 4px 9px; background: transparent; }
QMenuBar::item:selected, QMenu::item:selected { background: $tint; color: $text; }
QMenu { background: $field; border: 1px solid $line; padding: 4px; }
QMenu::item { padding: 4px 24px; }
QMenu::item:disabled { color: $muted; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QToolTip { background: $field; color: $text; border: 1px solid $line; padding: 4px 6px; }
QDockWidget { font-weight: bold; }
QDockWidget::title { background: $window; padding: 6px 10px; text-align: left; }
QDockWidget > QWidget { font-weight: normal; }
QTabBar { qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: $muted; padding: 4px 8px; border: none;
  border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; }
QTabBar::tab:hover { color: $text; }
QTabBar[narrow="true"]::tab:!selected { width: 18px; padding: 4px 5px; color: transparent; }
QTabBar::tab:focus { color: $accent; }
QToolButton { border: 1px solid transparent; border-radius: 5px; padding: 4px 9px; color: $text; }
QToolButton:hover { background: $tint; }
QToolButton:focus { border-color: $accent; }
QToolButton:checked { color: $accent; font-weight: bold; }
QToolButton:disabled { color: $muted; background: transparent; }
QToolButton#run { background: $accent; color: $on_accent; font-weight: bold; padding: 5px 8px; }
QToolButton#run:hover { background: $accent; border-color: $text; }
QToolButton#run:disabled { background: $line; color: $muted; }
QToolButton#run:focus { border: 2px solid $text; }
QToolButton#stop { border-color: $line; padding: 5px 7px; }
QLabel#title { font-weight: bold; padding: 0 10px; }
QLabel#step { color: $muted; padding: 0 6px; }
QLabel#heading { color: $muted; font-weight: bold; }
QLabel#problem { color: $error; }
QLabel#sentence { background: $plot; color: $text; padding: 8px 10px 6px 10px; }
QLabel#quiet { color: $muted; }
QLabel#hint { color: $muted; background: $plot; }
QFrame#verdict { background: $tint; border-radius: 6px; margin: 8px 12px 0px 12px; }
QFrame#verdict QLabel { background: transparent; }
QFrame#verdict QToolButton#link, QWidget#footer QToolButton#link { padding-left: 0px; }
QWidget#lesson_panel QToolButton#link { padding-left: 0px; margin-left: -6px; }
QLabel#said { font-weight: bold; }
QLabel#answer { background: $tint; border-radius: 6px; padding: 7px 9px; }
QFrame#banner { background: $tint; border: 1px solid $line; border-left: 3px solid $accent;
  border-radius: 4px; }
QFrame#banner[level="warning"] { border-left-color: $warning; }
QFrame#banner[level="error"] { border-left-color: $error; }
QLabel#welcome { font-size: 19px; font-weight: bold; }
QFrame#palette { background: $window; border: 1px solid $muted; border-radius: 7px; }
QToolButton#close { padding: 0 3px; color: $muted; }
QToolButton#link { color: $accent; text-decoration: underline; padding: 2px 4px; }
QToolButton#link:disabled { color: $muted; text-decoration: none; }
QToolButton#fold { color: $muted; padding: 3px 0; margin-left: -6px; }
QToolButton#fold:checked { color: $text; font-weight: normal; }
QListWidget#strategies { background: transparent; border: 1px solid transparent;
  border-radius: 6px; }
QListWidget#strategies:focus { border-color: $accent; }
QListWidget#strategies::item { padding: 0 8px; border: 1px solid transparent; border-radius: 5px; }
QListWidget#strategies::item:hover { background: $grid; }
QListWidget#strategies::item:selected { background: $tint; color: $text; border-color: $accent; }
QScrollArea#form { border: none; background: $window; }
QScrollArea:focus { border: 1px solid $accent; }
QPushButton:focus { border: 1px solid $accent; border-radius: 3px; color: $accent; }
QWidget#plot, QWidget#plot > QLabel { background: $plot; }
QWidget#sheet { background: $window; }
QComboBox, QSpinBox, QDoubleSpinBox, QLineEdit { background: $field; color: $text;
  border: 1px solid $line; border-radius: 5px; padding: 2px 5px; min-height: 16px;
  selection-background-color: $accent; selection-color: $on_accent; }
QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus, QLineEdit:focus { border-color: $accent; }
QComboBox:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled, QLineEdit:disabled {
  background: $window; color: $muted; }
QLineEdit { placeholder-text-color: $muted; }
QAbstractSpinBox QLineEdit, QComboBox QLineEdit { border: none; padding: 0;
  min-height: 0; background: transparent; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { width: 0; border: none; }
QCheckBox::indicator, QAbstractItemView::indicator { width: 12px; height: 12px;
  border: 1px solid $muted; border-radius: 3px; background: $field; }
QCheckBox::indicator:checked, QAbstractItemView::indicator:checked { background: $accent;
  border-color: $accent; image: url("$tick"); }
QCheckBox::indicator:disabled { background: $window; border-color: $line; }
QCheckBox::indicator:checked:disabled { background: $muted; border-color: $muted; }
QCheckBox:focus { color: $accent; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox QAbstractItemView { background: $field; border: 1px solid $line;
  selection-background-color: $tint; selection-color: $text; }
QTableView, QTreeView, QListView { background: $plot; border: 1px solid $plot;
  gridline-color: $grid; selection-background-color: $tint; selection-color: $text;
  outline: none; }
QTableView:focus, QTreeView:focus, QListView:focus { border-color: $accent; }
QTableView::item, QTreeView::item { padding: 2px 8px; }
QTableView#tight::item { padding: 2px 5px; }
QListView#offers { border: 1px solid $line; }
QListView#offers::item { padding: 3px 8px; }
QHeaderView { background: $plot; }
QHeaderView::section { background: $plot; color: $muted; border: none;
  border-bottom: 1px solid $line; padding: 3px 8px; }
QTableView#tight QHeaderView::section { padding: 6px 5px 3px 5px; }
QTableView#tight QHeaderView::up-arrow, QTableView#tight QHeaderView::down-arrow {
  subcontrol-origin: margin; subcontrol-position: top center; width: 8px; height: 7px; }
QSlider { min-height: 18px; }
QSlider::groove:horizontal { height: 4px; background: $line; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 2px; }
QSlider::sub-page:horizontal:disabled { background: $line; }
QSlider::handle:horizontal { width: 12px; margin: -5px 0; border-radius: 6px;
  background: $accent; border: 1px solid $window; }
QSlider::handle:horizontal:focus { border: 2px solid $text; }
QSlider::handle:horizontal:disabled { background: $muted; }
QProgressBar { border: none; border-radius: 2px; background: $line; max-height: 4px;
  min-height: 4px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QScrollBar:vertical { background: transparent; width: 9px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 9px; margin: 0; }
QScrollBar::handle { background: $line; border-radius: 4px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
"""
