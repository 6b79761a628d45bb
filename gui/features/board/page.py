"""The page of the board: its settings, the puzzle, the board itself, and its figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLayout, QPushButton, QScrollArea, QToolButton

from core.board.board import Board
from core.board.par import Par, pars, schedule_board
from core.board.puzzle import Puzzle, read_puzzle, shipped_puzzles
from core.board.rules import MOST_LANES, MOST_MICROBATCHES, BoardRules
from core.board.timing import timed_board
from core.lessons.text import LessonError
from core.override import override
from core.plan.pipeline.options import SCHEDULE
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification, with_defaults
from gui.app.language import in_language
from gui.features.board.canvas import BoardCanvas
from gui.features.board.game import FIRST, BoardGame, time_text
from gui.look.text import percent_text, problem_text, tr
from gui.look.theme import Theme
from gui.widgets.fields import Choice, choice, whole
from gui.widgets.label import Label
from gui.widgets.layouts import NO_MARGINS, LayoutPart, button, column, named, row, widget_of

FREE = ""
MOST_LIMIT = MOST_MICROBATCHES * 2
PARS = 5  # largest number of schedules whose par is shown


class _BoardFrame(QScrollArea):
    """Shrinks the board to fit its height, and scrolls it if that is not enough."""

    def __init__(self, canvas: BoardCanvas) -> None:
        super().__init__()
        self._canvas = canvas
        self.setWidget(canvas)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._canvas.set_room(self.viewport().height())


class BoardPage(QFrame):
    """Shows a game. `closed` asks to leave the page, `run_asked` to run the finished board.

    `failed` carries a problem. `settings` are those of the run that the board was made from, if
    any.
    """

    closed = Signal()
    run_asked = Signal()
    failed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("plot")
        self.game = BoardGame(self)
        self.canvas = BoardCanvas(self.game)
        self.settings: Specification | None = None
        self._build()
        self.game.changed.connect(self._show)
        self.game.said.connect(self._say)
        self._begin_free()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.canvas.set_theme(theme)

    @property
    def schedule_title(self) -> str:
        """The title of the board: the puzzle's, or the origin of the schedule."""
        if self.game.puzzle is not None:
            return self.game.puzzle.title
        if self.settings is None:
            return tr("made by hand")
        chosen = with_defaults(self.settings)[SCHEDULE] or ""
        schedule = SCHEDULES.get(chosen)
        if schedule is None:
            # A schedule from a file, perhaps saved from a board, keeps its name.
            return Path(chosen).stem
        return tr("{schedule}, edited", schedule=tr(schedule.title))

    def open_puzzle(self, path: Path) -> None:
        """Begin a puzzle; `failed` reports an invalid file."""
        try:
            puzzle = read_puzzle(in_language(path))
        except LessonError as error:
            self.failed.emit(problem_text(error))
            return
        self.settings = None
        self.game.begin(puzzle.start, puzzle)
        place = self.puzzles.findData(str(path))
        self.puzzles.setCurrentIndex(
            max(0, place)
        )  # the first entry is for boards without a puzzle
        self._show_rules(puzzle.start.rules)
        self.canvas.setFocus()

    def open_board(self, board: Board, settings: Specification | None = None) -> None:
        """Begin with a board without a puzzle; `settings` are of the run that it was made from."""
        self.settings = settings
        self.puzzles.setCurrentIndex(0)
        self._show_rules(board.rules)
        self.game.begin(board)
        self.canvas.setFocus()

    def _build(self) -> None:
        self.puzzles = self._puzzle_choice()
        self.lanes = named(whole(1, MOST_LANES, FIRST.lanes), tr("Lanes"))
        count = whole(1, MOST_MICROBATCHES, FIRST.microbatches)
        self.microbatches = named(count, tr("Micro-batches"))
        self.passes = named(choice([("F B", "whole", ""), ("F I W", "split", "")]), tr("Passes"))
        self.stages = named(
            choice(
                [
                    (tr("1 stage a lane"), "1", ""),
                    (tr("2 stages a lane"), "2", ""),
                    (tr("2 stages, down and back"), "vee", ""),
                ]
            ),
            tr("Stages"),
        )
        self.limit = named(
            whole(0, MOST_LIMIT, 0, tr("none")),
            tr("Memory limit"),
            tr("The most activations that a lane should hold, each of one stage and micro-batch."),
        )
        for field in (self.lanes, self.microbatches, self.limit):
            field.valueChanged.connect(self._begin_free)
        for choices in (self.passes, self.stages):
            choices.currentIndexChanged.connect(self._begin_free)
        self.passes.setMinimumWidth(74)
        self.stages.setMinimumWidth(120)
        self.start = self._start_choice()
        self.close_button = button(
            QToolButton,
            "✕",
            tr("Close the board; its passes are kept."),
            self.closed.emit,
            tr("Close"),
        )
        self.title = Label("", "said", wrapped=True)
        self.text = Label("", wrapped=True)
        self.message = Label("", wrapped=True)
        self.figures = Label("", "said")
        self.par = Label("", "quiet", wrapped=True)
        self._make_buttons()
        scrolled = _BoardFrame(self.canvas)
        first = row(
            self.puzzles, self.start, None, self.close_button, margins=NO_MARGINS, spacing=8
        )
        self._settings = widget_of(self._settings_row(), "plot")
        buttons = row(
            self.undo,
            self.redo,
            self.hint,
            self.stamp,
            self.clear,
            None,
            self.run,
            margins=NO_MARGINS,
            spacing=6,
        )
        column(
            first,
            self._settings,
            self.title,
            self.text,
            scrolled,
            self.message,
            self.figures,
            self.par,
            buttons,
            of=self,
            growing=scrolled,
            margins=(16, 10, 12, 10),
            spacing=6,
        )

    def _settings_row(self) -> QLayout:
        parts: list[LayoutPart] = []
        for title, field in (
            (tr("Lanes"), self.lanes),
            (tr("Micro-batches"), self.microbatches),
            (tr("Passes"), self.passes),
            ("", self.stages),
            (tr("Memory limit"), self.limit),
        ):
            if title:
                parts.append(Label(title, "quiet"))
            parts += [field, 2]
        return row(*parts, None, margins=NO_MARGINS, spacing=5)

    def _make_buttons(self) -> None:
        game = self.game
        self.undo = button(QPushButton, tr("Undo"), tr("Undo the last move (Ctrl+Z)."), game.undo)
        tip = tr("Redo the move (Ctrl+Shift+Z).")
        self.redo = button(QPushButton, tr("Redo"), tip, game.redo)
        tip = tr("Say which pass to place next (H).")
        self.hint = button(QPushButton, tr("Hint"), tip, game.hint)
        tip = tr("Repeat the selected passes for the next micro-batches (T).")
        self.stamp = button(QPushButton, tr("Repeat"), tip, game.stamp)
        self.clear = button(QPushButton, tr("Start again"), tr("Go back to the start."), game.clear)
        tip = tr("Save the board as a schedule, run it on virtual lanes, and verify it.")
        self.run = button(QPushButton, tr("▶  Run it"), tip, self.run_asked.emit)
        self.run.setObjectName("primary")
        for one in (self.undo, self.redo, self.hint, self.stamp, self.clear):
            # A click leaves the focus on the board, so that its keys still work.
            one.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def _puzzle_choice(self) -> Choice:
        entries = [(tr("A schedule of your own"), FREE, "")]
        for number, path in enumerate(shipped_puzzles(), 1):
            try:
                puzzle = read_puzzle(in_language(path))
            except LessonError:  # the tests check all shipped puzzles
                continue
            title = tr("Puzzle {n}: {title}", n=number, title=puzzle.title)
            entries.append((title, str(path), puzzle.about))
        made = named(choice(entries), tr("Puzzle"))
        made.setMinimumWidth(300)
        made.activated.connect(self._choose_puzzle)
        return made

    def _start_choice(self) -> Choice:
        entries = [(tr("Start from…"), FREE, "")]
        for schedule in SCHEDULES.values():
            if schedule_board(schedule, 2, 4) is not None:
                entries.append((tr(schedule.title), schedule.name, tr(schedule.line)))
        made = named(choice(entries), tr("Start from a schedule"))
        made.setMinimumWidth(150)
        made.activated.connect(self._choose_start)
        return made

    def _choose_puzzle(self, place: int) -> None:
        path = self.puzzles.itemData(place)
        if path == FREE:
            self._begin_free()
        else:
            self.open_puzzle(Path(path))

    def _choose_start(self, place: int) -> None:
        name = self.start.itemData(place)
        self.start.setCurrentIndex(0)
        if name == FREE:
            return
        board = schedule_board(SCHEDULES[name], self.lanes.value(), self.microbatches.value())
        if board is None:
            self._say(tr("That schedule does not support these numbers."))
            return
        self.open_board(board)

    def _begin_free(self, *_: object) -> None:
        """Begin an empty board with the settings of the fields."""
        self.settings = None
        self.puzzles.setCurrentIndex(0)
        stages = self.stages.currentData()
        rules = BoardRules.of(
            lanes=self.lanes.value(),
            microbatches=self.microbatches.value(),
            split=self.passes.currentData() == "split",
            chunks=1 if stages == "1" else 2,
            vee=stages == "vee",
            limit=self.limit.value() or None,
        )
        self.game.begin(Board.empty(rules))

    def _show_rules(self, rules: BoardRules) -> None:
        """Show a board's rules in the fields, without beginning another board."""
        stages = "1" if rules.chunks == 1 else "2"
        ends_on_first_lane = rules.lanes > 1 and rules.stage_lanes[-1] == 0
        if rules.chunks == 2 and ends_on_first_lane:
            stages = "vee"
        fields = (self.lanes, self.microbatches, self.passes, self.stages, self.limit)
        for field in fields:
            field.blockSignals(True)
        self.lanes.setValue(rules.lanes)
        self.microbatches.setValue(rules.microbatches)
        passes = "split" if rules.split else "whole"
        self.passes.setCurrentIndex(self.passes.findData(passes))
        self.stages.setCurrentIndex(self.stages.findData(stages))
        self.limit.setValue(rules.limit or 0)
        for field in fields:
            field.blockSignals(False)

    def _show(self) -> None:
        game = self.game
        board = game.board
        puzzle = game.puzzle
        timed = timed_board(board)
        self._settings.setVisible(puzzle is None)
        self.start.setVisible(puzzle is None)
        self.title.setVisible(puzzle is not None)
        self.text.setVisible(puzzle is not None)
        if puzzle is not None:
            self.title.setText(_goal_text(puzzle))
            self.text.setText(puzzle.text)
        figures = tr(
            "Step {step} · bubble {bubble} · at most {memory} activations on a lane",
            step=time_text(board.rules, timed.makespan),
            bubble=percent_text(timed.bubble),
            memory=timed.peak,
        )
        self.figures.setText(figures)
        self.par.setText(_par_text(pars(board.rules), board.rules))
        self.undo.setEnabled(bool(game.history.past))
        self.redo.setEnabled(bool(game.history.undone))
        self.stamp.setEnabled(bool(game.selected))
        self.run.setEnabled(board.complete)
        if board.complete and not game.selected:
            self._say_end()

    def _say_end(self) -> None:
        puzzle = self.game.puzzle
        if puzzle is None:
            self._say(tr("The schedule is complete: run it."))
        elif puzzle.is_solved(self.game.board):
            self._say(tr("Solved. {explanation}", explanation=puzzle.done))
        else:
            self._say(tr("Complete, but the goal is not met: move passes, or undo."))

    def _say(self, text: str) -> None:
        if not text and self.game.board.complete:
            self._say_end()
            return
        if not text and not self.game.board.placed:
            text = tr(
                "Click a pass below a lane to place it, or press F or B. Drag a bar to move it; "
                "drop it on another one to exchange them."
            )
        # A space, because an empty label would be lower than a line.
        self.message.setText(text or " ")


def _goal_text(puzzle: Puzzle) -> str:
    goal = puzzle.goal
    if goal.memory is None:
        return tr("Goal: a step of at most {step}", step=f"{goal.step:g}")
    if goal.step is None:
        return tr("Goal: at most {memory} activations on each lane", memory=goal.memory)
    return tr(
        "Goal: a step of at most {step}, and at most {memory} activations on each lane",
        step=f"{goal.step:g}",
        memory=goal.memory,
    )


def _par_text(found: Sequence[Par], rules: BoardRules) -> str:
    if not found:
        return tr("No par: no formula applies to these numbers and times.")
    parts: list[str] = []
    for par in found[:PARS]:
        text = tr(
            "{name} {step}, {memory}",
            name=tr(par.title),
            step=time_text(rules, par.step),
            memory=f"{par.memory:g}",
        )
        parts.append(text)
    return tr("Par (step, activations): {schedules}", schedules=" · ".join(parts))
