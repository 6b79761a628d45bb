"""Keys and mouse: the sheet that lists them."""

from __future__ import annotations

from collections.abc import Sequence

from core.message import N_
from gui.app.feature import Action, Feature, Group, Menu
from gui.features.keys.keys import KeySheet, sections


class KeysFeature(Feature):
    """The action that shows the sheet."""

    @property
    def groups(self) -> Sequence[Group]:
        return (
            Group(
                Menu.HELP,
                (
                    Action(
                        "sheet",
                        N_("Keys and mouse"),
                        self.toggle,
                        "?",
                        N_("Show every key and what the mouse does."),
                    ),
                ),
            ),
        )

    def toggle(self) -> None:
        """Show the sheet, or close it if it is open."""
        window = self.shell.main_window
        # A sheet deletes itself when it is closed, so a sheet that is found is open.
        sheet = window.findChild(KeySheet)
        if sheet is None:
            KeySheet(sections(window.menuBar()), window).show()
        else:
            sheet.close()
