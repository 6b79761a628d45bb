"""Spans: search in the timeline, and a table of all spans."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from core.message import N_
from gui.app.feature import Action, Dock, Feature, Group, Menu, Panel, Shell
from gui.app.run import opened_files
from gui.features.spans.finding import Finder
from gui.features.spans.search_bar import SearchBar
from gui.look.text import tr
from gui.timeline.state.scene import Scene

if TYPE_CHECKING:
    from gui.features.spans.panel import SpansPanel


class SpansFeature(Feature):
    """The search bar above the timeline and the Spans panel."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.search = SearchBar()
        self.panel = Panel("spans", tr("Spans"), Dock.DATA, self._make_panel)
        self.panels = (self.panel,)
        self.finder = Finder(self.search, shell.timeline, shell.overview)

    @property
    def groups(self) -> Sequence[Group]:
        save = Group(
            Menu.FILE,
            (
                Action(
                    "export_spans",
                    N_("Export spans as CSV…"),
                    lambda: self.panel.widget.ask_where_to_save(),
                    "",
                    N_("Write all spans, or those in the table, one per line."),
                ),
            ),
        )
        search = Group(
            Menu.GO,
            (
                Action(
                    "search",
                    N_("Search…"),
                    self.search.open,
                    "/ or Ctrl+F",
                    N_("Find spans by kind, micro-batch, stage, lane, step, name or duration."),
                ),
                Action(
                    "next_hit",
                    N_("Next hit"),
                    partial(self.search.step, 1),
                    "F3",
                    N_("Select the next span that was found."),
                ),
                Action(
                    "previous_hit",
                    N_("Previous hit"),
                    partial(self.search.step, -1),
                    "Shift+F3",
                    N_("Select the previous span that was found."),
                ),
            ),
        )
        return save, search

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        self.search.show_scene(scene, live)
        if self.panel.made:
            self.panel.widget.show_scene(scene, live)

    def _make_panel(self) -> SpansPanel:
        from gui.features.spans.panel import SpansPanel

        panel = SpansPanel()
        panel.inputs = lambda: opened_files(self.shell.session.runs)
        panel.chosen.connect(self.shell.timeline.selector.select_span)
        self.report_from(panel)
        self.finder.follow_in(panel)
        return panel
