"""Marks: moments and ranges of a run that the user names; they can become a trace's steps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from core.message import N_
from core.recording.stream import Opened
from core.trace.trace import Trace
from gui.app.feature import Action, Dock, Feature, Group, Menu, Panel, Shell
from gui.app.run import Run
from gui.features.bookmarks.bookmarking import Bookmarking
from gui.look.text import tr

if TYPE_CHECKING:
    from gui.features.bookmarks.panel import BookmarksPanel


class BookmarksFeature(Feature):
    """The Marks panel, and the actions that set, find and delete marks."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.bookmarking = Bookmarking(shell.timeline)
        self.panels = (Panel("marks", tr("Marks"), Dock.DATA, self._make_panel),)
        self.report_from(self.bookmarking)
        self.bookmarking.stepped.connect(self._show_stepped)

    @property
    def groups(self) -> Sequence[Group]:
        marks = self.bookmarking
        return (
            Group(
                Menu.GO,
                (
                    Action(
                        "mark",
                        N_("Mark moment"),
                        marks.add_moment,
                        "M",
                        N_(
                            "Mark the moment under the pointer, or the start of the selection, "
                            "and name it."
                        ),
                    ),
                    Action(
                        "mark_range",
                        N_("Mark range"),
                        marks.add_range,
                        "Shift+M",
                        N_("Mark the selection from start to end, and name it."),
                    ),
                    Action(
                        "next_mark",
                        N_("Next mark"),
                        partial(marks.step, 1),
                        "Alt+M",
                        N_("Go to the next mark."),
                    ),
                    Action(
                        "previous_mark",
                        N_("Previous mark"),
                        partial(marks.step, -1),
                        "Alt+Shift+M",
                        N_("Go to the previous mark."),
                    ),
                    Action(
                        "remove_mark",
                        N_("Delete mark"),
                        marks.remove_here,
                        "Shift+Del",
                        N_("Delete the mark at the current position."),
                    ),
                    Action(
                        "explain_range",
                        N_("Explain range"),
                        marks.explain_range,
                        "",
                        N_(
                            "Treat the selected range of another program's trace as a step, and "
                            "explain it."
                        ),
                    ),
                ),
            ),
        )

    def show_run(self, run: Run | None) -> None:
        self.bookmarking.show_run(run)

    def _make_panel(self) -> BookmarksPanel:
        from gui.features.bookmarks.panel import BookmarksPanel

        panel = BookmarksPanel()
        self.bookmarking.show_in(panel)
        return panel

    def _show_stepped(self, trace: Trace, name: str) -> None:
        """Show the same recording with other steps, as a separate run."""
        shown = self.shell.run_shown
        if shown is not None and shown.source is not None:
            run = self.shell.session.add_opened(shown.source, Opened(trace))
            run.name = name
            run.stepped = True
            self.shell.show_run(run)
