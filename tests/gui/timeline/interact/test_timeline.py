"""The timeline under mouse and key events."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from core.explain.lanes import Gap
from core.plan.task import Kind
from core.recording.decode import append_batch
from core.trace.median_step import median_step, whole_steps
from core.trace.span import Span
from core.trace.trace import Trace
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.frame import LABELS
from gui.timeline.layout.stacking import BY_HAND
from gui.timeline.state.scene import Scene
from gui.timeline.state.selection import TimeRange
from tests.make_believe import MS, batches, specification, trace_of

LEFT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
NO_KEYS, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
NO_BUTTON = Qt.MouseButton.NoButton


@pytest.fixture
def view(qtbot: object) -> Iterator[TimelineView]:
    made = TimelineView()
    qtbot.addWidget(made)
    made.resize(1200, 500)
    made.show()
    qtbot.waitExposed(made)
    made.state.show_scene(Scene(trace_of(specification(steps=3))))
    yield made
    made.close()


def mouse(
    view: TimelineView, kind: QEvent.Type, x: float, y: float, button: Qt.MouseButton,
    keys: Qt.KeyboardModifier = NO_KEYS, held: Qt.MouseButton | None = None,
) -> None:  # fmt: skip
    at = QPointF(x, y)
    spot = QPointF(view.viewport().mapToGlobal(at.toPoint()))
    event = QMouseEvent(kind, at, spot, button, button if held is None else held, keys)
    QApplication.sendEvent(view.viewport(), event)


def drag(
    view: TimelineView, x0: float, x1: float, y: float, button: Qt.MouseButton,
    keys: Qt.KeyboardModifier = NO_KEYS,
) -> None:  # fmt: skip
    mouse(view, QEvent.Type.MouseButtonPress, x0, y, button, keys)
    for part in (0.3, 0.7, 1.0):
        at = x0 + part * (x1 - x0)
        mouse(view, QEvent.Type.MouseMove, at, y, NO_BUTTON, keys, button)
    mouse(view, QEvent.Type.MouseButtonRelease, x1, y, button, keys, NO_BUTTON)


def click(view: TimelineView, x: float, y: float) -> None:
    mouse(view, QEvent.Type.MouseButtonPress, x, y, LEFT)
    mouse(view, QEvent.Type.MouseButtonRelease, x, y, LEFT, held=NO_BUTTON)


def wheel(
    view: TimelineView, x: float, turn: int, keys: Qt.KeyboardModifier = NO_KEYS, y: float = 100
) -> None:
    at = QPointF(x, y)
    event = QWheelEvent(
        at, QPointF(view.viewport().mapToGlobal(at.toPoint())), QPoint(), QPoint(0, turn),
        NO_BUTTON, keys, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view.viewport(), event)


def pixel_at(view: TimelineView, lane: int, time: float) -> tuple[float, float]:
    """Return the pixel of a time on a lane."""
    frame = view.state.frame
    track = frame.layout.track_of(lane)
    return frame.x(time), frame.top + track.top + track.height / 2


def trace(view: TimelineView) -> Trace:
    assert view.state.trace is not None
    return view.state.trace


def first_forward(view: TimelineView, lane: int, step: int = 4) -> Span:
    return next(
        s for s in trace(view) if s.lane == lane and s.step == step and s.kind is Kind.FORWARD
    )


def idle_gap(view: TimelineView) -> tuple[Span, Span]:
    """Return the two forwards of lane 0 in the last step around a long wait for a gradient."""
    mine = [s for s in trace(view) if s.lane == 0 and s.step == 4]
    return next((a, b) for a, b in pairwise(mine) if b.start - a.end > 3 * MS)


@pytest.mark.parametrize("turn", [120, 240, -120])
@pytest.mark.parametrize("x", [LABELS + 10, LABELS + 555])
def test_the_wheel_zooms_and_keeps_the_time_under_the_pointer(
    view: TimelineView, x: float, turn: int
) -> None:
    before, span = view.state.viewport.time(x - LABELS), view.state.viewport.span
    wheel(view, x, turn)
    assert view.state.viewport.time(x - LABELS) == pytest.approx(before)
    assert (view.state.viewport.span < span) is (turn > 0)


def test_zooming_out_ends_with_the_whole_run(view: TimelineView) -> None:
    first, last = trace(view).bounds
    whole = view.state.viewport.fitted(float(first), float(last))
    for _ in range(40):
        wheel(view, LABELS + 300, -120)
    assert view.state.viewport == whole
    wheel(view, LABELS + 300, 120)
    assert view.state.viewport.span < whole.span


@pytest.mark.parametrize(("button", "keys"), [(MIDDLE, NO_KEYS), (LEFT, SHIFT)])
def test_a_middle_or_shift_drag_moves_the_time_with_the_pointer(
    view: TimelineView, button: Qt.MouseButton, keys: Qt.KeyboardModifier
) -> None:
    before, span = view.state.viewport.time(300), view.state.viewport.span
    drag(view, LABELS + 300, LABELS + 120, 200, button, keys)
    assert view.state.viewport.time(120) == pytest.approx(before)
    assert view.state.viewport.span == span
    assert view.state.selection is None


def test_shift_and_wheel_pan_at_the_same_zoom(view: TimelineView) -> None:
    before = view.state.viewport
    wheel(view, 400, -120, SHIFT)
    assert view.state.viewport.span == before.span
    assert view.state.viewport.start > before.start


def test_a_plain_drag_selects_a_range_of_time(view: TimelineView) -> None:
    before = view.state.viewport
    drag(view, LABELS + 300, LABELS + 100, 200, LEFT)
    assert isinstance(view.state.selection, TimeRange)
    assert view.state.selection.start == pytest.approx(before.time(100), abs=2)
    assert view.state.selection.end == pytest.approx(before.time(300), abs=2)
    assert view.state.viewport == before


def test_a_click_selects_the_span_under_it(view: TimelineView, qtbot: object) -> None:
    span = first_forward(view, 1)
    with qtbot.waitSignal(view.state.selection_changed):
        click(view, *pixel_at(view, 1, (span.start + span.end) / 2))
    assert view.state.selection == span


def test_a_click_on_a_bubble_selects_the_gap(view: TimelineView) -> None:
    before, after = idle_gap(view)
    click(view, *pixel_at(view, 0, (before.end + after.start) / 2))
    assert isinstance(view.state.selection, Gap)
    assert (view.state.selection.start, view.state.selection.end) == (before.end, after.start)


def test_the_tooltip_of_a_bubble_says_which_lane_waits_for_which(view: TimelineView) -> None:
    before, after = idle_gap(view)
    x, y = pixel_at(view, 0, (before.end + after.start) / 2)
    mouse(view, QEvent.Type.MouseMove, x, y, NO_BUTTON)
    assert view.overlays.hovered is not None
    text = "\n".join([view.overlays.hovered[1], *view.overlays.hovered[2]]).replace("\u00a0", " ")
    assert text.startswith("cpu:0 waits 8.60 ms\n")
    assert "8 ms for B0 on cpu:1\n" in text
    assert text.endswith("Then C0 starts.")


def test_the_tooltip_of_a_span_shows_rows_bytes_duration_and_wait(view: TimelineView) -> None:
    copy = next(s for s in trace(view) if s.lane == 1 and s.step == 4 and s.kind is Kind.COPY)
    x, y = pixel_at(view, 1, (copy.start + copy.end) / 2)
    mouse(view, QEvent.Type.MouseMove, x, y, NO_BUTTON)
    assert view.overlays.hovered is not None
    text = " ".join([view.overlays.hovered[1], *view.overlays.hovered[2]]).replace("\u00a0", " ")
    for part in ("Copy", "micro-batch 0", "8 rows", "kB", "activation", "Waited for F0 on cpu:0"):
        assert part in text


def test_leaving_the_timeline_hides_the_tooltip(view: TimelineView) -> None:
    span = first_forward(view, 0)
    mouse(view, QEvent.Type.MouseMove, *pixel_at(view, 0, span.start + MS), NO_BUTTON)
    assert view.overlays.hovered is not None
    QApplication.sendEvent(view.viewport(), QEvent(QEvent.Type.Leave))
    assert view.overlays.hovered is None


def test_a_double_click_fits_the_span(view: TimelineView) -> None:
    span = first_forward(view, 1)
    mouse(view, QEvent.Type.MouseButtonDblClick, *pixel_at(view, 1, span.start + MS), LEFT)
    assert view.state.viewport == view.state.viewport.fitted(span.start, span.end)


def test_fit_shows_the_selection_and_then_everything(view: TimelineView) -> None:
    view.state.select(first_forward(view, 1))
    view.navigator.fit()
    assert view.state.viewport == view.state.viewport.fitted(
        view.state.selection.start, view.state.selection.end
    )
    view.navigator.fit()
    assert view.state.viewport == view.state.viewport.fitted(*trace(view).bounds)


def test_zoom_back_undoes_every_gesture(view: TimelineView) -> None:
    views = [view.state.viewport]
    view.navigator.fit()
    views.append(view.state.viewport)
    for _ in range(3):
        wheel(view, 500, 120)
    views.append(view.state.viewport)
    view.navigator.pan(1)
    for expected in reversed(views):
        view.navigator.zoom_back()
        assert view.state.viewport == expected
    view.navigator.zoom_back()
    assert view.state.viewport == views[0]


def test_next_and_previous_walk_along_the_lane(view: TimelineView) -> None:
    span = first_forward(view, 0)
    view.state.select(span)
    view.selector.step(1)
    assert view.state.selection.index == span.index + 1
    view.selector.step(-1)
    view.selector.step(-1)
    assert view.state.selection.index == span.index - 1
    assert view.state.viewport.start <= view.state.selection.start


def test_brackets_walk_along_dependencies_and_back(view: TimelineView) -> None:
    copy = next(s for s in trace(view) if s.lane == 1 and s.step == 4 and s.kind is Kind.COPY)
    view.state.select(copy)
    view.selector.dependency()
    assert (view.state.selection.lane, view.state.selection.kind) == (0, Kind.FORWARD)
    view.selector.dependent()
    assert view.state.selection == copy


def live(view: TimelineView, steps: int = 2) -> Trace:
    """Return a live run with its first `steps` steps, and the next step's first task open."""
    header, made = batches(specification(steps=4, warmup=0))
    shown = Trace(header)
    for batch in [*made[: 1 + 3 * steps], made[1 + 3 * steps]]:
        append_batch(shown, batch)
    view.state.show_scene(Scene(shown), live=True)
    return shown


