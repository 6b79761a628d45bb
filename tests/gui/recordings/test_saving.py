"""Saving bit by bit: the same file as at once, and nothing of one that was cancelled."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

from core.recording.recording import open_recording
from gui.app import session as sitting
from gui.app.session import Run, Session
from gui.recordings import saving
from gui.recordings.saving import SaveJob
from tests.gui.fake_client import FakeClient
from tests.make_believe import record, specification


@pytest.fixture
def window(qtbot: object) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A recording that takes many bits, each of which uses up its time."""
    monkeypatch.setattr(sitting, "COPIED", 1024)
    monkeypatch.setattr(saving, "AT_ONCE_S", 0.0)
    monkeypatch.setattr(saving, "BIT_S", 0.0)
    record(specification(), tmp_path / "source.arrow")
    return Run(1, open_recording(tmp_path / "source.arrow").trace, source=tmp_path / "source.arrow")


def test_a_long_recording_is_saved_bit_by_bit(
    window: QWidget, run: Run, tmp_path: Path, qtbot: object
) -> None:
    job = SaveJob(window, run, tmp_path / "copy.arrow")
    job.start()
    assert job.working
    assert not (tmp_path / "copy.arrow").exists()
    assert job.progress.labelText() == "Saving copy.arrow…"
    with qtbot.waitSignal(job.done):
        pass
    assert (tmp_path / "copy.arrow").read_bytes() == (tmp_path / "source.arrow").read_bytes()
    assert not job.working
    assert run.saved == tmp_path / "copy.arrow"


def test_a_cancelled_saving_leaves_nothing_behind(
    window: QWidget, run: Run, tmp_path: Path
) -> None:
    job = SaveJob(window, run, tmp_path / "copy.arrow")
    job.start()
    job.progress.canceled.emit()
    assert not job.working
    assert [path.name for path in tmp_path.iterdir()] == ["source.arrow"]
    assert run.saved is None


def test_a_file_that_cannot_be_written_is_told_in_one_line(
    window: QWidget, run: Run, tmp_path: Path
) -> None:
    said: list[str] = []
    job = SaveJob(window, run, tmp_path / "nowhere" / "copy.arrow")
    job.failed.connect(said.append)
    job.start()
    assert len(said) == 1
    assert "nowhere" in said[0]
    assert "\n" not in said[0]


def test_a_run_of_this_sitting_is_saved_while_more_of_it_comes(
    window: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: object
) -> None:
    monkeypatch.setattr(saving, "AT_ONCE_S", 0.0)
    client = FakeClient()
    session = Session(client)
    session.run(specification())
    client.perform(specification())
    while not session.runs or not session.runs[0].trace.span_count:
        session.tick()
    run = session.runs[0]
    job = SaveJob(window, run, tmp_path / "live.arrow")
    job.start()
    while session.live is not None:
        session.tick()
    if job.working:
        with qtbot.waitSignal(job.done):
            pass
    opened = open_recording(tmp_path / "live.arrow")
    assert opened.warning == ""
    assert 0 < opened.trace.span_count <= run.trace.span_count
    session.close()
