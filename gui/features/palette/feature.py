"""The command palette: any command by a few of its letters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from core.message import N_
from gui.app.feature import Action, Feature, Group, Menu, Shell
from gui.features.palette.commands import all_commands
from gui.features.palette.palette import Palette


class PaletteFeature(Feature):
    """The action that opens the palette."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.palette = Palette(shell.main_window, partial(all_commands, shell))

    @property
    def groups(self) -> Sequence[Group]:
        return (
            Group(
                Menu.HELP,
                (
                    Action(
                        "commands",
                        N_("Find a command…"),
                        self.palette.toggle,
                        "Ctrl+Shift+P",
                        N_("Find any command by a few of its letters."),
                    ),
                ),
            ),
        )
