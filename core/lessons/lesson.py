"""Reads lessons: Markdown files with a header, checked before anything runs.

    ---
    title: One batch on several devices
    about: 30 rows on 2 devices and on 8.
    ---

    ## The batch is split

    Each device gets a copy of the model and a part of the rows.

        --strategy dp --model tutorial --devices 2xvirtual --batch 30

    Point: batch

    Predict: split

    Question: How many rows does each of two devices get?

    Answer: {split}. [as measured]

`about`, a description for lists, is optional. A step has a heading, a paragraph, one or more runs
(indented options of `run`), the part of the window that it points at, a question and its answer,
and optionally a figure that the learner predicts before the runs (core.lessons.prediction).
Names in braces are figures of the step's last run; `{step_ms@1}` is one of its first run
(core.lessons.figures).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.counts import steps_text
from core.lessons.run_line import parse_run
from core.lessons.straggler import straggler_of
from core.lessons.text import LessonError, LineError, Lines, naming, read_header, read_lines
from core.message import Message, counted, message
from core.option import Option, listed
from core.paths import RESOURCES
from core.plan.faults import FAULT_OPTIONS
from core.plan.specification import Specification
from core.plan.task import KINDS

if TYPE_CHECKING:
    from core.lessons.prediction import Prediction

FOLDER = RESOURCES / "lessons"
PANELS = ("devices", "batch", "why", "steps", "statistics")
BUBBLE = "bubble"
PARTS = ("timeline", "verdict", *PANELS, BUBBLE)
"""Targets of `Point:`, besides a compute lane (`lane 0`) and the longest task of a kind."""
MOST_STEPS = 12
MOST_RUNS = 8
UNLISTED = (
    "steps",
    "warmup",
    "calibrate",
    "seed",
    "lr",
    "model",
    *(option.name for option in FAULT_OPTIONS),
)
"""Options that are not shown to tell runs apart."""
_FIGURE = re.compile(r"\{([a-z_0-9]+)(?:@([1-9]))?\}")
_LANE = re.compile(r"lane (\d{1,4})")
_INDENT = "    "
_KEYWORDS = ("Point", "Find", "Predict", "Question", "Answer")


@dataclass(frozen=True, slots=True)
class LessonStep:
    """A step of a lesson: text, `runs`, a target to point at, a question and its answer.

    `prediction` is a figure that the learner predicts before the runs. With `find`, the learner has
    to name the slow lane of the last run before the verdict is shown.
    """

    title: str
    text: str
    runs: tuple[Specification, ...]
    point: str
    question: str
    answer: str
    prediction: Prediction | None = None
    find: bool = False


@dataclass(frozen=True, slots=True)
class LessonHeading:
    """A lesson's title and description, for lists."""

    title: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson; `name` is its file's name without the extension."""

    name: str
    heading: LessonHeading
    steps: tuple[LessonStep, ...]

    @property
    def title(self) -> str:
        """Title of the lesson."""
        return self.heading.title


def shipped() -> list[Path]:
    """Return the files of the built-in lessons, in order."""
    return sorted(FOLDER.glob("*.md"))


def find_lesson(name: str) -> Path:
    """Return the file of a lesson, given its number or its path. Raises LessonError."""
    by_number = {str(number): path for number, path in enumerate(shipped(), 1)}
    path = by_number.get(name.lstrip("0"))
    if path is not None:
        return path
    if name.isdigit() or not name.endswith(".md"):
        raise LessonError(
            message(
                "lesson {name!r}: use 1 to {last} or a file that ends in .md",
                name=name,
                last=len(by_number),
            )
        )
    return Path(name)


def read_lesson(path: Path) -> Lesson:
    """Read a lesson and check all of it. Raises LessonError in one line."""
    with naming(path):
        lines = read_lines(path)
        heading, first = _heading(lines)
        steps = tuple(_step(block) for block in _blocks(lines, first))
    if not 1 <= len(steps) <= MOST_STEPS:
        raise LessonError(
            message(
                "{path}: {steps}; use 1 to {most}, each with ## Title",
                path=path,
                steps=steps_text(len(steps)),
                most=MOST_STEPS,
            )
        )
    return Lesson(path.stem, heading, steps)


def read_heading(path: Path) -> LessonHeading:
    """Read only the heading of a lesson. Raises LessonError."""
    with naming(path):
        return _heading(read_lines(path))[0]


def lane_pointed_at(point: str) -> int | None:
    """Return the number of the lane that a step points at, or None."""
    found = _LANE.fullmatch(point)
    if found is None:
        return None
    return int(found[1])


def differing(run: Specification, others: Sequence[Specification]) -> list[tuple[Option[Any], Any]]:
    """Return the options in which a run differs from the other runs of its step.

    For a step's only run, these are all options that it sets. Faults are never included, because
    they may be the answer to the step's question.
    """
    values_of_others = [dict(other.values) for other in others]
    found = []
    for option, value in run.values:
        if option.name in UNLISTED or value == option.default:
            continue
        has_same = [other.get(option) == value for other in values_of_others]
        is_common = len(others) > 1 and all(has_same)
        if not is_common:
            found.append((option, value))
    return found


