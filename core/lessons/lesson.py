"""A lesson as a file has it: Markdown with a header, read and checked before anything runs.

    ---
    title: One batch on several devices
    about: 30 rows on 2 devices and on 8.
    ---

    ## The batch is split

    Each device gets a copy of the model and a part of the rows.

        --strategy dp --model tutorial --devices 2xvirtual --batch 30

    Point: batch

    Question: How many rows does each of two devices get?

    Answer: {split}. [as measured]

`about`, a line for lists, may be left out. A step is a heading, a paragraph, one run or several
(indented, the options of `run`), what it points at, a question and its answer. Names in braces are
figures of the step's last run, `{step_ms@1}` of its first (core.lessons.figures).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import PlanError
from core.files import reason
from core.lessons.figures import FIGURES
from core.option import Option, flag_of, listed
from core.paths import RESOURCES
from core.plan.planning import check
from core.plan.specification import OPTIONS, Specification, specification_of
from core.plan.task import KINDS
from core.reading import open_regular

FOLDER = RESOURCES / "lessons"
PANELS = ("devices", "batch", "why", "steps", "statistics")
BUBBLE = "bubble"
PARTS = ("timeline", "verdict", *PANELS, BUBBLE)
"""What a step may point at, besides a compute lane (`lane 0`) and the longest task of a kind."""
MOST_BYTES, MOST_STEPS, MOST_RUNS = 100_000, 12, 8
QUIET = ("steps", "warmup", "calibrate", "seed", "lr", "optimizer", "model")
"""Options that say nothing of what a run shows."""
_FIGURE = re.compile(r"\{([a-z_0-9]+)(?:@([1-9]))?\}")
_LANE = re.compile(r"lane (\d{1,4})")
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
class Heading:
    """A lesson's title and description, as lists show it."""

    title: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson; `name` is what its file is called without its ending."""

    name: str
    heading: Heading
    steps: tuple[Step, ...]

    @property
    def title(self) -> str:
        """What it is called."""
        return self.heading.title


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
    with _naming(path):
        lines = _lines(path)
        heading, first = _header(lines)
        steps = tuple(_step(block) for block in _blocks(lines, first))
    if not 1 <= len(steps) <= MOST_STEPS:
        raise LessonError(f"{path}: {len(steps)} steps; use 1 to {MOST_STEPS}, each with ## Title")
    return Lesson(path.stem, heading, steps)


def read_heading(path: Path) -> Heading:
    """Read the heading alone, and check no more than that. Raises LessonError."""
    with _naming(path):
        return _header(_lines(path))[0]


def lane_pointed_at(point: str) -> int | None:
    """The number of the lane that a step points at, if it does at one."""
    found = _LANE.fullmatch(point)
    return None if found is None else int(found[1])


def differing(run: Specification, others: Sequence[Specification]) -> list[tuple[Option[Any], Any]]:
    """The options in which a run differs from its step's others; all it sets if it is alone."""
    own = {
        option: value
        for option, value in run.values
        if option.name not in QUIET and value != option.default
    }
    common = [
        option
        for option in own
        if len(others) > 1 and all(dict(one.values).get(option) == own[option] for one in others)
    ]
    return [(option, value) for option, value in own.items() if option not in common]


def filled(text: str, figures: list[dict[str, str]]) -> str:
    """A text with its figures: those of the last run, or of the run that is named.

    Without any they are left open.
    """
    # Runs are counted from 1 in a lesson; without a number it is 0 - 1, the last one.
    return _FIGURE.sub(
        lambda found: figures[int(found[2] or 0) - 1][found[1]] if figures else "…", text
    )


class _LineError(ValueError):
    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line


_Lines = list[tuple[int, str]]
"""Lines with their numbers from 1."""


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Have what is wrong with a file name it, and the line."""
    try:
        yield
    except OSError as error:
        raise LessonError(f"{path} cannot be read: {reason(error)}") from error
    except UnicodeDecodeError as error:
        raise LessonError(f"{path}: it is no text in UTF-8") from error
    except _LineError as error:
        raise LessonError(f"{path}, line {error.line}: {error}") from error


def _lines(path: Path) -> list[str]:
    with open_regular(path) as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise LessonError(f"{path}: a lesson has at most {MOST_BYTES:,} bytes")
    return data.decode("utf-8-sig").splitlines()  # as some editors write it


def _header(lines: list[str]) -> tuple[Heading, int]:
    """The heading, and the index of the first line after it."""
    if not lines or lines[0].strip() != "---" or "---" not in lines[1:]:
        raise _LineError(1, "a lesson begins with ---, title: …, ---")
    end = lines.index("---", 1)
    # Only the first colon divides: a title may have one itself.
    pairs = (line.partition(":") for line in lines[1:end])
    values = {name.strip(): value.strip() for name, _, value in pairs}
    if not values.get("title"):
        raise _LineError(2, "the header needs one line title: …")
    return Heading(values["title"], values.get("about", "")), end + 1


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
    lines = {name: _keyword_line(block, name) for name in ("Point", "Question", "Answer")}
    line, point = lines["Point"]
    if point not in (*PARTS, *KINDS) and lane_pointed_at(point) is None:
        known = f"{', '.join(PARTS)}, lane 0 or a kind of task such as all-reduce"
        raise _LineError(line, f"Point: {point!r}: use {known}")
    text = " ".join(
        line.strip()
        for _, line in block[1:]
        if line.strip() and not line.startswith(_INDENT) and _keyword(line) is None
    )
    if not text:
        raise _LineError(number, "a step says something")
    # Here, and not when a text is filled: that is after the runs.
    for line, words in ((number, text), lines["Question"], lines["Answer"]):
        _check_figures(line, words, len(runs))
    return Step(heading[3:].strip(), text, runs, point, lines["Question"][1], lines["Answer"][1])


def _keyword(line: str) -> str | None:
    return next((n for n in ("Point", "Question", "Answer") if line.startswith(f"{n}:")), None)


def _keyword_line(block: _Lines, name: str) -> tuple[int, str]:
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
            raise _LineError(number, f"{{{name}@{run}}}: runs of this step: {runs}")


def _run(number: int, line: str) -> Specification:
    """A run from the options that stand in a line."""
    try:
        specification = specification_of(_given(line))
        check(specification)
    except (PlanError, ValueError) as error:
        raise _LineError(number, str(error)) from error
    # A model of one's own is Python code: reading a lesson of somebody else's must run none.
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
            # A switch turns its default round: `--no-calibrate` is the flag of `calibrate`.
            given[option.name] = not option.default
            continue
        value = next(words, None)
        if value is None:
            raise ValueError(f"{word} needs a value")
        if option.suffix and value.endswith(option.suffix):
            raise ValueError(f"{word} {value!r}: a lesson names no file")
        given[option.name] = option.kind(value)
    return given
