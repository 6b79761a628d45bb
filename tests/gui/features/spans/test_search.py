"""The search bar under real keys: finding, stepping through hits, marking and closing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from core.plan.task import Kind
from core.recording.decode import append_batch
from core.trace.query import KEYS, parse_query
from core.trace.search import SpanPosition
from core.trace.trace import Trace
from gui.features.spans.finding import Finder
from gui.features.spans.panel import SpansPanel
from gui.features.spans.search_bar import SearchBar, hints
from gui.features.spans.searching import Searcher
from gui.look.theme import DARK
from gui.timeline.interact.overview import Overview
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.frame import Frame, Layout, Viewport
from gui.timeline.paint.search_hits import HIT, draw_hit_ticks, hit_columns, hit_ticks
from gui.timeline.state.scene import Scene
from tests.make_believe import batches, specification, trace_of

SPEC = specification("pipeline", schedule="1f1b", microbatches=4, steps=3, warmup=0)


class Parts:
    """The search bar with the parts that it uses, in one window."""

    def __init__(self, scene: Scene) -> None:
        self.window = QWidget()
        self.window.resize(1100, 500)
        self.bar, self.spans = SearchBar(), SpansPanel()
        for part in (self.bar, self.spans):
            part.setParent(self.window)
        self.spans.hide()
        self.timeline = TimelineView(self.window)
        self.overview = Overview(self.timeline.state, self.window)
        self.timeline.setGeometry(0, 60, 1100, 380)
        self.overview.setGeometry(0, 440, 1100, 58)
        self.bar.setGeometry(0, 0, 1100, 60)
        self.finder = Finder(self.bar, self.timeline, self.overview)
        self.finder.follow_in(self.spans)
        self.spans.chosen.connect(self.timeline.selector.select_span)
        self.timeline.state.show_scene(scene)
        self.bar.show_scene(scene, False)

    def type(self, text: str) -> None:
        QTest.keyClicks(self.bar.field, text)

    def press(self, key: Qt.Key, shift: bool = False) -> None:
        keys = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
        QTest.keyClick(self.bar.field, key, keys)


@pytest.fixture
def parts(qtbot: object) -> Iterator[Parts]:
    made = Parts(Scene(trace_of(SPEC)))
    qtbot.addWidget(made.window)
    made.window.show()
    qtbot.waitExposed(made.window)
    made.bar.open()
    yield made
    made.window.close()


def forwards(trace: Trace, microbatch: int) -> list:
    mine = [s for s in trace if s.kind is Kind.FORWARD and s.microbatch == microbatch]
    return sorted(mine, key=lambda span: (span.start, span.lane))


def test_return_steps_through_the_hits_in_time_order_and_shift_return_back(parts: Parts) -> None:
    expected = forwards(parts.timeline.state.trace, 2)
    parts.timeline.navigator.fit()
    parts.type("kind:forward mb:2")
    for number, span in enumerate([*expected, expected[0]]):
        parts.press(Qt.Key.Key_Return)
        assert parts.timeline.state.selection == span
        assert parts.bar.count.text() == f"{number % len(expected) + 1} of {len(expected)}"
    parts.press(Qt.Key.Key_Return, shift=True)
    assert parts.timeline.state.selection == expected[-1]


def test_hits_are_marked_on_the_lanes_until_escape(parts: Parts) -> None:
    parts.type("kind:backward")
    parts.press(Qt.Key.Key_Return)
    scene = parts.timeline.state.scene
    assert {lane: len(found) for lane, found in scene.hits.items()} == {0: 12, 1: 12}
    parts.press(Qt.Key.Key_Escape)
    assert not scene.hits
    assert not parts.bar.isVisible()
    assert parts.timeline.hasFocus()
    parts.bar.open()
    assert parts.bar.field.text() == ""


def test_a_search_starts_automatically_shortly_after_the_last_key(
    parts: Parts, qtbot: object
) -> None:
    parts.type("mb:3")
    qtbot.waitUntil(lambda: bool(parts.timeline.state.scene.hits), timeout=3000)
    assert parts.bar.count.text().endswith("hits")


def test_an_unreadable_search_shows_an_error_under_the_field_and_marks_nothing(
    parts: Parts,
) -> None:
    parts.type("mb:2")
    parts.press(Qt.Key.Key_Return)
    parts.type(" sta:1")
    parts.press(Qt.Key.Key_Return)
    assert parts.bar.problem.isVisible()
    assert "sta:1" in parts.bar.problem.text()
    assert "stage" in parts.bar.problem.text()
    assert not parts.timeline.state.scene.hits
    for _ in range(6):
        parts.press(Qt.Key.Key_Backspace)
    parts.press(Qt.Key.Key_Return)
    assert not parts.bar.problem.isVisible()
    assert parts.timeline.state.scene.hits


def test_a_search_without_hits_shows_a_message(parts: Parts) -> None:
    parts.type("mb:99")
    parts.press(Qt.Key.Key_Return)
    assert parts.bar.count.text() == "no hits"
    assert parts.timeline.state.selection is None


def test_the_search_continues_from_the_selected_span(parts: Parts) -> None:
    trace = parts.timeline.state.trace
    later = forwards(trace, 1)[3]
    parts.timeline.selector.select_span(later.lane, later.index)
    parts.type("kind:forward mb:1")
    parts.press(Qt.Key.Key_Return)
    assert parts.timeline.state.selection == forwards(trace, 1)[4]


def test_keys_are_completed_from_their_first_letters(parts: Parts) -> None:
    parts.type("st")
    completer = parts.bar.field._completer
    found = completer.completionModel()
    texts = [
        found.index(n, 0).data(Qt.ItemDataRole.UserRole) for n in range(completer.completionCount())
    ]
    assert texts == ["stage:", "step:"]
    completer.activated.emit("stage:")
    assert parts.bar.field.text() == "stage:"
    parts.type("1 -kind:ba")
    completer.activated.emit("kind:backward")
    assert parts.bar.field.text() == "stage:1 -kind:backward"
    completer.popup().hide()


def test_the_hints_name_every_key() -> None:
    assert all(f"{key}:" in hints() for key in KEYS)


def test_the_bar_gives_screen_readers_the_number_of_hits(parts: Parts) -> None:
    parts.type("mb:3")
    parts.press(Qt.Key.Key_Return)
    assert parts.bar.field.accessibleName() == "Search"
    assert parts.bar.count.text() in parts.bar.field.accessibleDescription()


def test_the_search_continues_as_a_live_run_grows(qtbot: object) -> None:
    header, made = batches(SPEC)
    trace = Trace(header)
    bar = SearchBar()
    qtbot.addWidget(bar)
    scene = Scene(trace)
    bar.show_scene(scene, True)
    QTest.keyClicks(bar.field, "kind:forward")
    QTest.keyClick(bar.field, Qt.Key.Key_Return)
    for batch in made:
        append_batch(trace, batch)
        bar.show_scene(scene, True)
    count = sum(span.kind is Kind.FORWARD for span in trace)
    assert sum(map(len, bar.hits.values())) == count
    assert bar.count.text() == f"{count} hits"


def test_a_long_search_does_not_block_the_window_and_can_be_cancelled(
    qtbot: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.features.spans.searching.PIECE", 5)
    monkeypatch.setattr("gui.features.spans.searching.AT_ONCE_S", 0.0)
    monkeypatch.setattr("gui.app.jobs.SLICE_S", 0.0)
    searcher, trace = Searcher(), trace_of(SPEC)
    searcher.ask(trace, parse_query("kind:forward"))
    assert searcher.running
    assert searcher.search.searched[0] < trace.span_count
    with qtbot.waitSignal(searcher.advanced, timeout=2000):
        pass
    searcher.cancel()
    assert (searcher.running, searcher.cancelled) == (False, True)
    searcher.look_again()
    assert not searcher.running


def test_a_step_waits_for_the_first_hit_of_a_long_search(
    parts: Parts, qtbot: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.features.spans.searching.PIECE", 5)
    monkeypatch.setattr("gui.features.spans.searching.AT_ONCE_S", 0.0)
    monkeypatch.setattr("gui.app.jobs.SLICE_S", 0.0)
    last = max(parts.timeline.state.trace, key=lambda span: (span.lane, span.index))
    parts.type(f"step:{last.step} task:{last.task}")
    parts.press(Qt.Key.Key_Return)
    assert parts.timeline.state.selection is None
    qtbot.waitUntil(lambda: parts.timeline.state.selection == last, timeout=3000)
    qtbot.waitUntil(lambda: not parts.bar.searcher.running, timeout=3000)


def test_the_search_is_repeated_in_another_run(parts: Parts) -> None:
    parts.type("kind:step")
    parts.press(Qt.Key.Key_Return)
    other = Scene(trace_of(specification("dp", steps=2, warmup=0)))
    parts.timeline.state.show_scene(other)
    parts.bar.show_scene(other, False)
    assert {int(n) for n in other.hits} == {0}
    parts.bar.set_place(SpanPosition(-1, -1, -1), None)
    assert parts.bar.count.text() == "2 hits"


def test_no_hit_is_missed_in_the_columns_of_the_strip() -> None:
    chance = np.random.default_rng(3)
    starts = np.cumsum(chance.integers(1, 9, 5000))
    hits = np.sort(chance.choice(5000, 40, replace=False))
    edges = np.linspace(0, starts[-1] + 1, 301)
    found = hit_columns(starts, hits, edges)
    expected = np.zeros(300, bool)
    expected[np.searchsorted(edges, starts[hits], "right") - 1] = True
    assert (found == expected).all()


def test_the_strip_is_marked_where_a_hit_begins(qapp: object) -> None:
    trace = trace_of(SPEC)
    span = max(trace, key=lambda span: span.start)
    start, end = trace.bounds
    frame = Frame(Viewport(start, end - start, 400), Layout(), 10, 0, DARK)
    image = QImage(420, 20, QImage.Format.Format_RGB32)
    image.fill(0)
    with QPainter(image) as painter:
        marks = hit_ticks(trace, {span.lane: np.array([span.index])}, frame, 2)
        draw_hit_ticks(painter, DARK, marks)
    lit = {x for x in range(420) for y in (int(2 + HIT / 2),) if image.pixelColor(x, y).blue()}
    assert lit
    assert min(lit) == pytest.approx(frame.x(span.start), abs=1.01)
