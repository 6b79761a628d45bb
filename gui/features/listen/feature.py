"""Listening: shows the steps of a training job while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.message import N_
from gui.app.dialogs import to_front
from gui.app.feature import Action, Feature, Group, Menu, Shell

if TYPE_CHECKING:
    from gui.features.listen.dialog import ListenDialog


class ListenFeature(Feature):
    """Opens the dialog; the session listens whether the dialog is open or not."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.dialog: ListenDialog | None = None

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
        """Show where to listen, or which ranks are connected."""
        if self.dialog is None:
            from gui.features.listen.dialog import ListenDialog

            self.dialog = ListenDialog(self.shell.main_window, self.shell.session)
        to_front(self.dialog)
