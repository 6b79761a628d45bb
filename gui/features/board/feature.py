"""Make a schedule: a board on which passes are placed by hand, and puzzles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from core.board.dropping import Dropped, pass_of
from core.message import N_
from core.paths import data_folder
from core.trace.span import Span
from gui.app.dialogs import ask_open
from gui.app.feature import Action, Feature, Group, Menu
from gui.app.run import Run
from gui.features.compare.feature import CompareFeature
from gui.features.predict.feature import PredictFeature
from gui.features.run.feature import RunFeature
from gui.features.run.used import settings_of
from gui.look.text import problem_text, sentence, tr
from gui.look.theme import Theme

if TYPE_CHECKING:
    from gui.features.board.page import BoardPage
    from gui.features.board.running import BoardRuns

KIND = N_("Puzzles (*.md)")


class BoardFeature(Feature):
    """The page of the board, which replaces the timeline while it is open."""

    @property
    def groups(self) -> Sequence[Group]:
        return (
            Group(
                Menu.RUN,
                (
                    Action(
                        "make_schedule",
                        N_("Make a schedule"),
                        self.open,
                        "Ctrl+Shift+M",
                        N_("Place the passes of a pipeline by hand, run them, or solve puzzles."),
                    ),
                    Action(
                        "edit_schedule",
                        N_("Edit this schedule"),
                        self.edit,
                        "",
                        N_("Copy the visible step to the board, with its own times."),
                    ),
                    Action(
                        "open_puzzle",
                        N_("Open puzzle…"),
                        self.ask,
                        "",
                        N_(
                            "Open your own puzzle from a file; docs/board.md says how to write one."
                        ),
                    ),
                ),
            ),
        )

    @cached_property
    def page(self) -> BoardPage:
        """The page, made when it is first opened."""
        from gui.features.board.page import BoardPage

        made = BoardPage()
        made.set_theme(self.shell.theme)
        made.closed.connect(self.close_page)
        made.failed.connect(self.shell.banner.say)
        made.run_asked.connect(
            lambda: self.runs.begin(made.game.board, made.schedule_title, made.settings)
        )
        return made

    @cached_property
    def runs(self) -> BoardRuns:
        """Runs boards, and shows each next to its prediction."""
        from gui.features.board.running import BoardRuns

        control = self.shell.feature(RunFeature).control
        made = BoardRuns(self, control.run_beside, data_folder() / "bubblescope" / "boards")
        made.failed.connect(self.shell.banner.say)
        made.predicted.connect(self._compare)
        self.shell.feature(PredictFeature).overlay.ready.connect(made.take_prediction)
        return made

    def open(self) -> None:
        """Show the board in its last state."""
        self.shell.centre.show_page(self.page)
        self.page.canvas.setFocus()

    def start(self) -> None:
        lifter = self.shell.timeline.lifter
        lifter.accepts = True
        lifter.dropped.connect(self._move_bar)

    def edit(self) -> None:
        """Put the step on screen on the board, or show why it does not fit."""
        scene = self.shell.scene
        step = None if scene is None else scene.described
        if step is None:
            self.shell.note(tr("There is no step yet: press Run, or open a recording."))
        else:
            self._edit_step(step)

    def _edit_step(self, step: int) -> bool:
        """Put a step of the run shown on the board; if it does not fit, show why, return False."""
        from core.board.from_run import board_of_run

        run = self.shell.run_shown
        if run is None:
            return False
        try:
            board = board_of_run(run.trace, step)
        except ValueError as error:
            self.shell.banner.say(sentence(problem_text(error)))
            return False
        settings = settings_of(run.trace.header)
        self.open()
        self.page.open_board(board, None if isinstance(settings, str) else settings)
        return True

    def _move_bar(self, span: Span, drop: Dropped) -> None:
        """Put the step of a dragged bar on the board, and make the move there."""
        action = pass_of(span)
        if action is None or not self._edit_step(span.step):
            return
        game = self.page.game
        order = game.board.orders[game.board.lane_of(action)]
        game.select_one(action, added=False)
        if drop.other is not None:
            game.swap(action, drop.other)
        elif drop.position != order.index(action):
            game.move(action, drop.position)

    def ask(self) -> None:
        """Ask for a puzzle file, and begin the puzzle."""
        title = tr("Open puzzle")
        folder = self.shell.settings.folder

        window = self.shell.main_window
        ask_open(window, title, folder, [tr(KIND)], lambda paths: self.open_puzzle(paths[0]))

    def open_puzzle(self, path: Path) -> None:
        """Show the board, and begin the puzzle of a file."""
        self.open()
        self.page.open_puzzle(path)

    def close_page(self) -> None:
        """Go back to the run that is shown, or to the first page."""
        run = self.shell.run_shown
        if run is None:
            self.shell.centre.show_first_page()
        else:
            self.shell.show_run(run)

    def set_theme(self, theme: Theme) -> None:
        if "page" in vars(self):
            self.page.set_theme(theme)

    def _compare(self, run: Run) -> None:
        """Show the run of a board above its prediction; Space plays both on one clock."""
        from gui.features.compare.chooser import others

        if run is self.shell.run_shown:
            prediction, *_ = others([], run)
            self.shell.feature(CompareFeature).comparing.begin(prediction)
