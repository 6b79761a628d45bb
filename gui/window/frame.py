"""Feature of the window as a whole: its language, moves between panes, and quitting."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtWidgets import QDockWidget, QWidget

from core.message import N_
from core.override import override
from gui.app.feature import Action, Dock, Feature, Group, Menu, Shell, Style
from gui.window.leaving import Leaving
from gui.window.panes import Panes

LANGUAGES = ("system", "en", "zh", "ko")


class FrameFeature(Feature):
    """The actions on the window as a whole."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.leaving = Leaving(shell.main_window, shell.session, shell.settings, shell.banner.say)
        self.panes = Panes(shell.main_window, self._parts)

    @property
    @override
    def groups(self) -> Sequence[Group]:
        step = self.panes.step
        choose = self.shell.language_chosen.emit
        panes = Group(
            Menu.GO,
            (
                Action(
                    "next_pane",
                    N_("Next pane"),
                    partial(step, 1),
                    "F6",
                    N_("Move between form, timeline and panels."),
                ),
                Action(
                    "previous_pane",
                    N_("Previous pane"),
                    partial(step, -1),
                    "Shift+F6",
                    N_("Move back between form, timeline and panels."),
                ),
            ),
        )
        languages = Group(
            Menu.VIEW,
            (
                Action(
                    "language_system",
                    N_("System default"),
                    partial(choose, "system"),
                    "",
                    N_("Use the language of the system, if it is available."),
                    Style.CHOICE,
                ),
                Action(
                    "language_en",
                    N_("English"),
                    partial(choose, "en"),
                    "",
                    N_("Show the window in English."),
                    Style.CHOICE,
                ),
                Action(
                    "language_zh",
                    N_("简体中文"),
                    partial(choose, "zh"),
                    "",
                    N_("Show the window in Simplified Chinese."),
                    Style.CHOICE,
                ),
                Action(
                    "language_ko",
                    N_("한국어"),
                    partial(choose, "ko"),
                    "",
                    N_("Show the window in Korean."),
                    Style.CHOICE,
                ),
            ),
            N_("Language"),
        )
        return (
            panes,
            languages,
            Group(
                Menu.FILE,
                (
                    Action(
                        "quit",
                        N_("Quit"),
                        self.leaving.leave,
                        "Ctrl+Q",
                        N_("Stop the engine and close the window."),
                    ),
                ),
            ),
        )

    @override
    def start(self) -> None:
        chosen = self.shell.settings.language or "system"
        if chosen in LANGUAGES:
            self.shell.action(f"language_{chosen}").setChecked(True)

    def _parts(self) -> list[QWidget]:
        """Return the parts of the window in the order in which F6 visits them."""
        window = self.shell.main_window
        timeline = self.shell.timeline
        # Sorted, because Qt changes the order of docks when one is brought to the front.
        order = [dock.name.lower() for dock in Dock]
        docks = window.findChildren(QDockWidget)
        left, *others = sorted(docks, key=lambda dock: order.index(dock.objectName()))
        centre = timeline if timeline.isVisible() else window.centralWidget() or timeline
        return [left, centre, *others]