def test_a_followed_run_keeps_the_present_in_view(view: TimelineView) -> None:
    live(view)
    for now in (300 * MS, 400 * MS, 900 * MS):
        view.state.refresh(now)
        assert view.state.following
        assert view.state.viewport.start < now < view.state.viewport.end


def test_an_open_task_grows_with_the_present(view: TimelineView) -> None:
    shown = live(view)
    task = shown.open_tasks[0]
    ends = []
    for now in (task.start + 10 * MS, task.start + 60 * MS):
        view.state.refresh(now)
        click(view, *pixel_at(view, task.lane, now - MS))
        assert view.state.selection == task
        ends.append(view.state.viewport.time(view.state.frame.x(now) - LABELS))
    assert ends[1] - ends[0] == pytest.approx(50 * MS, rel=0.01)


@pytest.mark.parametrize("gesture", ["wheel", "pan", "fit", "keys"])
def test_after_a_move_by_hand_a_live_view_never_moves_by_itself(
    view: TimelineView, gesture: str
) -> None:
    live(view)
    view.state.refresh(300 * MS)
    moves = {
        "wheel": lambda: wheel(view, 500, 120),
        "pan": lambda: drag(view, 500, 300, 200, MIDDLE),
        "fit": view.navigator.fit,
        "keys": lambda: view.navigator.pan(-1),
    }
    moves[gesture]()
    kept = view.state.viewport
    for now in (400 * MS, 10_000 * MS, None):
        view.state.refresh(now)
        assert view.state.viewport == kept
    assert not view.state.following


