"""While a learner looks for the slow lane, nothing in the window names it."""

import json

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest

from core.explain.lanes import Gap, longest_gaps
from core.lessons.lesson import find_lesson
from core.recording.decode import append_batch
from core.recording.schema import COSTS_LEVEL, Record
from gui.features.details.feature import DetailsFeature
from gui.features.devices.feature import DevicesFeature
from gui.features.lessons.feature import LessonsFeature
from gui.features.predict.feature import PredictFeature
from gui.features.verdict.feature import VerdictFeature
from gui.features.why.feature import WhyFeature
from gui.timeline.interact.hover import card_at
from gui.timeline.state.explained import Wanted
from tests.core.helpers import Note, batch_of
from tests.gui.features.lessons.test_lessons import LEFT, make_runs
from tests.gui.window.test_window import perform
from tests.make_believe import specification

FIND = "Find it yourself: the verdict is shown with the answer."


@pytest.fixture
def finding(window, client, qtbot):
    """The lessons at a step that asks for the slow lane, after its run."""
    lessons = window.feature(LessonsFeature).lessons
    lessons.open(find_lesson("9"))
    lessons.step(2)
    make_runs(window, client, qtbot)
    return lessons


def texts_of(window):
    """The texts of the panels that would name the slow lane."""
    why = window.bring("why")
    slowdown = window.bring("slowdown")
    return {
        "verdict": window.feature(VerdictFeature).line.label.text(),
        "why": why._question.text() if why._stack.currentIndex() == 1 else "",
        "devices": window.feature(DevicesFeature).devices.words(),
        "slowdown": slowdown.hint.text() if slowdown._stack.currentIndex() == 0 else "",
    }


def test_every_panel_says_only_that_the_slow_lane_is_to_be_found(finding, window, qtbot):
    qtbot.waitUntil(lambda: window.feature(VerdictFeature).line.label.text() == FIND)
    assert texts_of(window) == dict.fromkeys(("verdict", "why", "devices", "slowdown"), FIND)
    assert window.feature(WhyFeature).panel.widget.verdict.isHidden()
    assert not window.feature(WhyFeature).panel.widget.explain_button.isVisible()
    assert window.feature(DevicesFeature).buckets.isHidden()
    step = window.scene.described
    explained = window.scene.explained
    assert explained.known(step) is None and not explained.knows(step, Wanted.FIGURES)
    QTest.mouseClick(finding.panel.reveal, LEFT)
    found = texts_of(window)
    assert FIND not in found.values() and "busy" in found["devices"]
    assert window.feature(WhyFeature).panel.widget.figures is not None
    assert explained.at_hand(step)


def test_gaps_and_their_tooltips_give_no_causes(finding, window):
    scene, state = window.scene, window.timeline.state
    step = scene.described
    (gap,) = longest_gaps(scene.trace, step, step, 1)
    state.select(gap)
    details = window.feature(DetailsFeature).panel.widget
    assert details.sentence.text() == FIND and details.reasons.isHidden()
    frame = state.frame
    middle = frame.rect(frame.layout.track_of(gap.lane), gap.start, gap.end).center()
    assert isinstance(gap, Gap)
    card = card_at(scene, frame, middle.x(), middle.y())
    assert card is not None and FIND in card[1]
    window.timeline.overlays.hover_at(QPointF(middle))
    QTest.mouseClick(finding.panel.reveal, LEFT)
    state.select(None)
    state.select(gap)
    assert details.sentence.text() != FIND and details.reasons.isVisible()


def test_what_if_does_not_list_the_fault(finding, window):
    # Costs that were measured before the steps, as every run on virtual lanes has them: What if
    # adds the run's fault to these. Costs that are taken from a step contain the fault.
    costs = {"forward_ms": 1, "backward_ms": 2, "step_ms": 1, "transfer_ms": 0.1, "rows": 8}
    note = Note(Record.LOG, COSTS_LEVEL, 0, text=json.dumps(costs))
    append_batch(window.run_shown.trace, batch_of([note]))
    window.bring("try")
    field = window.feature(PredictFeature).what_if.panel.faults.fields["slow_lane"]
    assert not field.read()
    QTest.mouseClick(finding.panel.reveal, LEFT)
    assert field.read() == "1:2"


def test_other_runs_are_explained_meanwhile(finding, window, client, qtbot):
    mine = window.run_shown
    window.hide_panel("lesson")
    perform(window, client, specification(steps=1))
    other = window.session.runs[-1]
    window.bring("lesson")
    window.showing.show(other)
    assert window.scene.concealed == ""
    window.showing.show(mine)
    assert window.scene.concealed == FIND
    # Leaving the lesson ends the hiding.
    window.hide_panel("lesson")
    assert window.scene.concealed == ""


def test_the_run_before_the_step_stays_explained(window, client, qtbot):
    lessons = window.feature(LessonsFeature).lessons
    lessons.open(find_lesson("9"))
    make_runs(window, client, qtbot)
    lessons.step(1)
    assert window.scene.concealed == ""
    QTest.mouseClick(lessons.panel.run, LEFT)
    client.perform(client.asked[-1])
    window.session.tick()
    assert window.scene.concealed == FIND
