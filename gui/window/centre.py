"""The centre of the window: messages, tabs, and below them the first page or the run page."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget, QWidget

from gui.app.feature import Shell
from gui.features.first_page.feature import FirstPageFeature
from gui.features.playback.feature import PlaybackFeature
from gui.features.recordings.feature import RecordingsFeature
from gui.features.runs.feature import RunsFeature
from gui.features.spans.feature import SpansFeature
from gui.features.verdict.feature import VerdictFeature
from gui.widgets.layouts import joined, widget_of


class Centre(QWidget):
    """The central widget; `pages` holds the first page, the run page, and pages of features."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._timeline = shell.timeline
        self._first_page = shell.feature(FirstPageFeature)
        self._tabs = shell.feature(RunsFeature).tabs
        verdict = shell.feature(VerdictFeature).line
        search = shell.feature(SpansFeature).search
        self._below = shell.feature(PlaybackFeature).bar
        self._run_page = joined(
            verdict,
            search,
            shell.timeline,
            self._below,
            shell.overview,
            growing=shell.timeline,
        )
        self.pages = QStackedWidget()
        self.pages.addWidget(self._first_page.page)
        self.pages.addWidget(widget_of(self._run_page))
        opening = shell.feature(RecordingsFeature).files.opening
        joined(shell.banner, opening, self._tabs, self.pages, of=self, growing=self.pages)

    @property
    def shows_first_page(self) -> bool:
        """True while the first page is in front."""
        return self.pages.currentIndex() == 0

    @property
    def shows_run_page(self) -> bool:
        """True while the run page is in front, even if its timeline still waits for a run."""
        return self.pages.currentIndex() == 1

    def show_run_page(self) -> None:
        """Show the run page; its timeline has a text while it waits for a run."""
        self.pages.setCurrentIndex(1)

    def show_page(self, page: QWidget) -> None:
        """Show a page of a feature, until a run or the first page is shown."""
        if self.pages.indexOf(page) < 0:
            self.pages.addWidget(page)
        self.pages.setCurrentWidget(page)

    def show_first_page(self) -> None:
        """Show samples and recent files; open runs stay open."""
        self._first_page.refresh()
        self.pages.setCurrentIndex(0)

    def focus_page(self) -> None:
        """Give the keyboard focus to the page in front: arrow keys scroll the first page."""
        page = self.pages.currentWidget()
        if page is not None:
            page.setFocus()

    def wait(self, text: str) -> None:
        """Show a text in the empty timeline while it waits for a run; "" removes the text."""
        self._timeline.set_waiting(text)
        if text:
            self.show_run_page()
        elif not self._tabs.count():
            self.show_first_page()

    def frame_timeline(self, frame: QWidget) -> None:
        """Put a frame that holds the timeline where the timeline was."""
        # The frame has taken the timeline out of the layout already.
        place = self._run_page.indexOf(self._below)
        self._run_page.insertWidget(place, frame, 1)