def test_follow_returns_to_the_present_with_the_zoom_kept(view: TimelineView) -> None:
    live(view)
    view.state.refresh(300 * MS)
    wheel(view, 500, 240)
    span = view.state.viewport.span
    view.state.refresh(800 * MS)
    view.navigator.follow()
    view.state.refresh(810 * MS)
    assert view.state.viewport.span == span
    assert view.state.viewport.start < 810 * MS < view.state.viewport.end


def test_an_untouched_run_shows_its_median_step_when_it_ends(view: TimelineView) -> None:
    shown = live(view)
    view.state.refresh(300 * MS)
    view.state.refresh(None)
    median = median_step(shown, whole_steps(shown))
    assert view.state.viewport == view.state.viewport.fitted(*shown.step_bounds(median))


def test_a_narrow_span_still_paints_a_pixel(view: TimelineView) -> None:
    view.navigator.fit()
    view.state.go_to(view.state.viewport.zoomed(40, 300), "zoom")
    image = view.grab().toImage()
    track = view.state.frame.layout.tracks[0]
    y = int(view.state.frame.top + track.top + track.height / 2)
    first, last = (int(view.state.frame.x(t)) for t in trace(view).bounds)
    ratio = image.devicePixelRatio()
    colours = {image.pixelColor(int(x * ratio), int(y * ratio)).name() for x in range(first, last)}
    assert view.state.theme.forward in colours or view.state.theme.backward in colours


