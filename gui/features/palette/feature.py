"""The command palette: any command by a few of its letters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from core.message import N_
from gui.app.feature import Action, Feature, Group, Menu

if TYPE_CHECKING:
    from gui.features.palette.palette import Palette


class PaletteFeature(Feature):
    """The action that opens the palette."""

    @cached_property
    def palette(self) -> Palette:
        """The palette, made when it is first opened."""
        from gui.features.palette.commands import all_commands
        from gui.features.palette.palette import Palette

        return Palette(self.shell.main_window, partial(all_commands, self.shell))

    @property
    def groups(self) -> Sequence[Group]:
        return (
            Group(
                Menu.HELP,
                (
                    Action(
                        "commands",
                        N_("Find a command…"),
                        lambda: self.palette.toggle(),
                        "Ctrl+Shift+P",
                        N_("Find any command by a few of its letters."),
                    ),
                ),
            ),
        )