def filled(text: str, figures: list[dict[str, str]]) -> str:
    """Return a text with its placeholders replaced by figures of the last run or the run they name.

    `figures` has the figures of each run. Without it, placeholders become `…`.
    """

    def figure(found: re.Match[str]) -> str:
        if not figures:
            return "…"
        name = found[1]
        number = found[2]
        place = int(number) - 1 if number else -1
        return figures[place][name]

    return _FIGURE.sub(figure, text)


def _heading(lines: list[str]) -> tuple[LessonHeading, int]:
    """Return the heading, and the index of the first line after the header."""
    values, first = read_header(lines)
    return LessonHeading(values["title"], values.get("about", "")), first


def _blocks(lines: list[str], first: int) -> Iterator[Lines]:
    """Yield the lines of each step, beginning with its heading."""
    block: Lines = []
    for number, line in enumerate(lines[first:], first + 1):
        if line.startswith("## "):
            if block:
                yield block
            block = []
        elif not block:
            if line.strip():
                raise LineError(number, message("there must be no text before the first ## Title"))
            continue
        block.append((number, line))
    if block:
        yield block


def _step(block: Lines) -> LessonStep:
    """Parse the lines of a step."""
    first_line, heading = block[0]
    runs: list[Specification] = []
    paragraph: list[str] = []
    for number, line in block[1:]:
        if not line.strip():
            continue
        if line.startswith(_INDENT):
            runs.append(parse_run(number, line))
        elif _keyword(line) is None:
            paragraph.append(line.strip())
    count = len(runs)
    if not 1 <= count <= MOST_RUNS:
        raise LineError(
            first_line,
            message(
                "{runs}; a step has 1 to {most}, indented by four",
                runs=_runs_text(count),
                most=MOST_RUNS,
            ),
        )
    point_line, point = _keyword_line(block, "Point")
    question_line, question = _keyword_line(block, "Question")
    answer_line, answer = _keyword_line(block, "Answer")
    if point not in (*PARTS, *KINDS) and lane_pointed_at(point) is None:
        raise LineError(
            point_line,
            message(
                "Point: {point!r}: use {parts}, lane 0 or a kind of task such as all-reduce",
                point=point,
                parts=", ".join(PARTS),
            ),
        )
    if not paragraph:
        raise LineError(first_line, message("a step needs a paragraph"))
    text = " ".join(paragraph)
    # Check figures now, because texts are filled only after the runs.
    _check_figures(first_line, text, count)
    _check_figures(question_line, question, count)
    _check_figures(answer_line, answer, count)
    title = heading.removeprefix("##").strip()
    prediction = _prediction(block, count)
    find = _finds(block, runs[-1])
    if prediction is not None and find:
        raise LineError(first_line, message("a step has one of Predict: and Find:, not both"))
    return LessonStep(
        title=title,
        text=text,
        runs=tuple(runs),
        point=point,
        question=question,
        answer=answer,
        prediction=prediction,
        find=find,
    )


def _prediction(block: Lines, runs: int) -> Prediction | None:
    """Parse the line `Predict:` of a step, which is optional."""
    if not any(_keyword(line) == "Predict" for _, line in block):
        return None
    # Imported here, because figures need packages that a list of lessons does not need.
    from core.lessons.prediction import PredictionError, read_prediction

    number, text = _keyword_line(block, "Predict")
    try:
        return read_prediction(text, runs)
    except PredictionError as error:
        raise LineError(number, message("Predict: {error}", error=error)) from error


def _finds(block: Lines, run: Specification) -> bool:
    """Return True if a step has a line `Find: lane`. Raises LineError if no single lane is slow."""
    if not any(_keyword(line) == "Find" for _, line in block):
        return False
    number, wanted = _keyword_line(block, "Find")
    if wanted != "lane" or straggler_of(run) is None:
        raise LineError(
            number,
            message(
                "Find: {wanted!r}: use lane; the last run must have one lane in --slow-lane",
                wanted=wanted,
            ),
        )
    return True


def _keyword(line: str) -> str | None:
    """Return the keyword that a line begins with, or None."""
    for name in _KEYWORDS:
        if line.startswith(f"{name}:"):
            return name
    return None


def _keyword_line(block: Lines, name: str) -> tuple[int, str]:
    """Return the number of a step's only line with a keyword, and the text after the keyword."""
    found: Lines = []
    for number, line in block:
        if _keyword(line) == name:
            _, _, text = line.partition(":")
            found.append((number, text.strip()))
    if len(found) != 1:
        first_line, _ = block[0]
        raise LineError(
            first_line,
            counted(
                "{n} line {name}: …; a step needs one",
                "{n} lines {name}: …; a step needs one",
                len(found),
                name=name,
            ),
        )
    return found[0]


def _runs_text(n: int) -> Message:
    return counted("{n} run", "{n} runs", n)


def _check_figures(number: int, text: str, runs: int) -> None:
    # Imported here, because the first page shows a list of lessons, which needs only headings.
    from core.lessons.figures import FIGURES

    for name, run in _FIGURE.findall(text):
        if name not in FIGURES:
            raise LineError(
                number,
                message(
                    "{figure}: use {accepted}",
                    figure=f"{{{name}}}",
                    accepted=listed(list(FIGURES)),
                ),
            )
        if run and int(run) > runs:
            raise LineError(
                number,
                message(
                    "{figure}: this step has {runs}",
                    figure=f"{{{name}@{run}}}",
                    runs=_runs_text(runs),
                ),
            )
