"""Fixtures of the window's tests: fresh settings, no display, nothing left behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
pytest.importorskip("PySide6", reason="Qt is not installed")

from PySide6.QtWidgets import QApplication

from core.engine.client import EngineClient
from gui.session import Session
from gui.settings import Settings
from gui.theme import LIGHT, apply
from gui.window import MainWindow
from tests.gui.fake_client import FakeClient


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings in a file of the test's own."""
    kept = Settings(tmp_path / "settings.ini")
    kept.folder = str(tmp_path)
    return kept


@pytest.fixture(autouse=True)
def no_window_left(qapp: QApplication) -> Iterator[None]:
    """Fail a test that leaves a visible window behind."""
    apply(qapp, LIGHT)
    yield
    left = [w for w in qapp.topLevelWidgets() if w.isVisible()]
    for widget in left:
        widget.close()
    assert not left, f"windows left open: {left}"


@pytest.fixture
def client() -> FakeClient:
    """An engine client that says what the test tells it to."""
    return FakeClient()


@pytest.fixture
def window(qtbot: object, client: FakeClient, settings: Settings) -> Iterator[MainWindow]:
    """The main window on a fake client, shown and ready."""
    made = MainWindow(Session(client), settings)
    made.show()
    qtbot.waitExposed(made)
    made.session.start()
    made.session.tick()
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def real_window(qtbot: object, settings: Settings) -> Iterator[MainWindow]:
    """The main window on a real engine; both are gone afterwards."""
    client = EngineClient()
    made = MainWindow(Session(client), settings)
    made.show()
    qtbot.waitExposed(made)
    with qtbot.waitSignal(made.session.ready, timeout=60_000):
        made.session.start()
    yield made
    made.close()
    made.deleteLater()
    assert client.pid is None
