"""Puzzles: lesson files with a board to complete.

    ---
    title: One forward, one backward
    lanes: 3
    microbatches: 4
    passes: F B
    step: 1f1b
    memory: 3
    ---

    GPipe keeps every micro-batch. Hold no more than three.

    Done: This is 1F1B.

A puzzle has one or both of two goals: `step`, the longest step in units of a forward, and `memory`,
the most activations of a lane. Each is a number, or a schedule whose step or memory must be reached
(`1f1b`) or beaten (`< 1f1b`). `passes` are `F B` (a whole backward takes 2 units)
or `F I W` (1 each). `chunks: 2` gives each lane two stages, and `placement: vee` places them down
the lanes and back. `start` names a schedule that is on the board from the beginning. `about`, for
lists, `Hint:` and `Done:` are optional.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

from core.board.board import Board
from core.board.par import par_of, schedule_board
from core.board.rules import MOST_CHUNKS, MOST_LANES, MOST_MICROBATCHES, BoardRules
from core.board.timing import timed_board
from core.lessons.text import LineError, naming, read_header, read_lines
from core.message import message
from core.option import listed
from core.paths import RESOURCES
from core.plan.schedules import SCHEDULES

FOLDER = RESOURCES / "puzzles"
_NAMES = (
    "title",
    "about",
    "lanes",
    "microbatches",
    "passes",
    "chunks",
    "placement",
    "step",
    "memory",
    "start",
)
_KEYWORDS = ("Hint", "Done")


@dataclass(frozen=True, slots=True)
class Goal:
    """The most that a step may take, and the most activations of a lane; None without a goal."""

    step: float | None = None
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A puzzle; `name` is its file's name without the extension, and `start` its first board."""

    name: str
    title: str
    about: str
    text: str
    hint: str
    done: str
    start: Board
    goal: Goal

    def is_solved(self, board: Board) -> bool:
        """Return True for a complete board that reaches the goals."""
        if not board.complete:
            return False
        timed = timed_board(board)
        is_short = self.goal.step is None or timed.makespan <= self.goal.step
        is_small = self.goal.memory is None or timed.peak <= self.goal.memory
        return is_short and is_small


def shipped_puzzles() -> list[Path]:
    """Return the files of the built-in puzzles, in order."""
    return sorted(FOLDER.glob("*.md"))


def read_puzzle(path: Path) -> Puzzle:
    """Read a puzzle and check all of it. Raises LessonError in one line."""
    with naming(path):
        lines = read_lines(path)
        values, first = read_header(lines)
        line_numbers = {name: _line_of(lines, name) for name in values}
        header = _Header(values, line_numbers)
        rules = header.rules()
        goal = header.goal(rules)
        rules = replace(rules, limit=goal.memory)
        texts = _texts(lines[first:])
        return Puzzle(
            name=path.stem,
            title=values["title"],
            about=values.get("about", ""),
            text=texts[""],
            hint=texts["Hint"],
            done=texts["Done"],
            start=header.start(rules),
            goal=goal,
        )


def _line_of(lines: list[str], name: str) -> int:
    """Return the number of the header's line for a name; 1 if there is none."""
    for number, line in enumerate(lines, 1):
        if line.partition(":")[0].strip() == name:
            return number
    return 1


def _texts(lines: list[str]) -> dict[str, str]:
    """Return the paragraph, and the text after each keyword; "" where there is none."""
    parts: dict[str, list[str]] = {}
    for name in ("", *_KEYWORDS):
        parts[name] = []
    for line in lines:
        keyword, colon, text = line.partition(":")
        if colon and keyword in _KEYWORDS:
            parts[keyword].append(text.strip())
        elif line.strip():
            parts[""].append(line.strip())
    return {name: " ".join(words) for name, words in parts.items()}


@dataclass(frozen=True, slots=True)
class _Header:
    """The header of a puzzle: its values, and the number of the line of each."""

    values: dict[str, str]
    lines: dict[str, int]

    def rules(self) -> BoardRules:
        """Return the rules of the board, without a limit. Raises LineError."""
        for name in self.values:
            if name not in _NAMES:
                raise self._error(name, name, listed(list(_NAMES)))
        split = self._choice("passes", ("F B", "F I W")) == "F I W"
        vee = self._choice("placement", ("loop", "vee")) == "vee"
        chunks = self._number(
            name="chunks",
            default=1,
            least=1,
            most=MOST_CHUNKS,
        )
        if vee and chunks == 1:
            raise self._error("placement", "vee", "chunks: 2")
        lanes = self._number(
            name="lanes",
            default=None,
            least=1,
            most=MOST_LANES,
        )
        microbatches = self._number(
            name="microbatches",
            default=None,
            least=1,
            most=MOST_MICROBATCHES,
        )
        return BoardRules.of(lanes, microbatches, split, chunks, vee)

    def goal(self, rules: BoardRules) -> Goal:
        """Return the goals. Raises LineError, also if there is none."""
        if "step" not in self.values and "memory" not in self.values:
            raise LineError(2, message("a puzzle needs a goal: a line step: … or memory: …"))
        memory = self._goal("memory", rules)
        step = self._goal("step", rules)
        if memory is None:
            return Goal(step, None)
        return Goal(step, int(memory))

    def start(self, rules: BoardRules) -> Board:
        """Return the first board. Raises LineError."""
        name = self.values.get("start")
        if name is None:
            return Board.empty(rules)
        board = None
        if name in SCHEDULES:
            board = schedule_board(SCHEDULES[name], rules.lanes, rules.microbatches)
        if board is None or board.rules.stage_lanes != rules.stage_lanes:
            raise self._error("start", name, message("a schedule for these lanes and stages"))
        return Board(rules, board.orders)

    def _goal(self, name: str, rules: BoardRules) -> float | None:
        """Return the largest step or memory that is allowed; None without such a goal."""
        text = self.values.get(name)
        if text is None:
            return None
        words = text.split()
        is_beaten = words[:1] == ["<"]
        if is_beaten:
            words = words[1:]
        value = ""
        if len(words) == 1:
            [value] = words
        if value.isdecimal() and not is_beaten and 0 < int(value) < 10_000:
            return int(value)
        par = None
        if value in SCHEDULES:
            par = par_of(rules, SCHEDULES[value])
        if par is None:
            raise self._error(name, text, message("a number, or a schedule with a formula"))
        most = par.step if name == "step" else par.memory
        if not is_beaten:
            return most
        # Steps of unit times and numbers of activations are whole.
        return ceil(most) - 1

    def _choice(self, name: str, choices: tuple[str, ...]) -> str:
        value = self.values.get(name, choices[0])
        if value not in choices:
            raise self._error(name, value, listed(list(choices)))
        return value

    def _number(self, name: str, default: int | None, least: int, most: int) -> int:
        default_text = "" if default is None else str(default)
        value = self.values.get(name, default_text)
        is_accepted = value.isdecimal() and least <= int(value[:6]) <= most
        if not is_accepted:
            accepted = message("{least} to {most}", least=least, most=most)
            raise self._error(name, value, accepted)
        return int(value)

    def _error(self, name: str, value: str, accepted: object) -> LineError:
        return LineError(
            self.lines.get(name, 2),
            message("{name}: {value!r}: use {accepted}", name=name, value=value, accepted=accepted),
        )
