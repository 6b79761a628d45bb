"""Texts of the status bar before the first span, and while costs are measured."""

import pytest

from core.recording.decode import append_batch
from core.recording.schema import NoteRow, Record, note_batch
from core.trace.event_rows import PASSES, STARTED
from core.trace.trace import Trace
from gui.app.run import Run
from gui.features.runs.feature import RunsFeature
from gui.features.status.feature import StatusFeature
from gui.features.status.words import starting_text, step_text
from gui.features.verdict.feature import VerdictFeature
from gui.timeline.state.scene import Scene
from tests.gui.window.test_window import perform
from tests.make_believe import batches, header_and_plans, specification


def tell(trace, *counters):
    """Add counters to a trace; each row is a name, a lane and a value."""
    rows = [NoteRow(Record.COUNTER, name, 0, None, lane, value) for name, lane, value in counters]
    append_batch(trace, note_batch(rows))


@pytest.mark.parametrize(
    ("there", "text"),
    [(0, "starting rank 1 of 4…"), (3, "starting rank 4 of 4…"), (4, "starting…")],
)
def test_the_rank_that_is_starting_is_named(qapp, there, text):
    ranks = specification("ddp", devices="4xcpu")
    trace = Trace(header_and_plans(ranks)[0])
    tell(trace, *((STARTED, rank, 1) for rank in range(there)))
    assert starting_text(Run(1, trace)) == text


@pytest.mark.parametrize(
    ("passes", "text"),
    [
        ((), "pass 1 of at most 20"),
        ((1, 2), "pass 3 of at most 20"),
        ((20,), "pass 20 of at most 20"),
    ],
)
def test_the_pass_that_measures_costs_is_numbered(qapp, passes, text):
    spec = specification(steps=2, warmup=1, calibrate=True)
    header, made = batches(spec)
    trace = Trace(header)
    for batch in made[:4]:  # plans, and the warm-up
        append_batch(trace, batch)
    tell(trace, *((PASSES, None, value) for value in passes))
    assert step_text(Run(1, trace), Scene(trace)) == f"measuring costs, {text}"


def test_a_low_window_shows_in_its_last_line_how_its_lanes_are_timed(window, client, qtbot):
    note = window.feature(StatusFeature).line.timing_note
    window.resize(1440, 900)
    perform(window, client, specification(devices="2xvirtual", steps=3))
    qtbot.waitUntil(lambda: window.feature(VerdictFeature).line.isVisible())
    assert note.text() == ""  # the verdict line shows it instead
    window.resize(1000, 650)
    qtbot.waitUntil(lambda: note.text().startswith("virtual clock"))
    assert note.toolTip().startswith("virtual clock: each task measured alone, ")
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: note.text() == "")


def test_without_a_run_the_status_bar_has_no_text_of_the_last_one(window, client):
    perform(window, client, specification(steps=3))
    line = window.feature(StatusFeature).line
    line.show_run(window.run_shown, backlog_s=30.0)
    line.show_comparison(window.run_shown)
    assert line.behind.text() == "the picture is 30\u00a0s behind"
    window.feature(RunsFeature).tabs.close_run(window.run_shown)
    assert window.run_shown is None
    shown = (line.recorded, line.behind, line.faults)
    others = (line.predicted, line.timing_note, line.verified)
    assert [label.text() for label in shown + others] == [""] * 6
    assert [label.toolTip() for label in others] == [""] * 3
