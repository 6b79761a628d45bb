"""Contrast of colours, and distances between them for every kind of colour vision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from core.arrays import Floats
from core.message import N_

FAINTEST = 3.0
"""Least contrast of graphics against their background (WCAG 2.2, 1.4.11)."""
APART = 9.5
"""Least distance between two colours of a palette, for every kind of colour vision.

A distance of 2 is just visible.
"""
TOUCHING = 11.5
"""Least distance between colours that are adjacent in nearly every picture."""

VISIONS: Mapping[str, Floats] = {
    N_("full colour vision"): np.eye(3),
    N_("protanopia"): np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    N_("deuteranopia"): np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    N_("tritanopia"): np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
"""Matrices from linear red, green and blue to the colours that each kind of vision perceives.

Source: Machado, Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color
Vision Deficiency, IEEE TVCG 15 (6), 2009, at severity 1.0.
"""

_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)  # Björn Ottosson, A perceptual color space for image processing (Oklab), 2020


@dataclass(frozen=True, slots=True)
class Pair:
    """Two named colours, the vision that separates them least, and their `distance` in it."""

    one: str
    other: str
    vision: str
    distance: float


def linear(colour: str) -> Floats:
    """Return linear red, green and blue, 0 to 1, of `#rrggbb` (IEC 61966-2-1)."""
    channels = np.array(channels_of(colour)) / 255
    curved = ((channels + 0.055) / 1.055) ** 2.4
    return np.where(channels <= 0.04045, channels / 12.92, curved)


def channels_of(colour: str) -> tuple[int, int, int]:
    """Return red, green and blue, 0 to 255, of `#rrggbb`."""
    red = int(colour[1:3], 16)
    green = int(colour[3:5], 16)
    blue = int(colour[5:7], 16)
    return red, green, blue


@lru_cache(maxsize=256)
def luminance(colour: str) -> float:
    """Return the relative luminance of `#rrggbb` (WCAG 2.2)."""
    return float(linear(colour) @ (0.2126, 0.7152, 0.0722))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@lru_cache(maxsize=256)
def seen_on(colour: str, ground: str) -> str:
    """Return the colour; if it is too faint on a ground, darken or lighten it just enough."""
    # Mix with black or white, whichever has more contrast to the ground. Both contrasts are equal
    # where (1.05) / (y + 0.05) = (y + 0.05) / 0.05, which is y = 0.179.
    towards = 0 if luminance(ground) > 0.18 else 255
    channels = channels_of(colour)
    for step in range(21):
        share = step / 20
        mixed = [round(one + (towards - one) * share) for one in channels]
        red, green, blue = mixed
        found = f"#{red:02x}{green:02x}{blue:02x}"
        if contrast(found, ground) >= FAINTEST:
            return found
    return found


def seen(colour: str, vision: str) -> Floats:
    """Return Oklab's L, a and b of `#rrggbb`, L from 0 to 1, as perceived with one of VISIONS."""
    # The model's matrix can leave the range that a screen can show.
    cones = _TO_CONES @ np.clip(VISIONS[vision] @ linear(colour), 0, 1)
    lab: Floats = _TO_LAB @ np.cbrt(cones)
    return lab


def distance(one: str, other: str, vision: str) -> float:
    """Return the distance of two colours for one of VISIONS: 0 to about 100; 2 is just visible.

    Euclidean in Oklab, with a and b doubled (Ottosson's own correction, "deltaEOK2" in CSS tools):
    they then have the weights that they have in CIEDE2000.
    """
    difference = seen(one, vision) - seen(other, vision)
    weighted = difference * (1, 2, 2)
    return float(100 * np.linalg.norm(weighted))


def closest(colours: Mapping[str, str]) -> Iterator[Pair]:
    """Yield every pair of named colours, with the vision in which their distance is least."""
    for (one, first), (other, second) in combinations(colours.items(), 2):
        far = {vision: distance(first, second, vision) for vision in VISIONS}
        vision = min(far, key=far.__getitem__)
        yield Pair(one, other, vision, far[vision])


def too_faint(colours: Mapping[str, str], ground: str) -> Iterator[tuple[str, float]]:
    """Yield the named colours that are too faint on a ground, each with its contrast."""
    for name, colour in colours.items():
        ratio = contrast(colour, ground)
        if ratio < FAINTEST:
            yield name, ratio


def too_close(colours: Mapping[str, str]) -> Iterator[Pair]:
    """Yield the pairs of named colours that are too similar for some kind of colour vision."""
    return (pair for pair in closest(colours) if pair.distance < APART)
