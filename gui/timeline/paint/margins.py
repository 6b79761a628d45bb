"""Draws the surroundings of the lanes: time axis, steps, labels of lanes, headings of groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QPolygonF

from gui.look.painter import filling, smoothed
from gui.look.text import duration_text, ntr, number_text, tr
from gui.look.writing import CENTRE, RIGHT, elided_name
from gui.timeline.layout.axis import ticks, unit_of
from gui.timeline.layout.fonts import Fonts, text_width
from gui.timeline.layout.frame import AXIS, LABELS, STEPS, Frame, Track
from gui.timeline.layout.groups import Section
from gui.timeline.layout.moments import moment_text
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.pixels import draw_uprights
from gui.timeline.reduce.reduction import within
from gui.timeline.state.lane_facts import LaneFacts, row_name
from gui.timeline.state.scene import Scene, step_name

NARROW = 24.0  # pixels; narrower steps have no room for a name
INDENT = 14.0
NAME = 16.0  # height of a lane's name
DETAIL = 14.0  # height of each line below the name
AIR = 3.0  # free pixels above and below the letters of a line
PIN = 3.0  # width of the stripe that marks a pinned lane

POINTING_RIGHT = (
    QPointF(-2, -4),
    QPointF(3, 0),
    QPointF(-2, 4),
)
POINTING_DOWN = (
    QPointF(-4, -2),
    QPointF(4, -2),
    QPointF(0, 3),
)


def draw_axis(canvas: Canvas, bottom: float, top: float = 0.0) -> None:
    """Draw the axis's title and numbers at `top`, and grid lines from there to `bottom`."""
    frame = canvas.frame
    height = AXIS - 4
    _, unit = unit_of(frame.view)
    left = frame.left - LABELS + INDENT
    width = LABELS - INDENT - 10
    title = canvas.small_elided(frame.origin.title(unit), width)
    place = QRectF(left, top, width, height)
    canvas.small(place, title)
    for tick in ticks(frame.view, frame.origin):
        x = frame.left + tick.x
        canvas.pen(frame.theme.grid)
        canvas.upright(x, top + height, bottom)
        width = canvas.small_width(tick.number)
        left = frame.centred(x, width)
        place = QRectF(left, top, width + 2, height)
        canvas.small(place, tick.number)


def time_tag(frame: Frame, fonts: Fonts, time_ns: float) -> tuple[str, QRectF]:
    """Return the text for a time on the axis, and the rectangle of its tag."""
    view = frame.view
    unit = unit_of(view)
    text = moment_text(time_ns, frame.origin, view.ns_per_pixel, unit)
    width = text_width(fonts.small, text) + 12
    left = frame.centred(frame.x(time_ns), width)
    return text, QRectF(left, 2, width, AXIS - 5)


def draw_steps(canvas: Canvas, scene: Scene, top: float, bottom: float) -> None:
    """Draw lines where steps begin and end, with name and makespan if there is room.

    Nothing is drawn if the steps are very narrow.
    """
    frame = canvas.frame
    view = frame.view
    warmup = scene.trace.header.specification.warmup
    seen = within(scene.step_starts, scene.step_ends, view.start, view.end)
    # With less than 12 pixels per step, there would be only lines, without names.
    if seen.stop - seen.start > view.width / 12:
        return
    numbers = scene.step_numbers[seen].tolist()
    starts = scene.step_starts[seen].tolist()
    ends = scene.step_ends[seen].tolist()
    # A set, because most steps begin where the previous one ends.
    edges: set[float] = set()
    canvas.painter.setFont(canvas.fonts.small)
    canvas.pen(canvas.theme.muted)
    # Steps of several ranks may overlap; their names must not.
    free_from = frame.left
    for number, start, end in zip(numbers, starts, ends, strict=True):
        left = frame.x(start)
        right = frame.x(end)
        edges.add(left)
        edges.add(right)
        visible_left = max(left, frame.left)
        visible_width = min(right, frame.right) - visible_left
        if visible_width < NARROW:
            continue
        makespan_ns = end - start
        is_last = number == scene.step_numbers[-1]
        if is_last and frame.now is not None:
            makespan_ns = None  # the step is unfinished
        place = QRectF(visible_left, top, visible_width, STEPS)
        labels = step_labels(number, warmup, makespan_ns)
        free_from = _write_first(canvas, labels, place, free_from)
    _draw_step_edges(canvas, sorted(edges), top, bottom)


def _write_first(canvas: Canvas, labels: Sequence[str], place: QRectF, free_from: float) -> float:
    """Write the first label that fits at the middle of a place, and begins at `free_from` or later.

    Returns the first pixel at which the next label may begin.
    """
    room = place.width() - 6
    for label in labels:
        width = canvas.small_width(label)
        left = place.center().x() - width / 2
        if width < room and left >= free_from:
            canvas.painter.drawText(place, CENTRE, label)
            return left + width + 6
    return free_from


