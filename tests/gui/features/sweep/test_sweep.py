"""The Sweep panel in the window: its runs, its growing curve, and opening the run of a point."""

import csv

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.engine.messages import Ended, Outcome
from core.plan.specification import OPTIONS, specification_of
from gui.features.first_page.feature import FirstPageFeature
from gui.features.run.feature import RunFeature
from gui.features.runs.feature import RunsFeature
from gui.features.sweep.feature import SweepFeature

LEFT = Qt.MouseButton.LeftButton
SPLIT_SIZE = next(option for option in OPTIONS if option.name == "split_size")
SMALL = {"strategy": "pipeline", "width": 64, "depth": 4, "devices": "2xcpu", "batch": 32}


def open_panel(window, qtbot):
    """Open the Sweep panel, with three split sizes as its values."""
    window.feature(RunFeature).form.set_specification(
        specification_of({**SMALL, "steps": 2, "warmup": 1})
    )
    window.action("sweep").trigger()
    made = window.feature(SweepFeature).sweeping.panel
    assert made.isVisible()
    qtbot.waitUntil(lambda: window.focusWidget() is made.values)
    made.values.clear()
    QTest.keyClicks(made.values, "4,8,16")
    return made


@pytest.fixture
def panel(window, qtbot):
    return open_panel(window, qtbot)


def take(window):
    """Take all messages: on a busy machine a tick takes only some of them."""
    window.session.tick()
    while window.session.backlog_s:
        window.session.tick()


def perform(window, client, runs=1, outcome=Outcome.FINISHED):
    for _ in range(runs):
        client.perform(client.asked[-1], outcome)
        take(window)


def test_a_curve_grows_run_by_run_and_a_point_opens_its_run(window, client, panel):
    panel.references.setChecked(True)
    panel.repeat.setValue(2)
    QTest.mouseClick(panel.button, LEFT)
    sweep = window.feature(SweepFeature).sweeping.results.sweep
    assert len(sweep.points) == 10 and panel.button.text() == "Stop sweep"
    for number, point in enumerate(sweep.points):
        assert client.asked[-1] == sweep.settings[point.setting]
        assert len(window.feature(SweepFeature).sweeping.results.measured) == number
        perform(window, client)
    assert not window.feature(SweepFeature).sweeping.running and len(client.asked) == 10
    assert window.run_shown is None and window.feature(RunsFeature).tabs.count() == 0
    chart = panel.view.chart
    assert [place.series for place in chart.places] == [-1, -1, 0, 0, 0]
    place = chart.places[3]
    QTest.mouseClick(panel.view, LEFT, pos=chart.spot(place).center().toPoint())
    shown = window.run_shown.trace.header.specification
    assert shown == place.result.setting and shown[SPLIT_SIZE] == 8
    assert (
        window.feature(RunFeature).form.specification()[SPLIT_SIZE] is None
    )  # the form is unchanged


def test_the_keyboard_reaches_every_point(window, client, panel):
    panel.references.setChecked(False)
    panel.repeat.setValue(1)
    QTest.keyClick(panel.values, Qt.Key.Key_Return)
    perform(window, client, 3)
    panel.view.setFocus()
    for _ in range(2):
        QTest.keyClick(panel.view, Qt.Key.Key_Right)
    assert "Split size 8" in panel.view.accessibleDescription()
    QTest.keyClick(panel.view, Qt.Key.Key_Return)
    assert window.run_shown.trace.header.specification[SPLIT_SIZE] == 8


def test_the_description_of_the_chart_follows_the_results(window, client, panel):
    panel.references.setChecked(False)
    panel.repeat.setValue(2)
    QTest.mouseClick(panel.button, LEFT)
    view = panel.view
    perform(window, client)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Right)
    setting, _, words = view.accessibleDescription().partition(":")
    assert setting.startswith("Split size") and words.endswith("in one run")
    perform(window, client, 5)
    assert view.accessibleDescription().startswith(f"{setting}: ")
    assert view.accessibleDescription().endswith("2 runs")
    # Another sweep has no result with this setting.
    panel.values.setText("1,2")
    QTest.mouseClick(panel.button, LEFT)
    perform(window, client)
    assert view.accessibleDescription().startswith("Fastest: Split size ")
    assert setting not in view.accessibleDescription()
    QTest.mouseClick(panel.button, LEFT)


