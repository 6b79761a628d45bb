"""The timeline's widget as a picture: everything but selection and hover, then these."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from core.trace.trace import Span
from gui.timeline.layout.frame import AXIS, LABELS, STEPS, Fonts, Frame
from gui.timeline.paint.arrows import draw_arrows, draw_dependencies
from gui.timeline.paint.critical import draw_critical
from gui.timeline.paint.folds import draw_folds
from gui.timeline.paint.label_column import LabelColumn
from gui.timeline.paint.margins import draw_axis, draw_steps
from gui.timeline.paint.nested import draw_block_numbers
from gui.timeline.paint.overlay import draw_card, draw_selection
from gui.timeline.paint.painter import LanePainter
from gui.timeline.paint.reasons import draw_reasons
from gui.timeline.paint.strips import draw_strips
from gui.timeline.paint.summaries import draw_groups
from gui.timeline.state.scene import Scene
from gui.timeline.state.selection import Selection, TimeRange

Hovered = tuple[QPointF, str, list[str]]


def draw_scene(
    painter: QPainter, scene: Scene, frame: Frame, fonts: Fonts, area: QRectF, labels: LabelColumn
) -> float:
    """Draw axis, labels, lanes and strips; returns the spans a pixel of the densest lane."""
    bottom = min(area.bottom(), frame.top + frame.layout.height)
    draw_axis(painter, frame, fonts, bottom)
    draw_steps(painter, scene, frame, fonts, AXIS, bottom)
    parts = frame.layers()
    per_pixel = max(_draw_rows(painter, scene, part, fonts, area, labels) for part in parts)
    draw_groups(painter, scene, frame)
    painter.setClipping(False)
    draw_folds(painter, scene, frame, fonts, AXIS, bottom)
    return per_pixel


def _draw_rows(
    painter: QPainter, scene: Scene, frame: Frame, fonts: Fonts, area: QRectF, labels: LabelColumn
) -> float:
    body = QRectF(0, frame.ceiling, area.width(), min(area.bottom(), frame.floor) - frame.ceiling)
    painter.setClipRect(body)
    labels.draw(painter, scene, frame, fonts)
    painter.setClipRect(QRectF(LABELS, body.top(), frame.view.width, body.height()))
    draw_strips(painter, scene, frame)
    per_pixel = LanePainter(painter, scene, frame, fonts).draw()
    draw_block_numbers(painter, scene, frame, fonts)
    if frame.critical:
        draw_critical(painter, scene, frame)
    draw_reasons(painter, scene, frame, fonts)
    if frame.arrows:
        draw_dependencies(painter, scene, frame, fonts)
    return per_pixel


def draw_over(
    painter: QPainter, scene: Scene, frame: Frame, fonts: Fonts, area: QRectF,
    selection: Selection | None, hovered: Hovered | None,
) -> None:  # fmt: skip
    """Draw what is selected, and the card beside the pointer."""
    bottom = min(area.bottom(), frame.top + frame.layout.height)
    if selection is not None:
        painter.setClipRect(
            QRectF(LABELS - 2, AXIS + STEPS - 2, frame.view.width + 4, area.height())
        )
        if isinstance(selection, Span):
            draw_arrows(painter, frame, selection, scene.neighbours_of(selection))
        if not isinstance(selection, TimeRange) and selection.lane not in frame.layout.pins:
            below = QRectF(0, frame.ceiling + frame.layout.band - 2, area.width(), area.height())
            painter.setClipRect(below, Qt.ClipOperation.IntersectClip)
        draw_selection(painter, scene.trace, frame, fonts, selection, bottom)
        painter.setClipping(False)
    if hovered is not None:
        at, title, lines = hovered
        draw_card(painter, frame.theme, fonts, at, area, title, lines)
