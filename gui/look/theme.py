"""Light and dark themes: colours by meaning, and the palette and style sheet made of them."""

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
from gui.look.colours import channels_of, contrast
from gui.look.families import FAMILIES, Family

STYLE = RESOURCES / "style.qss"
"""Qt style sheet, with `$name` for the colours of a theme."""
SERIES = 8
"""Number of colours of a theme for counted things: stages, micro-batches."""
RAMP = 10
"""Number of colours of a theme for measured values, from low to high."""


Colours = tuple[tuple[QColor, ...], ...]
"""The colour of each of several meanings, or its two colours from top to bottom."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Every colour of the window as `#rrggbb`.

    `window` is the background of panels, `plot` of the timeline and `field` of inputs. Families,
    the idle hatch, `memory`, the critical `path`, `series` and `ramp` have a contrast of at least
    3:1 against `plot`; `on_bar` is the text inside most bars. The families' colours, and those of
    `series`, can be distinguished with every kind of vision in gui.look.colours.VISIONS. For each
    of these, `ramp` gets steadily darker (in the light theme) or lighter (in the dark one).
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
        """Return the colour of a family of kinds; for an overlap both, from top to bottom."""
        return tuple(str(getattr(self, name)) for name in colour_names(family))

    @property
    def families(self) -> Colours:
        """The colours of FAMILIES, in that order."""
        found = []
        for family in FAMILIES:
            colours = map(QColor, self.colours_of(family))
            found.append(tuple(colours))
        return tuple(found)

    def letters(self, colours: Colours) -> Colours:
        """Return the colours of text on bars of the given colours."""
        found = []
        for parts in colours:
            letters = [self.letters_on(colour.name()) for colour in parts]
            found.append(tuple(map(QColor, letters)))
        return tuple(found)

    def letters_on(self, colour: str) -> str:
        """Return the colour of text on a bar of `colour`: `on_bar`, or `text` if clearer."""
        return max(self.on_bar, self.text, key=lambda words: contrast(words, colour))


def colour_names(family: Family) -> tuple[str, ...]:
    """Return the fields of Theme with a family's colour; for an overlap both, from the top."""
    return ("forward", "backward") if family is Family.OVERLAP else (family.name.lower(),)


EDITABLE = {family: colour_names(family)[0] for family in FAMILIES if family is not Family.OVERLAP}
"""The families with one colour, and the field of Theme that holds it."""


def edited(theme: Theme, colours: Mapping[str, str]) -> Theme:
    """Return a theme with other colours of families; names not in EDITABLE are ignored."""
    known: dict[str, Any] = {}
    for name in EDITABLE.values():
        if name in colours:
            known[name] = colours[name]
    return replace(theme, **known)


LIGHT = Theme(
    name="light",
    window="#f5f6f8",
    plot="#ffffff",
    field="#ffffff",
    line="#d5d9e0",
    grid="#eceef2",
    text="#171a21",
    muted="#5b6474",
    accent="#2457d6",
    on_accent="#ffffff",
    tint="#e8eefc",
    forward="#3875ca",
    backward="#ad4e04",
    backward_input="#cb800b",
    backward_weight="#612602",
    communication="#772a81",
    update="#066e4d",
    other="#5d6b82",
    on_bar="#ffffff",
    idle="#8d95a4",
    memory="#858fa1",
    warning="#8a5a00",
    error="#b3261e",
    path="#d0006f",
    series=("#8e9b23", "#387b64", "#492c8a", "#b3283e", "#a881d6", "#0e4e00", "#36a395", "#652d45"),
    ramp=(
        "#c58725",
        "#cd742c",
        "#d16139",
        "#cb4943",
        "#c0324f",
        "#b01d5a",
        "#9b0f66",
        "#7f0e6f",
        "#5d1776",
        "#2e1e79",
    ),
)
DARK = Theme(
    name="dark",
    window="#1b1e23",
    plot="#15181c",
    field="#22262c",
    line="#363c45",
    grid="#23272e",
    text="#e8eaee",
    muted="#a0a8b5",
    accent="#7aa2ff",
    on_accent="#0d1320",
    tint="#27324d",
    forward="#69a7fd",
    backward="#e99b43",
    backward_input="#fed79e",
    backward_weight="#ba6f2c",
    communication="#a568b0",
    update="#389b6d",
    other="#93a1b8",
    on_bar="#10141a",
    idle="#646d7b",
    memory="#7f8a9c",
    warning="#f2c14e",
    error="#ff8a80",
    path="#ff5ca8",
    series=("#d7c9fd", "#957e51", "#66fad9", "#a9ab34", "#ca5c87", "#fee08c", "#9370d6", "#e19d96"),
    ramp=(
        "#a168c5",
        "#c769bc",
        "#e66db0",
        "#fb76a1",
        "#fb8e98",
        "#fba397",
        "#fcb699",
        "#fcc8a0",
        "#fdd9a7",
        "#feeba6",
    ),
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}


def mixed(colour: str, other: str, share: float) -> str:
    """Return a colour mixed with a `share`, 0 to 1, of another; all are `#rrggbb`."""
    pairs = zip(channels_of(colour), channels_of(other), strict=True)
    digits = ""
    for one, towards in pairs:
        channel = round(one + (towards - one) * share)
        digits += f"{channel:02x}"
    return f"#{digits}"


def prepare(app: QCoreApplication | None, theme: Theme) -> None:
    """Set the style and palette of an application without a theme, before it has widgets.

    Later, Qt would visit all widgets for each change. The style sheet is left to `apply`: once it
    is set, Qt polishes every widget again that is added to another one.
    """
    if isinstance(app, QApplication) and app.property("theme") is None:
        _set_style(app, theme)


def _set_style(app: QApplication, theme: Theme) -> None:
    if app.style().name() != "fusion":
        app.setStyle("Fusion")
    app.setPalette(palette(theme))


def apply(app: QCoreApplication | None, theme: Theme) -> None:
    """Apply a theme to the whole application, whatever the platform's own colours are."""
    if not isinstance(app, QApplication) or app.property("theme") == theme.name:
        return  # setting a style sheet polishes every widget again
    app.setProperty("theme", theme.name)
    # A class with slots has no `vars`.
    colours = {name: getattr(theme, name) for name in Theme.__slots__}
    # Style sheets accept forward slashes only, on Windows too.
    tick = (RESOURCES / "icons" / f"tick-{theme.name}.svg").as_posix()
    # Qt iterates over all widgets; if one were freed at that time, the process would end.
    with gc_paused():
        _set_style(app, theme)
        app.setStyleSheet(Template(STYLE.read_text("utf-8")).substitute(colours, tick=tick))


def palette(theme: Theme) -> QPalette:
    """Return the theme as Qt's palette."""
    made = QPalette()
    roles = QPalette.ColorRole
    written = (roles.WindowText, roles.Text, roles.ButtonText)
    for colour, own in (
        (theme.window, (roles.Window, roles.AlternateBase)),
        (theme.field, (roles.Base, roles.Button, roles.ToolTipBase)),
        (theme.text, (*written, roles.ToolTipText)),
        (theme.muted, (roles.PlaceholderText,)),
        (theme.accent, (roles.Highlight, roles.Accent, roles.Link)),
        (theme.on_accent, (roles.HighlightedText,)),
        (theme.line, (roles.Mid,)),
    ):
        for role in own:
            made.setColor(role, QColor(colour))
    # Last: `setColor` without a group sets the disabled one too.
    for role in written:
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.muted))
    return made