def test_a_click_on_a_point_describes_its_result(window, client, panel):
    panel.references.setChecked(False)
    panel.repeat.setValue(1)
    QTest.mouseClick(panel.button, LEFT)
    perform(window, client, 3)
    place = max(panel.view.chart.places, key=lambda place: place.x)
    QTest.mouseClick(panel.view, LEFT, pos=panel.view.chart.spot(place).center().toPoint())
    assert panel.view.accessibleDescription().startswith("Split size 16: ")


def test_a_stopped_sweep_resumes_where_it_was(window, client, panel):
    panel.references.setChecked(False)
    panel.repeat.setValue(1)
    QTest.mouseClick(panel.button, LEFT)
    perform(window, client)
    QTest.mouseClick(panel.button, LEFT)
    assert client.stopped
    perform(window, client, outcome=Outcome.STOPPED)
    assert (
        not window.feature(SweepFeature).sweeping.running
        and len(window.feature(SweepFeature).sweeping.results.measured) == 1
    )
    assert panel.button.text() == "Run sweep" and len(client.asked) == 2
    QTest.mouseClick(panel.button, LEFT)
    perform(window, client, 2)
    assert (
        len(client.asked) == 4 and len(window.feature(SweepFeature).sweeping.results.measured) == 3
    )


def test_two_schedules_of_the_first_page_do_not_get_between_the_runs_of_a_sweep(
    window, client, panel
):
    panel.references.setChecked(False)
    panel.repeat.setValue(1)
    QTest.mouseClick(panel.button, LEFT)
    sweep = window.feature(SweepFeature).sweeping.results.sweep
    before = window.feature(RunFeature).form.specification()
    window.feature(FirstPageFeature).page.tried.emit("schedules")
    assert "A run is under way" in window.banner.label.text()
    perform(window, client, 3)
    assert client.asked == [sweep.settings[point.setting] for point in sweep.points]
    assert len(window.feature(SweepFeature).sweeping.results.measured) == 3
    assert not window.session.asking
    assert window.feature(RunFeature).form.specification() == before


def test_a_run_that_starts_between_the_runs_of_a_sweep_is_none_of_its_measurements(
    window, client, qtbot
):
    # Connected before the sweep, so that this run starts before the sweep's next one.
    other = specification_of({**SMALL, "steps": 3})
    window.session.run_ended.connect(lambda _: window.session.run(other))
    panel = open_panel(window, qtbot)
    panel.references.setChecked(False)
    panel.repeat.setValue(1)
    QTest.mouseClick(panel.button, LEFT)
    perform(window, client, 2)
    sweeping = window.feature(SweepFeature).sweeping
    assert client.asked[1] == other
    assert len(sweeping.results.measured) == 1
    assert not sweeping.running and panel.button.text() == "Run sweep"


LATE = "the engine process was ended after 1.5 s, inside a long operation"


@pytest.mark.parametrize(
    "end", [Ended(Outcome.STOPPED, LATE), Ended(Outcome.REFUSED, "there is no memory")]
)
@pytest.mark.parametrize("by", ["the button", "the action"])
def test_a_sweep_that_is_stopped_before_its_run_begins_is_over(window, client, panel, end, by):
    panel.references.setChecked(False)
    panel.repeat.setValue(1)
    QTest.mouseClick(panel.button, LEFT)
    if by == "the button":
        QTest.mouseClick(panel.button, LEFT)
    else:
        window.action("stop").trigger()
    assert client.stopped
    client.running = False
    client.say(end)
    take(window)
    assert len(client.asked) == 1
    assert not window.feature(SweepFeature).sweeping.running
    assert panel.button.text() == "Run sweep"
    assert "failed" not in panel.progress.text()
    # The next sweep is not affected by the stop.
    QTest.mouseClick(panel.button, LEFT)
    perform(window, client, 3)
    assert len(window.feature(SweepFeature).sweeping.results.measured) == 3


def test_a_sweep_is_over_although_its_run_finished_before_the_stop_arrived(window, client, panel):
    panel.references.setChecked(False)
    panel.repeat.setValue(1)
    QTest.mouseClick(panel.button, LEFT)
    QTest.mouseClick(panel.button, LEFT)
    perform(window, client)
    assert len(client.asked) == 1
    assert not window.feature(SweepFeature).sweeping.running
    assert len(window.feature(SweepFeature).sweeping.results.measured) == 1


def test_a_failed_setting_does_not_stop_the_others(window, client, panel):
    panel.references.setChecked(False)
    panel.repeat.setValue(2)
    QTest.mouseClick(panel.button, LEFT)
    client.running = False
    client.say(Ended(Outcome.REFUSED, "there is no memory"))
    take(window)
    perform(window, client, 4)
    assert (
        not window.feature(SweepFeature).sweeping.running
        and len(window.feature(SweepFeature).sweeping.results.measured) == 4
    )
    assert "there is no memory" in panel.progress.text()


