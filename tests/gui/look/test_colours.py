"""Contrast and distance of all palettes, also for the three common kinds of colour blindness."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from gui.look.colours import (
    APART,
    FAINTEST,
    TOUCHING,
    VISIONS,
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
"""Families whose bars are usually adjacent, on one lane or on neighbouring lanes."""


@pytest.mark.parametrize(
    ("colour", "published"),
    [
        ("#ffffff", (1.0, 0.0, 0.0)), ("#000000", (0.0, 0.0, 0.0)),
        ("#ff0000", (0.62796, 0.22486, 0.12585)), ("#00ff00", (0.86644, -0.23389, 0.17950)),
        ("#0000ff", (0.45201, -0.03246, -0.31153)),
    ],
)  # fmt: skip
def test_lightness_and_chroma_have_the_values_published_for_srgb(colour, published):
    assert seen(colour, "full colour vision") == pytest.approx(published, abs=2e-4)


def test_distance_is_in_per_cent_of_lightness_and_counts_chroma_double():
    dark, light = ("#777777", "#7a7a7a")
    apart = seen(light, "full colour vision") - seen(dark, "full colour vision")
    assert distance(dark, light, "full colour vision") == pytest.approx(100 * apart[0], rel=1e-3)
    a, b = (seen(colour, "full colour vision") for colour in ("#b4530b", "#0072b2"))
    whole = np.hypot(a[0] - b[0], 2 * np.hypot(a[1] - b[1], a[2] - b[2]))
    assert distance("#b4530b", "#0072b2", "full colour vision") == pytest.approx(100 * whole)


@pytest.mark.parametrize("vision", VISIONS)
def test_grey_looks_grey_to_every_colour_vision(vision):
    assert seen("#777777", vision) == pytest.approx(seen("#777777", "full colour vision"), abs=1e-3)


def test_simulated_colour_blindness_confuses_the_known_pairs():
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
def test_families_are_distinguishable_by_every_colour_vision(name):
    theme = THEMES[name]
    colours = {part: getattr(theme, part) for part in EDITABLE.values()}
    for pair in closest(colours):
        least = TOUCHING if frozenset((pair.one, pair.other)) in TOUCH else APART
        assert pair.distance >= least, pair


@pytest.mark.parametrize("name", THEMES)
def test_stages_and_microbatches_are_distinguishable_by_every_colour_vision(name):
    theme = THEMES[name]
    numbers = {str(n): colour for n, colour in enumerate(theme.series)}
    for pair in closest({**numbers, "none": theme.other}):
        following = {int(pair.one), int(pair.other)} if pair.other != "none" else set()
        touch = following and (max(following) - min(following)) in (1, SERIES - 1)
        assert pair.distance >= (TOUCHING if touch else APART), pair


@pytest.mark.parametrize("vision", VISIONS)
def test_the_ramp_is_monotonic_in_lightness_for_every_colour_vision(vision):
    for theme in THEMES.values():
        lightness = [seen(colour, vision)[0] for colour in theme.ramp]
        steps = [after - before for before, after in pairwise(lightness)]
        assert all(step < 0 for step in steps) or all(step > 0 for step in steps), lightness
        assert distance(theme.ramp[0], theme.ramp[-1], vision) > 3 * TOUCHING / 2


def test_the_users_colours_replace_only_colours_of_families():
    for theme in THEMES.values():
        other = edited(theme, {"forward": "#123456", "window": "#ff0000", "nothing": "#000000"})
        assert other.forward == "#123456"
        assert edited(other, {"forward": theme.forward}) == theme
