"""Draws the surroundings of the lanes: time axis, steps, labels of lanes, headings of groups."""

from __future__ import annotations

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
    theme = frame.theme
    height = AXIS - 4
    _, unit = unit_of(frame.view)
    left = frame.left - LABELS + INDENT
    width = LABELS - INDENT - 10
    painter.setFont(fonts.small)
    title = elided(painter, frame.origin.title(unit), width)
    place = QRectF(left, top, width, height)
    write(painter, fonts.small, theme.muted, place, title)
    for tick in ticks(frame.view, frame.origin):
        x = frame.left + tick.x
        painter.setPen(QColor(theme.grid))
        painter.drawLine(QPointF(x, top + height), QPointF(x, bottom))
        width = text_width(fonts.small, tick.number)
        rightmost = frame.right - width
        centred = x - width / 2
        left = min(max(centred, frame.left), rightmost)
        place = QRectF(left, top, width + 2, height)
        write(painter, fonts.small, theme.muted, place, tick.number)


def time_tag(frame: Frame, fonts: Fonts, time_ns: float) -> tuple[str, QRectF]:
    """Return the text for a time on the axis, and the rectangle of its tag."""
    view = frame.view
    text = moment_text(time_ns, frame.origin, view.ns_per_pixel, unit_of(view))
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
    numbers = scene.step_numbers[seen].tolist()
    starts = scene.step_starts[seen].tolist()
    ends = scene.step_ends[seen].tolist()
    # A set: most steps begin where the previous one ends.
    lines: set[float] = set()
    painter.setFont(fonts.small)
    painter.setPen(QColor(frame.theme.muted))
    for number, start, end in zip(numbers, starts, ends, strict=True):
        left = frame.x(start)
        right = frame.x(end)
        lines |= {left, right}
        visible_left = max(left, frame.left)
        visible_width = min(right, frame.right) - visible_left
        if visible_width < NARROW:
            continue
        makespan_ns = end - start
        if frame.now is not None and number == scene.step_numbers[-1]:
            makespan_ns = None  # the step is unfinished
        place = QRectF(visible_left, top, visible_width, STEPS)
        for label in step_labels(number, warmup, makespan_ns):
            if text_width(fonts.small, label) < visible_width - 6:
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, label)
                break
    shown = [x for x in sorted(lines) if frame.left <= x <= frame.right]
    if frame.vector:
        painter.setPen(pen(frame.theme.line))
        painter.drawLines([QLineF(x, top, x, bottom) for x in shown])
    else:
        place = QRectF(frame.left, top, view.width + 1, bottom - top)
        xs = np.array(shown) - frame.left
        draw_uprights(painter, xs, place, frame.theme.line)


