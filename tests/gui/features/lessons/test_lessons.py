"""Lessons in the window: their runs, the spotlight, questions and answers."""

from dataclasses import replace
from html import escape

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton

from core.engine.messages import Ended, Outcome
from core.lessons.figures import figures_of, run_figures
from core.lessons.lesson import PARTS, filled, find_lesson, read_lesson, shipped
from core.lessons.prediction import Order
from core.plain import duration_text
from core.plan.task import Kind
from core.sweep.sweep import values_by_name
from gui.features.compare.chooser import other_of
from gui.features.compare.feature import CompareFeature
from gui.features.devices.feature import DevicesFeature
from gui.features.first_page.feature import FirstPageFeature
from gui.features.lessons.feature import LessonsFeature
from gui.features.palette.commands import all_commands
from gui.features.palette.feature import PaletteFeature
from gui.features.run.feature import RunFeature
from gui.features.runs.feature import RunsFeature
from gui.features.verdict.feature import VerdictFeature
from gui.widgets.menu_actions import listed_actions
from tests.core.lessons.test_lesson import GOOD, small
from tests.gui.window.test_window import perform
from tests.make_believe import specification

LEFT = Qt.MouseButton.LeftButton
SECOND = """
## Another step

It says more.

    --strategy pipeline --devices 2xvirtual --width 16 --depth 2 --batch 8 --steps 1 --warmup 0
    --strategy single --devices 1xvirtual --width 16 --depth 2 --batch 8 --steps 1 --warmup 0

Point: bubble

Question: How long?

Answer: {step_ms@1} and {step_ms@2}.
"""


@pytest.fixture
def lesson(tmp_path):
    path = tmp_path / "own.md"
    path.write_text(GOOD + SECOND)
    return path


def take(window):
    window.session.tick()
    while window.session.backlog_s:
        window.session.tick()


def make_runs(window, client, qtbot):
    """Press Run, and perform the runs that are requested."""
    QTest.mouseClick(window.feature(LessonsFeature).lessons.panel.run, LEFT)
    for _ in (
        window.feature(LessonsFeature)
        .lessons.lesson.steps[window.feature(LessonsFeature).lessons.place]
        .runs
    ):
        assert window.feature(LessonsFeature).lessons.panel.run.text() == "Stop"
        client.perform(client.asked[-1])
        take(window)
    qtbot.waitUntil(
        lambda: (
            window.feature(LessonsFeature).lessons.place
            in window.feature(LessonsFeature).lessons.done
        ),
        timeout=20_000,
    )
    qtbot.waitUntil(window.feature(LessonsFeature).lessons.spotlight.isVisible)


def test_a_step_runs_points_asks_and_answers_with_figures_of_its_runs(
    window, client, qtbot, lesson
):
    before = window.feature(RunFeature).form.specification()
    window.feature(LessonsFeature).lessons.open(lesson)
    panel = window.feature(LessonsFeature).lessons.panel
    assert panel.isVisible() and panel.text.text() == "It says …."
    assert not panel.reveal.isEnabled() and not panel.back.isEnabled()
    make_runs(window, client, qtbot)
    assert window.feature(RunFeature).form.specification() == before
    read = read_lesson(lesson)
    assert client.asked == list(read.steps[0].runs)
    assert window.run_shown.trace.header.specification == read.steps[0].runs[0]
    QApplication.processEvents()  # the panel was just made, and is laid out with the next event
    (place,) = window.feature(LessonsFeature).lessons.spotlight.places
    assert window.feature(DevicesFeature).batch.isVisible() and place.contains(
        window.feature(DevicesFeature).batch.mapTo(
            window, window.feature(DevicesFeature).batch.rect().center()
        )
    )
    QTest.mouseClick(panel.reveal, LEFT)
    assert not window.feature(LessonsFeature).lessons.spotlight.isVisible()
    figures = figures_of(window.run_shown.trace)
    assert panel.answer.isVisible()
    assert panel.answer.text() == filled(read.steps[0].answer, [figures])
    assert panel.text.text() == f"It says {figures['split']}."
    QTest.mouseClick(panel.again, LEFT)
    assert window.feature(LessonsFeature).lessons.spotlight.isVisible()


