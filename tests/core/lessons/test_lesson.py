"""Lessons: the shipped ones run and tell what ran; bad files are refused in one line."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from bubblescope.api.running import execute_with, ready_hardware
from bubblescope.cli.arguments import make_parser
from bubblescope.cli.lessons import run_text, runs_text, step_text
from bubblescope.cli.progress import ProgressPrinter
from core.engine.client import EngineClient
from core.lessons.figures import FIGURES, figures_of, run_figures
from core.lessons.lesson import differing, filled, find_lesson, read_lesson, shipped
from core.lessons.prediction import Order, judged_guess
from core.lessons.run_line import parse_run
from core.lessons.straggler import Straggler, judged, straggler_of
from core.lessons.text import LessonError
from core.paths import PROJECT_ROOT
from core.plan.faults import SLOW_LANE
from core.plan.specification import Specification, specification_of
from core.report.summary import summarise
from core.trace.trace import Trace

GOOD = """---
title: A lesson
---

## A step

It says {split}.

    --strategy dp --model tutorial --devices 2xvirtual --batch 30 --steps 1

Point: batch

Question: How many?

Answer: {split} of {step_ms@1}.
"""


@pytest.fixture(scope="module")
def engine() -> Iterator[EngineClient]:
    client = EngineClient()
    ready_hardware(client, [])
    yield client
    client.close()


def small(run: Specification) -> Specification:
    """The same run with narrow layers and one step."""
    model = replace(run.model, width=64) if run.model.width else run.model
    return replace(run, model=model, steps=1 if run.data is None else run.steps, warmup=0)


def execute(engine: EngineClient, run: Specification) -> Trace:
    return execute_with(engine, run, None, ProgressPrinter(False), [])[0]


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_what_a_shipped_lesson_tells_comes_from_its_runs(path: Path, engine: EngineClient) -> None:
    lesson = read_lesson(path)
    assert 3 <= len(lesson.steps) <= 6
    for step in lesson.steps:
        traces = [execute(engine, small(run)) for run in step.runs]
        found = [run_figures(trace) for trace in traces]
        figures = [run.texts for run in found]
        told = filled(step.answer, figures)
        assert "{" not in told and re.search(r"\d", told)
        for name, run in re.findall(r"\{(\w+)(?:@(\d))?\}", step.answer):
            trace = traces[int(run or 0) - 1]
            assert FIGURES[name](trace, summarise(trace)) in told
        assert "{" not in step_text(step, "1 of 3") + runs_text(step, figures)
        if step.prediction is not None:
            guess = (1.0,) if step.prediction.against is None else Order.SAME
            said = str(judged_guess(step.prediction, guess, found))
            assert said.startswith("You predicted ") and "none" not in said
        assert step.text.count(".") >= 2  # two sentences


def test_rows_and_memory_are_those_of_the_run(engine: EngineClient) -> None:
    step = read_lesson(shipped()[0]).steps[2]
    trace = execute(engine, small(step.runs[0]))
    found = figures_of(trace)
    assert (found["split"], found["last_split"]) == ("15 + 15", "5 + 5")
    lanes = [lane for one in summarise(trace).steps for lane in one.lanes]
    assert found["peak"] == f"{max(lane.peak_bytes for lane in lanes) / 1e3:.3g} kB"


def test_a_guess_is_judged_by_its_lane_and_its_amount() -> None:
    step = read_lesson(find_lesson("9")).steps[1]
    true = straggler_of(step.runs[-1])
    assert step.find and true == Straggler(2, 1.7)
    assert not any(option.name == "slow_lane" for option, _ in differing(step.runs[-1], step.runs))
    for guess, said in (
        (Straggler(2, 1.6), "Right: the lane and the amount."),
        (Straggler(2, 3.0), "The lane is right. The amount is not 3."),
        (Straggler(1, 1.7), "Lane 1 is not the slow one."),
    ):
        assert str(judged(guess, true)) == said


def test_a_step_that_asks_for_a_lane_needs_one_slow_lane(tmp_path: Path) -> None:
    path = tmp_path / "own.md"
    path.write_text(GOOD.replace("Question:", "Find: lane\n\nQuestion:"))
    with pytest.raises(LessonError, match="line 13: Find: 'lane': use lane; the last run"):
        read_lesson(path)


def test_an_option_that_is_repeated_has_all_its_values_as_on_the_command_line() -> None:
    words = "--strategy dp --devices 2xvirtual --slow-lane 0:2 --slow-lane 1:3"
    given = make_parser().parse_args(["run", *words.split()])
    run = parse_run(9, words)
    assert run[SLOW_LANE] == "0:2 1:3"
    assert run == specification_of(vars(given))


def test_a_step_asks_before_its_runs_or_after_them(tmp_path: Path) -> None:
    path = tmp_path / "own.md"
    slow = GOOD.replace("--steps 1", "--steps 1 --slow-lane 1:2")
    path.write_text(slow.replace("Question:", "Find: lane\n\nPredict: split\n\nQuestion:"))
    with pytest.raises(LessonError, match="one of Predict: and Find:, not both"):
        read_lesson(path)


def test_a_lesson_is_found_by_its_number_or_its_file(tmp_path: Path) -> None:
    assert find_lesson("1") == shipped()[0] and find_lesson(str(len(shipped()))) == shipped()[-1]
    assert find_lesson("own.md") == Path("own.md")
    for wrong in ("0", str(len(shipped()) + 1), "own.txt", "x"):
        with pytest.raises(
            LessonError, match=rf"use 1 to {len(shipped())} or a file that ends in \.md"
        ):
            find_lesson(wrong)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("---\ntitle", "title", r"line 1: a lesson begins with ---"),
        ("title: A lesson", "name: x", r"line 2: the header needs a line title"),
        ("## A step", "A step", r"there must be no text before the first ## Title"),
        ("Point: batch", "Point: moon", r"line 11: Point: 'moon': use timeline"),
        ("Question: How many?", "", r"0 lines Question: …; a step needs one"),
        ("{split} of", "{spilt} of", r"line 15: \{spilt\}: use step_ms"),
        ("{step_ms@1}", "{step_ms@2}", r"this step has 1 run"),
        ("--strategy dp", "--strategy pd", r"line 9: there is no strategy 'pd'"),
        ("--batch 30", "--batch 0", r"line 9: --batch 0: use 1 or more"),
        ("--batch 30", "--batch", r"line 9: "),
        ("--model tutorial", "--model /tmp/own.py", r"line 9: --model '/tmp/own.py': a lesson"),
        ("--steps 1", "--gradients a.npz", r"line 9: --gradients 'a.npz': a lesson cannot name a"),
        ("--steps 1", "--gradients /home/x/.bashrc", r"line 9: --gradients '/home/x/.bashrc': a"),
        ("--batch 30", "--image x.png", r"line 9: '--image' is not an option of run"),
        ("    --strategy", "--strategy", r"0 runs; a step has 1 to 8"),
        ("It says {split}.", "", r"a step needs a paragraph"),
        ("Question:", "Predict: idel\n\nQuestion:", r"line 13: Predict: 'idel': use step_ms"),
        (
            "Question:",
            "Predict: split\n\nPredict: idle\n\nQuestion:",
            r"2 lines Predict: …; a step needs one",
        ),
    ],
)
def test_a_bad_lesson_is_refused_in_one_line_that_names_it(
    tmp_path: Path, before: str, after: str, said: str
) -> None:
    path = tmp_path / "lesson.md"
    path.write_text(GOOD)
    assert read_lesson(path).title == "A lesson"
    assert before in GOOD
    path.write_text(GOOD.replace(before, after))
    with pytest.raises(LessonError, match=said) as raised:
        read_lesson(path)
    assert str(path) in str(raised.value) and "\n" not in str(raised.value)


def test_the_mark_that_some_editors_put_before_a_text_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "lesson.md"
    path.write_text(GOOD, "utf-8-sig")
    assert read_lesson(path).title == "A lesson"


def test_a_file_that_is_no_lesson_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lesson.md"
    with pytest.raises(LessonError, match="cannot be read"):
        read_lesson(path)
    path.write_bytes(b"\xff\xfe---")
    with pytest.raises(LessonError, match="not UTF-8 text"):
        read_lesson(path)
    path.write_bytes(b"x" * 100_001)
    with pytest.raises(LessonError, match="at most 100,000"):
        read_lesson(path)


def test_of_several_runs_what_differs_is_told() -> None:
    runs = read_lesson(shipped()[5]).steps[2].runs
    assert [run_text(run, runs) for run in runs] == ["--schedule 1f1b", "--schedule zb-h1"]
    with_momentum = read_lesson(shipped()[1]).steps[1].runs
    assert "--optimizer momentum" in run_text(with_momentum[0], with_momentum)


def test_the_command_goes_through_a_lesson_without_waiting_for_input(tmp_path: Path) -> None:
    path = tmp_path / "own.md"
    path.write_text(GOOD)
    done = subprocess.run(
        [sys.executable, str(PROJECT_ROOT / "main.py"), "lesson", str(path)],
        capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "1 of 1. A step" in done.stdout and "It says 15 + 15." in done.stdout
    assert "15 + 15 of " in done.stdout.splitlines()[-1]