def step_labels(number: int, warmup: int, makespan_ns: float | None) -> tuple[str, ...]:
    """Return a step's name with its makespan, if it is known, and the name alone."""
    name = step_name(number, warmup)
    if makespan_ns is None:
        return (name,)
    duration = duration_text(makespan_ns)
    return f"{name} · {duration}", name


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
            text = row_name(lanes[track.lane], lanes)
            strips.append((track, text))
        else:
            taken[track.lane] = _lane_label(painter, scene, frame, fonts, track, indent)
    for track in frame.visible(frame.layout.ghosts):
        name = scene.facts[track.lane].name
        text = scene.ghost_texts.get(name, tr("predicted"))
        strips.append((track, text))
    for track in frame.visible(frame.layout.memory):
        text = scene.facts[track.lane].peak or tr("memory")
        strips.append((track, text))
    strips.sort(key=lambda strip: strip[0].top)
    above: QRectF | None = None
    for track, text in strips:
        served = lanes[track.lane].serves
        label = taken.get(served)
        above = _strip_label(painter, frame, fonts, track, text, label, above)
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
    parts = (group.name, group.sharing, count, cores)
    return "  ·  ".join(filter(None, parts))


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
    top = frame.top + group.top
    rect = QRectF(indent, top, end - indent, group.height - air)
    painter.setPen(QColor(frame.theme.muted))
    text = elided_name(
        heading_text(scene, group),
        0,
        rect.width(),
        partial(text_width, fonts.small),
    )
    _line(painter, fonts.small, rect, text)
    if not frame.vector:
        middle = QPointF(indent - 7, rect.center().y())
        _triangle(painter, frame, middle, group.folded)


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
    lanes = scene.trace.header.lanes
    cores = next(lane.cores for lane in lanes if lane.device == device)
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
    layout = frame.layout
    track_top = frame.top + track.top
    room = layout.full_heights[track.lane]
    if track.lane in layout.pins:
        stripe = QRectF(2, track_top, PIN, room)
        fill(painter, stripe, frame.theme.accent)
    first = " · ".join(filter(None, (facts.beside, facts.idle)))
    peak = "" if layout.memory else facts.peak
    details = [text for text in (first, peak) if text]
    with_blocks = len(details) + 1
    if facts.blocks and track.height >= NAME + DETAIL * with_blocks:
        details.insert(0, facts.blocks)
    # Counters have their own labels.
    for row in layout.counters:
        if row.lane == track.lane:
            room = min(room, row.top - track.top)
    # With less room all details are in one line, and with still less there are none.
    if room < NAME + DETAIL * len(details):
        details = ["  ".join(details)]
    if room < NAME + DETAIL:
        details = []
    heights = NAME + DETAIL * len(details)
    above = max(0.0, (track.height - heights) / 2)
    y = track_top + above
    wide = frame.left - indent - 10
    painter.setPen(QColor(frame.theme.text))
    shown = elided_name(facts.name, facts.shared, wide, partial(text_width, fonts.bold))
    _line(painter, fonts.bold, QRectF(indent, y, wide, NAME), shown)
    name = text_width(fonts.bold, shown) + 7
    painter.setPen(QColor(frame.theme.muted))
    place = facts.place
    if not details and facts.idle:
        # Without a line below, the idle time is more important next to the name.
        place = facts.idle
    next_to_name = QRectF(indent + name, y, wide - name, NAME)
    _line(painter, fonts.small, next_to_name, place)
    for number, text in enumerate(details):
        top = y + NAME + DETAIL * number
        rect = QRectF(indent, top, wide, DETAIL)
        _line(painter, fonts.small, rect, text)
    width = wide
    if details:
        width = min(wide, text_width(fonts.small, details[-1]))
    last_top = y + heights - DETAIL
    return QRectF(indent, last_top, width + 4, DETAIL)


def _strip_label(
    painter: QPainter,
    frame: Frame,
    fonts: Fonts,
    track: Track,
    text: str,
    taken: QRectF | None,
    above: QRectF | None,
) -> QRectF:
    """Write the name of a strip under a lane at its right, unless it would overlap `taken`.

    If it would touch the name of the strip `above`, it is written left of that. Returns its place,
    empty if it is not written.
    """
    middle = frame.top + track.top + track.height / 2
    wide = text_width(fonts.small, text)
    left = frame.left - 8 - wide
    place = QRectF(left, middle - DETAIL / 2, wide, DETAIL)
    if above is not None and above.intersects(place):
        place.moveRight(above.left() - 8)
    if place.left() < 0:
        return QRectF()
    letters = place.adjusted(0, AIR, 0, -AIR)
    if taken is not None and taken.intersects(letters):
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
    name = row.name
    if line.place != under:
        name = f"{line.place} · {name}"
    least, most = line.limits
    limits = tr("{least} to {most}", least=number_text(least), most=number_text(most))
    half = place.height() / 2
    for number, text in enumerate((name, limits)):
        top = place.top() + number * half
        rect = QRectF(indent, top, wide, half)
        shown = elided_name(text, 0, wide, width)
        write(painter, fonts.small, frame.theme.muted, rect, shown, RIGHT)


def _line(painter: QPainter, font: QFont, rect: QRectF, text: str) -> None:
    """Write a line of text that ends with an ellipsis if it does not fit."""
    painter.setFont(font)
    shown = elided(painter, text, rect.width())
    painter.drawText(rect, LEFT, shown)
