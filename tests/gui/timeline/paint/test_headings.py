"""Headings of groups and names of steps: nothing covers them, and each is shown once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFont
from pytestqt.qtbot import QtBot

from core.recording.recording import open_recording
from gui.look.theme import LIGHT
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.fonts import Fonts
from gui.timeline.layout.frame import LABELS, Frame, Viewport
from gui.timeline.layout.stacking import lay_out
from gui.timeline.paint import margins
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.margins import draw_steps, heading_text
from gui.timeline.state.scene import Scene
from tests.make_believe import MS, specification, trace_of

SHARED = Path(__file__).parents[3] / "fixtures" / "gpu-tp.arrow"
"""A run of two lanes on one GPU; its steps are far apart, so the time between them is folded."""


@pytest.fixture
def view(qtbot: QtBot) -> TimelineView:
    made = TimelineView()
    qtbot.addWidget(made)
    made.resize(800, 300)
    made.show()
    made.state.show_scene(Scene(open_recording(SHARED).trace))
    return made


def test_a_fold_of_time_does_not_cover_a_heading(
    view: TimelineView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(margins, "heading_text", lambda *_: "\u2588" * 60)
    frame = view.state.frame
    start, end = frame.view.folds.gaps[-1]
    view.navigator.fit_between((start + end) / 2, end)
    frame = view.state.frame
    group = frame.layout.groups[0]
    image = view.viewport().grab().toImage()
    y = int(frame.top + group.top + group.height / 2)
    assert frame.x(end) > frame.left + 20
    assert image.pixelColor(int(frame.left) + 12, y) == QColor(frame.theme.muted)


def test_the_heading_of_a_shared_device_has_its_name_once(view: TimelineView) -> None:
    group = view.state.frame.layout.groups[0]
    assert heading_text(view.state.scene, group) == "2 lanes share cuda:0"


class Texts:
    """A painter that stores the places of texts and draws nothing."""

    def __init__(self) -> None:
        self.places: dict[str, float] = {}

    def drawText(self, place: QRectF, flags: object, text: str) -> None:
        self.places[text] = place.center().x()

    def setFont(self, font: QFont) -> None:
        pass

    def setPen(self, pen: object) -> None:
        pass

    def drawLines(self, lines: object) -> None:
        pass


def test_names_of_steps_that_overlap_in_time_do_not_overlap(qapp: object) -> None:
    scene = Scene(trace_of(specification(steps=3, warmup=0)))
    scene.step_starts = np.array([0, 10, 50]) * MS
    scene.step_ends = np.array([20, 24, 90]) * MS
    layout = lay_out(scene.trace.header.lanes, 300)
    view = Viewport(0, 100 * MS, 800)
    painter = Texts()
    frame = Frame(view, layout, LABELS, 20, LIGHT, vector=True)
    draw_steps(Canvas.on(painter, frame, Fonts.of(QFont())), scene, 0, 300)
    names = list(painter.places)
    assert len(names) == 2 and names[0].startswith("step 1") and names[1].startswith("step 3")
