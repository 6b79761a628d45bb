"""Fixtures of the window's tests: fresh settings, no display, no windows left open."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
pytest.importorskip("PySide6", reason="Qt is not installed")

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from core.engine.client import EngineClient
from gui.app.session import Session
from gui.app.settings import Settings
from gui.features.details import panel as details
from gui.features.devices import imported
from gui.features.recordings import files
from gui.features.spans import panel as spans
from gui.features.spans import searching
from gui.features.statistics import panel as statistics
from gui.look.theme import LIGHT, apply
from gui.window.window import MainWindow
from tests.gui.fake_client import FakeClient
from tests.gui.styling import forget_style


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings in a temporary file, without automatic playback, which would disturb mouse tests."""
    kept = Settings(tmp_path / "settings.ini")
    kept.play_first_run = False
    kept.folder = str(tmp_path)
    return kept


@pytest.fixture(autouse=True)
def no_window_left(qapp: QApplication, request: pytest.FixtureRequest) -> Iterator[None]:
    """Delete closed widgets after a test, and fail the test if a window is still visible."""
    if "make_window" not in request.fixturenames:  # a window styles the application itself
        apply(qapp, LIGHT)
    yield
    # On the offscreen platform (not on xcb), a clipboard that Python has filled crashes the exit.
    qapp.clipboard().clear()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    left = [w for w in qapp.topLevelWidgets() if w.isVisible()]
    for widget in left:
        widget.close()
    assert not left, f"windows left open: {left}"


@pytest.fixture(autouse=True)
def small_work_is_done_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let quick work end before its call returns, even on a busy machine.

    Tests of work in slices set these times to 0 themselves.
    """
    for module in (details, files, imported, searching, spans, statistics):
        monkeypatch.setattr(module, "AT_ONCE_S", 10.0)


@pytest.fixture
def client() -> FakeClient:
    """A fake client of an engine; the test chooses its messages."""
    return FakeClient()


@pytest.fixture
def make_window(
    qtbot: object, qapp: QApplication
) -> Iterator[Callable[[EngineClient, Settings], MainWindow]]:
    """Makes main windows, and closes and deletes them after the test."""
    made: list[MainWindow] = []

    def make(client: EngineClient, settings: Settings) -> MainWindow:
        forget_style(qapp)
        window = MainWindow(Session(client), settings)
        made.append(window)
        window.show()
        qtbot.waitExposed(window)
        return window

    yield make
    for window in made:
        window.close()
        window.deleteLater()


@pytest.fixture
def window(
    make_window: Callable[[EngineClient, Settings], MainWindow],
    client: FakeClient,
    settings: Settings,
) -> MainWindow:
    """The main window on a fake client, shown and ready."""
    made = make_window(client, settings)
    made.session.start()
    made.session.tick()
    return made


@pytest.fixture
def engine() -> Iterator[EngineClient]:
    """A real engine's client; its process is gone after the test."""
    made = EngineClient()
    yield made
    made.close()
    assert made.pid is None


@pytest.fixture
def real_window(
    qtbot: object,
    make_window: Callable[[EngineClient, Settings], MainWindow],
    engine: EngineClient,
    settings: Settings,
) -> MainWindow:
    """The main window on a real engine that is ready."""
    made = make_window(engine, settings)
    with qtbot.waitSignal(made.session.ready, timeout=60_000):
        made.session.start()
    return made