def test_an_impossible_sweep_is_reported_in_one_line(window, panel):
    panel.values.setText("4,x")
    assert panel.problem.isVisible() and "whole number" in panel.problem.text()
    assert not panel.button.isEnabled()
    panel.values.setText("4")
    assert not panel.problem.isVisible() and panel.button.isEnabled()
    window.feature(RunFeature).form.strategies.choose("ddp")
    window.feature(RunFeature).form.check_now()
    assert "Split size is not for ddp" in panel.problem.text()


def test_settings_that_the_option_excludes_are_left_out(window, client, panel):
    window.feature(RunFeature).form.set_specification(
        specification_of({**SMALL, "microbatches": 4})
    )
    assert not panel.problem.isVisible()
    QTest.mouseClick(panel.button, LEFT)
    assert window.feature(SweepFeature).sweeping.running and client.asked
    assert all(
        not one.to_dict()["microbatches"]
        for one in window.feature(SweepFeature).sweeping.results.sweep.settings
    )


def test_picked_options_have_values_that_can_be_run(panel):
    for name, text in (("batch", "32,64,128,256"), ("strategy", "single,dp,ddp")):
        panel.option.setCurrentIndex(panel.option.findData(name))
        assert panel.values.text().startswith(text)
        assert not panel.problem.isVisible()


def test_the_picture_and_the_table_are_written(window, client, panel, tmp_path):
    panel.repeat.setValue(1)
    panel.references.setChecked(False)
    QTest.mouseClick(panel.button, LEFT)
    perform(window, client, 3)
    window.feature(SweepFeature).sweeping.files.image_to(tmp_path / "s.svg")
    window.feature(SweepFeature).sweeping.files.table_to(tmp_path / "s.csv")
    assert "<svg" in (tmp_path / "s.svg").read_text()
    with (tmp_path / "s.csv").open(newline="") as file:
        assert [row["split_size"] for row in csv.DictReader(file)] != []
    assert window.feature(SweepFeature).sweeping.files.image_to(tmp_path / "none" / "s.svg") is None
    assert window.banner.isVisible()


def test_a_sweep_runs_on_the_real_engine(real_window, qtbot):
    window = real_window
    window.feature(RunFeature).form.set_specification(
        specification_of({**SMALL, "steps": 1, "warmup": 0})
    )
    window.action("sweep").trigger()
    panel = window.feature(SweepFeature).sweeping.panel
    panel.values.setText("8,16")
    panel.repeat.setValue(1)
    QTest.mouseClick(panel.button, LEFT)
    qtbot.waitUntil(lambda: not window.feature(SweepFeature).sweeping.running, timeout=60_000)
    assert len(window.feature(SweepFeature).sweeping.results.by_setting) == 4
    assert window.docks.pages["try"].isVisible()


@pytest.mark.parametrize("size", [(1440, 900), (1000, 650)])
def test_the_button_that_runs_a_sweep_is_visible_without_scrolling(window, panel, size, qtbot):
    window.resize(*size)
    qtbot.wait(50)
    assert panel.button.visibleRegion().boundingRect() == panel.button.rect()


@pytest.mark.parametrize("size", [(1000, 650), (1440, 900)])
def test_the_chart_of_a_sweep_is_visible_in_its_whole_width(window, client, panel, size, qtbot):
    window.resize(*size)
    QTest.mouseClick(panel.button, LEFT)
    perform(window, client, 4)
    view = panel.view

    def is_whole():
        right = view.mapTo(panel, view.rect().topRight()).x()
        return view.isVisible() and right <= panel.viewport().rect().right()

    qtbot.waitUntil(is_whole)
    # The words of the best result take most of the chart's width.
    assert view.width() >= 300


@pytest.mark.parametrize("size", [(1000, 650), (1440, 900)])
def test_the_curve_is_high_enough_to_be_read_in_a_low_panel(window, client, panel, size, qtbot):
    window.resize(*size)
    QTest.mouseClick(panel.button, LEFT)
    perform(window, client, 30)
    qtbot.wait(50)  # the panel is laid out again after the last result
    view = panel.view
    assert view.chart.plot.height() >= 100
    # The rest can be reached by scrolling.
    panel.ensureVisible(0, view.geometry().bottom())
    assert view.visibleRegion().boundingRect().bottom() == view.rect().bottom()
