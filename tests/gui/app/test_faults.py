"""Faults that a reader finds in a run: texts above the timeline, below it, and in the log."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.trace.step_bounds import Fault
from core.trace.trace import Trace
from gui.app.faults import banner_text, faults_of, status_text
from gui.features.log.feature import LogFeature
from gui.features.recordings.feature import RecordingsFeature
from gui.features.status.feature import StatusFeature
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.window.test_window import perform
from tests.make_believe import record, specification

TEXTS = (
    "step 7: 3 of 152 tasks have no span (12F3 on cpu:1, 13F3 on cpu:1, 4B0 on cpu:0)",
    "step 9: cpu:0 is out of order",
)

FAULTS = tuple(Fault(7 + 2 * place, 1, 0, text) for place, text in enumerate(TEXTS))


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every trace faults."""
    monkeypatch.setattr("gui.app.faults.run_faults", lambda trace: FAULTS)


def lines(window: MainWindow) -> list[tuple[str, str]]:
    """Return level and text of each row of the log."""
    model = window.feature(LogFeature).panel.widget.model
    return [
        (model.index(row, 1).data(), model.index(row, 2).data()) for row in range(model.rowCount())
    ]


def test_one_line_names_the_first_fault_and_counts_the_others() -> None:
    assert banner_text(TEXTS) == f"This run is incomplete: {TEXTS[0]} (and 1 more: see the Log)"
    assert banner_text(TEXTS[:1], Path("/there/run.arrow")) == (
        f"run.arrow is incomplete: {TEXTS[0]}"
    )
    assert banner_text(()) == status_text(()) == ""


@pytest.mark.usefixtures("faulty")
def test_a_live_run_is_not_reported_as_incomplete() -> None:
    trace = Trace.__new__(Trace)
    assert faults_of(trace, live=True) == () and faults_of(trace) == TEXTS


@pytest.mark.usefixtures("faulty")
def test_faults_of_an_ended_run_are_shown_in_banner_status_and_log(
    window: MainWindow, client: FakeClient
) -> None:
    perform(window, client, specification())
    assert window.banner.isVisible() and window.banner.property("level") == "warning"
    assert window.banner.label.text() == banner_text(TEXTS)
    assert window.feature(StatusFeature).line.faults.text() == "incomplete: 2 faults, see the Log"
    assert lines(window)[-2:] == [("warning", fault) for fault in TEXTS]
    assert len(window.run_shown.trace.logs) == len(lines(window)) - 2


@pytest.mark.usefixtures("faulty")
def test_a_recording_with_faults_names_its_file_when_it_is_opened(
    window: MainWindow, tmp_path: Path
) -> None:
    record(specification(), tmp_path / "run.arrow")
    window.feature(RecordingsFeature).files.open_from(tmp_path / "run.arrow")
    assert window.banner.label.text().startswith("run.arrow is incomplete: step 7: 3 of 152")
    assert window.feature(StatusFeature).line.faults.text() == "incomplete: 2 faults, see the Log"
    assert lines(window)[-1] == ("warning", TEXTS[1])


def test_a_run_without_faults_shows_no_warning(window: MainWindow, client: FakeClient) -> None:
    perform(window, client, specification())
    assert not window.banner.isVisible() and window.feature(StatusFeature).line.faults.text() == ""
