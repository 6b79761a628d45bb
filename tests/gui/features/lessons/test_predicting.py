"""Lessons in the window ask for a prediction before a step runs, and judge it after it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.engine.messages import Outcome
from core.lessons.lesson import filled, find_lesson
from core.lessons.prediction import Order
from gui.features.lessons.feature import LessonsFeature
from tests.core.lessons.test_lesson import GOOD
from tests.gui.features.lessons.test_lessons import LEFT, SECOND, make_runs, take


@pytest.fixture
def lessons(window, tmp_path):
    """The lessons with one open that asks for a number of rows, and then which time is longer."""
    path = tmp_path / "own.md"
    second = SECOND.replace("Question:", "Predict: step_ms@2 against @1\n\nQuestion:")
    path.write_text(GOOD.replace("Question:", "Predict: split\n\nQuestion:") + second)
    made = window.feature(LessonsFeature).lessons
    made.open(path)
    return made


def test_the_prediction_comes_first_and_is_judged_with_the_answer(lessons, window, client, qtbot):
    panel = lessons.panel
    field = panel.prediction
    assert QApplication.focusWidget() is field.number
    tops = [part.mapTo(panel, part.rect().topLeft()).y() for part in (panel.question, field)]
    assert tops[0] < tops[1] < panel.run.mapTo(panel, panel.run.rect().topLeft()).y()
    assert field.label.text() == "Your prediction: Rows of each device"
    assert panel.run.text() == "▶  Run it without a prediction"
    QTest.keyClicks(field.number, "15 15")
    assert panel.run.text() == "▶  Run this step"
    make_runs(window, client, qtbot)
    assert panel.answer.isVisible() and panel.reveal.isHidden()
    answer = filled(lessons.lesson.steps[0].answer, lessons.done[0].figures)
    assert panel.answer.text() == f"You predicted 15 + 15: right. {answer}"
    assert field.isVisible() and not field.number.isEnabled()
    # A finished step remembers its prediction.
    lessons.step(1)
    lessons.step(-1)
    assert panel.answer.text() == f"You predicted 15 + 15: right. {answer}"
    assert field.isHidden()


def test_return_in_the_field_runs_the_step(lessons, window, client):
    field = lessons.panel.prediction.number
    QTest.keyClicks(field, "20")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert lessons.running and len(client.asked) == 1 and not field.isEnabled()
    client.perform(client.asked[-1], Outcome.STOPPED)
    take(window)
    # Nothing was shown: the prediction may be changed.
    assert field.isEnabled() and field.text() == "20"


def test_one_of_three_orders_is_chosen(lessons, window, client, qtbot):
    panel = lessons.panel
    QTest.mouseClick(panel.forth, LEFT)
    field = panel.prediction
    assert [button.text() for button in field.orders.values()] == [
        "shorter", "about the same", "longer",
    ]  # fmt: skip
    assert field.label.text().startswith("Your prediction: Step: ")
    assert " against " in field.label.text() and not field.number.isVisible()
    assert field.guess is None and panel.run.text() == "▶  Run it without a prediction"
    QTest.mouseClick(field.orders[Order.LARGER], LEFT)
    assert field.guess is Order.LARGER and panel.run.text() == "▶  Run this step"
    make_runs(window, client, qtbot)
    assert panel.answer.text().startswith("You predicted longer")
    assert field.orders[Order.LARGER].isChecked() and not field.orders[Order.LARGER].isEnabled()


def test_without_a_prediction_the_answer_is_shown_only_on_request(lessons, window, client, qtbot):
    make_runs(window, client, qtbot)
    panel = lessons.panel
    assert panel.prediction.isHidden() and panel.answer.isHidden() and panel.reveal.isEnabled()
    QTest.mouseClick(panel.reveal, LEFT)
    assert panel.answer.text().startswith("15 + 15")


@pytest.mark.parametrize(
    ("number", "said"),
    [
        ("6", "Your prediction: Idle time"),
        ("8", "Your prediction: State of the optimizer against Parameters"),
    ],
)
def test_shipped_lessons_name_the_figure_to_predict(window, number, said):
    lessons = window.feature(LessonsFeature).lessons
    lessons.open(find_lesson(number))
    field = lessons.panel.prediction
    assert field.label.text() == said
    assert field.number.isVisible() == (number == "6")
