"""The command `lesson`: prints the texts of a lesson and the results of its runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing

from bubblescope.api.interrupts import INTERRUPTED, noting_interrupts, raising_interrupts
from bubblescope.api.running import RunError, execute_with, ready_hardware
from bubblescope.cli.hosts import host_of
from bubblescope.cli.progress import ProgressPrinter
from bubblescope.cli.report import table
from core.engine.client import EngineClient
from core.engine.messages import Outcome
from core.lessons.figures import NothingMeasuredError, RunFigures, run_figures
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
from core.lessons.prediction import Guess, Prediction, guess_of, judged_guess
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
    """Run a lesson, or list all lessons. Return the exit status.

    The reader can leave a lesson at a prompt with Ctrl+D or Ctrl+C. Raises LessonError; PlanError
    for an unusable host, or for a run that is refused; and RunError for a run that fails.
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
            _present(found, client, interrupts)
        except EOFError:  # Ctrl+D at a prompt
            say("")
        except KeyboardInterrupt:
            say("bubblescope: interrupted", sys.stderr)
            return INTERRUPTED
    return 0


def _present(found: Lesson, client: EngineClient, interrupts: list[int]) -> None:
    """Go through a lesson: print each step, make its runs, and judge the reader's answers."""
    underline = "=" * len(found.title)
    say(f"{plain(found.title)}\n{underline}")
    for number, step in enumerate(found.steps, 1):
        place = f"{number} of {len(found.steps)}"
        say(f"\n{step_text(step, place)}\n")
        guess = None
        if step.prediction is not None and _is_interactive():
            guess = _ask_prediction(step, step.prediction, interrupts)
        runs = [_run(client, run, interrupts) for run in step.runs]
        figures = [run.texts for run in runs]
        say(f"{runs_text(step, figures)}\n")
        text = filled(step.text, figures)
        if text != step.text:
            # The text has figures, which were not known before the runs.
            say(plain(text))
        slow = straggler_of(step.runs[-1]) if step.find else None
        if slow is not None and _is_interactive():
            say(str(judged(_ask_straggler(interrupts), slow)))
        elif step.prediction is not None and guess is not None:
            say(str(judged_guess(step.prediction, guess, runs)))
        else:
            _wait_for_reader(interrupts)
        say(plain(filled(step.answer, figures)))


def step_text(step: LessonStep, place: str) -> str:
    """Return a step's text and question as shown before its runs, with `…` for their figures."""
    text = plain(filled(step.text, []))
    question = plain(filled(step.question, []))
    return f"{place}. {plain(step.title)}\n{text}\n\n{question}"


def runs_text(step: LessonStep, figures: Sequence[dict[str, str]]) -> str:
    """Return the table of a step's runs."""
    rows = []
    for run, one in zip(step.runs, figures, strict=True):
        cells = [one[name] for name in SHOWN]
        rows.append((run_text(run, step.runs), *cells))
    return table(("run", *SHOWN.values()), rows)


def run_text(run: Specification, others: Sequence[Specification]) -> str:
    """Return the options, as typed, that distinguish a run from the others of its step."""
    words = []
    for option, value in differing(run, others):
        words += [flag_of(option.name), value_text(value)]
    return " ".join(words)


def _run(client: EngineClient, run: Specification, interrupts: list[int]) -> RunFigures:
    """Make a run, and return its figures. Raises RunError, PlanError, KeyboardInterrupt."""
    trace, ended = execute_with(client, run, None, ProgressPrinter(False), interrupts)
    if interrupts:
        raise KeyboardInterrupt
    if ended.outcome is not Outcome.FINISHED:
        raise RunError(ended.text or "the run did not finish")
    try:
        return run_figures(trace)
    except NothingMeasuredError as error:
        raise RunError(str(error)) from error


def _ask(question: str, interrupts: Sequence[int]) -> str:
    """Return a line that the reader types. Raises EOFError and KeyboardInterrupt."""
    # A signal that is only noted would not end the wait for a line.
    with raising_interrupts(interrupts):
        return input(question)


def _ask_prediction(
    step: LessonStep, prediction: Prediction, interrupts: Sequence[int]
) -> Guess | None:
    """Ask for the prediction of a step until the answer is valid; an empty answer is None."""
    question = prediction_question(step, prediction)
    accepted = "use a number, or 15 + 15 for rows"
    if prediction.against is not None:
        accepted = "use smaller, same or larger"
    while True:
        text = _ask(f"{question} (Enter for none): ", interrupts)
        guess = guess_of(prediction, text)
        if guess is not None or not text.strip():
            return guess
        say(accepted)


def prediction_question(step: LessonStep, prediction: Prediction) -> str:
    """Return the question for a prediction: `your prediction, Idle time in %`."""
    figure = prediction.figure
    against = prediction.against
    if against is None:
        sign = f" in {prediction.sign}" if prediction.sign else ""
        return f"your prediction, {figure.title}{sign}"
    if figure.run == against.run:
        one = figure.title
        other = against.title
    else:
        one = f"{figure.title} of {run_text(step.runs[figure.run], step.runs)}"
        other = run_text(step.runs[against.run], step.runs)
    return f"your prediction, {one}: smaller, same or larger than {other}"


def _ask_straggler(interrupts: Sequence[int]) -> Straggler:
    """Ask for a lane and a factor until both are numbers."""
    while True:
        try:
            lane = int(_ask("slow lane: ", interrupts))
            factor = _ask("its tasks take how many times as long: ", interrupts)
            return Straggler(lane, float(factor))
        except ValueError:
            say("use a number, such as 1 or 1.5")


def _wait_for_reader(interrupts: Sequence[int]) -> None:
    """Wait for Enter, if a reader can press it."""
    if _is_interactive():
        _ask("(press Enter for the answer) ", interrupts)


def _is_interactive() -> bool:
    """Return True if standard input and output are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()
