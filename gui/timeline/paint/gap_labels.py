"""Labels in idle gaps, where there is room: the task that the lane waits for, and for how long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor

from core.explain.blockers import WAITS_FOR_PASS, BlockerWaits
from core.explain.causes import ACTIONS, CAUSES, Cause, action_template
from core.plan.task import ABSENT, KINDS
from gui.look.text import duration_text, tr
from gui.timeline.layout.fonts import Fonts, text_width
from gui.timeline.layout.frame import Frame, Track, Viewport
from gui.timeline.paint.canvas import Canvas
from gui.timeline.reduce.reduction import within
from gui.timeline.state.explained import ExplainedStep
from gui.timeline.state.scene import Scene

STEP_PIXELS = 100.0  # narrower steps have no gap with room for a label
LEAST = 22.0  # pixels of the narrowest gap with a label
LOW = 14.0  # lower tracks have no labels
PADDING = 2.0  # free pixels left and right of a label, and of the background under it
LINE_HEIGHT = 13.0
MOST_LINES = 3
MORE = "…"  # ends a label without a duration if the wait is only a part of the idle time
SEPARATOR = "·"


class Room(NamedTuple):
    """A gap, or a part of it, that may have room for a label; `wait` is its index in the waits."""

    wait: int
    gap: int
    rect: QRectF


def steps_to_explain(scene: Scene, view: Viewport, least: float = STEP_PIXELS) -> list[int]:
    """Return the visible steps of at least `least` pixels that are explained or quick to explain.

    The open step is not among them.
    """
    seen = within(scene.step_starts, scene.step_ends, view.start, view.end)
    lengths = scene.step_ends[seen] - scene.step_starts[seen]
    is_wide = lengths >= least * view.ns_per_pixel
    wide = scene.step_numbers[seen][is_wide]
    # The open step would have to be explained again with each batch of spans.
    steps = [step for step in wide.tolist() if step != scene.open_step]
    return [step for step in steps if scene.explained.at_hand(step)]


class StepLabels(NamedTuple):
    """Labels for the waits of an explained step."""

    scene: Scene
    step: int
    known: ExplainedStep

    def texts(self, waits: BlockerWaits, wait: int) -> list[str]:
        """Return texts for a wait, longest first: `waits for cpu:3 · B0 · 7.6 ms` to `cpu:3`."""
        length = int(waits.end[wait] - waits.start[wait])
        waited = int(waits.waited[wait])
        duration = duration_text(waited, like=length)
        more = ""
        if waited < length:
            duration = tr("{part} of {whole}", part=duration, whole=duration_text(length))
            more = MORE
        cause = CAUSES[waits.cause[wait]]
        blocking = int(waits.blocking[wait])
        if blocking == ABSENT:
            label = tr(cause.label)
            return [_joined(label, duration), label + more]
        lane = self._lane_name(blocking)
        if cause in ACTIONS:
            action = self._action(cause, blocking)
            count = int(waits.count[wait])
            copies = tr("{n} copies", n=count) if count > 1 else ""
            return [
                _joined(action, copies, duration),
                _joined(action, duration),
                action + more,
            ]
        task = self._task_label(blocking)
        if cause in WAITS_FOR_PASS:
            waits_for = tr("waits for {lane}", lane=lane)
            return [
                _joined(waits_for, task, duration),
                _joined(waits_for, duration),
                _joined(lane, duration),
                waits_for + more,
                lane + more,
            ]
        label = tr(cause.label)
        return [
            _joined(label, task, duration),
            _joined(label, duration),
            label + more,
        ]

    def subjects(self, waits: BlockerWaits, wait: int) -> list[str]:
        """Return texts for a wait without its length: `waits for cpu:3 · B0`, `waits for cpu:3`."""
        cause = CAUSES[waits.cause[wait]]
        blocking = int(waits.blocking[wait])
        if blocking == ABSENT:
            return [tr(cause.label)]
        if cause in ACTIONS:
            return [self._action(cause, blocking)]
        task = self._task_label(blocking)
        label = tr(cause.label)
        if cause in WAITS_FOR_PASS:
            lane = self._lane_name(blocking)
            label = tr("waits for {lane}", lane=lane)
        return [_joined(label, task), label]

    def _lane_name(self, position: int) -> str:
        """Return the name of a task's lane; `position` is the task's index in the step."""
        explanation = self.known.explanation
        lane = explanation.lanes[explanation.columns.lane[position]]
        name: str = lane.name
        return name

    def _action(self, cause: Cause, position: int) -> str:
        """Return the text for a wait whose cause is the action of a task of the step."""
        code = self.known.explanation.columns.kind[position]
        template = action_template(cause, KINDS[code])
        return tr(template, lane=self._lane_name(position))

    def _task_label(self, position: int) -> str:
        """Return the text on a task's bar; "" while the task runs."""
        labels = self.known.task_labels
        if position not in labels:
            task = int(self.known.explanation.columns.task[position])
            span = self.scene.trace.find(self.step, task)
            labels[position] = "" if span is None else span.label
        return labels[position]


