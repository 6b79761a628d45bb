"""Summaries of folded groups: the share of busy lanes in each pixel, by family."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF

from core.arrays import Floats
from gui.look.families import FAMILIES
from gui.look.text import duration_text, percent_text, tr
from gui.look.theme import Theme
from gui.timeline.layout.frame import Frame, Viewport, at_height
from gui.timeline.layout.moments import Origin, since_text
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.margins import heading_text
from gui.timeline.paint.pixels import image_of
from gui.timeline.reduce.aggregate import Aggregate, Lanewise
from gui.timeline.reduce.shades import blended
from gui.timeline.state.scene import Scene

AIR = 1.0  # free pixels above and below an area
Card = tuple[str, list[str]]


def draw_groups(canvas: Canvas, scene: Scene) -> None:
    """Draw the areas of all visible folded groups, clipped so that pinned lanes stay visible."""
    frame = canvas.frame
    top = frame.ceiling + frame.layout.band
    visible = frame.plot(top, frame.floor)
    canvas.painter.setClipRect(visible)
    for group in frame.layout.groups:
        if group.has_summary:
            rect = frame.place(group)
            draw_areas(canvas, scene.together(group.numbers), rect)


def group_card(scene: Scene, frame: Frame, x: float, y: float) -> Card | None:
    """Return title and lines of the tooltip for a pixel of a folded group, or None."""
    group = at_height(frame.layout.groups, y - frame.top)
    if group is None or not group.has_summary:
        return None
    if not frame.left <= x <= frame.right:
        return None
    time = frame.view.time(x - frame.left)
    wide = frame.view.ns_per_pixel
    # A viewport of one pixel at the pointer uses the same reduction as the picture.
    pixel = Viewport(time, wide, 1.0)
    (share,) = scene.together(group.numbers).shares(pixel)
    return heading_text(scene, group), share_lines(share, time, wide, frame.origin)


def draw_areas(canvas: Canvas, aggregate: Aggregate | Lanewise, rect: QRectF) -> None:
    """Draw the shares over the visible time, families stacked from the bottom up."""
    theme = canvas.theme
    ratio = canvas.pixel_ratio
    inner = rect.adjusted(0, AIR, 0, -AIR)
    wide = round(inner.width() * ratio)
    high = round(inner.height() * ratio)
    canvas.fill(inner, theme.grid)
    view = canvas.frame.view.resized(wide)
    shares = aggregate.shares(view)
    pixels = area_pixels(shares, theme, high)
    canvas.painter.drawImage(inner, image_of(pixels))


def draw_shades(canvas: Canvas, together: Sequence[Aggregate | Lanewise], rect: QRectF) -> None:
    """Draw a thin track for each aggregate; it is paler where fewer lanes are busy."""
    frame = canvas.frame
    wide = round(rect.width() * canvas.pixel_ratio)
    view = frame.view.resized(wide)
    mean_colours = []
    for family_colours in frame.theme.families:
        channels = [(c.red(), c.green(), c.blue()) for c in family_colours]
        mean_colours.append(np.mean(channels, axis=0))
    colours = np.array(mean_colours)
    shares = np.array([one.shares(view) for one in together])
    pixels = np.ascontiguousarray(blended(shares, colours))
    canvas.painter.drawImage(rect, image_of(pixels))


def area_pixels(shares: Floats, theme: Theme, high: int) -> NDArray[np.uint32]:
    """Return shares, shape (pixels, families), as stacked areas: 0xAARRGGBB, shape (high, pixels).

    Idle time is transparent. A family with two colours (an overlap) is divided equally.
    """
    layers: list[tuple[int, float]] = []
    codes: list[int] = []
    for family in np.flatnonzero(shares.any(axis=0)).tolist():
        family_colours = theme.families[family]
        for colour in family_colours:
            layers.append((family, 1 / len(family_colours)))
            codes.append(colour.rgba())
    colours = np.array([*codes, 0], np.uint32)
    # `heights` are the middles of the lines of pixels as shares of the height, from the top down.
    # A pixel's layer is the number of layers that end at or below its middle: 0 is the lowest
    # layer. Above all layers is the last code, which is transparent.
    heights = (high - 0.5 - np.arange(high)) / high
    top = np.zeros(len(shares))
    place = np.zeros((high, len(shares)), np.uint8)
    for family, part in layers:
        top = top + shares[:, family] * part
        place += top <= heights[:, None]
    return colours[place]


def share_lines(share: Floats, time: float, wide: float, origin: Origin) -> list[str]:
    """Return the tooltip's lines for a pixel: the share of busy lanes, in total and by family."""
    busy = float(share.sum())
    at = tr(
        "at {time}, over {length}",
        time=since_text(time, origin),
        length=duration_text(wide),
    )
    parts = []
    for family in np.argsort(-share).tolist():
        if share[family] > 0:
            name = tr(FAMILIES[family].value)
            percent = percent_text(share[family])
            parts.append(f"{name} {percent}")
    lines = [tr("{share} of the lanes are busy {at}", share=percent_text(busy), at=at)]
    if parts:
        lines.append(" · ".join(parts))
    return lines
