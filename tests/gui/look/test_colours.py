"""Every palette can be seen and told apart, by the three common colour-blindnesses too."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from gui.look.colours import (
    APART,
    FAINTEST,
    TOUCHING,
    VISIONS,
    ciede2000,
    closest,
    contrast,
    distance,
    seen,
)
from gui.look.theme import EDITABLE, RAMP, SERIES, THEMES, edited

TOUCH = {
    frozenset(pair)
    for pair in (
        *combinations(("forward", "backward", "communication", "update"), 2),
        *combinations(("forward", "backward_input", "backward_weight", "update"), 2),
        ("backward", "backward_input"), ("backward", "backward_weight"),
        ("backward_input", "communication"), ("backward_weight", "communication"),
    )
} - {frozenset(("communication", "update"))}  # fmt: skip
"""Families whose bars stand side by side on a lane, or on lanes side by side, in most pictures."""


@pytest.mark.parametrize(
    ("one", "other", "published"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425), ((50, 0, 0), (50, -1, 2), 2.3669),
        ((50, 2.5, 0), (73, 25, -18), 27.1492), ((50, 2.5, 0), (61, -5, 29), 22.8977),
        ((50, 2.5, 0), (56, -27, -3), 31.9030), ((50, 2.5, 0), (58, 24, 15), 19.4535),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)  # fmt: skip
def test_colour_differences_are_those_of_the_papers_table(one, other, published):
    assert ciede2000(np.array(one), np.array(other)) == pytest.approx(published, abs=1e-4)


def test_lightness_and_chroma_are_those_of_srgb():
    assert seen("#ffffff", "full colour vision") == pytest.approx((100, 0, 0), abs=0.02)
    assert seen("#000000", "full colour vision") == pytest.approx((0, 0, 0), abs=1e-9)
    assert seen("#ff0000", "full colour vision") == pytest.approx((53.24, 80.09, 67.20), abs=0.02)


@pytest.mark.parametrize("vision", VISIONS)
def test_grey_looks_grey_to_every_eye(vision):
    assert seen("#777777", vision) == pytest.approx(seen("#777777", "full colour vision"), abs=0.05)


def test_the_blind_eyes_confuse_what_they_are_known_to_confuse():
    red, green, far = "#b4530b", "#6d7a00", distance("#b4530b", "#6d7a00", "full colour vision")
    assert distance(red, green, "deuteranopia") < far / 3
    assert distance(red, green, "protanopia") < far / 3
    blue, teal = "#0072b2", "#007a6e"
    assert distance(blue, teal, "tritanopia") < distance(blue, teal, "full colour vision") / 3


@pytest.mark.parametrize("name", THEMES)
def test_palettes_stand_out_from_the_plot(name):
    theme = THEMES[name]
    for colour in (
        *theme.series,
        *theme.ramp,
        *(getattr(theme, part) for part in EDITABLE.values()),
    ):
        assert contrast(colour, theme.plot) >= FAINTEST, colour
    assert (len(theme.series), len(theme.ramp)) == (SERIES, RAMP)


@pytest.mark.parametrize("name", THEMES)
def test_letters_can_be_read_on_every_palette(name):
    theme = THEMES[name]
    for colour in (*theme.series, *theme.ramp):
        assert contrast(theme.letters_on(colour), colour) >= 4.5, colour


@pytest.mark.parametrize("name", THEMES)
def test_families_stay_apart_for_every_eye(name):
    theme = THEMES[name]
    colours = {part: getattr(theme, part) for part in EDITABLE.values()}
    for pair in closest(colours):
        least = TOUCHING if frozenset((pair.one, pair.other)) in TOUCH else APART
        assert pair.distance >= least, pair


@pytest.mark.parametrize("name", THEMES)
def test_stages_and_microbatches_stay_apart_for_every_eye(name):
    theme = THEMES[name]
    numbers = {str(n): colour for n, colour in enumerate(theme.series)}
    for pair in closest({**numbers, "none": theme.other}):
        following = {int(pair.one), int(pair.other)} if pair.other != "none" else set()
        touch = following and (max(following) - min(following)) in (1, SERIES - 1)
        assert pair.distance >= (TOUCHING if touch else APART), pair


@pytest.mark.parametrize("vision", VISIONS)
def test_the_ramp_only_grows_darker_or_only_lighter_for_every_eye(vision):
    for theme in THEMES.values():
        lightness = [seen(colour, vision)[0] for colour in theme.ramp]
        steps = [after - before for before, after in pairwise(lightness)]
        assert all(step < 0 for step in steps) or all(step > 0 for step in steps), lightness
        assert distance(theme.ramp[0], theme.ramp[-1], vision) > 3 * TOUCHING / 2


def test_colours_of_ones_own_replace_those_of_families_and_nothing_else():
    for theme in THEMES.values():
        other = edited(theme, {"forward": "#123456", "window": "#ff0000", "nothing": "#000000"})
        assert other.forward == "#123456"
        assert edited(other, {"forward": theme.forward}) == theme
