"""Meanings and contrast of colours."""

import gc
import math
from itertools import combinations, product

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel

from core.check.picture import colours_of
from core.plan.task import KINDS, Kind
from gui.look.colours import contrast
from gui.look.families import FAMILIES, FAMILY_CODES, Family, family_letters, family_of
from gui.look.theme import DARK, LIGHT, THEMES, apply, palette

FAINTEST = 3.0  # WCAG 2.2 for graphics
FAINTEST_TEXT = 4.5
TELLING = 0.08


def test_contrast_follows_the_published_extremes() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#777777") == pytest.approx(1)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize(
    "part",
    [
        "forward", "backward", "backward_input", "backward_weight", "communication", "update",
        "idle", "memory", "accent", "path",
    ],
)  # fmt: skip
def test_graphics_stand_out_from_the_plot(name: str, part: str) -> None:
    theme = THEMES[name]
    assert contrast(getattr(theme, part), theme.plot) >= FAINTEST


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("part", ["text", "muted", "warning", "error", "accent"])
@pytest.mark.parametrize("ground", ["window", "plot", "field", "tint"])
def test_words_can_be_read_on_every_background(name: str, part: str, ground: str) -> None:
    theme = THEMES[name]
    assert contrast(getattr(theme, part), getattr(theme, ground)) >= FAINTEST_TEXT


@pytest.mark.parametrize("name", THEMES)
def test_words_and_symbols_of_qts_palette_can_be_seen(name: str) -> None:
    made, roles, groups = palette(THEMES[name]), QPalette.ColorRole, QPalette.ColorGroup
    pairs = [
        (roles.WindowText, roles.Window), (roles.Text, roles.Base),
        (roles.ButtonText, roles.Button),
        (roles.ToolTipText, roles.ToolTipBase), (roles.PlaceholderText, roles.Base),
        (roles.HighlightedText, roles.Highlight), (roles.Link, roles.Window),
    ]  # fmt: skip
    for group in (groups.Active, groups.Inactive, groups.Disabled):
        for words, ground in pairs:
            colours = made.color(group, words).name(), made.color(group, ground).name()
            assert contrast(*colours) >= FAINTEST_TEXT, (group, words)
    for ground in (roles.Window, roles.Base):  # focus rings, ticks, and icons of tabs
        for symbol in (roles.Highlight, roles.WindowText):
            pair = made.color(symbol).name(), made.color(ground).name()
            assert contrast(*pair) >= FAINTEST


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("family", FAMILIES)
def test_letters_can_be_read_on_their_bars(name: str, family: Family) -> None:
    theme = THEMES[name]
    for colour in theme.colours_of(family):
        assert contrast(theme.letters_on(colour), colour) >= FAINTEST_TEXT


def test_pictures_drawn_without_qt_have_the_windows_colours() -> None:
    for kind in KINDS:
        assert colours_of(kind) == LIGHT.colours_of(family_of(kind)), kind


@pytest.mark.parametrize("name", THEMES)
def test_the_parts_of_a_backward_have_distinct_shades(name: str) -> None:
    theme = THEMES[name]
    shades = (theme.backward, theme.backward_input, theme.backward_weight)
    assert min(distance(one, other) for one, other in combinations(shades, 2)) >= TELLING
    assert contrast(theme.backward_input, theme.backward_weight) >= 2


def distance(one: str, other: str) -> float:
    """Return the distance of two colours in Oklab, where 0.02 is just visible."""
    return math.dist(oklab(one), oklab(other))


def oklab(colour: str) -> tuple[float, ...]:
    """Return Björn Ottosson's Oklab (2020) of `#rrggbb`."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    long = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    medium = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    short = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


@pytest.mark.parametrize("name", THEMES)
def test_the_palette_carries_the_themes_own_colours(name: str) -> None:
    made = palette(THEMES[name])
    assert made.color(QPalette.ColorRole.Window).name() == THEMES[name].window
    assert made.color(QPalette.ColorRole.WindowText).name() == THEMES[name].text


def test_every_kind_belongs_to_a_family() -> None:
    assert len(FAMILY_CODES) == len(KINDS)
    assert family_of(Kind.BACKWARD_WEIGHT) is Family.BACKWARD_WEIGHT
    assert family_of(Kind.REDUCE_SCATTER) is Family.COMMUNICATION
    assert family_of(Kind.STEP) is Family.UPDATE


def test_a_family_is_described_by_the_letters_of_its_present_kinds() -> None:
    present = {Kind.COPY, Kind.ALL_GATHER, Kind.BACKWARD_INPUT}
    assert family_letters(present) == {Family.BACKWARD_INPUT: "I", Family.COMMUNICATION: "C AG"}


class CollectorProbe(QLabel):
    """A label that notes at each change event if the garbage collector is on."""

    def __init__(self) -> None:
        super().__init__()
        self.collecting: list[bool] = []

    def changeEvent(self, event: QEvent) -> None:
        self.collecting.append(gc.isenabled())
        super().changeEvent(event)


def test_no_widget_is_collected_while_qt_walks_all_of_them(
    qapp: QApplication, qtbot: object
) -> None:
    label = CollectorProbe()
    qtbot.addWidget(label)
    label.ensurePolished()
    label.collecting.clear()
    apply(qapp, DARK)
    assert label.collecting
    assert not any(label.collecting)
    assert gc.isenabled()
    gc.disable()  # as before the window is shown
    apply(qapp, LIGHT)
    assert not gc.isenabled()
    gc.enable()


@pytest.mark.parametrize("name", THEMES)
def test_a_checked_box_has_a_tick_that_can_be_seen(name: str, qapp: QApplication) -> None:
    theme = THEMES[name]
    assert contrast(theme.on_accent, theme.accent) >= FAINTEST
    apply(qapp, theme)
    box = QCheckBox()
    box.setChecked(True)
    shot = box.grab().toImage()
    places = product(range(shot.width()), range(shot.height()))
    drawn = {shot.pixelColor(x, y).name() for x, y in places}
    assert {theme.accent, theme.on_accent} <= drawn
