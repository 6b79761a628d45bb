"""Draws the surroundings of the lanes: time axis, steps, labels of lanes, headings of groups."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPolygonF

from gui.look.painter import fill, filling, pen, smoothed
from gui.look.text import duration_text, ntr, number_text, tr
from gui.look.writing import LEFT, RIGHT, elided, elided_name, write
from gui.timeline.layout.axis import ticks, unit_of
from gui.timeline.layout.fonts import Fonts, text_width
from gui.timeline.layout.frame import AXIS, LABELS, STEPS, Frame, Track
from gui.timeline.layout.groups import Section
from gui.timeline.layout.moments import moment_text
from gui.timeline.paint.pixels import draw_uprights
from gui.timeline.reduce.reduction import within
from gui.timeline.state.lane_facts import row_name
from gui.timeline.state.scene import Scene, step_name

NARROW = 24.0  # pixels; narrower steps have no room for a name
INDENT = 14.0
NAME = 16.0  # height of a lane's name
DETAIL = 14.0  # height of each line below the name
AIR = 3.0  # free pixels above and below the letters of a line
PIN = 3.0  # width of the stripe next to a pinned lane


def draw_axis(
    painter: QPainter,
    frame: Frame,
    fonts: Fonts,
    bottom: float,
    top: float = 0.0,
) -> None:
    """Draw the axis's title and numbers at `top`, and grid lines from there to `bottom`."""
    title = frame.origin.title(unit_of(frame.view)[1])
    left = frame.left - LABELS + INDENT
    place = QRectF(left, top, LABELS - INDENT - 10, AXIS - 4)
    painter.setFont(fonts.small)
    write(painter, fonts.small, frame.theme.muted, place, elided(painter, title, place.width()))
    for tick in ticks(frame.view, frame.origin):
        x = frame.left + tick.x
        painter.setPen(QColor(frame.theme.grid))
        painter.drawLine(QPointF(x, top + AXIS - 4), QPointF(x, bottom))
        width = text_width(fonts.small, tick.number)
        rightmost = frame.right - width
        at = min(max(x - width / 2, frame.left), rightmost)
        place = QRectF(at, top, width + 2, AXIS - 4)
        write(painter, fonts.small, frame.theme.muted, place, tick.number)


def time_tag(frame: Frame, fonts: Fonts, time_ns: float) -> tuple[str, QRectF]:
    """Return the text for a time on the axis, and the rectangle of its tag."""
    text = moment_text(time_ns, frame.origin, frame.view.ns_per_pixel, unit_of(frame.view))
    width = text_width(fonts.small, text) + 12
    rightmost = frame.right - width
    centred = frame.x(time_ns) - width / 2
    left = min(max(centred, frame.left), rightmost)
    return text, QRectF(left, 2, width, AXIS - 5)


def draw_steps(
    painter: QPainter,
    scene: Scene,
    frame: Frame,
    fonts: Fonts,
    top: float,
    bottom: float,
) -> None:
    """Draw a line where each step begins, with name and makespan if there is room."""
    view = frame.view
    warmup = scene.trace.header.specification.warmup
    seen = within(scene.step_starts, scene.step_ends, view.start, view.end)
    # With less than 12 pixels per step, only the lines would be visible.
    if seen.stop - seen.start > view.width / 12:
        return
    steps = (scene.step_numbers[seen], scene.step_starts[seen], scene.step_ends[seen])
    # A set: most steps begin where the previous one ends.
    lines: set[float] = set()
    painter.setFont(fonts.small)
    painter.setPen(QColor(frame.theme.muted))
    for number, start, end in zip(*(column.tolist() for column in steps), strict=True):
        left = frame.x(start)
        right = frame.x(end)
        lines |= {left, right}
        x0 = max(left, frame.left)
        x1 = min(right, frame.right)
        if x1 - x0 < NARROW:
            continue
        unfinished = frame.now is not None and number == scene.step_numbers[-1]
        labels = step_labels(number, warmup, None if unfinished else end - start)
        label = next((t for t in labels if text_width(fonts.small, t) < x1 - x0 - 6), "")
        if label:
            painter.drawText(QRectF(x0, top, x1 - x0, STEPS), Qt.AlignmentFlag.AlignCenter, label)
    shown = [x for x in sorted(lines) if frame.left <= x <= frame.right]
    if frame.vector:
        painter.setPen(pen(frame.theme.line))
        painter.drawLines([QLineF(x, top, x, bottom) for x in shown])
    else:
        place = QRectF(frame.left, top, view.width + 1, bottom - top)
        draw_uprights(painter, np.array(shown) - frame.left, place, frame.theme.line)


