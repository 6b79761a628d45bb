"""The line above the timeline: what limits the run, during it and at its end."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.engine.messages import EngineMessage
from core.explain.run_step import explain_run_step
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.report.idling import Idling, idle_sentences
from core.report.summary import summarise
from core.trace.header import Header
from gui.features.recordings.feature import RecordingsFeature
from gui.features.run.feature import RunFeature
from gui.features.verdict.feature import VerdictFeature
from gui.features.verdict.line import VerdictLine
from gui.features.verdict.sentence import VerdictText
from gui.features.verdict.suggestion import Change, Suggestion
from gui.features.why.feature import WhyFeature
from gui.window.window import MainWindow
from tests.core.recording.importers.kineto_files import kineto_file
from tests.core.recording.importers.test_kineto import a_step, steps
from tests.gui.fake_client import FakeClient
from tests.gui.window.test_window import perform
from tests.make_believe import batches, header_and_plans, specification


def verdict_of(window: MainWindow) -> str:
    found = summarise(window.run_shown.trace).verdict
    assert found is not None
    return str(found.text)


def test_a_run_that_has_ended_has_its_verdict_above_the_timeline(
    window: MainWindow, client: FakeClient, qtbot: QtBot
) -> None:
    perform(window, client, specification("dp", devices="4xcpu", steps=3))
    qtbot.waitUntil(lambda: window.feature(VerdictFeature).line.label.text() == verdict_of(window))
    assert window.feature(VerdictFeature).line.isVisible() and window.feature(
        VerdictFeature
    ).line.accessibleName() == verdict_of(window)
    line, lanes = (
        part.mapTo(window, part.rect().bottomLeft()).y()
        for part in (window.feature(VerdictFeature).line, window.timeline)
    )
    assert line < lanes


def test_the_line_of_a_live_run_describes_its_last_complete_step(
    window: MainWindow, client: FakeClient
) -> None:
    spec = specification(steps=6, warmup=0)
    window.session.run(spec)
    client.perform(spec)
    client.messages, rest = client.messages[:-1], client.messages[-1:]
    while client.messages or window.session._waiting:
        window.session.tick()
    window.showing.figures.update()
    trace, steps = window.run_shown.trace, window.run_shown.trace.steps
    assert window.run_shown.live
    told = {str(idle_sentences(Idling.of([explain_run_step(trace, step)]))) for step in steps}
    assert window.feature(VerdictFeature).line.label.text() in told
    client.say(*rest)


def test_a_click_on_the_line_or_its_button_brings_why_to_the_front(
    window: MainWindow, client: FakeClient, qtbot: QtBot
) -> None:
    perform(window, client, specification(steps=2))
    qtbot.waitUntil(lambda: window.feature(VerdictFeature).line.label.text() == verdict_of(window))
    assert not window.feature(WhyFeature).panel.widget.isVisible()
    QTest.mouseClick(
        window.feature(VerdictFeature).line,
        Qt.MouseButton.LeftButton,
        pos=window.feature(VerdictFeature).line.rect().center(),
    )
    qtbot.waitUntil(window.feature(WhyFeature).panel.widget.isVisible)
    assert not window.feature(WhyFeature).panel.widget.visibleRegion().isEmpty()
    window.docks.hide("why")
    window.feature(VerdictFeature).line.why.setFocus()
    QTest.keyClick(window.feature(VerdictFeature).line.why, Qt.Key.Key_Space)
    qtbot.waitUntil(window.feature(WhyFeature).panel.widget.isVisible)


def test_a_change_is_offered_and_a_click_puts_it_into_the_form(
    window: MainWindow, client: FakeClient, qtbot: QtBot
) -> None:
    perform(window, client, specification(steps=2))
    qtbot.waitUntil(lambda: window.feature(VerdictFeature).line.label.text() == verdict_of(window))
    other = Specification("dp", ModelSettings("mlp", width=64), "4xvirtual", batch=64)
    link = window.feature(VerdictFeature).line.changes[0]
    header = window.run_shown.trace.header
    window.feature(VerdictFeature).line.advise(
        [Suggestion(Change.OTHER_WAY, other, 29_000_000, -0.2, -9_000)], header
    )
    assert link.text().replace("\u00a0", " ") == "Data parallel: 29 ms, −9 kB"
    asked = len(client.asked)
    QTest.mouseClick(link, Qt.MouseButton.LeftButton)
    assert window.feature(RunFeature).form.specification().strategy == "dp"
    assert (
        window.feature(RunFeature).form.specification().devices == "4xvirtual"
        and len(client.asked) == asked
    )
    wider = Specification("dp", ModelSettings("mlp", width=512), "4xvirtual", batch=64)
    window.feature(VerdictFeature).line.suggest(Suggestion(Change.WIDER, wider))
    assert [one.text() for one in window.feature(VerdictFeature).line.changes[:2]] == [
        "Try width 512",
        "Data parallel: 29 ms, −9 kB".replace("29 ms", "29\u00a0ms").replace("9 kB", "9\u00a0kB"),
    ]


def test_without_a_run_there_is_no_line(window: MainWindow, client: FakeClient) -> None:
    assert not window.feature(VerdictFeature).line.isVisible()
    perform(window, client, specification(steps=2))
    window.action("close_tab").trigger()
    assert not window.feature(VerdictFeature).line.isVisible()


def test_the_line_of_a_live_run_never_describes_an_unfinished_step(
    window: MainWindow, client: FakeClient
) -> None:
    spec = specification("dp", devices="4xcpu", steps=1, warmup=1)
    window.session.run(spec)
    header, made = batches(spec)
    plan, _, warmup, told, _, measured, loss = made

    def line_after(*messages: EngineMessage) -> str:
        client.say(*messages)
        window.session.tick()
        window.showing.figures.update()
        return window.feature(VerdictFeature).line.label.text()

    def of(step: int) -> str:
        explanation = explain_run_step(window.run_shown.trace, step)
        return str(idle_sentences(Idling.of([explanation])))

    on_its_way = "Running the first step…"
    half = len(warmup) // 2
    assert line_after(header, plan, warmup.slice(0, half)) == on_its_way
    assert line_after(warmup.slice(half)) == on_its_way
    assert line_after(told) == of(0)
    assert line_after(measured.slice(0, half)) == of(0)
    assert line_after(measured.slice(half)) == of(0) != of(1)
    assert line_after(loss) == of(1)


def test_the_line_is_as_high_before_answers_arrive_as_after(
    window: MainWindow, client: FakeClient, qtbot: QtBot
) -> None:
    perform(window, client, specification(steps=2))
    qtbot.waitUntil(lambda: window.feature(VerdictFeature).line.label.text() == verdict_of(window))
    before, lanes = window.feature(VerdictFeature).line.height(), window.timeline.height()
    header = window.run_shown.trace.header
    others = [Specification(name, devices="4xvirtual", batch=64) for name in ("dp", "ddp", "mp")]
    ways = [Suggestion(Change.OTHER_WAY, other, 29_000_000, -0.2, 9_000_000) for other in others]
    window.feature(VerdictFeature).line.advise(ways, header)
    window.feature(VerdictFeature).line.show_outcome(
        "Predicted before this run: 29 ms. " * 9, header
    )
    window.feature(VerdictFeature).line.show_text("A verdict of many words. " * 30)
    qtbot.wait(50)
    assert (window.feature(VerdictFeature).line.height(), window.timeline.height()) == (
        before,
        lanes,
    )
    assert window.feature(VerdictFeature).line.toolTip().startswith("A verdict of many words.")
    shown = [link.isVisible() for link in window.feature(VerdictFeature).line.changes]
    assert shown[0] and shown == sorted(shown, reverse=True)


def test_a_run_of_another_program_has_no_row_for_alternatives(qtbot: QtBot) -> None:
    line = VerdictLine()
    qtbot.addWidget(line)
    line.show_text("Step 37 ms.")
    line.show_run(Header.unknown())
    assert line.note.isHidden()
    line.show_run(header_and_plans(specification())[0])
    assert not line.note.isHidden()


NOTHING = (
    "Nothing stands out: no straggler, slow link or hiccup; imbalance, bubble and exposed "
    "communication each cost less than a twentieth of the step."
)
OPENING = "Step 39.6 ms. Lanes idle 1.8 %, the largest part waiting for collectives (0.73 %)."


@pytest.mark.parametrize("size", [(1600, 1000), (1440, 900), (1000, 650)])
def test_the_main_sentence_is_complete_at_every_size_and_the_height_is_constant(
    window: MainWindow, client: FakeClient, qtbot: QtBot, size: tuple[int, int]
) -> None:
    window.resize(*size)
    perform(window, client, specification("dp", devices="4xcpu", steps=3))
    line = window.feature(VerdictFeature).line
    qtbot.waitUntil(lambda: line.label.text() == verdict_of(window))
    assert line.label.is_sentence_whole
    height = line.height()
    line.show_text(f"{OPENING} {NOTHING} {OPENING}", NOTHING)
    QApplication.processEvents()
    assert line.label.is_sentence_whole and line.height() == height
    assert line.toolTip() == line.accessibleName() == f"{OPENING} {NOTHING} {OPENING}"


def test_a_trace_of_another_program_has_two_lines_for_its_verdict(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "rank.json"
    path.write_text(json.dumps(kineto_file(0, [*steps((0, 90)), *a_step()])))
    window.resize(1000, 650)
    window.feature(RecordingsFeature).files.open_from(path)
    line = window.feature(VerdictFeature).line
    qtbot.waitUntil(lambda: line.label.text() == verdict_of(window))
    assert line.label.is_sentence_whole
    assert line.label.height() >= 2 * line.label.fontMetrics().lineSpacing()


def test_the_main_sentence_is_drawn_first_and_only_it_is_bold(qtbot: QtBot) -> None:
    text = VerdictText()
    qtbot.addWidget(text)
    text.show_text("Step 5 ms. Lane 2 is slow. It was warm.", "Lane 2 is slow.")
    text.resize(900, 40)
    layout = text._laid_out(text._shortened())
    assert layout.text() == "Lane 2 is slow. Step 5 ms. It was warm."
    (bold,) = layout.formats()
    assert (bold.start, bold.length) == (0, len("Lane 2 is slow."))
    text.resize(140, 40)
    assert text._shortened().startswith("Lane 2 is slow") and text._shortened().endswith("…")
    assert text.text() == "Step 5 ms. Lane 2 is slow. It was warm."
