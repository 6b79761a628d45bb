"""Predictions of a lesson's steps: how they are read, and how a guess is judged."""

import pytest

from core.lessons.figures import NUMBERS, RunFigures, StepBar, Unit, number_text
from core.lessons.lesson import read_lesson, shipped
from core.lessons.prediction import Order, PredictionError, guess_of, judged_guess, read_prediction

KO, ZH = "ko", "zh_CN"


def figures(split="15 + 15", **numbers):
    """Figures of a run; those that are not given are None."""
    every = {name: numbers.get(name) for name in NUMBERS}
    texts = {name: number_text(every[name], number.unit) for name, number in NUMBERS.items()}
    texts |= {"split": split, "last_split": split, "slow_factor": "1", "verdict": "None."}
    return RunFigures(texts, every, StepBar(1, 0.0))


def judged(line, text, *runs):
    prediction = read_prediction(line, len(runs))
    return str(judged_guess(prediction, guess_of(prediction, text), runs))


def test_without_a_number_the_last_run_is_meant():
    one = read_prediction("idle", 3)
    assert (one.figure.name, one.figure.run, one.against) == ("idle", 2, None)
    two = read_prediction("step_ms@2 against @1", 2)
    assert (two.figure.run, two.against.run, two.against.name) == (1, 0, "step_ms")
    other = read_prediction("optimizer against parameters", 1)
    assert (other.figure.name, other.against.name) == ("optimizer", "parameters")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("idel", "'idel': use step_ms, "),
        ("verdict", "'verdict': use step_ms, "),
        ("idle@3", "idle@3: the step has fewer runs"),
        ("idle > 3", "use a figure, or two as in step_ms@2 against @1"),
        ("idle@1 against @1", "cannot be compared"),
        ("split@1 against @2", "cannot be compared"),
        ("idle@1 against step_ms@1", "different units"),
    ],
)
def test_a_wrong_line_is_refused(line, said):
    with pytest.raises(PredictionError, match=said):
        read_prediction(line, 2)


@pytest.mark.parametrize(
    ("line", "text", "guess"),
    [
        ("idle", "27,5 %", (27.5,)),
        ("idle", " 30 ", (30.0,)),
        ("idle", "30 or 40", None),
        ("idle", "much", None),
        ("split", "4,4,2", (4.0, 4.0, 2.0)),
        ("split", "4 + 4 + 2", (4.0, 4.0, 2.0)),
        ("split", "", None),
        ("step_ms@2 against @1", "Larger", Order.LARGER),
        ("step_ms@2 against @1", "3", None),
    ],
)
def test_a_guess_is_read_from_text(line, text, guess):
    assert guess_of(read_prediction(line, 2), text) == guess


@pytest.mark.parametrize(
    ("line", "text", "said"),
    [
        ("idle", "27", "You predicted 27 %: right."),
        ("idle", "31", "You predicted 31 %; it is 27 %: close."),
        ("idle", "33", "You predicted 33 %; it is 27 %."),
        ("buckets", "5", "You predicted 5: right."),
        ("buckets", "6", "You predicted 6; it is 5."),
        ("working", "1.5", "You predicted 1.5; it is 1.7: close."),
        ("peak", "20", "You predicted 20 MB; it is 17.9 MB: close."),
        ("step_ms", "12", "You predicted 12 ms; it is 41.2 ms."),
        ("split", "15 15", "You predicted 15 + 15: right."),
        ("split", "20 10", "You predicted 20 + 10; it is 15 + 15."),
    ],
)
def test_a_number_is_compared_in_its_unit(line, text, said):
    run = figures(
        idle=0.2701, buckets=5, working=1.68, peak=17_900_000, step_ms=41_200_000, split="15 + 15"
    )
    assert judged(line, text, run) == said


@pytest.mark.parametrize(
    ("first", "second", "text", "said"),
    [
        (100, 80, "smaller", "You predicted shorter: right."),
        (100, 96, "smaller", "You predicted shorter; it is about the same."),
        (100, 104, "same", "You predicted about the same: right."),
        (100, 120, "same", "You predicted about the same; it is longer."),
    ],
)
def test_steps_that_differ_by_less_than_runs_scatter_are_about_the_same(first, second, text, said):
    runs = figures(step_ms=first), figures(step_ms=second)
    assert judged("step_ms@2 against @1", text, *runs) == said


def test_shares_are_compared_by_their_difference():
    runs = figures(idle=0.02), figures(idle=0.03)
    assert judged("idle@2 against @1", "same", *runs) == "You predicted about the same: right."
    runs = figures(idle=0.27), figures(idle=0.11)
    assert judged("idle@2 against @1", "larger", *runs) == "You predicted larger; it is smaller."


def test_a_run_without_the_figure_judges_nothing():
    said = judged("hidden@2 against @1", "larger", figures(hidden=0.5), figures())
    assert said == "The runs lack a figure that the question needs."
    assert judged("formula", "20", figures()) == "You predicted 20 %; it is none."


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_every_shipped_step_asks_before_it_runs_or_has_something_to_find(path):
    for step in read_lesson(path).steps:
        assert (step.prediction is None) == step.find, step.title
        if step.prediction is not None and step.prediction.against is None:
            # Nobody knows how fast this machine is.
            unit = NUMBERS.get(step.prediction.figure.name)
            assert unit is None or unit.unit is not Unit.TIME


@pytest.mark.parametrize("language", [KO, ZH])
@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_a_lesson_asks_the_same_in_every_language(path, language):
    other = read_lesson(path.parent / language / path.name)
    for mine, theirs in zip(read_lesson(path).steps, other.steps, strict=True):
        assert (mine.prediction, mine.find) == (theirs.prediction, theirs.find)
        assert mine.runs == theirs.runs and mine.point == theirs.point
