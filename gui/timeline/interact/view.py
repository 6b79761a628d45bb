"""The timeline's widget: what it shows, where it stands, what is selected."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from core.explain.lanes import Gap
from core.trace.search import Hits
from core.trace.trace import Span, Trace
from gui.look.text import tr
from gui.look.theme import LIGHT, Theme
from gui.timeline.interact.arranger import LaneArranger
from gui.timeline.interact.hover import card_at
from gui.timeline.interact.lane_filter import LaneFilter
from gui.timeline.interact.mouse import MouseNavigator
from gui.timeline.interact.overlay import draw_empty
from gui.timeline.interact.overlays import Aids
from gui.timeline.layout.frame import Fonts, Frame
from gui.timeline.layout.rows import Strips
from gui.timeline.layout.stack import LaneStack
from gui.timeline.paint.critical import explain_shown
from gui.timeline.paint.label_column import LabelColumn
from gui.timeline.paint.margins import AXIS, LABELS, STEPS
from gui.timeline.paint.picture import Hovered, draw_over, draw_scene
from gui.timeline.paint.scene import Scene
from gui.timeline.state.groups import RowState
from gui.timeline.state.history import Stand, ViewHistory, ViewState
from gui.timeline.state.navigation import along_lane, live_view, settled_view
from gui.timeline.state.selection import Selection, TimeRange, bounds_of, hit, lanes_between
from gui.timeline.state.viewport import Viewport

RIGHT = 12.0  # free pixels at the plot's right edge
KEY_ZOOM = 0.7
KEY_PAN = 0.15  # of the visible time
EXPLAIN_S = 0.006  # of a frame, for explaining steps; those that are left come with the next


class TimelineView(QAbstractScrollArea):
    """Draws a scene and lets one move in it.

    While a run is live and followed, `refresh` moves the view; after the first pan or zoom by
    hand nothing else moves it until `follow`.
    """

    selection_changed = Signal(object)
    following_changed = Signal(bool)
    view_changed = Signal()
    reduction_changed = Signal(float)
    strips_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Timeline"))
        self.setAccessibleDescription(
            tr("One row for each lane; the Details panel tells the selection.")
        )
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.scene: Scene | None = None
        self.theme = LIGHT
        self.view = Viewport()
        self.now: float | None = None
        self.following = True
        self.waiting = ""
        self.selection: Selection | None = None
        self.hovered: Hovered | None = None
        self._choose_zoom = True
        self._zero = 0.0
        self._reduced = 0.0
        self.stack = LaneStack()
        self.strips = Strips()
        self._history = ViewHistory()
        self.lanes, self.aids = LaneArranger(self), Aids(self)
        self.lane_filter = LaneFilter(self.lanes, self.viewport(), self)
        self._mouse = MouseNavigator(self, self.lanes)
        self._picture: QPixmap | None = None
        self._canvas = QPixmap()
        self._labels = LabelColumn()

    # What is shown

    def show_scene(
        self, scene: Scene | None, live: bool = False, stand: Stand | None = None
    ) -> None:
        """Show another run, or nothing; as it was left in `stand`, else a live one is followed."""
        self.scene, self.now = scene, 0.0 if live else None
        self.stack.take(scene)
        self._choose_zoom = stand is None or stand.choose_zoom
        self._history = ViewHistory() if stand is None else stand.history
        self.aids.begin()
        self.select(None)
        self.select(None if stand is None else stand.selection)
        self.hover_at(None)
        self._set_following(stand is None or stand.following)
        self._lay_out()
        if stand is not None:
            self._restore(stand.state)
        self.lanes.begin()
        if scene is not None and not live and self.following and self._choose_zoom:
            self._move(settled_view(self.view, scene))
        self._redraw()

    @property
    def stand(self) -> Stand:
        """How the run that is shown is left, for `show_scene`."""
        return Stand(self._state, self.selection, self.following, self._choose_zoom, self._history)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.theme = theme
        self._redraw()

    def set_prediction(
        self, prediction: Trace | None, beside: Mapping[str, str] | None = None
    ) -> None:
        """Show a prediction of the run that is shown as ghosts under its lanes, or take it away.

        `beside` has, by the lanes' names, what stands beside their ghosts.
        It has the run's lanes and steps, in the run's time; another run that is shown has none.
        Does nothing while no run is shown. Raises ValueError if it has another number of lanes.
        """
        if self.scene is not None:
            self.scene.set_prediction(prediction, beside)
            self._lay_out()
            self._redraw()

    def show_memory(self, wanted: bool) -> None:
        """Show what each lane holds below it, or do not."""
        self.stack.memory = wanted
        self._lay_out()
        self._redraw()

    def show_prediction(self, wanted: bool) -> None:
        """Show the prediction below each lane where there is one, or do not."""
        self.stack.prediction = wanted
        self._lay_out()
        self._redraw()

    def show_nested(self, wanted: bool) -> None:
        """Show the blocks inside forwards and backwards below each lane, or do not."""
        self.stack.nested = wanted
        self.lay_out_again()

    def show_path(self, wanted: bool) -> None:
        """Show the critical path of the steps on screen, or do not."""
        self.stack.path = wanted
        self._lay_out()
        self._redraw()

    def set_waiting(self, text: str) -> None:
        """What an empty timeline says that it waits for."""
        self.waiting = text
        self._redraw()

    def refresh(self, now: float | None) -> None:
        """Draw what has come since; `now` is a live run's present in ns, None once it ended."""
        if self.scene is None:
            return
        ended = self.now is not None and now is None
        self.now = now
        if self.strips != self.stack.strips(self.scene) or self.stack.is_stale(self.scene):
            self._lay_out()
        if self.following and now is not None:
            self._move(live_view(self.view, self.scene, now, self._choose_zoom))
        elif self.following and ended and self._choose_zoom:
            self._move(settled_view(self.view, self.scene))
        self._redraw()

    @property
    def frame_of_rows(self) -> Frame:
        """Where the lanes are drawn in the widget's viewport."""
        scrolled, body = self.verticalScrollBar().value(), AXIS + STEPS
        layout = self.stack.seen(scrolled, self.viewport().height() - body)
        return Frame(
            self.view, layout, LABELS, body - scrolled, self.theme, self.now,
            ceiling=AXIS + STEPS, floor=self.viewport().height(), critical=self.strips.path,
            zero=self._zero,
        )  # fmt: skip

    # Moving: these are what mouse and keys do

    def zoom_at(self, factor: float, x: float) -> None:
        """Show `factor` times as much time; the time under pixel `x` stays there."""
        self._by_hand(self.view.zoomed(factor, max(0.0, x - LABELS)), "zoom")

    def pan_by(self, pixels: float) -> None:
        """Move later by so many pixels."""
        if pixels:
            self._by_hand(self.view.panned(pixels), "pan")

    def scroll_by(self, pixels: float) -> None:
        """Move the rows up by so many pixels, as far as there are rows."""
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + round(pixels))

    def scale_lanes(self, factor: float, y: float) -> None:
        """Make the lanes `factor` times as high; what is at the pixel `y` stays there."""
        if self.scene is None:
            return
        bar, above = self.verticalScrollBar(), y - AXIS - STEPS
        share = (bar.value() + above) / self.stack.layout.height
        self._history.push(self._state, "lanes")
        self.stack.scale(factor)
        self._lay_out()
        bar.setValue(round(share * self.stack.layout.height - above))
        self.hover_at(None)
        self._redraw()

    def over_names(self, x: float) -> bool:
        """Whether a pixel lies in the column of the lanes' names."""
        return x < LABELS

    def zoom_in(self) -> None:
        """Zoom in around the middle."""
        self.zoom_at(KEY_ZOOM, LABELS + self.view.width / 2)

    def zoom_out(self) -> None:
        """Zoom out around the middle."""
        self.zoom_at(1 / KEY_ZOOM, LABELS + self.view.width / 2)

    def pan_left(self) -> None:
        """Move earlier."""
        self.pan_by(-KEY_PAN * self.view.width)

    def pan_right(self) -> None:
        """Move later."""
        self.pan_by(KEY_PAN * self.view.width)

    def zoom_back(self) -> None:
        """Return to the view before the last zoom, pan, fit or change of the lanes."""
        self._return_to(self._history.back(self._state))

    def zoom_forward(self) -> None:
        """Return to the view that one came back from."""
        self._return_to(self._history.forward(self._state))

    def fit(self) -> None:
        """Fill the view with the selection; again, or without one, with everything.

        With everything, the lanes' height is chosen anew so that they fit.
        """
        if self.scene is None:
            return
        if self.selection is not None:
            fitted = self.view.fitted(*bounds_of(self.scene.trace, self.selection, self.now))
            if fitted != self.view:
                self._by_hand(fitted, "fit selection")
                return
        everything = self.view.fitted(*map(float, self.scene.bounds))
        if everything != self.view or self.stack.height is not None:
            self._history.push(self._state, "fit")
            self.stack.height = None
            self._lay_out()
            self._leave_for(everything)

    def fit_between(self, start: float, end: float) -> None:
        """Fill the view with the time between two moments, in ns."""
        self._by_hand(self.view.fitted(start, end), "fit step")

    def go_to(self, view: Viewport, gesture: str) -> None:
        """Show this part; moves of one `gesture` in a row are taken back together."""
        self._by_hand(view, gesture)

    def show_moments(self, start: float, end: float) -> None:
        """Bring a time into view, at the same zoom if it fits."""
        fits = end - start <= self.view.span
        view = self.view.centred(start, end) if fits else self.view.fitted(start, end)
        self._by_hand(view, "mark")

    def count_from(self, zero: float) -> None:
        """Let the axis count from this time, in ns since the run's start."""
        if zero != self._zero:
            self._zero = zero
            self._redraw()

    def follow(self) -> None:
        """Go to the present (or the end) and stay with it, at the zoom one has."""
        self._set_following(True)
        self._choose_zoom = False
        if self.scene is not None:
            present = self.now if self.now is not None else float(self.scene.bounds[1])
            self._move(self.view.following(present))
            self._redraw()

    def centre_on(self, time_ns: float) -> None:
        """Bring a time to the middle at the same zoom."""
        self.pan_by(self.view.x(time_ns) - self.view.width / 2)

    # Selecting

    def select(self, selection: Selection | None) -> None:
        """Select a span, gap or range, or nothing."""
        if selection != self.selection:
            self.selection = selection
            self.selection_changed.emit(selection)
            self.viewport().update()

    def clear_selection(self) -> None:
        """Select nothing."""
        self.aids.stop_measuring()
        self.select(None)

    def select_at(self, x: float, y: float) -> None:
        """Select the span or gap at a pixel, or nothing; a flag there is told."""
        if not self.aids.click_at(x, y):
            self.aids.stop_measuring()
            self.select(self._at(x, y))

    def select_area(self, start: QPointF, end: QPointF) -> None:
        """Select the time between two pixels, over the lanes between them."""
        if self.scene is None:
            return
        first, last = sorted(
            self.view.time(min(max(0.0, at.x() - LABELS), self.view.width)) for at in (start, end)
        )
        lanes = lanes_between(self.scene, self.frame_of_rows, start.y(), end.y())
        self.select(TimeRange(int(first), int(last), lanes))

    def measure_at(self, x: float, y: float) -> None:
        """Measure from what is selected to the span at a pixel, which is selected."""
        self.aids.measure_to(self._at(x, y))

    def fit_at(self, x: float, y: float) -> None:
        """Select and fit what is at a pixel."""
        found = self._at(x, y)
        if found is not None:
            self.fit_selection(found)

    def fit_selection(self, selection: Selection) -> None:
        """Select something and fill the view with it."""
        self.select(selection)
        if self.trace is not None:
            bounds = bounds_of(self.trace, selection, self.now)
            self._by_hand(self.view.fitted(*bounds), "fit selection")

    def next_span(self) -> None:
        """Select the next span on the lane."""
        self._step_to(1)

    def previous_span(self) -> None:
        """Select the previous span on the lane."""
        self._step_to(-1)

    def set_hits(self, hits: Hits) -> None:
        """Mark what a search found."""
        if self.scene is not None:
            self.scene.hits = dict(hits)
            self._redraw()

    def dependency(self) -> None:
        """Select what the selected span waited for."""
        if self.scene is not None and isinstance(self.selection, Span):
            needs = self.scene.neighbourhood.of(self.selection).needs
            self._select_and_see(next(iter(needs), None))

    def dependent(self) -> None:
        """Select what waited for the selected span."""
        if self.scene is not None and isinstance(self.selection, Span):
            dependents = self.scene.neighbourhood.of(self.selection).dependents
            self._select_and_see(next(iter(dependents), None))

    def hover_at(self, at: QPointF | None) -> None:
        """Show the card of what is at a pixel, or none."""
        self.aids.point_at(at)
        card = None if at is None else self.aids.card_at(at)
        if self.scene is not None and at is not None and at.y() >= AXIS + STEPS:
            where = (self.scene, self.frame_of_rows, at.x(), at.y())
            card = self.lanes.summaries.card_at(*where) or card_at(*where)
        if at is not None and card is not None:
            self.hovered = (at, *card)
        elif self.hovered is not None:
            self.hovered = None
        else:
            return
        self.viewport().update()

    def select_task(self, step: int, task: int) -> None:
        """Select a task of a step by its number in the plan, and bring it into view."""
        if self.scene is not None:
            self._select_and_see(self.scene.trace.find(step, task))

    def select_span(self, lane: int, index: int) -> None:
        """Select a lane's span, and bring it into view."""
        if self.scene is not None:
            self._select_and_see(self.scene.trace.span(lane, index))

    def end_gesture(self) -> None:
        """Let the next drag be a step of its own in the history."""
        self._history.pause()

    def remember(self, gesture: str) -> None:
        """Let what is about to change be taken back by itself."""
        self._history.pause()
        self._history.push(self._state, gesture)
        self._history.pause()

    # Qt's events

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        if self._picture is None:
            self._picture = self._draw_picture()
        with QPainter(self.viewport()) as painter:
            painter.drawPixmap(0, 0, self._picture)
            if self.scene is not None:
                self.lanes.draw_over(painter, self._fonts())
                self.aids.draw(painter, self._fonts())
                draw_over(
                    painter, self.scene, self.frame_of_rows, self._fonts(),
                    QRectF(self.viewport().rect()), self.selection, self.hovered,
                )  # fmt: skip

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        super().resizeEvent(event)
        self._lay_out()
        self._redraw()

    def scrollContentsBy(self, dx: int, dy: int) -> None:  # noqa: D102
        self._redraw()

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: D102
        self._mouse.wheel(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: D102
        self._mouse.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: D102
        self._mouse.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: D102
        self._mouse.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: D102
        self._mouse.double_click(event)

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: D102
        if event.type() is QEvent.Type.Leave:
            self.hover_at(None)
        return super().viewportEvent(event)

    # Inside

    def _at(self, x: float, y: float) -> Span | Gap | None:
        if self.scene is None or y < AXIS + STEPS:
            return None
        return hit(self.scene, self.frame_of_rows, x, y)

    def _step_to(self, by: int) -> None:
        if self.scene is not None and isinstance(self.selection, Span):
            self._select_and_see(along_lane(self.scene.trace, self.selection, by))

    def _select_and_see(self, span: Span | None) -> None:
        if span is None or self.trace is None:
            return
        self.select(span)
        self.lanes.reveal(span.lane)
        view = self.view.centred(*bounds_of(self.trace, span, self.now))
        if view != self.view:
            self._by_hand(view, "step")

    def _by_hand(self, view: Viewport, gesture: str) -> None:
        """A move that the user asked for: it ends following and can be taken back."""
        if self.scene is None or view == self.view:
            return
        self._history.push(self._state, gesture)
        self._leave_for(view)

    def _leave_for(self, view: Viewport) -> None:
        self._set_following(False)
        self._choose_zoom = False
        pointer = self.aids.pointer
        self.hover_at(None)
        self._move(view)
        self.aids.point_at(pointer)
        self._redraw()

    @property
    def _state(self) -> ViewState:
        scrolled = self.verticalScrollBar().value()
        return ViewState(self.view, self.stack.height, scrolled, self.stack.state, self.aids.marks)

    def _return_to(self, state: ViewState | None) -> None:
        if state is not None:
            self._set_following(False)
            self._choose_zoom = False
            self.hover_at(None)
            self._restore(state)
            self._redraw()

    def _restore(self, state: ViewState) -> None:
        """Take a state; the rows stay where they are scrolled to if they are as high as in it."""
        rows = state.rows if isinstance(state.rows, RowState) else self.stack.state
        if (state.height, rows) != (self.stack.height, self.stack.state):
            self.stack.height, self.stack.state = state.height, rows
            self._lay_out()
            self.verticalScrollBar().setValue(state.scroll)
            self.lanes.changed.emit()
        self.aids.take_back(state.marks)
        self._move(state.view.resized(self.view.width))

    def _move(self, view: Viewport) -> None:
        if view != self.view:
            self.view = view
            self.view_changed.emit()

    def _set_following(self, following: bool) -> None:
        if following != self.following:
            self.following = following
            self.following_changed.emit(following)

    def _lay_out(self) -> None:
        size = self.viewport().size()
        self._move(self.view.resized(size.width() - LABELS - RIGHT))
        available = size.height() - AXIS - STEPS
        self.stack.lay_out(self.scene, available)
        strips = self.stack.strips(self.scene)
        if strips != self.strips:
            self.strips = strips
            self.strips_changed.emit(strips)
        bar = self.verticalScrollBar()
        bar.setPageStep(max(1, int(available)))
        bar.setRange(0, max(0, int(self.stack.layout.height - available)))

    def arrange(self, state: RowState, gesture: str) -> None:
        """Arrange the lanes otherwise, which can be taken back."""
        self._history.push(self._state, gesture)
        self.stack.state = state
        self.lay_out_again()

    def lay_out_again(self) -> None:
        """Stack the lanes as is wanted now."""
        self._lay_out()
        self.hover_at(None)
        self._redraw()

    def _redraw(self) -> None:
        self._picture = None
        self.viewport().update()

    def _draw_picture(self) -> QPixmap:
        """Everything but selection and hover, which change more often than this."""
        ratio = self.devicePixelRatioF()
        size = self.viewport().size() * ratio
        if self._canvas.size() != size:
            self._canvas = QPixmap(size)
        picture = self._canvas
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(self.theme.plot))
        fonts = self._fonts()
        area = QRectF(self.viewport().rect())
        with QPainter(picture) as painter:
            if self.scene is None:
                draw_empty(painter, self.theme, fonts, area, self.waiting)
            else:
                self._draw_scene(painter, self.scene, fonts, area)
        return picture

    def _draw_scene(self, painter: QPainter, scene: Scene, fonts: Fonts, area: QRectF) -> None:
        if not explain_shown(scene, self.view, self.strips.path, EXPLAIN_S):
            QTimer.singleShot(0, self, self._redraw)
        per_pixel = draw_scene(painter, scene, self.frame_of_rows, fonts, area, self._labels)
        self.lanes.summaries.draw(painter, scene, self.frame_of_rows)
        if per_pixel != self._reduced:
            self._reduced = per_pixel
            self.reduction_changed.emit(per_pixel)

    def _fonts(self) -> Fonts:
        return Fonts.of(QFont(self.font()))

    @property
    def trace(self) -> Trace | None:
        """The trace that is shown, or None."""
        return None if self.scene is None else self.scene.trace
