"""The timeline's widget: paints a TimelineState, and converts events to calls on it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt, QTimer, Signal
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

from core.override import override
from gui.look.text import tr
from gui.look.writing import CENTRE
from gui.timeline.interact.lane_filter import LaneFilter
from gui.timeline.interact.lane_names import LaneNames
from gui.timeline.interact.lifting import BarLifter
from gui.timeline.interact.mouse import MouseNavigator
from gui.timeline.interact.overlays import TimelineOverlays
from gui.timeline.layout.fonts import Fonts
from gui.timeline.layout.frame import AXIS, STEPS
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.critical import explain_shown
from gui.timeline.paint.label_column import LabelColumn
from gui.timeline.paint.overlay import draw_empty
from gui.timeline.paint.picture import draw_scene
from gui.timeline.state.lanes import LaneArranger, LaneChoice, lane_counts
from gui.timeline.state.navigator import Navigator
from gui.timeline.state.scene import Scene
from gui.timeline.state.selector import Selector
from gui.timeline.state.step_on_screen import StepOnScreen
from gui.timeline.state.timeline import TimelineState

EXPLAIN_S = 0.006  # seconds of each frame for explaining steps; the next frames do the rest


class TimelineView(QAbstractScrollArea):
    """Draws a `state`, and changes it on mouse input.

    `navigator`, `selector`, `lanes` and `choice` are the commands on the state, for menus and
    panels. `reduction_changed` has the number of spans per pixel of the densest lane.
    """

    reduction_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Timeline"))
        self.setAccessibleDescription(
            tr("One row for each lane; the Details panel describes the selection.")
        )
        # By default Qt sends moves only while a button is pressed, which makes hovering impossible.
        self.viewport().setMouseTracking(True)
        # paintEvent covers every pixel, so Qt need not clear them.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.waiting = ""
        self.per_pixel = 0.0
        self._picture: QPixmap | None = None
        self._paper = QPixmap()
        """Reused for each picture, because allocating several MB for each frame takes time."""
        self._labels = LabelColumn()
        state = self.state = TimelineState(self)
        self.navigator = Navigator(state)
        self.selector = Selector(state)
        self.lanes = LaneArranger(state)
        self.choice = LaneChoice(state)
        self.step_on_screen = StepOnScreen(state)
        self.overlays = TimelineOverlays(state, self.viewport())
        self.lane_filter = LaneFilter(state, self.lanes, self.viewport(), self)
        self._names = LaneNames(state, self.lanes, self.choice)
        self.lifter = BarLifter(state, self.viewport())
        self._mouse = MouseNavigator(state, self.overlays, self._names, self.lifter)
        # Moves of the pointer are frequent, and only need the overlay to be redrawn.
        state.picture_changed.connect(self._redraw)
        state.overlay_changed.connect(self.viewport().update)
        for signal in (state.tracks_changed, state.lane_changed):
            signal.connect(self._describe_lanes)
        state.resize(self.viewport().width(), self.viewport().height())

    def set_waiting(self, text: str) -> None:
        """Set the text of an empty timeline while a run is starting."""
        self.waiting = text
        self._redraw()

    @property
    def is_drawn(self) -> bool:
        """True if the picture shows the current state."""
        return self._picture is not None

    # Qt's events

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        if self._picture is None:
            self._picture = self._draw_picture()
        with QPainter(self.viewport()) as painter:
            painter.drawPixmap(0, 0, self._picture)
            if self.state.scene is not None:
                area = QRectF(self.viewport().rect())
                canvas = Canvas.on(painter, self.state.frame, self._fonts())
                self._names.draw(canvas, area)
                self.overlays.draw(canvas)
                self.lifter.draw(canvas)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.state.resize(self.viewport().width(), self.viewport().height())

    @override
    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.state.scroll_to(self.verticalScrollBar().value())

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        self._mouse.wheel(event)

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._mouse.press(event)

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._mouse.move(event)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._mouse.release(event)

    @override
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._mouse.double_click(event)

    @override
    def viewportEvent(self, event: QEvent) -> bool:
        # Events of the viewport pass here; this widget's leaveEvent would wait until the pointer
        # has left the scroll bar too.
        if event.type() is QEvent.Type.Leave:
            self.overlays.hover_at(None)
        return super().viewportEvent(event)

    # Inside

    def _redraw(self) -> None:
        """Redraw with the next frame, and update the scroll bar."""
        self._picture = None
        # `scroll` is read first: setRange may limit the bar's value, which sets the state's scroll
        # through scrollContentsBy. The bar would then override the state.
        bar = self.verticalScrollBar()
        scroll = self.state.scroll
        page = int(self.viewport().height() - AXIS - STEPS)
        bar.setPageStep(max(1, page))
        bar.setRange(0, self.state.most_scroll)
        bar.setValue(scroll)
        self.viewport().update()

    def _describe_lanes(self) -> None:
        """Describe to screen readers which lane is chosen, and how many are visible."""
        state = self.state
        shown, every = lane_counts(state)
        words = tr("{shown} of {n} lanes are shown.", shown=shown, n=every)
        if state.scene is not None and state.lane is not None:
            name = state.scene.trace.header.lanes[state.lane].name
            words = tr("{lane} is selected. {more}", lane=name, more=words)
        self.setAccessibleDescription(words)

    def _draw_picture(self) -> QPixmap:
        """Draw everything except the overlay, which changes more often."""
        ratio = self.devicePixelRatioF()
        size = self.viewport().size() * ratio
        if self._paper.size() != size:
            self._paper = QPixmap(size)
        picture = self._paper
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(self.state.theme.plot))
        area = QRectF(self.viewport().rect())
        with QPainter(picture) as painter:
            canvas = Canvas.on(painter, self.state.frame, self._fonts())
            if self.state.scene is None:
                draw_empty(canvas, area, self.waiting)
            else:
                self._draw_scene(canvas, self.state.scene, area)
        return picture

    def _draw_scene(self, canvas: Canvas, scene: Scene, area: QRectF) -> None:
        state = self.state
        if not explain_shown(scene, state.viewport, state.strips.path, EXPLAIN_S):
            # Later: paintEvent stores this picture after this returns, which would undo the
            # request. With `self` as its context the call is dropped if the widget is deleted
            # first.
            QTimer.singleShot(0, self, self._redraw)
        per_pixel = draw_scene(canvas, scene, area, self._labels)
        if state.now is not None and scene.bounds == (0, 0):
            canvas.painter.setClipping(False)
            words = tr("The lanes are starting; bars appear with their first tasks.")
            canvas.base(area, words, CENTRE, canvas.theme.muted)
        if per_pixel != self.per_pixel:
            self.per_pixel = per_pixel
            self.reduction_changed.emit(per_pixel)

    def _fonts(self) -> Fonts:
        return Fonts.of(QFont(self.font()))