def test_a_comparison_ends_before_a_step_runs(window, client, qtbot, lesson):
    perform(window, client, specification(steps=1))
    perform(window, client, specification("dp", steps=1))
    comparing = window.feature(CompareFeature).comparing
    comparing.begin(other_of(window.session.runs[0]))
    assert comparing.other is not None
    window.feature(LessonsFeature).lessons.open(lesson)
    make_runs(window, client, qtbot)
    assert comparing.other is None


def test_the_next_step_makes_all_its_runs_and_each_can_be_shown(window, client, qtbot, lesson):
    window.feature(LessonsFeature).lessons.open(lesson)
    panel = window.feature(LessonsFeature).lessons.panel
    QTest.mouseClick(panel.forth, LEFT)
    assert panel.place.text() == "Step 2 of 2" and panel.forth.text() == "Done"
    make_runs(window, client, qtbot)
    done = window.feature(LessonsFeature).lessons.done[1]
    assert panel.answer.text() == f"{done.figures[0]['step_ms']} and {done.figures[1]['step_ms']}."
    links = [one for one in panel.findChildren(QToolButton) if one.text().endswith("ms")]
    QTest.mouseClick(links[0], LEFT)
    assert window.run_shown is done.runs[0]
    bars = [bar for bar in panel.bars if bar.isVisible()]
    assert [bar.shown for bar in bars] == [run_figures(run.trace).bar for run in done.runs]
    idle = f"{100 * bars[0].shown.idle:.1f} %"
    assert bars[0].accessibleDescription().replace("\u00a0", " ").endswith(f"idle {idle}")
    QTest.mouseClick(panel.back, LEFT)
    assert panel.place.text() == "Step 1 of 2" and not panel.reveal.isEnabled()
    QTest.mouseClick(panel.forth, LEFT)
    assert panel.reveal.isEnabled()


def test_two_runs_end_in_a_comparison_and_share_one_tab(window, client, qtbot, lesson):
    lessons = window.feature(LessonsFeature).lessons
    lessons.open(lesson)
    make_runs(window, client, qtbot)
    lessons.step(1)
    make_runs(window, client, qtbot)
    first, second = lessons.done[1].runs
    comparing = window.feature(CompareFeature).comparing
    assert window.run_shown is second and comparing.other.run is first
    assert comparing.frame.divided and comparing.two is not None
    assert window.feature(RunsFeature).tabs.runs == [second]
    lessons.panel.chosen.emit(0)
    assert window.run_shown is first and window.feature(RunsFeature).tabs.runs == [first]
    # Runs of the form keep their own tabs.
    window.hide_panel("lesson")
    perform(window, client, specification(steps=1))
    window.showing.show(window.session.runs[-1])
    window.showing.show(second)
    assert len(window.feature(RunsFeature).tabs.runs) == 2


def test_runs_that_differ_in_a_number_end_in_a_curve(window, client, qtbot):
    lessons = window.feature(LessonsFeature).lessons
    lessons.open(shipped()[4])
    lessons.step(1)
    assert lessons.panel.curve.isHidden()
    make_runs(window, client, qtbot)
    done, curve = lessons.done[1], lessons.panel.curve
    assert curve.isVisible() and not any(bar.isVisible() for bar in lessons.panel.bars)
    (series,) = curve.results.series
    sizes = [place for place, _ in series.results]
    assert sizes == [4, 24, 120, 480, 960]
    times = {int(place): result.mean_ms for place, result in series.results}
    for run in done.runs:
        size = values_by_name(run.trace.header.specification)["split_size"]
        assert duration_text(round(times[size] * 1e6)) == figures_of(run.trace)["step_ms"]
    place = next(place for place in curve.chart.places if place.result.mean_ms == times[480])
    QTest.mouseClick(curve, LEFT, pos=curve.chart.spot(place).center().toPoint())
    assert window.run_shown is done.runs[1]


