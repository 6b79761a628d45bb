"""Opening large recordings in the background; cancelling leaves nothing."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from core.recording import index_process, recording
from core.recording.index import Cancelled, read_index
from gui.app.dialogs import PARTS
from gui.features.recordings.feature import RecordingsFeature
from gui.window.window import MainWindow
from tests.fuzz.bombs import packed
from tests.make_believe import record, specification

WAIT_MS = 20_000


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(recording, "INDEXED_BYTES", 1)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    record(specification(), folder / "run.arrow")
    return folder / "run.arrow"


@pytest.fixture
def half_done(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Stop building an index half-way; the event is set when building is cancelled."""
    given_up = threading.Event()

    def build(path: Path, progress: Callable[[int, int], bool]) -> bool:
        while progress(1, 2):
            given_up.wait(0.005)
        given_up.set()
        raise Cancelled

    monkeypatch.setattr(index_process, "build_apart", build)
    return given_up


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "opening"]


def test_a_large_recording_is_shown_as_soon_as_its_index_is_built(
    window: MainWindow, path: Path, qtbot: object
) -> None:
    strip = window.feature(RecordingsFeature).files.opening
    window.feature(RecordingsFeature).files.open_from(path)
    assert strip.isVisible() and window.run_shown is None
    qtbot.waitUntil(lambda: window.run_shown is not None, timeout=WAIT_MS)
    assert not strip.isVisible()
    assert window.run_shown.source == path and window.run_shown.trace.blocks(0) is not None
    assert read_index(path) is not None
    qtbot.waitUntil(lambda: not threads())


def test_the_strip_shows_the_name_of_the_file_and_the_progress(
    window: MainWindow, path: Path, half_done: threading.Event, qtbot: object
) -> None:
    strip = window.feature(RecordingsFeature).files.opening
    window.feature(RecordingsFeature).files.open_from(path)
    qtbot.waitUntil(lambda: strip.bar.value() == PARTS // 2)
    assert strip.label.text() == "Opening run.arrow: 50 %"
    assert strip.window() is window
    window.feature(RecordingsFeature).files.opening.cancel()


def test_cancel_stops_opening_and_leaves_nothing(
    window: MainWindow, path: Path, half_done: threading.Event, qtbot: object
) -> None:
    strip = window.feature(RecordingsFeature).files.opening
    window.feature(RecordingsFeature).files.open_from(path)
    qtbot.waitUntil(lambda: strip.bar.value() > 0)
    qtbot.mouseClick(strip.cancel_button, Qt.MouseButton.LeftButton)
    assert half_done.is_set() and not threads()
    assert not strip.isVisible() and window.run_shown is None
    assert [file.name for file in path.parent.iterdir()] == ["run.arrow"]


def test_closing_the_window_stops_opening(
    window: MainWindow, path: Path, half_done: threading.Event, qtbot: object
) -> None:
    window.feature(RecordingsFeature).files.open_from(path)
    qtbot.waitUntil(lambda: window.feature(RecordingsFeature).files.opening.bar.value() > 0)
    window.close()
    assert half_done.is_set() and not threads()


def test_another_recording_replaces_one_that_is_being_opened(
    window: MainWindow, path: Path, half_done: threading.Event, qtbot: object
) -> None:
    window.feature(RecordingsFeature).files.open_from(path)
    qtbot.waitUntil(lambda: window.feature(RecordingsFeature).files.opening.bar.value() > 0)
    window.feature(RecordingsFeature).files.open_from(path)
    assert half_done.is_set() and len(threads()) == 1
    window.feature(RecordingsFeature).files.opening.cancel()


def test_a_file_that_is_not_a_recording_is_reported_in_one_line(
    window: MainWindow, tmp_path: Path, qtbot: object
) -> None:
    other = tmp_path / "other.bin"
    other.write_bytes(b"nothing of the kind")
    window.feature(RecordingsFeature).files.open_from(other)
    qtbot.waitUntil(window.banner.isVisible, timeout=WAIT_MS)
    assert "other.bin is not a recording" in window.banner.label.text()
    assert not window.feature(RecordingsFeature).files.opening.isVisible()


def packed_trace(path: Path) -> Path:
    """20 KB that unpack to half a million events."""
    event = b'{"ph":"i","ts":1,"name":"a name of a moment"},'
    path.write_bytes(packed((b"[", 1), (event, 400_000), (b"{}]", 1)))
    return path


def test_a_packed_trace_of_some_kilobytes_is_opened_in_the_background_and_can_be_cancelled(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: object
) -> None:
    monkeypatch.setattr(recording, "INDEXED_BYTES", 64 << 20)
    path, strip = (
        packed_trace(tmp_path / "trace.json.gz"),
        window.feature(RecordingsFeature).files.opening,
    )
    window.feature(RecordingsFeature).files.open_from(path)
    assert strip.isVisible() and threads()
    qtbot.waitUntil(lambda: strip.bar.value() > 0)
    begin = time.monotonic()
    qtbot.mouseClick(strip.cancel_button, Qt.MouseButton.LeftButton)
    assert time.monotonic() - begin < 5 and not threads()
    assert not strip.isVisible() and window.run_shown is None


def test_only_files_that_cannot_take_long_are_opened_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "INDEXED_BYTES", 64 << 20)
    long = packed_trace(tmp_path / "trace.json.gz")
    assert recording.may_take_long(long) and not recording.is_large(long)
    assert recording.may_take_long(long.rename(tmp_path / "trace.json"))
    assert recording.may_take_long(tmp_path)
    (tmp_path / "trace.json").write_bytes(gzip.compress(b'[{"ph":"X","ts":1,"dur":2}]'))
    assert not recording.may_take_long(tmp_path / "trace.json")
    (tmp_path / "run.arrow").write_bytes(bytes(20 << 20))
    assert not recording.may_take_long(tmp_path / "run.arrow")
    (tmp_path / "run.sqlite").write_bytes(b"SQLite format 3\0".ljust(20 << 20, b"\0"))
    assert recording.may_take_long(tmp_path / "run.sqlite")
