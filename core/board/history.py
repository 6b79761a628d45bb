"""The boards of a game, to undo and redo moves."""

from __future__ import annotations

from dataclasses import dataclass

from core.board.board import Board


@dataclass(frozen=True, slots=True)
class History:
    """The current board, the earlier boards, and the undone ones, each with the latest last."""

    now: Board
    past: tuple[Board, ...] = ()
    undone: tuple[Board, ...] = ()

    def then(self, board: Board) -> History:
        """Return the history after a move; moves that were undone are forgotten."""
        if board == self.now:
            return self
        return History(board, (*self.past, self.now))

    def undo(self) -> History:
        """Return the history without its last move; itself if there is none."""
        if not self.past:
            return self
        return History(
            now=self.past[-1],
            past=self.past[:-1],
            undone=(*self.undone, self.now),
        )

    def redo(self) -> History:
        """Return the history with the move that was undone last; itself if there is none."""
        if not self.undone:
            return self
        return History(
            now=self.undone[-1],
            past=(*self.past, self.now),
            undone=self.undone[:-1],
        )
