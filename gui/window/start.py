"""Shows the window, and starts the engine after that."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from core.job.runs import RunLauncher
from core.paths import RESOURCES
from gui.app.display import reporting_missing_display
from gui.app.language import speak
from gui.app.session import Session
from gui.app.settings import Settings
from gui.features.recordings.feature import RecordingsFeature
from gui.features.runs.feature import RunsFeature
from gui.window import quick_start
from gui.window.first_paint import FirstPaint
from gui.window.window import MainWindow

ICON = RESOURCES / "icons" / "bubblescope.svg"


def start(arguments: list[str], recording: Path | None = None) -> int:
    """Show the window, start the engine in the background, and open `recording` if it is given.

    Return the exit status after the window is closed and all processes have ended.
    """
    with reporting_missing_display():
        app = QApplication(["bubblescope", *arguments])
    app.setApplicationName("Bubblescope")
    app.setDesktopFileName("bubblescope")
    session = Session(RunLauncher())
    application = Application(app, session, Settings())
    for number in (signal.SIGINT, signal.SIGTERM):  # handled at the session's next tick
        # Python runs a handler only between two Python instructions, and there are none while Qt
        # waits in C++. The session's timer calls Python often enough. The window is closed from the
        # event loop. If it were closed before the loop runs, it would be shown again, or nothing
        # would end the loop.
        signal.signal(number, lambda *_: QTimer.singleShot(0, lambda: application.window.close()))
    later: list[Callable[[], object]] = [
        quick_start.end,
        # Drawing the icon loads a library.
        lambda: app.setWindowIcon(QIcon(str(ICON))),
        session.start,
    ]
    if recording is not None:
        later.append(lambda: application.open(recording))
    FirstPaint(application.window, later)
    application.window.show()
    try:
        return app.exec()
    finally:
        session.close()


class Application:
    """Owns the window of a session, and replaces it when the language changes."""

    def __init__(self, app: QApplication, session: Session, settings: Settings) -> None:
        self._app = app
        self._session = session
        self._settings = settings
        self.window = self._made()

    def change_language(self, name: str) -> None:
        """Replace the window with one in another language; runs continue."""
        self._settings.language = "" if name == "system" else name
        before = self.window
        # First, because the new window restores the docks and the form from the settings. close()
        # would also end the session.
        before.leave()
        self.window = self._made()
        _take_over(self.window, before)

    def open(self, recording: Path) -> None:
        """Show a recording in the window."""
        self.window.feature(RecordingsFeature).files.open_from(recording)

    def _made(self) -> MainWindow:
        speak(self._app, self._settings.language)
        window = MainWindow(self._session, self._settings)
        # Later, after the menu that it was chosen from has closed.
        window.language_chosen.connect(self._change_soon)
        return window

    def _change_soon(self, name: str) -> None:
        QTimer.singleShot(0, lambda: self.change_language(name))


def _take_over(window: MainWindow, other: MainWindow) -> None:
    """Show the content of another window of the session, and delete that window."""
    runs = window.feature(RunsFeature)
    for run in window.session.runs:
        runs.add(run)
    for run in other.feature(RunsFeature).tabs.runs:
        window.show_run(run)
    if other.run_shown is not None:
        window.show_run(other.run_shown)
    window.showing.coming = other.coming
    if other.centre.shows_first_page:
        window.centre.show_first_page()
    window.restoreGeometry(other.saveGeometry())
    window.show()
    other.hide()
    other.deleteLater()