def _draw_step_edges(canvas: Canvas, xs: Sequence[float], top: float, bottom: float) -> None:
    """Draw a vertical line at each of the sorted `xs` that is in the plot."""
    frame = canvas.frame
    colour = canvas.theme.line
    shown = [x for x in xs if frame.left <= x <= frame.right]
    if frame.vector:
        lines = [QLineF(x, top, x, bottom) for x in shown]
        canvas.pen(colour)
        canvas.painter.drawLines(lines)
        return
    height = bottom - top
    place = QRectF(frame.left, top, frame.view.width + 1, height)
    from_left = np.array(shown) - frame.left
    draw_uprights(canvas.painter, from_left, place, colour)


def step_labels(number: int, warmup: int, makespan_ns: float | None) -> tuple[str, ...]:
    """Return the labels for a step, longest first: the second one leaves out the makespan.

    If the makespan is None, there is only the step's name.
    """
    name = step_name(number, warmup)
    if makespan_ns is None:
        return (name,)
    duration = duration_text(makespan_ns)
    return f"{name} · {duration}", name


def draw_labels(canvas: Canvas, scene: Scene, indent: float = INDENT) -> None:
    """Draw each lane's name, place, idle time and memory, from the pixel `indent` on.

    Strips under a lane are named if there is room.
    """
    frame = canvas.frame
    lanes = scene.trace.header.lanes
    taken = {}
    tracks = frame.visible_tracks
    strips: list[tuple[Track, str]] = []
    for track in tracks:
        if track.helper:
            text = row_name(lanes[track.lane], lanes)
            strips.append((track, text))
        else:
            taken[track.lane] = _lane_label(canvas, scene, track, indent)
    for track in frame.visible(frame.layout.predictions):
        name = scene.facts[track.lane].name
        text = scene.prediction_texts.get(name, tr("predicted"))
        strips.append((track, text))
    for track in frame.visible(frame.layout.memory):
        text = scene.facts[track.lane].peak or tr("memory")
        strips.append((track, text))
    strips.sort(key=lambda strip: strip[0].top)
    above: QRectF | None = None
    for track, text in strips:
        served = lanes[track.lane].serves
        label = taken.get(served)
        above = _strip_label(canvas, track, text, label, above)
    for row in frame.visible(frame.layout.counters):
        _counter_label(canvas, scene, row, indent)


def draw_headings(canvas: Canvas, scene: Scene, indent: float = INDENT) -> None:
    """Draw each group's heading, above its lanes."""
    for group in canvas.frame.layout.groups:
        if group.height > 0:
            _heading(canvas, scene, group, indent)


def heading_text(scene: Scene, group: Section) -> str:
    """Return a group's name, number of lanes and shared resources, each once.

    For example `node 3  ·  8 lanes` or `2 lanes share cuda:0`.
    """
    if group.is_call_stack:
        return group.name
    device = group.lanes[0].device
    is_device = group.name == device
    cores = cores_text(scene, device) if is_device else ""
    count = "" if group.sharing else lanes_text(len(group.lanes))
    name = "" if is_device and device in group.sharing else group.name
    parts = (name, group.sharing, count, cores)
    return "  ·  ".join(filter(None, parts))


def lanes_text(count: int) -> str:
    """Return a number of lanes: `1,024 lanes`."""
    return ntr("{n:,} lane", "{n:,} lanes", count)


def _heading(canvas: Canvas, scene: Scene, group: Section, indent: float) -> None:
    """Draw a group's heading over the whole width, or left of the plot while it is folded."""
    frame = canvas.frame
    end = frame.right
    if group.folded:
        end = frame.left - 8
    height = group.height
    if not group.folded and not group.is_call_stack:
        height -= 4
    top = frame.top + group.top
    rect = QRectF(indent, top, end - indent, height)
    heading = heading_text(scene, group)
    shortened = elided_name(heading, 0, rect.width(), canvas.small_width)
    _write_small(canvas, rect, shortened)
    if not frame.vector:
        middle = QPointF(indent - 7, rect.center().y())
        _triangle(canvas, middle, group.folded)


def _triangle(canvas: Canvas, at: QPointF, folded: bool) -> None:
    """Draw the triangle that folds and opens a group; it points to the right while folded."""
    painter = canvas.painter
    corners = POINTING_RIGHT if folded else POINTING_DOWN
    triangle = QPolygonF(corners).translated(at)
    with smoothed(painter), filling(painter, canvas.theme.muted):
        painter.drawPolygon(triangle)


