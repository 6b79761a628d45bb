"""The first page: samples, things to try and recent files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.message import N_
from gui.app.feature import Action, Feature, Group, Menu, Shell
from gui.app.run_names import unsaved
from gui.features.board.feature import BoardFeature
from gui.features.bubbles.feature import BubblesFeature
from gui.features.compare.feature import CompareFeature
from gui.features.first_page.welcome import WelcomePage
from gui.features.lessons.feature import LessonsFeature
from gui.features.recordings.feature import RecordingsFeature
from gui.features.run.feature import RunFeature
from gui.look.theme import Theme


class FirstPageFeature(Feature):
    """The page that the window shows until a run is shown."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.page = WelcomePage()
        self.page.forgotten.connect(self._forget)
        self.page.picked.connect(shell.show_run)
        self.page.opened.connect(shell.feature(RecordingsFeature).files.open_from)
        self.page.taught.connect(shell.feature(LessonsFeature).open)
        self.page.tried.connect(self._try)

    @property
    def groups(self) -> Sequence[Group]:
        return (
            Group(
                Menu.HELP,
                (
                    Action(
                        "first_page",
                        N_("First page"),
                        lambda: self.shell.centre.show_first_page(),
                        "F1",
                        N_("Show samples, things to try and recent files."),
                    ),
                ),
            ),
        )

    def set_theme(self, theme: Theme) -> None:
        self.page.set_theme(theme)

    def refresh(self) -> None:
        """List the latest runs that are not saved, and the recent recordings."""
        ended = [run for run in self.shell.session.runs if not run.live]
        latest_first = unsaved(ended)[::-1]
        self.page.show_recent(latest_first, self.shell.settings.recent)

    def _forget(self, path: Path) -> None:
        """Remove a recording from the list of recent files."""
        self.shell.settings.forget(path)
        self.refresh()

    def _try(self, name: str) -> None:
        if name == "board":
            self.shell.feature(BoardFeature).open()
            return
        # Imported here, because it imports the comparison, which would delay the first paint.
        from gui.features.first_page.actions import FirstPageActions

        shell = self.shell
        actions = FirstPageActions(
            shell.feature(RunFeature).control.queue,
            shell.feature(RecordingsFeature).files,
            shell.feature(BubblesFeature).bubbles,
            shell.feature(CompareFeature).comparing,
        )
        actions.do(name)
