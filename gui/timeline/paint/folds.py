"""Draws folded time: torn edges, and a text."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPolygonF

from gui.look.painter import saved
from gui.look.text import duration_text, tr
from gui.look.writing import CENTRE
from gui.timeline.paint.canvas import Canvas
from gui.timeline.state.scene import Scene

TOOTH = 4.0  # width of a tooth of a torn edge; the height is twice that
LEAST = 6.0  # pixels; narrower folds have no torn edges
LINE = 16.0  # height of the text


def draw_folds(canvas: Canvas, scene: Scene, top: float, bottom: float) -> None:
    """Draw the folds of the visible time from `top` to `bottom`, with texts if there is room."""
    painter = canvas.painter
    frame = canvas.frame
    left = frame.left
    right = frame.right
    for start, end in frame.view.folds.gaps:
        x0 = frame.x(start)
        x1 = frame.x(end)
        if x1 <= left or x0 >= right:
            continue
        visible_left = max(x0, left)
        visible_right = min(x1, right)
        place = QRectF(visible_left, top, visible_right - visible_left, bottom - top)
        canvas.fill(place, frame.theme.plot)
        canvas.pen(frame.theme.muted)
        for x in (x0, x1):
            if left <= x <= right and x1 - x0 >= LEAST:
                painter.drawPolyline(_torn(x, top, bottom))
        _write(canvas, place, fold_texts(scene, start, end))


def fold_texts(scene: Scene, start: float, end: float) -> list[str]:
    """Return texts for a fold, longest first: `measuring costs, 3.2 s`, `3.2 s`."""
    length = duration_text(end - start)
    edges = [round(start), round(end)]
    first, following = scene.step_starts.searchsorted(edges).tolist()
    count = len(scene.step_starts)
    if first < count and scene.step_starts[first] == start:
        return [tr("warm-up, {time}", time=length), length]
    warmup = scene.trace.header.specification.warmup
    ends_at_first = following < count and scene.step_numbers[following] == warmup
    if ends_at_first and scene.trace.costs is not None:
        return [
            tr("measuring costs, {time}", time=length),
            tr("costs, {time}", time=length),
            length,
        ]
    return [tr("between steps, {time}", time=length), length]


def _torn(x: float, top: float, bottom: float) -> QPolygonF:
    height = bottom - top
    count = max(2, round(height / (2 * TOOTH)))
    step = height / count
    side = TOOTH / 2
    corners = []
    for number in range(count + 1):
        corners.append(QPointF(x + side, top + number * step))
        side = -side
    return QPolygonF(corners)


def _first_that_fits(canvas: Canvas, texts: list[str], room: float) -> str | None:
    for text in texts:
        if canvas.small_width(text) <= room:
            return text
    return None


def _write(canvas: Canvas, place: QRectF, texts: list[str]) -> None:
    """Write the longest text that fits between the edges; if none does, write it vertically."""
    painter = canvas.painter
    room = place.width() - 4 * TOOTH
    text = _first_that_fits(canvas, texts, room)
    if text is not None:
        canvas.small(place, text, CENTRE)
        return
    if room < LINE - 2 * TOOTH:
        return
    height = place.height()
    text = _first_that_fits(canvas, texts, height - 2 * TOOTH)
    if text is None:
        return
    with saved(painter):
        painter.translate(place.center())
        painter.rotate(-90)
        lying = QRectF(-height / 2, -LINE / 2, height, LINE)
        canvas.small(lying, text, CENTRE)