def test_an_empty_timeline_says_what_to_do(view: TimelineView) -> None:
    view.state.show_scene(None)
    image = view.grab().toImage()
    colours = {image.pixelColor(x, 240).name() for x in range(200, 1000)}
    assert len(colours) > 2


def test_more_lanes_than_fit_can_be_scrolled(view: TimelineView) -> None:
    view.state.show_scene(Scene(trace_of(specification("dp", devices="32xcpu", batch=64, steps=1))))
    assert view.verticalScrollBar().maximum() > 0
    top = view.state.frame.top
    view.state.scroll_to(view.state.scroll + 100)
    assert view.state.frame.top == top - 100


def test_ctrl_and_wheel_change_the_lanes_height_around_the_pointer(view: TimelineView) -> None:
    view.state.show_scene(Scene(trace_of(specification("dp", devices="32xcpu", batch=64, steps=1))))
    view.state.scroll_to(view.state.scroll + 400)
    before, seen = view.state.viewport, view.state.stack.layout.compute
    under = lane_at(view, 250)
    for _ in range(4):
        wheel(view, 500, 120, CTRL, 250)
    assert view.state.stack.layout.compute > 1.5 * seen
    assert lane_at(view, 250) == under
    assert view.state.viewport == before
    for _ in range(40):
        wheel(view, 500, -120, CTRL, 250)
    assert view.state.stack.layout.compute == BY_HAND[0]


def test_small_turns_of_a_touchpad_add_up_to_a_change_of_height(view: TimelineView) -> None:
    seen = view.state.stack.layout.compute
    for _ in range(20):
        wheel(view, 500, -6, CTRL)
    assert view.state.stack.layout.compute < seen


def test_the_wheel_over_the_lanes_names_scrolls_them(view: TimelineView) -> None:
    view.state.show_scene(Scene(trace_of(specification("dp", devices="32xcpu", batch=64, steps=1))))
    before = view.state.viewport
    wheel(view, 40, -120)
    assert view.verticalScrollBar().value() > 0
    assert view.state.viewport == before


def test_fitting_everything_fits_the_lanes_height_too(view: TimelineView) -> None:
    view.state.show_scene(Scene(trace_of(specification(devices="4xcpu", steps=1))))
    fitting = view.state.stack.layout
    wheel(view, 500, 600, CTRL)
    assert view.verticalScrollBar().maximum() > 0
    view.navigator.fit()
    assert view.state.stack.layout == fitting
    assert view.verticalScrollBar().maximum() == 0


def lane_at(view: TimelineView, y: float) -> int:
    """Return the last lane that begins above a pixel of the widget."""
    frame = view.state.frame
    return max(track.lane for track in frame.layout.tracks if frame.top + track.top <= y)


def test_the_length_of_a_range_is_above_the_lanes_and_covers_no_bar(view: TimelineView) -> None:
    span = first_forward(view, 0)
    assert span.end is not None
    view.state.select(TimeRange(span.start, span.end, (0,)))
    frame = view.state.frame
    middle = frame.x((span.start + span.end) / 2)
    image = view.grab().toImage()
    ratio = image.devicePixelRatio()
    accent = view.state.theme.accent

    def has_tag(top: float, bottom: float) -> bool:
        columns = range(int(middle * ratio) - 10, int(middle * ratio) + 10)
        rows = range(int(top * ratio), int(bottom * ratio))
        return any(image.pixelColor(x, y).name() == accent for x in columns for y in rows)

    assert has_tag(frame.ceiling - 16, frame.ceiling - 2)
    assert not has_tag(frame.ceiling + 1, frame.ceiling + 16)
