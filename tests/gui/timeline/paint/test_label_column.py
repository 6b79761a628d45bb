"""Labels of lanes are redrawn when they change, and only then."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtGui import QFont, QImage, QPainter

from gui.look.theme import DARK, LIGHT
from gui.timeline.layout.fonts import Fonts
from gui.timeline.layout.frame import LABELS, Frame, Viewport
from gui.timeline.layout.groups import Strips
from gui.timeline.layout.stacking import lay_out
from gui.timeline.paint import label_column
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.label_column import LabelColumn
from gui.timeline.paint.margins import draw_labels
from gui.timeline.state.scene import Scene
from tests.make_believe import specification, trace_of


class Column:
    """A column of labels over a scene, with the number of times that its text was drawn."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.scene = Scene(trace_of(specification(steps=2)))
        self.layout = lay_out(self.scene.trace.header.lanes, 300, Strips(memory=True))
        self.frame = Frame(Viewport(0, 1e9, 400), self.layout, LABELS, 20, LIGHT)
        self.labels, self.count = LabelColumn(), 0

        def counted(*given: object) -> None:
            self.count += 1
            draw_labels(*given)

        monkeypatch.setattr(label_column, "draw_labels", counted)

    def image(self, draw: Callable[..., None] | None = None) -> QImage:
        image = QImage(600, 320, QImage.Format.Format_RGB32)
        image.fill(self.frame.theme.plot)
        with QPainter(image) as painter:
            canvas = Canvas.on(painter, self.frame, Fonts.of(QFont()))
            (draw or self.labels.draw)(canvas, self.scene)
        return image


@pytest.fixture
def column(qapp: object, monkeypatch: pytest.MonkeyPatch) -> Column:
    return Column(monkeypatch)


def test_labels_look_as_if_they_were_drawn_uncached(column: Column) -> None:
    assert column.image() == column.image(draw_labels)
    assert column.image() == column.image(draw_labels)


def test_panning_and_zooming_draw_no_label(column: Column) -> None:
    for start in range(5):
        column.frame = replace(column.frame, view=Viewport(start, 1e8 / (1 + start), 400))
        column.image()
    assert column.count == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda c: setattr(
            c.scene, "facts", [replace(facts, idle="idle 99 %") for facts in c.scene.facts]
        ),
        lambda c: setattr(c, "frame", replace(c.frame, theme=DARK)),
        lambda c: setattr(c, "frame", replace(c.frame, top=10)),
        lambda c: setattr(c, "frame", replace(c.frame, layout=replace(c.layout, memory=()))),
    ],
)
def test_changed_labels_are_redrawn(column: Column, change: Callable[[Column], None]) -> None:
    before = column.image()
    change(column)
    after = column.image()
    assert column.count == 2
    assert after != before
    assert after == column.image(draw_labels)


def test_two_parts_of_a_picture_cache_their_labels_separately(column: Column) -> None:
    whole = column.frame
    for _ in range(3):
        for ceiling in (20.0, 80.0):
            column.frame = replace(whole, ceiling=ceiling)
            column.image()
    assert column.count == 2
