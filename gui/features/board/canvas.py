"""The board on screen: lanes with bars, memory and palette, driven by mouse and keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QSizePolicy

from core.board.board import needs, pass_text
from core.override import override
from core.plan.schedules.schedule import Action
from core.plan.task import Kind
from gui.features.board.game import BoardGame, time_text
from gui.features.board.geometry import TOP, BoardGeometry, Drop
from gui.features.board.painting import BoardPainter
from gui.look.text import tr
from gui.widgets.drawing import Painted

LETTERS = {
    Qt.Key.Key_F: Kind.FORWARD,
    Qt.Key.Key_B: Kind.BACKWARD,
    Qt.Key.Key_I: Kind.BACKWARD_INPUT,
    Qt.Key.Key_W: Kind.BACKWARD_WEIGHT,
}
DIGITS = tuple(Qt.Key(Qt.Key.Key_0 + digit) for digit in range(10))
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_CONTROL = Qt.KeyboardModifier.ControlModifier
_ALT = Qt.KeyboardModifier.AltModifier


class BoardCanvas(Painted):
    """Shows a game, and makes its moves.

    A click on a pass of the palette places it at the end of its lane; a drag places or moves it,
    and a drop on the middle of another bar exchanges the two.
    """

    def __init__(self, game: BoardGame) -> None:
        super().__init__(tr("Board"), QSizePolicy.Policy.Preferred)
        self.game = game
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumWidth(420)
        self._pressed: QPointF | None = None
        self._dragged: Action | None = None
        self._at = QPointF()
        self._is_moved = False
        self._stage: int | None = None
        self._geometry: BoardGeometry | None = None
        self._room = 0.0
        self._single_keys = {
            Qt.Key.Key_H: game.hint,
            Qt.Key.Key_T: game.stamp,
            Qt.Key.Key_X: game.swap_selected,
            Qt.Key.Key_Delete: game.remove_selected,
            Qt.Key.Key_Backspace: game.remove_selected,
        }
        game.changed.connect(self.refresh)
        self.refresh()

    @property
    def places(self) -> BoardGeometry:
        """The places of bars and of the palette."""
        known = self._geometry
        if known is None or (known.width, known.room) != (self.width(), self._room):
            self._geometry = self._new_geometry()
        assert self._geometry is not None
        return self._geometry

    def set_room(self, height: float) -> None:
        """Take smaller bars and chips if the board is higher than this many pixels."""
        self._room = height
        self.setMinimumHeight(int(self.places.height))
        self.update()

    def refresh(self) -> None:
        """Show a changed game."""
        self._geometry = None
        self.setMinimumHeight(int(self.places.height))
        self.setAccessibleDescription(self._words())
        self.updateGeometry()
        self.update()

    @property
    def drop(self) -> Drop | None:
        """The place at which the dragged pass would be dropped; None while nothing is dragged."""
        if self._dragged is None or not self._is_moved:
            return None
        return self.places.drop_at(self._at, self._dragged)

    @override
    def sizeHint(self) -> QSize:
        return QSize(640, int(self.places.height))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # In another width the palette has another number of lines.
        self.setMinimumHeight(int(self.places.height))

    @override
    def tip_at(self, at: QPointF) -> str:
        action = self.places.action_at(at)
        if action is None:
            return ""
        board = self.game.board
        name = tr("{action} of stage {stage}", action=pass_text(action), stage=action.stage)
        for timed in self.places.timed.passes:
            if timed.action == action:
                start = time_text(board.rules, timed.start)
                end = time_text(board.rules, timed.end)
                return tr("{name}: from {start} to {end}", name=name, start=start, end=end)
        placed = board.placed
        missing = [one for one in needs(board.rules, action, placed) if one not in placed]
        if not missing:
            return tr("{name}: ready; click to place it", name=name)
        need = tr("{action} of stage {stage}", action=pass_text(missing[0]), stage=missing[0].stage)
        return tr("{name} needs {need} first", name=name, need=need)

    # Mouse

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        self._pressed = self._at = event.position()
        self._dragged, self._is_moved = self.places.action_at(self._at), False
        if self._dragged is None:
            if self._at.y() > TOP:
                self.game.go_to_lane(self.places.lane_at(self._at.y()))
        elif self._dragged in self.places.bars:
            added = bool(event.modifiers() & (_SHIFT | _CONTROL))
            self.game.select_one(self._dragged, added)

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._at = event.position()
        if self._pressed is not None and self._dragged is not None:
            far = (self._at - self._pressed).manhattanLength()
            self._is_moved = self._is_moved or far >= QApplication.startDragDistance()
        is_pass = self._dragged is not None or self.places.action_at(self._at) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if is_pass else Qt.CursorShape.ArrowCursor)
        self.update()

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        self._at = event.position()
        action, drop, places = self._dragged, self.drop, self.places
        self._pressed = self._dragged = None
        is_placed = action in places.bars
        if action is not None and drop is None and not is_placed:
            self.game.place(action)
        elif action is not None and drop is not None:
            self._drop(action, drop, is_placed)
        self.update()

    def _drop(self, action: Action, drop: Drop, is_placed: bool) -> None:
        lane = self.game.board.lane_of(action)
        if drop.lane != lane:
            self.game.said.emit(
                tr(
                    "Stage {stage} is on lane {lane}, so its passes stay there.",
                    stage=action.stage,
                    lane=lane,
                )
            )
        elif drop.other is not None:
            self.game.swap(action, drop.other)
        elif is_placed:
            self.game.move(action, drop.position)
        else:
            self.game.place(action, drop.position)

    # Keys

    @override
    def event(self, event: QEvent) -> bool:
        # Several of these keys are shortcuts of the window too: the board has them while it has
        # the focus.
        is_override = event.type() is QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and self._takes(event):
            event.accept()
            return True
        return super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, held = Qt.Key(event.key()), event.modifiers()
        if key is Qt.Key.Key_Z and held & _CONTROL:
            if held & _SHIFT:
                self.game.redo()
            else:
                self.game.undo()
        elif key is Qt.Key.Key_Y and held & _CONTROL:
            self.game.redo()
        elif key is Qt.Key.Key_A and held & _CONTROL:
            self.game.select(one for order in self.game.board.orders for one in order)
        elif key in DIGITS:
            self._stage = DIGITS.index(key)
        elif key in LETTERS:
            # The digit before a letter is the stage, as in `2F1`.
            stage, self._stage = self._stage, None
            self.game.place_next(LETTERS[key], stage)
        elif key in self._single_keys:
            self._single_keys[key]()
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.game.go_to_lane(self.game.lane + (1 if key is Qt.Key.Key_Down else -1))
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            by = 1 if key is Qt.Key.Key_Right else -1
            if held & _ALT:
                self._shift_selected(by)
            else:
                self._select_next(by, bool(held & _SHIFT))
        elif key is Qt.Key.Key_Escape and self.game.selected:
            self.game.select(())
        else:
            super().keyPressEvent(event)

    def _takes(self, event: QKeyEvent) -> bool:
        key, held = Qt.Key(event.key()), event.modifiers()
        if held & _CONTROL:
            return key in (Qt.Key.Key_Z, Qt.Key.Key_Y, Qt.Key.Key_A)
        arrows = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)
        is_escape = key is Qt.Key.Key_Escape and bool(self.game.selected)
        # Digits are the board's own only where a lane has several stages.
        is_stage = key in DIGITS and self.game.board.rules.chunks > 1
        is_letter = key in LETTERS or key in self._single_keys
        return is_letter or is_stage or key in arrows or is_escape

    def _select_next(self, by: int, added: bool) -> None:
        order = self.game.board.orders[self.game.lane]
        if not order:
            return
        last = self.game.selected[-1] if self.game.selected else None
        if last in order:
            place = max(0, min(order.index(last) + by, len(order) - 1))
        else:
            place = 0 if by > 0 else len(order) - 1
        chosen = order[place]
        before = tuple(one for one in self.game.selected if one != chosen)
        self.game.select((*before, chosen) if added else (chosen,))

    def _shift_selected(self, by: int) -> None:
        if len(self.game.selected) == 1:
            action = self.game.selected[0]
            place = self.game.board.orders[self.game.lane].index(action) + by
            if 0 <= place < len(self.game.board.orders[self.game.lane]):
                self.game.move(action, place)

    # Painting

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            drawn = BoardPainter(painter, self.places, self.game, self.theme, self.font())
            drawn.draw(self.rect(), self.hasFocus(), self.devicePixelRatioF())
            drop = self.drop
            if self._dragged is not None and drop is not None:
                drawn.draw_dragged(self._dragged, self._at, drop)

    def _new_geometry(self) -> BoardGeometry:
        puzzle = self.game.puzzle
        goal = None if puzzle is None else puzzle.goal.step
        return BoardGeometry(self.game.board, self.width(), goal or 0, self._room)

    def _words(self) -> str:
        lines = []
        for lane, order in enumerate(self.game.board.orders):
            passes = " ".join(map(str, order)) or tr("empty")
            lines.append(tr("lane {lane}: {passes}", lane=lane, passes=passes))
        return "; ".join(lines)
