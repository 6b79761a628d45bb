"""The `lesson` command asks for a prediction before it runs, and for the slow lane after it."""

import os
import pty
import signal
import subprocess
import sys

import pytest

from bubblescope.cli import lessons
from core.lessons.lesson import find_lesson, read_lesson
from core.paths import PROJECT_ROOT
from tests.core.lessons.test_prediction import figures


@pytest.fixture
def session(monkeypatch):
    """Everything that is printed, asked and run, in order; `typed` has the answers."""
    happened, typed = [], []

    def ask(prompt):
        happened.append(f"asked {prompt}")
        return typed.pop(0)

    def run(client, specification, interrupts):
        happened.append("run")
        return figures(step_ms=40_000_000, idle=0.27, peak=10_000_000, first_work=1.0, working=1.0)

    monkeypatch.setattr("builtins.input", ask)
    monkeypatch.setattr(lessons, "say", happened.append)
    monkeypatch.setattr(lessons, "_run", run)
    monkeypatch.setattr(lessons, "_is_interactive", lambda: True)
    return happened, typed


def go_through(number, first, last):
    found = read_lesson(find_lesson(number))
    steps = found.steps[first:last]
    lessons._present(type(found)(found.name, found.heading, steps), None, [])


def place(happened, part):
    """The position of the only entry that contains a text."""
    (found,) = [number for number, text in enumerate(happened) if part in text]
    return found


def test_a_number_is_asked_for_before_the_run(session):
    happened, typed = session
    typed += ["half", "30"]
    go_through("6", 0, 1)
    question = "asked your prediction, Idle time in % (Enter for none): "
    first, second = [number for number, text in enumerate(happened) if text == question]
    assert happened[first + 1].startswith("use a number")
    assert place(happened, "All forwards first") < first < second < happened.index("run")
    assert happened[-2] == "You predicted 30 %; it is 27 %: close."
    assert happened[-1].startswith("27 %. With equally long passes")


def test_an_order_is_asked_for_and_enter_skips_it(session):
    happened, typed = session
    typed += ["smaller", "", ""]
    go_through("6", 1, 3)
    question = (
        "asked your prediction, Most memory of --schedule 1f1b: smaller, same or larger than "
        "--schedule gpipe (Enter for none): "
    )
    assert happened.index(question) < happened.index("run")
    assert "You predicted smaller; it is about the same." in happened
    # Without a prediction the answer waits for Enter, as it always did.
    assert happened[-2].startswith("asked (press Enter")


def test_the_slow_lane_is_asked_for_after_the_run(session):
    happened, typed = session
    typed += ["2", "1.7"]
    go_through("9", 1, 2)
    assert happened.index("run") < place(happened, "asked slow lane")
    assert happened[-2] == "Right: the lane and the amount."
    told = "\n".join(happened[:-2])
    assert "1.7" not in told and "verdict" not in told.replace("the verdict is hidden", "")


def read_until(terminal, part):
    """Everything that a program writes to a terminal until it has written `part`, or has ended."""
    told = ""
    while part not in told:
        try:
            read = os.read(terminal, 1 << 16)
        except OSError:  # the program has closed its end
            break
        told += read.decode()
    return told


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("leave", "status", "said"),
    [
        (lambda process, terminal: os.write(terminal, b"\x04"), 0, ""),
        (lambda process, terminal: process.send_signal(signal.SIGINT), 130, "interrupted"),
        (lambda process, terminal: process.send_signal(signal.SIGTERM), 130, "interrupted"),
    ],
    ids=["end of input", "interrupt", "termination"],
)
def test_a_lesson_can_be_left_at_a_prompt(leave, status, said):
    pytest.importorskip("torch")
    terminal, program_end = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, str(PROJECT_ROOT / "main.py"), "lesson", "6"],
        stdin=program_end, stdout=program_end, stderr=program_end,
    )  # fmt: skip
    os.close(program_end)
    try:
        read_until(terminal, "(Enter for none): ")
        leave(process, terminal)
        told = read_until(terminal, "there is no such text")
        assert process.wait() == status
    finally:
        process.kill()
        process.wait()
        os.close(terminal)
    expected = f"bubblescope: {said}" if said else ""
    assert told.strip() == expected