def step_labels(number: int, warmup: int, makespan_ns: float | None) -> tuple[str, ...]:
    """Return a step's name with its makespan, if it is known, and the name alone."""
    name = step_name(number, warmup)
    return (name,) if makespan_ns is None else (f"{name} · {duration_text(makespan_ns)}", name)


def draw_labels(
    painter: QPainter,
    scene: Scene,
    frame: Frame,
    fonts: Fonts,
    indent: float = INDENT,
) -> None:
    """Draw each lane's name, place, idle time and memory, from the pixel `indent` on.

    Strips under a lane are named if there is room.
    """
    lanes = scene.trace.header.lanes
    taken = {}
    tracks = list(frame.visible(frame.layout.tracks))
    strips: list[tuple[Track, str]] = []
    for track in tracks:
        if track.helper:
            strips.append((track, row_name(lanes[track.lane], lanes)))
        else:
            taken[track.lane] = _lane_label(painter, scene, frame, fonts, track, indent)
    for track in frame.visible(frame.layout.ghosts):
        name = scene.facts[track.lane].name
        strips.append((track, scene.ghost_texts.get(name, tr("predicted"))))
    for track in frame.visible(frame.layout.memory):
        strips.append((track, scene.facts[track.lane].peak or tr("memory")))
    drawn: list[QRectF] = []
    for track, text in sorted(strips, key=lambda strip: strip[0].top):
        label = taken.get(lanes[track.lane].serves)
        drawn.append(_strip_label(painter, frame, fonts, track, text, label, drawn[-1:]))
    for row in frame.visible(frame.layout.counters):
        _counter_label(painter, scene, frame, fonts, row, indent)


def draw_headings(
    painter: QPainter,
    scene: Scene,
    frame: Frame,
    fonts: Fonts,
    indent: float = INDENT,
) -> None:
    """Draw each group's heading, above its lanes."""
    for group in frame.layout.groups:
        if group.height > 0:
            _heading(painter, scene, frame, fonts, group, indent)


def heading_text(scene: Scene, group: Section) -> str:
    """Return a group's name, number of lanes and shared resources: `node 3  ·  8 lanes`."""
    if group.is_call_stack:
        return group.name
    device = group.lanes[0].device
    cores = cores_text(scene, device) if group.name == device else ""
    count = "" if group.sharing else lanes_text(len(group.lanes))
    return "  ·  ".join(filter(None, (group.name, group.sharing, count, cores)))


def lanes_text(count: int) -> str:
    """Return a number of lanes: `1,024 lanes`."""
    return ntr("{n:,} lane", "{n:,} lanes", count)


def _heading(
    painter: QPainter,
    scene: Scene,
    frame: Frame,
    fonts: Fonts,
    group: Section,
    indent: float,
) -> None:
    """Draw a group's heading over the whole width, or while it is folded next to its summary."""
    end = frame.left - 8 if group.folded else frame.right
    air = 0 if group.folded or group.is_call_stack else 4
    rect = QRectF(indent, frame.top + group.top, end - indent, group.height - air)
    painter.setPen(QColor(frame.theme.muted))
    text = elided_name(
        heading_text(scene, group),
        0,
        rect.width(),
        partial(text_width, fonts.small),
    )
    _line(painter, fonts.small, rect, text)
    if not frame.vector:
        _triangle(painter, frame, QPointF(indent - 7, rect.center().y()), group.folded)


def _triangle(painter: QPainter, frame: Frame, at: QPointF, folded: bool) -> None:
    """Draw the triangle that folds and opens a group; it points to the right while folded."""
    pointing_right = ((-2, -4), (3, 0), (-2, 4))
    pointing_down = ((-4, -2), (4, -2), (0, 3))
    points = pointing_right if folded else pointing_down
    triangle = QPolygonF([at + QPointF(x, y) for x, y in points])
    with smoothed(painter), filling(painter, frame.theme.muted):
        painter.drawPolygon(triangle)


def cores_text(scene: Scene, device: str) -> str:
    """Return the number of cores that each lane of a device uses; "" for a GPU."""
    cores = next(lane.cores for lane in scene.trace.header.lanes if lane.device == device)
    if not cores:
        return ""
    return ntr("{n} core a lane", "{n} cores a lane", cores)