def test_the_run_action_starts_the_lesson_while_its_panel_covers_the_settings(
    window, client, lesson
):
    lessons = window.feature(LessonsFeature).lessons
    action = window.action("run")
    lessons.open(lesson)
    assert action.iconText() == "▶  Run this step"
    QTest.keyClick(window, Qt.Key.Key_F5)
    assert client.asked == [lessons.lesson.steps[0].runs[0]]
    client.perform(client.asked[-1], Outcome.STOPPED)
    take(window)
    window.hide_panel("lesson")
    assert action.iconText() != "▶  Run this step"
    QTest.keyClick(window, Qt.Key.Key_F5)
    assert client.asked[-1] == window.feature(RunFeature).form.specification()


def test_the_run_action_runs_the_form_until_a_lesson_is_opened(window, client, lesson):
    action = window.action("run")
    window.bring("lesson")
    assert action.iconText() != "▶  Run this step"
    QTest.keyClick(window, Qt.Key.Key_F5)
    assert client.asked == [window.feature(RunFeature).form.specification()]
    client.perform(client.asked[-1], Outcome.STOPPED)
    take(window)
    window.feature(LessonsFeature).lessons.open(lesson)
    assert action.iconText() == "▶  Run this step"


def test_a_straggler_is_named_before_the_verdict_is_shown(window, client, qtbot):
    lessons, line = (
        window.feature(LessonsFeature).lessons,
        window.feature(VerdictFeature).line,
    )
    lessons.open(find_lesson("9"))
    assert lessons.panel.guess.isHidden()
    lessons.step(1)
    make_runs(window, client, qtbot)
    panel = lessons.panel
    assert panel.guess.isVisible() and "1.7" not in panel.text.text()
    qtbot.waitUntil(lambda: line.label.text() != "")
    assert line.label.text().startswith("Find it yourself")
    panel.guess.lane_field.setValue(2)
    panel.guess.factor_field.setFocus()
    panel.guess.factor_field.setValue(1.6)
    QTest.mouseClick(panel.reveal, LEFT)
    assert panel.answer.text().startswith("Right: the lane and the amount. Lane 2 takes 1.7 times")
    assert panel.guess.isHidden() and not line.label.text().startswith("Find it yourself")
    # Leaving the lesson shows the verdict again.
    lessons.step(1)
    make_runs(window, client, qtbot)
    assert line.label.text().startswith("Find it yourself")
    window.hide_panel("lesson")
    assert not line.label.text().startswith("Find it yourself")


def test_the_last_lesson_is_followed_by_your_own_model(window, qtbot):
    lessons = window.feature(LessonsFeature).lessons
    panel = lessons.panel
    lessons.open(shipped()[-1])
    for _ in lessons.lesson.steps:
        QTest.mouseClick(panel.forth, LEFT)
    assert panel.title.text() == "Done, and next: your own model"
    assert panel.run.isHidden() and panel.question.isHidden()
    QTest.mouseClick(panel.back, LEFT)
    assert panel.run.isVisible() and panel.title.text() == lessons.lesson.steps[-1].title
    QTest.mouseClick(panel.forth, LEFT)
    QTest.mouseClick(panel.forth, LEFT)
    assert not panel.isVisible()
    model = window.feature(RunFeature).form.options.fields["model"]
    assert QApplication.focusWidget() is model.widget


def test_the_question_is_read_before_the_run_shows_its_answer(window, lesson):
    window.feature(LessonsFeature).lessons.open(lesson)
    panel = window.feature(LessonsFeature).lessons.panel
    tops = [part.mapTo(panel, part.rect().topLeft()).y() for part in (panel.question, panel.run)]
    assert tops == sorted(tops)


