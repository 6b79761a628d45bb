"""A lesson as a file has it: Markdown with a header, read and checked before anything runs.

    ---
    title: One batch on several devices
    ---

    ## The batch is split

    Each device gets a copy of the model and a part of the rows.

        --strategy dp --model tutorial --devices 2xvirtual --batch 30

    Point: batch

    Question: How many rows does each of two devices get?

    Answer: {split}. [as measured]

A step is a heading, a paragraph, one run or several (indented, the options of `run`), the panel
that it points at, a question and its answer. Names in braces are figures of the step's last run,
`{step_ms@1}` of its first (core.lessons.figures).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.files import reason
from core.lessons.figures import FIGURES
from core.option import flag_of, listed
from core.paths import RESOURCES
from core.plan.specification import OPTIONS, Specification, check, specification_of
from core.plan.task import PlanError

FOLDER = RESOURCES / "lessons"
POINTS = ("timeline", "devices", "batch", "why", "steps", "statistics", "verdict")
"""What a step may point at."""
MOST_BYTES, MOST_STEPS, MOST_RUNS = 100_000, 12, 8
_FIGURE = re.compile(r"\{([a-z_0-9]+)(?:@([1-9]))?\}")
_INDENT = "    "
_OPTIONS = {option.flag: option for option in OPTIONS}


class LessonError(ValueError):
    """A lesson cannot be read; the message names its file and line, and what is accepted."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step: what it says, the `runs` that it makes, where it points, and what it asks."""

    title: str
    text: str
    runs: tuple[Specification, ...]
    point: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson; `name` is what its file is called without its ending."""

    name: str
    title: str
    steps: tuple[Step, ...]


def shipped() -> list[Path]:
    """The lessons that come with the app, in their order."""
    return sorted(FOLDER.glob("*.md"))


def find_lesson(name: str) -> Path:
    """The file of a lesson by its number, or the file itself. Raises LessonError."""
    known = shipped()
    if name.isdigit() and 1 <= int(name) <= len(known):
        return known[int(name) - 1]
    if name.isdigit() or not name.endswith(".md"):
        raise LessonError(f"lesson {name!r}: use 1 to {len(known)} or a file that ends in .md")
    return Path(name)


def read_lesson(path: Path) -> Lesson:
    """Read a lesson and check it whole. Raises LessonError in one line."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LessonError(f"{path} cannot be read: {reason(error)}") from error
    if len(data) > MOST_BYTES:
        raise LessonError(f"{path}: {len(data):,} bytes; a lesson has at most {MOST_BYTES:,}")
    try:
        lines = data.decode("utf-8").splitlines()
        title, first = _header(lines)
        steps = tuple(_step(block) for block in _blocks(lines, first))
    except UnicodeDecodeError as error:
        raise LessonError(f"{path}: it is no text in UTF-8") from error
    except _LineError as error:
        raise LessonError(f"{path}, line {error.line}: {error}") from error
    if not 1 <= len(steps) <= MOST_STEPS:
        raise LessonError(f"{path}: {len(steps)} steps; use 1 to {MOST_STEPS}, each with ## Title")
    return Lesson(path.stem, title, steps)


def filled(text: str, figures: list[dict[str, str]]) -> str:
    """A text with its figures: those of the last run, or of the run that is named."""
    return _FIGURE.sub(lambda found: figures[int(found[2] or 0) - 1][found[1]], text)


class _LineError(ValueError):
    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line


_Lines = list[tuple[int, str]]
"""Lines with their numbers from 1."""


def _header(lines: list[str]) -> tuple[str, int]:
    """The title, and the place behind the header."""
    if not lines or lines[0].strip() != "---" or "---" not in lines[1:]:
        raise _LineError(1, "a lesson begins with ---, title: …, ---")
    end = lines.index("---", 1)
    found = [line.partition(":")[2].strip() for line in lines[1:end] if line.startswith("title:")]
    if len(found) != 1 or not found[0]:
        raise _LineError(2, "the header needs one line title: …")
    return found[0], end + 1


def _blocks(lines: list[str], first: int) -> Iterator[_Lines]:
    """The lines of each step, its heading first."""
    block: _Lines = []
    for number, line in enumerate(lines[first:], first + 1):
        if line.startswith("## "):
            if block:
                yield block
            block = []
        elif not block:
            if line.strip():
                raise _LineError(number, "before the first ## Title stands nothing")
            continue
        block.append((number, line))
    if block:
        yield block


def _step(block: _Lines) -> Step:
    """A step from its lines."""
    number, heading = block[0]
    runs = tuple(_run(*line) for line in block if line[1].startswith(_INDENT) and line[1].strip())
    if not 1 <= len(runs) <= MOST_RUNS:
        raise _LineError(number, f"{len(runs)} runs; a step has 1 to {MOST_RUNS}, indented by four")
    told = {name: _told(block, name) for name in ("Point", "Question", "Answer")}
    line, point = told["Point"]
    if point not in POINTS:
        raise _LineError(line, f"Point: {point!r}: use {listed(POINTS)}")
    text = " ".join(
        line.strip() for _, line in block[1:]
        if line.strip() and not line.startswith(_INDENT) and _keyword(line) is None
    )  # fmt: skip
    if not text:
        raise _LineError(number, "a step says something")
    for line, words in ((number, text), told["Question"], told["Answer"]):
        _check_figures(line, words, len(runs))
    return Step(heading[3:].strip(), text, runs, point, told["Question"][1], told["Answer"][1])


def _keyword(line: str) -> str | None:
    return next((n for n in ("Point", "Question", "Answer") if line.startswith(f"{n}:")), None)


def _told(block: _Lines, name: str) -> tuple[int, str]:
    """The one line of a step that begins with a word, and what stands behind it."""
    found = [(number, line) for number, line in block if _keyword(line) == name]
    if len(found) != 1:
        raise _LineError(block[0][0], f"{len(found)} lines {name}: …; a step has one")
    number, line = found[0]
    return number, line.partition(":")[2].strip()


def _check_figures(number: int, text: str, runs: int) -> None:
    for name, run in _FIGURE.findall(text):
        if name not in FIGURES:
            raise _LineError(number, f"{{{name}}}: use {listed(list(FIGURES))}")
        if run and int(run) > runs:
            raise _LineError(number, f"{{{name}@{run}}}: this step has {runs} runs")


def _run(number: int, line: str) -> Specification:
    """A run from the options that stand in a line."""
    try:
        specification = specification_of(_given(line))
        check(specification)
    except (PlanError, ValueError) as error:
        raise _LineError(number, str(error)) from error
    if specification.own_model:
        raise _LineError(number, f"--model {specification.model.name!r}: a lesson names no file")
    return specification


def _given(line: str) -> dict[str, str | int | float | bool | None]:
    """Values by option. Raises ValueError."""
    given: dict[str, str | int | float | bool | None] = {
        option.name: option.default for option in OPTIONS
    }
    words = iter(shlex.split(line))
    for word in words:
        option = _OPTIONS.get(word)
        if option is None:
            raise ValueError(f"{word!r} is no option of run, such as {flag_of('strategy')}")
        if option.kind is bool:
            given[option.name] = not option.default
            continue
        value = next(words, None)
        if value is None:
            raise ValueError(f"{word} needs a value")
        if option.suffix and value.endswith(option.suffix):
            raise ValueError(f"{word} {value!r}: a lesson names no file")
        given[option.name] = option.kind(value)
    return given
