"""The `lesson` command: prints the texts of a lesson and the results of its runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing

from bubblescope.api.interrupts import INTERRUPTED, noting_interrupts
from bubblescope.api.running import RunError, execute_with, ready_hardware
from bubblescope.cli.hosts import host_of
from bubblescope.cli.progress import ProgressPrinter
from bubblescope.cli.report import table
from core.engine.client import EngineClient
from core.engine.messages import Outcome
from core.lessons.figures import NothingMeasuredError, figures_of
from core.lessons.lesson import (
    Lesson,
    LessonStep,
    differing,
    filled,
    find_lesson,
    read_heading,
    read_lesson,
    shipped,
)
from core.lessons.straggler import Straggler, judged, straggler_of
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
"""Columns of the table of a step's runs: figures and their headers."""


def lesson(arguments: argparse.Namespace) -> int:
    """Run a lesson, or list all. Return the exit status.

    Raises LessonError, and PlanError for an unusable host.
    """
    host = host_of(arguments)
    if arguments.lesson is None:
        for number, path in enumerate(shipped(), 1):
            heading = read_heading(path)
            say(f"{number}  {heading.title}: {heading.about}")
        return 0
    found = read_lesson(find_lesson(arguments.lesson))
    with noting_interrupts() as interrupts, closing(EngineClient(host)) as client:
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
        # Run first, because the step's text has placeholders for figures of its runs.
        figures = [_run(client, run, interrupts) for run in step.runs]
        place = f"{number} of {len(found.steps)}"
        say(f"\n{step_text(step, figures, place)}")
        true = straggler_of(step.runs[-1]) if step.find else None
        if true is not None and _is_read():
            say(str(judged(_guess(), true)))
        else:
            _wait_for_reader()
        say(f"{plain(filled(step.answer, figures))}")


def step_text(step: LessonStep, figures: Sequence[dict[str, str]], place: str) -> str:
    """Return a step's text, the table of its runs, and its question."""
    listed = list(figures)
    rows = []
    for run, one in zip(step.runs, listed, strict=True):
        cells = [one[name] for name in SHOWN]
        rows.append((run_text(run, step.runs), *cells))
    runs = table(("run", *SHOWN.values()), rows)
    text = plain(filled(step.text, listed))
    question = plain(filled(step.question, listed))
    return f"{place}. {plain(step.title)}\n{text}\n\n{runs}\n\n{question}"


def run_text(run: Specification, others: Sequence[Specification]) -> str:
    """Return the options that distinguish a run from the others of its step."""
    options = differing(run, others)
    return " ".join(f"{flag_of(option.name)} {value_text(value)}" for option, value in options)


def _run(client: EngineClient, run: Specification, interrupts: list[int]) -> dict[str, str]:
    """Run, and return the figures. Raises RunError, PlanError, KeyboardInterrupt."""
    trace, ended = execute_with(client, run, None, ProgressPrinter(False), interrupts)
    if interrupts:
        raise KeyboardInterrupt
    if ended.outcome is not Outcome.FINISHED:
        raise RunError(ended.text or "the run did not finish")
    try:
        return figures_of(trace)
    except NothingMeasuredError as error:
        raise RunError(str(error)) from error


def _guess() -> Straggler:
    """Ask for a lane and a factor, until both are numbers."""
    while True:
        try:
            return Straggler(int(input("slow lane: ")), float(input("times as long: ")))
        except ValueError:
            say("use a number, such as 1 or 1.5")


def _wait_for_reader() -> None:
    """Wait for Enter, if standard input and output are a terminal."""
    if _is_read():
        input("(press Enter for the answer) ")


def _is_read() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()
