"""Saves a board as a schedule, runs it with verification, and waits for its prediction."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.board.board import Board
from core.board.saving import board_run, own_run, save_board
from core.plan.pipeline.options import SCHEDULE
from core.plan.specification import Specification
from gui.app.run import Run
from gui.look.text import tr


class BoardRuns(QObject):
    """Runs boards. `failed` carries a problem, `predicted` a run of a board with its prediction.

    `start` starts a run and returns True if it could. Schedules are saved in `folder`.
    """

    failed = Signal(str)
    predicted = Signal(object)

    def __init__(
        self, parent: QObject, start: Callable[[Specification], bool], folder: Path
    ) -> None:
        super().__init__(parent)
        self._start = start
        self._folder = folder
        self.schedule: str | None = None

    def begin(self, board: Board, title: str, settings: Specification | None = None) -> None:
        """Save a complete board and run it, with the settings of another run if they are given.

        `title` becomes the title of the run.
        """
        try:
            path = save_board(board, self._folder, title)
        except OSError as error:
            self.failed.emit(
                tr("The schedule cannot be saved: {reason}.", reason=error.strerror or str(error))
            )
            return
        if settings is None:
            specification = board_run(board, path)
        else:
            specification = own_run(board, path, settings)
        if self._start(specification):
            self.schedule = str(path)
        else:
            self.failed.emit(tr("A run is under way: run the board when it has ended."))

    def take_prediction(self, run: Run) -> None:
        """Emit `predicted` if this is the run of the last board and its prediction is known."""
        is_of_board = run.trace.header.specification[SCHEDULE] == self.schedule
        if self.schedule is not None and is_of_board and run.prediction is not None:
            # Only once: the run may be predicted again when it is shown again.
            self.schedule = None
            self.predicted.emit(run)
