"""Colours carry meaning, and can be seen."""

import pytest
from PySide6.QtGui import QPalette

from core.plan.task import KINDS, Kind
from gui.families import FAMILIES, FAMILY_CODES, Family, family_of
from gui.theme import THEMES, contrast, palette

FAINTEST = 3.0  # WCAG 2.2 for graphics
FAINTEST_TEXT = 4.5


def test_contrast_follows_the_published_extremes() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#777777") == pytest.approx(1)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize(
    "part", ["forward", "backward", "communication", "update", "idle", "accent"]
)
def test_graphics_stand_out_from_the_plot(name: str, part: str) -> None:
    theme = THEMES[name]
    assert contrast(getattr(theme, part), theme.plot) >= FAINTEST


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("part", ["text", "muted", "warning", "error", "accent"])
@pytest.mark.parametrize("ground", ["window", "plot", "field", "tint"])
def test_words_can_be_read_on_every_ground(name: str, part: str, ground: str) -> None:
    theme = THEMES[name]
    assert contrast(getattr(theme, part), getattr(theme, ground)) >= FAINTEST_TEXT


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("family", FAMILIES)
def test_letters_can_be_read_on_their_bars(name: str, family: Family) -> None:
    theme = THEMES[name]
    assert contrast(theme.on_bar, theme.colour_of(family)) >= FAINTEST_TEXT


@pytest.mark.parametrize("name", THEMES)
def test_the_palette_carries_the_themes_own_colours(name: str) -> None:
    made = palette(THEMES[name])
    assert made.color(QPalette.ColorRole.Window).name() == THEMES[name].window
    assert made.color(QPalette.ColorRole.WindowText).name() == THEMES[name].text


def test_every_kind_belongs_to_a_family() -> None:
    assert len(FAMILY_CODES) == len(KINDS)
    assert family_of(Kind.BACKWARD_WEIGHT) is Family.BACKWARD
    assert family_of(Kind.ALL_REDUCE) is Family.COMMUNICATION
    assert family_of(Kind.STEP) is Family.UPDATE
