"""The strip of small steps: a cell for each, a mark for the one on screen, clicks and drags."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from gui.features.steps.bars import step_bars
from gui.features.steps.feature import StepsFeature
from gui.features.steps.strip import EDGE, NAME, StepStrip
from gui.look.theme import LIGHT
from gui.timeline.state.scene import Scene
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.window.test_window import perform
from tests.make_believe import specification, trace_of


def strip_of(qtbot: object, steps: int, width: int = 800) -> StepStrip:
    """Return a strip, in view, of a run with one warm-up step."""
    scene = Scene(trace_of(specification(steps=steps, warmup=1)))
    strip = StepStrip()
    qtbot.addWidget(strip)
    strip.resize(width, strip.height())
    strip.show()
    strip.show_steps(scene, step_bars(scene, live=False))
    return strip


def middle(strip: StepStrip, place: int) -> QPoint:
    return strip.cell(place).center().toPoint()


def test_every_step_has_a_cell_and_the_described_step_is_marked(qtbot: object) -> None:
    strip = strip_of(qtbot, steps=4)
    assert strip.count == 5
    assert [strip.place_at(middle(strip, place).x()) for place in range(5)] == [0, 1, 2, 3, 4]
    assert strip.place_at(strip.width() + 1) is None
    scene = strip._scene
    assert strip.marked == scene.step_numbers.tolist().index(scene.described)
    before = strip.marked
    scene.chosen_step = 4
    strip.mark()
    assert strip.marked == 4 != before
    image = strip.grab().toImage()
    left = round(strip.cell(4).left())
    assert QColor(LIGHT.accent) in [image.pixelColor(x, 5) for x in range(left, left + 4)]


def test_a_picture_is_as_long_as_its_step(qtbot: object) -> None:
    strip = strip_of(qtbot, steps=3)
    bars = strip._bars
    bars.ends[1] = bars.starts[1] + (bars.ends[2] - bars.starts[2]) // 2
    strip.show_steps(strip._scene, bars)
    image = strip.grab().toImage()
    y = round(strip.height() - EDGE) - 1
    plot = QColor(LIGHT.plot)
    for place, is_half in ((1, True), (2, False)):
        x = round(strip.cell(place).left() + 0.7 * strip.cell(place).width())
        column = {image.pixelColor(x, row).name() for row in range(round(NAME + EDGE), y)}
        is_empty = column in ({plot.name()}, {QColor(LIGHT.tint).name()})
        assert is_empty is is_half


def test_a_drag_chooses_each_step_once(qtbot: object) -> None:
    strip = strip_of(qtbot, steps=4)
    chosen: list[int] = []
    strip.chosen.connect(chosen.append)
    QTest.mousePress(strip, Qt.MouseButton.LeftButton, pos=middle(strip, 1))
    for place in (1, 2, 2, 3, 2):
        QTest.mouseMove(strip, middle(strip, place))
    QTest.mouseRelease(strip, Qt.MouseButton.LeftButton, pos=middle(strip, 2))
    assert chosen == [1, 2, 3, 2]


def test_only_steps_around_the_described_one_are_shown_if_there_are_many(qtbot: object) -> None:
    strip = strip_of(qtbot, steps=40, width=500)
    scene = strip._scene
    for step in (20, 0, 40):
        scene.chosen_step = step
        strip.mark()
        cell = strip.cell(strip.marked)
        assert cell.left() >= 0 and cell.right() <= strip.width()
        assert strip.place_at(cell.center().x()) == step
    assert strip.count == 5
    assert "step 40" in strip.tip_at(QPointF(middle(strip, 40)))


def test_a_click_shows_the_step_in_the_timeline_and_is_marked(
    window: MainWindow, client: FakeClient, qtbot: object
) -> None:
    perform(window, client, specification())
    window.bring("steps")
    strip = window.feature(StepsFeature).panel.widget.strip
    strip.resize(900, strip.height())
    strip.chosen.emit(3)
    assert window.scene.described == 3
    assert strip.marked == 3


def test_a_low_panel_has_no_strip(window: MainWindow, client: FakeClient, qtbot: object) -> None:
    perform(window, client, specification())
    panel = window.bring("steps")
    panel.resize(600, 300)
    assert not panel.strip.isHidden()
    panel.resize(600, 120)
    assert panel.strip.isHidden()
    assert panel.minimumSizeHint().height() <= 120 and panel.minimumHeight() <= 120