def cores_text(scene: Scene, device: str) -> str:
    """Return the number of cores that each lane of a device uses; "" for a GPU."""
    lanes = scene.trace.header.lanes
    cores = next(lane.cores for lane in lanes if lane.device == device)
    if not cores:
        return ""
    return ntr("{n} core per lane", "{n} cores per lane", cores)


def _lane_label(canvas: Canvas, scene: Scene, track: Track, indent: float) -> QRectF:
    """Draw a lane's label, and return the rectangle of its last line."""
    frame = canvas.frame
    facts = scene.facts[track.lane]
    layout = frame.layout
    track_top = frame.top + track.top
    room = layout.full_heights[track.lane]
    if track.lane in layout.pins:
        stripe = QRectF(2, track_top, PIN, room)
        canvas.fill(stripe, frame.theme.accent)
    # Counters have their own labels.
    for row in layout.counters:
        if row.lane == track.lane:
            to_counter = row.top - track.top
            room = min(room, to_counter)
    details = _details(facts, track.height, room, bool(layout.memory))
    heights = NAME + DETAIL * len(details)
    above = max(0.0, (track.height - heights) / 2)
    y = track_top + above
    wide = frame.left - indent - 10
    name = elided_name(facts.name, facts.shared, wide, canvas.bold_width)
    first_line = QRectF(indent, y, wide, NAME)
    canvas.bold(first_line, canvas.bold_elided(name, wide))
    name_width = canvas.bold_width(name) + 7
    place = facts.place
    if not details and facts.idle:
        # Without a line below, the idle time is more important next to the name.
        place = facts.idle
    next_to_name = QRectF(indent + name_width, y, wide - name_width, NAME)
    _write_small(canvas, next_to_name, place)
    for number, text in enumerate(details):
        top = y + NAME + DETAIL * number
        rect = QRectF(indent, top, wide, DETAIL)
        _write_small(canvas, rect, text)
    width = wide
    if details:
        width = min(wide, canvas.small_width(details[-1]))
    last_top = y + heights - DETAIL
    return QRectF(indent, last_top, width + 4, DETAIL)


def _details(facts: LaneFacts, height: float, room: float, has_memory: bool) -> list[str]:
    """Return the lines below a lane's name.

    The lane's track has `height` pixels; name and lines have `room` pixels. The peak of memory is
    left out if there are memory strips.
    """
    details = []
    first = " · ".join(filter(None, (facts.other_place, facts.idle)))
    if first:
        details.append(first)
    if facts.peak and not has_memory:
        details.append(facts.peak)
    with_blocks = len(details) + 1
    if facts.blocks and height >= NAME + DETAIL * with_blocks:
        details.insert(0, facts.blocks)
    if room < NAME + DETAIL:
        return []
    # If there is not enough room for separate lines, all details share one.
    if room < NAME + DETAIL * len(details):
        return ["  ".join(details)]
    return details


def _strip_label(
    canvas: Canvas,
    track: Track,
    text: str,
    taken: QRectF | None,
    above: QRectF | None,
) -> QRectF:
    """Write a strip's name, right-aligned, unless it would overlap the lane's label (`taken`).

    If it would overlap the name of the previous strip (`above`), it is written left of that name.
    Returns the rectangle of the name, empty if it is not written.
    """
    frame = canvas.frame
    middle = frame.top + track.top + track.height / 2
    wide = canvas.small_width(text)
    left = frame.left - 8 - wide
    place = QRectF(left, middle - DETAIL / 2, wide, DETAIL)
    if above is not None and above.intersects(place):
        place.moveRight(above.left() - 8)
    if place.left() < 0:
        return QRectF()
    letters = place.adjusted(0, AIR, 0, -AIR)
    if taken is not None and taken.intersects(letters):
        return QRectF()
    top = middle - NAME / 2
    whole = QRectF(place.left(), top, wide + 1, NAME)
    canvas.small(whole, text, RIGHT)
    return place


def _counter_label(canvas: Canvas, scene: Scene, row: Track, indent: float) -> None:
    """Write a counter's name, and below it the limits of its row."""
    frame = canvas.frame
    line = scene.counters[row.name]
    place = frame.place(row)
    wide = frame.left - 8 - indent
    # A counter is under a lane of its process. If the process has no lane, its name is added.
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
        shown = elided_name(text, 0, wide, canvas.small_width)
        canvas.small(rect, shown, RIGHT)


def _write_small(canvas: Canvas, rect: QRectF, text: str) -> None:
    """Write a line in the small font, cut with an ellipsis if it does not fit."""
    canvas.small(rect, canvas.small_elided(text, rect.width()))
