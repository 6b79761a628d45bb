"""Saving in pieces writes the same file as saving at once, and no file if it is cancelled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox

from core.engine.messages import Ended, Outcome
from core.recording.recording import open_recording
from gui.app import jobs
from gui.app import run as run_module
from gui.app.run import Run
from gui.app.run_names import unsaved
from gui.features.figures.feature import FiguresFeature
from gui.features.first_page.feature import FirstPageFeature
from gui.features.first_page.samples import SAMPLES
from gui.features.recordings import files
from gui.features.recordings.feature import RecordingsFeature
from gui.features.run.feature import RunFeature
from gui.features.runs.tabs import title_of
from gui.features.spans.feature import SpansFeature
from gui.window.window import MainWindow
from tests.gui.dialogs import delete_closed, replace_button, save_as
from tests.gui.fake_client import FakeClient
from tests.gui.window.test_window import perform
from tests.make_believe import batches, record, specification


@pytest.fixture
def in_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make saving take many small pieces, each in a time slice of its own."""
    monkeypatch.setattr(run_module, "COPIED", 1024)
    monkeypatch.setattr(files, "AT_ONCE_S", 0.0)
    monkeypatch.setattr(jobs, "SLICE_S", 0.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "runs").mkdir()
    return tmp_path / "runs"


@pytest.fixture
def run(folder: Path, window: MainWindow, in_bits: None) -> Run:
    """A recording that is shown."""
    record(specification(), folder / "source.arrow")
    window.feature(RecordingsFeature).files.open_from(folder / "source.arrow")
    return window.run_shown


def save_by_dialog(window: MainWindow, path: Path) -> None:
    """Save the run shown with Ctrl+S, under the name that is typed."""
    window.action("save").trigger()
    save_as(window, path)


def test_a_long_recording_is_saved_in_pieces(
    window: MainWindow, run: Run, folder: Path, qtbot: object
) -> None:
    window.feature(RecordingsFeature).files.save_to(folder / "copy.arrow")
    assert window.feature(RecordingsFeature).files.saving.running
    assert not (folder / "copy.arrow").exists()
    assert (
        window.feature(RecordingsFeature).files.progress.dialog.labelText() == "Saving copy.arrow…"
    )
    qtbot.waitUntil(lambda: window.statusBar().currentMessage() == "Saved copy.arrow.")
    assert (folder / "copy.arrow").read_bytes() == (folder / "source.arrow").read_bytes()
    assert (
        not window.feature(RecordingsFeature).files.saving.running
        and window.feature(RecordingsFeature).files.progress.dialog is None
    )
    assert run.saved == folder / "copy.arrow" == window.settings.recent[0]


def test_a_cancelled_save_leaves_no_file(window: MainWindow, run: Run, folder: Path) -> None:
    window.feature(RecordingsFeature).files.save_to(folder / "copy.arrow")
    window.feature(RecordingsFeature).files.progress.dialog.canceled.emit()
    assert (
        not window.feature(RecordingsFeature).files.saving.running
        and window.feature(RecordingsFeature).files.progress.dialog is None
    )
    assert [path.name for path in folder.iterdir()] == ["source.arrow"]
    assert run.saved is None


def test_closing_the_window_during_a_save_leaves_no_file(
    window: MainWindow, run: Run, folder: Path
) -> None:
    window.feature(RecordingsFeature).files.save_to(folder / "copy.arrow")
    window.close()
    assert not window.feature(RecordingsFeature).files.saving.running
    assert [path.name for path in folder.iterdir()] == ["source.arrow"]


def test_a_file_that_cannot_be_written_is_reported_in_one_line(
    window: MainWindow, run: Run, folder: Path
) -> None:
    window.feature(RecordingsFeature).files.save_to(folder / "nowhere" / "copy.arrow")
    assert window.banner.isVisible()
    assert "nowhere" in window.banner.label.text()
    assert "\n" not in window.banner.label.text()


def test_a_deleted_recording_cannot_be_saved(window: MainWindow, run: Run, folder: Path) -> None:
    (folder / "source.arrow").unlink()
    window.feature(RecordingsFeature).files.save_to(folder / "copy.arrow")
    assert "source.arrow" in window.banner.label.text()
    assert not list(folder.iterdir())


def test_a_live_run_can_be_saved_while_it_grows(
    window: MainWindow, client: FakeClient, folder: Path, in_bits: None, qtbot: object
) -> None:
    session = window.session
    session.run(specification())
    client.perform(specification())
    while not session.runs or not session.runs[0].trace.span_count:
        session.tick()
    window.feature(RecordingsFeature).files.save_to(folder / "live.arrow")
    while session.live is not None:
        session.tick()
    qtbot.waitUntil(lambda: not window.feature(RecordingsFeature).files.saving.running)
    opened = open_recording(folder / "live.arrow")
    assert opened.warning == ""
    assert 0 < opened.trace.span_count <= session.runs[0].trace.span_count


