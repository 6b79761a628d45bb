"""Exports of the shown run for other programs, from the File menu."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot

from core.recording.recording import open_recording
from gui.features.figures.feature import FiguresFeature
from gui.features.recordings.feature import RecordingsFeature
from gui.window.window import MainWindow
from tests.gui.dialogs import save_as
from tests.gui.fake_client import FakeClient
from tests.gui.window.test_window import perform
from tests.make_believe import record, specification


@pytest.fixture
def shown(window: MainWindow, tmp_path: Path) -> Path:
    """The recording that is shown; exports are written next to it."""
    record(specification(steps=3), tmp_path / "run.arrow")
    window.feature(RecordingsFeature).files.open_from(tmp_path / "run.arrow")
    return tmp_path


def name(window: MainWindow, action: str, path: Path, qtbot: QtBot) -> None:
    """Choose the action, and type a name into the dialog that it opens."""
    window.action(action).trigger()
    dialog = window.findChild(QFileDialog)
    dialog.findChild(QLineEdit).setText(str(path))
    save = dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Save)
    qtbot.mouseClick(save, Qt.MouseButton.LeftButton)


@pytest.mark.parametrize("suffix", [".pftrace", ".json.gz", ".json"])
def test_a_trace_is_written_and_opens_with_the_same_spans(
    window: MainWindow, shown: Path, suffix: str, qtbot: QtBot
) -> None:
    path = shown / f"mine{suffix}"
    name(window, "export_trace", path, qtbot)
    qtbot.waitUntil(lambda: window.statusBar().currentMessage() == f"Exported {path.name}.")
    written, trace = open_recording(path).trace, open_recording(shown / "run.arrow").trace
    by_name = {lane.name: written.spans(lane.index) for lane in written.header.lanes}
    for lane in trace.header.lanes:
        assert len(by_name[lane.name]) == len(trace.spans(lane.index)) > 0
    assert (
        window.settings.folder == str(shown)
        and not window.feature(FiguresFeature).trace_exports.runner.running
    )


def test_ranks_are_written_into_a_new_folder_and_never_over_existing_files(
    window: MainWindow, shown: Path, qtbot: QtBot
) -> None:
    name(window, "export_ranks", shown / "ranks", qtbot)
    qtbot.waitUntil(lambda: window.statusBar().currentMessage() == "Exported ranks.")
    files = sorted((shown / "ranks").iterdir())
    told = [json.loads(gzip.decompress(file.read_bytes())) for file in files]
    assert told and all(one["traceEvents"] for one in told)
    window.feature(FiguresFeature).trace_exports.ranks_to(shown / "ranks")
    assert (
        window.banner.isVisible() and "name a new or an empty folder" in window.banner.label.text()
    )


def test_a_chakra_export_needs_a_planned_run_and_contains_its_median_step(
    window: MainWindow, shown: Path, qtbot: QtBot
) -> None:
    name(window, "export_chakra", shown / "chakra", qtbot)
    qtbot.waitUntil(lambda: window.statusBar().currentMessage() == "Exported chakra.")
    assert (shown / "chakra" / "run.0.et").stat().st_size
    window.feature(FiguresFeature).trace_exports.trace_to(shown / "again.json")
    qtbot.waitUntil(lambda: window.statusBar().currentMessage() == "Exported again.json.")
    window.feature(RecordingsFeature).files.open_from(shown / "again.json")
    window.feature(FiguresFeature).trace_exports.chakra_to(shown / "none")
    assert "No whole step of a plan" in window.banner.label.text()
    assert not (shown / "none").exists()


@pytest.mark.parametrize("action", ["export_trace", "export_ranks", "export_chakra"])
def test_the_run_on_screen_when_the_dialog_opened_is_written(
    window: MainWindow, client: FakeClient, tmp_path: Path, action: str, qtbot: QtBot
) -> None:
    suffix = ".json" if action == "export_trace" else ""
    perform(window, client, specification())
    window.action(action).trigger()
    save_as(window, tmp_path / f"expected{suffix}")
    qtbot.waitUntil(lambda: window.statusBar().currentMessage() == f"Exported expected{suffix}.")
    window.action(action).trigger()
    # Longer, so that its files would differ.
    perform(window, client, specification("dp", steps=7))
    save_as(window, tmp_path / f"written{suffix}")
    qtbot.waitUntil(lambda: window.statusBar().currentMessage() == f"Exported written{suffix}.")
    assert contents(tmp_path / f"written{suffix}") == contents(tmp_path / f"expected{suffix}")


def contents(place: Path) -> list[bytes]:
    """The bytes of a file, or of the files of a folder in order of their names."""
    files = sorted(place.iterdir()) if place.is_dir() else [place]
    unpacked = []
    for file in files:
        data = file.read_bytes()
        unpacked.append(gzip.decompress(data) if file.suffix == ".gz" else data)
    return unpacked


def test_without_a_run_no_dialog_opens(window: MainWindow) -> None:
    window.action("export_trace").trigger()
    assert window.findChild(QFileDialog) is None and window.banner.isVisible()
