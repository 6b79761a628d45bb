"""The command that goes through a lesson: text, runs, tables, questions and answers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing

from bubblescope.cli.commands import RunError, execute_with, ready_hardware
from bubblescope.cli.interrupts import INTERRUPTED, noting_interrupts
from bubblescope.cli.progress import Progress
from bubblescope.cli.report import table
from core.engine.client import EngineClient
from core.engine.messages import Outcome
from core.lessons.figures import NothingMeasuredError, figures_of
from core.lessons.lesson import (
    Lesson,
    Step,
    differing,
    filled,
    find_lesson,
    read_heading,
    read_lesson,
    shipped,
)
from core.option import flag_of
from core.plain import plain, say
from core.plan.specification import Specification
from core.sweep.values import value_text

SHOWN = {
    "step_ms": "step",
    "idle": "idle",
    "split": "rows",
    "peak": "most memory",
    "first_work": "lane 0's work",
}
"""What the table of a step's runs has, and its headings."""


def lesson(arguments: argparse.Namespace) -> int:
    """Go through a lesson, or list all. Returns the exit status. Raises LessonError."""
    if arguments.lesson is None:
        lessons = [read_heading(path) for path in shipped()]
        say("\n".join(f"{n}  {one.title}: {one.about}" for n, one in enumerate(lessons, 1)))
        return 0
    found = read_lesson(find_lesson(arguments.lesson))
    with noting_interrupts() as interrupts, closing(EngineClient()) as client:
        try:
            ready_hardware(client, interrupts)
            _go_through(found, client, interrupts)
        except KeyboardInterrupt:
            say("bubblescope: interrupted", sys.stderr)
            return INTERRUPTED
    return 0


def _go_through(found: Lesson, client: EngineClient, interrupts: list[int]) -> None:
    say(f"{plain(found.title)}\n{'=' * len(found.title)}")
    for number, step in enumerate(found.steps, 1):
        # The text of a step has placeholders for what its runs measured, on this machine: run
        # first, then tell.
        figures = [_run(client, run, interrupts) for run in step.runs]
        say(f"\n{step_text(step, figures, f'{number} of {len(found.steps)}')}")
        _wait_for_reader()
        say(f"{plain(filled(step.answer, figures))}")


def step_text(step: Step, figures: Sequence[dict[str, str]], place: str) -> str:
    """A step up to its question: what it says, and what its runs came to."""
    listed = list(figures)
    rows = [
        (run_text(run, step.runs), *(one[name] for name in SHOWN))
        for run, one in zip(step.runs, listed, strict=True)
    ]
    text, question = (plain(filled(words, listed)) for words in (step.text, step.question))
    runs = table(("run", *SHOWN.values()), rows)
    return f"{place}. {plain(step.title)}\n{text}\n\n{runs}\n\n{question}"


def run_text(run: Specification, others: Sequence[Specification]) -> str:
    """What tells a run from the others of its step, or its strategy and devices."""
    options = differing(run, others)
    return " ".join(f"{flag_of(option.name)} {value_text(value)}" for option, value in options)


def _run(client: EngineClient, run: Specification, interrupts: list[int]) -> dict[str, str]:
    """The figures of a run. Raises RunError, PlanError, KeyboardInterrupt."""
    trace, ended = execute_with(client, run, None, Progress(False), interrupts)
    if interrupts:
        raise KeyboardInterrupt
    if ended.outcome is not Outcome.FINISHED:
        raise RunError(ended.text or "the run did not finish")
    try:
        return figures_of(trace)
    except NothingMeasuredError as error:
        raise RunError(str(error)) from error


def _wait_for_reader() -> None:
    """Let a reader think first; nobody is waited for where no terminal is."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        input("(press Enter for the answer) ")
