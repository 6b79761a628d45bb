"""The check of the machine: whether its times can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.message import N_
from gui.app.dialogs import to_front
from gui.app.feature import Action, Feature, Group, Menu, Shell

if TYPE_CHECKING:
    from gui.features.check.dialog import CheckDialog


class CheckFeature(Feature):
    """Opens the dialog, which is made when it is first shown."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.dialog: CheckDialog | None = None

    @property
    def groups(self) -> Sequence[Group]:
        return (
            Group(
                Menu.HELP,
                (
                    Action(
                        "check_machine",
                        N_("Check this machine…"),
                        self.open,
                        "",
                        N_("Measure whether the times of this machine can be trusted."),
                    ),
                ),
            ),
        )

    def open(self) -> None:
        """Show the dialog, without starting a check."""
        if self.dialog is None:
            from gui.features.check.dialog import CheckDialog

            self.dialog = CheckDialog(self.shell.main_window)
        to_front(self.dialog)

    def close(self) -> None:
        if self.dialog is not None:
            self.dialog.stop()
