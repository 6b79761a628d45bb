"""Rows as few lines of pixels: they agree with the rectangles of figures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from gui.look.families import FAMILIES, Family
from gui.look.theme import DARK, LIGHT
from gui.timeline.paint.boxes import Boxes, boxes_of, draw_boxes, fill_boxes, runs
from gui.timeline.paint.picture import draw_reduced
from gui.timeline.paint.pixels import owners, palette_of
from gui.timeline.reduce.reduction import Bars, PixelColumns

WIDTH, HEIGHT = 90, 24
OVERLAP = FAMILIES.index(Family.OVERLAP)
PLACE = QRectF(5, 3, WIDTH, HEIGHT)


def bars(left: list[float], right: list[float], family: list[int]) -> Bars:
    return Bars(0, np.array(left), np.array(right), np.array(family, np.int8))


def canvas(ratio: float) -> QImage:
    image = QImage(
        round((WIDTH + 10) * ratio), round((HEIGHT + 6) * ratio), QImage.Format.Format_RGB32
    )
    image.setDevicePixelRatio(ratio)
    image.fill(QColor(LIGHT.plot))
    return image


def pixels(image: QImage) -> np.ndarray:
    """Return the colours 0xRRGGBB of an image, shape (lines, columns)."""
    lines = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    return lines[:, : image.width()] & 0xFFFFFF


def by_rectangles(boxes: Boxes, ratio: float) -> np.ndarray:
    image = canvas(ratio)
    with QPainter(image) as painter:
        painter.setClipRect(PLACE)
        fill_boxes(painter, boxes, PLACE.left(), PLACE.bottom(), LIGHT.families)
    return pixels(image)


def by_pixels(reduced: Bars | PixelColumns, ratio: float) -> np.ndarray:
    image = canvas(ratio)
    with QPainter(image) as painter:
        draw_reduced(painter, [reduced], [PLACE], palette_of(LIGHT.families))
    return pixels(image)


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.tuples(st.floats(1.5, 30), st.floats(0.7, 20)), min_size=1, max_size=12),
    begin=st.floats(-20, 20),
    seed=st.integers(0, 999),
)
def test_bars_of_pixels_are_at_the_same_places_as_rectangles(
    ratio: float, sizes: list[tuple[float, float]], begin: float, seed: int
) -> None:
    ends = begin + np.cumsum([long + gap for long, gap in sizes])
    left = ends - [long for long, _ in sizes]
    seen = (ends > 0.6) & (left < WIDTH - 0.6)  # a smaller part is drawn as a whole pixel
    family = np.random.default_rng(seed).integers(0, len(FAMILIES), len(sizes)).astype(np.int8)
    reduced = Bars(0, left[seen], ends[seen], family[seen])
    boxes = boxes_of(reduced, WIDTH, HEIGHT)
    differ = by_pixels(reduced, ratio) != by_rectangles(boxes, ratio)
    edges = np.concatenate([boxes.left, boxes.left + boxes.width]) * ratio
    centres = np.arange(WIDTH * ratio) + 0.5
    # A rectangle's edge through a pixel's exact centre is rounded either way.
    clear = np.abs(centres[:, None] - edges).min(axis=1, initial=1.0) > 0.02
    first = round(PLACE.left() * ratio)
    assert not differ[:, first : first + len(centres)][:, clear].any()


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 9999), overlaps=st.booleans())
def test_columns_of_pixels_are_as_high_as_rectangles(
    ratio: float, seed: int, overlaps: bool
) -> None:
    random = np.random.default_rng(seed)
    families = [code for code in range(len(FAMILIES)) if overlaps or code != OVERLAP]
    family = random.choice(families, WIDTH).astype(np.int8)
    busy = random.integers(0, 9, WIDTH) / 8
    reduced = PixelColumns(family, busy, 900, 10.0)
    assert np.array_equal(
        by_pixels(reduced, ratio), by_rectangles(boxes_of(reduced, WIDTH, HEIGHT), ratio)
    )


def test_a_bar_of_a_hundredth_of_a_pixel_is_drawn_between_wide_ones() -> None:
    family = [0, 5, 0]
    row = by_pixels(bars([0, 40.20, 40.22], [40.19, 40.21, 90], family), 1.0)[10]
    small = int(LIGHT.colours_of(FAMILIES[5])[0][1:], 16)
    assert np.flatnonzero(row == small).tolist() == [45]


def test_wide_neighbours_are_separated_by_a_free_pixel() -> None:
    row = by_pixels(bars([0, 40], [40, 90], [0, 0]), 1.0)[10]
    assert np.flatnonzero(row == int(LIGHT.plot[1:], 16)).tolist() == [
        *range(5),
        44,
        94,
        *range(95, 100),
    ]


def test_overlapping_boxes_of_predicted_steps_share_the_pixels() -> None:
    left, right = np.array([0.0, 10.0, 20.0, 5.0, 25.0]), np.array([10.0, 20.0, 30.0, 15.0, 35.0])
    found = owners(left, right, 40)
    assert len(found) == 40
    assert found[:10].tolist() == [0] * 10 and found[30:35].tolist() == [4] * 5


@given(
    lefts=st.lists(st.floats(0, 29), min_size=1, max_size=80),
    width=st.floats(0.001, 0.9),
)
def test_every_pixel_with_a_box_in_it_has_an_owner(lefts: list[float], width: float) -> None:
    left = np.sort(np.array(lefts))
    right = left + width
    found = owners(left, right, 30)
    taken = np.flatnonzero(found < len(left))
    assert set(taken.tolist()) >= {min(29, int(np.ceil(x - 0.5))) for x in left}
    for pixel in taken.tolist():
        assert left[found[pixel]] - 0.5 <= pixel <= right[found[pixel]] + 0.5


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_palette_has_each_familys_colours_followed_by_transparency(theme: object) -> None:
    palette = palette_of(theme.families)
    assert palette[:, -1].tolist() == [0, 0]
    for code, family in enumerate(FAMILIES):
        colours = theme.colours_of(family)
        assert [f"#{c & 0xFFFFFF:06x}" for c in palette[:, code].tolist()] == [
            colours[0], colours[-1],
        ]  # fmt: skip


def test_without_boxes_the_background_is_unchanged() -> None:
    image = canvas(1.0)
    with QPainter(image) as painter:
        draw_boxes(
            painter, boxes_of(bars([], [], []), WIDTH, HEIGHT), PLACE, palette_of(LIGHT.families)
        )
    assert set(pixels(image).ravel().tolist()) == {int(LIGHT.plot[1:], 16)}


def test_runs_join_neighbouring_columns_that_look_the_same() -> None:
    first, last = runs(np.array([1, 1, 2, 2, 2]), np.array([3, 3, 3, 3, 4]))
    assert list(zip(first.tolist(), last.tolist(), strict=True)) == [(0, 2), (2, 4), (4, 5)]
