"""The game on a board: moves with undo, selection, hints, and the puzzle, if there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, Signal

from core.board.board import Board, IllegalMoveError, pass_text
from core.board.hint import hint
from core.board.history import History
from core.board.puzzle import Puzzle
from core.board.rules import BoardRules
from core.message import error_message
from core.plan.schedules.schedule import Action
from core.plan.task import Kind
from gui.look.core_texts import translated
from gui.look.text import duration_text, sentence, tr

FIRST = BoardRules.of(lanes=3, microbatches=4)


class BoardGame(QObject):
    """Makes moves. `changed` is emitted after each change, `said` carries a line for the player.

    `lane` is the lane to which keys apply. `hinted` is the pass of the last hint, until the next
    move.
    """

    changed = Signal()
    said = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.history = History(Board.empty(FIRST))
        self.puzzle: Puzzle | None = None
        self.selected: tuple[Action, ...] = ()
        self.hinted: Action | None = None
        self.lane = 0

    @property
    def board(self) -> Board:
        """The board now."""
        return self.history.now

    def begin(self, board: Board, puzzle: Puzzle | None = None) -> None:
        """Begin with a board; `puzzle` is the puzzle that it belongs to, if any."""
        self.history = History(board)
        self.puzzle = puzzle
        self.selected = ()
        self.hinted = None
        self.lane = 0
        self.said.emit("")
        self.changed.emit()

    def place(self, action: Action, at: int | None = None) -> bool:
        """Place a pass at a position of its lane, or at its end; False if that is illegal."""
        return self._try(lambda: self.board.place(action, at), (action,))

    def move(self, action: Action, at: int) -> bool:
        """Move a pass to a position of its lane; False if that is illegal."""
        return self._try(lambda: self.board.move(action, at), (action,))

    def swap(self, first: Action, second: Action) -> bool:
        """Exchange two passes; False if that is illegal."""
        return self._try(lambda: self.board.swap(first, second), self.selected)

    def swap_selected(self) -> bool:
        """Exchange the two selected passes; False if that is illegal."""
        if len(self.selected) != 2:
            self.said.emit(tr("Select the two passes to exchange first."))
            return False
        return self.swap(*self.selected)

    def remove_selected(self) -> bool:
        """Remove the selected passes; False if that is illegal, or if none is selected."""
        if not self.selected:
            return False
        return self._try(lambda: self.board.remove(self.selected), ())

    def stamp(self) -> bool:
        """Repeat the selected passes for the next micro-batches; False if that is illegal."""
        if not self.selected:
            self.said.emit(tr("Select the passes to repeat first."))
            return False
        return self._try(lambda: self.board.stamp(self.selected), self.selected)

    def place_next(self, kind: Kind, stage: int | None = None) -> bool:
        """Place the next pass of a kind on the current lane; with `stage`, of that stage.

        Returns False if that is illegal.
        """
        board = self.board
        wanted = []
        for action in board.missing():
            is_mine = board.lane_of(action) == self.lane
            if is_mine and action.kind is kind and stage in (None, action.stage):
                wanted.append(action)
        if not wanted:
            letter = kind.letter
            self.said.emit(tr("Lane {lane} has no {letter} left.", lane=self.lane, letter=letter))
            return False
        ready = [one for one in board.ready() if one in wanted]
        candidates = ready or wanted
        return self.place(candidates[0])

    def undo(self) -> None:
        """Undo the last move."""
        self._go(self.history.undo())

    def redo(self) -> None:
        """Repeat the move that was undone last."""
        self._go(self.history.redo())

    def clear(self) -> None:
        """Return to an empty board, or to the start of the puzzle; this can be undone."""
        empty = Board.empty(self.board.rules)
        start = empty if self.puzzle is None else self.puzzle.start
        self._go(self.history.then(start))

    def hint(self) -> None:
        """Say which pass to place next."""
        found = hint(self.board)
        if found is None:
            if self.board.complete:
                text = tr("Every pass is placed. Move or exchange passes, or undo.")
            else:
                text = tr("No solution within the memory limit was found: undo a few moves.")
            self.said.emit(text)
            return
        action = found.action
        self.hinted = action
        self.lane = self.board.lane_of(action)
        text = tr(
            "Place {action} of stage {stage} next: lane {lane} can start it at {start}.",
            action=pass_text(action),
            stage=action.stage,
            lane=self.lane,
            start=time_text(self.board.rules, found.start),
        )
        # The author's own hint is first, because the name of the pass gives away more.
        advice = "" if self.puzzle is None else self.puzzle.hint
        self.changed.emit()
        self.said.emit(f"{advice} {text}".strip())

    def select(self, actions: Iterable[Action]) -> None:
        """Select passes of the board."""
        self.selected = tuple(dict.fromkeys(actions))
        if self.selected:
            last = self.selected[-1]
            self.lane = self.board.lane_of(last)
        self.changed.emit()

    def select_one(self, action: Action, added: bool) -> None:
        """Select only this pass, or, if `added`, add it to the selection or remove it."""
        if not added:
            self.select((action,))
        elif action in self.selected:
            self.select(one for one in self.selected if one != action)
        else:
            self.select((*self.selected, action))

    def go_to_lane(self, lane: int) -> None:
        """Apply keys to this lane from now on, and clear the selection."""
        last = self.board.rules.lanes - 1
        self.lane = max(0, min(lane, last))
        self.selected = ()
        self.changed.emit()

    def _try(self, move: Callable[[], Board], selected: tuple[Action, ...]) -> bool:
        try:
            board = move()
        except IllegalMoveError as refused:
            self.said.emit(sentence(translated(error_message(refused))))
            return False
        self.selected = selected
        self._go(self.history.then(board), keep=True)
        return True

    def _go(self, history: History, keep: bool = False) -> None:
        self.history = history
        self.hinted = None
        if not keep:
            placed = history.now.placed
            self.selected = tuple(one for one in self.selected if one in placed)
        if self.selected:
            last = self.selected[-1]
            self.lane = self.board.lane_of(last)
        self.said.emit("")
        self.changed.emit()


def time_text(rules: BoardRules, time: float) -> str:
    """Return a time in the unit of a board's times."""
    if rules.times.measured:
        return duration_text(time)
    return f"{time:g}"
