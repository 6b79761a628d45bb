"""What stands for a folded group: how many of its lanes are busy in each pixel, by family."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from gui.look.families import FAMILIES
from gui.look.text import duration_text, percent_text, tr
from gui.look.theme import Theme
from gui.timeline.layout.frame import Frame, Viewport, at_height
from gui.timeline.layout.moments import Origin, since_text
from gui.timeline.paint.margins import heading_text
from gui.timeline.paint.pixels import image_of
from gui.timeline.reduce.aggregate import Aggregate, Lanewise
from gui.timeline.reduce.shades import blended
from gui.timeline.state.scene import Scene

AIR = 1.0  # free pixels above and below an area
Card = tuple[str, list[str]]


def draw_groups(painter: QPainter, scene: Scene, frame: Frame) -> None:
    """The areas of every folded group that can be seen, below the pinned lanes."""
    top = frame.ceiling + frame.layout.band
    painter.setClipRect(QRectF(frame.left, top, frame.view.width, frame.floor - top))
    for group in frame.layout.groups:
        if group.folded:
            rect = QRectF(frame.left, frame.top + group.top, frame.view.width, group.height)
            draw_areas(painter, scene.together(group.numbers), frame, rect)


def group_card(scene: Scene, frame: Frame, x: float, y: float) -> Card | None:
    """Heading and lines for a pixel of a folded group; None where there is none."""
    group = at_height(frame.layout.groups, y - frame.top)
    if group is None or not group.folded:
        return None
    if not frame.left <= x <= frame.left + frame.view.width:
        return None
    time, wide = frame.view.time(x - frame.left), frame.view.ns_per_pixel
    # A viewport one pixel wide at the pointer: the same reduction as is painted, of one column.
    share = scene.together(group.numbers).shares(Viewport(time, wide, 1.0))[0]
    return heading_text(scene, group), share_lines(share, time, wide, frame.origin)


def draw_areas(
    painter: QPainter, aggregate: Aggregate | Lanewise, frame: Frame, rect: QRectF
) -> None:
    """The shares over the visible time, one family on the other from the bottom up."""
    ratio = painter.device().devicePixelRatioF()
    wide, high = round(rect.width() * ratio), round((rect.height() - 2 * AIR) * ratio)
    inner = rect.adjusted(0, AIR, 0, -AIR)
    painter.fillRect(inner, QColor(frame.theme.grid))
    pixels = area_pixels(aggregate.shares(frame.view.resized(wide)), frame.theme, high)
    painter.drawImage(inner, image_of(pixels))


def draw_shades(
    painter: QPainter, together: Sequence[Aggregate | Lanewise], frame: Frame, rect: QRectF
) -> None:
    """A thin track for each aggregate over visible time: the fewer lanes are busy, the paler."""
    wide = round(rect.width() * painter.device().devicePixelRatioF())
    view, families = frame.view, frame.theme.families
    mixtures = ([(c.red(), c.green(), c.blue()) for c in own] for own in families)
    colours = np.array([np.mean(mixture, axis=0) for mixture in mixtures])
    shares = np.array([one.shares(view.resized(wide)) for one in together])
    pixels = np.ascontiguousarray(blended(shares, colours))
    painter.drawImage(rect, image_of(pixels))


def area_pixels(shares: NDArray[np.float64], theme: Theme, high: int) -> NDArray[np.uint32]:
    """Shares, shape (pixels, families), as stacked areas: 0xAARRGGBB, shape (high, pixels).

    Idle time is transparent. A family of several colours has them in equal parts.
    """
    families = theme.families
    layers = [
        (family, colour.rgba(), 1 / len(families[family]))
        for family in np.flatnonzero(shares.any(axis=0)).tolist()
        for colour in families[family]
    ]
    colours = np.array([*(colour for _, colour, _ in layers), 0], np.uint32)
    # Each pixel's middle as a share of the height, from the top line down. A pixel's layer is the
    # number of layers that end at or below it: 0 is the lowest, and beyond all comes clear (0).
    heights = (high - 0.5 - np.arange(high)) / high
    top = np.zeros(len(shares))
    place = np.zeros((high, len(shares)), np.uint8)
    for family, _, part in layers:
        top = top + shares[:, family] * part
        place += top <= heights[:, None]
    return colours[place]


def share_lines(share: NDArray[np.float64], time: float, wide: float, origin: Origin) -> list[str]:
    """What the hover card says of a pixel: the share of the lanes that is busy, by family."""
    busy = float(share.sum())
    at = tr("at {time}, over {length}", time=since_text(time, origin), length=duration_text(wide))
    parts = [
        f"{tr(FAMILIES[place].value)} {percent_text(share[place])}"
        for place in np.argsort(-share).tolist()
        if share[place] > 0
    ]
    line = tr("{share} of the lanes are busy {at}", share=percent_text(busy), at=at)
    return [line, *([" · ".join(parts)] if parts else [])]
