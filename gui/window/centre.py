"""The window's middle: messages, tabs, and below them the first page or the run that is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QStackedWidget, QWidget

from gui.app.settings import Settings
from gui.features.first_page.welcome import WelcomePage
from gui.features.runs.tabs import RunTabs
from gui.widgets.layouts import joined


class Centre(QWidget):
    """`notices` stand above the tabs; `run_page` shows a run and says what is waited for."""

    def __init__(
        self,
        notices: tuple[QWidget, ...],
        run_page: QWidget,
        set_waiting: Callable[[str], None],
        settings: Settings,
    ) -> None:
        super().__init__()
        self._settings, self._set_waiting = settings, set_waiting
        self.tabs, self.welcome, self.pages = RunTabs(), WelcomePage(), QStackedWidget()
        self._run_page = run_page
        # In this order: the window takes page 0 for the first page.
        for page in (self.welcome, run_page):
            self.pages.addWidget(page)
        parts = (*notices, self.tabs, self.pages)
        joined(*parts, of=self, growing=self.pages)
        self.welcome.forgotten.connect(self._forget)

    def show_run_page(self) -> None:
        """Show the run, or what is waited for."""
        self.pages.setCurrentWidget(self._run_page)

    def show_first_page(self) -> None:
        """Show samples and recent files; what is open stays so."""
        self.welcome.show_recent(self._settings.recent)
        self.pages.setCurrentWidget(self.welcome)

    def wait(self, text: str) -> None:
        """Say what is waited for where nothing is shown yet; without a text, no more."""
        self._set_waiting(text)
        if text:
            self.show_run_page()
        elif not self.tabs.count():
            self.show_first_page()

    def _forget(self, path: Path) -> None:
        """Take a recording off the recent ones."""
        self._settings.forget(path)
        self.show_first_page()
