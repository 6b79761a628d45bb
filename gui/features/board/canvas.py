"""The board on screen: lanes with bars, memory and palette, driven by mouse and keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QSizePolicy

from core.board.board import Board, needs, pass_text
from core.override import override
from core.plan.schedules.schedule import Action
from core.plan.task import Kind
from gui.features.board.game import BoardGame, time_text
from gui.features.board.geometry import TOP, BoardGeometry, Drop
from gui.features.board.painting import BoardPainter
from gui.look.text import join_clauses, tr
from gui.timeline.paint.ink import Ink
from gui.widgets.drawing import Painted

LETTERS = {
    Qt.Key.Key_F: Kind.FORWARD,
    Qt.Key.Key_B: Kind.BACKWARD,
    Qt.Key.Key_I: Kind.BACKWARD_INPUT,
    Qt.Key.Key_W: Kind.BACKWARD_WEIGHT,
}
DIGITS = tuple(Qt.Key(Qt.Key.Key_0 + digit) for digit in range(10))
CONTROL_KEYS = (Qt.Key.Key_Z, Qt.Key.Key_Y, Qt.Key.Key_A)
ARROWS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_CONTROL = Qt.KeyboardModifier.ControlModifier
_ALT = Qt.KeyboardModifier.AltModifier


class BoardCanvas(Painted):
    """Shows a game, and makes its moves.

    A click on a pass of the palette places it at the end of its lane. A drag places or moves a
    pass; a bar that is dropped on the middle of another bar is exchanged with it.
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
        """The layout of the board at the present size."""
        known = self._geometry
        if known is not None and known.width == self.width() and known.room == self._room:
            return known
        self._geometry = self._new_geometry()
        return self._geometry

    def set_room(self, height: float) -> None:
        """Use smaller bars and chips if the board is higher than this many pixels."""
        self._room = height
        self.setMinimumHeight(int(self.places.height))
        self.update()

    def refresh(self) -> None:
        """Show the game after a change."""
        self._geometry = None
        self.setMinimumHeight(int(self.places.height))
        self.setAccessibleDescription(_words(self.game.board))
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
        # The number of lines of the palette depends on the width.
        self.setMinimumHeight(int(self.places.height))

    @override
    def tip_at(self, at: QPointF) -> str:
        action = self.places.action_at(at)
        if action is None:
            return ""
        board = self.game.board
        name = _full_name(action)
        for timed in self.places.timed.passes:
            if timed.action == action:
                start = time_text(board.rules, timed.start)
                end = time_text(board.rules, timed.end)
                return tr("{name}: from {start} to {end}", name=name, start=start, end=end)
        placed = board.placed
        missing = [one for one in needs(board.rules, action, placed) if one not in placed]
        if not missing:
            return tr("{name}: ready; click to place it", name=name)
        need = _full_name(missing[0])
        return tr("{name} needs {need} first", name=name, need=need)

    # Mouse

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        at = event.position()
        action = self.places.action_at(at)
        self._at = at
        self._pressed = at
        self._dragged = action
        self._is_moved = False
        if action is None:
            if at.y() > TOP:
                lane = self.places.lane_at(at.y())
                self.game.go_to_lane(lane)
        elif action in self.places.bars:
            added = bool(event.modifiers() & (_SHIFT | _CONTROL))
            self.game.select_one(action, added)

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        self._at = at
        if self._pressed is not None and self._dragged is not None:
            distance = (at - self._pressed).manhattanLength()
            if distance >= QApplication.startDragDistance():
                self._is_moved = True
        is_over_pass = self.places.action_at(at) is not None
        cursor = Qt.CursorShape.ArrowCursor
        if is_over_pass or self._dragged is not None:
            cursor = Qt.CursorShape.PointingHandCursor
        self.setCursor(cursor)
        self.update()

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        self._at = event.position()
        action = self._dragged
        drop = self.drop
        is_placed = action in self.places.bars
        self._pressed = None
        self._dragged = None
        if action is not None and drop is not None:
            self._drop(action, drop, is_placed)
        elif action is not None and not is_placed:
            self.game.place(action)
        self.update()

    def _drop(self, action: Action, drop: Drop, is_placed: bool) -> None:
        lane = self.game.board.lane_of(action)
        if drop.lane != lane:
            refusal = tr(
                "Stage {stage} is on lane {lane}, so its passes stay there.",
                stage=action.stage,
                lane=lane,
            )
            self.game.said.emit(refusal)
        elif drop.other is not None:
            self.game.swap(action, drop.other)
        elif is_placed:
            self.game.move(action, drop.position)
        else:
            self.game.place(action, drop.position)

    # Keys

    @override
    def event(self, event: QEvent) -> bool:
        # Several of these keys are also shortcuts of the window; the board handles them while it
        # has the focus.
        is_override = event.type() is QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and self._takes(event):
            event.accept()
            return True
        return super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        held = event.modifiers()
        if held & _CONTROL and key in CONTROL_KEYS:
            self._press_with_control(key, bool(held & _SHIFT))
        elif key in DIGITS:
            self._stage = DIGITS.index(key)
        elif key in LETTERS:
            # The digit before a letter is the stage, as in `2F1`.
            stage = self._stage
            self._stage = None
            self.game.place_next(LETTERS[key], stage)
        elif key in self._single_keys:
            self._single_keys[key]()
        elif key is Qt.Key.Key_Up:
            self.game.go_to_lane(self.game.lane - 1)
        elif key is Qt.Key.Key_Down:
            self.game.go_to_lane(self.game.lane + 1)
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

    def _press_with_control(self, key: Qt.Key, shift: bool) -> None:
        """Undo, redo, or select all passes, according to `key`, one of CONTROL_KEYS."""
        if key is Qt.Key.Key_A:
            orders = self.game.board.orders
            self.game.select(one for order in orders for one in order)
        elif key is Qt.Key.Key_Z and not shift:
            self.game.undo()
        else:
            self.game.redo()

    def _takes(self, event: QKeyEvent) -> bool:
        """Return True if the board handles a key."""
        key = Qt.Key(event.key())
        if event.modifiers() & _CONTROL:
            return key in CONTROL_KEYS
        if key in DIGITS:
            # The board handles digits only if a lane has several stages.
            return self.game.board.rules.chunks > 1
        if key is Qt.Key.Key_Escape:
            return bool(self.game.selected)
        return key in LETTERS or key in self._single_keys or key in ARROWS

    def _select_next(self, by: int, added: bool) -> None:
        """Select the next pass (1) or the previous one (-1) on the current lane.

        If no pass of the lane was selected last, begin with the first or the last pass.
        """
        selected = self.game.selected
        order = self.game.board.orders[self.game.lane]
        if not order:
            return
        last_place = len(order) - 1
        last = selected[-1] if selected else None
        if last in order:
            next_place = order.index(last) + by
            place = max(0, min(next_place, last_place))
        else:
            place = 0 if by > 0 else last_place
        chosen = order[place]
        if not added:
            self.game.select((chosen,))
            return
        before = [one for one in selected if one != chosen]
        self.game.select((*before, chosen))

    def _shift_selected(self, by: int) -> None:
        """Move the selected pass by one place in its lane, if only one is selected."""
        game = self.game
        if len(game.selected) != 1:
            return
        action = game.selected[0]
        order = game.board.orders[game.lane]
        place = order.index(action) + by
        if 0 <= place < len(order):
            game.move(action, place)

    # Painting

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            ink = Ink.of(painter, self.font(), self.theme)
            drawn = BoardPainter(ink, self.places, self.game)
            drawn.draw(self.rect(), self.hasFocus(), self.devicePixelRatioF())
            drop = self.drop
            if self._dragged is not None and drop is not None:
                drawn.draw_dragged(self._dragged, self._at, drop)

    def _new_geometry(self) -> BoardGeometry:
        puzzle = self.game.puzzle
        goal = None if puzzle is None else puzzle.goal.step
        return BoardGeometry(self.game.board, self.width(), goal or 0, self._room)


def _words(board: Board) -> str:
    """Return a description of a board for screen readers: the passes of each lane."""
    lines = []
    for lane, order in enumerate(board.orders):
        passes = " ".join(map(str, order)) or tr("empty")
        lines.append(tr("lane {lane}: {passes}", lane=lane, passes=passes))
    return join_clauses(lines)


def _full_name(action: Action) -> str:
    """Return the name of a pass with its stage, in words."""
    return tr("{action} of stage {stage}", action=pass_text(action), stage=action.stage)
