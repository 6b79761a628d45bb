"""The boards of a game, to undo and redo moves."""

from __future__ import annotations

from dataclasses import dataclass

from core.board.board import Board


@dataclass(frozen=True, slots=True)
class History:
    """The present board, and the earlier and the undone ones, each with the latest last."""

    now: Board
    past: tuple[Board, ...] = ()
    undone: tuple[Board, ...] = ()

    def then(self, board: Board) -> History:
        """Return the history after a move; moves that were undone are forgotten."""
        return self if board == self.now else History(board, (*self.past, self.now))

    def undo(self) -> History:
        """Return the history without its last move; itself if there is none."""
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (*self.undone, self.now))

    def redo(self) -> History:
        """Return the history with the move that was undone last; itself if there is none."""
        if not self.undone:
            return self
        return History(self.undone[-1], (*self.past, self.now), self.undone[:-1])