def test_a_run_that_was_saved_while_it_was_live_is_unsaved_once_it_has_grown(
    window: MainWindow, client: FakeClient, folder: Path
) -> None:
    window.action("run").trigger()
    header, made = batches(client.asked[-1])
    client.say(header, *made[:3])
    window.session.tick()
    run = window.run_shown
    assert run.live and unsaved(window.session.runs) == [run]
    save_by_dialog(window, folder / "run.arrow")
    assert unsaved(window.session.runs) == []
    client.say(*made[3:], Ended(Outcome.FINISHED))
    while window.session.live is not None:
        window.session.tick()
    assert open_recording(folder / "run.arrow").trace.span_count < run.trace.span_count
    window.action("first_page").trigger()
    cards = [card.accessibleName() for card in window.feature(FirstPageFeature).page.cards]
    assert f"Show {title_of(run)}" in cards
    window.action("quit").trigger()
    box = window.findChild(QMessageBox)
    assert box.text() == "1 run is not saved."
    box.button(QMessageBox.StandardButton.Cancel).click()
    save_by_dialog(window, folder / "whole.arrow")
    assert open_recording(folder / "whole.arrow").trace.span_count == run.trace.span_count
    window.action("quit").trigger()
    assert not window.isVisible()


def test_the_run_on_screen_when_the_dialog_opened_is_saved(
    window: MainWindow, client: FakeClient, folder: Path
) -> None:
    perform(window, client, specification())
    asked_for = window.run_shown
    window.feature(RunFeature).form.set_specification(specification("dp"))
    window.action("run").trigger()
    window.action("save").trigger()
    client.perform(client.asked[-1])
    while window.session.asking:
        window.session.tick()
    assert window.run_shown is not asked_for
    save_as(window, folder / "run.arrow")
    header = open_recording(folder / "run.arrow").trace.header
    assert header.specification == asked_for.trace.header.specification
    assert unsaved(window.session.runs) == [window.run_shown]


def test_a_file_is_replaced_only_after_a_question_if_its_suffix_was_not_typed(
    window: MainWindow, run: Run, folder: Path, qtbot: object
) -> None:
    old = folder / "run.arrow"
    old.write_bytes(b"precious")
    save_by_dialog(window, folder / "run")
    box = window.findChild(QMessageBox)
    assert box.text() == "run.arrow already exists. Replace it?"
    assert box.defaultButton() is box.button(QMessageBox.StandardButton.Cancel)
    QTest.keyClick(box, Qt.Key.Key_Escape)
    delete_closed(box)
    assert not window.feature(RecordingsFeature).files.saving.running
    assert old.read_bytes() == b"precious"
    save_by_dialog(window, folder / "run")
    box = window.findChild(QMessageBox)
    replace_button(box).click()
    qtbot.waitUntil(lambda: window.statusBar().currentMessage() == "Saved run.arrow.")
    assert old.read_bytes() == (folder / "source.arrow").read_bytes()
    assert sorted(path.name for path in folder.iterdir()) == ["run.arrow", "source.arrow"]


def test_a_new_file_gets_the_suffix_of_its_kind_without_a_question(
    window: MainWindow, run: Run, folder: Path, qtbot: object
) -> None:
    save_by_dialog(window, folder / "new")
    assert window.findChild(QMessageBox) is None
    qtbot.waitUntil(lambda: window.statusBar().currentMessage() == "Saved new.arrow.")
    assert (folder / "new.arrow").read_bytes() == (folder / "source.arrow").read_bytes()


@pytest.mark.parametrize(
    "write",
    [
        lambda window, path: window.feature(RecordingsFeature).files.save_to(path),
        lambda window, path: window.feature(FiguresFeature).exporting.export_to(path),
        lambda window, path: window.feature(FiguresFeature).exporting.report_to(path),
        lambda window, path: window.feature(FiguresFeature).trace_exports.trace_to(path),
        lambda window, path: window.feature(SpansFeature).panel.widget.save_to(path),
    ],
)
def test_a_file_that_was_opened_is_not_replaced(
    window: MainWindow, folder: Path, write: Callable[[MainWindow, Path], None]
) -> None:
    record(specification("dp"), folder / "first.arrow")
    record(specification(), folder / "source.arrow")
    for name in ("first.arrow", "source.arrow"):
        window.feature(RecordingsFeature).files.open_from(folder / name)
    (folder / "link.png").symlink_to(folder / "first.arrow")
    before = (folder / "first.arrow").read_bytes()
    write(window, folder / "link.png")
    assert "that file is an input; name another file" in window.banner.label.text()
    assert (folder / "first.arrow").read_bytes() == before


def test_a_recording_is_saved_over_itself(
    window: MainWindow, run: Run, folder: Path, qtbot: object
) -> None:
    before = (folder / "source.arrow").read_bytes()
    window.feature(RecordingsFeature).files.save_to(folder / "source.arrow")
    qtbot.waitUntil(lambda: window.statusBar().currentMessage() == "Saved source.arrow.")
    assert (folder / "source.arrow").read_bytes() == before


def test_files_are_not_saved_next_to_the_samples_by_default(
    window: MainWindow, tmp_path: Path, folder: Path
) -> None:
    files = window.feature(RecordingsFeature).files
    files.open_from(SAMPLES[0].path)
    assert window.settings.folder == str(tmp_path)
    record(specification(), folder / "run.arrow")
    files.open_from(folder / "run.arrow")
    assert window.settings.folder == str(folder)
