"""Statistics: how long spans took in the selected range, or in all measured steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.message import N_
from gui.app.feature import Action, Dock, Group, Menu, OnePanelFeature, Shell
from gui.features.bookmarks.feature import BookmarksFeature
from gui.timeline.state.selection import Selection, TimeRange

if TYPE_CHECKING:
    from gui.features.statistics.panel import StatisticsPanel


class StatisticsFeature(OnePanelFeature):
    """The Statistics panel, which is brought to the front when a range is selected."""

    name = "statistics"
    title = N_("Statistics")
    dock = Dock.STEPS

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        shell.timeline.state.selection_changed.connect(self._select)

    @property
    def groups(self) -> Sequence[Group]:
        return (
            Group(
                Menu.GO,
                (
                    Action(
                        "select_visible",
                        N_("Select visible range"),
                        self.shell.timeline.selector.select_visible,
                        "Ctrl+A",
                        N_("Select the visible time on all lanes, for the Statistics panel."),
                    ),
                    Action(
                        "copy_csv",
                        N_("Copy statistics as CSV"),
                        lambda: self.panel.widget.copy_csv(),
                        "Ctrl+Alt+V",
                        N_("Copy the figures of the selected range as plain numbers."),
                    ),
                    Action(
                        "copy_markdown",
                        N_("Copy statistics as Markdown"),
                        lambda: self.panel.widget.copy_markdown(),
                        "Ctrl+Alt+M",
                        N_("Copy the figures of the selected range as tables."),
                    ),
                ),
            ),
        )

    def make_panel(self) -> StatisticsPanel:
        from gui.features.statistics.panel import StatisticsPanel

        panel = StatisticsPanel()
        panel.message.connect(self.shell.note)
        panel.span_chosen.connect(self._select_longest)
        explain_range = self.shell.feature(BookmarksFeature).bookmarking.explain_range
        panel.explain.clicked.connect(explain_range)
        return panel

    def _select(self, selection: Selection | None) -> None:
        if isinstance(selection, TimeRange):
            self.panel.widget.show_range(self.shell.scene, selection)
            self.shell.bring("statistics")
        elif selection is None and self.panel.made:
            self.panel.widget.show_range(self.shell.scene, None)

    def _select_longest(self, lane: int, index: int) -> None:
        self.shell.timeline.selector.select_span(lane, index)
        # Selecting has brought Details to the front; bring the list back.
        self.shell.bring("statistics")
