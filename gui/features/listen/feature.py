"""Listening: shows the steps of a training job while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.message import N_
from gui.app.dialogs import to_front
from gui.app.feature import Action, Feature, Group, Menu, Shell
from gui.look.text import sentence

if TYPE_CHECKING:
    from gui.features.listen.dialog import ListenDialog


class ListenFeature(Feature):
    """Opens the dialog; the session listens whether the dialog is open or not."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.dialog: ListenDialog | None = None
        shell.session.listening_lost.connect(self._tell_lost)

    @property
    def groups(self) -> Sequence[Group]:
        return (
            Group(
                Menu.FILE,
                (
                    Action(
                        "listen",
                        N_("Listen for a training job…"),
                        self.open,
                        "Ctrl+J",
                        N_("Show the steps of your own training job live."),
                    ),
                ),
            ),
        )

    def open(self) -> None:
        """Show the dialog, which is made at the first call."""
        if self.dialog is None:
            from gui.features.listen.dialog import ListenDialog

            shell = self.shell
            self.dialog = ListenDialog(shell.main_window, shell.session, shell.settings)
        to_front(self.dialog)

    def _tell_lost(self, text: str) -> None:
        """Say why jobs of another machine are no longer received."""
        self.shell.banner.say(sentence(text))
        if self.dialog is not None:  # it may cover the banner
            self.dialog.problem.say(sentence(text))
            self.dialog.refresh()