def test_the_target_is_highlighted_until_the_first_key(window, client, qtbot, lesson):
    window.feature(LessonsFeature).lessons.open(lesson)
    window.feature(LessonsFeature).lessons.step(1)
    make_runs(window, client, qtbot)
    window.showing.show(window.feature(LessonsFeature).lessons.done[1].runs[0])
    for point in (*PARTS, "lane 1", Kind.FORWARD, Kind.ALL_REDUCE):
        window.feature(LessonsFeature).lessons.spotlight.point(
            window.feature(LessonsFeature).lessons._pointer.places(point)
        )
        QApplication.processEvents()  # a panel that was just made is laid out with the next event
        (place,) = window.feature(LessonsFeature).lessons.spotlight.places
        assert place.width() > 4 and place.height() > 4, point
        assert window.rect().contains(place.toAlignedRect()), point
        QTest.keyClick(window, Qt.Key.Key_Shift)
        assert not window.feature(LessonsFeature).lessons.spotlight.isVisible()


def test_a_run_that_is_stopped_or_refused_ends_the_step(window, client, qtbot, lesson):
    window.feature(LessonsFeature).lessons.open(lesson)
    panel = window.feature(LessonsFeature).lessons.panel
    QTest.mouseClick(panel.run, LEFT)
    QTest.mouseClick(panel.run, LEFT)
    assert client.stopped
    client.perform(client.asked[-1], Outcome.STOPPED)
    take(window)
    assert (
        panel.progress.text() == "The run was stopped." and panel.run.text() == "▶  Run this step"
    )
    QTest.mouseClick(panel.run, LEFT)
    client.running = False
    client.say(Ended(Outcome.REFUSED, "no memory for that"))
    take(window)
    assert panel.progress.text() == "No memory for that." and panel.run.isEnabled()


def test_leaving_a_step_ends_its_runs(window, client, qtbot, lesson):
    window.feature(LessonsFeature).lessons.open(lesson)
    window.feature(LessonsFeature).lessons.step(1)
    QTest.mouseClick(window.feature(LessonsFeature).lessons.panel.run, LEFT)
    window.feature(LessonsFeature).lessons.step(-1)
    assert client.stopped
    client.perform(client.asked[-1], Outcome.STOPPED)
    take(window)
    assert len(client.asked) == 1 and not window.feature(LessonsFeature).lessons.done
    assert window.feature(LessonsFeature).lessons.panel.progress.isHidden()


def test_a_bad_lesson_is_refused_in_one_line(window, tmp_path):
    path = tmp_path / "bad.md"
    path.write_text(GOOD.replace("--batch 30", "--batch 0"))
    window.feature(LessonsFeature).lessons.open(path)
    assert "line 9: --batch 0: use 1 or more" in window.banner.label.text()
    assert window.feature(LessonsFeature).lessons.lesson is None


def test_lessons_are_listed_in_the_menu_the_palette_and_on_the_first_page(window, qtbot):
    titles = [f"Lesson {n}: {read_lesson(path).title}" for n, path in enumerate(shipped(), 1)]
    offered = [command.text for command in all_commands(window)]
    assert all(title in offered for title in titles)
    menu = next(a.menu() for a in window.menuBar().actions() if a.text() == "&Help")
    named = {action.text(): action for _, action in listed_actions(menu)}
    named[titles[3]].trigger()
    assert window.feature(LessonsFeature).lessons.lesson.title == "One model over two devices"
    QTest.mouseClick(window.feature(FirstPageFeature).page.cards[5], LEFT)
    assert window.feature(LessonsFeature).lessons.panel.lesson.text() == "Schedules"
    window.feature(LessonsFeature).lessons.open(shipped()[0])
    for _ in window.feature(LessonsFeature).lessons.lesson.steps:
        window.feature(LessonsFeature).lessons.step(1)
    assert window.feature(LessonsFeature).lessons.path == shipped()[1]


