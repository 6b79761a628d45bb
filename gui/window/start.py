"""Starts the window: shown first, then the engine."""

from __future__ import annotations

import signal
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from core.engine.client import EngineClient
from core.paths import RESOURCES
from gui.app.display import saying_that_there_is_no_display
from gui.app.session import Session
from gui.app.settings import Settings
from gui.window import quick_start
from gui.window.window import MainWindow

ICON = RESOURCES / "icons" / "bubblescope.svg"


def start(arguments: list[str], recording: Path | None = None) -> int:
    """Show the window, start the engine behind it, and open `recording` if one is given.

    Returns the exit status when the window is closed; no process is left then.
    """
    with saying_that_there_is_no_display():
        app = QApplication(["bubblescope", *arguments])
    app.setApplicationName("Bubblescope")
    app.setDesktopFileName("bubblescope")
    session = Session(EngineClient())
    window = MainWindow(session, Settings())
    for number in (signal.SIGINT, signal.SIGTERM):  # taken at the session's next tick
        signal.signal(number, lambda *_: window.close())
    window.show()
    QTimer.singleShot(0, quick_start.end)
    # After the first paint, because drawing it loads a library.
    QTimer.singleShot(0, lambda: app.setWindowIcon(QIcon(str(ICON))))
    QTimer.singleShot(0, session.start)
    if recording is not None:
        QTimer.singleShot(0, lambda: window.files.open_from(recording))
    try:
        return app.exec()
    finally:
        session.close()
