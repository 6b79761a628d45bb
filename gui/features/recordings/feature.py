"""Recordings: opens and saves runs, from the menu or by dropping files on the window."""

from __future__ import annotations

from collections.abc import Sequence

from core.message import N_
from gui.app.feature import Action, Feature, Group, Menu, Shell
from gui.features.recordings.drops import FileDrops
from gui.features.recordings.files import Files
from gui.features.recordings.recent import RecentMenu

RECENT = N_("Open recent")


class RecordingsFeature(Feature):
    """The actions that open and save, and the strip that shows a large file being opened."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.files = Files(shell)

    @property
    def groups(self) -> Sequence[Group]:
        files = self.files
        return (
            Group(
                Menu.FILE,
                (
                    Action(
                        "open",
                        N_("Open recording…"),
                        files.open,
                        "Ctrl+O",
                        N_("Open a recording from a file."),
                    ),
                    Action(
                        "open_folder",
                        N_("Open folder of ranks…"),
                        files.open_folder,
                        "Ctrl+Shift+O",
                        N_("Open a folder with one file for each rank of a job, as one run."),
                    ),
                    Action(
                        "save",
                        N_("Save recording…"),
                        files.save,
                        "Ctrl+S",
                        N_("Save the run that is shown as a recording."),
                    ),
                ),
            ),
            Group(Menu.FILE, (), RECENT),
        )

    def start(self) -> None:
        menu = self.shell.menu(Menu.FILE, RECENT)
        self.recent = RecentMenu(menu, self.shell.settings, self.files.open_from)
        FileDrops(self.shell.main_window, self.files.open_paths)
