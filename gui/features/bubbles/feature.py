"""Bubbles: actions that go through the idle gaps on screen, longest first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from core.message import N_
from gui.app.feature import Action, Feature, Group, Menu, Shell
from gui.features.bubbles.bubbles import Bubbles


class BubblesFeature(Feature):
    """The actions that find idle gaps."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.bubbles = Bubbles(shell.timeline, shell.note)

    @property
    def groups(self) -> Sequence[Group]:
        return (
            Group(
                Menu.GO,
                (
                    Action(
                        "bubble",
                        N_("Longest bubble"),
                        partial(self.bubbles.step, 1),
                        "B",
                        N_(
                            "Select and fit the longest idle gap on screen. Press again for the "
                            "next longest."
                        ),
                    ),
                    Action(
                        "longer_bubble",
                        N_("Previous bubble"),
                        partial(self.bubbles.step, -1),
                        "Shift+B",
                        N_("Select and fit the next longer bubble."),
                    ),
                ),
            ),
        )