def draw_gap_labels(canvas: Canvas, scene: Scene) -> None:
    """Label the gaps of explained steps, where there is room."""
    frame = canvas.frame
    tracks = {}
    for track in frame.visible_tracks:
        if not track.helper and track.height >= LOW:
            tracks[track.lane] = track
    canvas.painter.setFont(canvas.fonts.small)
    for step in steps_to_explain(scene, frame.view):
        known = scene.explained.known(step)
        if known is not None:
            labels = StepLabels(scene, step, known)
            _draw_step(canvas, tracks, labels)


def _draw_step(canvas: Canvas, tracks: Mapping[int, Track], labels: StepLabels) -> None:
    frame = canvas.frame
    # Two passes: in one gap a lane may wait for several others, each too briefly for a label. Then
    # the whole gap is labelled with its longest wait.
    labelled: set[int] = set()
    waits = labels.known.waits
    main_waits = labels.known.main_waits
    for room in _rooms(waits, frame, tracks):
        texts = labels.texts(waits, room.wait)
        if _draw_label(canvas, room.rect, texts):
            labelled.add(room.gap)
    for room in _rooms(main_waits, frame, tracks):
        if room.gap not in labelled:
            texts = labels.texts(main_waits, room.wait)
            _draw_label(canvas, room.rect, texts)


def _rooms(waits: BlockerWaits, frame: Frame, tracks: Mapping[int, Track]) -> Iterator[Room]:
    """Yield the visible parts of waits that may have room for a label."""
    view = frame.view
    start = np.maximum(waits.start, view.start)
    end = np.minimum(waits.end, view.end)
    least_ns = LEAST * view.ns_per_pixel
    wide = np.flatnonzero(end - start >= least_ns)
    # Waits are sorted by lane, and lane n has those from lane_first[n] on.
    lanes = np.searchsorted(waits.lane_first, wide, "right") - 1
    for wait, lane in zip(wide.tolist(), lanes.tolist(), strict=True):
        track = tracks.get(lane)
        if track is not None:
            left = view.x(float(start[wait]))
            right = view.x(float(end[wait]))
            top = frame.top + track.top
            rect = QRectF(frame.left + left, top, right - left, track.height)
            gap = int(waits.gap[wait])
            yield Room(wait, gap, rect)


def _joined(*parts: str) -> str:
    return f" {SEPARATOR} ".join(part for part in parts if part)


def _draw_label(canvas: Canvas, room: QRectF, texts: list[str]) -> bool:
    """Draw the longest text that fits, on an unhatched background; return False if none fits."""
    painter = canvas.painter
    room_width = room.width() - 4 * PADDING
    room_lines = int(room.height() // LINE_HEIGHT)
    most_lines = max(1, min(MOST_LINES, room_lines))
    lines = fitting_lines(texts, canvas.fonts, room_width, most_lines)
    if not lines:
        return False
    widest = max(canvas.small_width(line) for line in lines)
    width = round(widest + 2 * PADDING)
    height = min(room.height(), LINE_HEIGHT * len(lines))
    ground = QRectF(0, 0, width, height)
    ground.moveCenter(room.center())
    canvas.fill(ground, canvas.theme.plot)
    painter.setPen(QColor(canvas.theme.muted))
    painter.drawText(ground, Qt.AlignmentFlag.AlignCenter, "\n".join(lines))
    return True


def fitting_lines(texts: list[str], fonts: Fonts, width: float, most: int) -> list[str]:
    """Return the first text that fits into `most` lines of `width` pixels; [] if none does."""
    for text in texts:
        lines = label_lines(text, fonts, width)
        if 0 < len(lines) <= most:
            return lines
    return []


def label_lines(text: str, fonts: Fonts, width: float) -> list[str]:
    """Break a text at spaces into the fewest lines of at most `width` pixels.

    Separators at the ends of lines are left out. Returns [] if a word is wider than a line.
    """
    lines: list[str] = []
    for word in text.split(" "):
        if text_width(fonts.small, word) > width:
            return []
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(fonts.small, longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    trimmed = [line.strip(f" {SEPARATOR}") for line in lines]
    return [line for line in trimmed if line]