def _lane_label(
    painter: QPainter,
    scene: Scene,
    frame: Frame,
    fonts: Fonts,
    track: Track,
    indent: float,
) -> QRectF:
    """Draw a lane's label, and return the rectangle of its last line."""
    facts = scene.facts[track.lane]
    if track.lane in frame.layout.pins:
        stripe = QRectF(2, frame.top + track.top, PIN, frame.layout.full_heights[track.lane])
        fill(painter, stripe, frame.theme.accent)
    first = " · ".join(filter(None, (facts.beside, facts.idle)))
    peak = "" if frame.layout.memory else facts.peak
    details = [text for text in (first, peak) if text]
    if facts.blocks and track.height >= NAME + DETAIL * (len(details) + 1):
        details.insert(0, facts.blocks)
    room = frame.layout.full_heights[track.lane]
    # Counters have their own labels.
    for row in frame.layout.counters:
        if row.lane == track.lane:
            room = min(room, row.top - track.top)
    # With less room all details are in one line, and with still less there are none.
    if room < NAME + DETAIL * len(details):
        details = ["  ".join(details)]
    if room < NAME + DETAIL:
        details = []
    heights = NAME + DETAIL * len(details)
    above = max(0.0, (track.height - heights) / 2)
    y = frame.top + track.top + above
    wide = frame.left - indent - 10
    painter.setPen(QColor(frame.theme.text))
    shown = elided_name(facts.name, facts.shared, wide, partial(text_width, fonts.bold))
    _line(painter, fonts.bold, QRectF(indent, y, wide, NAME), shown)
    name = text_width(fonts.bold, shown) + 7
    painter.setPen(QColor(frame.theme.muted))
    # Without a line below, the idle time is more important next to the name.
    place = facts.place if details else facts.idle or facts.place
    _line(painter, fonts.small, QRectF(indent + name, y, wide - name, NAME), place)
    for number, text in enumerate(details):
        top = y + NAME + DETAIL * number
        _line(painter, fonts.small, QRectF(indent, top, wide, DETAIL), text)
    last = text_width(fonts.small, details[-1]) if details else wide
    return QRectF(indent, y + heights - DETAIL, min(last, wide) + 4, DETAIL)


def _strip_label(
    painter: QPainter,
    frame: Frame,
    fonts: Fonts,
    track: Track,
    text: str,
    taken: QRectF | None,
    above: Sequence[QRectF],
) -> QRectF:
    """Write the name of a strip under a lane at its right, unless it would overlap `taken`.

    If it would touch the name of the strip `above`, it is written left of that. Returns its place,
    empty if it is not written.
    """
    middle = frame.top + track.top + track.height / 2
    end = frame.left - 8
    wide = text_width(fonts.small, text)
    place = QRectF(end - wide, middle - DETAIL / 2, wide, DETAIL)
    for other in above:
        if other.intersects(place):
            place.moveRight(other.left() - 8)
    letters = place.adjusted(0, AIR, 0, -AIR)
    if place.left() < 0 or (taken is not None and taken.intersects(letters)):
        return QRectF()
    whole = QRectF(place.left(), middle - NAME / 2, wide + 1, NAME)
    write(painter, fonts.small, frame.theme.muted, whole, text, RIGHT)
    return place


def _counter_label(
    painter: QPainter,
    scene: Scene,
    frame: Frame,
    fonts: Fonts,
    row: Track,
    indent: float,
) -> None:
    """Write a counter's name, and below it the limits of its row."""
    line = scene.counters[row.name]
    place = frame.place(row)
    wide = frame.left - 8 - indent
    width = partial(text_width, fonts.small)
    # It is under a lane of its process, unless the process has no lanes.
    under = scene.trace.header.lanes[row.lane].device
    names = row.name if line.place == under else f"{line.place} · {row.name}"
    least, most = line.limits
    limits = tr("{least} to {most}", least=number_text(least), most=number_text(most))
    half = place.height() / 2
    for number, text in enumerate((names, limits)):
        rect = QRectF(indent, place.top() + number * half, wide, half)
        shown = elided_name(text, 0, wide, width)
        write(painter, fonts.small, frame.theme.muted, rect, shown, RIGHT)


def _line(painter: QPainter, font: QFont, rect: QRectF, text: str) -> None:
    """Write a line of text that ends with an ellipsis if it does not fit."""
    painter.setFont(font)
    painter.drawText(rect, LEFT, elided(painter, text, rect.width()))
