"""How far colours lie apart, for every eye: contrast and colour-blindness, as plain numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

FAINTEST = 3.0
"""Least contrast of graphics against their ground (WCAG 2.2, 1.4.11)."""
APART = 11.0
"""Least CIEDE2000 of any two colours of a palette, for every eye; 1 can just be told."""
TOUCHING = 13.0
"""Least CIEDE2000 of colours that stand side by side in nearly every picture."""

VISIONS: Mapping[str, NDArray[np.float64]] = {
    "full colour vision": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
"""What each eye makes of linear red, green and blue: Machado, Oliveira and Fernandes, A
Physiologically-based Model for Simulation of Color Vision Deficiency, IEEE TVCG 15 (6), 2009, at
severity 1.0."""

_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)  # sRGB, IEC 61966-2-1, white point D65
_WHITE = _TO_XYZ.sum(axis=1)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two named colours, and the vision in which they lie closest: `distance` is CIEDE2000."""

    one: str
    other: str
    vision: str
    distance: float


def linear(colour: str) -> NDArray[np.float64]:
    """Linear red, green and blue, 0 to 1, of `#rrggbb` (IEC 61966-2-1)."""
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


@lru_cache(maxsize=256)
def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb` (WCAG 2.2)."""
    return float(linear(colour) @ (0.2126, 0.7152, 0.0722))


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def seen(colour: str, vision: str) -> NDArray[np.float64]:
    """CIE L*, a* and b* of `#rrggbb` as one of VISIONS sees it."""
    xyz = _TO_XYZ @ np.clip(VISIONS[vision] @ linear(colour), 0, 1) / _WHITE
    x, y, z = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(one: str, other: str, vision: str) -> float:
    """CIEDE2000 of two colours as one of VISIONS sees them."""
    return ciede2000(seen(one, vision), seen(other, vision))


def closest(colours: Mapping[str, str]) -> Iterator[Pair]:
    """Every two of some colours by name, each in the vision in which they are hardest to tell."""
    for (one, first), (other, second) in combinations(colours.items(), 2):
        far = {vision: distance(first, second, vision) for vision in VISIONS}
        vision = min(far, key=far.__getitem__)
        yield Pair(one, other, vision, far[vision])


def ciede2000(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """How different two colours (L*, a*, b*) look.

    After Sharma, Wu and Dalal, The CIEDE2000 Color-Difference Formula, Color Research and
    Application 30 (1), 2005, with all weights 1.
    """
    lightness, a, b = np.stack([one, other], axis=1)
    grey = 0.5 * (1 - np.sqrt(_strong(np.hypot(a, b).mean())))
    a = (1 + grey) * a
    chroma, hue = np.hypot(a, b), np.degrees(np.arctan2(b, a)) % 360
    turn = (hue[1] - hue[0] + 180) % 360 - 180 if chroma.all() else 0.0
    mean_hue = (hue[0] + turn / 2) % 360 if chroma.all() else hue.sum()
    light, colour = lightness.mean() - 50, chroma.mean()
    weight = (
        1
        - 0.17 * _cos(mean_hue - 30)
        + 0.24 * _cos(2 * mean_hue)
        + 0.32 * _cos(3 * mean_hue + 6)
        - 0.20 * _cos(4 * mean_hue - 63)
    )
    by_light = np.diff(lightness)[0] / (1 + 0.015 * light**2 / np.sqrt(20 + light**2))
    by_chroma = np.diff(chroma)[0] / (1 + 0.045 * colour)
    by_hue = 2 * np.sqrt(chroma.prod()) * np.sin(np.radians(turn / 2))
    by_hue /= 1 + 0.015 * colour * weight
    turned = np.sin(np.radians(60 * np.exp(-(((mean_hue - 275) / 25) ** 2))))
    both = -2 * np.sqrt(_strong(colour)) * turned * by_chroma * by_hue
    return float(np.sqrt(by_light**2 + by_chroma**2 + by_hue**2 + both))


def _strong(chroma: float) -> float:
    """0 for grey, towards 1 for strong colours."""
    return chroma**7 / (chroma**7 + 25.0**7)


def _cos(degrees: float) -> float:
    return float(np.cos(np.radians(degrees)))


def too_faint(colours: Mapping[str, str], ground: str) -> Iterator[tuple[str, float]]:
    """Those of some named colours that are too faint on a ground, each with its contrast."""
    for name, colour in colours.items():
        ratio = contrast(colour, ground)
        if ratio < FAINTEST:
            yield name, ratio


def too_close(colours: Mapping[str, str]) -> Iterator[Pair]:
    """The pairs of some named colours that one eye or another cannot tell apart well."""
    return (pair for pair in closest(colours) if pair.distance < APART)
