"""The `lesson` command asks for a prediction before it runs, and for the slow lane after it."""

import pytest

from bubblescope.cli import lessons
from core.lessons.lesson import find_lesson, read_lesson
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