@pytest.mark.parametrize("number", range(1, len(shipped()) + 1))
def test_a_shipped_lesson_can_be_completed_in_the_window(window, client, qtbot, number):
    """The runs are simulated here; tests/core/lessons performs them all on an engine."""
    path, panel = shipped()[number - 1], window.feature(LessonsFeature).lessons.panel
    window.feature(LessonsFeature).lessons.open(path)
    for place, step in enumerate(read_lesson(path).steps):
        make_runs(window, client, qtbot)
        assert client.asked[-len(step.runs) :] == list(step.runs)
        done = window.feature(LessonsFeature).lessons.done[place]
        assert window.run_shown is done.runs[-1]
        # The second timeline of a comparison is laid out with the next event.
        qtbot.waitUntil(lambda: bool(window.feature(LessonsFeature).lessons.spotlight.places))
        QTest.mouseClick(panel.reveal, LEFT)
        assert panel.answer.text().endswith(filled(step.answer, done.figures))
        QTest.mouseClick(panel.forth, LEFT)


def test_a_lesson_runs_on_a_real_engine_by_keys_only(real_window, qtbot, monkeypatch):
    """From the palette to the last answer, on a real engine, with narrow layers."""
    window, panel, lessons = (
        real_window,
        real_window.feature(LessonsFeature).lessons.panel,
        real_window.feature(LessonsFeature).lessons,
    )
    whole = read_lesson(shipped()[2])
    monkeypatch.setattr("gui.features.lessons.lessons.read_lesson", lambda path: _small(whole))
    window.feature(PaletteFeature).palette.toggle()
    QTest.keyClicks(window.feature(PaletteFeature).palette.field, "lesson 3")
    QTest.keyClick(window.feature(PaletteFeature).palette.field, Qt.Key.Key_Return)
    for place, step in enumerate(whole.steps):
        _predict_and_run(panel)
        qtbot.waitUntil(lambda place=place: place in lessons.done, timeout=60_000)
        qtbot.waitUntil(lessons.spotlight.isVisible)
        assert lessons.spotlight.places
        figures = [figures_of(run.trace) for run in lessons.done[place].runs]
        assert len(figures) == len(step.runs)
        answer = panel.answer.text()
        assert panel.answer.isVisible() and answer.startswith("You predicted ")
        assert answer.endswith(filled(step.answer, figures))
        _tab_to(panel.forth)
        _press(panel.forth)
    assert lessons.path == shipped()[3]


def _predict_and_run(panel):
    """Answer the question: a number and Return, or one of three orders and Run."""
    field = QApplication.focusWidget()
    if field is panel.prediction.number:
        QTest.keyClicks(field, "4")
        QTest.keyClick(field, Qt.Key.Key_Return)
        return
    _press(panel.prediction.orders[Order.SMALLER])
    _tab_to(panel.run)
    _press(panel.run)


def _press(button):
    assert QApplication.focusWidget() is button
    QTest.keyClick(button, Qt.Key.Key_Space)


def _tab_to(wanted):
    for _ in range(10):
        if QApplication.focusWidget() is wanted:
            return
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    raise AssertionError("Tab does not get there")


def _small(lesson):
    steps = (replace(step, runs=tuple(map(small, step.runs))) for step in lesson.steps)
    return replace(lesson, steps=tuple(steps))


def test_a_very_long_error_of_a_run_is_shortened_and_complete_in_the_tooltip(
    window, client, qtbot, lesson
):
    window.feature(LessonsFeature).lessons.open(lesson)
    QTest.mouseClick(window.feature(LessonsFeature).lessons.panel.run, LEFT)
    text = f"ValueError: {'x' * 4000} " + "no such layer <b> " * 400
    client.messages.append(Ended(Outcome.REFUSED, text))
    take(window)
    progress = window.feature(LessonsFeature).lessons.panel.progress
    for label in (progress, window.banner.label):
        assert label.text().startswith("ValueError: xxx") and len(label.text()) <= 502
        assert escape(text.strip()) in label.toolTip()
    QTest.mouseClick(window.feature(LessonsFeature).lessons.panel.run, LEFT)
    assert progress.toolTip() == ""
